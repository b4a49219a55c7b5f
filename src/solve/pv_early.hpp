// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// Redundant rows cost nothing; report.rank counts the others. Where rows contradict each other the sweep is
// made once more with rows scaled by their weights, which makes its remainder the weighted least-squares
// residual. An answer that does not hold what it should (rounding in an almost singular posture) is not
// handed out: constrained_aba, started from its multipliers, takes over; report.iterations is then that
// method's.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv_early(const ConstrainedProblem& p);

}  // namespace tenon
