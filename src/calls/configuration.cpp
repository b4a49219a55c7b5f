// Configuration space: integration along a velocity, the velocity between two configurations, neutral and
// random configurations, and time steps. Spherical and floating joints move on SO(3) and SE(3) by the
// exponential of their velocity in child axes, planar joints on SE(2).
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
#include <cmath>
#include <utility>

#include "model/joint_motion.hpp"
#include "spatial/spatial.hpp"
#include "state/coordinates.hpp"
#include "state/projection.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// q := q moved by `rate` (spanning velocities) for dt.
void move_joints(const Model& model, const double* rate, double dt, double* q) {
  for (const Model::Joint& joint : model.joints)
    integrate_joint(joint, rate + joint.v_index, dt, q + joint.q_index);
}

// Independent positions move without the loops: nothing has to be closed.
Status integrate_independent(WorkspaceImpl& w, const double* y, const double* v, double dt, double* next) {
  const int count = w.coordinates.independent_v ? w.model->ny : w.model->nv;
  TENON_CHECK(check_independent_positions(w, "q", y));
  TENON_CHECK(check_finite(w, "v", v, count));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double *q = w.coordinates.q.data(), *rate = w.coordinates.v.data();
  scatter_positions(w, y, q);
  if (w.coordinates.independent_v)
    scatter_independent(w, v, rate);
  else
    std::copy_n(v, count, rate);
  move_joints(*w.model, rate, dt, q);
  return give_positions(w, q, next);
}

// Dependent joints move with G at the start; the loops are closed at the end.
Status integrate_and_close(WorkspaceImpl& w, const double* q, const double* v, double dt, double* next) {
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(take_velocities(w, q, v));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* moved = w.coordinates.q.data();
  std::copy_n(q, w.model->nq, moved);
  move_joints(*w.model, v, dt, moved);
  if (!all_finite(moved, w.model->nq))
    return w.fail(Status::not_finite, "the configuration after %g s is not finite; move for a shorter time",
                  dt);
  TENON_CHECK(close_dependent(w, moved));
  return give_positions(w, moved, next);
}

}  // namespace

Status integrate(Workspace& workspace, const double* q, const double* v, double dt, double* next) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  if (w.coordinates.independent_q) return integrate_independent(w, q, v, dt, next);
  if (w.coordinates.independent_v) return integrate_and_close(w, q, v, dt, next);
  TENON_CHECK(check_configuration(w, "q", q));
  TENON_CHECK(check_finite(w, "v", v, w.model->nv));
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* moved = w.stage.data();
  std::copy_n(q, w.model->nq, moved);
  move_joints(*w.model, v, dt, moved);
  return give_positions(w, moved, next);
}

// Maps two configurations of independent positions; loops are closed only where dependent velocities are
// wanted.
static Status take_both(WorkspaceImpl& w, const double*& q0, const double*& q1) {
  double* places[2] = {w.coordinates.q.data(), w.loops.best.data()};
  const double* given[2] = {q0, q1};
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "q0" : "q1";
    TENON_CHECK(check_independent_positions(w, name, given[i]));
    if (w.coordinates.independent_v)
      scatter_positions(w, given[i], places[i]);
    else
      TENON_CHECK(map_positions(w, name, given[i], places[i]));
  }
  q0 = places[0], q1 = places[1];
  return Status::ok;
}

Status difference(Workspace& workspace, const double* q0, const double* q1, double* v) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  if (w.coordinates.independent_q) TENON_CHECK(take_both(w, q0, q1));
  TENON_CHECK(check_configuration(w, "q0", q0));
  TENON_CHECK(check_configuration(w, "q1", q1));
  double* rate = result_room(w);
  for (const Model::Joint& joint : w.model->joints)
    joint_difference(joint, q0 + joint.q_index, q1 + joint.q_index, rate + joint.v_index);
  return give_motion(w, rate, v);
}

Status normalize(Workspace& workspace, double* q) {
  WorkspaceImpl& w = workspace.impl();
  w.message[0] = '\0';
  TENON_CHECK(check_finite(w, "q", q, position_count(workspace)));
  double* user = q;
  if (w.coordinates.independent_q) {
    q = w.coordinates.q.data();
    scatter_positions(w, user, q);
  }
  for (const Model::Joint& joint : w.model->joints) {
    if (joint.type != JointType::spherical && joint.type != JointType::floating) continue;
    const double* x = q + joint.q_index + (joint.type == JointType::floating ? 3 : 0);
    if (!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 1e-12))
      return w.fail(Status::not_normalized,
                    "the quaternion of joint '%s' is zero and has no direction to keep", joint.name.c_str());
  }
  for (const Model::Joint& joint : w.model->joints) {
    if (joint.type == JointType::spherical) normalize_quaternion(q + joint.q_index);
    if (joint.type == JointType::floating) normalize_quaternion(q + joint.q_index + 3);
  }
  return give_positions(w, q, user);
}

namespace {

struct StepMemory {
  explicit StepMemory(WorkspaceImpl& w) {
    const std::size_t nq = static_cast<std::size_t>(w.model->nq), nv = static_cast<std::size_t>(w.model->nv);
    double* next = w.step.data();
    for (double** q : {&stage_q, &end_q}) *q = next, next += nq;
    for (double** x : {&stage_v, &a, &rate, &u, &sum_u, &sum_a, &first_a}) *x = next, next += nv;
    lambda = w.step_lambda.data();
  }
  double *stage_q, *end_q;   // in the coordinates of the workspace
  double *stage_v, *a;       // the same
  double *rate, *u, *sum_u;  // of all joints: the velocity, u', the weighted sum of u'
  double *sum_a, *first_a;
  double* lambda;  // of the first stage, in the user's order
};

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

// The velocities of all joints for v at q, both in the coordinates of the workspace. With independent
// positions only velocities of independent joints are needed; all others stay zero.
Status velocities_of_joints(WorkspaceImpl& w, const double* q, const double* v, double* rate) {
  if (!w.coordinates.independent_v) {
    std::copy_n(v, w.model->nv, rate);
    return Status::ok;
  }
  if (!w.coordinates.independent_q) return map_velocities(w, q, v, rate);
  scatter_independent(w, v, rate);
  return Status::ok;
}

// next := q moved by `rate` for dt. Dependent joints move with `rate`; loops are not closed.
void move_configuration(WorkspaceImpl& w, const double* q, const double* rate, double dt, double* next) {
  double* moved = w.stage.data();
  if (w.coordinates.independent_q)
    scatter_positions(w, q, moved);
  else
    std::copy_n(q, w.model->nq, moved);
  move_joints(*w.model, rate, dt, moved);
  copy_positions(w, moved, next);
}

// Ends a step: checks the results and copies all of them to the user, or none.
Status finish_step(Workspace& workspace, double dt, const double* end_q, const double* end_v,
                   const double* first_a, const double* first_lambda, double* q, double* v, double* qdd,
                   double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  const int nq = position_count(workspace), nv = velocity_count(workspace);
  if (!all_finite(end_q, nq) || !all_finite(end_v, nv)) return fail_step(w, dt);
  std::copy_n(end_q, nq, q);
  std::copy_n(end_v, nv, v);
  if (qdd) std::copy_n(first_a, nv, qdd);
  if (lambda) std::copy_n(first_lambda, w.rows(), lambda);
  return Status::ok;
}

// Where to compute the multipliers of the first stage; null where the user does not want them.
double* first_multipliers(const WorkspaceImpl& w, const SolveOptions& options, const double* lambda,
                          double* room) {
  if (lambda && options.warm_start) std::copy_n(lambda, w.rows(), room);
  return lambda ? room : nullptr;
}

}  // namespace

Status step_semi_implicit_euler(Workspace& workspace, const SolveOptions& options, double dt, double* q,
                                double* v, const double* tau, const double* wrenches, double* qdd,
                                double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  const int nv = velocity_count(workspace);
  w.message[0] = '\0';
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  const StepMemory s(w);
  double* multipliers = first_multipliers(w, options, lambda, s.lambda);
  const Status status =
      constrained_dynamics(workspace, options, q, v, tau, wrenches, nullptr, s.a, multipliers);
  if (static_cast<std::int32_t>(status) < 0) return status;
  for (int k = 0; k < nv; ++k) s.stage_v[k] = v[k] + dt * s.a[k];
  if (!all_finite(s.stage_v, nv)) return fail_step(w, dt);
  const Status moved = integrate(workspace, q, s.stage_v, dt, s.end_q);
  if (moved == Status::not_finite) return fail_step(w, dt);
  TENON_CHECK(moved);
  TENON_CHECK(finish_step(workspace, dt, s.end_q, s.stage_v, s.a, s.lambda, q, v, qdd, lambda));
  return status;
}

Status step_runge_kutta_4(Workspace& workspace, const SolveOptions& options, double dt, double* q, double* v,
                          const double* tau, const double* wrenches, double* qdd, double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  const int nv = velocity_count(workspace), nq = position_count(workspace), joint_nv = w.model->nv;
  w.message[0] = '\0';
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  const StepMemory s(w);
  Status worst = Status::ok;
  std::copy_n(q, nq, s.stage_q);
  std::copy_n(v, nv, s.stage_v);
  std::fill_n(s.sum_u, joint_nv, 0.0);
  std::fill_n(s.u, joint_nv, 0.0);
  std::fill_n(s.sum_a, nv, 0.0);
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place[5] = {0, 0.5, 0.5, 1, 0};
  for (int stage = 0; stage < 4; ++stage) {
    // Only the first stage reads and returns multipliers; the later stages start from zero.
    double* multipliers = stage == 0 ? first_multipliers(w, options, lambda, s.lambda) : nullptr;
    const Status status = constrained_dynamics(workspace, options, s.stage_q, s.stage_v, tau, wrenches,
                                               nullptr, s.a, multipliers);
    if (stage > 0 && status == Status::not_finite) return fail_step(w, dt);
    if (static_cast<std::int32_t>(status) < 0) return status;
    worst = std::max(worst, status);
    if (stage == 0) std::copy_n(s.a, nv, s.first_a);
    TENON_CHECK(velocities_of_joints(w, s.stage_q, s.stage_v, s.rate));
    add_brackets(*w.model, s.u, place[stage] * dt, s.rate);
    std::copy_n(s.rate, joint_nv, s.u);
    for (int k = 0; k < joint_nv; ++k) s.sum_u[k] += weight[stage] * s.u[k];
    for (int k = 0; k < nv; ++k) s.sum_a[k] += weight[stage] * s.a[k];
    if (stage == 3) break;
    for (int k = 0; k < nv; ++k) s.stage_v[k] = v[k] + place[stage + 1] * dt * s.a[k];
    move_configuration(w, q, s.u, place[stage + 1] * dt, s.stage_q);
    if (!all_finite(s.stage_v, nv) || !all_finite(s.stage_q, nq)) return fail_step(w, dt);
  }
  for (int k = 0; k < nv; ++k) s.stage_v[k] = v[k] + dt * s.sum_a[k];
  move_configuration(w, q, s.sum_u, dt, s.end_q);
  if (!all_finite(s.end_q, nq)) return fail_step(w, dt);
  // Positions of dependent joints follow from those of the others.
  if (w.coordinates.independent_v && !w.coordinates.independent_q) TENON_CHECK(close_dependent(w, s.end_q));
  TENON_CHECK(finish_step(workspace, dt, s.end_q, s.stage_v, s.first_a, s.lambda, q, v, qdd, lambda));
  return worst;
}

}  // namespace tenon
