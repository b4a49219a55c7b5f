// First derivatives of dynamics with constraint rows, with embedded loops, or with both (kernels/derivatives). With r = ID(q, v, qdd) - tau - J^T lambda - external and
// s = J qdd + gamma + R lambda - k, both zero at the solution,
//
//   [ M  -J^T ] [dqdd   ]     [ dr/dx ]
//   [ J   R   ] [dlambda] = - [ ds/dx ]     for x = q, v;   [dtau; dk] on the right for the others,
//
// solved by the factors of method dense, which say what is dependent. A gradient [w; z] of L by qdd and lambda gives y and
// b of the same equations with [w; -z] on the right, and dL/dx = - (y^T dr/dx - b^T ds/dx), dL/dtau = y, dL/dk = -b.
//
// With embedded loops the equations are those in independent coordinates, with G^T M G and J G, and dqdd = G x + h
// (embedded_loops.hpp).
#include <algorithm>
#include <cmath>

#include "calls/derivatives/embedded_loops.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/with_loops.hpp"
#include "data/rank.hpp"
#include "model/loops/explicit_form.hpp"
#include "model/row_order.hpp"
#include "solve/methods.hpp"
#include "solve/prox_ltl.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"
#include "state/row_forces.hpp"

namespace tenon {

namespace {

// The solution, and in the workspace the motion there and the gradients of rows.
struct Solution {
  explicit Solution(WorkspaceImpl& w_, bool with_rows_) : w(w_), with_rows(with_rows_), loops(w_) {}

  WorkspaceImpl& w;
  bool with_rows;
  EmbeddedLoops loops;
  Inputs<double> in;
  const double* lambda = nullptr;  // kernels' order, whole packs
  RowFactorData factor{};
  bool rank_may_change = false;

  DerivativeMemory& d() const { return *w.derivatives; }
  RowDerivativeMemory& of_rows() const { return *w.row_derivatives; }
  DerivativeProducts products() const {
    return {w, loops, loops.some(), in.wrenches, with_rows ? lambda : nullptr};
  }
  int n() const {
    return w.coordinates.independent_v ? w.model->ny : w.model->nv;
  }  // of the user's velocities
  int m() const { return with_rows ? w.rows() : 0; }
  // Derivatives by independent coordinates are by those of the user.
  SplitFor split() const { return w.coordinates.independent_v ? SplitFor::users : SplitFor::any; }

  // X, G: right-hand sides and results (kernels/derivatives/row_columns.hpp), of motions in the coordinates of the mass
  // matrix. G: of rows, not read and not written without these.
  void solve(RightSide right, int count, double sign, double* X, double* G) const {
    DerivativeData<double>& columns = loops.some() ? loops.memory().columns : d().data;
    if (!with_rows) {
      const IndependentSpaceData<double>& s = w.independent->data;
      w.kernels->solve_mass_columns(s.tree, right, count, sign, X, d().ld, columns, s.w);
      return;
    }
    const JointSpace s = joint_space_of(w);
    w.kernels->solve_constrained_columns(s.tree, s.rows, factor, right, count, sign, X, d().ld, G, columns,
                                         of_rows().data, s.w);
  }
  // x in the coordinates of the mass matrix, of those of the tree, and the reverse with h added (null: none).
  void take_force(const double* force, double* x) const {
    if (loops.some())
      to_independent_force(w, force, x);
    else
      std::copy_n(force, w.model->nv, x);
  }
  void give_motion(const double* x, const double* h, double* motion) const {
    if (loops.some())
      from_independent(w, x, h, motion);
    else
      std::copy_n(x, w.model->nv, motion);
  }
};

// Eight columns, ld apart, of which a solve with one uses the first.
void clear_columns(double* x, int ld) {
  std::fill_n(x, std::ptrdiff_t{8} * ld, 0.0);
}

// Where rows depend on each other, b^T J = 0: whether the rank of J stays along a motion. It does where b^T dJ/dq u = 0
// for all b and all motions u that rows allow; taken for one b and one u that no symmetry singles out. Leaves d(b^T J u)/dq in
// numbers[0], and the sizes of its terms in numbers[1] of the memory.
void find_rank_change(Solution& s) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  const int n = w.model->nv, freedoms = s.loops.some() ? w.model->ny : n;
  s.rank_may_change = s.factor.rank < s.factor.rows && s.factor.rank < freedoms;
  if (!s.rank_may_change) return;
  double *x = d.matrix[0], *u = d.numbers[2], *b = s.of_rows().numbers[1], *change = d.numbers[0],
         *size = d.numbers[1];
  clear_columns(x, d.ld);
  for (int k = 0; k < freedoms; ++k) x[k] = 1 + 0.5 * std::sin(2.3 * k);
  s.solve(RightSide::full, 1, 1, x, nullptr);
  s.give_motion(x, nullptr, u);
  w.dense->factor.combine_dependent(b);
  w.kernels->sweep_motion(w.md(), s.in.q, u, nullptr, w.w());
  w.kernels->row_gradients(w.md(), *w.cd(), true, s.of_rows().data, w.w());
  double speed = 0;
  for (int k = 0; k < n; ++k) speed = std::max(speed, std::abs(u[k]));
  std::fill_n(change, n, 0.0), std::fill_n(size, n, 0.0);
  const ActingRows<double> rows = {w.cd(), w.w().Kw, w.w().side_Kw, &s.of_rows().data, s.lambda, b, nullptr};
  w.kernels->row_velocity_vjp(w.md(), rows, speed, change, size, w.w());
  if (!s.loops.vary()) return;
  // The loops hold what b leaves, K^T c = - J^T b, the last result of a product with y = 0.
  s.loops.place_velocities();
  LoopDerivativeMemory& of_loops = s.loops.memory();
  double* const* x3 = of_loops.numbers;
  w.kernels->constrained_vjp(w.md(), {{rows, {}}, 1, of_loops.turning, of_loops.theta}, s.in.wrenches,
                             w.zeros.data(), x3[0], x3[1], x3[2], d.data, w.w());
  s.loops.balance(x3[2], of_loops.b);
  w.kernels->row_velocity_vjp(w.md(), s.loops.rows_of_velocities(), speed, change, size, w.w());
}

// Fails where the rank of the rows changes along `motion`, in the coordinates of the tree (null: along any coordinate).
Status check_rank(const Solution& s, const double* motion) {
  if (!s.rank_may_change) return Status::ok;
  const double *change = s.d().numbers[0], *size = s.d().numbers[1];
  int n = s.w.model->nv;
  if (!motion && s.loops.some()) {
    double *of_y = s.loops.memory().numbers[0], *size_of_y = s.loops.memory().numbers[1];
    n = s.w.model->ny;
    for (int j = 0; j < n; ++j) {
      of_y[j] = size_of_y[j] = 0;
      for_column(s.w.md(), s.w.arena.data.G, j,
                 [&](int k, double G) { of_y[j] += G * change[k], size_of_y[j] += std::abs(G) * size[k]; });
    }
    change = of_y, size = size_of_y;
  }
  double along = 0, largest = 0, terms = 0;
  for (int k = 0; k < n; ++k) {
    const double step = motion ? motion[k] : 1;
    along += change[k] * step, terms += size[k] * std::abs(step);
    largest = std::max(largest, std::abs(change[k] * step));
  }
  if (!((motion ? std::abs(along) : largest) > rank_change * terms)) return Status::ok;
  return s.w.fail(
      Status::singular_configuration,
      "%d constraint rows depend on the other %d here and become independent where q moves%s: constrained "
      "dynamics has no derivative by q; take another configuration, or leave rows out",
      s.factor.rows - s.factor.rank, s.factor.rank, motion ? " along dq" : "");
}

// Solves with constraint rows. Leaves the forces of rows among the wrenches.
Status solve_rows(Solution& s) {
  WorkspaceImpl& w = s.w;
  const int rows = w.rows();
  rows_from_user(w.cd(), s.in.desired, w.w().desired);
  const SolveOptions options;
  const Outcome outcome = solve_dense({w, options, s.in, w.lambda.data()});
  if (outcome == Status::not_positive_definite) return fail_mass_matrix(w, s.in.q);
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  TENON_CHECK(check_result(w, w.lambda.data(), rows));
  if (outcome == Status::infeasible)
    return w.fail(
        Status::unsupported,
        "there are no derivatives where constraint rows contradict each other, here by %g m/s^2 or rad/s^2; "
        "leave rows out, or take differences",
        w.report.primal_residual);
  double* lambda = s.of_rows().numbers[0];
  for (int r = 0; r < rows; ++r) lambda[r] = w.cd()->active[r] != 0 ? w.lambda[index(r)] : 0;
  s.lambda = lambda;
  s.factor = w.dense->factor.data(*w.cd());
  add_row_forces(w, lambda);
  return Status::ok;
}

// Solves without, in a model with embedded loops, and factors G^T M G.
Status solve_loops_alone(Solution& s) {
  WorkspaceImpl& w = s.w;
  TENON_CHECK(solve_free(w, s.in, w.w().qdd));
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  TENON_CHECK(update_loops(w, s.in.q, s.in.v, s.split()));
  IndependentSpaceData<double>& x = w.independent->data;
  w.kernels->independent_mass_rows(w.md(), s.in.q, x.w.H_L, x, w.w());
  return w.kernels->ltl_factor(x.tree, x.w.H_L, x.w.H_inv_d, x.w) ? Status::ok : fail_mass_matrix(w, s.in.q);
}

// The forces of loops, as what is left of the equations without them. After the sweep at the solution.
void place_loops(Solution& s) {
  WorkspaceImpl& w = s.w;
  if (!s.loops.some()) return;
  double* rest = s.loops.memory().numbers[0];
  w.kernels->rnea(w.md(), {s.in.q, s.in.v, nullptr, s.in.wrenches, nullptr, s.in.qdd}, rest, w.w());
  for (int k = 0; k < w.model->nv; ++k) rest[k] -= s.in.tau[k];
  w.kernels->sweep_motion(w.md(), s.in.q, s.in.v, s.in.qdd, w.w());
  s.loops.place(rest);
}

Status solve(const Inputs<double>& user, Solution& s) {
  WorkspaceImpl& w = s.w;
  Inputs<double>& in = s.in;
  TENON_CHECK(s.loops.check());
  *w.derivatives;
  if (s.with_rows) *w.row_derivatives;
  if (s.loops.some()) *w.loop_derivatives;
  TENON_CHECK(map_in_forward(w, user, in));
  in = with_friction(w, in);
  if (!in.wrenches) std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  if (s.loops.some()) TENON_CHECK(update_loops(w, in.q, in.v, s.split()));
  TENON_CHECK(s.with_rows ? solve_rows(s) : solve_loops_alone(s));
  in.qdd = w.w().qdd;
  in.wrenches = w.w().wrench;
  if (s.with_rows) find_rank_change(s);
  place_loops(s);
  if (!s.loops.some()) w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  if (s.with_rows) w.kernels->row_gradients(w.md(), *w.cd(), false, s.of_rows().data, w.w());
  return Status::ok;
}

// The solution as users get it.
struct UserSolution {
  UserSolution(const Solution& s, double* qdd, double* lambda)
      : blocks{{s.in.qdd, s.n(), qdd}, {s.w.user_lambda.data(), s.m(), lambda}} {
    if (s.with_rows) rows_to_user(s.w.cd(), s.lambda, s.w.user_lambda.data());
    if (!s.w.coordinates.independent_v) return;
    double* motion = s.loops.memory().numbers[0];
    copy_motion(s.w, s.in.qdd, motion);
    blocks[0].x = motion;
  }
  SolutionBlock blocks[2];
};

// Where results of rows go.
DerivativeBlock of_rows(const Solution& s, const double* x, int columns, const char* name,
                        const DerivativeOut& to) {
  return {x,
          s.m(),
          columns,
          s.with_rows ? s.of_rows().stride : 0,
          name,
          s.with_rows ? to : DerivativeOut{},
          s.with_rows ? s.w.cd()->user_row : nullptr};
}

// ---- matrices

struct WantedMatrices {
  bool by_q, by_v, by_tau, by_desired;
};

// On trees: all columns at once.
void fill_on_tree(Solution& s, const WantedMatrices& wanted) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const ConstraintData& rows = *w.cd();
  const int n = w.model->nv;
  double *dq = wanted.by_q ? d.matrix[0] : nullptr, *dv = wanted.by_v ? d.matrix[1] : nullptr;
  if (dq || dv) {
    w.kernels->rnea_derivatives(w.md(), s.in.wrenches, dq, dv, nullptr, d.ld, d.data, w.w());
    add_damping(w, dv, d.ld);
    w.kernels->row_derivatives(w.md(), rows, s.lambda, dq, d.ld, dq ? of_rows.of_lambda[0] : nullptr,
                               dv ? of_rows.of_lambda[1] : nullptr, d.data, of_rows.data, w.w());
  }
  // Rows between two bodies connect limbs.
  const RightSide right = rows.inter_body_count > 0 ? RightSide::full : RightSide::tree;
  if (dq) s.solve(right, n, -1, dq, of_rows.of_lambda[0]);
  if (dv) s.solve(right, n, -1, dv, of_rows.of_lambda[1]);
  if (!wanted.by_tau) return;
  std::fill_n(of_rows.of_lambda[2], std::ptrdiff_t{of_rows.stride} * n, 0.0);
  s.solve(RightSide::unit, n, 1, d.matrix[2], of_rows.of_lambda[2]);
}

// The change of motion along one change of state and forces, without the solve: right-hand sides x and y of it, and h.
struct Along {
  double *x, *y, *h;  // y null without rows
};
// change: of the user. Leaves its q in the coordinates of the tree.
const double* right_sides(Solution& s, const ConstrainedChange& change, const Along& to) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  double *q = d.numbers[1], *v = d.numbers[2], *tau = d.numbers[3], *dr = d.numbers[0];
  const DerivativeProducts products = s.products();
  const DerivativeProducts::Change x =
      products.spanning(s.in.v, {change.state.q, change.state.v, change.state.third}, false, q, v, tau);
  double* ds = s.with_rows ? s.of_rows().numbers[1] : nullptr;
  products.jvp(s.in.v, or_zero(w, x.q), x.v, nullptr, dr, ds, to.h);
  add_damped(w, x.v, dr);
  for (int k = 0; k < w.model->nv; ++k) dr[k] = or_zero(w, x.third)[k] - dr[k];
  s.take_force(dr, to.x);
  if (!s.with_rows) return x.q;
  rows_from_user(w.cd(), change.desired, to.y);
  for (int r = 0; r < w.rows(); ++r) to.y[r] -= ds[r];
  return x.q;
}

// With loops: a column after the other, then all solved at once. which: 0 to 2, by q, v and tau.
void fill_with_loops(Solution& s, int which) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  LoopDerivativeMemory& of_loops = s.loops.memory();
  const int n = s.n(), stride = s.with_rows ? s.of_rows().stride : 0;
  double *one = of_loops.numbers[2], *G = s.with_rows ? s.of_rows().of_lambda[which] : nullptr;
  std::fill_n(one, n, 0.0);
  std::fill_n(of_loops.x, std::ptrdiff_t{d.ld} * ((n + 7) / 8 * 8), 0.0);
  for (int j = 0; j < n; ++j) {
    ConstrainedChange change{};
    (which == 0 ? change.state.q : which == 1 ? change.state.v : change.state.third) = one;
    one[j] = 1;
    const std::ptrdiff_t at = std::ptrdiff_t{j} * d.ld;
    right_sides(s, change, {of_loops.x + at, G ? G + std::ptrdiff_t{j} * stride : nullptr, of_loops.h + at});
    one[j] = 0;
  }
  s.solve(RightSide::full, n, 1, of_loops.x, G);
  for (int j = 0; j < n; ++j) {
    const std::ptrdiff_t at = std::ptrdiff_t{j} * d.ld;
    double* to = d.matrix[which] + at;
    if (w.coordinates.independent_v)
      std::copy_n(of_loops.x + at, n, to);
    else
      s.give_motion(of_loops.x + at, of_loops.h + at, to);
  }
}

// By the desired accelerations of rows.
void fill_by_desired(Solution& s) {
  RowDerivativeMemory& of_rows = s.of_rows();
  const int m = s.m();
  double *G = of_rows.lambda_by_desired, *X = of_rows.by_desired;
  std::fill_n(G, std::ptrdiff_t{of_rows.stride} * m, 0.0);
  for (int r = 0; r < m; ++r) G[std::ptrdiff_t{r} * of_rows.stride + r] = 1;
  s.solve(RightSide::zero, m, 1, X, G);
  if (!s.loops.some() || s.w.coordinates.independent_v) return;
  double* motion = s.loops.memory().numbers[0];
  for (int r = 0; r < m; ++r) {
    double* column = X + std::ptrdiff_t{r} * s.d().ld;
    s.give_motion(column, nullptr, motion);
    std::copy_n(motion, s.w.model->nv, column);
  }
}

}  // namespace

Status derivatives_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                              const Inputs<double>& user, double* qdd, double* lambda,
                              const ConstrainedDerivatives& out) {
  Solution s(w, with_rows);
  TENON_CHECK(solve(user, s));
  DerivativeMemory& d = s.d();
  const auto either = [&](const DerivativeOut& of_qdd, const DerivativeOut& of_lambda) {
    return of_qdd.values || of_lambda.values;
  };
  const WantedMatrices wanted = {either(out.qdd.by_q, out.lambda.by_q), either(out.qdd.by_v, out.lambda.by_v),
                                 either(out.qdd.by_third, out.lambda.by_third),
                                 either(out.qdd_by_desired, out.lambda_by_desired)};
  if (wanted.by_q) TENON_CHECK(check_rank(s, nullptr));
  if (!s.loops.some()) {
    fill_on_tree(s, wanted);
  } else {
    if (wanted.by_q) fill_with_loops(s, 0);
    if (wanted.by_v) fill_with_loops(s, 1);
    if (wanted.by_tau) fill_with_loops(s, 2);
  }
  if (wanted.by_desired && with_rows) fill_by_desired(s);
  const UserSolution solution(s, qdd, lambda);
  const int n = s.n(), m = s.m();
  const std::int32_t* order = with_rows ? w.cd()->user_row : nullptr;
  const auto of_qdd = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, n, n, d.ld, name, to};
  };
  double* const none[3] = {};
  double* const* of_lambda = with_rows ? s.of_rows().of_lambda : none;
  DerivativeBlock qdd_by_desired =
      of_qdd(with_rows ? s.of_rows().by_desired : nullptr, "dqdd_ddesired", out.qdd_by_desired);
  qdd_by_desired.columns = m, qdd_by_desired.user_column = order;
  DerivativeBlock lambda_by_desired = of_rows(s, with_rows ? s.of_rows().lambda_by_desired : nullptr, m,
                                              "dlambda_ddesired", out.lambda_by_desired);
  lambda_by_desired.user_column = order;
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {of_qdd(d.matrix[0], "dqdd_dq", out.qdd.by_q), of_qdd(d.matrix[1], "dqdd_dv", out.qdd.by_v),
       of_qdd(d.matrix[2], "dqdd_dtau", out.qdd.by_third), qdd_by_desired,
       of_rows(s, of_lambda[0], n, "dlambda_dq", out.lambda.by_q),
       of_rows(s, of_lambda[1], n, "dlambda_dv", out.lambda.by_v),
       of_rows(s, of_lambda[2], n, "dlambda_dtau", out.lambda.by_third), lambda_by_desired});
}

Status vjp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& user, const double* gradient, const double* gradient_lambda,
                      double* qdd, double* lambda, const ConstrainedGradient& out) {
  Solution s(w, with_rows);
  const int n = s.n(), m = s.m();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, m));
  TENON_CHECK(solve(user, s));
  DerivativeMemory& d = s.d();
  if (out.state.by_q.values) TENON_CHECK(check_rank(s, nullptr));
  double *x = d.matrix[0], *y = d.numbers[2], *by_q = d.numbers[0], *by_v = d.numbers[1],
         *target = d.numbers[3];
  double* b = with_rows ? s.of_rows().of_lambda[0] : nullptr;
  clear_columns(x, d.ld);
  std::fill_n(target, w.model->nv, 0.0);
  if (gradient && w.coordinates.independent_v)
    scatter_independent(w, gradient, target);
  else if (gradient)
    std::copy_n(gradient, n, target);
  s.take_force(target, x);
  if (with_rows) {
    clear_columns(b, s.of_rows().stride);
    rows_from_user(w.cd(), gradient_lambda, b);
    for (int r = 0; r < m; ++r) b[r] = -b[r];
  }
  s.solve(RightSide::full, 1, 1, x, b);
  s.give_motion(x, nullptr, y);
  s.products().vjp(y, b, target, by_q, by_v, nullptr);
  add_damped(w, y, by_v);
  for (double* g : {by_q, by_v})
    for (int k = 0; k < w.model->nv; ++k) g[k] = -g[k];
  s.products().to_user(by_q, by_v);
  for (int r = 0; r < m; ++r) b[r] = -b[r];
  const UserSolution solution(s, qdd, lambda);
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {{by_q, n, 1, d.ld, "gradient_q", out.state.by_q},
       {by_v, n, 1, d.ld, "gradient_v", out.state.by_v},
       {w.coordinates.independent_v ? x : y, n, 1, d.ld, "gradient_tau", out.state.by_third},
       of_rows(s, b, 1, "gradient_desired", out.by_desired)});
}

Status jvp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& user, const ConstrainedChange& change, double* qdd,
                      double* lambda, double* dqdd, double* dlambda) {
  Solution s(w, with_rows);
  const int n = s.n(), m = s.m();
  TENON_CHECK(check_finite(w, "dq", change.state.q, n));
  TENON_CHECK(check_finite(w, "dv", change.state.v, n));
  TENON_CHECK(check_finite(w, "dtau", change.state.third, n));
  TENON_CHECK(check_finite(w, "ddesired", change.desired, m));
  TENON_CHECK(solve(user, s));
  DerivativeMemory& d = s.d();
  if (change.state.q && s.rank_may_change) {
    const double* motion = change.state.q;
    double* spanning = d.numbers[2];
    if (w.coordinates.independent_v) from_independent(w, motion, nullptr, spanning), motion = spanning;
    TENON_CHECK(check_rank(s, motion));
  }
  double *x = d.matrix[0], *motion = d.numbers[2], *h = s.loops.some() ? s.loops.memory().h : nullptr;
  double* y = with_rows ? s.of_rows().of_lambda[0] : nullptr;
  clear_columns(x, d.ld);
  if (with_rows) clear_columns(y, s.of_rows().stride);
  right_sides(s, change, {x, y, h});
  s.solve(RightSide::full, 1, 1, x, y);
  if (!w.coordinates.independent_v) s.give_motion(x, h, motion);
  const UserSolution solution(s, qdd, lambda);
  return give_derivatives(w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
                          {{w.coordinates.independent_v ? x : motion, n, 1, d.ld, "dqdd", {dqdd, 0}},
                           of_rows(s, y, 1, "dlambda", {dlambda, 0})});
}

Status constrained_dynamics_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                        const Inputs<double>& user, double* qdd, double* lambda,
                                        const ConstrainedDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0) return forward_dynamics_derivatives(workspace, options, user, qdd, out.qdd);
  return derivatives_with_loops(w, true, options, user, qdd, lambda, out);
}

Status constrained_dynamics_vjp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient,
                                const double* gradient_lambda, double* qdd, double* lambda,
                                const ConstrainedGradient& out) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0)
    return forward_dynamics_vjp(workspace, options, user, or_zero(w, gradient), qdd, out.state);
  return vjp_with_loops(w, true, options, user, gradient, gradient_lambda, qdd, lambda, out);
}

Status constrained_dynamics_jvp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const ConstrainedChange& change, double* qdd,
                                double* lambda, double* dqdd, double* dlambda) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0) return forward_dynamics_jvp(workspace, options, user, change.state, qdd, dqdd);
  return jvp_with_loops(w, true, options, user, change, qdd, lambda, dqdd, dlambda);
}

}  // namespace tenon
