// Method prox_pv ([CABA] Alg. 4): the sweeps of kernels/constrained/pv.hpp around solve/proximal.hpp, whose
// iterations cost a dense solve each and no sweep.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Whether the branches of the root body are factored apart.
bool splits_base(const ConstrainedProblem& p);
// Rows reduced to (L + R) lambda = b; false when the mass matrix is not positive definite.
bool reduce_pv(const ConstrainedProblem& p);
// From there: the proximal loop, then the accelerations.
Status iterate_pv(const ConstrainedProblem& p);
// Adds the effect of these multipliers to what was rolled out before; qdd, Ka and the report's primal
// residual are then those of lambda.
void roll_out_pv(const ConstrainedProblem& p, const double* added);
// Whether rows with this compliance hold after that: to the tolerance, or to rounding where free
// accelerations are much larger than what the rows ask for. The sums that make up b then hold no more digits.
bool rows_hold(const ConstrainedProblem& p, const double* compliance);

}  // namespace tenon
