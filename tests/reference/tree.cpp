#include "reference/tree.hpp"

#include <algorithm>
#include <cmath>

namespace tenon::reference {
namespace {

JointType type_of(std::int32_t kind) {
  switch (kind) {
    case joint_prismatic_x:
    case joint_prismatic_y:
    case joint_prismatic_z:
    case joint_prismatic_oblique:
      return JointType::prismatic;
    case joint_screw:
      return JointType::screw;
    case joint_spherical:
      return JointType::spherical;
    case joint_planar:
      return JointType::planar;
    case joint_floating:
      return JointType::floating;
    default:
      return JointType::revolute;
  }
}

Matrix3 basis_of(const NodeData& node) {
  Vector3 axis = {0, 0, node.sign};
  switch (node.kind) {
    case joint_revolute_x:
    case joint_prismatic_x:
      axis = {node.sign, 0, 0};
      break;
    case joint_revolute_y:
    case joint_prismatic_y:
      axis = {0, node.sign, 0};
      break;
    case joint_planar:
      return identity3;
    default:
      break;
  }
  return basis_along(axis);
}

}  // namespace

Matrix3 basis_along(const Vector3& axis) {
  const double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const Vector3 z = {axis[0] / length, axis[1] / length, axis[2] / length};
  const std::size_t least = std::abs(z[0]) <= std::abs(z[1]) && std::abs(z[0]) <= std::abs(z[2]) ? 0
                            : std::abs(z[1]) <= std::abs(z[2])                                   ? 1
                                                                                                 : 2;
  Vector3 x = {-z[0] * z[least], -z[1] * z[least], -z[2] * z[least]};
  x[least] += 1;
  const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (double& e : x) e /= norm;
  const Vector3 y = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  return {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
}

Tree tree_of(const Model& model) {
  Tree tree;
  tree.nq = model.nq;
  tree.nv = model.nv;
  tree.armature = model.armature;
  for (const NodeData& node : model.nodes) {
    Body body{};
    body.parent = node.parent;
    body.type = type_of(node.kind);
    body.q_index = node.q_index;
    body.v_index = node.v_index;
    std::copy_n(node.R, 9, body.origin.rotation.begin());
    std::copy_n(node.p, 3, body.origin.translation.begin());
    body.basis = basis_of(node);
    body.mass = node.mass;
    std::copy_n(node.h, 3, body.first_moment.begin());
    std::copy_n(node.I, 6, body.inertia.begin());
    body.pitch = node.pitch;
    tree.bodies.push_back(body);
  }
  for (const Model::Link& link : model.links) tree.links.push_back({link.body, link.in_body});
  return tree;
}

}  // namespace tenon::reference
