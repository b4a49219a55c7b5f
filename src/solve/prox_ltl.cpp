#include "solve/prox_ltl.hpp"

#include <algorithm>
#include <cmath>

#include "solve/proximal.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

struct DualSteps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  const double* step = nullptr;  // of the last evaluation

  static void prepare(void* self, const double* inv_mu) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.inv_mu = inv_mu;
    s.p.w.kernels->prox_ltl_factor(*s.p.w.cd(), inv_mu, s.p.w.w());
  }

  static bool evaluate(void* self, const double* f, bool, double* step) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.step = step;
    s.p.w.kernels->prox_ltl_step(*s.p.w.cd(), f, step, s.p.w.w());
    return true;
  }

  static void accelerations(void* self, double* a) {
    const DualSteps& s = *static_cast<DualSteps*>(self);
    const double* k = s.p.w.arena.data.k;
    for (int r = 0; r < s.p.w.rows(); ++r)
      a[r] = std::max(std::abs(k[r]), std::abs(k[r] - s.inv_mu[r] * s.step[r]));
  }
};

}  // namespace

JointSpace joint_space_of(WorkspaceImpl& w) {
  if (!w.independent) return {w.md(), *w.cd(), w.w()};
  IndependentSpaceData<double>& d = w.independent->data;
  return {d.tree, d.rows, d.w};
}

bool start_prox_ltl(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  const bool has_wrenches = p.wrenches != nullptr;
  if (w.independent)
    return w.kernels->independent_prox_ltl_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches,
                                                 w.independent->data, w.w());
  return w.kernels->prox_ltl_start(w.md(), *w.cd(), p.q, p.v, p.tau, has_wrenches, w.w());
}

namespace {

template <class Finish>
void finish_in(WorkspaceImpl& w, Finish finish) {
  const JointSpace s = joint_space_of(w);
  double* qdd = w.independent ? w.independent->data.yddot : w.w().qdd;
  finish(s, qdd);
  if (w.independent) from_independent(w, qdd, w.w().g, w.w().qdd);
}

}  // namespace

void finish_prox_ltl(const ConstrainedProblem& p) {
  finish_in(p.w, [&p](const JointSpace& s, double* qdd) {
    p.w.kernels->prox_ltl_finish(s.tree, s.rows, p.lambda, qdd, s.w);
  });
}

void finish_prox_ltl(const ConstrainedProblem& p, const double* y, const double* slack) {
  finish_in(p.w, [&](const JointSpace& s, double* qdd) {
    for (int k = 0; k < s.tree.nv; ++k) s.w.y[k] = s.w.z[k] + y[k];
    std::copy_n(slack, s.rows.row_count, s.w.row_soft);
    p.w.kernels->prox_ltl_motion(s.tree, s.rows, qdd, s.w);
  });
}

Status solve_prox_ltl(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.need(Method::prox_ltl);
  if (!start_prox_ltl(p)) return Status::not_positive_definite;
  DualSteps steps{p};
  const ProximalMethod method = {&steps, DualSteps::prepare, DualSteps::evaluate, DualSteps::accelerations,
                                 nullptr};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  finish_prox_ltl(p);
  return status;
}

}  // namespace tenon
