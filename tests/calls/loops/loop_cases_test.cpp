// Mechanisms of a kind that other libraries with loops refuse or get wrong, read from URDF+: loop ends on the
// base and on ancestors, oblique and negative axes, turned inertial frames, several loops and couplings in
// one cluster, ratios that differ along a chain. Each against the spanning tree with multipliers.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "support/methods/loop_methods.hpp"
#include "support/moving.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

std::string link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><origin xyz='0.2 -0.1 0.05' rpy='0.4 -0.7 1.1'/><mass value='1.5'/>"
         "<inertia ixx='0.05' iyy='0.04' izz='0.03' ixy='0.004' ixz='-0.003' iyz='0.006'/></inertial></link>";
}

struct Axis {
  std::string text = "0 0 1";
  std::string more;  // inside the joint's element
};

// A link and the joint that it hangs on.
std::string hung(const std::string& parent, const std::string& child, const std::string& origin,
                 const Axis& axis) {
  return link(child) + "<joint name='j_" + child + "' type='continuous'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='" + origin + "'/><axis xyz='" + axis.text + "'/>" +
         axis.more + "</joint>";
}

std::string loop(const std::string& name, const std::string& predecessor, const std::string& at,
                 const std::string& successor, const std::string& there, const std::string& axis) {
  return "<loop name='" + name + "' type='revolute'><predecessor link='" + predecessor + "'><origin xyz='" +
         at + "'/></predecessor><successor link='" + successor + "'><origin xyz='" + there +
         "'/></successor><axis xyz='" + axis + "'/></loop>";
}

std::string gear(const std::string& name, const std::string& predecessor, const std::string& successor,
                 const std::string& ratio) {
  return "<coupling name='" + name + "'><predecessor link='" + predecessor + "'/><successor link='" +
         successor + "'/><ratio value='" + ratio + "'/></coupling>";
}

std::string mimic(const std::string& joint, const std::string& multiplier) {
  return "<mimic joint='" + joint + "' multiplier='" + multiplier + "' offset='0.1'/>";
}

void check(const std::string& body, int ny, int clusters) {
  const Mechanism mechanism = parse_urdf("<robot name='case'><link name='base'/>" + body + "</robot>");
  const LoopScene scene = loop_scene(mechanism, {});
  EXPECT_EQ(scene.model->ny, ny);
  EXPECT_EQ(scene.model->data().cluster_count, clusters);
  Workspace w(scene.model);
  Random random(4);
  const State state = random_state(random, *scene.model);
  const VectorXd tau = Eigen::Map<const VectorXd>(state.tau.data(), scene.model->nv);
  const VectorXd ydot = random_vector(random, ny);
  VectorXd v(scene.model->nv);
  ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok) << w.message();
  LoopState gaps;
  ASSERT_EQ(check_loops(w, scene.q.data(), v.data(), gaps), Status::ok);
  EXPECT_LE(gaps.position_gap, 1e-12);
  EXPECT_LE(gaps.velocity_gap, 1e-11);
  const VectorXd expected = multiplier_accelerations(scene, {}, scene.q, v, tau, state.wrenches.data());
  for_exact_loop_methods(w, scene.q, v, tau, state.wrenches.data(), [&](const VectorXd& qdd) {
    EXPECT_LE((qdd - expected).norm(), 1e-9 * expected.norm());
  });
}

std::string four_bar(const std::string& root, const Axis& axis = {}) {
  return hung(root, "a", "0 0 0", axis) + hung("a", "b", "0.5 0 0", axis) + hung("b", "c", "0.9 0 0", axis);
}

TEST(LoopCases, EndOnTheBase) {
  check(four_bar("base") + loop("l", "c", "0.6 0 0", "base", "0.8 0 0", "0 0 1"), 1, 1);
  check(four_bar("base") + loop("l", "base", "0.8 0 0", "c", "0.6 0 0", "0 0 1"), 1, 1);
}

TEST(LoopCases, EndOnAnAncestor) {
  const std::string tree = hung("base", "trunk", "0.1 0.2 0.3", {"0 1 0", ""}) + four_bar("trunk");
  check(tree + loop("l", "c", "0.6 0 0", "trunk", "0.8 0 0", "0 0 1"), 2, 1);
  check(tree + loop("l", "trunk", "0.8 0 0", "c", "0.6 0 0", "0 0 1"), 2, 1);
  // On one of the links that the loop itself moves.
  check(hung("base", "d", "0 0 0", {}) + hung("d", "a", "0.3 0 0", {}) + hung("a", "b", "0.5 0 0", {}) +
            hung("b", "c", "0.9 0 0", {}) + loop("l", "c", "0.6 0 0", "d", "1 0 0", "0 0 1"),
        2, 1);
}

TEST(LoopCases, NegativeAxes) {
  check(hung("base", "a", "0 0 0", {"0 0 -1", ""}) + hung("a", "b", "0.5 0 0", {"0 0 1", ""}) +
            hung("b", "c", "0.9 0 0", {"0 0 -1", ""}) +
            loop("l", "c", "0.6 0 0", "base", "0.8 0 0", "0 0 -1"),
        1, 1);
  check(hung("base", "a", "0 0 0", {"0 -1 0", ""}) + hung("base", "r", "0 0 0", {"0 1 0", ""}) +
            gear("g", "a", "r", "-9"),
        1, 1);
}

TEST(LoopCases, ObliqueAxes) {
  // Across (1 2 -2): (0 1 1) and (2 -1 0).
  const Axis along = {"1 2 -2", ""}, against = {"-1 -2 2", ""};
  check(hung("base", "a", "0 0 0", along) + hung("a", "b", "0 0.35 0.35", against) +
            hung("b", "c", "0 0.6 0.6", along) +
            loop("l", "c", "0.5 -0.25 0", "base", "0 0.6 0.6", "-1 -2 2"),
        1, 1);
  check(hung("base", "a", "0 0 0", along) + hung("a", "r", "0.1 0 0", against) +
            hung("a", "b", "0 0.3 0.3", {"3 0 4", ""}) + gear("g", "b", "r", "4"),
        2, 1);
}

TEST(LoopCases, SeveralLoopsAndCouplingsInOneCluster) {
  check(four_bar("base") + loop("first", "c", "0.6 0 0", "base", "0.8 0 0", "0 0 1") +
            hung("base", "d", "0 0.7 0", {}) + hung("d", "e", "0.6 0 0", {}) +
            loop("second", "e", "0.7 0 0", "b", "0.4 0.1 0", "0 0 1") + hung("base", "r", "0 0 0.1", {}) +
            gear("reduction", "a", "r", "-6") +
            hung("r", "s", "0 0 0.1", {"0 0 1", "<mimic joint='j_d' multiplier='0.5' offset='0'/>"}),
        1, 1);
}

TEST(LoopCases, UnequalRatiosOverAChain) {
  check(hung("base", "a", "0 0 0", {}) + hung("a", "b", "0.3 0 0", {"0 1 0", mimic("j_a", "-2")}) +
            hung("b", "c", "0.3 0 0", {"1 0 0", mimic("j_b", "0.5")}) +
            hung("c", "d", "0.3 0 0", {"0 0 -1", mimic("j_a", "3")}),
        1, 1);
  // A matrix of ratios: two motors, two joints, both on both.
  Mechanism mechanism =
      parse_urdf("<robot name='differential'><link name='base'/>" + hung("base", "m", "0 0.1 0", {}) +
                 hung("base", "n", "0 -0.1 0", {"0 0 -1", ""}) + hung("base", "a", "0 0 0", {"1 0 0", ""}) +
                 hung("a", "b", "0.3 0 0", {"0 1 0", ""}) + "</robot>");
  mechanism.couplings.push_back({"differential", {"j_m", "j_n"}, {"j_a", "j_b"}, {3, -4, 5, 6}, {0.2, -0.1}});
  const LoopScene scene = loop_scene(mechanism, {});
  EXPECT_EQ(scene.model->ny, 2);
  Workspace w(scene.model);
  const VectorXd ydot = (VectorXd(2) << 0.7, -1.3).finished(),
                 tau = (VectorXd(4) << 1, -2, 3, 0.5).finished();
  VectorXd v(4), qdd(4);
  ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok);
  ASSERT_EQ(forward_dynamics(w, {scene.q.data(), v.data(), tau.data()}, qdd.data()), Status::ok);
  const VectorXd expected = multiplier_accelerations(scene, {}, scene.q, v, tau, nullptr);
  EXPECT_LE((qdd - expected).norm(), 1e-9 * expected.norm());
}

}  // namespace
}  // namespace tenon::testing
