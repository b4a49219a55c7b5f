// Method pv_early ([CABA] VII-B): the sweeps of kernels/constrained/pv_early.hpp, direct, O(n + m).
//
// report.rank counts rows without redundant ones. It stalls where the rank is not clear, next to a singular posture, where
// rows cost the inertia of a body or a cluster its digits, and where they contradict each other. constrained_aba answers where more
// rows meet than a segment takes.
#include <algorithm>
#include <cmath>

#include "kernels/constrained/row_residual.hpp"
#include "model/rank.hpp"
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

// On branch lanes. Stalls where rows of limbs need pivoting.
Outcome solve_on_limbs(const ConstrainedProblem& p, BranchLanes& lanes) {
  WorkspaceImpl& w = p.w;
  WorkspaceData<double>& d = w.w();
  PvEarlyData<double>& early = w.pv_early->data;
  lanes.row_sweeps(d).constraint_state(w.md(), *w.cd(), p.in, d);
  if (!lanes.pv_early_reduce(p.in, early)) return Status::not_positive_definite;
  if (early.left_over != 0 || !(lanes.smallest_pivot() > refine_again)) return stalled;
  lanes.pv_early_roll_out(p.in, d.qdd, d);
  std::copy_n(d.row_lambda, w.rows(), p.lambda);
  return is_answer(p) ? Status::ok : stalled;
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
  if (!w.pv_early->takes_rows()) return give_to_constrained_aba(p);
  PvEarlyData<double>& d = w.pv_early->data;
  BranchLanes* lanes = w.usable_branches();
  if (lanes && lanes->takes_early()) {
    if (const Outcome outcome = solve_on_limbs(p, *lanes)) {
      w.report.iterations = 1;
      w.report.rank = w.rows() - d.redundant;
      return outcome;
    }
  }
  w.need(of_row_sweeps);
  w.kernels->constraint_state(w.md(), *w.cd(), p.in, w.w());
  if (!w.kernels->pv_early_reduce(w.md(), *w.cd(), p.in, d, w.w())) return Status::not_positive_definite;
  if (d.left_over != 0 || !(smallest_cluster_pivot(w.md(), w.w().cluster_D) > refine_again)) return stalled;
  w.kernels->pv_early_roll_out(w.md(), *w.cd(), p.in, p.lambda, w.w().qdd, d, w.w());
  w.report.iterations = 1;
  w.report.rank = w.rows() - d.redundant;
  return is_answer(p) ? Status::ok : stalled;
}

}  // namespace tenon
