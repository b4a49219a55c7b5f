// Method pv ([CABA] II-F): the sweeps of kernels/constrained/pv.hpp around one dense solve of (L + R) lambda
// = b.
//
// The plain method needs independent rows. Where a pivot of L + R vanishes next to the diagonal element it
// came from, rows depend on each other, and the same L is handed to the proximal loop of prox_pv, which finds
// the motion all the same (and the least-squares one where rows contradict); report.iterations tells. With
// the Tikhonov option every row gets that much more compliance: always solvable, and never exact; the
// residual is reported.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv(const ConstrainedProblem& p);

}  // namespace tenon
