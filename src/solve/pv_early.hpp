// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// Redundant rows cost nothing; report.rank counts the others. Where rows contradict, a second sweep with rows
// scaled by their weights gives the weighted least-squares residual. An answer is returned only if it holds
// or is that least-squares answer. Otherwise (rounding errors in an almost singular posture), and where
// clusters support rows, constrained_aba solves instead, from zero multipliers; report.method names it.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv_early(const ConstrainedProblem& p);

}  // namespace tenon
