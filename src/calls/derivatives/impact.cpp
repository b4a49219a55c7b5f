// First derivatives of the jump of velocities at an impact (calls/impact.cpp). It is constrained dynamics of the robot at
// rest without gravity, with d = v+ - v in place of accelerations and Lambda in place of lambda,
//
//   r = M d - J^T Lambda = 0,   s = J d + R Lambda + (1 + e) J v = 0,
//
// so its equations are solved as those (solution.hpp), and its derivatives are theirs but for s: J d and (1 + e) J v are
// velocities of rows, at which stabilisation has no part. dr/dv = 0, ds/dv = (1 + e) J.
//
// With embedded loops (embedded_loops.hpp) d = G x, which is where v = 0 is asked for K d = 0. Where q moves, dd = G dx + h,
// so J h belongs to ds; in independent coordinates v = G ydot moves by D dq, and (1 + e) J D dq belongs to it too.
#include "calls/derivatives/solution.hpp"
#include "calls/row_projection.hpp"
#include "model/row_order.hpp"

namespace tenon {

namespace {

// An impact, solved. The robot weighs nothing, and rows are not stabilised, as long as this lives.
class SolvedImpact {
 public:
  // matrices: are wanted. Products call entry().
  SolvedImpact(WorkspaceImpl& w, const ImpactInputs& in, bool matrices)
      : s(w, true),
        e_{in.restitution, in.count},
        q_(in.q),
        before_(in.v),
        wants_rows_(!matrices),
        weightless_(w),
        unstabilised_(w) {
    s.unit = "m/s or rad/s";
    s.row_by_row = false;  // here rows change with velocities alone (at_velocities)
    s.matrices_alone = matrices && e_.is_same_for_all();
  }

  // After map_in.
  Status solve() {
    WorkspaceImpl& w = s.w;
    w.report = SolveReport{};
    TENON_CHECK(evaluate_row_velocities(w, q_, before_));
    double* wanted = w.row_scratch.data();
    e_.place_changes(w, wanted);
    std::copy_n(wanted, w.rows(), w.w().desired);
    s.in = w.at_rest(q_);
    TENON_CHECK(solve_given(s));
    if (wants_rows_) place_rows(nullptr, s.of_rows().of_lambda[2]);
    for (int k = 0; k < w.model->nv; ++k) after_[k] = before_[k] + s.in.qdd[k];
    return Status::ok;
  }
  const double* after() const { return after_; }

  // A change of q or v of the user, in the coordinates of the tree.
  const double* of_tree(const double* change) const {
    if (!s.w.coordinates.independent_v) return change;
    double* motion = s.d().numbers[1];
    from_independent(s.w, change, nullptr, motion);
    return motion;
  }
  // X, G: the changes of r and s along dq of the user; h: that of motions (null: the model has no embedded loops). Once, after
  // solve().
  void place_changes_by_q(const double* dq, double* X, double* G, double* h);
  // The same by all coordinates of the user, in rows: the right-hand sides of d(d, Lambda)/dq (q.X null: not wanted), and of those
  // by v. Once, after solve().
  void place_matrices(const RowRightSide<double>& q, const RowRightSide<double>& v);
  // The same by products with the responses, of trees: dv_dq and dv_dv but for the unit matrix, over the right-hand sides, and the
  // changes of the impulse in the basis of the rows, all column-major. forces: whether these are wanted.
  void multiply_matrices(double* by_q, double* by_v, bool forces);
  // The same of stars, limbs side by side, of both, n numbers a column. The changes of the impulse are of_lambda[0] and [1].
  void place_star_matrices(double* by_q, double* by_v, bool forces);
  // Adds (1 + e) J dv. dv: in the coordinates of the tree.
  void add_by_velocity(const double* dv, double* G) const {
    add_products(dv, G, [&](int r) { return e_.rebound(s.w, r); });
  }
  // g_q, g_v := the gradients by what the user gives, of those multipliers. Once, after solve().
  void gradients(const Multipliers& found, double* g_q, double* g_v);

  Solution s;

 private:
  // Calls each(velocity, scale) at the two velocities of which s is the sum, with the gradients of rows there; a row counts
  // scale(r) times. Leaves the sweep at the one before. Where all rows rebound alike, at the sum of both, J (d + (1 + e) v), but
  // where turns() may need that sweep.
  template <class Each>
  void at_velocities(const Each& each) {
    WorkspaceImpl& w = s.w;
    const auto place = [&](const double* velocity) {
      w.kernels->sweep_motion(w.md(), s.in.q, velocity, nullptr, w.w());
      w.kernels->row_gradients(w.md(), *w.cd(), &s.of_rows().data, nullptr, false, w.w());
    };
    const auto one = [](int) { return 1.0; };
    if (e_.is_same_for_all() && !s.loops.some()) {
      const double* const sum = velocities_of_rows();
      place(sum);
      return each(sum, one);
    }
    place(s.in.qdd);
    each(s.in.qdd, one);
    place(before_);
    each(before_, [&](int r) { return e_.rebound(s.w, r); });
  }
  // d + (1 + e) v, where all rows rebound alike.
  const double* velocities_of_rows() {
    const int n = s.w.model->nv;
    double* const sum = after_ + n;
    for (int k = 0; k < n; ++k) sum[k] = s.in.qdd[k] + e_.rebound(s.w, 0) * before_[k];
    return sum;
  }
  // Whether velocities before turn with q, which are those of independent coordinates. After at_velocities().
  bool turns() {
    if (!s.loops.vary() || !s.w.coordinates.independent_v) return false;
    s.loops.place_velocities();
    return true;
  }
  // Of J.
  double entry(int r, int k) const { return s.of_rows().of_lambda[2][std::ptrdiff_t{r} * s.d().ld + k]; }
  // Adds J motion, a row scale(r) times.
  template <class Scale>
  void add_products(const double* motion, double* G, const Scale& scale) const {
    for (int r = 0; r < s.m(); ++r)
      for (int k = 0; k < s.w.model->nv; ++k) G[r] += scale(r) * entry(r, k) * motion[k];
  }
  ActingRows<double> acting(double* b, double* ds) const {
    return {s.w.cd(), s.w.w().Kw, s.w.w().side_Kw, &s.of_rows().data, s.lambda, b, ds};
  }
  ProductRows<double> products(double* ds) const {
    const RowDerivativeData<double>& d = s.of_rows().data;
    return {{acting(nullptr, ds), {}}, 1, d.turning, d.theta};
  }

  // J, and G_q := the changes of s by q (null: not wanted), row by row, ld apart.
  void place_rows(double* G_q, double* J) {
    WorkspaceImpl& w = s.w;
    RowDerivativeMemory& of_rows = s.of_rows();
    double* const scales = of_rows.numbers[1];
    const auto place = [&](bool adds) {
      w.kernels->row_jacobian(w.md(), *w.cd(), of_rows.data, scales, adds, G_q, adds ? nullptr : J, s.d().ld,
                              s.d().data, w.w());
    };
    if (!G_q) return place(false);
    bool adds = false;
    at_velocities([&](const double*, auto scale) {
      for (int r = 0; r < s.m(); ++r) scales[r] = scale(r);
      place(adds);
      adds = true;
    });
  }
  // G := (1 + e) J of rows J, likewise, which may be J.
  void place_rows_by_v(const double* J, double* G) const {
    const int ld = s.d().ld;
    for (int r = 0; r < s.m(); ++r)
      for (int k = 0; k < ld; ++k)
        G[std::ptrdiff_t{r} * ld + k] = e_.rebound(s.w, r) * J[std::ptrdiff_t{r} * ld + k];
  }

  Restitution e_;
  const double *q_, *before_;
  const bool wants_rows_;
  const Weightless weightless_;
  const Unstabilised unstabilised_;
  double* const after_ = s.w.step.data();
};

void SolvedImpact::place_changes_by_q(const double* dq, double* X, double* G, double* h) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  const int m = s.m();
  double *dr = d.numbers[0], *ds = s.of_rows().numbers[1];
  s.products().jvp(s.in.v, of_tree(dq), nullptr, nullptr, dr, ds, h);
  s.take_force(dr, X);
  if (h) add_products(h, G, [](int) { return 1.0; });
  at_velocities([&](const double* velocity, auto scale) {
    w.kernels->row_velocity_jvp(w.md(), products(ds), velocity, of_tree(dq), d.data, w.w());
    for (int r = 0; r < m; ++r) G[r] += scale(r) * ds[r];
  });
  if (!turns()) return;
  const auto of_state =
      s.products().spanning(before_, {dq, nullptr, nullptr}, true, d.numbers[1], d.numbers[2], nullptr);
  add_by_velocity(of_state.v, G);
}

// All columns at once, those of the tree closed by loops (EmbeddedLoops::close_matrices). By v the rows alone change.
void SolvedImpact::place_matrices(const RowRightSide<double>& q, const RowRightSide<double>& v) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const ConstraintData& rows = *w.cd();
  const int m = s.m(), ld = d.ld;
  const std::ptrdiff_t numbers = std::ptrdiff_t{ld} * m;
  const bool vary = s.loops.vary();
  const MatrixOrder order = MatrixOrder::rows;
  double* J = vary ? of_rows.J : v.G;
  if (!q.X) place_rows(nullptr, J);
  bool turn = false;
  if (q.X) {
    double* const M = vary ? d.matrix[2] : nullptr;
    w.kernels->rnea_derivatives(w.md(), false, s.in.wrenches, q.X, v.X, M, ld, order, d.data, w.w());
    w.kernels->row_derivatives(w.md(), rows, s.lambda, q.X, ld, order, nullptr, nullptr, d.data, of_rows.data,
                               w.w());
    place_rows(q.G, J);
    if (s.loops.some()) {
      double* const none = of_rows.of_lambda[2];  // by velocities of the robot at rest
      std::fill_n(none, numbers, 0.0);
      s.loops.close_matrices({q.X, v.X, q.G, none, M, J, m, ld}, s.independent());
    }
    turn = turns();
  }
  std::fill_n(v.X, std::ptrdiff_t{ld} * w.model->nv, 0.0);
  place_rows_by_v(J, v.G);
  if (turn)
    w.kernels->add_turned_by_loops(w.md(), v.G, m, q.G, ld, s.loops.memory(), s.loops.memory().matrices,
                                   w.w());
  if (s.independent()) s.loops.project_columns(v.G, m, ld);
}

void SolvedImpact::multiply_matrices(double* by_q, double* by_v, bool forces) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const ConstraintData& rows = *w.cd();
  const MatrixOrder order = MatrixOrder::columns;
  double *const G_q = of_rows.of_lambda[0], *const G_v = of_rows.of_lambda[1];
  if (by_q) {
    w.kernels->rnea_derivatives(w.md(), false, s.in.wrenches, by_q, nullptr, nullptr, d.ld, order, d.data,
                                w.w());
    w.kernels->row_derivatives(w.md(), rows, s.lambda, by_q, d.ld, order, nullptr, nullptr, d.data,
                               of_rows.data, w.w());
  }
  place_rows(by_q ? G_q : nullptr, G_v);
  place_rows_by_v(G_v, G_v);
  s.place_responses();
  const auto multiply = [&](const double* D, const double* G, double* X, double* Y) {
    const ResponseSides<double> sides = {{{D, G, X, forces ? Y : nullptr}, {}}, d.ld, d.ld, of_rows.stride};
    w.kernels->multiply_by_responses(w.md(), &rows, of_rows.responses, sides, of_rows.data.y, d.data);
  };
  if (by_q) multiply(by_q, G_q, by_q, of_rows.basis.E[0]);
  if (by_v) multiply(nullptr, G_v, by_v, of_rows.basis.E[1]);
}

void SolvedImpact::place_star_matrices(double* by_q, double* by_v, bool forces) {
  WorkspaceImpl& w = s.w;
  const RowDerivativeMemory& of_rows = s.of_rows();
  StarMatrices to = star_matrices(w, by_q, by_v, nullptr, s.n(), MatrixOrder::columns);
  to.damping = nullptr;
  const StarImpact impact = {velocities_of_rows(), e_.rebound(w, 0)};
  double *const of_q = of_rows.of_lambda[0], *const of_v = of_rows.of_lambda[1];
  s.star->constrained_derivatives(s.in, s.lambda, w.cd()->active, to,
                                  {forces ? of_q : nullptr, forces ? of_v : nullptr, nullptr, of_rows.stride},
                                  &impact, w.w());
}

void SolvedImpact::gradients(const Multipliers& found, double* g_q, double* g_v) {
  WorkspaceImpl& w = s.w;
  const int n = w.model->nv, m = s.m();
  double *scaled = s.of_rows().numbers[1], *held = nullptr;
  if (s.loops.some()) {  // what the multipliers of loops balance on dependent coordinates, beside M y
    held = s.loops.memory().numbers[0];
    for (int k = 0; k < n; ++k) {
      held[k] = found.w[k];
      for (int r = 0; r < m; ++r) held[k] += entry(r, k) * found.b[r];
    }
  }
  std::fill_n(scaled, s.of_rows().stride, 0.0);
  s.products().vjp(found.y, scaled, held, g_q, g_v, nullptr);
  for (int k = 0; k < n; ++k) g_q[k] = -g_q[k];
  at_velocities([&](const double*, auto scale) {
    for (int r = 0; r < m; ++r) scaled[r] = scale(r) * found.b[r];
    w.kernels->row_velocity_vjp(w.md(), acting(scaled, nullptr), 0.0, g_q, nullptr, w.w());
  });
  turns();
  for (int k = 0; k < n; ++k) {
    g_v[k] = found.w[k];
    for (int r = 0; r < m; ++r) g_v[k] += entry(r, k) * (e_.rebound(w, r) * found.b[r]);
  }
  s.products().to_user(g_q, g_v);
}

// What all begin with, before they look for rows. in: of the user, becomes that of the tree.
Status map_in(WorkspaceImpl& w, ImpactInputs& in) {
  TENON_CHECK(EmbeddedLoops(w).check());
  const Restitution e = {in.restitution, in.count};
  TENON_CHECK(e.check(w));
  return map_in_state(w, in.q, in.v);
}

}  // namespace

Status impact_derivatives(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                          double* after, double* impulse, const ImpactDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  TENON_CHECK(map_in(w, in));
  SolvedImpact impact(w, in, true);
  Solution& s = impact.s;
  DerivativeMemory& d = s.d();
  const int n = s.n();
  int ld = d.ld;
  double *by_q = d.matrix[0], *by_v = d.matrix[1];
  const auto add_unit = [&] {
    for (int k = 0; k < n; ++k) by_v[std::ptrdiff_t{k} * ld + k] += 1;
  };
  if (w.rows() == 0) {
    std::fill_n(by_q, std::ptrdiff_t{d.ld} * n, 0.0);
    std::fill_n(by_v, std::ptrdiff_t{d.ld} * n, 0.0);
    add_unit();
    return give_derivatives(
        w, options.accumulate, {{user.v, n, after}},
        {{by_q, n, n, d.ld, "dv_dq", out.after.by_q}, {by_v, n, n, d.ld, "dv_dv", out.after.by_v}});
  }
  TENON_CHECK(impact.solve());
  RowDerivativeMemory& rows = s.of_rows();
  const bool wants_q = out.after.by_q.values || out.impulse.by_q.values,
             wants_v = out.after.by_v.values || out.impulse.by_v.values,
             forces = out.impulse.by_q.values || out.impulse.by_v.values,
             multiplies = !s.star && rows.responses.columns;
  if (wants_q) TENON_CHECK(check_rank(s));
  double* const* const of_impulse = multiplies ? rows.basis.E : rows.of_lambda;
  if (s.star) {
    ld = n;
    impact.place_star_matrices(wants_q ? by_q : nullptr, wants_v ? by_v : nullptr, forces);
  } else if (multiplies && (wants_q || wants_v)) {
    impact.multiply_matrices(wants_q ? by_q : nullptr, wants_v ? by_v : nullptr, forces);
  } else if (wants_q || wants_v) {
    const RowRightSide<double> q = {wants_q ? by_q : nullptr, rows.of_lambda[0],
                                    out.impulse.by_q.values != nullptr},
                               v = {by_v, rows.of_lambda[1], out.impulse.by_v.values != nullptr};
    impact.place_matrices(q, v);
    s.solve(wants_q ? s.by_state_of_tree() : RightSide::zero, n, -1, {{q, v}, d.ld, MatrixOrder::rows});
    if (wants_q) s.give_rows(by_q, s.loops.vary() ? s.loops.memory().matrices.h_q : nullptr);
    s.give_rows(by_v, nullptr);
  }
  if (wants_v) add_unit();
  const MatrixOrder order = s.star || multiplies ? MatrixOrder::columns : MatrixOrder::rows;
  const UserSolution solution(s, impact.after(), after, impulse);
  const auto block = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, n, n, ld, name, to, nullptr, nullptr, order};
  };
  return give_derivatives(w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
                          {block(by_q, "dv_dq", out.after.by_q), block(by_v, "dv_dv", out.after.by_v),
                           s.block_of_rows(of_impulse[0], n, "dimpulse_dq", out.impulse.by_q, order),
                           s.block_of_rows(of_impulse[1], n, "dimpulse_dv", out.impulse.by_v, order)});
}

Status impact_vjp(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                  const double* gradient, const double* gradient_impulse, double* after, double* impulse,
                  const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  TENON_CHECK(map_in(w, in));
  SolvedImpact impact(w, in, false);
  Solution& s = impact.s;
  s.one_by_one = true;
  const int n = s.n(), ld = s.d().ld;
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_impulse", gradient_impulse, w.rows()));
  if (w.rows() == 0)
    return give_derivatives(w, options.accumulate, {{user.v, n, after}},
                            {{w.zeros.data(), n, 1, ld, "gradient_q", out.by_q},
                             {or_zero(w, gradient), n, 1, ld, "gradient_v", out.by_v}});
  TENON_CHECK(impact.solve());
  if (out.by_q.values) TENON_CHECK(check_rank(s));
  double *by_q = s.d().numbers[0], *by_v = s.d().numbers[1];
  impact.gradients(find_multipliers(s, gradient, gradient_impulse), by_q, by_v);
  const UserSolution solution(s, impact.after(), after, impulse);
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {{by_q, n, 1, ld, "gradient_q", out.by_q}, {by_v, n, 1, ld, "gradient_v", out.by_v}});
}

Status impact_jvp(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                  const double* dq, const double* dv, double* after, double* impulse, double* dafter,
                  double* dimpulse) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  TENON_CHECK(map_in(w, in));
  SolvedImpact impact(w, in, false);
  Solution& s = impact.s;
  s.one_by_one = true;
  DerivativeMemory& d = s.d();
  const int n = s.n();
  TENON_CHECK(check_finite(w, "dq", dq, n));
  TENON_CHECK(check_finite(w, "dv", dv, n));
  if (w.rows() == 0)
    return give_derivatives(w, options.accumulate, {{user.v, n, after}},
                            {{or_zero(w, dv), n, 1, d.ld, "dv_after", {dafter, 0}}});
  TENON_CHECK(impact.solve());
  if (dq) TENON_CHECK(check_rank_along(s, dq));
  double *x = d.matrix[0], *y = s.of_rows().of_lambda[0], *h = s.loops.some() ? s.loops.memory().h : nullptr;
  clear_columns(s, x, d.ld), clear_columns(s, y, s.of_rows().stride);
  if (dq) impact.place_changes_by_q(dq, x, y, h);
  if (dv) impact.add_by_velocity(impact.of_tree(dv), y);
  s.solve(RightSide::full, 1, -1, x, y);
  s.give_columns(1, x, dq ? h : nullptr);
  for (int k = 0; dv && k < n; ++k) x[k] += dv[k];
  const UserSolution solution(s, impact.after(), after, impulse);
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {{x, n, 1, d.ld, "dv_after", {dafter, 0}}, s.block_of_rows(y, 1, "dimpulse", {dimpulse, 0})});
}

}  // namespace tenon
