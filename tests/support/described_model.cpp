#include "support/described_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/body_poses.hpp"
#include "support/largest.hpp"
#include "support/random_mechanism.hpp"

namespace tenon::testing {
namespace {

using Isometry = Eigen::Isometry3d;
using Eigen::Vector3d;
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector3d vec(const Vector3& a) {
  return {a[0], a[1], a[2]};
}

Isometry turn(double angle, const Vector3& axis) {
  return Isometry(Eigen::AngleAxisd(angle, vec(axis).normalized()));
}

Isometry quaternion(const double* xyzw) {
  return Isometry(Eigen::Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]));
}

// The plane's x and y in the joint frame, from the words of mechanism.hpp.
Eigen::Matrix3d plane_axes(const Vector3& axis) {
  const Vector3d normal = vec(axis).normalized(), z = Vector3d::UnitZ();
  const Vector3d about = z.cross(normal);
  const double angle = std::atan2(about.norm(), normal.z());
  return Eigen::AngleAxisd(angle, about.norm() > 0 ? Vector3d(about.normalized()) : Vector3d::UnitX())
      .toRotationMatrix();
}

// The child frame in the joint frame.
Isometry motion(const MechanismJoint& joint, const double* q) {
  switch (joint.type) {
    case JointType::fixed:
      return Isometry::Identity();
    case JointType::revolute:
    case JointType::continuous:
      return turn(q[0], joint.axis);
    case JointType::prismatic:
      return Isometry(Eigen::Translation3d(q[0] * vec(joint.axis).normalized()));
    case JointType::screw:
      return Eigen::Translation3d(joint.pitch * q[0] * vec(joint.axis).normalized()) * turn(q[0], joint.axis);
    case JointType::spherical:
      return quaternion(q);
    case JointType::planar: {
      const Eigen::Matrix3d axes = plane_axes(joint.axis);
      return Eigen::Translation3d(axes.col(0) * q[0] + axes.col(1) * q[1]) * turn(q[2], joint.axis);
    }
    case JointType::floating:
      return Eigen::Translation3d(q[0], q[1], q[2]) * quaternion(q + 3);
    case JointType::universal:
      return turn(q[0], joint.axis) * turn(q[1], joint.axis2);
  }
  return Isometry::Identity();
}

// Poses of all links, by recursion over the description.
class LinkPoses {
 public:
  LinkPoses(const Mechanism& mechanism, const Model& model, const std::vector<double>& q)
      : mechanism_(mechanism), model_(model), q_(q) {}
  Isometry operator()(const std::string& link) const {
    for (const MechanismJoint& joint : mechanism_.joints) {
      if (joint.child != link) continue;
      const int index = model_.find_joint(joint.name);
      const double* q =
          index < 0 ? nullptr : q_.data() + model_.joints[static_cast<std::size_t>(index)].q_index;
      return (*this)(joint.parent) * isometry(joint.origin) * motion(joint, q);
    }
    if (!model_.floating_base) return Isometry::Identity();
    return Eigen::Translation3d(q_[0], q_[1], q_[2]) * quaternion(q_.data() + 3);
  }

 private:
  const Mechanism& mechanism_;
  const Model& model_;
  const std::vector<double>& q_;
};

Isometry compiled_pose(const std::vector<Placement>& bodies, const Model::Link& link) {
  const Isometry in_body = isometry(link.in_body);
  if (link.body < 0) return in_body;
  return isometry(to_pose(bodies[static_cast<std::size_t>(link.body)])) * in_body;
}

std::vector<double> sample(const Model& model, std::uint64_t seed) {
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  sample_configuration(model, seed, q.data(), Sample::anywhere);
  return q;
}

void expect_poses_match(const Mechanism& mechanism, const Model& model) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<double> q = sample(model, seed);
    const std::vector<Placement> bodies = body_placements(model.nodes, q.data());
    const LinkPoses expected(mechanism, model, q);
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      const Isometry pose = compiled_pose(bodies, model.links[i]);
      const Isometry exact = expected(mechanism.links[i].name);
      const double size = std::max(1.0, exact.translation().norm());
      EXPECT_LT(largest(pose.matrix() - exact.matrix()), 1e-13 * size) << model.links[i].name;
    }
  }
}

// Mass, centre of mass and, for any motion of the bodies, kinetic energy: lumped or link by link.
void expect_inertias_match(const Mechanism& mechanism, const Model& model) {
  const std::vector<double> q = sample(model, 4);
  const std::vector<Placement> bodies = body_placements(model.nodes, q.data());
  const LinkPoses poses(mechanism, model, q);
  Random random(9);
  Vector3d moment = Vector3d::Zero(), expected_moment = Vector3d::Zero();
  double mass = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Isometry body = isometry(to_pose(bodies[b]));
    const Motion<double> V = {load_vec3<double>(random.vector(1).data()),
                              load_vec3<double>(random.vector(1).data())};
    const Vector3d w = body.linear() * Vector3d(V.w.x, V.w.y, V.w.z);
    const Vector3d v = body.linear() * Vector3d(V.v.x, V.v.y, V.v.z);
    double energy = 0;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
      if (model.links[i].body != static_cast<int>(b)) continue;
      const MechanismLink& link = mechanism.links[i];
      const Isometry pose = poses(link.name);
      const Vector3d center = pose * vec(link.center_of_mass);
      const Vector3d center_v = v + w.cross(center - body.translation()),
                     link_w = pose.linear().transpose() * w;
      Eigen::Matrix3d I;
      I << link.inertia[0], link.inertia[1], link.inertia[2], link.inertia[1], link.inertia[3],
          link.inertia[4], link.inertia[2], link.inertia[4], link.inertia[5];
      energy += 0.5 * link.mass * center_v.squaredNorm() + 0.5 * link_w.dot(I * link_w);
      expected_moment += link.mass * center;
      mass += link.mass;
    }
    const NodeData& node = model.nodes[b];
    EXPECT_NEAR(0.5 * dot(V, body_inertia(node) * V), energy, 1e-12 * (1 + energy)) << model.joints[b].name;
    moment += node.mass * body.translation() + body.linear() * Vector3d(node.h[0], node.h[1], node.h[2]);
  }
  EXPECT_NEAR(moved_mass(model), mass, 1e-12 * (1 + mass));
  EXPECT_LT((moment - expected_moment).norm(), 1e-12 * (1 + expected_moment.norm()));
}

// v_parent, v_node, v_sign and the counts say the same as the joints.
void expect_coordinates_consistent(const Model& model) {
  int nq = 0, nv = 0, depth = 0;
  std::vector<int> level;
  for (int i = 0; i < model.body_count(); ++i) {
    const NodeData& node = model.nodes[static_cast<std::size_t>(i)];
    const Model::Joint& joint = model.joints[static_cast<std::size_t>(i)];
    ASSERT_LT(node.parent, i);
    EXPECT_EQ(node.q_index, nq);
    EXPECT_EQ(joint.q_index, nq);
    EXPECT_EQ(node.v_index, nv);
    EXPECT_EQ(joint.v_index, nv);
    EXPECT_EQ(joint_subspace(node.kind).count, joint.nv);
    level.push_back(node.parent < 0 ? 1 : level[static_cast<std::size_t>(node.parent)] + 1);
    depth = std::max(depth, level.back());
    for (int k = nv; k < nv + joint.nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_EQ(model.v_node[at], i);
      EXPECT_EQ(model.v_sign[at], node.sign);
      EXPECT_EQ(model.armature[at], joint.armature);
      int before = k - 1;
      if (k == nv) {
        before = -1;
        if (node.parent >= 0) {
          const Model::Joint& above = model.joints[static_cast<std::size_t>(node.parent)];
          before = above.v_index + above.nv - 1;
        }
      }
      EXPECT_EQ(model.v_parent[at], before);
    }
    nq += joint.nq;
    nv += joint.nv;
  }
  EXPECT_EQ(model.nq, nq);
  EXPECT_EQ(model.nv, nv);
  EXPECT_EQ(model.depth, depth);
  EXPECT_EQ(model.data().nodes, model.nodes.data());
  EXPECT_EQ(model.data().node_count, model.body_count());
  EXPECT_EQ(model.data().nv, nv);
}

}  // namespace

Isometry isometry(const Pose& pose) {
  Isometry X = Isometry::Identity();
  X.linear() = Eigen::Map<const RowMajor>(pose.rotation.data());
  X.translation() = vec(pose.translation);
  return X;
}

double moved_mass(const Model& model) {
  double mass = 0;
  for (const NodeData& node : model.nodes) mass += node.mass;
  return mass;
}

void expect_matches_description(const Mechanism& mechanism, const Model& model) {
  expect_poses_match(mechanism, model);
  expect_inertias_match(mechanism, model);
  expect_coordinates_consistent(model);
}

}  // namespace tenon::testing
