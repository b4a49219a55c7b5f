#include "solve/limbs.hpp"

#include <algorithm>

#include "solve/direct.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

class LimbSteps final : public DirectMethod {
 public:
  LimbSteps(BranchLanes& limbs, const ConstrainedProblem& problem)
      : DirectMethod(problem, problem.w.w().damping), limbs_(limbs) {}

  double factor() override { return factor_delassus(p.w, E); }
  void find_step(double* step) override {
    double* const x = d_.row_step;
    std::fill_n(x, whole_packs(c_.row_count), 0.0);
    for (int r = 0; r < c_.row_count; ++r) x[r] = d_.k[r] - d_.Ka[r] - c_.compliance[r] * p.lambda[r];
    p.w.kernels->solve_dense(d_.dual_factor, d_.dual_inv_d, whole_packs(c_.row_count), x);
    std::copy_n(x, c_.row_count, step);
  }
  void move(const double* step) override {
    double *const x = d_.joint_force, *const seen = d_.row_step;
    std::fill_n(x, p.w.model->nv, 0.0);
    limbs_.inverse_mass_times(x, step, seen);
    for (int k = 0; k < p.w.model->nv; ++k) d_.qdd[k] += x[k];
    for (int r = 0; r < c_.row_count; ++r) d_.Ka[r] += seen[r];
    report_residual(p);
  }
  double free(int r) const override { return d_.k[r] - d_.row_free[r]; }

 private:
  BranchLanes& limbs_;
  WorkspaceData<double>& d_ = p.w.w();
  const ConstraintData& c_ = *p.w.cd();
};

}  // namespace

BranchLanes* limbs_of_row_products(WorkspaceImpl& w) {
  BranchLanes* const limbs = w.usable_branches();
  return limbs && limbs->takes_row_products() ? limbs : nullptr;
}

bool solve_on_limbs(BranchLanes& limbs, const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  WorkspaceData<double>& d = w.w();
  w.need_row_derivatives();
  w.report = SolveReport{};
  w.report.method = Method::pv;
  if (!limbs.pv_osimr(p.in.q, d)) return false;
  limbs.row_sweeps(d).constraint_state(w.md(), *w.cd(), p.in, d);  // pv_osimr carries rows away
  Inputs<double> at_rest = p.in;
  at_rest.qdd = nullptr;
  limbs.rnea(at_rest, d.qdd);
  limbs.row_accelerations(d.Ka);
  for (int k = 0; k < w.model->nv; ++k) d.qdd[k] = p.in.tau[k] - d.qdd[k];
  limbs.inverse_mass_times(d.qdd, nullptr, d.row_free);
  for (int r = 0; r < w.rows(); ++r) d.Ka[r] += d.row_free[r], d.row_free[r] = d.Ka[r];
  LimbSteps steps(limbs, p);
  RowFactorData& factor = w.dense->factor.data;
  factor.rank = factor.rows;
  return solve_direct(steps, sure_pivot_of_derivatives<double>);
}

void solve_column_on_limbs(BranchLanes& limbs, WorkspaceImpl& w, double* X, double* G) {
  WorkspaceData<double>& d = w.w();
  const int n = w.model->nv, rows = w.rows(), stride = whole_packs(rows);
  double *const y = d.row_step, *const seen = d.row_free;
  std::copy_n(X, n, d.joint_force);
  std::fill_n(y + rows, stride - rows, 0.0);
  limbs.inverse_mass_times(X, nullptr, seen);
  for (int r = 0; r < rows; ++r) y[r] = G[r] - seen[r];
  w.kernels->solve_dense(d.dual_factor, d.dual_inv_d, stride, y);
  std::copy_n(d.joint_force, n, X);
  limbs.inverse_mass_times(X, y);
  std::copy_n(y, rows, G);
}

}  // namespace tenon
