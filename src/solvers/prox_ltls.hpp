// Method prox_ltls: kernels/prox_ltls.hpp driven by solvers/proximal.hpp.
#pragma once

#include "solvers/constrained_aba.hpp"

namespace tenon {

// qdd is left in w.w().qdd.
Status solve_prox_ltls(const ConstrainedProblem& p);

}  // namespace tenon
