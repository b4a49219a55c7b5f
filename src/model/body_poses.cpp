#include "model/body_poses.hpp"

#include <algorithm>
#include <cmath>

#include "scalar/index.hpp"
#include "scalar/random.hpp"

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

}  // namespace tenon
