// Poses and motion axes of the bodies of a tree, for work that is not time-critical: checks of
// Model::compile, binding of a ConstraintSet, and an independent computation for tests. The kernels do not
// use it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/model_data.hpp"
#include "spatial/spatial.hpp"
#include "tenon/model.hpp"

namespace tenon {

// X_parent_child with a general rotation.
using Placement = Transform<Rot3<double>, double>;

Placement to_placement(const Pose& pose);
Pose to_pose(const Placement& X);
// R row by row.
void store(const Pose& pose, double* R, double* p);
inline Placement compose(const Placement& a, const Placement& b) {
  return {{a.R.R * b.R.R}, a.R.R * b.p + a.p};
}

inline double norm_squared(const Vec3<double>& a) {
  return dot(a, a);
}
inline Vec3<double> unit_vector(int k) {
  return {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0};
}

// The subspace of every joint is consecutive coordinate axes of [angular x y z; linear x y z] of the body
// frame; that of a screw has its pitch along the same axis besides. Positions: one more than axes where the last
// four of them are a quaternion.
struct JointSubspace {
  int first, count, positions;
};
inline const JointSubspace& joint_subspace(std::int32_t kind) {
  static constexpr JointSubspace of_kind[] = {
      {0, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 1, 1}, {5, 1, 1},  // along coordinate axes
      {2, 1, 1}, {5, 1, 1}, {2, 1, 1},                                   // oblique; screw
      {0, 3, 4}, {2, 3, 3}, {0, 6, 7},                                   // spherical, planar, floating
  };
  return of_kind[kind];
}
inline bool is_oblique(const NodeData& node) {
  return node.kind >= joint_revolute_oblique && node.kind <= joint_screw;
}
// Column d of the subspace of a node's joint.
inline Motion<double> subspace_column(const NodeData& node, int d) {
  const int axis = joint_subspace(node.kind).first + d;
  return {unit_vector(axis), unit_vector(axis - 3) + node.pitch * unit_vector(axis)};
}

// s U U^T.
inline ArticulatedInertia<double> scaled_square(double s, const Force<double>& U) {
  const Vec3<double> n = s * U.n, f = s * U.f;
  return {{n.x * U.n.x, n.x * U.n.y, n.x * U.n.z, n.y * U.n.y, n.y * U.n.z, n.z * U.n.z},
          {n.x * U.f.x, n.x * U.f.y, n.x * U.f.z, n.y * U.f.x, n.y * U.f.y, n.y * U.f.z, n.z * U.f.x,
           n.z * U.f.y, n.z * U.f.z},
          {f.x * U.f.x, f.x * U.f.y, f.x * U.f.z, f.y * U.f.y, f.y * U.f.z, f.z * U.f.z}};
}

// Pose of a node's body frame in its parent's at the positions q of the whole tree.
Placement joint_placement(const NodeData& node, const double* q);
// Poses of all body frames in the world.
std::vector<Placement> body_placements(const std::vector<NodeData>& nodes, const double* q);
RigidInertia<double> body_inertia(const NodeData& node);
void set_inertia(NodeData& node, const RigidInertia<double>& inertia);
std::vector<std::int32_t> parents_of(const std::vector<NodeData>& nodes);
// The numbers of a forest, parents before their children and each subtree in one piece. parent: -1 for roots.
std::vector<std::int32_t> depth_first(const std::vector<std::int32_t>& parent);
// The last common node of the paths from the root to a and b; -1: the world.
std::int32_t common_ancestor(const std::vector<NodeData>& nodes, std::int32_t a, std::int32_t b);

// The longest path from a root of the tree along the bodies to mass, with the poses of all bodies in their
// parents. Where the robot stands does not matter.
double reach_of(const std::vector<NodeData>& nodes, const std::vector<Placement>& in_parent);

// All zero, quaternions the identity.
void neutral_configuration(const std::vector<NodeData>& nodes, double* q);
// The same seed gives the same q on every machine. One-dof joints: within finite limits, cut to +-pi or
// +-length: 1, but a sixteenth of the robot's reach to 16 times that, so that a unit of length that suits the
// robot badly does not drown its links in rounding errors.
enum class Sample { within_limits, anywhere };
void sample_configuration(const Model& model, std::uint64_t seed, double* q,
                          Sample sample = Sample::within_limits);

// v := the velocity that takes q0 to q1 of a joint in unit time, the inverse of kernels/joint/integrate.hpp; a planar
// joint by the shortest turn.
void joint_difference(std::int32_t kind, const double* q0, const double* q1, double* v);

// Normalizes a quaternion with components of any size, without overflow and underflow; false for zero.
bool scale_to_unit(double* q);

}  // namespace tenon
