// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// Redundant rows cost nothing; report.rank counts the others. If rows are contradictory, the sweep runs again
// with rows scaled by their weights, so that its residual is the weighted least-squares residual. If rounding
// errors (in an almost singular posture) spoil the answer, constrained_aba continues from its multipliers and
// fills the report.
#include <algorithm>
#include <cmath>

#include "solve/methods.hpp"
#include "solve/row_residual.hpp"

namespace tenon {
namespace {

// Largest imbalance of a least-squares answer, relative to forces as large as the accelerations would make
// them: little more than rounding, because the error of accelerations is that times the square of the rows'
// condition.
constexpr double balanced = 1e-14;

// One solve with the current scaling of rows; false when the mass matrix is not positive definite.
bool sweep(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  if (!w.kernels->pv_early_reduce(w.md(), p.v, p.tau, w.pv_early->data, w.w())) return false;
  w.kernels->pv_early_roll_out(w.md(), *w.cd(), p.v, p.lambda, w.w().qdd, w.pv_early->data, w.w());
  return true;
}

// Residuals below these, in units of the rows and relative to the absolute tolerance, may be rounding errors,
// also of free accelerations; above, rows contradict each other.
constexpr double clear = 1e-6, clear_of_absolute = 1e6;

// The largest residual of a row, in the row's unit.
double measure_residual(const ConstrainedProblem& p) {
  const WorkspaceData<double>& d = p.w.w();
  ProximalScratch& s = p.w.proximal;
  double* residual = s.residual.data();
  double largest = 0;
  for (int r = 0; r < p.w.rows(); ++r)
    s.best[static_cast<std::size_t>(r)] = std::max(std::abs(d.k[r]), std::abs(d.Ka[r]));
  measure_units(*p.w.cd(), s.best.data(), s.per_unit.data());
  for (int r = 0; r < p.w.rows(); ++r) {
    residual[r] = d.k[r] - d.Ka[r] - p.w.cd()->compliance[r] * p.lambda[r];
    largest = std::max(largest, std::abs(residual[r]));
  }
  p.w.report.primal_residual = largest;
  return size_in_units(s.residual.data(), s.per_unit.data(), p.options.absolute_tolerance, p.w.rows());
}

// Whether the weighted sum of squares of rigid rows is at its minimum, and rows with compliance, which can
// always hold, do hold.
bool is_least_squares(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  const WorkspaceData<double>& d = w.w();
  const ConstraintData& c = *w.cd();
  double* force = w.user_rows.data();
  double size = 0, scale = 0;
  for (int r = 0; r < w.rows(); ++r) scale = std::max({scale, std::abs(d.k[r]), std::abs(d.Ka[r])});
  for (int r = 0; r < w.rows(); ++r) {
    const bool rigid = c.compliance[r] == 0;
    const std::size_t i = static_cast<std::size_t>(r);
    const double held = p.options.absolute_tolerance + p.options.relative_tolerance / w.proximal.per_unit[i];
    if (!rigid && !(std::abs(w.proximal.residual[i]) <= held)) return false;
    force[r] = rigid ? c.weight[r] * (d.k[r] - d.Ka[r]) : 0;
    for (int e = 0; e < 6; ++e) size += c.weight[r] * scale * std::abs(d.K[6 * r + e]);
  }
  return w.kernels->pv_early_imbalance(w.md(), c, force, w.pv_early->data, w.w()) <= balanced * size;
}

Status give_to_constrained_aba(const ConstrainedProblem& p) {
  SolveOptions options = p.options;
  options.warm_start = false;
  p.w.report = SolveReport{};
  p.w.report.method = Method::constrained_aba;
  return solve_constrained_aba({p.w, options, p.q, p.v, p.tau, p.wrenches, p.desired, p.lambda});
}

// Rows are eliminated joint by joint, which is not possible across a cluster.
bool cluster_supports(const WorkspaceImpl& w) {
  for (int s = 0; w.md().cluster_count > 0 && s < w.cd()->support_count; ++s)
    if (w.md().node_cluster[w.cd()->support[s]] >= 0) return true;
  return false;
}

}  // namespace

Status solve_pv_early(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (cluster_supports(w)) return give_to_constrained_aba(p);
  w.need(of_row_sweeps);
  w.pv_early->scale_by_delassus();
  if (!sweep(p)) return Status::not_positive_definite;
  w.report.iterations = 1;
  w.report.rank = w.rows() - w.pv_early->data.redundant;
  const double left = measure_residual(p);
  if (left <= p.options.relative_tolerance) return Status::ok;
  const bool contradict =
      left > clear && w.report.primal_residual > clear_of_absolute * p.options.absolute_tolerance;
  if (w.pv_early->data.redundant == 0 || !contradict) return give_to_constrained_aba(p);
  if (p.options.max_iterations == 1) return Status::max_iterations;
  w.pv_early->scale_by_weight();
  sweep(p);
  w.report.iterations = 2;
  measure_residual(p);
  return is_least_squares(p) ? Status::infeasible : give_to_constrained_aba(p);
}

}  // namespace tenon
