// First derivatives of constrained dynamics (kernels/derivatives). With r = ID(q, v, qdd) - tau - J^T lambda - external and
// s = J qdd + gamma + R lambda - k, both zero at the solution,
//
//   [ M  -J^T ] [dqdd   ]     [ dr/dx ]
//   [ J   R   ] [dlambda] = - [ ds/dx ]     for x = q, v;   [dtau; dk] on the right for the others,
//
// solved by the factors of method dense, which say what is dependent. A gradient [w; z] of L by qdd and lambda gives y and
// b of the same equations with [w; -z] on the right, and dL/dx = - (y^T dr/dx - b^T ds/dx), dL/dtau = y, dL/dk = -b.
#include <algorithm>
#include <cmath>

#include "calls/derivatives/outputs.hpp"
#include "data/rank.hpp"
#include "model/row_order.hpp"
#include "solve/methods.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"
#include "state/row_forces.hpp"

namespace tenon {

namespace {

// The solution, and in the workspace the motion there and the gradients of rows.
struct Solution {
  WorkspaceImpl& w;
  Inputs<double> in;
  const double* lambda = nullptr;  // kernels' order, whole packs
  RowFactorData factor{};
  bool rank_may_change = false;

  const ConstraintData& rows() const { return *w.cd(); }
  DerivativeMemory& d() const { return *w.derivatives; }
  RowDerivativeMemory& of_rows() const { return *w.row_derivatives; }

  // X, G: right-hand sides and results (kernels/derivatives/row_columns.hpp).
  void solve(RightSide right, int count, double sign, double* X, double* G) const {
    w.kernels->solve_constrained_columns(w.md(), rows(), factor, right, count, sign, X, d().ld, G, d().data,
                                         of_rows().data, w.w());
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
  const int n = w.model->nv;
  s.rank_may_change = s.factor.rank < s.factor.rows && s.factor.rank < n;
  if (!s.rank_may_change) return;
  double *u = d.matrix[0], *b = s.of_rows().numbers[1];
  clear_columns(u, d.ld);
  for (int k = 0; k < n; ++k) u[k] = 1 + 0.5 * std::sin(2.3 * k);
  s.solve(RightSide::full, 1, 1, u, nullptr);
  w.dense->factor.combine_dependent(b);
  w.kernels->sweep_motion(w.md(), s.in.q, u, nullptr, w.w());
  w.kernels->row_gradients(w.md(), *w.cd(), true, s.of_rows().data, w.w());
  double speed = 0;
  for (int k = 0; k < n; ++k) speed = std::max(speed, std::abs(u[k]));
  w.kernels->row_velocity_vjp(w.md(), *w.cd(), b, speed, d.numbers[0], d.numbers[1], s.of_rows().data, w.w());
}

// Fails where the rank of the rows changes along `motion` (null: along any coordinate).
Status check_rank(const Solution& s, const double* motion) {
  if (!s.rank_may_change) return Status::ok;
  const double *change = s.d().numbers[0], *size = s.d().numbers[1];
  double along = 0, largest = 0, terms = 0;
  for (int k = 0; k < s.w.model->nv; ++k) {
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

Status solve(WorkspaceImpl& w, const Inputs<double>& user, Solution& s) {
  Inputs<double>& in = s.in;
  TENON_CHECK(map_in_forward(w, user, in));
  in = with_friction(w, in);
  const int rows = w.rows();
  rows_from_user(w.cd(), in.desired, w.w().desired);
  const SolveOptions options;
  const Outcome outcome = solve_dense({w, options, in, w.lambda.data()});
  if (outcome == Status::not_positive_definite) return fail_mass_matrix(w, in.q);
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  TENON_CHECK(check_result(w, w.lambda.data(), rows));
  if (outcome == Status::infeasible)
    return w.fail(
        Status::unsupported,
        "unsupported: derivatives where constraint rows contradict each other, here by %g m/s^2 or rad/s^2; "
        "leave rows out, or take differences",
        w.report.primal_residual);
  double* lambda = w.row_derivatives->numbers[0];
  for (int r = 0; r < rows; ++r) lambda[r] = w.cd()->active[r] != 0 ? w.lambda[index(r)] : 0;
  s.lambda = lambda;
  s.factor = w.dense->factor.data(*w.cd());
  in.qdd = w.w().qdd;
  if (!in.wrenches) std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  in.wrenches = w.w().wrench;
  add_row_forces(w, lambda);
  find_rank_change(s);
  w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  w.kernels->row_gradients(w.md(), *w.cd(), false, w.row_derivatives->data, w.w());
  return Status::ok;
}

// Starts a call: the model has no embedded loops, and the memory is there.
Status begin_derivatives(WorkspaceImpl& w) {
  TENON_CHECK(refuse_loops(
      w, false,
      "make the model with its loops by rows (TENON_LOOP_TREATMENT_ROWS), or take differences of "
      "the dynamics"));
  *w.derivatives, *w.row_derivatives;
  return Status::ok;
}

// The multipliers in the user's order.
const double* user_lambda(WorkspaceImpl& w, const double* lambda) {
  rows_to_user(w.cd(), lambda, w.user_lambda.data());
  return w.user_lambda.data();
}

}  // namespace

Status constrained_dynamics_derivatives(Workspace& workspace, const DerivativeOptions& options,
                                        const Inputs<double>& user, double* qdd, double* lambda,
                                        const ConstrainedDerivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0) return forward_dynamics_derivatives(workspace, options, user, qdd, out.qdd);
  TENON_CHECK(begin_derivatives(w));
  Solution s{w, {}};
  TENON_CHECK(solve(w, user, s));
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const int n = w.model->nv, m = w.rows(), stride = of_rows.stride;
  if (out.qdd.by_q.values || out.lambda.by_q.values) TENON_CHECK(check_rank(s, nullptr));
  const bool by_q = out.qdd.by_q.values || out.lambda.by_q.values,
             by_v = out.qdd.by_v.values || out.lambda.by_v.values,
             by_tau = out.qdd.by_third.values || out.lambda.by_third.values,
             by_desired = out.qdd_by_desired.values || out.lambda_by_desired.values;
  double *dq = by_q ? d.matrix[0] : nullptr, *dv = by_v ? d.matrix[1] : nullptr;
  if (by_q || by_v) {
    w.kernels->rnea_derivatives(w.md(), s.in.wrenches, dq, dv, nullptr, d.ld, d.data, w.w());
    add_damping(w, dv, d.ld);
    w.kernels->row_derivatives(w.md(), s.rows(), s.lambda, dq, d.ld, by_q ? of_rows.of_lambda[0] : nullptr,
                               by_v ? of_rows.of_lambda[1] : nullptr, d.data, of_rows.data, w.w());
  }
  // Rows between two bodies connect limbs.
  const RightSide right = s.rows().inter_body_count > 0 ? RightSide::full : RightSide::tree;
  if (by_q) s.solve(right, n, -1, dq, of_rows.of_lambda[0]);
  if (by_v) s.solve(right, n, -1, dv, of_rows.of_lambda[1]);
  if (by_tau) {
    std::fill_n(of_rows.of_lambda[2], std::ptrdiff_t{stride} * n, 0.0);
    s.solve(RightSide::unit, n, 1, d.matrix[2], of_rows.of_lambda[2]);
  }
  if (by_desired) {
    double* G = of_rows.lambda_by_desired;
    std::fill_n(G, std::ptrdiff_t{stride} * m, 0.0);
    for (int r = 0; r < m; ++r) G[std::ptrdiff_t{r} * stride + r] = 1;
    s.solve(RightSide::zero, m, 1, of_rows.by_desired, G);
  }
  const std::int32_t* order = s.rows().user_row;
  const auto of_qdd = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, n, n, d.ld, name, to};
  };
  const auto of_lambda = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, m, n, stride, name, to, order};
  };
  return give_derivatives(
      w, options.accumulate, {{s.in.qdd, n, qdd}, {user_lambda(w, s.lambda), m, lambda}},
      {of_qdd(d.matrix[0], "dqdd_dq", out.qdd.by_q),
       of_qdd(d.matrix[1], "dqdd_dv", out.qdd.by_v),
       of_qdd(d.matrix[2], "dqdd_dtau", out.qdd.by_third),
       {of_rows.by_desired, n, m, d.ld, "dqdd_ddesired", out.qdd_by_desired, nullptr, order},
       of_lambda(of_rows.of_lambda[0], "dlambda_dq", out.lambda.by_q),
       of_lambda(of_rows.of_lambda[1], "dlambda_dv", out.lambda.by_v),
       of_lambda(of_rows.of_lambda[2], "dlambda_dtau", out.lambda.by_third),
       {of_rows.lambda_by_desired, m, m, stride, "dlambda_ddesired", out.lambda_by_desired, order, order}});
}

Status constrained_dynamics_vjp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient,
                                const double* gradient_lambda, double* qdd, double* lambda,
                                const ConstrainedGradient& out) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0)
    return forward_dynamics_vjp(workspace, options, user, or_zero(w, gradient), qdd, out.state);
  TENON_CHECK(begin_derivatives(w));
  const int n = w.model->nv, m = w.rows();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, m));
  Solution s{w, {}};
  TENON_CHECK(solve(w, user, s));
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  if (out.state.by_q.values) TENON_CHECK(check_rank(s, nullptr));
  double *y = d.matrix[0], *b = of_rows.of_lambda[0], *by_q = d.numbers[0], *by_v = d.numbers[1];
  clear_columns(y, d.ld), clear_columns(b, of_rows.stride);
  if (gradient) std::copy_n(gradient, n, y);
  rows_from_user(w.cd(), gradient_lambda, b);
  for (int r = 0; r < m; ++r) b[r] = -b[r];
  s.solve(RightSide::full, 1, 1, y, b);
  w.kernels->constrained_vjp(w.md(), s.rows(), s.in.wrenches, s.lambda, y, b, by_q, by_v, d.data,
                             of_rows.data, w.w());
  add_damped(w, y, by_v);
  for (double* g : {by_q, by_v})
    for (int k = 0; k < n; ++k) g[k] = -g[k];
  for (int r = 0; r < m; ++r) b[r] = -b[r];
  return give_derivatives(w, options.accumulate, {{s.in.qdd, n, qdd}, {user_lambda(w, s.lambda), m, lambda}},
                          {{by_q, n, 1, d.ld, "gradient_q", out.state.by_q},
                           {by_v, n, 1, d.ld, "gradient_v", out.state.by_v},
                           {y, n, 1, d.ld, "gradient_tau", out.state.by_third},
                           {b, m, 1, of_rows.stride, "gradient_desired", out.by_desired, s.rows().user_row}});
}

Status constrained_dynamics_jvp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const ConstrainedChange& change, double* qdd,
                                double* lambda, double* dqdd, double* dlambda) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0) return forward_dynamics_jvp(workspace, options, user, change.state, qdd, dqdd);
  TENON_CHECK(begin_derivatives(w));
  const int n = w.model->nv, m = w.rows();
  TENON_CHECK(check_finite(w, "dq", change.state.q, n));
  TENON_CHECK(check_finite(w, "dv", change.state.v, n));
  TENON_CHECK(check_finite(w, "dtau", change.state.third, n));
  TENON_CHECK(check_finite(w, "ddesired", change.desired, m));
  Solution s{w, {}};
  TENON_CHECK(solve(w, user, s));
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  if (change.state.q) TENON_CHECK(check_rank(s, change.state.q));
  double *x = d.matrix[0], *y = of_rows.of_lambda[0], *dr = d.numbers[0], *ds = of_rows.numbers[1];
  w.kernels->constrained_jvp(w.md(), s.rows(), s.in.v, s.in.wrenches, s.lambda, or_zero(w, change.state.q),
                             change.state.v, dr, ds, d.data, of_rows.data, w.w());
  add_damped(w, change.state.v, dr);
  clear_columns(x, d.ld), clear_columns(y, of_rows.stride);
  for (int k = 0; k < n; ++k) x[k] = or_zero(w, change.state.third)[k] - dr[k];
  rows_from_user(w.cd(), change.desired, y);
  for (int r = 0; r < m; ++r) y[r] -= ds[r];
  s.solve(RightSide::full, 1, 1, x, y);
  return give_derivatives(w, options.accumulate, {{s.in.qdd, n, qdd}, {user_lambda(w, s.lambda), m, lambda}},
                          {{x, n, 1, d.ld, "dqdd", {dqdd, 0}},
                           {y, m, 1, of_rows.stride, "dlambda", {dlambda, 0}, s.rows().user_row}});
}

}  // namespace tenon
