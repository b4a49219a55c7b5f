// Method dense: one solve without iteration, which answers every problem.
//
// The mass matrix and J L^-T by the sparse factor of kernels/constrained/prox_ltl.hpp, the rows by
// plan/row_factor.hpp, refined once. model/rank.hpp defines how redundant and contradictory rows and
// compliance are treated; there are no parameters. It also solves rows on which the iterations of other
// methods stall. O(n d^2 + n m r), r the rank of the rows.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Leaves qdd in w.w().qdd.
Status solve_dense(const ConstrainedProblem& p);

}  // namespace tenon
