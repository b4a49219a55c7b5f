// First derivatives of dynamics with constraint rows, with embedded loops, or with both (kernels/derivatives). With r = ID(q, v, qdd) - tau - J^T lambda - external and
// s = J qdd + gamma + R lambda - k, both zero at the solution,
//
//   [ M  -J^T ] [dqdd   ]     [ dr/dx ]
//   [ J   R   ] [dlambda] = - [ ds/dx ]     for x = q, v;   [dtau; dk] on the right for the others,
//
// solved by the factors of method ltl, or of method dense, which say what is dependent. A gradient [w; z] of L by qdd and lambda gives y and
// b of the same equations with [w; -z] on the right, and dL/dx = - (y^T dr/dx - b^T ds/dx), dL/dtau = y, dL/dk = -b.
//
// With embedded loops the equations are those in independent coordinates, with G^T M G and J G, and dqdd = G x + h
// (embedded_loops.hpp).
#include <algorithm>

#include "calls/derivatives/accelerations.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/ratios.hpp"
#include "calls/derivatives/solution.hpp"
#include "calls/derivatives/with_loops.hpp"
#include "model/row_order.hpp"

namespace tenon {

namespace {

// ---- matrices

struct WantedMatrices {
  bool by_q, by_v, by_tau, by_desired;
  bool forces[3];  // of lambda, by q, v and tau
};

// Of matrix `which`, by q, v or tau.
RowRightSide<double> right_side(const Solution& s, const WantedMatrices& wanted, bool is_wanted, int which) {
  if (!is_wanted) return {};
  return {s.d().matrix[which], s.with_rows ? s.of_rows().of_lambda[which] : nullptr,
          s.with_rows && wanted.forces[which]};
}

// On trees: all columns at once.
void fill_on_tree(Solution& s, const WantedMatrices& wanted) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const ConstraintData& rows = *w.cd();
  const int n = w.model->nv;
  const MatrixOrder order = MatrixOrder::rows;
  const auto side = [&](bool is_wanted, int which) { return right_side(s, wanted, is_wanted, which); };
  const RowRightSide<double> q = side(wanted.by_q, 0), v = side(wanted.by_v, 1), tau = side(wanted.by_tau, 2);
  if (q.X || v.X) {
    w.kernels->rnea_derivatives(w.md(), s.in.wrenches, q.X, v.X, nullptr, d.ld, order, d.data, w.w());
    add_damping(w, v.X, d.ld);
    w.kernels->row_derivatives(w.md(), rows, s.lambda, q.X, d.ld, order, q.G, v.G, d.data, of_rows.data,
                               w.w());
    s.solve(s.by_state_of_tree(), n, -1, {{q, v}, d.ld, order});
  }
  if (tau.X) s.solve(RightSide::unit, n, 1, {{tau, {}}, d.ld, order});
}

// Of stars, limbs side by side.
void fill_on_star(Solution& s, const WantedMatrices& wanted) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const auto matrix = [&](bool is_wanted, int i) { return is_wanted ? d.matrix[i] : nullptr; };
  const auto forces = [&](bool is_wanted, int i) { return is_wanted ? of_rows.of_lambda[i] : nullptr; };
  const bool by_state = wanted.forces[0] || wanted.forces[1];
  s.star->constrained_derivatives(
      s.in, s.lambda, w.cd()->active,
      star_matrices(w, matrix(wanted.by_q, 0), matrix(wanted.by_v, 1), matrix(wanted.by_tau, 2), w.model->nv,
                    MatrixOrder::columns),
      {forces(by_state, 0), forces(by_state, 1), forces(wanted.forces[2], 2), of_rows.stride}, w.w());
  const StarResponses& responses = s.star->responses();
  for (std::ptrdiff_t r = 0; wanted.by_desired && r < s.m(); ++r) {
    const double* const column = responses.of_rows + r * responses.ld;
    std::copy_n(column, s.n(), of_rows.by_desired + r * s.n());
    std::copy_n(column + s.n(), s.m(), of_rows.lambda_by_desired + r * of_rows.stride);
  }
}

// With loops: those of the tree, closed (EmbeddedLoops::close_matrices).
void fill_with_loops(Solution& s, const WantedMatrices& wanted) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  const int nv = w.model->nv, n = s.n(), ld = d.ld;
  const bool vary = s.loops.vary();
  const MatrixOrder order = MatrixOrder::rows;
  const auto side = [&](bool is_wanted, int which) { return right_side(s, wanted, is_wanted, which); };
  if (wanted.by_q || wanted.by_v) {
    const RowRightSide<double> q = side(true, 0), v = side(true, 1);
    double *M = vary ? d.matrix[2] : nullptr, *J = nullptr;
    w.kernels->rnea_derivatives(w.md(), s.in.wrenches, q.X, v.X, M, ld, order, d.data, w.w());
    add_damping(w, v.X, ld);
    if (s.with_rows) {
      const RowDerivativeData<double>& rows = s.of_rows().data;
      w.kernels->row_derivatives(w.md(), *w.cd(), s.lambda, q.X, ld, order, q.G, v.G, d.data,
                                 s.of_rows().data, w.w());
      J = s.of_rows().J;
      if (vary) w.kernels->row_jacobian(w.md(), *w.cd(), rows, J, ld, d.data, w.w());
    }
    s.loops.close_matrices({q.X, v.X, q.G, v.G, M, J, s.m(), ld}, s.independent());
    s.solve(RightSide::full, n, -1, {{side(wanted.by_q, 0), side(wanted.by_v, 1)}, ld, order});
  }
  if (const RowRightSide<double> tau = side(wanted.by_tau, 2); tau.X) {
    std::fill_n(tau.X, std::ptrdiff_t{ld} * nv, 0.0);
    for (int k = 0; k < nv; ++k) tau.X[std::ptrdiff_t{k} * ld + k] = 1;
    if (s.with_rows) std::fill_n(tau.G, std::ptrdiff_t{ld} * s.m(), 0.0);
    if (!s.independent()) s.loops.project_rows(tau.X, nv, ld);
    s.solve(RightSide::full, n, 1, {{tau, {}}, ld, order});
  }
  const LoopMatrixData<double>& of_loops = s.loops.memory().matrices;
  if (wanted.by_q) s.give_rows(d.matrix[0], vary ? of_loops.h_q : nullptr);
  if (wanted.by_v) s.give_rows(d.matrix[1], vary ? of_loops.h_v : nullptr);
  if (wanted.by_tau) s.give_rows(d.matrix[2], nullptr);
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
  DerivativeProducts::Change x = {change.state.q, change.state.v, change.state.third};
  if (s.independent()) x = products.spanning(s.in.v, x, false, q, v, tau);
  double* ds = s.with_rows ? s.of_rows().numbers[1] : nullptr;
  if (s.limbs)
    s.limbs->constrained_jvp(s.in, {x.q, x.v, nullptr, dr, nullptr, nullptr}, {s.lambda, nullptr, ds});
  else
    products.jvp(s.in.v, or_zero(w, x.q), x.v, nullptr, dr, ds, to.h);
  add_damped(w, x.v, dr);
  for (int k = 0; k < w.model->nv; ++k) dr[k] = or_zero(w, x.third)[k] - dr[k];
  s.take_force(dr, to.x);
  if (!s.with_rows) return x.q;
  rows_from_user(w.cd(), change.desired, to.y);
  for (int r = 0; r < w.rows(); ++r) to.y[r] -= ds[r];
  s.leave_rows_out(to.y);
  return x.q;
}

// By the desired accelerations of rows.
void fill_by_desired(Solution& s) {
  RowDerivativeMemory& of_rows = s.of_rows();
  const int m = s.m();
  double *G = of_rows.lambda_by_desired, *X = of_rows.by_desired;
  std::fill_n(G, std::ptrdiff_t{of_rows.stride} * m, 0.0);
  std::fill_n(X, std::ptrdiff_t{s.d().ld} * m, 0.0);  // of the other coordinates there may be more
  for (int r = 0; r < m; ++r) {
    double* const column = G + std::ptrdiff_t{r} * of_rows.stride;
    column[r] = 1;
    s.leave_rows_out(column);
  }
  s.solve(RightSide::zero, m, 1, X, G);
  s.give_columns(m, X, nullptr);
}

}  // namespace

Status derivatives_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                              const Inputs<double>& user, double* qdd, double* lambda,
                              const ConstrainedDerivatives& out) {
  Solution s(w, with_rows);
  s.matrices_alone = true;
  TENON_CHECK(solve(user, s));
  DerivativeMemory& d = s.d();
  const auto either = [&](const DerivativeOut& of_qdd, const DerivativeOut& of_lambda) {
    return of_qdd.values || of_lambda.values;
  };
  const WantedMatrices wanted = {either(out.qdd.by_q, out.lambda.by_q),
                                 either(out.qdd.by_v, out.lambda.by_v),
                                 either(out.qdd.by_third, out.lambda.by_third),
                                 either(out.qdd_by_desired, out.lambda_by_desired),
                                 {out.lambda.by_q.values != nullptr, out.lambda.by_v.values != nullptr,
                                  out.lambda.by_third.values != nullptr}};
  if (wanted.by_q) TENON_CHECK(check_rank(s));
  if (s.star)
    fill_on_star(s, wanted);
  else if (s.loops.some())
    fill_with_loops(s, wanted);
  else
    fill_on_tree(s, wanted);
  if (wanted.by_desired && with_rows && !s.star) fill_by_desired(s);
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  const int n = s.n(), m = s.m();
  const std::int32_t* row = with_rows ? w.cd()->user_row : nullptr;
  const MatrixOrder order = s.star ? MatrixOrder::columns : MatrixOrder::rows;
  const auto of_qdd = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, n, n, s.star ? n : d.ld, name, to, nullptr, nullptr, order};
  };
  double* const none[3] = {};
  double* const* of_lambda = with_rows ? s.of_rows().of_lambda : none;
  DerivativeBlock qdd_by_desired =
      of_qdd(with_rows ? s.of_rows().by_desired : nullptr, "dqdd_ddesired", out.qdd_by_desired);
  qdd_by_desired.columns = m, qdd_by_desired.user_column = row, qdd_by_desired.order = MatrixOrder::columns;
  DerivativeBlock lambda_by_desired = s.block_of_rows(with_rows ? s.of_rows().lambda_by_desired : nullptr, m,
                                                      "dlambda_ddesired", out.lambda_by_desired);
  lambda_by_desired.user_column = row;
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {of_qdd(d.matrix[0], "dqdd_dq", out.qdd.by_q), of_qdd(d.matrix[1], "dqdd_dv", out.qdd.by_v),
       of_qdd(d.matrix[2], "dqdd_dtau", out.qdd.by_third), qdd_by_desired,
       s.block_of_rows(of_lambda[0], n, "dlambda_dq", out.lambda.by_q, order),
       s.block_of_rows(of_lambda[1], n, "dlambda_dv", out.lambda.by_v, order),
       s.block_of_rows(of_lambda[2], n, "dlambda_dtau", out.lambda.by_third, order), lambda_by_desired});
}

// In numbers[0] and [1] of the memory, in the coordinates of the tree.
static Multipliers find_state_gradients(Solution& s, const double* gradient, const double* gradient_lambda,
                                        const double* on_rows = nullptr) {
  WorkspaceImpl& w = s.w;
  double *by_q = s.d().numbers[0], *by_v = s.d().numbers[1];
  const Multipliers found = find_multipliers(s, gradient, gradient_lambda);
  for (int r = 0; on_rows && r < s.m(); ++r) found.b[r] += on_rows[r];
  if (s.limbs)
    s.limbs->constrained_vjp(s.in, {nullptr, nullptr, found.y, by_q, by_v, nullptr},
                             {s.lambda, found.b, nullptr});
  else
    s.products().vjp(found.y, found.b, found.w, by_q, by_v, nullptr);
  add_damped(w, found.y, by_v);
  for (double* g : {by_q, by_v})
    for (int k = 0; k < w.model->nv; ++k) g[k] = -g[k];
  return found;
}

ProductGradients solution_gradients(Solution& s, const double* gradient, const double* gradient_lambda,
                                    const double* on_rows) {
  double *by_q = s.d().numbers[0], *by_v = s.d().numbers[1];
  const Multipliers found = find_state_gradients(s, gradient, gradient_lambda, on_rows);
  if (s.independent()) s.products().to_user(by_q, by_v);
  for (int r = 0; r < s.m(); ++r) found.b[r] = -found.b[r];
  return {by_q, by_v, s.independent() ? found.x : found.y, found.b};
}

Status vjp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& user, const double* gradient, const double* gradient_lambda,
                      double* qdd, double* lambda, const ConstrainedGradient& out) {
  Solution s(w, with_rows);
  s.row_by_row = false, s.products_alone = s.one_by_one = true;
  const int n = s.n(), m = s.m();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, m));
  TENON_CHECK(solve(user, s));
  if (out.state.by_q.values) TENON_CHECK(check_rank(s));
  const ProductGradients by = solution_gradients(s, gradient, gradient_lambda);
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  return give_derivatives(w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
                          {{by.q, n, 1, n, "gradient_q", out.state.by_q},
                           {by.v, n, 1, n, "gradient_v", out.state.by_v},
                           {by.tau, n, 1, n, "gradient_tau", out.state.by_third},
                           s.block_of_rows(by.desired, 1, "gradient_desired", out.by_desired)});
}

Status parameter_vjp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient,
                                const double* gradient_lambda, double* qdd, double* lambda,
                                const ParameterGradient& out) {
  Solution s(w, with_rows);
  const bool by_ratios = out.by_ratios && w.model->loops.ratio_count > 0;
  s.by_state = by_ratios, s.row_by_row = false, s.one_by_one = true;
  if (by_ratios) s.loops.take_constant();
  TENON_CHECK(check_finite(w, "gradient", gradient, s.n()));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, s.m()));
  TENON_CHECK(solve(user, s));
  if (by_ratios) TENON_CHECK(check_rank(s));
  const double* y;
  if (by_ratios) {
    y = find_state_gradients(s, gradient, gradient_lambda).y;
    place_ratio_gradients(w, s.loops, s.in, y, -1, s.d().numbers[0], s.d().numbers[1]);
  } else {
    y = find_multipliers(s, gradient, gradient_lambda).y;
  }
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  return give_parameter_gradients(w, options.accumulate, s.in, y, -1,
                                  {solution.blocks[0], solution.blocks[1]}, out);
}

Status solution_change(Solution& s, const ConstrainedChange& change, ProductChange& to, double* asked) {
  DerivativeMemory& d = s.d();
  if (change.state.q) TENON_CHECK(check_rank_along(s, change.state.q));
  double *x = d.matrix[0], *motion = d.numbers[2], *h = s.loops.some() ? s.loops.memory().h : nullptr;
  double* y = s.with_rows ? s.of_rows().of_lambda[0] : nullptr;
  clear_columns(x, d.ld);
  if (s.with_rows) clear_columns(y, s.of_rows().stride);
  right_sides(s, change, {x, y, h});
  if (asked) std::copy_n(y, s.m(), asked);
  s.solve(RightSide::full, 1, 1, x, y);
  if (!s.independent()) s.give_motion(x, h, motion);
  to = {s.independent() ? x : motion, y};
  return Status::ok;
}

Status jvp_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                      const Inputs<double>& user, const ConstrainedChange& change, double* qdd,
                      double* lambda, double* dqdd, double* dlambda) {
  Solution s(w, with_rows);
  s.products_alone = s.one_by_one = true;
  const int n = s.n(), m = s.m();
  TENON_CHECK(check_finite(w, "dq", change.state.q, n));
  TENON_CHECK(check_finite(w, "dv", change.state.v, n));
  TENON_CHECK(check_finite(w, "dtau", change.state.third, n));
  TENON_CHECK(check_finite(w, "ddesired", change.desired, m));
  TENON_CHECK(solve(user, s));
  ProductChange found{};
  TENON_CHECK(solution_change(s, change, found));
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {{found.qdd, n, 1, n, "dqdd", {dqdd, 0}}, s.block_of_rows(found.lambda, 1, "dlambda", {dlambda, 0})});
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

Status constrained_dynamics_parameter_vjp(Workspace& workspace, const DerivativeOptions& options,
                                          const Inputs<double>& user, const double* gradient,
                                          const double* gradient_lambda, double* qdd, double* lambda,
                                          const ParameterGradient& out) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0)
    return forward_dynamics_parameter_vjp(workspace, options, user, or_zero(w, gradient), qdd, out);
  return parameter_vjp_with_loops(w, true, options, user, gradient, gradient_lambda, qdd, lambda, out);
}

Status constrained_dynamics_jvp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const ConstrainedChange& change, double* qdd,
                                double* lambda, double* dqdd, double* dlambda) {
  WorkspaceImpl& w = begin(workspace);
  if (w.rows() == 0) return forward_dynamics_jvp(workspace, options, user, change.state, qdd, dqdd);
  return jvp_with_loops(w, true, options, user, change, qdd, lambda, dqdd, dlambda);
}

}  // namespace tenon
