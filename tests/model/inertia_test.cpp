// Odd inertias: what is kept with a warning and what no solver can work with.
#include "model/compile.hpp"

#include <gtest/gtest.h>

#include "model/small_mechanisms.hpp"

namespace tenon {
namespace {

using testing::expect_rejected;
using testing::joint_between;
using testing::solid_link;
using testing::two_link_arm;

void empty(MechanismLink& link) {
  link.mass = 0;
  link.inertia = {};
}

TEST(Inertia, RefusesAMasslessMovingLeaf) {
  for (const JointType type :
       {JointType::revolute, JointType::prismatic, JointType::spherical, JointType::planar,
        JointType::floating, JointType::universal, JointType::screw}) {
    Mechanism mechanism = two_link_arm();
    mechanism.joints[1].type = type;
    mechanism.joints[1].axis2 = {1, 0, 0};
    mechanism.joints[1].pitch = 0.1;
    empty(mechanism.links[2]);
    const std::string joint = type == JointType::universal ? "joint 'elbow_2'" : "joint 'elbow'";
    expect_rejected(mechanism, Status::invalid_inertia,
                    {"link 'lower'", joint, "massless moving leaf", "armature", "fixed"});
  }
}

CompileOptions tolerant() {
  CompileOptions options;
  options.tolerant_inertias = true;
  return options;
}

// A hand of two massless fingers, the second of which follows the first, and a massless thumb that the
// shoulder leads.
TEST(Inertia, HoldsMasslessJointsOnRequest) {
  Mechanism mechanism = two_link_arm();
  for (const char* name : {"finger", "tip", "thumb"}) {
    mechanism.links.push_back(solid_link(name));
    empty(mechanism.links.back());
  }
  mechanism.joints.push_back(joint_between("bend", JointType::revolute, "lower", "finger"));
  mechanism.joints.push_back(joint_between("curl", JointType::universal, "finger", "tip"));
  mechanism.joints.push_back(joint_between("grip", JointType::prismatic, "lower", "thumb"));
  mechanism.couplings.push_back({"both", {"grip", "elbow"}, {"shoulder"}, {3, 2}, {0.1, 0.2}});
  mechanism.couplings.push_back({"end", {"curl", "curl_2"}, {"bend"}, {1, 1}, {}});
  expect_rejected(mechanism, Status::invalid_inertia, {"massless", "tolerant_inertias"});
  const auto model = Model::compile(mechanism, tolerant());
  EXPECT_EQ(model->nv, 2);
  EXPECT_EQ(model->ny, 1);
  EXPECT_EQ(model->loops.names, std::vector<std::string>{"both"});
  EXPECT_NEAR(model->loops.closed[1], 0.2 + 2 * model->loops.closed[0], 1e-15);
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_NE(model->warnings[0].find("joints 'bend', 'curl', 'grip': "), std::string::npos)
      << model->warnings[0];
  EXPECT_TRUE(Model::compile(two_link_arm(), tolerant())->warnings.empty());
}

// What a loop, an implicit constraint or a follower with mass gives inertia to is not held.
TEST(Inertia, HoldsNoJointThatOthersMove) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("knob"));
  empty(mechanism.links.back());
  mechanism.joints.push_back(joint_between("turn", JointType::revolute, "base", "knob"));
  mechanism.couplings.push_back({"lead", {"elbow"}, {"turn"}, {2}, {}});
  const auto led = Model::compile(two_link_arm(), tolerant());
  EXPECT_EQ(led->nv, 2);
  expect_rejected(mechanism, Status::invalid_inertia, {"joint 'turn'", "massless"}, tolerant());
  mechanism.couplings.clear();
  EXPECT_EQ(Model::compile(mechanism, tolerant())->nv, 2);
  mechanism.implicits.push_back({"any", {"turn"}, 1, [](auto...) {}});
  expect_rejected(mechanism, Status::invalid_inertia, {"joint 'turn'", "massless"}, tolerant());
}

TEST(Inertia, UsesAnIndefiniteInertiaOnRequest) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].inertia = {0.2, 0, 0, 0.3, 0, -1e-3};
  mechanism.links[2].center_of_mass = {1, 1, 0};
  mechanism.joints[1].axis = {0, 0, 1};
  expect_rejected(mechanism, Status::invalid_inertia,
                  {"link 'lower'", "positive definite", "tolerant_inertias"});
  const auto model = Model::compile(mechanism, tolerant());
  bool warned = false;
  for (const std::string& warning : model->warnings)
    warned = warned || warning.find("used as given") != std::string::npos;
  EXPECT_TRUE(warned);
}

TEST(Inertia, NamesTheLeafAndThenTheOthersOfAMasslessSubtree) {
  Mechanism mechanism = two_link_arm();
  empty(mechanism.links[1]);
  empty(mechanism.links[2]);
  expect_rejected(mechanism, Status::invalid_inertia,
                  {"link 'lower', moved by joint 'elbow'", "the same holds for 'shoulder'"});
}

TEST(Inertia, ArmatureMakesAMasslessLeafSolvableButHelpsNothingFurtherIn) {
  Mechanism mechanism = two_link_arm();
  empty(mechanism.links[2]);
  mechanism.joints[1].armature = 0.01;
  EXPECT_NO_THROW(Model::compile(mechanism));
  empty(mechanism.links[1]);
  expect_rejected(mechanism, Status::invalid_inertia, {"link 'upper'", "joint 'shoulder'", "massless"});
  mechanism.joints[0].armature = 0.01;
  EXPECT_NO_THROW(Model::compile(mechanism));
}

TEST(Inertia, MasslessLinksInTheMiddleAndBehindFixedJointsAreFine) {
  Mechanism mechanism = two_link_arm();
  empty(mechanism.links[1]);
  mechanism.links.push_back(solid_link("tip"));
  empty(mechanism.links.back());
  mechanism.joints.push_back(joint_between("tool", JointType::fixed, "lower", "tip"));
  EXPECT_NO_THROW(Model::compile(mechanism));
}

TEST(Inertia, RotorsWithoutMassAreFine) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].mass = 0;
  mechanism.links[2].inertia = {1e-5, 0, 0, 2e-5, 0, 1e-5};
  const auto model = Model::compile(mechanism);
  EXPECT_TRUE(model->warnings.empty());
}

TEST(Inertia, RefusesAPointMassOnItsOwnAxis) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].inertia = {};
  EXPECT_NO_THROW(Model::compile(mechanism));
  mechanism.links[2].center_of_mass = {0, 0.7, 0};
  expect_rejected(mechanism, Status::invalid_inertia, {"link 'lower'", "joint 'elbow'", "moves no inertia"});
}

TEST(Inertia, RefusesABodyWithLessThanItsFreedomsOnASphericalJoint) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].type = JointType::spherical;
  mechanism.links[2].inertia = {};
  expect_rejected(mechanism, Status::invalid_inertia, {"link 'lower'", "joint 'elbow'", "moves no inertia"});
}

// Two hinges on one line with nothing between: the inner one moves nothing of its own.
TEST(Inertia, RefusesTwoHingesOnOneLine) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].axis = mechanism.joints[0].axis;
  mechanism.joints[1].origin.translation = {0, 0, 0.4};
  empty(mechanism.links[1]);
  expect_rejected(mechanism, Status::invalid_inertia,
                  {"link 'upper'", "joint 'shoulder'", "moves no inertia"});
  mechanism.joints[1].origin.translation = {0.1, 0, 0.4};
  EXPECT_NO_THROW(Model::compile(mechanism));
}

// Three axes that coincide at q = 0 only: a gimbal in its singular pose, no fault of the mechanism.
TEST(Inertia, AcceptsMechanismsThatAreSingularInOnePoseOnly) {
  Mechanism mechanism;
  mechanism.links = {solid_link("base"), solid_link("a"), solid_link("b"), solid_link("c")};
  empty(mechanism.links[1]);
  empty(mechanism.links[2]);
  mechanism.joints = {joint_between("ja", JointType::revolute, "base", "a", {0, 0, 1}),
                      joint_between("jb", JointType::revolute, "a", "b", {0, 1, 0}),
                      joint_between("jc", JointType::revolute, "b", "c", {0, 0, 1})};
  for (MechanismJoint& joint : mechanism.joints) joint.origin = {};
  EXPECT_NO_THROW(Model::compile(mechanism));
  for (MechanismJoint& joint : mechanism.joints) joint.limits.lower = joint.limits.upper = 0;
  EXPECT_NO_THROW(Model::compile(mechanism));
}

TEST(Inertia, RefusesAFloatingBaseUnderAFloatingJoint) {
  Mechanism mechanism = two_link_arm();
  empty(mechanism.links[0]);
  mechanism.joints[0].type = JointType::floating;
  EXPECT_NO_THROW(Model::compile(mechanism));
  CompileOptions options;
  options.floating_base = true;
  expect_rejected(mechanism, Status::invalid_inertia, {"link 'base'", "floating base", "fixed base"},
                  options);
}

TEST(Inertia, RefusesAnIndefiniteMovingBody) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[2].inertia = {0.02, 0, 0, 0.02, 0, -0.01};
  expect_rejected(mechanism, Status::invalid_inertia,
                  {"link 'lower'", "joint 'elbow'", "not positive definite"});
}

TEST(Inertia, WarnsOfAnIndefiniteLinkThatIsFixedToAHeavyOne) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("imu", 1e-3));
  mechanism.links.back().inertia = {1e-6, 2e-6, 0, 1e-6, 0, 1e-6};
  mechanism.joints.push_back(joint_between("mount", JointType::fixed, "lower", "imu"));
  const auto model = Model::compile(mechanism);
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_NE(model->warnings[0].find("link 'imu': inertia is not positive definite"), std::string::npos);
}

TEST(Inertia, WarnsOfTheTriangleInequality) {
  Mechanism mechanism = two_link_arm();
  mechanism.warnings = {"from the reader"};
  mechanism.links[2].inertia = {0.01, 0, 0, 0.1, 0, 0.01};
  const auto model = Model::compile(mechanism);
  ASSERT_EQ(model->warnings.size(), 2u);
  EXPECT_EQ(model->warnings[0], "from the reader");
  EXPECT_NE(model->warnings[1].find("link 'lower': inertia breaks the triangle inequality"),
            std::string::npos);
}

TEST(Inertia, FlatBodiesAndPointMassesAreNotWorthAWarning) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[0].inertia = {};
  mechanism.links[1].inertia = {0.01, 0, 0, 0.02, 0, 0.03};
  mechanism.links[2].inertia = {0.01, 0, 0, 0, 0, 0.01};
  EXPECT_TRUE(Model::compile(mechanism)->warnings.empty());
}

// Planar linkages are often given one principal moment only.
TEST(Inertia, AcceptsLinksThatTurnAboutOneAxisOnly) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].axis = {0, 0, 1};
  mechanism.links[1].inertia = mechanism.links[2].inertia = {0, 0, 0, 0, 0, 0.01};
  EXPECT_EQ(Model::compile(mechanism)->warnings.size(), 2u);
}

TEST(Inertia, IgnoresTheInertiaOfWhatCannotMove) {
  Mechanism mechanism = two_link_arm();
  mechanism.links[0].inertia = {-1, 0, 0, -1, 0, -1};
  EXPECT_EQ(Model::compile(mechanism)->warnings.size(), 1u);
}

}  // namespace
}  // namespace tenon
