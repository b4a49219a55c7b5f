// Method pv ([CABA] II-F): the sweeps of kernels/constrained/pv.hpp around one dense solve of
//   (L + R) lambda = b.
//
// The plain method needs independent rows. Where a pivot of L + R vanishes relative to its diagonal element,
// rows are redundant, and prox_pv iterates with the same L; it finds the motion even so (the least-squares
// one where rows contradict), and report.method names it. The Tikhonov option adds compliance to every row:
// always solvable, never exact; the residual is reported.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv(const ConstrainedProblem& p);

}  // namespace tenon
