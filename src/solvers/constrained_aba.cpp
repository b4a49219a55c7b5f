#include "solvers/constrained_aba.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace {

constexpr double scheduled_mu = 3e7;  // it refines

struct Sweeps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  bool bias_forces_ready = true;  // pA holds what constraint_state left there
  bool factored = false;          // for the present mu
  bool positive = true;

  static void prepare(void* self, const double* inv_mu) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    s.inv_mu = inv_mu;
    s.factored = false;
    const ConstraintData& c = *s.p.w.cd();
    for (int r = 0; r < c.row_count; ++r) s.p.w.w().mu_row[r] = 1 / (c.compliance[r] + inv_mu[r]);
  }

  // The first evaluation for a mu takes the three sweeps of [CABA] Alg. 1, the others the two of Alg. 2.
  static bool evaluate(void* self, const double* f, bool refine, double* step) {
    Sweeps& s = *static_cast<Sweeps*>(self);
    WorkspaceImpl& w = s.p.w;
    WorkspaceData<double>& d = w.w();
    const ConstraintData& c = *w.cd();
    for (int r = 0; r < c.row_count; ++r) {
      const double force = d.mu_row[r] * (d.k[r] + s.inv_mu[r] * f[r]);
      step[r] = force - d.row_force[r];  // read by iterate before it is overwritten
      d.row_force[r] = force;
    }
    if (s.factored) {
      w.kernels->constrained_aba_iterate(w.md(), c, step, refine, s.p.tau, d.qdd, d);
    } else {
      if (!s.bias_forces_ready)
        w.kernels->constraint_state(w.md(), c, s.p.q, s.p.v, s.p.wrenches != nullptr, d);
      s.bias_forces_ready = false;
      s.positive = w.kernels->constrained_aba_start(w.md(), c, s.p.v, s.p.tau, d.qdd, d);
      s.factored = true;
    }
    for (int r = 0; r < c.row_count; ++r) step[r] = d.mu_row[r] * (d.k[r] - d.Ka[r] - c.compliance[r] * f[r]);
    return s.positive;
  }

  static void multipliers(void* self, double* lambda) {
    WorkspaceImpl& w = static_cast<Sweeps*>(self)->p.w;
    std::copy_n(w.w().row_lambda, w.rows(), lambda);
  }

  static double scale(void* self) {
    const WorkspaceImpl& w = static_cast<Sweeps*>(self)->p.w;
    double largest = 0;
    for (int r = 0; r < w.rows(); ++r)
      largest = std::max({largest, std::abs(w.arena.data.k[r]), std::abs(w.arena.data.Ka[r])});
    return largest;
  }
};

}  // namespace

Status solve_constrained_aba(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  Sweeps sweeps{p};
  const ProximalMethod method = {
      &sweeps, Sweeps::prepare, Sweeps::evaluate, Sweeps::scale, Sweeps::multipliers, nullptr, scheduled_mu};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  if (static_cast<std::int32_t>(status) < 0) return status;
  w.kernels->constrained_aba_finish(w.md(), *w.cd(), p.v, w.w().qdd, w.w());
  return status;
}

}  // namespace tenon
