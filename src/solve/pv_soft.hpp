// Method pv_soft ([CABA] VII-A): rows as springs, the model of MuJoCo. One penalty sweep in O(n + m), exactly
// the first iteration of constrained_aba from lambda = 0.
//
// A row's penalty is 1 / (R + 1 / mu), R its compliance. options.mu = 0 means the scheduled mu. Rows with a
// compliance above 1 / mu are exact; the others leave report.primal_residual, as intended: the status is ok.
// A warm start has no effect.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_pv_soft(const ConstrainedProblem& p);

}  // namespace tenon
