// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// report.rank counts rows without redundant ones. It stalls where the rank is not clear, next to a singular posture, where
// rows cost the inertia of a body or a cluster its digits, and where they contradict each other. constrained_aba answers where more
// rows meet than a segment takes.
#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "kernels/constrained/row_residual.hpp"
#include "plan/cluster_pivot.hpp"
#include "solve/methods.hpp"

namespace tenon {
namespace {

bool is_answer(const ConstrainedProblem& p) {
  const WorkspaceData<double>& d = p.w.w();
  const ConstraintData& c = *p.w.cd();
  double largest = 0;
  const double size = size_of_rows(row_units(c, d), c, p.options.absolute_tolerance, [&](int r) {
    const double residual = row_residual(c, r, p.lambda, d);
    largest = larger(largest, magnitude_of(residual));
    return residual;
  });
  p.w.report.primal_residual = largest;
  return size <= p.options.relative_tolerance;
}

Outcome give_to_constrained_aba(const ConstrainedProblem& p) {
  SolveOptions options = p.options;
  options.warm_start = false;
  p.w.report = SolveReport{};
  p.w.report.method = Method::constrained_aba;
  return solve_constrained_aba({p.w, options, p.in, p.lambda});
}

}  // namespace

Outcome solve_pv_early(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  if (!w.pv_early->takes_rows) return give_to_constrained_aba(p);
  PvEarlyData<double>& early = w.pv_early->data;
  WorkspaceData<double>& d = w.w();
  BranchLanes* lanes = w.usable_branches();
  if (lanes && !lanes->takes_early()) lanes = nullptr;
  // On branch lanes, where no rows of limbs need pivoting; else over bodies one by one.
  for (;; lanes = nullptr) {
    if (!lanes) w.need(of_row_sweeps);
    const RowSweepKernels<double>& sweeps = lanes ? lanes->row_sweeps(d) : *w.kernels;
    const PvEarlyKernels<double>& kernels = lanes ? lanes->early() : *w.kernels;
    sweeps.constraint_state(w.md(), *w.cd(), p.in, d);
    if (!kernels.pv_early_reduce(w.md(), *w.cd(), p.in, early, d)) return Status::not_positive_definite;
    const double pivot = lanes ? lanes->smallest_pivot() : smallest_cluster_pivot(w.md(), d.cluster_D);
    if (early.left_over == 0 && pivot > refine_again) {
      kernels.pv_early_roll_out(w.md(), *w.cd(), p.in, p.lambda, d.qdd, early, d);
      w.report.iterations = 1;
      w.report.rank = w.rows() - early.redundant;
      if (is_answer(p)) return Status::ok;
    }
    if (!lanes) return stalled;
  }
}

}  // namespace tenon
