// Products with first derivatives of a step in time, v' = v + dt qdd(q, v, tau), q' = q exp(dt v')
// (kernels/joint/integrate_derivatives.hpp), with constraint rows too. A step with rows, loops closed by rows among them, is
// no more than that: it checks what becomes of loops (calls/step_check.hpp), and moves nothing for it.
#include <algorithm>

#include "calls/derivatives/accelerations.hpp"
#include "calls/step_check.hpp"
#include "kernels/joint/integrate_derivatives.hpp"
#include "scalar/index.hpp"

namespace tenon {

Status check_differentiable_step(Workspace& workspace) {
  WorkspaceImpl& w = begin(workspace);
  return w.md().cluster_count > 0 ? refuse_loops(w) : Status::ok;
}

namespace {

// The end of a step from a checked state, and what derivatives need of it.
struct EndOfStep {
  explicit EndOfStep(WorkspaceImpl& w) {
    const std::size_t nv = index(w.model->nv);
    q = w.step.data(), v = q + w.model->nq;
    u = v + nv, moved = u + nv, by_u = moved + nv, by_qdd = by_u + nv;
  }
  double *q, *v;
  double *u, *moved, *by_u;  // dt v'; a tangent at the end through q, and through u
  double* by_qdd;
};

Status start_step(Workspace& workspace, double dt, const Inputs<double>& user, Solution& s) {
  WorkspaceImpl& w = s.w;
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  TENON_CHECK(check_differentiable_step(workspace));
  if (w.row_loops) TENON_CHECK(check_semi_implicit_euler(workspace, dt, user));
  TENON_CHECK(s.with_rows ? solve(user, s) : start_forward(w, user, true, s.in));
  const EndOfStep e(w);
  const int nv = w.model->nv;
  for (int k = 0; k < nv; ++k) e.v[k] = s.in.v[k] + dt * s.in.qdd[k], e.u[k] = dt * e.v[k];
  std::copy_n(s.in.q, w.model->nq, e.q);
  integrate_joints(w.md(), e.v, dt, e.q);
  TENON_CHECK(check_result(w, e.v, nv));
  return check_result(w, e.q, w.model->nq);
}

Status give_step(WorkspaceImpl& w, bool accumulate, const StepEnd& end,
                 std::initializer_list<DerivativeBlock> blocks) {
  const EndOfStep e(w);
  return give_derivatives(w, accumulate, {{e.q, w.model->nq, end.q}, {e.v, w.model->nv, end.v}}, blocks);
}

}  // namespace

Status step_semi_implicit_euler_vjp(Workspace& workspace, const DerivativeOptions& options, double dt,
                                    const Inputs<double>& user, const double* gradient_q,
                                    const double* gradient_v, const StepEnd& end, const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  TENON_CHECK(start_step(workspace, dt, user, s));
  const int nv = w.model->nv;
  TENON_CHECK(check_finite(w, "gradient_next_q", gradient_q, nv));
  TENON_CHECK(check_finite(w, "gradient_next_v", gradient_v, nv));
  if (s.with_rows && out.by_q.values) TENON_CHECK(check_rank(s, nullptr));
  const EndOfStep e(w);
  move_tangents(w.md(), e.u, or_zero(w, gradient_q), true, e.moved, e.by_u);
  const double* by_v = or_zero(w, gradient_v);
  for (int k = 0; k < nv; ++k) {
    e.by_u[k] = by_v[k] + dt * e.by_u[k];  // now the gradient by v'
    e.by_qdd[k] = dt * e.by_u[k];
  }
  const ProductGradients by =
      s.with_rows ? solution_gradients(s, e.by_qdd, nullptr) : tree_gradients(w, s.in, e.by_qdd);
  for (int k = 0; k < nv; ++k) by.q[k] += e.moved[k], by.v[k] += e.by_u[k];
  return give_step(w, options.accumulate, end,
                   {{by.q, nv, 1, nv, "gradient_q", out.by_q},
                    {by.v, nv, 1, nv, "gradient_v", out.by_v},
                    {by.tau, nv, 1, nv, "gradient_tau", out.by_third}});
}

Status step_semi_implicit_euler_jvp(Workspace& workspace, const DerivativeOptions& options, double dt,
                                    const Inputs<double>& user, const StateChange& change, const StepEnd& end,
                                    const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  TENON_CHECK(start_step(workspace, dt, user, s));
  const int nv = w.model->nv;
  TENON_CHECK(check_finite(w, "dq", change.q, nv));
  TENON_CHECK(check_finite(w, "dv", change.v, nv));
  TENON_CHECK(check_finite(w, "dtau", change.third, nv));
  ProductChange of{};
  if (s.with_rows)
    TENON_CHECK(solution_change(s, {change, nullptr}, of));
  else
    of = tree_change(w, s.in, change);
  const EndOfStep e(w);
  double *by_q = w.derivatives->numbers[0], *by_v = w.derivatives->numbers[1];
  const double* dv = or_zero(w, change.v);
  for (int k = 0; k < nv; ++k) by_v[k] = dv[k] + dt * of.qdd[k];
  move_tangents(w.md(), e.u, by_v, false, e.moved, e.by_u);
  std::copy_n(e.by_u, nv, by_q);
  move_tangents(w.md(), e.u, or_zero(w, change.q), false, e.moved, e.by_u);
  for (int k = 0; k < nv; ++k) by_q[k] = e.moved[k] + dt * by_q[k];
  return give_step(w, options.accumulate, end,
                   {{by_q, nv, 1, nv, "dnext_q", out.by_q}, {by_v, nv, 1, nv, "dnext_v", out.by_v}});
}

}  // namespace tenon
