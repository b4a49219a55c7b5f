#include "solvers/prox_pv.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

// Three evaluations to 1e-12; larger ones gain nothing, and lose digits where the inversion lemma cancels.
constexpr double scheduled_mu = 1e6;

struct DualSteps {
  const ConstrainedProblem& p;
  const double* inv_mu = nullptr;
  const double* first_step = nullptr;
  bool factored = false;  // for the present mu

  PvData<double>& d() const { return p.w.pv.data; }
  bool split() const { return splits_base(p); }

  static void prepare(void* self, const double* inv_mu) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    s.inv_mu = inv_mu;
    s.factored = false;
    for (int r = 0; r < s.p.w.rows(); ++r) s.d().row_damping[r] = s.p.w.cd()->compliance[r] + inv_mu[r];
  }

  // (L + R + 1 / mu) step = b - (L + R) f: the step of [CABA] Eq. 14b, not its end point, so that digits are
  // not spent on what f already holds.
  static bool evaluate(void* self, const double* f, bool, double* step) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    const WorkspaceImpl& w = s.p.w;
    if (!s.factored) w.kernels->pv_factor(w.md(), s.split(), w.cd()->scale, s.d());
    s.factored = true;
    s.first_step = step;
    w.kernels->pv_step(w.md(), s.split(), w.cd()->compliance, f, step, s.d());
    return true;
  }

  // b := what forces can reach of it.
  static const double* settle(void* self) {
    DualSteps& s = *static_cast<DualSteps*>(self);
    WorkspaceImpl& w = s.p.w;
    const int rows = w.rows();
    double* A = w.pv.unreachable.A();
    w.kernels->pv_dual_hessian(w.md(), s.split(), A, rows, s.d());
    for (int r = 0; r < rows; ++r) A[r * rows + r] += w.cd()->compliance[r];
    const double* rho = w.pv.unreachable.solve(*w.cd(), s.d().b);
    for (int r = 0; r < rows; ++r) s.d().b[r] -= rho[r];
    return rho;
  }

  static double scale(void* self) {
    const DualSteps& s = *static_cast<DualSteps*>(self);
    const double* k = s.p.w.arena.data.k;
    double largest = 0;
    for (int r = 0; r < s.p.w.rows(); ++r)
      largest = std::max({largest, std::abs(k[r]), std::abs(k[r] - s.inv_mu[r] * s.first_step[r])});
    return largest;
  }
};

// Whether rows hold to the tolerance, or to rounding where free accelerations are much larger than what the
// rows ask for: the sums that make up b then hold no more digits.
bool rows_hold(const ConstrainedProblem& p) {
  constexpr double rounding = 1e-13;
  double scale = 0, sums = 0;
  for (int r = 0; r < p.w.rows(); ++r) {
    scale = std::max(scale, std::abs(p.w.w().k[r]));
    sums = std::max(sums, std::abs(p.w.pv.data.b[r]));
  }
  const double tolerance = p.options.absolute_tolerance + p.options.relative_tolerance * scale;
  return p.w.report.primal_residual <= std::max(tolerance, rounding * sums);
}

}  // namespace

bool splits_base(const ConstrainedProblem& p) {
  const PvMemory<double>& pv = p.w.pv;
  const SplitBase wish = p.options.split_base;
  return pv.data.split.count > 0 &&
         (wish == SplitBase::always || (wish == SplitBase::automatic && pv.split_pays()));
}

bool reduce_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  return w.kernels->pv_reduce(w.md(), splits_base(p), p.v, p.tau, w.pv.data, w.w());
}

Status iterate_pv(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  DualSteps steps{p};
  const ProximalMethod method = {&steps,  DualSteps::prepare, DualSteps::evaluate, DualSteps::scale,
                                 nullptr, DualSteps::settle,  scheduled_mu};
  const Status status = solve_proximal(*w.cd(), method, p.options, w.proximal, p.lambda, w.report);
  if (static_cast<std::int32_t>(status) < 0) return status;
  roll_out_pv(p, p.lambda);
  return rows_hold(p) ? Status::ok : status;
}

void roll_out_pv(const ConstrainedProblem& p, const double* added) {
  WorkspaceImpl& w = p.w;
  const WorkspaceData<double>& d = w.w();
  w.kernels->pv_roll_out(w.md(), *w.cd(), p.v, added, d.qdd, w.pv.data, w.w());
  w.report.primal_residual = 0;
  for (int r = 0; r < w.rows(); ++r) {
    const double residual = d.k[r] - d.Ka[r] - w.cd()->compliance[r] * p.lambda[r];
    w.report.primal_residual = std::max(w.report.primal_residual, std::abs(residual));
  }
}

Status solve_prox_pv(const ConstrainedProblem& p) {
  return reduce_pv(p) ? iterate_pv(p) : Status::not_positive_definite;
}

}  // namespace tenon
