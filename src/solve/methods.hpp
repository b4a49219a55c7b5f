// The functions of the methods of constrained dynamics (tenon/methods.hpp). They write qdd to w.w().qdd.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

#define TENON_FUNCTION(constant, name, ...) Outcome solve_##name(const ConstrainedProblem& p);
TENON_METHODS(TENON_FUNCTION)
#undef TENON_FUNCTION

// As solve_dense, with the factor in w.dense for more right-hand sides: that of the Delassus matrix where its pivots leave the
// digits (data/rank.hpp: sure_pivot_of_derivatives), which takes less time, else that of the rows.
Outcome solve_for_derivatives(const ConstrainedProblem& p);

// No q gives the rows a larger rank: rigid ones on one body span six directions at most.
int most_rank(const ConstraintData& c);

// Rounding errors of J v (m/s or rad/s): all that a row sees that nothing moves.
double rounding_of_row_velocities(WorkspaceImpl& w, const double* q, const double* v);

using MethodFunction = Outcome (*)(const ConstrainedProblem&);

constexpr MethodFunction function_of(Method method) {
#define TENON_FUNCTION(constant, name, ...) solve_##name,
  constexpr MethodFunction functions[] = {TENON_METHODS(TENON_FUNCTION)};
#undef TENON_FUNCTION
  return functions[find_facts(method) - method_facts];
}

}  // namespace tenon
