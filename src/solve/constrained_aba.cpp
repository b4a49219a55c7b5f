// Method constrained_aba: kernels/constrained/constrained_aba.hpp driven by solve/proximal.hpp.
//
// Method pv_soft ([CABA] VII-A): rows are springs, as in MuJoCo. It is one penalty sweep in O(n + m), bit for
// bit the first iteration of constrained_aba from lambda = 0.
//
// A row's penalty is 1 / (R + 1 / mu), R its compliance. With options.mu = 0 the scheduled mu is taken. Rows
// whose compliance exceeds 1 / mu are exact; the others leave the residual report.primal_residual. That is
// intended, so the status is ok. A warm start has no effect.
#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "plan/cluster_pivot.hpp"
#include "solve/limits.hpp"
#include "solve/methods.hpp"
#include "solve/proximal.hpp"
#include "state/check.hpp"

namespace tenon {

namespace {

// Null where bodies are swept one by one.
BranchLanes* lanes_of_rows(WorkspaceImpl& w) {
  BranchLanes* lanes = w.usable_branches();
  if (lanes && lanes->takes_rows()) return lanes;
  w.need(of_row_sweeps);
  return nullptr;
}

class Sweeps final : public ProximalMethod {
 public:
  Sweeps(const ConstrainedProblem& problem, double mu) : ProximalMethod(problem, mu) {}

  BranchLanes* const lanes = lanes_of_rows(p.w);
  // Over bodies one by one, or on branch lanes. constraint_state is called before the first evaluation.
  const RowSweepKernels<double>& kernels = lanes ? lanes->row_sweeps(p.w.w()) : *p.w.kernels;

  // The first evaluation for a mu takes the three sweeps of [CABA] Alg. 1, the others the two of Alg. 2.
  bool evaluate(Evaluation kind, ProximalPoint<double>& x) override {
    refined_ = kind == Evaluation::refining;
    if (kind != Evaluation::first) {
      kernels.constrained_aba_iterate(p.w.md(), rows, refined_, p.in, d_.qdd, x, d_);
      return true;
    }
    if (!bias_forces_ready_) kernels.constraint_state(p.w.md(), rows, p.in, d_);
    bias_forces_ready_ = false;
    return kernels.constrained_aba_start(p.w.md(), rows, p.in, d_.qdd, x, d_);
  }

  double seen(int r, double) const override { return d_.Ka[r]; }
  double motion_error() const override { return refined_ ? d_.motion_error : 0; }
  void multipliers(double* lambda) const override { std::copy_n(d_.row_lambda, rows.row_count, lambda); }

  double smallest_pivot() const {
    return lanes ? lanes->smallest_pivot() : smallest_cluster_pivot(p.w.md(), d_.cluster_D);
  }

 private:
  WorkspaceData<double>& d_ = p.w.w();
  bool bias_forces_ready_ = true;  // pA holds what constraint_state left there
  bool refined_ = false;           // by the last evaluation
};

// Adds 1 / mu to the compliance of the rows for its lifetime.
class Softened {
 public:
  Softened(WorkspaceImpl& w, const double* inv_mu) : w_(w) {
    for (int r = 0; r < w.rows(); ++r) w.row_settings.compliance[r] += inv_mu[r];
  }
  ~Softened() { w_.row_settings.take(*w_.settings); }
  Softened(const Softened&) = delete;
  Softened& operator=(const Softened&) = delete;

 private:
  WorkspaceImpl& w_;
};

}  // namespace

Outcome solve_constrained_aba(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (w.cd()->least_leverage < least_leverage) return stalled;
  const bool clusters = w.md().cluster_count > 0 && p.options.max_iterations != 1;
  Sweeps sweeps(p, clusters ? scheduled_mu_of_clusters : scheduled_mu_of_trees);
  sweeps.kernels.constraint_state(w.md(), *w.cd(), p.in, w.w());
  const Outcome outcome = solve_proximal(sweeps);
  const double pivot = sweeps.smallest_pivot();
  if (!outcome || !(pivot > lost_cluster_pivot)) return stalled;
  if (pivot < refine_again) {
    sweeps.evaluate(Evaluation::refining, w.proximal.x);  // at the same centre
    sweeps.multipliers(p.lambda);
  }
  sweeps.kernels.constrained_aba_finish(w.md(), *w.cd(), p.in, w.w().qdd, w.w());
  return outcome;
}

namespace {

// One evaluation at x, with penalties 1 / (R + 1 / mu); false where the digits are not enough.
bool sweep_springs(const ConstrainedProblem& p, ProximalPoint<double>& x) {
  WorkspaceImpl& w = p.w;
  const ConstraintData& c = *w.cd();
  bool stiff = false;
  for (int r = 0; r < c.row_count; ++r)
    stiff = stiff || c.compliance[r] + x.inv_mu[r] < least_leverage * c.scale[r];
  if (stiff && c.least_leverage < least_leverage) return false;
  Sweeps sweeps(p, scheduled_mu_of_trees);
  sweeps.kernels.constraint_state(w.md(), c, p.in, w.w());
  if (!sweeps.evaluate(Evaluation::first, x) || !(sweeps.smallest_pivot() > lost_cluster_pivot)) return false;
  sweeps.kernels.constrained_aba_finish(w.md(), c, p.in, w.w().qdd, w.w());
  sweeps.multipliers(p.lambda);
  return true;
}

}  // namespace

Outcome solve_pv_soft(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  const ConstraintData& c = *w.cd();
  ProximalPoint<double>& x = w.proximal.x;
  for (int r = 0; r < c.row_count; ++r) x.inv_mu[r] = proximal_term(p.options, c, r, scheduled_mu_of_trees);
  std::fill_n(x.f, c.row_count, 0.0);
  if (!sweep_springs(p, x)) {
    // The same springs as compliance, by elimination.
    const Softened softened(w, x.inv_mu);
    if (const Outcome outcome = solve_dense(p); outcome != Status::ok) return outcome;
    std::copy_n(p.lambda, c.row_count, x.step);
    measure_step(c, x);
  }
  w.report = SolveReport{};
  w.report.method = Method::pv_soft;
  w.report.iterations = 1;
  w.report.mu = p.options.mu > 0 ? p.options.mu : scheduled_mu_of_trees;
  w.report.primal_residual = w.report.dual_residual = x.residual;
  return Status::ok;
}

}  // namespace tenon
