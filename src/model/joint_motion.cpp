#include "model/joint_motion.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "model/body_poses.hpp"
#include "spatial/spatial.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

void normalize_quaternion(double* q) {
  const double s = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int e = 0; e < 4; ++e) q[e] *= s;
}

bool scale_to_unit(double* q) {
  const double largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
  if (!(largest > 0)) return false;
  for (int e = 0; e < 4; ++e) q[e] /= largest;
  normalize_quaternion(q);
  return true;
}

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
Vec rotate_by(const double* q, const Vec& v) {
  const Vec u = {q[0], q[1], q[2]};
  const Vec t = 2.0 * cross(u, v);
  return v + q[3] * t + cross(u, t);
}

// Coefficients of exp and log on SO(3) and SE(3) as functions of the squared angle; near zero, where the
// closed forms cancel, series.
struct Exponential {
  double half_sinc;  // sin(a / 2) / a
  double cosine;     // cos(a / 2)
  double b;          // (1 - cos a) / a^2, from half the angle: 1 - cos a loses digits
  double c;          // (a - sin a) / a^3
};
Exponential exponential(const Vec& phi) {
  const double a2 = dot(phi, phi), a = std::sqrt(a2);
  const bool small = a2 < 1e-4;
  const double half_sinc = small ? 0.5 - a2 / 48 + a2 * a2 / 3840 : std::sin(0.5 * a) / a;
  const double c = small ? 1.0 / 6 - a2 / 120 + a2 * a2 / 5040 : (a - std::sin(a)) / (a2 * a);
  return {half_sinc, std::cos(0.5 * a), 2 * half_sinc * half_sinc, c};
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
// Rotation vector of a unit quaternion, with an angle up to pi.
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

constexpr double half_turn = 3.141592653589793;

// Planar: V(a) = [sin a, -(1 - cos a); 1 - cos a, sin a] / a.
void planar_factors(double a, double& s, double& c) {
  if (std::abs(a) < 1e-2) {
    const double a2 = a * a;
    s = 1 - a2 / 6 + a2 * a2 / 120;
    c = a * (0.5 - a2 / 24 + a2 * a2 / 720);
  } else {
    const double half_s = std::sin(0.5 * a);
    s = 2 * half_s * std::cos(0.5 * a) / a;
    c = 2 * half_s * half_s / a;
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

void integrate_joints(const Model& model, const double* v, double dt, double* q) {
  for (const Model::Joint& joint : model.joints)
    integrate_joint(joint, v + joint.v_index, dt, q + joint.q_index);
}

void joint_difference(const Model::Joint& joint, const double* q0, const double* q1, double* v) {
  double r[4];
  switch (joint.type) {
    case JointType::spherical:
      relative_quaternion(q0, q1, r);
      store(v, logarithm(r));
      return;
    case JointType::planar: {
      // The shortest turn: near whole turns the planar factors below have no inverse.
      v[0] = q1[2] - q0[2];
      if (std::abs(v[0]) > half_turn) v[0] = std::atan2(std::sin(v[0]), std::cos(v[0]));
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

void neutral(const Model& model, double* q) {
  neutral_configuration(model.nodes, q);
}

// The limits. An infinite one becomes -reach or +reach; if the other limit is beyond that, the range gets the
// width 2 reach.
static std::pair<double, double> sample_range(const JointLimits& limits, double reach) {
  double lower = std::isfinite(limits.lower) ? limits.lower : -reach;
  double upper = std::isfinite(limits.upper) ? limits.upper : reach;
  if (lower > upper && !std::isfinite(limits.lower)) lower = upper - 2 * reach;
  if (lower > upper && !std::isfinite(limits.upper)) upper = lower + 2 * reach;
  return {lower, upper};
}

void random_configuration(const Model& model, std::uint64_t seed, double* q) {
  std::mt19937_64 bits(seed);
  // std::uniform_real_distribution gives different results in different standard libraries.
  const auto uniform = [&](double lower, double upper) {
    const double share = static_cast<double>(bits() >> 11) * 0x1p-53, width = upper - lower;
    // The width of a finite range can overflow.
    const double x = std::isfinite(width) ? lower + width * share : (1 - share) * lower + share * upper;
    return std::clamp(x, lower, upper);
  };
  const auto hinge = [&](const JointLimits& limits, double reach) {
    const auto [lower, upper] = sample_range(limits, reach);
    return lower <= upper ? uniform(lower, upper) : lower;
  };
  draw_configuration(model, 1, uniform, hinge, q);
  for (const Model::Joint& joint : model.joints)
    if (joint.nq != joint.nv) normalize_quaternion(q + joint.q_index + joint.nq - 4);
}

}  // namespace tenon
