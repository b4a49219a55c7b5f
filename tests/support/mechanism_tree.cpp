#include "support/mechanism_tree.hpp"

#include <Eigen/Geometry>
#include <map>
#include <stdexcept>
#include <string>

namespace tenon::testing {
namespace {

using reference::Body;
using reference::Tree;

Eigen::Vector3d to_eigen(const Vector3& a) {
  return {a[0], a[1], a[2]};
}

// In-plane axes of a planar joint: the shortest rotation from z to the normal, half of it in a quaternion of [1 + z n; z x n].
Matrix3 planar_basis(const Vector3& axis) {
  const Eigen::Vector3d normal = to_eigen(axis).normalized();
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> basis =
      Eigen::Quaterniond(1 + normal.z(), -normal.y(), normal.x(), 0).normalized().toRotationMatrix();
  if ((normal + Eigen::Vector3d::UnitZ()).norm() < 1e-10) basis = Eigen::Vector3d(1, -1, -1).asDiagonal();
  basis.col(2) = normal;
  Matrix3 out;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(out.data()) = basis;
  return out;
}

class Builder {
 public:
  Builder(const Mechanism& mechanism, const CompileOptions& options, const Model& names)
      : mechanism_(mechanism), options_(options), names_(names) {}

  Tree build() {
    tree_.nq = names_.nq;
    tree_.nv = names_.nv;
    tree_.armature.assign(static_cast<std::size_t>(names_.nv), 0);
    for (const MechanismLink& link : mechanism_.links) links_[link.name] = &link;
    for (const MechanismJoint& joint : mechanism_.joints)
      below_[joint.parent].push_back(&joint), child_[joint.child] = true;
    for (const MechanismLink& link : mechanism_.links)
      if (!child_[link.name]) add_root(link);
    for (const Model::Link& link : names_.links) tree_.links.push_back(frame_of(link.name));
    return tree_;
  }

 private:
  void add_root(const MechanismLink& link) {
    MechanismJoint joint;
    joint.type = options_.floating_base ? JointType::floating : JointType::fixed;
    joint.name = options_.floating_joint_name;
    joint.child = link.name;
    add(joint, -1);
  }

  // The link, then all that hangs on it.
  void add(const MechanismJoint& joint, int parent) {
    if (joint.type == JointType::universal) {
      MechanismJoint first = joint, second = joint;
      first.type = second.type = JointType::revolute;
      second.name += "_2";
      second.axis = joint.axis2;
      second.origin = {};
      parent = add_body(first, parent, nullptr);
      add(second, parent);
      return;
    }
    const int body = add_body(joint, parent, links_.at(joint.child));
    body_[joint.child] = body;
    for (const MechanismJoint* next : below_[joint.child]) add(*next, body);
  }

  int add_body(const MechanismJoint& joint, int parent, const MechanismLink* link) {
    Body body{};
    body.parent = parent;
    body.type = joint.type;
    body.origin = joint.origin;
    body.basis =
        joint.type == JointType::planar ? planar_basis(joint.axis) : reference::basis_along(joint.axis);
    body.pitch = joint.pitch;
    if (joint.type != JointType::fixed) {
      const int index = names_.find_joint(joint.name);
      if (index < 0) throw std::runtime_error("the model has no joint '" + joint.name + "'");
      const Model::Joint& found = names_.joints[static_cast<std::size_t>(index)];
      body.q_index = found.q_index;
      body.v_index = found.v_index;
      for (int k = 0; k < found.nv; ++k)
        tree_.armature[static_cast<std::size_t>(found.v_index + k)] = joint.armature;
    }
    // What is fixed to the world has no dynamics and belongs to no centre of mass.
    const bool moves =
        joint.type != JointType::fixed || (parent >= 0 && moves_[static_cast<std::size_t>(parent)]);
    moves_.push_back(moves);
    if (link && moves) set_inertia(*link, body);
    tree_.bodies.push_back(body);
    return static_cast<int>(tree_.bodies.size()) - 1;
  }

  static void set_inertia(const MechanismLink& link, Body& body) {
    const Eigen::Vector3d c = to_eigen(link.center_of_mass);
    const auto& I = link.inertia;
    Eigen::Matrix3d about_origin;
    about_origin << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
    about_origin += link.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    body.mass = link.mass;
    for (int k = 0; k < 3; ++k) body.first_moment[static_cast<std::size_t>(k)] = link.mass * c(k);
    body.inertia = {about_origin(0, 0), about_origin(0, 1), about_origin(0, 2),
                    about_origin(1, 1), about_origin(1, 2), about_origin(2, 2)};
  }

  reference::Frame frame_of(const std::string& name) const {
    const auto found = body_.find(name);
    if (found != body_.end()) return {found->second, {}};
    for (const MechanismFrame& frame : mechanism_.frames)
      if (frame.name == name) return {body_.at(frame.link), frame.placement};
    throw std::runtime_error("the mechanism has no link or frame '" + name + "'");
  }

  const Mechanism& mechanism_;
  const CompileOptions& options_;
  const Model& names_;
  Tree tree_;
  std::vector<bool> moves_;  // per body
  std::map<std::string, const MechanismLink*> links_;
  std::map<std::string, std::vector<const MechanismJoint*>> below_;
  std::map<std::string, bool> child_;
  std::map<std::string, int> body_;
};

}  // namespace

Tree tree_of(const Mechanism& mechanism, const CompileOptions& options, const Model& names) {
  return Builder(mechanism, options, names).build();
}

}  // namespace tenon::testing
