// Second derivatives of one number w^T tau, or w^T qdd + z^T lambda. Inverse dynamics: those of y^T ID with y = w
// (kernels/derivatives/second_order.hpp). Dynamics solves r(x, u) = 0 and s(x, u) = 0 (constrained.cpp) for u = (qdd, lambda),
// where x is q, v, tau and the desired accelerations. With the multipliers y and b for which the gradient of
// l = y^T r - b^T s by u is (w, z), L the second derivatives of l, and U = du/dx, the first derivatives of constrained.cpp,
//
//   d2 (w^T qdd + z^T lambda) / dx2 = - (L_xx + L_xu U + U^T L_ux),   because L_uu = 0.
//
// Of u, l has second derivatives by q alone: L_aq = d(M y - J^T b)/dq and L_lambda,q = - d(J y)/dq.
//
// Rows that depend on each other (A = J M^-1 J^T + R is singular): lambda and the multipliers b, of z = 0, are those in the range
// of W A, W the weights, and this range turns with q. With P = W - W E (E^T W E)^-1 E^T W, E a basis of the range of A, with T
// the derivative by q of J u, u = M^-1 J^T A^+ W^-1 b, and with - s_x what a change of x asks of rows, that adds
//
//   - (T^T P s_x + s_x^T P T),
//
// b^T A^+ W^-1 A^+ dA P is the part of d A^+ that what no force can reach sees; it is zero where changes ask for nothing such.
//
// By q they are along tangents: of the number at integrate(q, x), x = 0. The kernel's are of the gradient as its axes move,
// D(d, e) = H(d, e) + g [d, e] / 2 with the bracket of joint_bracket (kernels/joint/integrate.hpp), which is odd. So H is the
// mean of D and its transpose.
//
// The product with one change d of x takes no matrix: with du = U d, a product of first derivatives, and z = L_ux d, one sweep
// of the kernel along d and du gives L_xx d + L_xu du and z, and
//
//   d2 (w^T qdd + z^T lambda) / dx2 d = - (L_xx d + L_xu du) - U^T z,
//
// where U^T z is the gradient of z^T u, another product.
//
// With embedded loops all of this is in independent coordinates, where q keeps loops closed: r is G^T r of the tree, and the
// kernel differentiates G and g too. D is odd there by the bracket of the axes G e, so that H is the second derivative along any
// q whose independent coordinates move by x. Where G is constant the same text holds in spanning coordinates, with what first
// derivatives give for M^-1. Where it varies, motions that keep loops closed bend in these, and the gradient times the bend is
// part of what changes: it is no matrix times the motion, and refused.
#include <algorithm>

#include "calls/derivatives/accelerations.hpp"
#include "calls/derivatives/outputs.hpp"
#include "model/row_order.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

namespace {

// Of rows that depend on each other, the solution has a split of the forces that no derivative follows.
Status check_multipliers(WorkspaceImpl& w, const double* gradient_lambda) {
  bool some = false;
  int active = 0;
  for (int r = 0; gradient_lambda && r < w.rows(); ++r) some = some || gradient_lambda[r] != 0;
  for (int r = 0; r < w.rows(); ++r) active += w.cd()->active[r] != 0 ? 1 : 0;
  const int dependent = dependent_rows(w);
  if (!some || dependent == 0) return Status::ok;
  return w.fail(
      Status::unsupported,
      "there are no second derivatives of lambda where rows depend on each other, here %d on the other "
      "%d; leave rows out, or pass no gradient_lambda",
      dependent, active - dependent);
}

// x := P x, kernels' order.
void take_unreachable(WorkspaceImpl& w, double* x) {
  double* rest = w.row_scratch.data();
  w.kernels->take_reachable(*w.cd(), x, rest, w.dense->factor.data);
  for (int r = 0; r < w.rows(); ++r) x[r] = w.cd()->active[r] != 0 ? w.cd()->weight[r] * rest[r] : 0;
}

// Of changes and results.
int coordinates_of(const WorkspaceImpl& w) {
  return w.coordinates.independent_v ? w.model->ny : w.model->nv;
}

template <class T>
void load(const double* from, int count, T* to) {
  for (int i = 0; i < count; ++i) to[i] = T(from ? from[i] : 0);
}

// External wrenches, without the forces of rows, once for all columns. T: numbers with their changes.
template <class T>
void place_wrenches(const WorkspaceImpl& w, const Inputs<double>& in, GradientMemory<T>& x) {
  load(in.wrenches, 6 * w.md().node_count, x.wrenches);
}
// The state and what else acts on it, likewise, after update_loops. in: of the tree, with what acts on joints and its friction in
// tau (null: none); v, a, y: in the coordinates of results; lambda, b: rows in the kernels' order, null without.
template <class T>
void place_state(const WorkspaceImpl& w, const Inputs<double>& in, const double* v, const double* a,
                 const double* y, const double* lambda, const double* b, GradientMemory<T>& x) {
  const int n = coordinates_of(w);
  x.arena.place_inertias(w.md());
  load(w.settings->gravity, 3, x.gravity);
  x.data.q = in.q;
  x.data.independent = w.coordinates.independent_v && w.md().cluster_count > 0;
  if (x.data.independent) load(w.arena.data.G, w.md().G_size, x.arena.data.G);  // steps are G dy
  load(v, n, x.v), load(a, n, x.qdd), load(y, n, x.y);
  if (lambda) load(lambda, w.rows(), x.lambda), load(b, w.rows(), x.b);
  // Dry friction is taken as constant.
  const double* const damping = w.settings->friction.room ? w.settings->friction.damping : nullptr;
  x.data.damping = damping;
  for (int k = 0; k < w.model->nv; ++k)
    x.force[k] = or_zero(w, in.tau)[k] + (damping && in.v ? damping[k] * in.v[k] : 0);
}

// Calls take(k, l) where the results of the kernel have column k, along q or v, as change l.
template <class Take>
void for_columns(WorkspaceImpl& w, bool with_rows, bool of_v, const Take& take) {
  SecondOrderMemory& x = *w.second_order;
  const int n = coordinates_of(w);
  for (int first = 0; first < n; first += Changes::directions) {
    const int count = std::min(Changes::directions, n - first);
    w.kernels->gradient_changes(w.md(), with_rows ? w.cd() : nullptr, of_v, first, count, x.data,
                                x.arena.data);
    for (int l = 0; l < count; ++l) take(first + l, l);
  }
}
// Columns along all q, or along all v, in x.qq, vq, aq and lambda_q, or in x.vv.
void fill(WorkspaceImpl& w, bool with_rows, bool of_v) {
  SecondOrderMemory& x = *w.second_order;
  const int n = coordinates_of(w);
  for_columns(w, with_rows, of_v, [&](int k, int l) {
    const std::ptrdiff_t at = std::ptrdiff_t{k} * x.ld;
    const auto take = [&](const Changes* from, double* column) {
      for (int i = 0; i < n; ++i) column[i] = from[i].change(l);
    };
    if (of_v) return take(x.data.by_v, x.vv + at);
    take(x.data.by_q, x.qq + at), take(x.data.by_v, x.vq + at), take(x.data.by_a, x.aq + at);
    double* of_rows = x.lambda_q + std::ptrdiff_t{k} * x.stride;
    for (int r = 0; with_rows && r < w.rows(); ++r)
      of_rows[w.cd()->user_row[r]] = x.data.by_lambda[r].change(l);
  });
}

// A := A^T, and the mean of both.
void transpose(int n, int ld, double* A) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) std::swap(A[i + std::ptrdiff_t{j} * ld], A[j + std::ptrdiff_t{i} * ld]);
}
void symmetrize(int n, int ld, double* A) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) {
      double &upper = A[i + std::ptrdiff_t{j} * ld], &lower = A[j + std::ptrdiff_t{i} * ld];
      upper = lower = 0.5 * (upper + lower);
    }
  }
}
void scale(double factor, int n, int columns, int ld, double* A) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) A[i + std::ptrdiff_t{j} * ld] *= factor;
}

Status give(WorkspaceImpl& w, const DerivativeOptions& options, int rows, const char* by_third,
            const double* qx, const Hessian& out) {
  const SecondOrderMemory& x = *w.second_order;
  const int n = coordinates_of(w), ld = x.ld;
  return give_derivatives(w, options.accumulate, {},
                          {{x.qq, n, n, ld, "hessian_qq", out.qq},
                           {x.vq, n, n, ld, "hessian_qv", out.qv},
                           {x.vv, n, n, ld, "hessian_vv", out.vv},
                           {qx, n, n, ld, by_third, out.qx},
                           {x.q_desired, n, rows, ld, "hessian_qdesired", out.q_desired}});
}

// Of w^T qdd + z^T lambda, from x.first and its like, at x.solution and x.of_rows. After place_state and fill.
void eliminate(WorkspaceImpl& w, bool with_rows, const Hessian& out) {
  SecondOrderMemory& x = *w.second_order;
  const int n = coordinates_of(w), m = with_rows ? w.rows() : 0, ld = x.ld;
  // C += L_qu U.
  const auto add = [&](const double* of_qdd, const double* of_lambda, int columns, double* C) {
    w.kernels->add_transposed_product(n, x.aq, n, ld, of_qdd, columns, ld, C, ld);
    if (m > 0)
      w.kernels->add_transposed_product(m, x.lambda_q, n, x.stride, of_lambda, columns, x.stride, C, ld);
  };
  if (out.qq.values) {
    scale(0.5, n, n, ld, x.qq);  // the mean with its transpose is taken at the end
    add(x.first[0], x.lambda_first[0], n, x.qq);
    scale(-2, n, n, ld, x.qq);
  }
  if (out.qv.values) add(x.first[1], x.lambda_first[1], n, x.vq), scale(-1, n, n, ld, x.vq);
  if (out.vv.values) scale(-1, n, n, ld, x.vv);
  const auto product = [&](const double* of_qdd, const double* of_lambda, int columns, double* C) {
    std::fill_n(C, std::ptrdiff_t{columns} * ld, 0.0);
    add(of_qdd, of_lambda, columns, C);
    scale(-1, n, columns, ld, C);
  };
  if (out.qx.values) product(x.first[2], x.lambda_first[2], n, x.qx);
  if (out.q_desired.values) product(x.by_desired, x.lambda_by_desired, m, x.q_desired);
}

// What rows that depend on others add. in: as for place_state; after eliminate, and before symmetrize.
Status add_dependent(WorkspaceImpl& w, const Inputs<double>& user, const Inputs<double>& in,
                     const Hessian& out) {
  SecondOrderMemory& x = *w.second_order;
  const ConstraintData& rows = *w.cd();
  const int n = coordinates_of(w), m = w.rows(), ld = x.ld;
  double* u = x.multipliers;
  std::fill_n(u, n, 0.0);
  for (int r = 0; r < m; ++r) {
    const double* column = x.by_desired + std::ptrdiff_t{rows.user_row[r]} * ld;
    for (int k = 0; k < n; ++k) u[k] -= x.of_row_multipliers[r] / rows.weight[r] * column[k];
  }
  place_state(w, in, user.v, x.solution, u, x.of_rows, x.of_row_multipliers, x);
  const auto PT = [&](int k) { return x.lambda_q + std::ptrdiff_t{k} * x.stride; };
  for_columns(w, true, false, [&](int k, int l) {
    for (int r = 0; r < m; ++r) PT(k)[r] = -x.data.by_lambda[r].change(l);
    take_unreachable(w, PT(k));
    for (int r = 0; out.q_desired.values && r < m; ++r)
      x.q_desired[k + std::ptrdiff_t{rows.user_row[r]} * ld] += PT(k)[r];
  });
  if (!out.qq.values && !out.qv.values) return Status::ok;
  Solution s(w, true);
  s.one_by_one = true;
  TENON_CHECK(solve(user, s));
  for (int k = 0; k < n; ++k) {
    const ProductGradients by = solution_gradients(s, nullptr, nullptr, PT(k));
    for (int i = 0; i < n; ++i) x.qq[i + std::ptrdiff_t{k} * ld] -= 2 * by.q[i];
    for (int i = 0; i < n; ++i) x.vq[k + std::ptrdiff_t{i} * ld] -= by.v[i];
  }
  return Status::ok;
}

struct Columns {
  const double* values;
  int length, ld;
};
// y := A^T w + B^T z; null: zero.
void transposed_times(int columns, const Columns& A, const double* w, const Columns& B, const double* z,
                      double* y) {
  for (int j = 0; j < columns; ++j) {
    y[j] = 0;
    for (int i = 0; w && i < A.length; ++i) y[j] += A.values[i + std::ptrdiff_t{j} * A.ld] * w[i];
    for (int i = 0; z && i < B.length; ++i) y[j] += B.values[i + std::ptrdiff_t{j} * B.ld] * z[i];
  }
}

// in: of the tree, with what friction takes.
Status start_inverse(WorkspaceImpl& w, const Inputs<double>& user, const double* gradient,
                     Inputs<double>& in) {
  TENON_CHECK(map_in_inverse(w, user, in));
  in.tau = w.zeros.data();
  in = with_friction(w, in);
  if (w.coordinates.independent_v) TENON_CHECK(update_loops(w, in.q, in.v));
  return check_finite(w, "gradient", gradient, coordinates_of(w));
}

}  // namespace

Status check_twice_differentiable(Workspace& workspace, bool of_inverse) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(EmbeddedLoops(w).check());
  if (of_inverse || w.coordinates.independent_v || w.md().varying_clusters == 0) return Status::ok;
  const ModelData& m = w.md();
  const ClusterData* bent = m.clusters;
  while (bent->constant_G) ++bent;
  return w.fail(
      Status::unsupported,
      "there are no second derivatives of dynamics in spanning coordinates where embedded loops turn with q, "
      "'%s' "
      "the first: motions that keep loops closed bend there; set independent velocities, or close loops by "
      "rows",
      w.model->loops.names[index(bent->constraint_begin)].c_str());
}

Status inverse_dynamics_hessian(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient, const Hessian& out) {
  TENON_CHECK(check_twice_differentiable(workspace, true));
  WorkspaceImpl& w = workspace.impl();
  TENON_CHECK(refuse_row_loops(w));
  SecondOrderMemory& x = *w.second_order;
  Inputs<double> in;
  TENON_CHECK(start_inverse(w, user, gradient, in));
  place_wrenches(w, in, x);
  place_state(w, in, user.v, user.qdd, gradient, nullptr, nullptr, x);
  if (out.qq.values || out.qv.values || out.qx.values) fill(w, false, false);
  if (out.vv.values) fill(w, false, true);
  const int n = coordinates_of(w);
  symmetrize(n, x.ld, x.qq), transpose(n, x.ld, x.vq), transpose(n, x.ld, x.aq);
  return give(w, options, 0, "hessian_qa", x.aq, out);
}

namespace {

// With rows: constrained dynamics. gradient_lambda: null without.
Status differentiate_twice(Workspace& workspace, bool with_rows, const DerivativeOptions& options,
                           const Inputs<double>& user, const double* gradient, const double* gradient_lambda,
                           const Hessian& out) {
  TENON_CHECK(check_twice_differentiable(workspace, false));
  WorkspaceImpl& w = workspace.impl();
  SecondOrderMemory& x = *w.second_order;
  const int n = coordinates_of(w), m = with_rows ? w.rows() : 0;
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, m));
  const Derivatives of_qdd = {{x.first[0], x.ld}, {x.first[1], x.ld}, {x.first[2], x.ld}};
  if (!with_rows) {
    TENON_CHECK(forward_dynamics_derivatives(workspace, {}, user, x.solution, of_qdd));
  } else {
    const Derivatives of_lambda = {
        {x.lambda_first[0], x.stride}, {x.lambda_first[1], x.stride}, {x.lambda_first[2], x.stride}};
    TENON_CHECK(constrained_dynamics_derivatives(
        workspace, {}, user, x.solution, x.of_rows,
        {of_qdd, {x.by_desired, x.ld}, of_lambda, {x.lambda_by_desired, x.stride}}));
    TENON_CHECK(check_multipliers(w, gradient_lambda));
  }
  // dqdd/dtau^T w + dlambda/dtau^T z, and by the desired accelerations - b.
  transposed_times(n, {x.first[2], n, x.ld}, gradient, {x.lambda_first[2], m, x.stride}, gradient_lambda,
                   x.multipliers);
  transposed_times(m, {x.by_desired, n, x.ld}, gradient, {x.lambda_by_desired, m, x.stride}, gradient_lambda,
                   x.of_row_multipliers);
  for (int r = 0; r < m; ++r) x.of_row_multipliers[r] = -x.of_row_multipliers[r];
  Inputs<double> in;
  TENON_CHECK(map_in_forward(w, user, in));
  in = with_friction(w, in);
  if (w.coordinates.independent_v) TENON_CHECK(update_loops(w, in.q, in.v));
  if (with_rows) {
    for (double* rows : {x.of_rows, x.of_row_multipliers}) {
      rows_from_user(w.cd(), rows, w.row_scratch.data());
      std::copy_n(w.row_scratch.data(), m, rows);
    }
  }
  place_wrenches(w, in, x);
  place_state(w, in, user.v, x.solution, x.multipliers, with_rows ? x.of_rows : nullptr, x.of_row_multipliers,
              x);
  fill(w, with_rows, false);
  if (out.vv.values) fill(w, with_rows, true);
  transpose(n, x.ld, x.vq);
  eliminate(w, with_rows, out);
  if (with_rows && dependent_rows(w) > 0 && (out.qq.values || out.qv.values || out.q_desired.values))
    TENON_CHECK(add_dependent(w, user, in, out));
  symmetrize(n, x.ld, x.qq);
  return give(w, options, m, "hessian_qtau", x.qx, out);
}

}  // namespace

// ---- products with a change

namespace {

Status check_change(WorkspaceImpl& w, const StateChange& change, const char* by_third) {
  const int n = coordinates_of(w);
  TENON_CHECK(check_finite(w, "dq", change.q, n));
  TENON_CHECK(check_finite(w, "dv", change.v, n));
  return check_finite(w, by_third, change.third, n);
}

// After place_state: the changes of the gradients by q, v and a along one of the state, of a and of lambda (kernels' order), in
// x.of_change; of that by lambda in x.of_rows, in the user's order. null: zero.
void change_gradients(WorkspaceImpl& w, bool with_rows, const StateChange& change, const double* lambda) {
  SecondProductMemory& x = *w.second_products;
  const int n = coordinates_of(w);
  for (int k = 0; change.third && k < n; ++k) x.qdd[k].change(0) = change.third[k];
  for (int r = 0; with_rows && r < w.rows(); ++r) x.lambda[r].change(0) = lambda[r];
  w.kernels->gradient_change(w.md(), with_rows ? w.cd() : nullptr, or_zero(w, change.q), or_zero(w, change.v),
                             x.data, x.arena.data);
  const OneChange* const by[3] = {x.data.by_q, x.data.by_v, x.data.by_a};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < n; ++k) x.of_change[i][k] = by[i][k].change(0);
  for (int r = 0; with_rows && r < w.rows(); ++r)
    x.of_rows[w.cd()->user_row[r]] = x.data.by_lambda[r].change(0);
}

// What rows that depend on others add: to x.of_change[0], and to the multipliers of rows, in x.beyond[1]. x.beyond[0]: what the
// change asks of rows. After change_gradients.
Status change_dependent(Solution& s, const double* dq) {
  WorkspaceImpl& w = s.w;
  SecondProductMemory& x = *w.second_products;
  const ConstraintData& rows = *w.cd();
  double *asked = x.beyond[0], *PT = x.beyond[1];
  for (int r = 0; r < s.m(); ++r) PT[rows.user_row[r]] = -x.of_row_multipliers[r] / rows.weight[r];
  ProductChange u{};
  TENON_CHECK(solution_change(s, {{}, PT}, u));
  load(u.qdd, s.n(), x.y);
  w.kernels->gradient_change(w.md(), &rows, or_zero(w, dq), w.zeros.data(), x.data, x.arena.data);
  for (int r = 0; r < s.m(); ++r) PT[r] = -x.data.by_lambda[r].change(0);
  take_unreachable(w, PT), take_unreachable(w, asked);
  for (int k = 0; k < s.n(); ++k) x.qdd[k].change(0) = 0;
  for (int r = 0; r < s.m(); ++r) x.lambda[r].change(0) = asked[r];
  w.kernels->gradient_change(w.md(), &rows, w.zeros.data(), w.zeros.data(), x.data, x.arena.data);
  for (int k = 0; k < s.n(); ++k) x.of_change[0][k] += x.data.by_q[k].change(0);
  return Status::ok;
}

// x := - x - y.
void less(const double* y, int n, double* x) {
  for (int k = 0; k < n; ++k) x[k] = -x[k] - y[k];
}

Status give_products(WorkspaceImpl& w, const DerivativeOptions& options, const char* by_third,
                     const double* third, const Derivatives& out, const DerivativeBlock& by_desired) {
  const SecondProductMemory& x = *w.second_products;
  const int n = coordinates_of(w);
  return give_derivatives(w, options.accumulate, {},
                          {{x.of_change[0], n, 1, n, "product_q", out.by_q},
                           {x.of_change[1], n, 1, n, "product_v", out.by_v},
                           {third, n, 1, n, by_third, out.by_third},
                           by_desired});
}

// With rows, with embedded loops, or with both.
Status solution_hvp(WorkspaceImpl& w, bool with_rows, const DerivativeOptions& options,
                    const Inputs<double>& user, const double* gradient, const double* gradient_lambda,
                    const ConstrainedChange& change, const ConstrainedGradient& out) {
  Solution s(w, with_rows);
  s.one_by_one = true;
  SecondProductMemory& x = *w.second_products;
  const int n = s.n(), m = s.m();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_finite(w, "gradient_lambda", gradient_lambda, m));
  TENON_CHECK(check_change(w, change.state, "dtau"));
  TENON_CHECK(check_finite(w, "ddesired", change.desired, m));
  TENON_CHECK(map_in_forward(w, user, s.in));
  place_wrenches(w, s.in, x);  // to which solve() adds the forces of rows
  TENON_CHECK(solve(user, s));
  TENON_CHECK(check_rank(s));
  if (with_rows) TENON_CHECK(check_multipliers(w, gradient_lambda));
  const bool depend = with_rows && dependent_rows(w) > 0;
  ProductChange along{};
  TENON_CHECK(solution_change(s, change, along, depend ? x.beyond[0] : nullptr));
  std::copy_n(along.qdd, n, x.solution);
  if (with_rows) std::copy_n(along.lambda, m, x.of_rows);
  const ProductGradients first = solution_gradients(s, gradient, gradient_lambda);
  for (int r = 0; r < m; ++r) x.of_row_multipliers[r] = -first.desired[r];
  copy_motion(w, s.in.qdd, x.multipliers);
  place_state(w, s.in, user.v, x.multipliers, first.tau, s.lambda, x.of_row_multipliers, x);
  change_gradients(w, with_rows, {change.state.q, change.state.v, x.solution}, x.of_rows);
  if (depend) TENON_CHECK(change_dependent(s, change.state.q));
  const ProductGradients rest =
      solution_gradients(s, x.of_change[2], x.of_rows, depend ? x.beyond[1] : nullptr);
  less(rest.q, n, x.of_change[0]), less(rest.v, n, x.of_change[1]);
  for (int k = 0; k < n; ++k) x.of_change[2][k] = -rest.tau[k];
  for (int r = 0; r < m; ++r) x.of_row_multipliers[r] = -rest.desired[r];
  return give_products(w, options, "product_tau", x.of_change[2], out.state,
                       s.block_of_rows(x.of_row_multipliers, 1, "product_desired", out.by_desired));
}

}  // namespace

Status inverse_dynamics_hvp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const double* gradient, const StateChange& change,
                            const Derivatives& out) {
  TENON_CHECK(check_twice_differentiable(workspace, true));
  WorkspaceImpl& w = workspace.impl();
  TENON_CHECK(refuse_row_loops(w));
  SecondProductMemory& x = *w.second_products;
  Inputs<double> in;
  TENON_CHECK(start_inverse(w, user, gradient, in));
  TENON_CHECK(check_change(w, change, "da"));
  place_wrenches(w, in, x);
  place_state(w, in, user.v, user.qdd, gradient, nullptr, nullptr, x);
  change_gradients(w, false, change, nullptr);
  return give_products(w, options, "product_a", x.of_change[2], out, {});
}

Status forward_dynamics_hvp(Workspace& workspace, const DerivativeOptions& options,
                            const Inputs<double>& user, const double* gradient, const StateChange& change,
                            const Derivatives& out) {
  TENON_CHECK(check_twice_differentiable(workspace, false));
  WorkspaceImpl& w = workspace.impl();
  if (w.md().cluster_count > 0)
    return solution_hvp(w, false, options, user, gradient, nullptr, {change, nullptr}, {out, {}});
  Inputs<double> in;
  const TreeSweeps sweeps(w);
  TENON_CHECK(start_forward(sweeps, user, in));
  SecondProductMemory& x = *w.second_products;
  const int n = w.model->nv;
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(check_change(w, change, "dtau"));
  std::copy_n(tree_change(sweeps, in, change).qdd, n, x.solution);
  place_wrenches(w, in, x);
  place_state(w, in, in.v, in.qdd, tree_gradients(sweeps, in, gradient).tau, nullptr, nullptr, x);
  change_gradients(w, false, {change.q, change.v, x.solution}, nullptr);
  const ProductGradients rest = tree_gradients(sweeps, in, x.of_change[2]);
  less(rest.q, n, x.of_change[0]), less(rest.v, n, x.of_change[1]);
  for (int k = 0; k < n; ++k) x.of_change[2][k] = -rest.tau[k];
  return give_products(w, options, "product_tau", x.of_change[2], out, {});
}

Status constrained_dynamics_hvp(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient,
                                const double* gradient_lambda, const ConstrainedChange& change,
                                const ConstrainedGradient& out) {
  TENON_CHECK(check_twice_differentiable(workspace, false));
  WorkspaceImpl& w = workspace.impl();
  if (w.rows() == 0)
    return forward_dynamics_hvp(workspace, options, user, or_zero(w, gradient), change.state, out.state);
  return solution_hvp(w, true, options, user, gradient, gradient_lambda, change, out);
}

Status forward_dynamics_hessian(Workspace& workspace, const DerivativeOptions& options,
                                const Inputs<double>& user, const double* gradient, const Hessian& out) {
  return differentiate_twice(workspace, false, options, user, gradient, nullptr, out);
}

Status constrained_dynamics_hessian(Workspace& workspace, const DerivativeOptions& options,
                                    const Inputs<double>& user, const double* gradient,
                                    const double* gradient_lambda, const Hessian& out) {
  return differentiate_twice(workspace, begin(workspace).rows() > 0, options, user, gradient, gradient_lambda,
                             out);
}

}  // namespace tenon
