#include "model/joint_motion.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "data/model_data.hpp"
#include "model/body_poses.hpp"
#include "spatial/rotation.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/model.hpp"

namespace tenon {

bool scale_to_unit(double* q) {
  const double largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
  if (!(largest > 0)) return false;
  for (int e = 0; e < 4; ++e) q[e] /= largest;
  normalize_quaternion(q);
  return true;
}

namespace {

using Vec = Vec3<double>;

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
// q0^-1 q1.
void relative_quaternion(const double* q0, const double* q1, double* r) {
  r[0] = -q0[0], r[1] = -q0[1], r[2] = -q0[2], r[3] = q0[3];
  multiply_quaternion(r, q1);
}

constexpr double half_turn = 3.141592653589793;

}  // namespace

void joint_difference(std::int32_t kind, const double* q0, const double* q1, double* v) {
  double r[4];
  switch (kind) {
    case joint_spherical:
      relative_quaternion(q0, q1, r);
      store(v, logarithm(r));
      return;
    case joint_planar: {
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
    case joint_floating: {
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
    if (joint.has_quaternion()) normalize_quaternion(q + joint.quaternion());
}

}  // namespace tenon
