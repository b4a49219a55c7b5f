// Method constrained_aba: kernels/constrained/constrained_aba.hpp driven by solve/proximal.hpp.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

// Leaves qdd in w.w().qdd.
Status solve_constrained_aba(const ConstrainedProblem& p);

}  // namespace tenon
