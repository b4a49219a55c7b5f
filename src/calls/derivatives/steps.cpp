// Products with first derivatives of a step in time, v' = v + dt qdd(q, v, tau), q' = q exp(dt v')
// (kernels/joint/integrate_derivatives.hpp), with constraint rows too. A step with rows, loops closed by rows among them, is
// no more than that: it checks what becomes of loops (calls/step_check.hpp), and moves nothing for it. Embedded loops it closes
// at its end, which moves dependent coordinates only; so there are derivatives in independent velocities.
#include <algorithm>

#include "calls/derivatives/accelerations.hpp"
#include "calls/step_check.hpp"
#include "kernels/joint/integrate_derivatives.hpp"
#include "scalar/index.hpp"
#include "state/coordinates.hpp"

namespace tenon {

static Status check_loops_of_step(WorkspaceImpl& w) {
  const EmbeddedLoops loops(w);
  if (!loops.some()) return Status::ok;
  if (!w.coordinates.independent_v)
    return w.fail(
        Status::unsupported,
        "there are no derivatives of a step of a model with embedded loops, '%s' the first, in spanning "
        "velocities, which open the loops a little; set independent ones, or close loops by rows",
        w.model->loops.names.front().c_str());
  const int split = w.coordinates.split_joint;
  if (split >= 0)
    return w.fail(Status::unsupported,
                  "there are no derivatives of a step where loops leave some coordinates of a joint free and "
                  "not others, here of '%s'; close the loops by rows",
                  w.model->joints[index(split)].name.c_str());
  return loops.check();
}
Status check_differentiable_step(Workspace& workspace) {
  return check_loops_of_step(begin(workspace));
}

namespace {

// The end of a step from a checked state, in the coordinates of the tree, and what derivatives need of it.
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

bool solves_by_rows_or_loops(const Solution& s) {
  return s.with_rows || s.loops.some();
}
Status start_step(Workspace& workspace, double dt, const Inputs<double>& user, Solution& s) {
  WorkspaceImpl& w = s.w;
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  TENON_CHECK(check_loops_of_step(w));
  if (w.row_loops || s.loops.some()) TENON_CHECK(check_semi_implicit_euler(workspace, dt, user));
  TENON_CHECK(solves_by_rows_or_loops(s) ? solve(user, s) : start_forward(w, user, s.in));
  const EndOfStep e(w);
  const int nv = w.model->nv;
  for (int k = 0; k < nv; ++k) e.v[k] = s.in.v[k] + dt * s.in.qdd[k], e.u[k] = dt * e.v[k];
  std::copy_n(s.in.q, w.model->nq, e.q);
  integrate_joints(w.md(), e.v, dt, e.q);
  TENON_CHECK(check_result(w, e.v, nv));
  return check_result(w, e.q, w.model->nq);
}

// With embedded loops the joints of independent coordinates alone take the step, for loops are closed after it.
// Tangents of the user at the start, null: zero, and at the end, in e.moved and e.by_u, where q and dt v' move. room: nv.
void move_users_tangents(WorkspaceImpl& w, const EndOfStep& e, const double* x, bool transposed,
                         double* room) {
  if (!w.coordinates.independent_v)
    return move_tangents(w.md(), e.u, or_zero(w, x), transposed, e.moved, e.by_u);
  scatter_independent(w, or_zero(w, x), room);
  move_tangents(w.md(), e.u, room, transposed, e.moved, e.by_u);
  for (double* tangent : {e.moved, e.by_u}) {
    copy_motion(w, tangent, room);
    std::copy_n(room, w.model->ny, tangent);
  }
}

Status give_step(WorkspaceImpl& w, bool accumulate, const StepEnd& end,
                 std::initializer_list<DerivativeBlock> blocks) {
  const EndOfStep e(w);
  SolutionBlock q = {e.q, w.model->nq, end.q}, v = {e.v, w.model->nv, end.v};
  if (w.coordinates.independent_v) {
    bool at_dead_centre = false;
    TENON_CHECK(close_step(w, e.q, e.v, at_dead_centre));
    if (at_dead_centre)
      return w.fail(
          Status::singular_configuration,
          "the step ends next to a dead centre, where all joints move to close the loops: there are "
          "no derivatives; take another step");
    copy_motion(w, e.v, e.u);
    v = {e.u, w.model->ny, end.v};
  }
  if (w.coordinates.independent_q) {
    copy_positions(w, e.q, e.moved);
    q = {e.moved, static_cast<int>(w.model->loops.independent_q.size()), end.q};
  }
  return give_derivatives(w, accumulate, {q, v}, blocks);
}

}  // namespace

Status step_semi_implicit_euler_vjp(Workspace& workspace, const DerivativeOptions& options, double dt,
                                    const Inputs<double>& user, const double* gradient_q,
                                    const double* gradient_v, const StepEnd& end, const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  TENON_CHECK(start_step(workspace, dt, user, s));
  const int n = s.n();
  TENON_CHECK(check_finite(w, "gradient_next_q", gradient_q, n));
  TENON_CHECK(check_finite(w, "gradient_next_v", gradient_v, n));
  if (s.with_rows && out.by_q.values) TENON_CHECK(check_rank(s));
  const EndOfStep e(w);
  move_users_tangents(w, e, gradient_q, true, e.by_qdd);
  const double* by_v = or_zero(w, gradient_v);
  for (int k = 0; k < n; ++k) {
    e.by_u[k] = by_v[k] + dt * e.by_u[k];  // now the gradient by v'
    e.by_qdd[k] = dt * e.by_u[k];
  }
  const ProductGradients by = solves_by_rows_or_loops(s) ? solution_gradients(s, e.by_qdd, nullptr)
                                                         : tree_gradients(w, s.in, e.by_qdd);
  for (int k = 0; k < n; ++k) by.q[k] += e.moved[k], by.v[k] += e.by_u[k];
  return give_step(w, options.accumulate, end,
                   {{by.q, n, 1, n, "gradient_q", out.by_q},
                    {by.v, n, 1, n, "gradient_v", out.by_v},
                    {by.tau, n, 1, n, "gradient_tau", out.by_third}});
}

Status step_semi_implicit_euler_jvp(Workspace& workspace, const DerivativeOptions& options, double dt,
                                    const Inputs<double>& user, const StateChange& change, const StepEnd& end,
                                    const Derivatives& out) {
  WorkspaceImpl& w = begin(workspace);
  Solution s(w, w.rows() > 0);
  TENON_CHECK(start_step(workspace, dt, user, s));
  const int n = s.n();
  TENON_CHECK(check_finite(w, "dq", change.q, n));
  TENON_CHECK(check_finite(w, "dv", change.v, n));
  TENON_CHECK(check_finite(w, "dtau", change.third, n));
  ProductChange of{};
  if (solves_by_rows_or_loops(s))
    TENON_CHECK(solution_change(s, {change, nullptr}, of));
  else
    of = tree_change(w, s.in, change);
  const EndOfStep e(w);
  double *by_q = w.derivatives->numbers[0], *by_v = w.derivatives->numbers[1];
  const double* dv = or_zero(w, change.v);
  for (int k = 0; k < n; ++k) by_v[k] = dv[k] + dt * of.qdd[k];
  move_users_tangents(w, e, by_v, false, e.by_qdd);
  std::copy_n(e.by_u, n, by_q);
  move_users_tangents(w, e, change.q, false, e.by_qdd);
  for (int k = 0; k < n; ++k) by_q[k] = e.moved[k] + dt * by_q[k];
  return give_step(w, options.accumulate, end,
                   {{by_q, n, 1, n, "dnext_q", out.by_q}, {by_v, n, 1, n, "dnext_v", out.by_v}});
}

}  // namespace tenon
