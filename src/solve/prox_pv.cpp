#include "solve/prox_pv.hpp"

#include <algorithm>
#include <cmath>

#include "solve/proximal.hpp"
#include "solve/row_residual.hpp"

namespace tenon {
namespace {

// Three evaluations reach 1e-12; a larger mu gains nothing and loses digits where the inversion lemma
// cancels.
constexpr double scheduled_mu = 1e6;

struct DualSteps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  const double* first_step = nullptr;
  bool factored = false;  // for the current mu

  PvData<double>& d() const { return p.w.pv->data; }
  bool split() const { return splits_base(p); }

  static void prepare(void* self, const double* inv_mu) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.inv_mu = inv_mu;
    s.factored = false;
    for (int r = 0; r < s.p.w.rows(); ++r) s.d().row_damping[r] = s.p.w.cd()->compliance[r] + inv_mu[r];
  }

  // (L + R + 1 / mu) step = b - (L + R) f: the step of [CABA] Eq. 14b and not its end point, so that no
  // digits are spent on what f already holds.
  static bool evaluate(void* self, const double* f, bool, double* step) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    const WorkspaceImpl& w = s.p.w;
    if (!s.factored) w.kernels->pv_factor(w.md(), s.split(), w.cd()->scale, s.d());
    s.factored = true;
    s.first_step = step;
    w.kernels->pv_step(w.md(), s.split(), w.cd()->compliance, f, step, s.d());
    return true;
  }

  static void accelerations(void* self, double* a) {
    const DualSteps& s = *static_cast<DualSteps*>(self);
    const double* k = s.p.w.arena.data.k;
    for (int r = 0; r < s.p.w.rows(); ++r)
      a[r] = std::max(std::abs(k[r]), std::abs(k[r] - s.inv_mu[r] * s.first_step[r]));
  }
};

}  // namespace

bool splits_base(const ConstrainedProblem& p) {
  const PvMemory<double>& pv = *p.w.pv;
  const SplitBase wish = p.options.split_base;
  return pv.data.split.count > 0 &&
         (wish == SplitBase::always || (wish == SplitBase::automatic && pv.split_pays()));
}

bool reduce_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  return w.kernels->pv_reduce(w.md(), splits_base(p), p.v, p.tau, w.pv->data, w.w());
}

Status iterate_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  DualSteps steps{p};
  const ProximalMethod method = {
      &steps,  DualSteps::prepare, DualSteps::evaluate, DualSteps::accelerations, nullptr,
      nullptr, scheduled_mu};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  if (status == stalled) return status;
  roll_out_pv(p, p.lambda);
  if (rows_hold(p, w.cd()->compliance)) return Status::ok;
  return status == Status::ok ? stalled : status;
}

void roll_out_pv(const ConstrainedProblem& p, const double* added) {
  WorkspaceImpl& w = p.w;
  const WorkspaceData<double>& d = w.w();
  w.kernels->pv_roll_out(w.md(), *w.cd(), p.v, added, d.qdd, w.pv->data, w.w());
  w.report.primal_residual = 0;
  for (int r = 0; r < w.rows(); ++r) {
    const double residual = d.k[r] - d.Ka[r] - w.cd()->compliance[r] * p.lambda[r];
    w.report.primal_residual = std::max(w.report.primal_residual, std::abs(residual));
  }
}

bool rows_hold(const ConstrainedProblem& p, const double* compliance) {
  constexpr double rounding = 1e-13;
  const WorkspaceData<double>& d = p.w.w();
  const ConstraintData& c = *p.w.cd();
  ProximalScratch& s = p.w.proximal;
  double *unit = s.unit.data(), *residual = s.residual.data(), *acceleration = s.best.data();
  measure_units(c, p.w.pv->data.b, unit);
  for (int r = 0; r < c.row_count; ++r) {
    const double left = std::abs(d.k[r] - d.Ka[r] - compliance[r] * p.lambda[r]);
    residual[r] = std::max(0.0, left - rounding * unit[r]);
    acceleration[r] = std::max(std::abs(d.k[r]), std::abs(d.Ka[r]));
  }
  measure_units(c, acceleration, unit);
  return size_in_units(residual, unit, p.options.absolute_tolerance, c.row_count) <=
         p.options.relative_tolerance;
}

Status solve_prox_pv(const ConstrainedProblem& p) {
  return reduce_pv(p) ? iterate_pv(p) : Status::not_positive_definite;
}

}  // namespace tenon
