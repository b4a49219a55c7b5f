// First derivatives of the jump of velocities at an impact (calls/impact.cpp). It is constrained dynamics of the robot at
// rest without gravity, with d = v+ - v in place of accelerations and Lambda in place of lambda,
//
//   r = M d - J^T Lambda = 0,   s = J d + R Lambda + (1 + e) J v = 0,
//
// so its equations are solved as those (solution.hpp), and its derivatives are theirs but for s: J d and (1 + e) J v are
// velocities of rows, at which stabilisation has no part. dr/dv = 0, ds/dv = (1 + e) J.
#include "calls/derivatives/solution.hpp"
#include "calls/row_projection.hpp"
#include "model/row_order.hpp"

namespace tenon {

namespace {

// An impact, solved. The robot weighs nothing as long as this lives.
class SolvedImpact {
 public:
  SolvedImpact(WorkspaceImpl& w, const ImpactInputs& in)
      : s(w, true), e_{in.restitution, in.count}, q_(in.q), before_(in.v), weightless_(w) {
    s.unit = "m/s or rad/s";
  }

  // After map_in.
  Status solve() {
    WorkspaceImpl& w = s.w;
    w.report = SolveReport{};
    TENON_CHECK(evaluate_rows(w, q_, before_));
    // Not in WorkspaceImpl::stage, which is memory of the method that solves.
    w.kernels->constraint_jacobian(w.md(), *w.cd(), s.of_rows().of_lambda[2], s.of_rows().stride, w.w());
    double* wanted = w.row_scratch.data();
    e_.place_changes(w, wanted);
    want_changes(w, wanted);
    s.in = w.at_rest(q_);
    TENON_CHECK(solve_given(s));
    for (int k = 0; k < w.model->nv; ++k) after_[k] = before_[k] + s.in.qdd[k];
    rows_to_user(w.cd(), s.lambda, w.user_lambda.data());
    return Status::ok;
  }

  // Calls each(scale) at the two velocities of which s is the sum, with the gradients of rows there; a row counts scale(r)
  // times.
  template <class Each>
  void at_velocities(const Each& each) {
    WorkspaceImpl& w = s.w;
    const auto place = [&](const double* velocity) {
      w.kernels->sweep_motion(w.md(), s.in.q, velocity, nullptr, w.w());
      w.kernels->row_gradients(w.md(), *w.cd(), true, s.of_rows().data, w.w());
    };
    place(s.in.qdd);
    each(s.in.qdd, [](int) { return 1.0; });
    place(before_);
    each(before_, [&](int r) { return e_.rebound(w, r); });
  }
  // (1 + e) J of a row by a coordinate.
  double by_v(int r, int k) const {
    const WorkspaceImpl& w = s.w;
    return e_.rebound(w, r) *
           s.of_rows().of_lambda[2][std::ptrdiff_t{k} * s.of_rows().stride + w.cd()->user_row[r]];
  }
  ActingRows<double> acting(double* b, double* ds) const {
    return {s.w.cd(), s.w.w().Kw, s.w.w().side_Kw, &s.of_rows().data, s.lambda, b, ds};
  }
  ProductRows<double> products(double* ds) const {
    const RowDerivativeData<double>& d = s.of_rows().data;
    return {{acting(nullptr, ds), {}}, 1, d.turning, d.theta};
  }
  SolutionBlock velocities(double* to) const { return {after_, s.w.model->nv, to}; }
  SolutionBlock impulses(double* to) const { return {s.w.user_lambda.data(), s.w.rows(), to}; }

  Solution s;

 private:
  Restitution e_;
  const double *q_, *before_;
  Weightless weightless_;
  double* const after_ = s.w.step.data();
};

// X, G := minus the change of d and Lambda by q, before the solve, all columns.
void fill_by_q(SolvedImpact& impact, double* X, double* G) {
  Solution& s = impact.s;
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& rows = s.of_rows();
  const int n = w.model->nv, m = w.rows();
  w.kernels->rnea_derivatives(w.md(), s.in.wrenches, X, nullptr, nullptr, d.ld, MatrixOrder::columns, d.data,
                              w.w());
  w.kernels->row_derivatives(w.md(), *w.cd(), s.lambda, X, d.ld, MatrixOrder::columns, nullptr, nullptr,
                             d.data, rows.data, w.w());
  std::fill_n(G, std::ptrdiff_t{rows.stride} * n, 0.0);
  double *one = d.numbers[0], *ds = rows.numbers[1];
  std::fill_n(one, n, 0.0);
  impact.at_velocities([&](const double* velocity, auto scale) {
    for (int j = 0; j < n; ++j) {
      one[j] = 1;
      w.kernels->row_velocity_jvp(w.md(), impact.products(ds), velocity, one, d.data, w.w());
      one[j] = 0;
      for (int r = 0; r < m; ++r) G[std::ptrdiff_t{j} * rows.stride + r] += scale(r) * ds[r];
    }
  });
}

// What all begin with, before they look for rows. in: of the user, becomes that of the tree.
Status map_in(WorkspaceImpl& w, ImpactInputs& in) {
  TENON_CHECK(refuse_embedded_loops(w, "derivatives of impacts"));
  const Restitution e = {in.restitution, in.count};
  TENON_CHECK(e.check(w));
  return map_in_state(w, in.q, in.v);
}

}  // namespace

Status impact_derivatives(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                          double* after, double* impulse, const ImpactDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  const int n = w.model->nv, m = w.rows();
  TENON_CHECK(map_in(w, in));
  DerivativeMemory& d = *w.derivatives;
  double *by_q = d.matrix[0], *by_v = d.matrix[1];
  if (m == 0) {
    std::fill_n(by_q, std::ptrdiff_t{d.ld} * n, 0.0);
    std::fill_n(by_v, std::ptrdiff_t{d.ld} * n, 0.0);
    for (int k = 0; k < n; ++k) by_v[std::ptrdiff_t{k} * d.ld + k] = 1;
    return give_derivatives(
        w, options.accumulate, {{in.v, n, after}},
        {{by_q, n, n, d.ld, "dv_dq", out.after.by_q}, {by_v, n, n, d.ld, "dv_dv", out.after.by_v}});
  }
  SolvedImpact impact(w, in);
  TENON_CHECK(impact.solve());
  RowDerivativeMemory& rows = impact.s.of_rows();
  if (out.after.by_q.values || out.impulse.by_q.values) {
    TENON_CHECK(check_rank(impact.s, nullptr));
    fill_by_q(impact, by_q, rows.of_lambda[0]);
    impact.s.solve(RightSide::full, n, -1, by_q, rows.of_lambda[0]);
  }
  if (out.after.by_v.values || out.impulse.by_v.values) {
    double* G = rows.of_lambda[1];
    std::fill_n(G, std::ptrdiff_t{rows.stride} * n, 0.0);
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < m; ++r) G[std::ptrdiff_t{k} * rows.stride + r] = impact.by_v(r, k);
    impact.s.solve(RightSide::zero, n, -1, by_v, G);
    for (int k = 0; k < n; ++k) by_v[std::ptrdiff_t{k} * d.ld + k] += 1;
  }
  return give_derivatives(w, options.accumulate, {impact.velocities(after), impact.impulses(impulse)},
                          {{by_q, n, n, d.ld, "dv_dq", out.after.by_q},
                           {by_v, n, n, d.ld, "dv_dv", out.after.by_v},
                           impact.s.block_of_rows(rows.of_lambda[0], n, "dimpulse_dq", out.impulse.by_q),
                           impact.s.block_of_rows(rows.of_lambda[1], n, "dimpulse_dv", out.impulse.by_v)});
}

Status impact_vjp(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                  const double* gradient, const double* gradient_impulse, double* after, double* impulse,
                  const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  const int n = w.model->nv, m = w.rows();
  TENON_CHECK(map_in(w, in));
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_impulse", gradient_impulse, m));
  DerivativeMemory& d = *w.derivatives;
  if (m == 0)
    return give_derivatives(w, options.accumulate, {{in.v, n, after}},
                            {{w.zeros.data(), n, 1, d.ld, "gradient_q", out.by_q},
                             {or_zero(w, gradient), n, 1, d.ld, "gradient_v", out.by_v}});
  SolvedImpact impact(w, in);
  TENON_CHECK(impact.solve());
  Solution& s = impact.s;
  if (out.by_q.values) TENON_CHECK(check_rank(s, nullptr));
  double *x = d.matrix[0], *b = s.of_rows().of_lambda[0], *scaled = s.of_rows().numbers[1];
  clear_columns(x, d.ld), clear_columns(b, s.of_rows().stride);
  if (gradient) std::copy_n(gradient, n, x);
  rows_from_user(w.cd(), gradient_impulse, b);
  for (int r = 0; r < m; ++r) b[r] = -b[r];
  s.solve(RightSide::full, 1, 1, x, b);

  double *by_q = d.numbers[0], *by_v = d.numbers[1], *y = d.numbers[2];
  std::copy_n(x, n, y);
  std::fill_n(scaled, s.of_rows().stride, 0.0);
  s.products().vjp(y, scaled, nullptr, by_q, by_v, nullptr);
  for (int k = 0; k < n; ++k) by_q[k] = -by_q[k];
  impact.at_velocities([&](const double*, auto scale) {
    for (int r = 0; r < m; ++r) scaled[r] = scale(r) * b[r];
    w.kernels->row_velocity_vjp(w.md(), impact.acting(scaled, nullptr), 0.0, by_q, nullptr, w.w());
  });
  for (int k = 0; k < n; ++k) {
    by_v[k] = gradient ? gradient[k] : 0;
    for (int r = 0; r < m; ++r) by_v[k] += impact.by_v(r, k) * b[r];
  }
  return give_derivatives(
      w, options.accumulate, {impact.velocities(after), impact.impulses(impulse)},
      {{by_q, n, 1, d.ld, "gradient_q", out.by_q}, {by_v, n, 1, d.ld, "gradient_v", out.by_v}});
}

Status impact_jvp(Workspace& workspace, const DerivativeOptions& options, const ImpactInputs& user,
                  const double* dq, const double* dv, double* after, double* impulse, double* dafter,
                  double* dimpulse) {
  WorkspaceImpl& w = begin(workspace);
  ImpactInputs in = user;
  const int n = w.model->nv, m = w.rows();
  TENON_CHECK(map_in(w, in));
  TENON_CHECK(check_finite(w, "dq", dq, n));
  TENON_CHECK(check_finite(w, "dv", dv, n));
  DerivativeMemory& d = *w.derivatives;
  if (m == 0)
    return give_derivatives(w, options.accumulate, {{in.v, n, after}},
                            {{or_zero(w, dv), n, 1, d.ld, "dv_after", {dafter, 0}}});
  SolvedImpact impact(w, in);
  TENON_CHECK(impact.solve());
  Solution& s = impact.s;
  if (dq) TENON_CHECK(check_rank(s, dq));
  double *x = d.matrix[0], *y = s.of_rows().of_lambda[0], *dr = d.numbers[0], *ds = s.of_rows().numbers[1];
  clear_columns(x, d.ld), clear_columns(y, s.of_rows().stride);
  if (dq) {
    s.products().jvp(s.in.v, dq, nullptr, nullptr, dr, ds, nullptr);
    std::copy_n(dr, n, x);
    impact.at_velocities([&](const double* velocity, auto scale) {
      w.kernels->row_velocity_jvp(w.md(), impact.products(ds), velocity, dq, d.data, w.w());
      for (int r = 0; r < m; ++r) y[r] += scale(r) * ds[r];
    });
  }
  if (dv) {
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < m; ++r) y[r] += impact.by_v(r, k) * dv[k];
  }
  s.solve(RightSide::full, 1, -1, x, y);
  for (int k = 0; dv && k < n; ++k) x[k] += dv[k];
  return give_derivatives(
      w, options.accumulate, {impact.velocities(after), impact.impulses(impulse)},
      {{x, n, 1, d.ld, "dv_after", {dafter, 0}}, s.block_of_rows(y, 1, "dimpulse", {dimpulse, 0})});
}

}  // namespace tenon
