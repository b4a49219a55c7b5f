// Method prox_pv ([CABA] Alg. 4): the sweeps of kernels/constrained/pv.hpp around solve/proximal.hpp, whose
// iterations cost a dense solve each and no sweep.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Whether the branches of the root body are factored separately.
bool splits_base(const ConstrainedProblem& p);
// Reduces the rows to (L + R) lambda = b; false when the mass matrix is not positive definite.
bool reduce_pv(const ConstrainedProblem& p);
// After reduce_pv: the proximal iteration, then the accelerations.
Outcome iterate_pv(const ConstrainedProblem& p);
// Adds the effect of these multipliers to the accelerations; qdd, Ka and the report's primal residual are
// then those of lambda.
void roll_out_pv(const ConstrainedProblem& p, const double* added);

}  // namespace tenon
