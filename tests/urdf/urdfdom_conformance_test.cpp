// urdfdom, the reader ROS uses, as the oracle: every model and one file with every kind of joint must mean
// the same to both readers, number by number.
#include <gtest/gtest.h>

#ifdef TENON_HAVE_URDFDOM

#include <urdf_parser/urdf_parser.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "tenon/urdf.hpp"

namespace tenon {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Columns are the images of the unit vectors, so no formula of ours is used on the oracle's side.
Matrix3 rotation_of(const ::urdf::Rotation& turn) {
  Matrix3 R{};
  for (std::size_t column = 0; column < 3; ++column) {
    const ::urdf::Vector3 image =
        turn * ::urdf::Vector3(column == 0 ? 1 : 0, column == 1 ? 1 : 0, column == 2 ? 1 : 0);
    R[column] = image.x;
    R[3 + column] = image.y;
    R[6 + column] = image.z;
  }
  return R;
}

Vector3 vector_of(const ::urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

void expect_near(const Matrix3& a, const Matrix3& b, double tolerance) {
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "entry " << i;
}

Matrix3 full(const std::array<double, 6>& I) {
  return {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
}

Matrix3 product(const Matrix3& A, const Matrix3& B) {
  Matrix3 C{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) C[3 * i + j] += A[3 * i + k] * B[3 * k + j];
  return C;
}

Matrix3 transpose(const Matrix3& A) {
  return {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
}

void expect_same_link(const MechanismLink& link, const ::urdf::Link& oracle) {
  SCOPED_TRACE("link " + link.name);
  if (!oracle.inertial) {
    EXPECT_EQ(link.mass, 0);
    EXPECT_EQ(link.inertia, (std::array<double, 6>{}));
    return;
  }
  const ::urdf::Inertial& inertial = *oracle.inertial;
  EXPECT_EQ(link.mass, inertial.mass);
  EXPECT_EQ(link.center_of_mass, vector_of(inertial.origin.position));
  const Matrix3 R = rotation_of(inertial.origin.rotation);
  const Matrix3 I =
      full({inertial.ixx, inertial.ixy, inertial.ixz, inertial.iyy, inertial.iyz, inertial.izz});
  expect_near(full(link.inertia), product(product(R, I), transpose(R)),
              1e-15 * (inertial.ixx + inertial.iyy + inertial.izz));
}

JointType type_of(const ::urdf::Joint& joint) {
  switch (joint.type) {
    case ::urdf::Joint::REVOLUTE:
      return JointType::revolute;
    case ::urdf::Joint::CONTINUOUS:
      return JointType::continuous;
    case ::urdf::Joint::PRISMATIC:
      return JointType::prismatic;
    case ::urdf::Joint::FLOATING:
      return JointType::floating;
    case ::urdf::Joint::PLANAR:
      return JointType::planar;
    default:
      return JointType::fixed;
  }
}

void expect_same_joint(const MechanismJoint& joint, const ::urdf::Joint& oracle) {
  SCOPED_TRACE("joint " + joint.name);
  EXPECT_EQ(joint.type, type_of(oracle));
  EXPECT_EQ(joint.parent, oracle.parent_link_name);
  EXPECT_EQ(joint.child, oracle.child_link_name);
  EXPECT_EQ(joint.origin.translation, vector_of(oracle.parent_to_joint_origin_transform.position));
  expect_near(joint.origin.rotation, rotation_of(oracle.parent_to_joint_origin_transform.rotation), 1e-15);
  if (joint.type != JointType::fixed && joint.type != JointType::floating) {
    EXPECT_EQ(joint.axis, vector_of(oracle.axis));
  }
  const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
  EXPECT_EQ(joint.limits.lower, bounded && oracle.limits ? oracle.limits->lower : -inf);
  EXPECT_EQ(joint.limits.upper, bounded && oracle.limits ? oracle.limits->upper : inf);
  EXPECT_EQ(joint.limits.effort, oracle.limits ? oracle.limits->effort : inf);
  EXPECT_EQ(joint.limits.velocity, oracle.limits ? oracle.limits->velocity : inf);
  EXPECT_EQ(joint.damping, oracle.dynamics ? oracle.dynamics->damping : 0);
  EXPECT_EQ(joint.friction, oracle.dynamics ? oracle.dynamics->friction : 0);
}

void expect_same(const std::string& text) {
  const Mechanism ours = parse_urdf(text);
  const ::urdf::ModelInterfaceSharedPtr oracle = ::urdf::parseURDF(text);
  ASSERT_TRUE(oracle);
  EXPECT_EQ(ours.name, oracle->name_);
  ASSERT_EQ(ours.links.size(), oracle->links_.size());
  ASSERT_EQ(ours.joints.size(), oracle->joints_.size());
  for (const MechanismLink& link : ours.links) {
    ASSERT_EQ(oracle->links_.count(link.name), 1u) << link.name;
    expect_same_link(link, *oracle->links_.at(link.name));
  }
  for (const MechanismJoint& joint : ours.joints) {
    ASSERT_EQ(oracle->joints_.count(joint.name), 1u) << joint.name;
    expect_same_joint(joint, *oracle->joints_.at(joint.name));
  }
}

TEST(UrdfdomConformance, EveryModelReadsTheSame) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TENON_MODELS_DIR)) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path().string());
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    expect_same(text.str());
    ++models;
  }
  EXPECT_GE(models, 9);
}

TEST(UrdfdomConformance, EveryJointTypeReadsTheSame) {
  std::string text = "<robot name='all'><link name='root'/>";
  for (const char* type : {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"}) {
    const std::string name = type;
    text += "<joint name='" + name + "' type='" + name + "'><parent link='root'/><child link='" + name +
            "_link'/><origin xyz='0.1 -2e-3 +3' rpy='0.3 -1.2 2.5'/><axis xyz='0.6 0 -0.8'/>"
            "<limit lower='-0.25' upper='1.75' effort='12.5' velocity='3.5'/>"
            "<dynamics damping='0.125' friction='0.3'/></joint><link name='" +
            name +
            "_link'><inertial><origin xyz='0.01 0.02 -0.03' rpy='-0.7 0.4 1.9'/><mass value='1.7'/>"
            "<inertia ixx='0.3' ixy='0.01' ixz='-0.02' iyy='0.4' iyz='0.03' izz='0.5'/></inertial></link>";
  }
  expect_same(text + "</robot>");
}

TEST(UrdfdomConformance, DefaultsReadTheSame) {
  expect_same(
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='revolute'><parent link='b'/><child link='c'/><origin rpy='0 0 1'/>"
      "<limit effort='1' velocity='2'/><dynamics friction='0.5'/></joint></robot>");
}

}  // namespace
}  // namespace tenon

#else

TEST(UrdfdomConformance, EveryModelReadsTheSame) {
  GTEST_SKIP() << "built without urdfdom (liburdfdom-dev)";
}

#endif
