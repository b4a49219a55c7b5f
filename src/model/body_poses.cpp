#include "model/body_poses.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "scalar/index.hpp"
#include "scalar/random.hpp"
#include "spatial/rotation.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

Mat3<double> rotation_about(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  if (axis == 0) return {1, 0, 0, 0, c, -s, 0, s, c};
  if (axis == 1) return {c, 0, s, 0, 1, 0, -s, 0, c};
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}

Mat3<double> rotation_of_quaternion(const double* xyzw) {
  const double x = xyzw[0], y = xyzw[1], z = xyzw[2], w = xyzw[3];
  return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
          2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
          2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
}

constexpr double pi = 3.14159265358979323846;
constexpr Mat3<double> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// Pose of the child in the joint frame; the identity at q = 0.
Placement joint_motion(const NodeData& node, const double* q) {
  const int axis = joint_subspace(node.kind).first;
  const double x = node.sign * q[0];
  switch (node.kind) {
    case joint_spherical:
      return {{rotation_of_quaternion(q)}, {0, 0, 0}};
    case joint_planar:
      return {{rotation_about(2, q[2])}, {q[0], q[1], 0}};
    case joint_floating:
      return {{rotation_of_quaternion(q + 3)}, {q[0], q[1], q[2]}};
    default:
      if (axis < 3) return {{rotation_about(axis, x)}, (node.pitch * x) * unit_vector(axis)};
      return {{identity}, x * unit_vector(axis - 3)};
  }
}

double sample_within(RandomNumbers& random, const JointLimits& limits, double reach) {
  double low = std::max(limits.lower, -reach), high = std::min(limits.upper, reach);
  if (low > high) {  // the whole range lies outside the reach
    low = std::isfinite(limits.lower) ? limits.lower : limits.upper;
    high = std::isfinite(limits.upper) ? limits.upper : limits.lower;
  }
  return random.uniform(low, high);
}

// Draws uniform orientations (K. Shoemake, Uniform random rotations, Graphics Gems III, 1992); translations
// are within +-length. uniform(low, high) returns a number between the two, hinge(limits, reach) the position
// of a one-dof joint.
template <class Uniform, class Hinge>
void draw_configuration(const Model& model, double length, Uniform uniform, Hinge hinge, double* q) {
  const auto draw_quaternion = [&](double* xyzw) {
    const double u = uniform(0, 1), a = uniform(0, 2 * pi), b = uniform(0, 2 * pi);
    xyzw[0] = std::sqrt(1 - u) * std::sin(a), xyzw[1] = std::sqrt(1 - u) * std::cos(a);
    xyzw[2] = std::sqrt(u) * std::sin(b), xyzw[3] = std::sqrt(u) * std::cos(b);
  };
  for (const Model::Joint& joint : model.joints) {
    double* x = q + joint.q_index;
    switch (joint.type) {
      case JointType::spherical:
        draw_quaternion(x);
        break;
      case JointType::planar:
        for (int e = 0; e < 2; ++e) x[e] = uniform(-length, length);
        x[2] = uniform(-pi, pi);
        break;
      case JointType::floating:
        for (int e = 0; e < 3; ++e) x[e] = uniform(-length, length);
        draw_quaternion(x + 3);
        break;
      default:
        x[0] = hinge(joint.limits, joint.type == JointType::prismatic ? length : pi);
    }
  }
}

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

}  // namespace

Placement to_placement(const Pose& pose) {
  return {{load_mat3<double>(pose.rotation.data())}, load_vec3<double>(pose.translation.data())};
}

Pose to_pose(const Placement& X) {
  Pose pose;
  store(pose.rotation.data(), X.R.R);
  store(pose.translation.data(), X.p);
  return pose;
}

void store(const Pose& pose, double* R, double* p) {
  std::copy(pose.rotation.begin(), pose.rotation.end(), R);
  std::copy(pose.translation.begin(), pose.translation.end(), p);
}

Placement joint_placement(const NodeData& node, const double* q) {
  const Placement home = {{load_mat3<double>(node.R)}, load_vec3<double>(node.p)};
  return compose(home, joint_motion(node, q + node.q_index));
}

std::vector<Placement> body_placements(const std::vector<NodeData>& nodes, const double* q) {
  std::vector<Placement> placements;
  placements.reserve(nodes.size());
  for (const NodeData& node : nodes) {
    const Placement X = joint_placement(node, q);
    placements.push_back(node.parent < 0 ? X : compose(placements[index(node.parent)], X));
  }
  return placements;
}

RigidInertia<double> body_inertia(const NodeData& node) {
  const double* I = node.I;
  return {node.mass, load_vec3<double>(node.h), {I[0], I[1], I[2], I[3], I[4], I[5]}};
}

void set_inertia(NodeData& node, const RigidInertia<double>& inertia) {
  const Sym3<double>& I = inertia.I;
  const double six[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
  node.mass = inertia.m;
  store(node.h, inertia.h);
  std::copy(six, six + 6, node.I);
}

std::vector<std::int32_t> parents_of(const std::vector<NodeData>& nodes) {
  std::vector<std::int32_t> parents;
  for (const NodeData& node : nodes) parents.push_back(node.parent);
  return parents;
}

std::vector<std::int32_t> depth_first(const std::vector<std::int32_t>& parent) {
  std::vector<std::vector<std::int32_t>> children(parent.size() + 1);  // of k at k + 1, the last first
  for (std::size_t k = parent.size(); k-- > 0;)
    children[index(parent[k] + 1)].push_back(static_cast<std::int32_t>(k));
  std::vector<std::int32_t> order, waiting = children[0];
  while (!waiting.empty()) {
    const std::int32_t k = waiting.back();
    waiting.pop_back();
    order.push_back(k);
    const std::vector<std::int32_t>& next = children[index(k + 1)];
    waiting.insert(waiting.end(), next.begin(), next.end());
  }
  return order;
}

// Nodes are numbered depth first, so the later of two is never an ancestor of the other.
std::int32_t common_ancestor(const std::vector<NodeData>& nodes, std::int32_t a, std::int32_t b) {
  while (a != b) {
    std::int32_t& later = a > b ? a : b;
    later = nodes[index(later)].parent;
  }
  return a;
}

double reach_of(const std::vector<NodeData>& nodes, const std::vector<Placement>& in_parent) {
  std::vector<double> distance(nodes.size(), 0);
  double reach = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t parent = nodes[i].parent;
    if (parent >= 0) distance[i] = distance[index(parent)] + std::sqrt(norm_squared(in_parent[i].p));
    const RigidInertia<double> I = body_inertia(nodes[i]);
    if (!(I.m > 0)) continue;
    // The trace of the inertia about the origin contains the offset of the centre of mass and the size of the
    // body.
    reach = std::max(reach, distance[i] + std::sqrt((I.I.xx + I.I.yy + I.I.zz) / (2 * I.m)));
  }
  return reach;
}

void neutral_configuration(const std::vector<NodeData>& nodes, double* q) {
  for (const NodeData& node : nodes) {
    const JointSubspace& S = joint_subspace(node.kind);
    std::fill_n(q + node.q_index, S.positions, 0.0);
    if (S.positions > S.count) q[node.q_index + S.positions - 1] = 1;
  }
}

void sample_configuration(const Model& model, std::uint64_t seed, double* q, Sample sample) {
  RandomNumbers random(seed);
  std::vector<Placement> home;
  for (const NodeData& node : model.nodes) home.push_back({{identity}, load_vec3<double>(node.p)});
  const double reach = reach_of(model.nodes, home);
  const double length = reach > 0 ? std::clamp(1.0, reach / 16, reach * 16) : 1;
  const auto uniform = [&](double low, double high) { return random.uniform(low, high); };
  const auto hinge = [&](const JointLimits& limits, double most) {
    return sample_within(random, sample == Sample::anywhere ? JointLimits{} : limits, most);
  };
  draw_configuration(model, length, uniform, hinge, q);
}

bool scale_to_unit(double* q) {
  const double largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
  if (!(largest > 0)) return false;
  for (int e = 0; e < 4; ++e) q[e] /= largest;
  normalize_quaternion(q);
  return true;
}

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
      if (std::abs(v[0]) > pi) v[0] = std::atan2(std::sin(v[0]), std::cos(v[0]));
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
