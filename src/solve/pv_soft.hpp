// Method pv_soft ([CABA] VII-A): rows as springs, the model of MuJoCo. One penalty sweep in O(n + m), bit by
// bit the first iteration of constrained_aba from lambda = 0.
//
// A row's penalty is 1 / (R + 1 / mu), R its compliance. With options.mu = 0 the scheduled mu is taken. Rows
// whose compliance exceeds 1 / mu are exact; the others hold up to what report.primal_residual tells, which
// is what was asked for: the status is ok. A warm start has no meaning here.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv_soft(const ConstrainedProblem& p);

}  // namespace tenon
