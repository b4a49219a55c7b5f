// First derivatives of inverse dynamics of a model with embedded loops in independent velocities; in spanning ones they are
// those of the tree (calls/derivatives.cpp). tau = G^T f, f = ID(q, v, G a + g), and with the forces mu of loops that hold the dependent
// coordinates, f - K^T mu is tau on the independent coordinates and zero on the others, so that
//
//   dtau/dx = G^T d(f - K^T mu)/dx
//
// at this mu: G has unit rows for the independent coordinates, and G^T K^T = 0 (embedded_loops.hpp).
#include <algorithm>

#include "calls/derivatives/embedded_loops.hpp"
#include "calls/derivatives/outputs.hpp"
#include "calls/derivatives/ratios.hpp"
#include "calls/derivatives/with_loops.hpp"
#include "state/coordinates.hpp"
#include "state/joint_friction.hpp"
#include "state/projection.hpp"

namespace tenon {

namespace {

// What derivatives are taken at, in the coordinates of the tree, and in the workspace the motion there.
struct Point {
  explicit Point(WorkspaceImpl& w_) : w(w_), loops(w_) {}

  WorkspaceImpl& w;
  EmbeddedLoops loops;
  Inputs<double> in;

  int n() const { return w.model->ny; }
  DerivativeProducts products() const { return {w, loops, true, in.wrenches, nullptr}; }
};

// Leaves tau in numbers[3] of the memory of derivatives.
Status start(const Inputs<double>& user, Point& p) {
  WorkspaceImpl& w = p.w;
  Inputs<double>& in = p.in;
  TENON_CHECK(p.loops.check());
  TENON_CHECK(refuse_row_loops(w));
  *w.derivatives, *w.loop_derivatives;
  w.need(of_joint_space);
  TENON_CHECK(map_in_inverse(w, user, in));
  if (!in.wrenches) std::fill_n(w.w().wrench, 6 * w.model->body_count(), 0.0);
  in.wrenches = w.w().wrench;
  double *force = p.loops.memory().numbers[0], *tau = w.derivatives->numbers[3];
  w.kernels->rnea(w.md(), in, force, w.w());
  add_friction(w, in.v, force);
  TENON_CHECK(check_result(w, force, w.model->nv));
  TENON_CHECK(update_loops(w, in.q, in.v));
  to_independent_force(w, force, tau);
  w.kernels->sweep_motion(w.md(), in.q, in.v, in.qdd, w.w());
  p.loops.place(force);
  return Status::ok;
}

// dtau along a change, numbers of the user; null: zero.
void change_torques(const Point& p, const StateChange& change, double* dtau) {
  WorkspaceImpl& w = p.w;
  LoopDerivativeMemory& d = p.loops.memory();
  double* dr = w.derivatives->numbers[0];
  const DerivativeProducts products = p.products();
  const DerivativeProducts::Change x = products.spanning(p.in.v, {change.q, change.v, change.third}, true,
                                                         d.numbers[0], d.numbers[1], d.numbers[3]);
  products.jvp(p.in.v, or_zero(w, x.q), x.v, x.third, dr, nullptr, d.h);
  add_damped(w, x.v, dr);
  to_independent_force(w, dr, dtau);
}

}  // namespace

Status inverse_derivatives_with_loops(WorkspaceImpl& w, const DerivativeOptions& options,
                                      const Inputs<double>& user, double* tau, const Derivatives& out) {
  Point p(w);
  TENON_CHECK(start(user, p));
  DerivativeMemory& d = *w.derivatives;
  const int n = p.n();
  double *by_q = d.matrix[0], *by_v = d.matrix[1], *M = d.matrix[2];
  w.kernels->rnea_derivatives(w.md(), false, p.in.wrenches, by_q, by_v, M, d.ld, MatrixOrder::rows, d.data,
                              w.w());
  add_damping(w, by_v, d.ld);
  p.loops.close_matrices({by_q, by_v, nullptr, nullptr, M, nullptr, 0, d.ld}, true);
  p.loops.project_columns(M, w.model->nv, d.ld), p.loops.project_rows(M, n, d.ld);
  const auto block = [&](const double* x, const char* name, const DerivativeOut& to) {
    return DerivativeBlock{x, n, n, d.ld, name, to, nullptr, nullptr, MatrixOrder::rows};
  };
  return give_derivatives(w, options.accumulate, {{d.numbers[3], n, tau}},
                          {block(by_q, "dtau_dq", out.by_q), block(by_v, "dtau_dv", out.by_v),
                           block(M, "dtau_da", out.by_third)});
}

Status inverse_vjp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options, const Inputs<double>& user,
                              const double* gradient, double* tau, const Derivatives& out) {
  Point p(w);
  const int n = p.n();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(start(user, p));
  DerivativeMemory& d = *w.derivatives;
  double *y = p.loops.memory().numbers[0], *by_q = d.numbers[0], *by_v = d.numbers[1], *by_a = d.numbers[2];
  from_independent(w, gradient, nullptr, y);
  p.products().vjp(y, nullptr, nullptr, by_q, by_v, by_a);
  add_damped(w, y, by_v);
  p.products().to_user(by_q, by_v);
  to_independent_force(w, by_a, y);
  return give_derivatives(w, options.accumulate, {{d.numbers[3], n, tau}},
                          {{by_q, n, 1, d.ld, "gradient_q", out.by_q},
                           {by_v, n, 1, d.ld, "gradient_v", out.by_v},
                           {y, n, 1, d.ld, "gradient_a", out.by_third}});
}

Status inverse_parameter_vjp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options,
                                        const Inputs<double>& user, const double* gradient, double* tau,
                                        const ParameterGradient& out) {
  Point p(w);
  p.loops.take_constant();
  const int n = p.n();
  TENON_CHECK(check_finite(w, "gradient", gradient, n));
  TENON_CHECK(start(user, p));
  DerivativeMemory& d = *w.derivatives;
  double *y = p.loops.memory().numbers[0], *by_q = d.numbers[0], *by_v = d.numbers[1];
  from_independent(w, gradient, nullptr, y);
  p.products().vjp(y, nullptr, nullptr, by_q, by_v, nullptr);
  add_damped(w, y, by_v);
  place_ratio_gradients(w, p.loops, p.in, y, 1, by_q, by_v);
  return give_parameter_gradients(w, options.accumulate, p.in, y, 1, {{d.numbers[3], n, tau}}, out);
}

Status inverse_jvp_with_loops(WorkspaceImpl& w, const DerivativeOptions& options, const Inputs<double>& user,
                              const StateChange& change, double* tau, double* dtau) {
  Point p(w);
  const int n = p.n();
  TENON_CHECK(check_finite(w, "dq", change.q, n));
  TENON_CHECK(check_finite(w, "dv", change.v, n));
  TENON_CHECK(check_finite(w, "da", change.third, n));
  TENON_CHECK(start(user, p));
  DerivativeMemory& d = *w.derivatives;
  double* along = p.loops.memory().numbers[2];
  change_torques(p, change, along);
  return give_derivatives(w, options.accumulate, {{d.numbers[3], n, tau}},
                          {{along, n, 1, d.ld, "dtau", {dtau, 0}}});
}

}  // namespace tenon
