// The functions of the methods of constrained dynamics (plan/method_facts.hpp). They write qdd to w.w().qdd.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Outcome solve_constrained_aba(const ConstrainedProblem& p);
Status solve_dense(const ConstrainedProblem& p);
Outcome solve_prox_ltl(const ConstrainedProblem& p);
Outcome solve_prox_ltls(const ConstrainedProblem& p);
Outcome solve_prox_pv(const ConstrainedProblem& p);
Outcome solve_pv(const ConstrainedProblem& p);
Outcome solve_pv_early(const ConstrainedProblem& p);
Outcome solve_pv_soft(const ConstrainedProblem& p);

using MethodFunction = Outcome (*)(const ConstrainedProblem&);

constexpr MethodFunction function_of(Method method) {
  switch (method) {
    case Method::constrained_aba:
      return solve_constrained_aba;
    case Method::prox_ltl:
      return solve_prox_ltl;
    case Method::prox_ltls:
      return solve_prox_ltls;
    case Method::pv:
      return solve_pv;
    case Method::prox_pv:
      return solve_prox_pv;
    case Method::pv_soft:
      return solve_pv_soft;
    case Method::pv_early:
      return solve_pv_early;
    default:
      return [](const ConstrainedProblem& p) -> Outcome { return solve_dense(p); };
  }
}

}  // namespace tenon
