// Method prox_ltls: kernels/constrained/prox_ltls.hpp driven by solve/proximal.hpp.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Leaves qdd in w.w().qdd.
Status solve_prox_ltls(const ConstrainedProblem& p);

}  // namespace tenon
