// What is no tree of links and joints is refused with a status, the culprit's name and a remedy.
#include "mechanism/description.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/small_mechanisms.hpp"

namespace tenon {
namespace {

using testing::expect_rejected;
using testing::joint_between;
using testing::solid_link;
using testing::two_link_arm;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Description, ArmIsAccepted) {
  const Description description = check_description(two_link_arm(), {});
  EXPECT_EQ(description.root, 0u);
  EXPECT_EQ(description.joints.size(), 2u);
}

TEST(Description, RefusesAnEmptyMechanism) {
  expect_rejected({}, Status::invalid_model, {"no links", "at least one"});
}

TEST(Description, NamesTheSourceOfTheDescription) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[0].axis = {0, 0, 0};
  expect_rejected(mechanism, Status::invalid_model, {"arm.urdf: joint 'shoulder'"});
}

TEST(Description, RefusesTwoLinksOfOneName) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("upper"));
  expect_rejected(mechanism, Status::invalid_model, {"two links", "'upper'", "rename"});
}

TEST(Description, RefusesTwoJointsOfOneName) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].name = "shoulder";
  expect_rejected(mechanism, Status::invalid_model, {"two joints", "'shoulder'", "rename"});
}

TEST(Description, RefusesAJointNamedLikeTheSecondHalfOfAUniversalJoint) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[0].type = JointType::universal;
  mechanism.joints[1].name = "shoulder_2";
  expect_rejected(mechanism, Status::invalid_model, {"'shoulder_2'", "universal joint 'shoulder'"});
}

TEST(Description, RefusesAJointNamedLikeTheFloatingBase) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].name = "root_joint";
  CompileOptions options;
  options.floating_base = true;
  expect_rejected(mechanism, Status::invalid_model, {"'root_joint'", "floating base"}, options);
  EXPECT_NO_THROW(Model::compile(mechanism));
}

TEST(Description, RefusesTwoFramesOfOneNameAndFramesNamedLikeLinks) {
  Mechanism mechanism = two_link_arm();
  mechanism.frames = {{"tip", "lower", {}}, {"tip", "upper", {}}};
  expect_rejected(mechanism, Status::invalid_model, {"'tip'", "rename the frame"});
  mechanism.frames = {{"lower", "upper", {}}};
  expect_rejected(mechanism, Status::invalid_model, {"'lower'", "rename the frame"});
}

TEST(Description, RefusesNamelessParts) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].name.clear();
  expect_rejected(mechanism, Status::invalid_model, {"link number 2", "no name"});
  mechanism = two_link_arm();
  mechanism.joints[1].name.clear();
  expect_rejected(mechanism, Status::invalid_model, {"joint number 1", "no name"});
  mechanism = two_link_arm();
  mechanism.frames = {{"", "lower", {}}};
  expect_rejected(mechanism, Status::invalid_model, {"frame", "no name"});
}

TEST(Description, RefusesUnknownLinks) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].parent = "uper";
  expect_rejected(mechanism, Status::invalid_model,
                  {"joint 'elbow'", "parent link 'uper'", "does not exist"});
  mechanism = two_link_arm();
  mechanism.joints[1].child = "hand";
  expect_rejected(mechanism, Status::invalid_model, {"joint 'elbow'", "child link 'hand'", "does not exist"});
  mechanism = two_link_arm();
  mechanism.frames = {{"tip", "hand", {}}};
  expect_rejected(mechanism, Status::invalid_model, {"frame 'tip'", "link 'hand'", "does not exist"});
}

TEST(Description, RefusesALinkOnTwoJoints) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints.push_back(joint_between("brace", JointType::revolute, "base", "lower"));
  expect_rejected(mechanism, Status::invalid_model, {"link 'lower'", "two joints", "'elbow'", "'brace'"});
}

TEST(Description, RefusesTwoRootsAndNamesThem) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints.pop_back();
  expect_rejected(mechanism, Status::invalid_model, {"2 root links", "'base'", "'lower'", "connect"});
}

TEST(Description, RefusesACycleAndNamesItsLinks) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints.push_back(joint_between("back", JointType::revolute, "lower", "base"));
  expect_rejected(mechanism, Status::invalid_model, {"cycle", "'base', 'upper', 'lower'", "remove one"});
}

TEST(Description, RefusesACycleBesideTheTree) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("wheel"));
  mechanism.links.push_back(solid_link("rim"));
  mechanism.links.push_back(solid_link("valve"));
  mechanism.joints.push_back(joint_between("a", JointType::revolute, "wheel", "rim"));
  mechanism.joints.push_back(joint_between("b", JointType::universal, "rim", "wheel", {1, 0, 0}));
  mechanism.joints.push_back(joint_between("c", JointType::fixed, "rim", "valve"));
  expect_rejected(mechanism, Status::invalid_model, {"cycle", "links 'rim', 'wheel';"});
}

TEST(Description, RefusesALinkThatIsItsOwnParent) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].parent = "lower";
  expect_rejected(mechanism, Status::invalid_model, {"cycle", "'lower'"});
}

TEST(Description, RefusesAZeroAxis) {
  for (const JointType type : {JointType::revolute, JointType::continuous, JointType::prismatic,
                               JointType::planar, JointType::universal}) {
    Mechanism mechanism = two_link_arm();
    mechanism.joints[1].type = type;
    mechanism.joints[1].axis = {0, 0, 0};
    expect_rejected(mechanism, Status::invalid_model, {"joint 'elbow'", "axis is zero", "unit axis"});
  }
}

TEST(Description, IgnoresTheAxisOfJointsThatHaveNone) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].axis = {0, 0, 0};
  for (const JointType type : {JointType::fixed, JointType::spherical, JointType::floating}) {
    mechanism.joints[1].type = type;
    EXPECT_NO_THROW(Model::compile(mechanism));
  }
}

TEST(Description, RefusesBadSecondAxes) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].type = JointType::universal;
  mechanism.joints[1].axis2 = {0, 0, 0};
  expect_rejected(mechanism, Status::invalid_model, {"joint 'elbow'", "axis2 is zero"});
  mechanism.joints[1].axis2 = {0, -2, 0};
  expect_rejected(mechanism, Status::invalid_model, {"joint 'elbow'", "axis2 is parallel to axis"});
  mechanism.joints[1].axis2 = {0, nan, 0};
  expect_rejected(mechanism, Status::not_finite, {"joint 'elbow'", "axis2 is not finite"});
}

TEST(Description, RefusesNumbersThatAreNotFinite) {
  const std::vector<void (*)(Mechanism&, double)> places = {
      [](Mechanism& m, double x) { m.links[1].mass = x; },
      [](Mechanism& m, double x) { m.links[1].center_of_mass[2] = x; },
      [](Mechanism& m, double x) { m.links[1].inertia[4] = x; },
      [](Mechanism& m, double x) { m.joints[1].origin.translation[0] = x; },
      [](Mechanism& m, double x) { m.joints[1].origin.rotation[3] = x; },
      [](Mechanism& m, double x) { m.joints[1].axis[1] = x; },
      [](Mechanism& m, double x) { m.joints[1].armature = x; },
      [](Mechanism& m, double x) { m.joints[1].damping = x; },
      [](Mechanism& m, double x) { m.joints[1].friction = x; },
      [](Mechanism& m, double x) { m.frames[0].placement.translation[1] = x; },
      [](Mechanism& m, double x) { m.frames[0].placement.rotation[8] = x; }};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const double bad : {nan, inf, -inf}) {
      Mechanism mechanism = two_link_arm();
      mechanism.frames = {{"tip", "lower", {}}};
      places[i](mechanism, bad);
      const std::string who = i < 3 ? "link 'upper'" : i < 9 ? "joint 'elbow'" : "frame 'tip'";
      expect_rejected(mechanism, Status::not_finite, {who, "not finite"});
    }
  }
}

TEST(Description, RefusesGravityThatIsNotFinite) {
  CompileOptions options;
  options.gravity[1] = nan;
  expect_rejected(two_link_arm(), Status::not_finite, {"gravity"}, options);
}

TEST(Description, RefusesMatricesThatAreNoRotations) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].origin.rotation = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  expect_rejected(mechanism, Status::invalid_model, {"joint 'elbow'", "no rotation matrix"});
  mechanism = two_link_arm();
  mechanism.frames = {{"tip", "lower", {}}};
  mechanism.frames[0].placement.rotation[0] = 1.01;
  expect_rejected(mechanism, Status::invalid_model, {"frame 'tip'", "no rotation matrix"});
}

TEST(Description, PolishesRotationsThatAreRounded) {
  Matrix3 rounded = rotation_from_rpy(0.3, 0.5, -1.1);
  for (double& x : rounded) x = static_cast<double>(static_cast<float>(x));
  EXPECT_GT(rotation_defect(rounded), 1e-9);
  EXPECT_LT(rotation_defect(nearest_rotation(rounded)), 5e-15);
  const Matrix3 exact = rotation_from_rpy(0.3, 0.5, -1.1);
  EXPECT_EQ(nearest_rotation(exact), exact);
}

TEST(Description, RefusesNegativeMassAndArmature) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].mass = -0.5;
  expect_rejected(mechanism, Status::invalid_inertia, {"link 'lower'", "-0.5 kg"});
  mechanism = two_link_arm();
  mechanism.joints[0].armature = -0.1;
  expect_rejected(mechanism, Status::invalid_inertia, {"joint 'shoulder'", "armature is -0.1"});
}

TEST(Description, RefusesBadLimits) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[0].limits.lower = 2;
  mechanism.joints[0].limits.upper = 1;
  expect_rejected(mechanism, Status::invalid_model, {"joint 'shoulder'", "lower limit 2", "upper limit 1"});
  mechanism.joints[0].type = JointType::continuous;
  const auto model = Model::compile(mechanism);
  EXPECT_EQ(model->joints[0].limits.lower, -inf);
  EXPECT_EQ(model->joints[0].limits.upper, inf);
  mechanism.joints[0].limits.effort = nan;
  expect_rejected(mechanism, Status::not_finite, {"joint 'shoulder'", "limit"});
}

TEST(Description, RefusesUnknownJointTypes) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[0].type = static_cast<JointType>(12);
  expect_rejected(mechanism, Status::unsupported, {"joint 'shoulder'", "type is unknown"});
}

TEST(Description, RefusesScrewsWithoutAFinitePitch) {
  for (const double pitch : {MechanismJoint().pitch, inf}) {
    Mechanism mechanism = two_link_arm();
    mechanism.joints[0].type = JointType::screw;
    mechanism.joints[0].pitch = pitch;
    expect_rejected(mechanism, Status::not_finite,
                    {"joint 'shoulder'", "pitch is missing or not finite", "radian"});
  }
}

TEST(Description, RefusesLoopsClosedByScrews) {
  Mechanism mechanism = two_link_arm();
  mechanism.loops.push_back({});
  mechanism.loops[0].name = "nut";
  mechanism.loops[0].type = JointType::screw;
  mechanism.loops[0].predecessor = "base", mechanism.loops[0].successor = "lower";
  expect_rejected(mechanism, Status::unsupported, {"loop 'nut'", "cannot close a loop"});
}

}  // namespace
}  // namespace tenon
