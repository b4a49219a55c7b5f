// Method prox_ltl: kernels/prox_ltl.hpp driven by solvers/proximal.hpp.
#pragma once

#include "solvers/constrained_aba.hpp"

namespace tenon {

// qdd is left in w.w().qdd.
Status solve_prox_ltl(const ConstrainedProblem& p);

}  // namespace tenon
