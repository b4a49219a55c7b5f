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
#include "scalar/finite.hpp"

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

// Matrices where they are in the end, those by q, v, tau and desired accelerations, in that order; null: there is nothing to give.
struct PlacedMatrices {
  struct Place {
    const double* x;
    int ld;
  };
  MatrixOrder order;  // of those by q, v and tau
  Place qdd[4], lambda[4];
  bool responses_are_finite = false;  // those by tau and desired accelerations, for certain
};

// Derivatives of r and s by the state, of trees, on the right-hand sides.
void place_tree_derivatives(Solution& s, const RowRightSide<double>& q, const RowRightSide<double>& v,
                            MatrixOrder order) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  w.kernels->rnea_derivatives(w.md(), false, s.in.wrenches, q.X, v.X, nullptr, d.ld, order, d.data, w.w());
  add_damping(w, v.X, d.ld);
  w.kernels->row_derivatives(w.md(), *w.cd(), s.lambda, q.X, d.ld, order, q.G, v.G, d.data, s.of_rows().data,
                             w.w());
}

// On trees: all columns at once.
void fill_on_tree(Solution& s, const WantedMatrices& wanted) {
  const int n = s.w.model->nv, ld = s.d().ld;
  const MatrixOrder order = MatrixOrder::rows;
  const auto side = [&](bool is_wanted, int which) { return right_side(s, wanted, is_wanted, which); };
  const RowRightSide<double> q = side(wanted.by_q, 0), v = side(wanted.by_v, 1), tau = side(wanted.by_tau, 2);
  if (q.X || v.X) {
    place_tree_derivatives(s, q, v, order);
    s.solve(s.by_state_of_tree(), n, -1, {{q, v}, ld, order});
  }
  if (tau.X) s.solve(RightSide::unit, n, 1, {{tau, {}}, ld, order});
}

// Frames and anchors lie along a row or across it too, where rows show no lever of them before the robot moves.
bool moderate_places(const ConstraintData& rows) {
  const std::ptrdiff_t numbers = std::ptrdiff_t{12} * rows.item_count;
  return all_below(rows.frames, numbers, largest_speed) && all_below(rows.anchors, numbers, largest_speed) &&
         std::all_of(rows.items, rows.items + rows.item_count, [](const ConstraintItem& item) {
           return !item.closure || all_below(item.p2, 3, largest_speed);
         });
}
// Whether the right-hand sides of products with moderate responses are finite for certain, and so the products.
bool moderate_solution(const Solution& s, const Inputs<double>& user) {
  WorkspaceImpl& w = s.w;
  const ConstraintData& rows = *w.cd();
  return cannot_overflow(w, user) && all_below(s.in.qdd, w.model->nv, largest_speed) &&
         all_below(s.lambda, s.m(), largest_speed) && moderate_places(rows) &&
         all_below(rows.gains, std::ptrdiff_t{2} * rows.item_count, largest_speed) &&
         all_below(w.w().Kw, std::ptrdiff_t{6} * s.of_rows().stride, largest_speed);
}

// The same by products with the responses, which are the other matrices. at_once: those by q and v are written to the user's
// memory, and null among what is placed.
PlacedMatrices fill_by_responses(Solution& s, const WantedMatrices& wanted, const Inputs<double>& user,
                                 const Derivatives& out, bool accumulate) {
  WorkspaceImpl& w = s.w;
  DerivativeMemory& d = s.d();
  RowDerivativeMemory& of_rows = s.of_rows();
  const int n = w.model->nv, m = s.m(), ld = d.ld;
  const RowRightSide<double> q = right_side(s, wanted, wanted.by_q, 0),
                             v = right_side(s, wanted, wanted.by_v, 1);
  if (q.X || v.X) place_tree_derivatives(s, q, v, MatrixOrder::columns);
  const bool moderate = s.place_responses();
  const Responses<double>& responses = of_rows.responses;
  const Derivatives by_state = {out.by_q, out.by_v, {}};
  DerivativeOut layout;
  const bool all_of_qdd = (!q.X || out.by_q.values) && (!v.X || out.by_v.values);
  const bool at_once = !accumulate && moderate && all_of_qdd && have_one_layout(by_state, layout) &&
                       !layout.row_major && moderate_solution(s, user);
  double *const rows_q = of_rows.basis.E[0], *const rows_v = of_rows.basis.E[1];
  const bool forces = q.wants_forces || v.wants_forces;
  const auto side = [&](const RowRightSide<double>& x, const DerivativeOut& to, double* Y) {
    return ResponseSide<double>{x.X, x.G, at_once ? to.values : x.X, forces ? Y : nullptr};
  };
  w.kernels->multiply_by_responses(
      w.md(), w.cd(), responses,
      {{side(q, out.by_q, rows_q), side(v, out.by_v, rows_v)}, ld, at_once ? layout.ld : ld, of_rows.stride},
      of_rows.data.y, d.data);
  const int ld_r = static_cast<int>(responses.ld);
  double *const P = responses.columns, *const by_rows = P + std::ptrdiff_t{ld_r} * n;
  // Rows that are not active have no force, whatever is desired.
  for (int r = 0; wanted.by_desired && r < m; ++r)
    if (w.cd()->active[r] == 0) std::fill_n(by_rows + std::ptrdiff_t{ld_r} * r, n + m, 0.0);
  return {MatrixOrder::columns,
          {{at_once ? nullptr : q.X, ld}, {at_once ? nullptr : v.X, ld}, {P, ld_r}, {by_rows, ld_r}},
          {{rows_q, of_rows.stride}, {rows_v, of_rows.stride}, {P + n, ld_r}, {by_rows + n, ld_r}},
          moderate};
}

// Of stars, limbs side by side.
PlacedMatrices fill_on_star(Solution& s, const WantedMatrices& wanted) {
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
      {forces(by_state, 0), forces(by_state, 1), forces(wanted.forces[2], 2), of_rows.stride}, nullptr,
      w.w());
  const StarResponses& responses = s.star->responses();
  const int n = s.n(), ld = static_cast<int>(responses.ld), stride = of_rows.stride;
  return {MatrixOrder::columns,
          {{d.matrix[0], n}, {d.matrix[1], n}, {d.matrix[2], n}, {responses.of_rows, ld}},
          {{of_rows.of_lambda[0], stride},
           {of_rows.of_lambda[1], stride},
           {of_rows.of_lambda[2], stride},
           {responses.of_rows + n, ld}}};
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
    w.kernels->rnea_derivatives(w.md(), false, s.in.wrenches, q.X, v.X, M, ld, order, d.data, w.w());
    add_damping(w, v.X, ld);
    if (s.with_rows) {
      const RowDerivativeData<double>& rows = s.of_rows().data;
      w.kernels->row_derivatives(w.md(), *w.cd(), s.lambda, q.X, ld, order, q.G, v.G, d.data,
                                 s.of_rows().data, w.w());
      J = s.of_rows().J;
      if (vary) w.kernels->row_jacobian(w.md(), *w.cd(), rows, nullptr, false, nullptr, J, ld, d.data, w.w());
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
    s.limbs->constrained_jvp(s.in, {x.q, x.v, nullptr, dr, nullptr, nullptr, true}, {s.lambda, nullptr, ds});
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

PlacedMatrices fill(Solution& s, const WantedMatrices& wanted, const Inputs<double>& user,
                    const Derivatives& out, bool accumulate) {
  if (s.star) return fill_on_star(s, wanted);
  if (s.with_rows && s.of_rows().responses.columns)
    return fill_by_responses(s, wanted, user, out, accumulate);
  if (s.loops.some())
    fill_with_loops(s, wanted);
  else
    fill_on_tree(s, wanted);
  const DerivativeMemory& d = s.d();
  PlacedMatrices x = {MatrixOrder::rows,
                      {{d.matrix[0], d.ld}, {d.matrix[1], d.ld}, {d.matrix[2], d.ld}, {nullptr, d.ld}},
                      {{nullptr, d.ld}, {nullptr, d.ld}, {nullptr, d.ld}, {nullptr, d.ld}}};
  if (!s.with_rows) return x;
  if (wanted.by_desired) fill_by_desired(s);
  const RowDerivativeMemory& rows = s.of_rows();
  for (int i = 0; i < 3; ++i) x.lambda[i].x = rows.of_lambda[i];
  x.qdd[3].x = rows.by_desired, x.lambda[3] = {rows.lambda_by_desired, rows.stride};
  return x;
}

}  // namespace

Status derivatives_with_loops(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                              const Inputs<double>& user, double* qdd, double* lambda,
                              const ConstrainedDerivatives& out) {
  Solution s(w, with_rows);
  s.matrices_alone = true;
  TENON_CHECK(solve(user, s));
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
  const PlacedMatrices x = fill(s, wanted, user, out.qdd, options.accumulate);
  const UserSolution solution(s, s.in.qdd, qdd, lambda);
  const int n = s.n(), m = s.m();
  const std::int32_t* row = with_rows ? w.cd()->user_row : nullptr;
  const auto block = [&](const PlacedMatrices::Place& place, int rows, const char* name,
                         const DerivativeOut& to, bool is_response) {
    return DerivativeBlock{place.x, rows,
                           n,       place.ld,
                           name,    place.x ? to : DerivativeOut{},
                           nullptr, nullptr,
                           x.order, is_response && x.responses_are_finite};
  };
  const auto of_qdd = [&](int i, const char* name, const DerivativeOut& to) {
    return block(x.qdd[i], n, name, to, i > 1);
  };
  const auto of_lambda = [&](int i, const char* name, const DerivativeOut& to) {
    DerivativeBlock b = block(x.lambda[i], m, name, to, i > 1);
    b.user_row = row;
    return b;
  };
  const auto by_desired = [&](DerivativeBlock b) {
    b.columns = m, b.user_column = row, b.order = MatrixOrder::columns;
    return b;
  };
  return give_derivatives(
      w, options.accumulate, {solution.blocks[0], solution.blocks[1]},
      {of_qdd(0, "dqdd_dq", out.qdd.by_q), of_qdd(1, "dqdd_dv", out.qdd.by_v),
       of_qdd(2, "dqdd_dtau", out.qdd.by_third), by_desired(of_qdd(3, "dqdd_ddesired", out.qdd_by_desired)),
       of_lambda(0, "dlambda_dq", out.lambda.by_q), of_lambda(1, "dlambda_dv", out.lambda.by_v),
       of_lambda(2, "dlambda_dtau", out.lambda.by_third),
       by_desired(of_lambda(3, "dlambda_ddesired", out.lambda_by_desired))});
}

// In numbers[0] and [1] of the memory, in the coordinates of the tree.
static Multipliers find_state_gradients(Solution& s, const double* gradient, const double* gradient_lambda,
                                        const double* on_rows = nullptr) {
  WorkspaceImpl& w = s.w;
  double *by_q = s.d().numbers[0], *by_v = s.d().numbers[1];
  const Multipliers found = find_multipliers(s, gradient, gradient_lambda);
  for (int r = 0; on_rows && r < s.m(); ++r) found.b[r] += on_rows[r];
  if (s.limbs)
    s.limbs->constrained_vjp(s.in, {nullptr, nullptr, found.y, by_q, by_v, nullptr, true, true},
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
  clear_columns(s, x, d.ld);
  if (s.with_rows) clear_columns(s, y, s.of_rows().stride);
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
