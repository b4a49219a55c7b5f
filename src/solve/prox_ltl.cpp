#include "solve/prox_ltl.hpp"

#include <algorithm>

#include "solve/methods.hpp"
#include "solve/proximal.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

struct DualSteps final : ProximalMethod {
  using ProximalMethod::ProximalMethod;
  bool evaluate(Evaluation kind, ProximalPoint<double>& x) override {
    if (kind == Evaluation::first) p.w.kernels->prox_ltl_factor(rows, x.inv_mu, p.w.w());
    p.w.kernels->prox_ltl_step(rows, x.f, x.step, p.w.w());
    measure(kind, x);
    return true;
  }
};

}  // namespace

JointSpace joint_space_of(WorkspaceImpl& w, DerivativeData<double>* chains) {
  if (!w.independent) return {w.md(), *w.cd(), w.w(), w.w().qdd, chains};
  IndependentSpaceData<double>& d = w.independent->data;
  return {d.tree, d.rows, d.w, d.yddot, nullptr};
}

bool start_joint_space(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->joint_space_state(w.md(), *w.cd(), p.in, w.w());
  if (p.chains) return w.kernels->chain_rows_start(w.md(), *w.cd(), *p.chains, w.w());
  return w.independent ? w.kernels->independent_prox_ltl_start(w.md(), *w.cd(), w.independent->data, w.w())
                       : w.kernels->prox_ltl_start(w.md(), *w.cd(), w.w());
}

void solve_constrained_column(const WorkspaceImpl& w, const JointSpace& s, RowFactorData& factor, double sign,
                              double* X, double* G) {
  const auto half = [&](auto by_chains, auto by_paths) {
    if (s.chains)
      (w.kernels->*by_chains)(s.tree, X, *s.chains);
    else
      (w.kernels->*by_paths)(s.tree, X, s.w);
  };
  using Table = KernelTable<double>;
  half(&Table::chain_half_inward, &Table::ltl_half_inward);
  w.kernels->solve_rows_of_column(s.tree, s.rows, factor, X, G, s.w);
  half(&Table::chain_half_outward, &Table::ltl_half_outward);
  for (int k = 0; sign != 1 && k < s.tree.nv; ++k) X[k] *= sign;
  for (int r = 0; G && sign != 1 && r < s.rows.row_count; ++r) G[r] *= sign;
}

bool start_prox_ltl(const ConstrainedProblem& p) {
  if (!start_joint_space(p)) return false;
  const JointSpace s = joint_space_of(p);
  p.w.kernels->prox_ltl_gram(s.tree, s.rows, s.w);
  return true;
}

// Computes qdd of all joints from that of the joint space.
static void map_in_motion(WorkspaceImpl& w, const JointSpace& s) {
  if (w.independent) from_independent(w, s.qdd, w.w().g, w.w().qdd);
}

void finish_prox_ltl(const ConstrainedProblem& p) {
  const JointSpace s = joint_space_of(p);
  if (s.chains)
    p.w.kernels->chain_rows_finish(s.tree, s.rows, p.lambda, s.qdd, *s.chains, s.w);
  else
    p.w.kernels->prox_ltl_finish(s.tree, s.rows, p.lambda, s.qdd, s.w);
  map_in_motion(p.w, s);
}

void finish_prox_ltl(const ConstrainedProblem& p, const double* slack) {
  const JointSpace s = joint_space_of(p);
  std::copy_n(slack, s.rows.row_count, s.w.row_soft);
  if (s.chains)
    p.w.kernels->chain_rows_motion(s.tree, s.rows, s.qdd, *s.chains, s.w);
  else
    p.w.kernels->prox_ltl_motion(s.tree, s.rows, s.qdd, s.w);
  map_in_motion(p.w, s);
}

Outcome iterate_prox_ltl(const ConstrainedProblem& p) {
  DualSteps steps(p);
  const Outcome outcome = solve_proximal(steps);
  finish_prox_ltl(p);
  return outcome;
}

Outcome solve_prox_ltl(const ConstrainedProblem& p) {
  p.w.need(Method::prox_ltl);
  return start_prox_ltl(p) ? iterate_prox_ltl(p) : Status::not_positive_definite;
}

}  // namespace tenon
