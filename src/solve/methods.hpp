// The methods of constrained dynamics. They write qdd to w.w().qdd.
#pragma once

#include "solve/constrained_problem.hpp"

namespace tenon {

Status solve_constrained_aba(const ConstrainedProblem& p);
Status solve_dense(const ConstrainedProblem& p);
Status solve_prox_ltl(const ConstrainedProblem& p);
Status solve_prox_ltls(const ConstrainedProblem& p);
Status solve_prox_pv(const ConstrainedProblem& p);
Status solve_pv(const ConstrainedProblem& p);
Status solve_pv_early(const ConstrainedProblem& p);
Status solve_pv_soft(const ConstrainedProblem& p);

struct MethodEntry {
  Method method;
  const char* name;
  Status (*solve)(const ConstrainedProblem&);
  // Methods that do not take them add a row to the inertia of one body, or eliminate it on one branch.
  bool takes_inter_body_rows;
  bool crosses_clusters;
};
inline constexpr MethodEntry methods[] = {
    {Method::dense, "dense", solve_dense, true, false},
    {Method::constrained_aba, "constrained_aba", solve_constrained_aba, false, true},
    {Method::prox_ltl, "prox_ltl", solve_prox_ltl, true, false},
    {Method::prox_ltls, "prox_ltls", solve_prox_ltls, true, false},
    {Method::pv, "pv", solve_pv, true, true},
    {Method::prox_pv, "prox_pv", solve_prox_pv, true, true},
    {Method::pv_soft, "pv_soft", solve_pv_soft, false, true},
    {Method::pv_early, "pv_early", solve_pv_early, false, true},
};

}  // namespace tenon
