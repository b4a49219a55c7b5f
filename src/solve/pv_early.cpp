// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// Redundant rows cost nothing; report.rank counts the others. Where rows are left open, because they contradict
// or because rounding errors spoil the answer in an almost singular posture, constrained_aba answers and fills
// the report: only one method decides how far to miss each row.
#include <algorithm>
#include <cmath>

#include "solve/methods.hpp"
#include "solve/row_residual.hpp"

namespace tenon {
namespace {

// One solve; false when the mass matrix is not positive definite.
bool sweep(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.kernels->constraint_state(w.md(), *w.cd(), p.q, p.v, p.wrenches != nullptr, w.w());
  if (!w.kernels->pv_early_reduce(w.md(), p.v, p.tau, w.pv_early->data, w.w())) return false;
  w.kernels->pv_early_roll_out(w.md(), *w.cd(), p.v, p.lambda, w.w().qdd, w.pv_early->data, w.w());
  return true;
}

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
  if (!sweep(p)) return Status::not_positive_definite;
  w.report.iterations = 1;
  w.report.rank = w.rows() - w.pv_early->data.redundant;
  return measure_residual(p) <= p.options.relative_tolerance ? Status::ok : give_to_constrained_aba(p);
}

}  // namespace tenon
