// Reading well-formed URDF: what each element and attribute becomes, the defaults, and what is passed over.
#include "tenon/urdf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tenon/status.hpp"

namespace tenon {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// A robot of two links and one joint with the given attributes and elements inside.
std::string arm(const std::string& type, const std::string& inside) {
  return "<robot name='arm'>\n<link name='base'/>\n<link name='hand'/>\n<joint name='j' type='" + type +
         "'>\n<parent link='base'/><child link='hand'/>\n" + inside + "\n</joint>\n</robot>\n";
}

MechanismJoint joint(const std::string& type, const std::string& inside) {
  const Mechanism m = parse_urdf(arm(type, inside));
  EXPECT_EQ(m.joints.size(), 1u);
  return m.joints.at(0);
}

MechanismLink link(const std::string& inside) {
  return parse_urdf("<robot name='r'><link name='l'>" + inside + "</link></robot>").links.at(0);
}

TEST(Urdf, ReadsNamesAndSource) {
  const Mechanism m = parse_urdf(arm("fixed", ""), "arm.urdf");
  EXPECT_EQ(m.name, "arm");
  EXPECT_EQ(m.source, "arm.urdf");
  ASSERT_EQ(m.links.size(), 2u);
  EXPECT_EQ(m.links[0].name, "base");
  EXPECT_EQ(m.links[1].name, "hand");
  ASSERT_EQ(m.joints.size(), 1u);
  EXPECT_EQ(m.joints[0].name, "j");
  EXPECT_EQ(m.joints[0].parent, "base");
  EXPECT_EQ(m.joints[0].child, "hand");
  EXPECT_TRUE(m.warnings.empty());
}

TEST(Urdf, ReadsEveryJointType) {
  const std::pair<const char*, JointType> types[] = {
      {"fixed", JointType::fixed},           {"revolute", JointType::revolute},
      {"continuous", JointType::continuous}, {"prismatic", JointType::prismatic},
      {"spherical", JointType::spherical},   {"planar", JointType::planar},
      {"floating", JointType::floating}};
  for (const auto& [name, type] : types) EXPECT_EQ(joint(name, "").type, type) << name;
}

TEST(Urdf, ReadsScrews) {
  const MechanismJoint j =
      joint("screw", "<axis xyz='0 0 2'/><screw pitch='-0.002'/><limit lower='-9' upper='40'/>");
  EXPECT_EQ(j.type, JointType::screw);
  EXPECT_EQ(j.axis, (Vector3{0, 0, 2}));
  EXPECT_EQ(j.pitch, -0.002);
  EXPECT_EQ(j.limits.lower, -9);
  EXPECT_EQ(j.limits.upper, 40);
  const Mechanism endless = parse_urdf(arm("screw", "<screw pitch='0'/>"));
  EXPECT_TRUE(endless.warnings.empty());
  EXPECT_EQ(endless.joints[0].pitch, 0);
  EXPECT_EQ(endless.joints[0].limits.upper, inf);
}

TEST(Urdf, DefaultsOfAJoint) {
  const MechanismJoint j = joint("continuous", "");
  EXPECT_EQ(j.axis, (Vector3{1, 0, 0}));
  EXPECT_EQ(j.origin.translation, (Vector3{0, 0, 0}));
  EXPECT_EQ(j.origin.rotation, identity3);
  EXPECT_EQ(j.limits.lower, -inf);
  EXPECT_EQ(j.limits.upper, inf);
  EXPECT_EQ(j.limits.effort, inf);
  EXPECT_EQ(j.limits.velocity, inf);
  EXPECT_EQ(j.damping, 0);
  EXPECT_EQ(j.friction, 0);
  EXPECT_EQ(j.armature, 0);
}

TEST(Urdf, ReadsOriginAxisLimitAndDynamics) {
  const MechanismJoint j = joint("revolute",
                                 "<origin xyz='1 -2 0.5' rpy='0.1 0.2 0.3'/><axis xyz='0 -3 4'/>"
                                 "<limit lower='-1.5' upper='2.5' effort='10' velocity='3'/>"
                                 "<dynamics damping='0.7' friction='0.2'/>");
  EXPECT_EQ(j.origin.translation, (Vector3{1, -2, 0.5}));
  EXPECT_EQ(j.origin.rotation, rotation_from_rpy(0.1, 0.2, 0.3));
  EXPECT_EQ(j.axis, (Vector3{0, -3, 4}));  // normalised when compiled
  EXPECT_EQ(j.limits.lower, -1.5);
  EXPECT_EQ(j.limits.upper, 2.5);
  EXPECT_EQ(j.limits.effort, 10);
  EXPECT_EQ(j.limits.velocity, 3);
  EXPECT_EQ(j.damping, 0.7);
  EXPECT_EQ(j.friction, 0.2);
}

TEST(Urdf, ContinuousJointKeepsNoPositionLimits) {
  const MechanismJoint j = joint("continuous", "<limit lower='-1' upper='1' effort='10' velocity='3'/>");
  EXPECT_EQ(j.limits.lower, -inf);
  EXPECT_EQ(j.limits.upper, inf);
  EXPECT_EQ(j.limits.effort, 10);
  EXPECT_EQ(j.limits.velocity, 3);
}

TEST(Urdf, ReadsInertial) {
  const MechanismLink l = link(
      "<inertial><origin xyz='0.1 0.2 0.3'/><mass value='2.5'/>"
      "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial>");
  EXPECT_EQ(l.mass, 2.5);
  EXPECT_EQ(l.center_of_mass, (Vector3{0.1, 0.2, 0.3}));
  EXPECT_EQ(l.inertia, (std::array<double, 6>{1, 0.1, 0.2, 2, 0.3, 2.5}));
}

TEST(Urdf, LinkWithoutInertialIsMassless) {
  const MechanismLink l = link("");
  EXPECT_EQ(l.mass, 0);
  EXPECT_EQ(l.inertia, (std::array<double, 6>{}));
}

// A quarter turn about z sends the inertial frame's x to the link's y: ixx and iyy swap, ixy changes sign,
// and what coupled x with z couples y with z.
TEST(Urdf, RotatesInertiaToLinkAxes) {
  const MechanismLink l = link(
      "<inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='1'/>"
      "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial>");
  const double expected[6] = {2, -0.1, -0.3, 1, 0.2, 2.5};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(l.inertia[i], expected[i], 1e-15) << i;
  EXPECT_EQ(l.center_of_mass, (Vector3{1, 2, 3}));
}

TEST(Urdf, AcceptsEveryWayToWriteANumber) {
  const auto x = [](const std::string& text) {
    return joint("fixed", "<origin xyz='" + text + " 0 0'/>").origin.translation[0];
  };
  EXPECT_EQ(x("+1.5"), 1.5);
  EXPECT_EQ(x(" \t\n -2"), -2);
  EXPECT_EQ(x("1e-3"), 1e-3);
  EXPECT_EQ(x("1E+2"), 100);
  EXPECT_EQ(x(".5"), 0.5);
  EXPECT_EQ(x("5."), 5);
  EXPECT_EQ(x("1.5707963267948966"), 1.5707963267948966);
  EXPECT_EQ(x("1.570796326794897"), 1.570796326794897);
  EXPECT_NE(x("1.570796326794897"), x("1.5707963267948966"));
}

TEST(Urdf, ReadsEntitiesCommentsDeclarationAndByteOrderMark) {
  const Mechanism m = parse_urdf(
      "\xEF\xBB\xBF<?xml version='1.0'?>\r\n<!-- <link name='no'/> \"=\" -->\r\n"
      "<robot name='a &amp; b'>\r\n<link name='&#65;'/>\r\n</robot>\r\n<!-- end -->");
  EXPECT_EQ(m.name, "a & b");
  ASSERT_EQ(m.links.size(), 1u);
  EXPECT_EQ(m.links[0].name, "A");
}

TEST(Urdf, CountsLinesThroughAllThatIsPassedOver) {
  const Mechanism m = parse_urdf(
      "\xEF\xBB\xBF<?xml\nversion='1.0'?>\r\n<!--\n-->\n<?style\n<&\xFF?>\n<robot\nname='r'\n>\n<link "
      "name='l\n'\n"
      "><?inside\n?><![CDATA[<\n]]></link\n><odd/></robot\n><?end?>",
      "r.urdf");
  EXPECT_EQ(m.links.at(0).name, "l ");
  EXPECT_EQ(m.warnings,
            (std::vector<std::string>{"r.urdf:15: robot: element 'odd' inside <robot> is unknown and ignored",
                                      "r.urdf:13: link 'l ': text '<' inside <link> is ignored"}));
}

TEST(Urdf, PassesOverWhatIsNotDynamicsWithoutAWord) {
  const Mechanism m = parse_urdf(
      "<robot name='r'><material name='grey'><color rgba='1 1 1 1'/></material>"
      "<link name='l'><visual><geometry><mesh filename='a.stl'/></geometry></visual>"
      "<collision><geometry><box size='1 1 1'/></geometry></collision></link>"
      "<gazebo reference='l'><kp>1</kp></gazebo><transmission name='t'><type>x</type></transmission>"
      "<sensor name='s'/></robot>");
  EXPECT_TRUE(m.warnings.empty()) << m.warnings.at(0);
}

TEST(Urdf, WarnsOfUnknownElementsAttributesAndText) {
  const Mechanism m = parse_urdf(
      "<robot name='r'>\n<link name='l'>\n<inertail/>\n</link>\n<link name='k'/>\n"
      "<joint name='j' type='revolute'>\n<parent link='l'/><child link='k'/>\n"
      "<limit lower='0' uper='1' upper='2'/>\n</joint>\nstray\n</robot>",
      "r.urdf");
  EXPECT_EQ(m.warnings, (std::vector<std::string>{
                            "r.urdf:10: robot: text 'stray' inside <robot> is ignored",
                            "r.urdf:3: link 'l': element 'inertail' inside <link> is unknown and ignored",
                            "r.urdf:8: joint 'j': attribute 'uper' of <limit> is unknown and ignored"}));
}

TEST(Urdf, WarnsOfMissingLimits) {
  EXPECT_EQ(parse_urdf(arm("revolute", "")).warnings.size(), 1u);
  EXPECT_EQ(parse_urdf(arm("prismatic", "<limit effort='1' velocity='1'/>")).warnings.size(), 2u);
  EXPECT_EQ(parse_urdf(arm("prismatic", "<limit lower='2' upper='1'/>")).warnings.size(), 1u);
  EXPECT_TRUE(parse_urdf(arm("continuous", "")).warnings.empty());
  EXPECT_TRUE(parse_urdf(arm("fixed", "")).warnings.empty());
}

TEST(Urdf, KeepsWarningsToANumberOnePersonReads) {
  std::string text = "<robot name='r'><link name='l'/>";
  for (int i = 0; i < 1000; ++i) text += "<odd/>";
  const Mechanism m = parse_urdf(text + "</robot>");
  ASSERT_EQ(m.warnings.size(), 101u);
  EXPECT_NE(m.warnings.back().find("900 more warnings"), std::string::npos) << m.warnings.back();
}

TEST(Urdf, ReadsATreeWithoutItsLoopsOnRequestOnly) {
  for (const char* tag : {"loop", "coupling", "loop_joint"}) {
    const std::string text =
        "<robot name='r'>\n<link name='l'/>\n<" + std::string(tag) + " name='c'/>\n</robot>";
    UrdfOptions options;
    options.ignore_loops = true;
    const Mechanism m = parse_urdf(text, "r.urdf", options);
    ASSERT_EQ(m.warnings.size(), 1u);
    EXPECT_EQ(m.warnings[0], "r.urdf:3: " + std::string(tag) + " 'c': <" + tag +
                                 "> ignored; the mechanism is read as a tree");
    EXPECT_TRUE(m.loops.empty() && m.gears.empty());
  }
}

TEST(Urdf, FreesAMimicJointOnRequestOnly) {
  const std::string text = arm("continuous", "<mimic joint='k' multiplier='2'/>");
  UrdfOptions options;
  options.ignore_mimic = true;
  const Mechanism m = parse_urdf(text, "r.urdf", options);
  ASSERT_EQ(m.warnings.size(), 1u);
  EXPECT_NE(m.warnings[0].find("joint 'j': <mimic> ignored"), std::string::npos) << m.warnings[0];
  EXPECT_TRUE(m.couplings.empty());
}

// A gripper whose fingers were made fixed keeps the <mimic> of its joints.
TEST(Urdf, IgnoresAMimicOnAFixedJoint) {
  const Mechanism m = parse_urdf(arm("fixed", "<mimic joint='nowhere' multiplier='2'/>"), "r.urdf");
  EXPECT_TRUE(m.couplings.empty());
  ASSERT_EQ(m.warnings.size(), 1u);
  EXPECT_NE(m.warnings[0].find("r.urdf:6: joint 'j': <mimic> on a fixed joint is ignored"), std::string::npos)
      << m.warnings[0];
}

TEST(Urdf, ReadsMimics) {
  const std::string text =
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
      "<mimic joint='j' multiplier='-2' offset='0.5'/></joint></robot>";
  const Mechanism m = parse_urdf(text);
  ASSERT_EQ(m.couplings.size(), 1u);
  EXPECT_EQ(m.couplings[0].dependent, std::vector<std::string>{"k"});
  EXPECT_EQ(m.couplings[0].independent, std::vector<std::string>{"j"});
  EXPECT_EQ(m.couplings[0].ratios, std::vector<double>{-2});
  EXPECT_EQ(m.couplings[0].offsets, std::vector<double>{0.5});
  EXPECT_TRUE(m.warnings.empty());
}

TEST(Urdf, ReadsLoopsAndCouplings) {
  const std::string text =
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous' independent='True'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='continuous' independent='False'><parent link='b'/><child link='c'/></joint>"
      "<loop name='l' type='prismatic' treatment='rows'><predecessor link='a'><origin xyz='1 2 3' rpy='0 0 "
      "1.5707963267948966'/>"
      "</predecessor><successor link='c'/><axis xyz='0 -1 0'/></loop>"
      "<coupling name='g' type='rolling'><predecessor link='b'/><successor link='c'/><ratio "
      "value='-3.5'/></coupling>"
      "</robot>";
  const Mechanism m = parse_urdf(text);
  ASSERT_EQ(m.loops.size(), 1u);
  EXPECT_EQ(m.loops[0].name, "l");
  EXPECT_EQ(m.loops[0].type, JointType::prismatic);
  EXPECT_EQ(m.loops[0].treatment, LoopTreatment::rows);
  EXPECT_EQ(m.loops[0].predecessor, "a");
  EXPECT_EQ(m.loops[0].successor, "c");
  EXPECT_EQ(m.loops[0].predecessor_frame.translation, (Vector3{1, 2, 3}));
  EXPECT_NEAR(m.loops[0].predecessor_frame.rotation[3], 1, 1e-15);
  EXPECT_EQ(m.loops[0].successor_frame.translation, (Vector3{0, 0, 0}));
  EXPECT_EQ(m.loops[0].axis, (Vector3{0, -1, 0}));
  ASSERT_EQ(m.gears.size(), 1u);
  EXPECT_EQ(m.gears[0].predecessor, "b");
  EXPECT_EQ(m.gears[0].successor, "c");
  EXPECT_EQ(m.gears[0].ratio, -3.5);
  EXPECT_TRUE(m.joints[0].independent);
  EXPECT_FALSE(m.joints[1].independent);
  EXPECT_TRUE(m.warnings.empty());
}

}  // namespace
}  // namespace tenon
