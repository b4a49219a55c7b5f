// Configuration space: moving along a velocity, the velocity between two configurations, neutral and random
// ones, and the time steps built on them. Spherical and floating joints move on SO(3) and SE(3) by the
// exponential of the body-frame velocity, planar joints on SE(2).
#include "solvers/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "solvers/coordinates.hpp"
#include "solvers/projection.hpp"
#include "spatial/spatial.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

using Vec = Vec3<double>;

// q := q * r, quaternions x y z w.
void multiply_quaternion(double* q, const double* r) {
  const double x = q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1];
  const double y = q[3] * r[1] + q[1] * r[3] + q[2] * r[0] - q[0] * r[2];
  const double z = q[3] * r[2] + q[2] * r[3] + q[0] * r[1] - q[1] * r[0];
  const double w = q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2];
  q[0] = x, q[1] = y, q[2] = z, q[3] = w;
}
void normalize_quaternion(double* q) {
  const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int e = 0; e < 4; ++e) q[e] *= s;
}
Vec rotate_by(const double* q, const Vec& v) {
  const Vec u = {q[0], q[1], q[2]};
  const Vec t = 2.0 * cross(u, v);
  return v + q[3] * t + cross(u, t);
}

// Coefficients of exp and log on SO(3) and SE(3) as functions of the squared angle; series near zero where
// the closed forms cancel.
struct Exponential {
  double half_sinc;  // sin(a / 2) / a
  double cosine;     // cos(a / 2)
  double b;          // (1 - cos a) / a^2
  double c;          // (a - sin a) / a^3
};
Exponential exponential(const Vec& phi) {
  const double a2 = dot(phi, phi), a = std::sqrt(a2);
  if (a2 < 1e-4)
    return {0.5 - a2 / 48 + a2 * a2 / 3840, std::cos(0.5 * a), 0.5 - a2 / 24 + a2 * a2 / 720,
            1.0 / 6 - a2 / 120 + a2 * a2 / 5040};
  return {std::sin(0.5 * a) / a, std::cos(0.5 * a), (1 - std::cos(a)) / a2, (a - std::sin(a)) / (a2 * a)};
}
// Left Jacobian of SO(3) applied to v.
Vec left_jacobian(const Exponential& e, const Vec& phi, const Vec& v) {
  const Vec t = cross(phi, v);
  return v + e.b * t + e.c * cross(phi, t);
}
Vec inverse_left_jacobian(const Vec& phi, const Vec& v) {
  const double a2 = dot(phi, phi), a = std::sqrt(a2);
  const double d = a2 < 1e-4 ? 1.0 / 12 + a2 / 720 + a2 * a2 / 30240
                             : 1 / a2 - std::cos(0.5 * a) / (2 * a * std::sin(0.5 * a));
  const Vec t = cross(phi, v);
  return v - 0.5 * t + d * cross(phi, t);
}
// Rotation vector of a unit quaternion, the short way round.
Vec logarithm(const double* q) {
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  const double sign = q[3] < 0 ? -1 : 1;
  const double factor = n > 1e-12 ? 2 * std::atan2(n, sign * q[3]) / n : 2.0;
  return (sign * factor) * Vec{q[0], q[1], q[2]};
}
void turn(double* quaternion, const Vec& phi) {
  const Exponential e = exponential(phi);
  const double r[4] = {e.half_sinc * phi.x, e.half_sinc * phi.y, e.half_sinc * phi.z, e.cosine};
  multiply_quaternion(quaternion, r);
  normalize_quaternion(quaternion);
}
// q0^-1 q1.
void relative_quaternion(const double* q0, const double* q1, double* r) {
  r[0] = -q0[0], r[1] = -q0[1], r[2] = -q0[2], r[3] = q0[3];
  multiply_quaternion(r, q1);
}

// Planar: V(a) = [sin a, -(1 - cos a); 1 - cos a, sin a] / a.
void planar_factors(double a, double& s, double& c) {
  if (std::abs(a) < 1e-2) {
    const double a2 = a * a;
    s = 1 - a2 / 6 + a2 * a2 / 120;
    c = a * (0.5 - a2 / 24 + a2 * a2 / 720);
  } else {
    s = std::sin(a) / a;
    c = (1 - std::cos(a)) / a;
  }
}

}  // namespace

void integrate_joint(const Model::Joint& joint, const double* v, double dt, double* q) {
  switch (joint.type) {
    case JointType::spherical:
      turn(q, dt * load_vec3<double>(v));
      return;
    case JointType::planar: {
      double s, c;
      planar_factors(dt * v[0], s, c);
      const double x = dt * (s * v[1] - c * v[2]), y = dt * (c * v[1] + s * v[2]);
      const double ct = std::cos(q[2]), st = std::sin(q[2]);
      q[0] += ct * x - st * y;
      q[1] += st * x + ct * y;
      q[2] += dt * v[0];
      return;
    }
    case JointType::floating: {
      const Vec phi = dt * load_vec3<double>(v);
      const Vec moved = left_jacobian(exponential(phi), phi, dt * load_vec3<double>(v + 3));
      store(q, load_vec3<double>(q) + rotate_by(q + 3, moved));
      turn(q + 3, phi);
      return;
    }
    default:
      q[0] += dt * v[0];
  }
}

namespace {

void joint_difference(const Model::Joint& joint, const double* q0, const double* q1, double* v) {
  double r[4];
  switch (joint.type) {
    case JointType::spherical:
      relative_quaternion(q0, q1, r);
      store(v, logarithm(r));
      return;
    case JointType::planar: {
      v[0] = q1[2] - q0[2];
      double s, c;
      planar_factors(v[0], s, c);
      const double ct = std::cos(q0[2]), st = std::sin(q0[2]);
      const double dx = q1[0] - q0[0], dy = q1[1] - q0[1];
      const double x = ct * dx + st * dy, y = -st * dx + ct * dy;
      const double determinant = s * s + c * c;
      v[1] = (s * x + c * y) / determinant;
      v[2] = (s * y - c * x) / determinant;
      return;
    }
    case JointType::floating: {
      relative_quaternion(q0 + 3, q1 + 3, r);
      const Vec phi = logarithm(r);
      const double back[4] = {-q0[3], -q0[4], -q0[5], q0[6]};
      store(v, phi);
      store(v + 3,
            inverse_left_jacobian(phi, rotate_by(back, load_vec3<double>(q1) - load_vec3<double>(q0))));
      return;
    }
    default:
      v[0] = q1[0] - q0[0];
  }
}

// q := where the joints get to from q by `rate` (spanning velocities) in dt.
void move_joints(const Model& model, const double* rate, double dt, double* q) {
  for (const Model::Joint& joint : model.joints)
    integrate_joint(joint, rate + joint.v_index, dt, q + joint.q_index);
}

// Independent joints move by themselves; nothing has to be closed to know where they get to.
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

// The dependent joints move with G at the start and are closed at the end.
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

// Two configurations of independent positions; closed where dependent velocities are asked for.
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

void neutral(const Model& model, double* q) {
  std::fill_n(q, model.nq, 0.0);
  for (const Model::Joint& joint : model.joints) {
    if (joint.type == JointType::spherical) q[joint.q_index + 3] = 1;
    if (joint.type == JointType::floating) q[joint.q_index + 6] = 1;
  }
}

void random_configuration(const Model& model, std::uint64_t seed, double* q) {
  std::mt19937_64 bits(seed);
  // Not std::uniform_real_distribution: its results differ between standard libraries.
  const auto uniform = [&](double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(bits() >> 11) * 0x1p-53;
  };
  // Uniform on SO(3): Shoemake 1992.
  const auto quaternion = [&](double* x) {
    const double tau = 6.283185307179586, u = uniform(0, 1), a = uniform(0, tau), b = uniform(0, tau);
    x[0] = std::sqrt(1 - u) * std::sin(a), x[1] = std::sqrt(1 - u) * std::cos(a);
    x[2] = std::sqrt(u) * std::sin(b), x[3] = std::sqrt(u) * std::cos(b);
    normalize_quaternion(x);
  };
  constexpr double pi = 3.141592653589793;
  for (const Model::Joint& joint : model.joints) {
    double* x = q + joint.q_index;
    switch (joint.type) {
      case JointType::spherical:
        quaternion(x);
        break;
      case JointType::planar:
        x[0] = uniform(-1, 1), x[1] = uniform(-1, 1), x[2] = uniform(-pi, pi);
        break;
      case JointType::floating:
        for (int e = 0; e < 3; ++e) x[e] = uniform(-1, 1);
        quaternion(x + 3);
        break;
      default: {
        const double reach = joint.type == JointType::prismatic ? 1 : pi;
        const double lower = std::isfinite(joint.limits.lower) ? joint.limits.lower : -reach;
        const double upper = std::isfinite(joint.limits.upper) ? joint.limits.upper : reach;
        x[0] = lower <= upper ? uniform(lower, upper) : lower;
      }
    }
  }
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

// The end of a step: q moved by dt * mean_v and v := next_v, or neither where a number has left the range of
// doubles (a step too long for stiff accelerations).
static Status move(Workspace& workspace, double dt, const double* mean_v, const double* next_v, double* q,
                   double* v) {
  WorkspaceImpl& w = workspace.impl();
  const int nv = velocity_count(workspace), nq = position_count(workspace);
  double* next_q = w.step.data() + w.step.size() - static_cast<std::size_t>(nq);
  if (all_finite(mean_v, nv) && all_finite(next_v, nv)) {
    TENON_CHECK(integrate(workspace, q, mean_v, dt, next_q));
    if (all_finite(next_q, nq)) {
      std::copy(next_q, next_q + nq, q);
      if (next_v != v) std::copy(next_v, next_v + nv, v);
      return Status::ok;
    }
  }
  return w.fail(
      Status::not_finite,
      "the state after a step of %g s is not finite; the accelerations are too large for this step, take a "
      "shorter one",
      dt);
}

Status step_semi_implicit_euler(Workspace& workspace, const SolveOptions& options, double dt, double* q,
                                double* v, const double* tau, const double* wrenches, double* qdd,
                                double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  const int nv = velocity_count(workspace);
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* a = w.step.data();
  const Status status = constrained_dynamics(workspace, options, q, v, tau, wrenches, nullptr, a, lambda);
  if (static_cast<std::int32_t>(status) < 0) return status;
  double* next_v = a + nv;
  for (int k = 0; k < nv; ++k) next_v[k] = v[k] + dt * a[k];
  TENON_CHECK(move(workspace, dt, next_v, next_v, q, v));
  if (qdd) std::copy(a, a + nv, qdd);
  return status;
}

// Classical Runge-Kutta on the configuration manifold: stage configurations are integrate(q, combination of
// stage velocities), which keeps order four on vector coordinates and quaternions on the unit sphere.
Status step_runge_kutta_4(Workspace& workspace, const SolveOptions& options, double dt, double* q, double* v,
                          const double* tau, const double* wrenches, double* qdd, double* lambda) {
  WorkspaceImpl& w = workspace.impl();
  const int nv = velocity_count(workspace), nq = position_count(workspace);
  TENON_CHECK(check_finite(w, "dt", &dt, 1));
  double* stage_q = w.step.data();
  double* stage_v = stage_q + nq;  // velocity of the stage
  double* a = stage_v + nv;        // acceleration of the stage
  double* sum_v = a + nv;          // weighted velocities
  double* sum_a = sum_v + nv;
  double* first_a = sum_a + nv;
  Status worst = Status::ok;
  std::copy(q, q + nq, stage_q);
  std::copy(v, v + nv, stage_v);
  std::fill_n(sum_v, 2 * nv, 0.0);
  constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, ahead[4] = {0.5, 0.5, 1, 0};
  for (int stage = 0; stage < 4; ++stage) {
    // Only the first stage's multipliers are read and handed out; the later stages start from zero.
    const Status status = constrained_dynamics(workspace, options, stage_q, stage_v, tau, wrenches, nullptr,
                                               a, stage == 0 ? lambda : nullptr);
    if (static_cast<std::int32_t>(status) < 0) return status;
    worst = std::max(worst, status);
    if (stage == 0) std::copy(a, a + nv, first_a);
    for (int k = 0; k < nv; ++k) sum_v[k] += weight[stage] * stage_v[k], sum_a[k] += weight[stage] * a[k];
    if (stage == 3) break;
    TENON_CHECK(integrate(workspace, q, stage_v, ahead[stage] * dt, stage_q));
    for (int k = 0; k < nv; ++k) stage_v[k] = v[k] + ahead[stage] * dt * a[k];
  }
  for (int k = 0; k < nv; ++k) stage_v[k] = v[k] + dt * sum_a[k];
  TENON_CHECK(move(workspace, dt, sum_v, stage_v, q, v));
  if (qdd) std::copy(first_a, first_a + nv, qdd);
  return worst;
}

}  // namespace tenon
