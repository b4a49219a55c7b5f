// Poses and motion axes of the bodies of a tree, for work that is not time-critical: checks of
// Model::compile, binding of a ConstraintSet, and an independent computation for tests. The kernels do not
// use it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model_data.hpp"
#include "spatial/spatial.hpp"
#include "tenon/mechanism.hpp"

namespace tenon {

struct Model;

// X_parent_child with a general rotation.
using Placement = Transform<Rot3<double>, double>;

Placement to_placement(const Pose& pose);
Pose to_pose(const Placement& X);
inline Placement compose(const Placement& a, const Placement& b) {
  return {{a.R.R * b.R.R}, a.R.R * b.p + a.p};
}

inline double norm_squared(const Vec3<double>& a) {
  return dot(a, a);
}

// The subspace of every joint is consecutive coordinate axes of [angular x y z; linear x y z] of the body
// frame.
struct JointSubspace {
  int first, count;
};
JointSubspace joint_subspace(std::int32_t kind);
inline Motion<double> coordinate_motion(int axis) {
  const double e[6] = {axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0,
                       axis == 3 ? 1.0 : 0, axis == 4 ? 1.0 : 0, axis == 5 ? 1.0 : 0};
  return load_motion<double>(e);
}

// Pose of a node's body frame in its parent's at the positions q of the whole tree.
Placement joint_placement(const NodeData& node, const double* q);
// Poses of all body frames in the world.
std::vector<Placement> body_placements(const std::vector<NodeData>& nodes, const double* q);
RigidInertia<double> body_inertia(const NodeData& node);

// All zero, quaternions the identity.
void neutral_configuration(const std::vector<NodeData>& nodes, double* q);
// Seeded, the same on every machine: one-dof joints uniform within their limits, cut to +-pi or +-1;
// orientations uniform; translations of floating and planar joints within +-1.
enum class Sample { within_limits, anywhere };
void sample_configuration(const Model& model, std::uint64_t seed, double* q,
                          Sample sample = Sample::within_limits);

}  // namespace tenon
