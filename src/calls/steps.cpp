// Time steps. The user's state is mapped to the spanning tree's coordinates once; all stages are computed
// there, and the end is mapped back. So a step can pass a dead centre of independent coordinates, where their
// velocities do not determine the motion of the other joints.
//
// The Runge-Kutta step is that of H. Munthe-Kaas (High order Runge-Kutta methods on manifolds, Applied
// Numerical Mathematics 29, 1999) with the classical tableau. A configuration is an element of a product of
// groups. With q(t) = q_0 exp(u(t)) and velocities v in child axes, q' = q v, the vector u obeys
//
//   u' = v + [u, v] / 2 + [u, [u, v]] / 12 + O(u^4),
//
// the inverse of the derivative of exp. A method of order four needs no more terms (that of third order is
// zero). Without the brackets the method has only order two where rotations do not commute.
#include <algorithm>

#include "calls/constrained.hpp"
#include "calls/step_check.hpp"
#include "model/joint_motion.hpp"
#include "state/coordinates.hpp"
#include "state/link_frames.hpp"
#include "state/projection.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

Status fail_step(WorkspaceImpl& w, double dt) {
  return w.fail(
      Status::not_finite,
      "the state after a step of %g s is not finite; the accelerations are too large for this step, take a "
      "shorter one",
      dt);
}

// [u, v] in the axes of the child; zero for joints of one coordinate.
void bracket(const Model::Joint& joint, const double* u, const double* v, double* out) {
  switch (joint.type) {
    case JointType::spherical:
      store(out, cross(load_vec3<double>(u), load_vec3<double>(v)));
      return;
    case JointType::planar:
      out[0] = 0;
      out[1] = v[0] * u[2] - u[0] * v[2];
      out[2] = u[0] * v[1] - v[0] * u[1];
      return;
    case JointType::floating:
      store(out, cross(Motion<double>{load_vec3<double>(u), load_vec3<double>(u + 3)},
                       Motion<double>{load_vec3<double>(v), load_vec3<double>(v + 3)}));
      return;
    default:
      out[0] = 0;
  }
}

// v := v + [u, v] / 2 + [u, [u, v]] / 12 with u = h u_of_one.
void add_brackets(const Model& model, const double* u_of_one, double h, double* v) {
  for (const Model::Joint& joint : model.joints) {
    if (joint.nv == 1) continue;
    double u[6], once[6], twice[6];
    double* x = v + joint.v_index;
    for (int e = 0; e < joint.nv; ++e) u[e] = h * u_of_one[joint.v_index + e];
    bracket(joint, u, x, once);
    bracket(joint, u, once, twice);
    for (int e = 0; e < joint.nv; ++e) x[e] += 0.5 * once[e] + twice[e] / 12;
  }
}

// The user's input, mapped to the spanning tree's coordinates, and memory for the stages.
struct Step {
  explicit Step(WorkspaceImpl& w) {
    const std::size_t nq = static_cast<std::size_t>(w.model->nq), nv = static_cast<std::size_t>(w.model->nv);
    double* next = w.step.data();
    for (double** x : {&stage_q, &end_q}) *x = next, next += nq;
    for (double** x : {&stage_v, &rate, &u, &sum_u, &sum_a, &first_a}) *x = next, next += nv;
    lambda = w.step_lambda.data();
  }
  const double *q, *v, *tau, *wrenches;
  double *stage_q, *end_q, *stage_v;
  double *rate, *u, *sum_u;  // the velocity, u', the weighted sum of u'
  double *sum_a, *first_a;
  double* lambda;  // of the first stage, in the user's order
};

Status take_step(WorkspaceImpl& w, const SolveOptions& options, double dt, const double* lambda, Step& s) {
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  TENON_CHECK(check_options(w, options));
  TENON_CHECK(take_state(w, s.q, s.v));
  TENON_CHECK(take_forces(w, s.tau));
  if (options.warm_start) TENON_CHECK(check_finite(w, "lambda", lambda, w.rows()));
  return load_wrenches(w, s.wrenches);
}

// Leaves the accelerations in w.w().qdd. The first stage keeps its multipliers and may start from given ones.
Status solve_stage(WorkspaceImpl& w, const SolveOptions& options, const Step& s, const double* q,
                   const double* v, const double* lambda, bool first) {
  const double* start = first && options.warm_start ? lambda : nullptr;
  const Status status = constrained_motion(w, {options, q, v, s.tau, s.wrenches, nullptr, start});
  if (static_cast<std::int32_t>(status) < 0) return status;
  TENON_CHECK(check_result(w, w.w().qdd, w.model->nv));
  if (!first) return status;
  std::copy_n(w.w().qdd, w.model->nv, s.first_a);
  std::copy_n(w.user_rows.data(), w.rows(), s.lambda);
  return status;
}

// to := `from` moved by `rate` for dt.
void move_joints(const Model& model, const double* from, const double* rate, double dt, double* to) {
  std::copy_n(from, model.nq, to);
  integrate_joints(model, rate, dt, to);
}

// Closes the loops at the end of a step in independent coordinates, which keep their values. Next to a dead
// centre, however, all joints move a little, and v is projected by the coordinates that sweeps use there.
Status close_step(WorkspaceImpl& w, double* q, double* v) {
  TENON_CHECK(update_loops(w, q, nullptr, SplitFor::any));
  if (!w.split.any_changed) return close_dependent(w, q);
  if (!(w.loops.assembly.close(q, Assembly::Moves::all, w.w()) < loop_tolerance))
    return close_dependent(w, q);
  TENON_CHECK(update_loops(w, q, nullptr, SplitFor::any));
  double* y = w.loops.independent.data();
  for (int j = 0; j < w.model->ny; ++j) y[j] = v[w.md().independent[j]];
  from_independent(w, y, nullptr, v);
  return Status::ok;
}

// Copies the new state and results to the user if all are finite, else nothing.
Status finish_step(WorkspaceImpl& w, double dt, const Step& s, double* end_v, double* q, double* v,
                   double* qdd, double* lambda) {
  if (!all_finite(s.end_q, w.model->nq) || !all_finite(end_v, w.model->nv)) return fail_step(w, dt);
  TENON_CHECK(check_step(w, {dt, s.q, s.v, s.tau, s.wrenches != nullptr, s.lambda, s.end_q, end_v}));
  if (w.coordinates.independent_v) TENON_CHECK(close_step(w, s.end_q, end_v));
  copy_positions(w, s.end_q, q);
  copy_motion(w, end_v, v);
  if (qdd) copy_motion(w, s.first_a, qdd);
  if (lambda) std::copy_n(s.lambda, w.rows(), lambda);
  return Status::ok;
}

}  // namespace

Status step_semi_implicit_euler(Workspace& workspace, const SolveOptions& options, double dt, double* q,
                                double* v, const double* tau, const double* wrenches, double* qdd,
                                double* lambda) {
  WorkspaceImpl& w = begin(workspace);
  Step s(w);
  s.q = q, s.v = v, s.tau = tau, s.wrenches = wrenches;
  TENON_CHECK(take_step(w, options, dt, lambda, s));
  const Status status = solve_stage(w, options, s, s.q, s.v, lambda, true);
  if (static_cast<std::int32_t>(status) < 0) return status;
  for (int k = 0; k < w.model->nv; ++k) s.stage_v[k] = s.v[k] + dt * s.first_a[k];
  if (!all_finite(s.stage_v, w.model->nv)) return fail_step(w, dt);
  move_joints(*w.model, s.q, s.stage_v, dt, s.end_q);
  TENON_CHECK(finish_step(w, dt, s, s.stage_v, q, v, qdd, lambda));
  return status;
}

Status step_runge_kutta_4(Workspace& workspace, const SolveOptions& options, double dt, double* q, double* v,
                          const double* tau, const double* wrenches, double* qdd, double* lambda) {
  WorkspaceImpl& w = begin(workspace);
  const int nv = w.model->nv;
  Step s(w);
  s.q = q, s.v = v, s.tau = tau, s.wrenches = wrenches;
  TENON_CHECK(take_step(w, options, dt, lambda, s));
  Status worst = Status::ok;
  for (double* sum : {s.sum_u, s.u, s.sum_a}) std::fill_n(sum, nv, 0.0);
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place[5] = {0, 0.5, 0.5, 1, 0};
  for (int stage = 0; stage < 4; ++stage) {
    const double *stage_q = stage == 0 ? s.q : s.stage_q, *stage_v = stage == 0 ? s.v : s.stage_v;
    const Status status = solve_stage(w, options, s, stage_q, stage_v, lambda, stage == 0);
    if (stage > 0 && status == Status::not_finite) return fail_step(w, dt);
    if (static_cast<std::int32_t>(status) < 0) return status;
    worst = std::max(worst, status);
    const double* a = w.w().qdd;
    std::copy_n(stage_v, nv, s.rate);
    add_brackets(*w.model, s.u, place[stage] * dt, s.rate);
    std::copy_n(s.rate, nv, s.u);
    for (int k = 0; k < nv; ++k) s.sum_u[k] += weight[stage] * s.u[k];
    for (int k = 0; k < nv; ++k) s.sum_a[k] += weight[stage] * a[k];
    if (stage == 3) break;
    for (int k = 0; k < nv; ++k) s.stage_v[k] = s.v[k] + place[stage + 1] * dt * a[k];
    move_joints(*w.model, s.q, s.u, place[stage + 1] * dt, s.stage_q);
    if (!all_finite(s.stage_v, nv) || !all_finite(s.stage_q, w.model->nq)) return fail_step(w, dt);
  }
  for (int k = 0; k < nv; ++k) s.stage_v[k] = s.v[k] + dt * s.sum_a[k];
  move_joints(*w.model, s.q, s.sum_u, dt, s.end_q);
  TENON_CHECK(finish_step(w, dt, s, s.stage_v, q, v, qdd, lambda));
  return worst;
}

}  // namespace tenon
