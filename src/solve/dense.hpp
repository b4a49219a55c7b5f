// Method dense: one solve without iteration, by which every problem has an answer.
//
// The mass matrix and J L^-T by the sparse factor of kernels/constrained/prox_ltl.hpp, the rows by
// row_factor.hpp, refined once. Rows that depend on each other, that contradict or have compliance are what
// model/rank.hpp makes of them; no parameter is chosen. Other methods hand over the rows on which their
// iterations stall. O(n d^2 + n m r), r the rank of the rows.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// qdd is left in w.w().qdd.
Status solve_dense(const ConstrainedProblem& p);

}  // namespace tenon
