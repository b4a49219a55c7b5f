// Numbering, frames and lumping, compared with the description composed link by link.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "model/body_poses.hpp"
#include "model/small_mechanisms.hpp"
#include "support/described_model.hpp"
#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/model.hpp"

namespace tenon {
namespace {

using Eigen::Vector3d;
using testing::isometry;
using testing::joint_between;
using testing::solid_link;
using testing::two_link_arm;

int count_oblique(const Model& model) {
  return static_cast<int>(std::count_if(model.nodes.begin(), model.nodes.end(),
                                        [](const NodeData& node) { return is_oblique(node); }));
}

std::shared_ptr<const Model> checked(const Mechanism& mechanism, const CompileOptions& options = {}) {
  const auto model = Model::compile(mechanism, options);
  testing::expect_matches_description(mechanism, *model);
  return model;
}

const Vector3 some_axes[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},        {-1, 0, 0},        {0, -1, 0},
                             {0, 0, -1}, {0, 0, 3},  {0.3, -0.4, 0.5}, {-0.2, 0.9, -0.1}, {1, 1, 1},
                             {1, 1, 0},  {-1, 0, 1}, {1e-3, 0, 1},     {0.1, 0.2, -0.97}, {-5, 2, 1}};

TEST(Compile, EveryJointTypeAboutEveryAxisMovesLinksAsDescribed) {
  for (const JointType type : {JointType::fixed, JointType::revolute, JointType::continuous,
                               JointType::prismatic, JointType::spherical, JointType::planar,
                               JointType::floating, JointType::universal, JointType::screw}) {
    for (const Vector3& axis : some_axes) {
      for (const bool floating : {false, true}) {
        Mechanism mechanism = two_link_arm();
        mechanism.joints[0].type = type;
        mechanism.joints[0].axis = axis;
        mechanism.joints[0].axis2 = {0.3, 1, -2};
        mechanism.joints[0].pitch = -0.3;
        mechanism.joints[0].origin.rotation = rotation_from_rpy(0.2, -0.4, 1.3);
        CompileOptions options;
        options.floating_base = floating;
        checked(mechanism, options);
      }
    }
  }
}

TEST(Compile, RandomTreesMatchTheirDescription) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Robot robot = testing::random_robot(seed, 25);
    testing::expect_matches_description(robot.mechanism, *robot.model);
  }
}

// An arm of seven joints in the manner of the KUKA iiwa: every second joint frame turned by a quarter, with
// angles written to as many digits as such files have.
Mechanism seven_joint_arm() {
  Mechanism mechanism;
  mechanism.links = {solid_link("link_0")};
  const double quarter = 1.5707963267949, half = 3.1415926535898;
  const double rpy[7][3] = {{0, 0, 0},           {quarter, 0, half}, {quarter, 0, half}, {quarter, 0, 0},
                            {-quarter, half, 0}, {quarter, 0, 0},    {-quarter, half, 0}};
  for (int i = 0; i < 7; ++i) {
    const std::string number = std::to_string(i + 1);
    mechanism.links.push_back(solid_link("link_" + number));
    MechanismJoint joint =
        joint_between("joint_" + number, JointType::revolute, "link_" + std::to_string(i), "link_" + number);
    joint.origin.rotation = rotation_from_rpy(rpy[i][0], rpy[i][1], rpy[i][2]);
    joint.origin.translation = {0, i % 2 ? 0.2 : 0, i % 2 ? 0 : 0.2};
    mechanism.joints.push_back(joint);
  }
  return mechanism;
}

TEST(Compile, ArmWithTurnedJointFramesIsAlignedThroughout) {
  const auto model = checked(seven_joint_arm());
  EXPECT_EQ(count_oblique(*model), 0);
  int along[3] = {0, 0, 0};
  for (const NodeData& node : model->nodes) {
    ++along[node.kind];
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    EXPECT_TRUE(std::equal(identity, identity + 9, node.R));
  }
  EXPECT_EQ(along[0], 0);
  EXPECT_EQ(along[1], 3);
  EXPECT_EQ(along[2], 4);
}

TEST(Compile, OppositeAxesGetASign) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[0].axis = {0, 0, -1};
  mechanism.joints[1].type = JointType::prismatic;
  mechanism.joints[1].axis = {-2, 0, 0};
  const auto model = checked(mechanism);
  EXPECT_EQ(model->nodes[0].kind, joint_revolute_z);
  EXPECT_EQ(model->nodes[0].sign, -1);
  EXPECT_EQ(model->nodes[1].kind, joint_prismatic_x);
  EXPECT_EQ(model->nodes[1].sign, -1);
  EXPECT_EQ(model->joints[1].axis, (Vector3{-1, 0, 0}));
}

// A tilted leg: one oblique joint at the hip, all others of the leg planar again, wherever their axes point
// in the leg.
TEST(Compile, BehindAnObliqueJointTheTreeIsAlignedAgain) {
  for (const Vector3& tilt : {Vector3{0.3, 0.5, -0.2}, Vector3{0, 0.7, 0}, Vector3{1, -1, 2}}) {
    Mechanism mechanism;
    mechanism.links = {solid_link("trunk"), solid_link("hip"), solid_link("thigh"), solid_link("shank"),
                       solid_link("foot")};
    mechanism.joints = {joint_between("hip_z", JointType::revolute, "trunk", "hip", {0, 0, 1}),
                        joint_between("hip_x", JointType::revolute, "hip", "thigh", {1, 0, 0}),
                        joint_between("knee", JointType::prismatic, "thigh", "shank", {0, -1, 0}),
                        joint_between("ankle", JointType::revolute, "shank", "foot", {0, 0, 1})};
    mechanism.joints[0].origin.rotation = rotation_from_rpy(tilt[0], tilt[1], tilt[2]);
    const auto model = checked(mechanism);
    EXPECT_EQ(model->nodes[0].kind, joint_revolute_oblique);
    EXPECT_EQ(count_oblique(*model), 1);
  }
}

// The frame follows the majority: one joint beyond suggests a direction that would leave two others oblique.
TEST(Compile, ARealignedFrameSuitsMostOfWhatHangsOnIt) {
  const Vector3d z = Vector3d(1, 2, 3).normalized();  // to which R turns the z of the base
  const Eigen::Matrix3d R = Eigen::Quaterniond(1 + z.z(), -z.y(), z.x(), 0).normalized().toRotationMatrix();
  const Vector3d odd = R * Vector3d(1, 1, 0).normalized(), x = R.col(0), y = R.col(1);
  for (const auto& axes : {std::array{odd, x, y}, std::array{x, odd, y}, std::array{y, x, odd}}) {
    Mechanism mechanism;
    mechanism.links = {solid_link("trunk"), solid_link("hip")};
    mechanism.joints = {joint_between("hip", JointType::revolute, "trunk", "hip", {1, 2, 3})};
    for (const Vector3d& axis : axes) {
      const std::string name = "toe" + std::to_string(mechanism.links.size());
      mechanism.links.push_back(solid_link(name));
      mechanism.joints.push_back(
          joint_between(name, JointType::revolute, "hip", name, {axis.x(), axis.y(), axis.z()}));
    }
    EXPECT_EQ(count_oblique(*checked(mechanism)), 2);
  }
}

TEST(Compile, AxesAreSnappedOnlyWithinRounding) {
  for (const auto& [tilt, kind] :
       {std::pair{1e-13, joint_revolute_z}, std::pair{1e-9, joint_revolute_oblique}}) {
    Mechanism mechanism = two_link_arm();
    mechanism.joints[0].axis = {tilt, 0, 1};
    EXPECT_EQ(Model::compile(mechanism)->nodes[0].kind, kind);
  }
}

TEST(Compile, SphericalAndFloatingBodiesKeepTheLinkFrame) {
  for (const JointType type : {JointType::spherical, JointType::floating}) {
    Mechanism mechanism = two_link_arm();
    mechanism.joints[1].type = type;
    mechanism.joints[1].origin.rotation = rotation_from_rpy(0.4, 0.3, -1);
    const auto model = checked(mechanism);
    EXPECT_EQ(model->links[2].in_body.rotation, identity3);
    EXPECT_EQ(model->links[2].in_body.translation, (Vector3{0, 0, 0}));
    EXPECT_EQ(model->joints[1].axis, (Vector3{0, 0, 0}));
  }
}

TEST(Compile, NumbersDepthFirstInTheOrderOfTheDescription) {
  Mechanism mechanism;
  for (const char* name : {"e", "root", "a", "b", "c", "d", "mount"})
    mechanism.links.push_back(solid_link(name));
  mechanism.joints = {joint_between("to_d", JointType::revolute, "a", "d"),
                      joint_between("to_mount", JointType::fixed, "root", "mount"),
                      joint_between("to_a", JointType::revolute, "root", "a"),
                      joint_between("to_b", JointType::prismatic, "mount", "b"),
                      joint_between("to_c", JointType::spherical, "a", "c"),
                      joint_between("to_e", JointType::revolute, "d", "e")};
  const auto model = checked(mechanism);
  std::string order;
  for (const Model::Joint& joint : model->joints) order += joint.name + " ";
  EXPECT_EQ(order, "to_b to_a to_d to_e to_c ");
  EXPECT_EQ(model->links[0].name, "e");
  EXPECT_EQ(model->nodes[4].parent, 1);
  EXPECT_EQ(model->depth, 3);
}

TEST(Compile, LinksFixedToTheRootOfAFixedBaseBelongToTheWorld) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("stand", 40));
  mechanism.joints.push_back(joint_between("bolt", JointType::fixed, "base", "stand"));
  const auto fixed = checked(mechanism);
  EXPECT_EQ(fixed->links[0].body, -1);
  EXPECT_EQ(fixed->links[3].body, -1);
  EXPECT_EQ(fixed->links[3].parent_link, 0);
  EXPECT_EQ(fixed->links[3].joint, -1);
  EXPECT_DOUBLE_EQ(fixed->total_mass, 43);
  EXPECT_FALSE(fixed->floating_base);
  CompileOptions options;
  options.floating_base = true;
  options.floating_joint_name = "free";
  const auto floating = checked(mechanism, options);
  EXPECT_TRUE(floating->floating_base);
  EXPECT_EQ(floating->joints[0].name, "free");
  EXPECT_EQ(floating->joints[0].type, JointType::floating);
  EXPECT_EQ(floating->joints[0].parent_link, -1);
  EXPECT_EQ(floating->joints[0].child_link, 0);
  EXPECT_EQ(floating->links[3].body, 0);
  EXPECT_DOUBLE_EQ(floating->nodes[0].mass, 41);
  EXPECT_EQ(floating->nv, 8);
}

TEST(Compile, LumpingLeavesMassCentreAndEnergyAlone) {
  Mechanism mechanism = two_link_arm();
  for (int i = 0; i < 4; ++i) {
    const std::string name = "part" + std::to_string(i);
    mechanism.links.push_back(solid_link(name, 0.3 * (i + 1)));
    MechanismJoint joint = joint_between("screw" + std::to_string(i), JointType::fixed,
                                         i == 0 ? "lower" : "part" + std::to_string(i - 1), name);
    joint.origin.rotation = rotation_from_rpy(0.3 * i, 1 - i, 0.1);
    mechanism.joints.push_back(joint);
  }
  const auto model = checked(mechanism);
  EXPECT_EQ(model->body_count(), 2);
  EXPECT_EQ(model->links[6].body, 1);
  EXPECT_DOUBLE_EQ(model->nodes[1].mass, 4);
}

TEST(Compile, AUniversalJointIsTwoRevoluteJoints) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].type = JointType::universal;
  mechanism.joints[1].axis2 = {0, 0, 2};
  mechanism.joints[1].armature = 0.01;
  const auto model = checked(mechanism);
  ASSERT_EQ(model->joints.size(), 3u);
  const Model::Joint &first = model->joints[1], &second = model->joints[2];
  EXPECT_EQ(first.name, "elbow");
  EXPECT_EQ(second.name, "elbow_2");
  EXPECT_EQ(first.type, JointType::revolute);
  EXPECT_EQ(second.type, JointType::revolute);
  EXPECT_EQ(second.axis, (Vector3{0, 0, 1}));
  EXPECT_EQ(first.parent_link, 1);
  EXPECT_EQ(second.parent_link, 1);
  EXPECT_EQ(first.child_link, -1);
  EXPECT_EQ(second.child_link, 2);
  EXPECT_EQ(model->links[2].joint, 2);
  EXPECT_EQ(model->links[2].parent_link, 1);
  EXPECT_EQ(model->nodes[1].mass, 0);
  EXPECT_EQ(model->armature, (std::vector<double>{0, 0.01, 0.01}));
}

TEST(Compile, ExtraFramesFollowTheLinks) {
  Mechanism mechanism = two_link_arm();
  mechanism.frames = {{"tip", "lower", {rotation_from_rpy(1, 0, 0), {0, 0, 0.5}}}};
  const auto model = Model::compile(mechanism);
  const int tip = model->find_link("tip");
  ASSERT_EQ(tip, 3);
  const Model::Link& frame = model->links[3];
  EXPECT_TRUE(frame.is_frame);
  EXPECT_EQ(frame.body, 1);
  EXPECT_EQ(frame.parent_link, 2);
  const Pose expected = model->links[2].in_body * mechanism.frames[0].placement;
  EXPECT_EQ(frame.in_body.rotation, expected.rotation);
  EXPECT_EQ(frame.in_body.translation, expected.translation);
}

TEST(Compile, FindsNames) {
  const auto model = Model::compile(two_link_arm());
  EXPECT_EQ(model->find_link("lower"), 2);
  EXPECT_EQ(model->find_joint("elbow"), 1);
  EXPECT_EQ(model->find_link("elbow"), -1);
  EXPECT_EQ(model->find_joint(""), -1);
}

TEST(Compile, AcceptsASingleLink) {
  Mechanism mechanism;
  mechanism.links = {solid_link("rock")};
  EXPECT_EQ(checked(mechanism)->nv, 0);
  CompileOptions options;
  options.floating_base = true;
  EXPECT_EQ(checked(mechanism, options)->nv, 6);
}

TEST(Compile, LongChainsNeitherOverflowNorDrift) {
  Mechanism mechanism;
  mechanism.links = {solid_link("link0")};
  for (int i = 1; i <= 3000; ++i) {
    mechanism.links.push_back(solid_link("link" + std::to_string(i)));
    MechanismJoint joint = joint_between("joint" + std::to_string(i), JointType::revolute,
                                         mechanism.links[static_cast<std::size_t>(i - 1)].name,
                                         mechanism.links.back().name, {0, 0, 1});
    joint.origin.rotation = rotation_from_rpy(i % 2 ? 1.5707963267948966 : -1.5707963267948966, 0, 0);
    mechanism.joints.push_back(joint);
  }
  const auto model = Model::compile(mechanism);
  EXPECT_EQ(model->depth, 3000);
  EXPECT_EQ(count_oblique(*model), 0);
}

// Every frame realigned: the rounding of one must not grow in the next.
TEST(Compile, ChainsOfObliqueJointsDoNotDrift) {
  Mechanism mechanism;
  mechanism.links = {solid_link("link0")};
  testing::Random random(8);
  for (int i = 1; i <= 200; ++i) {
    mechanism.links.push_back(solid_link("link" + std::to_string(i)));
    mechanism.joints.push_back(joint_between("joint" + std::to_string(i), JointType::revolute,
                                             mechanism.links[static_cast<std::size_t>(i - 1)].name,
                                             mechanism.links.back().name, random.direction()));
    mechanism.joints.back().origin = random.pose(0.1);
  }
  const auto model = checked(mechanism);
  EXPECT_GT(count_oblique(*model), 190);
  for (const Model::Link& link : model->links) {
    const Eigen::Matrix3d R = isometry(link.in_body).linear();
    EXPECT_LT(testing::largest(R.transpose() * R - Eigen::Matrix3d::Identity()), 1e-13);
  }
}

TEST(Compile, DescribesTheTree) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].axis = {1, 1, 0};
  mechanism.links.push_back(solid_link("tip", 0.5));
  mechanism.joints.push_back(joint_between("tool", JointType::fixed, "lower", "tip"));
  const std::string text = Model::compile(mechanism)->describe();
  for (const char* words : {"arm: 4 links, 0 extra frames, 2 moving bodies, 2 moving joints",
                            "nq 2, nv 2, mass 3.5 kg", "depth 2", "fixed base", "1 along a coordinate axis",
                            "1 oblique", "world: base", "\n  shoulder  revolute (0 0 1)  upper  1 kg",
                            "\n    elbow  revolute (0.707107 0.707107 0) oblique  lower + tip  1.5 kg"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
  }
}

// A gear between the upper arms of two arms: their numbers follow each other, the lines of the tree do not.
TEST(Compile, DescribesTheTreeOfAClusterInOrder) {
  Mechanism mechanism = two_link_arm();
  for (const char* name : {"second upper", "second lower"}) mechanism.links.push_back(solid_link(name));
  mechanism.joints.push_back(joint_between("second shoulder", JointType::revolute, "base", "second upper"));
  mechanism.joints.push_back(
      joint_between("second elbow", JointType::revolute, "second upper", "second lower", {0, 1, 0}));
  mechanism.gears.push_back({"gear", "upper", "second upper", 2, 0});
  const std::string text = Model::compile(mechanism)->describe();
  std::size_t last = 0;
  for (const char* line : {"\n  shoulder", "\n    elbow", "\n  second shoulder", "\n    second elbow"}) {
    EXPECT_GT(text.find(line), last) << line << " in\n" << text;
    last = text.find(line);
  }
}

}  // namespace
}  // namespace tenon
