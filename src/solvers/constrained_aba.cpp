#include "solvers/constrained_aba.hpp"

namespace tenon {

namespace {

struct Sweeps {
  const ConstrainedProblem& p;
  bool fresh = true;  // constraint_state is as it left it: pA holds bias forces

  static bool start(void* self) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    WorkspaceImpl& w = s.p.w;
    if (!s.fresh) w.kernels->constraint_state(w.md(), *w.cd(), s.p.q, s.p.v, s.p.wrenches != nullptr, w.w());
    s.fresh = false;
    return w.kernels->constrained_aba_start(w.md(), *w.cd(), s.p.v, s.p.tau, w.w().qdd, w.w());
  }
  static double move(void* self, const double* delta) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    WorkspaceImpl& w = s.p.w;
    return w.kernels->constrained_aba_iterate(w.md(), *w.cd(), delta, s.p.v, w.w().qdd, w.w());
  }
};

}  // namespace

Status solve_constrained_aba(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  Sweeps sweeps{p};
  const ProximalMethod method = {&sweeps,         w.w().k,       w.w().Ka,    w.w().mu_row,
                                 w.w().row_force, Sweeps::start, Sweeps::move};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  if (static_cast<std::int32_t>(status) < 0) return status;
  w.kernels->constrained_aba_finish(w.md(), *w.cd(), p.v, w.w().qdd, w.w());
  return status;
}

}  // namespace tenon
