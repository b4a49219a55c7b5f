#include "solve/limbs.hpp"

#include <algorithm>

#include "solve/direct.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

// By the factor of the Delassus matrix itself. k - row_free: what forces must give.
class DelassusSteps : public DirectMethod {
 public:
  explicit DelassusSteps(const ConstrainedProblem& problem) : DirectMethod(problem, problem.w.w().damping) {}

  double factor() override { return factor_delassus(p.w, E); }
  void find_step(double* step) override {
    double* const x = d_.row_step;
    std::fill_n(x, whole_packs(c_.row_count), 0.0);
    for (int r = 0; r < c_.row_count; ++r) x[r] = d_.k[r] - d_.Ka[r] - c_.compliance[r] * p.lambda[r];
    p.w.kernels->solve_dense(d_.dual_factor, d_.dual_inv_d, whole_packs(c_.row_count), x);
    std::copy_n(x, c_.row_count, step);
  }
  double free(int r) const override { return d_.k[r] - d_.row_free[r]; }

 protected:
  WorkspaceData<double>& d_ = p.w.w();
  const ConstraintData& c_ = *p.w.cd();
  ~DelassusSteps() = default;
};

class LimbSteps final : public DelassusSteps {
 public:
  LimbSteps(BranchLanes& limbs, const ConstrainedProblem& problem) : DelassusSteps(problem), limbs_(limbs) {}
  void move(const double* step) override {
    double *const x = d_.joint_force, *const seen = d_.row_step;
    std::fill_n(x, p.w.model->nv, 0.0);
    limbs_.inverse_mass_times(x, step, seen);
    for (int k = 0; k < p.w.model->nv; ++k) d_.qdd[k] += x[k];
    for (int r = 0; r < c_.row_count; ++r) d_.Ka[r] += seen[r];
    report_residual(p);
  }

 private:
  BranchLanes& limbs_;
};

// By M^-1 J^T, column by column, and the Delassus matrix.
class StarSteps final : public DelassusSteps {
 public:
  StarSteps(const StarResponses& star, const ConstrainedProblem& problem)
      : DelassusSteps(problem), star_(star) {}
  void move(const double* step) override {
    const std::ptrdiff_t stride = star_.row_ld;
    for (std::ptrdiff_t r = 0; r < c_.row_count; ++r) {
      const double *motion = star_.of_rows + r * star_.ld, *seen = d_.delassus + r * stride;
      for (int k = 0; k < star_.nv; ++k) d_.qdd[k] += step[r] * motion[k];
      for (int e = 0; e < c_.row_count; ++e) d_.Ka[e] += step[r] * seen[e];
    }
    report_residual(p);
  }

 private:
  const StarResponses& star_;
};

// Both start here, and end.
void begin(WorkspaceImpl& w) {
  w.need_row_derivatives();
  w.report = SolveReport{};
  w.report.method = Method::pv;
}
bool solve_by(DirectMethod& steps, WorkspaceImpl& w) {
  RowFactorData& factor = w.dense->factor.data;
  factor.rank = factor.rows;
  return solve_direct(steps, sure_pivot_of_derivatives<double>);
}

}  // namespace

BranchLanes* limbs_of_row_products(WorkspaceImpl& w) {
  BranchLanes* const limbs = w.usable_branches();
  return limbs && limbs->takes_row_products() ? limbs : nullptr;
}

bool solve_on_limbs(BranchLanes& limbs, const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  WorkspaceData<double>& d = w.w();
  begin(w);
  limbs.row_sweeps(d).constraint_state(w.md(), *w.cd(), p.in, d);
  if (!limbs.aba_and_osimr(p.in, d.qdd, d)) return false;
  limbs.row_accelerations(d.Ka);
  std::copy_n(d.Ka, w.rows(), d.row_free);
  LimbSteps steps(limbs, p);
  return solve_by(steps, w);
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

BranchLanes* star_of_row_matrices(WorkspaceImpl& w) {
  BranchLanes* const limbs = w.usable_branches();
  return limbs && limbs->takes_row_matrices() ? limbs : nullptr;
}

bool solve_on_star(BranchLanes& star, const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  WorkspaceData<double>& d = w.w();
  begin(w);
  star.row_sweeps(d).constraint_state(w.md(), *w.cd(), p.in, d);
  Inputs<double> at_rest = p.in;
  at_rest.qdd = nullptr;
  if (!star.start_constrained_derivatives(at_rest, d.qdd, d)) return false;
  std::copy_n(d.Ka, w.rows(), d.row_free);
  StarSteps steps(star.responses(), p);
  return solve_by(steps, w);
}

}  // namespace tenon
