// Method dense: one solve without iteration, which finds an answer to every problem.
//
// The mass matrix and J L^-T come from the sparse factor of kernels/constrained/prox_ltl.hpp. The rows are
// solved by kernels/constrained/row_factor.hpp and refined once. data/rank.hpp decides which rows are redundant or
// contradictory; there is no parameter to choose. A solve whose iteration stalls ends here.
// O(n d^2 + n m r), r the rank of the rows.
#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "kernels/tree/joint_space.hpp"
#include "solve/methods.hpp"
#include "solve/prox_ltl.hpp"

namespace tenon {
namespace {

double largest_of(const double* x, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

double squared_norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

// The largest desired acceleration of a row, or acceleration in free motion with its terms in absolute value:
// measures rounding errors of the right-hand side. Overwrites `free`.
double size_of_right_side(const JointSpace& s, double* free) {
  const int rows = s.rows.row_count, stride = whole_packs(rows);
  std::fill_n(free, rows, 0.0);
  for (int k = 0; k < s.tree.nv; ++k) {
    const RowRange moved = rows_of_subtree(s.tree, s.rows, k);
    const double* entries = s.w.ZT + static_cast<std::ptrdiff_t>(k) * stride;
    for (int r = moved.begin; r < moved.end; ++r) free[r] += std::abs(entries[r] * s.w.z[k]);
  }
  return std::max(largest_of(free, rows), largest_of(s.w.row_rhs, rows));
}

// Calls each(angular, linear) with the lengths of the velocities, in the root frame, that reach an item: of its bodies and of
// all that carry them. angular, linear: numbers of the body whose terms do not cancel, linear at the item.
template <class Each>
void for_speeds(const WorkspaceImpl& w, int number, const Each& each) {
  const ConstraintItem& item = w.cd()->items[number];
  const WorkspaceData<double>& d = w.arena.data;
  const auto length = [](const Vec3<double>& x) { return std::sqrt(dot(x, x)); };
  const auto pass = [&](int body, const double* p) {
    if (body < 0) return;
    const double distance = length(root_pose(d, body).p) + length(load_vec3<double>(p));
    for (int i = body; i >= 0; i = w.md().nodes[i].parent) {
      const Motion<double> v = load_body_motion(d.vw, i);
      each(length(v.w), length(v.v) + length(v.w) * distance);
    }
  };
  if (!item.closure) return pass(item.node, w.cd()->frames + 12 * number + 9);
  pass(item.first, item.p);
  pass(item.second, item.p2);
}

// Velocity-dependent acceleration of an item, with its terms in absolute value: products of those velocities. For fast joints
// that turn about one axis, and for fast links on an axis, the terms cancel, and only their rounding errors are left in the
// row.
double size_of_bias(const WorkspaceImpl& w, int number) {
  double sum = 0;
  for_speeds(w, number, [&](double angular, double linear) { sum += angular * linear; });
  return sum;
}

// Largest |A W residual| ([CABA] Eq. 15): zero at the least sum of weight x residual^2. Overwrites y and
// row_soft.
double imbalance(const JointSpace& s, const double* residual, double* result) {
  const int rows = s.rows.row_count;
  std::fill_n(s.w.y, s.tree.nv, 0.0);
  std::fill_n(s.w.row_soft, whole_packs(rows), 0.0);
  for (int r = 0; r < rows; ++r) s.w.row_soft[r] = s.rows.weight[r] * residual[r];
  add_transposed_rows(s.tree, s.rows, s.w.ZT, s.w.row_soft, s.w.y);
  for (int r = 0; r < rows; ++r) result[r] = s.rows.compliance[r] * s.w.row_soft[r];
  std::fill_n(s.w.row_soft, whole_packs(rows), 0.0);
  add_rows(s.tree, s.rows, s.w.ZT, s.w.y, s.w.row_soft);
  for (int r = 0; r < rows; ++r) result[r] += s.w.row_soft[r];
  return largest_of(result, rows);
}

// qdd of the current solution.
void finish(const ConstrainedProblem& p, DenseMemory& memory) {
  const JointSpace s = joint_space_of(p);
  RowFactorData& factor = memory.factor.data;
  double* const slack = memory.slack.data();
  p.w.kernels->row_motion(factor);
  for (int k = 0; k < s.tree.nv; ++k) s.w.y[k] = s.w.z[k];
  const double* soft =
      factor.y + for_moved_coordinates(s.tree, s.rows, [&](int i, int k) { s.w.y[k] += factor.y[i]; });
  for (int r = 0; r < s.rows.row_count; ++r) {
    const double R = s.rows.compliance[r];
    slack[r] = R > 0 ? std::sqrt(R) * *soft++ : 0;
  }
  finish_prox_ltl(p, slack);
}

}  // namespace

double rounding_of_row_velocities(WorkspaceImpl& w, const double* q, const double* v) {
  w.kernels->sweep_motion(w.md(), q, v, nullptr, w.w());
  double largest = 0;
  for (int i = 0; i < w.cd()->item_count; ++i)
    for_speeds(w, i, [&](double angular, double linear) { largest = std::max({largest, angular, linear}); });
  return contradiction_rounding * largest;
}

static void begin_dense(WorkspaceImpl& w) {
  w.report = SolveReport{};
  w.report.method = Method::dense;
  w.report.iterations = 1;
}

// After start_joint_space.
static Outcome solve_rows(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  DenseMemory& memory = *w.dense;
  const JointSpace s = joint_space_of(p);
  const int rows = w.rows();
  RowFactorData& factor = memory.factor.data;
  w.kernels->factor_rows(s.tree, s.rows, s.w.ZT, factor);
  w.report.rank = factor.rank;
  double *b = memory.b.data(), *unreachable = memory.unreachable.data(), *scratch = memory.slack.data();
  const double size = size_of_right_side(s, scratch);
  for (int r = 0; r < rows; ++r) b[r] = s.w.row_rhs[r] - s.w.row_free[r];
  w.kernels->take_reachable(s.rows, b, unreachable, factor);
  w.kernels->add_row_solution(b, factor);
  finish(p, memory);
  // Refinement: solves for the remaining residual.
  for (int r = 0; r < rows; ++r) b[r] = s.w.row_step[r] - unreachable[r];
  w.kernels->add_row_solution(b, factor);
  finish(p, memory);
  w.kernels->row_multipliers(s.rows, p.lambda, factor);

  w.report.primal_residual = largest_of(s.w.row_step, rows);
  std::copy_n(s.w.row_step, rows, b);
  w.report.dual_residual = imbalance(s, b, scratch);
  // Rounding error of the unreachable part: epsilon times the terms of the row, and times what the free motion and
  // the forces' could be in a row of its scale. Small pivots add nothing to it but by the forces' motion: the part
  // of the right-hand side that belongs to one is as small as the pivot, for any motion.
  const double negligible =
      p.options.absolute_tolerance + std::max(p.options.relative_tolerance, contradiction_rounding) * size;
  const double free = squared_norm(s.w.z, s.tree.nv), forced = squared_norm(factor.y, factor.length);
  const ConstraintData& c = *w.cd();
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      const double seen = std::sqrt(s.rows.scale[r] * (free + forced));
      const auto is_left = [&](double motion) {
        return std::abs(unreachable[r]) > negligible + contradiction_rounding * motion;
      };
      if (is_left(seen) && is_left(seen + size_of_bias(w, i))) return Status::infeasible;
    }
  }
  return Status::ok;
}

Outcome solve_dense(const ConstrainedProblem& p) {
  p.w.need(Method::dense);
  begin_dense(p.w);
  return start_joint_space(p) ? solve_rows(p) : Status::not_positive_definite;
}

// Calls each(may_add) for the rows with compliance and those that are active: whether some q gives them a larger rank.
template <class Each>
static void for_acting_rows(const ConstraintData& c, const Each& each) {
  constexpr int directions = 6;
  int on_body = 0;
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    if (i > 0 && item.node != c.items[i - 1].node) on_body = 0;
    const bool moves = item.node >= 0, between = item.side_row >= 0;
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      if (c.compliance[r] > 0)
        each(true);
      else if (c.active[r] != 0)
        each(moves && (between || on_body++ < directions));
    }
  }
}
int most_rank(const ConstraintData& c) {
  int most = 0;
  for_acting_rows(c, [&](bool may_add) { most += may_add ? 1 : 0; });
  return most;
}

// Whether rows depend on each other at any q.
static bool depend_for_sure(const ConstraintData& c) {
  bool some = false;
  for_acting_rows(c, [&](bool may_add) { some = some || !may_add; });
  return some;
}

Outcome solve_for_derivatives(const ConstrainedProblem& p) {
  WorkspaceImpl& w = p.w;
  w.need_row_derivatives();
  begin_dense(w);
  if (!start_joint_space(p)) return Status::not_positive_definite;
  if (depend_for_sure(*w.cd()) || !solve_by_delassus(p, sure_pivot_of_derivatives<double>))
    return solve_rows(p);
  w.report.method = Method::ltl;
  RowFactorData& factor = w.dense->factor.data;
  factor.gram = w.w().dual_factor, factor.gram_inv_d = w.w().dual_inv_d;
  factor.rank = factor.rows;
  return Status::ok;
}

}  // namespace tenon
