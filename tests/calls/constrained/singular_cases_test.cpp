// Singular cases small enough to know the answer by hand: outstretched arms, rows given twice, rows that
// contradict, rows on what cannot move. Every method: right status, bounded forces, nothing but numbers.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "solve/limits.hpp"
#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;

// Rods of one metre and one kilogram along x, hinged one after the other about z; gravity along -y.
Robot planar_arm(int rods) {
  Robot robot;
  robot.options.gravity = {0, -10, 0};
  robot.mechanism.links.push_back({"base", 1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}});
  for (int i = 0; i < rods; ++i) {
    const std::string number = std::to_string(i);
    robot.mechanism.links.push_back({"rod_" + number, 1, {0.5, 0, 0}, {0.001, 0, 0, 1.0 / 12, 0, 1.0 / 12}});
    MechanismJoint joint;
    joint.name = "hinge_" + number;
    joint.type = JointType::revolute;
    joint.parent = robot.mechanism.links[static_cast<std::size_t>(i)].name;
    joint.child = robot.mechanism.links.back().name;
    joint.origin.translation = {i == 0 ? 0.0 : 1.0, 0, 0};
    joint.axis = {0, 0, 1};
    robot.mechanism.joints.push_back(joint);
  }
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

State at_rest(const Model& model) {
  State state;
  state.q.assign(static_cast<std::size_t>(model.nq), 0);
  state.v = state.a = state.tau = std::vector<double>(static_cast<std::size_t>(model.nv), 0);
  state.wrenches.assign(6 * model.links.size(), 0);
  return state;
}

// A trunk of 10 kg stands on two straight legs side by side, each of two links of 1 kg and a foot of 1 kg,
// with hinges about y at hip, knee and ankle. The feet are 1 m below the trunk.
Robot biped() {
  Robot robot;
  robot.options.gravity = {0, 0, -10};
  robot.options.floating_base = true;
  robot.mechanism.links.push_back({"trunk", 10, {0, 0, 0.2}, {0.5, 0, 0, 0.4, 0, 0.3}});
  for (const double side : {1.0, -1.0}) {
    std::string parent = "trunk";
    for (const char* part : {"thigh", "shin", "foot"}) {
      const bool thigh = parent == "trunk", foot = std::string(part) == "foot";
      const std::string name = part + std::string(side > 0 ? "_left" : "_right");
      robot.mechanism.links.push_back({name, 1, {0, 0, foot ? -0.02 : -0.25}, {0.02, 0, 0, 0.02, 0, 0.005}});
      MechanismJoint joint;
      joint.name = name;
      joint.type = JointType::revolute;
      joint.parent = parent;
      joint.child = name;
      joint.origin.translation = {0, thigh ? 0.1 * side : 0, thigh ? 0 : -0.5};
      joint.axis = {0, 1, 0};
      robot.mechanism.joints.push_back(joint);
      parent = name;
    }
  }
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

ConstrainedScene scene(int rods, std::vector<ConstraintSpec> specs) {
  Robot robot = planar_arm(rods);
  State state = at_rest(*robot.model);
  return {std::move(robot), std::move(state), std::move(specs)};
}

int link(int rod) {
  return rod + 1;
}
ConstraintSpec tip(int rod) {
  return point_constraint(link(rod), {1, 0, 0}, RowAxes::world);
}
ConstraintSpec one_row(int rod, int row) {
  ConstraintSpec spec = tip(rod);
  spec.rows = 1u << row;
  return spec;
}

class SingularCases : public ::testing::TestWithParam<Method> {
 protected:
  Status solve(ConstrainedScene& s) {
    const Status status = s.solve(GetParam(), qdd, lambda);
    EXPECT_TRUE(qdd.allFinite());
    EXPECT_TRUE(lambda.allFinite());
    EXPECT_LT(largest(lambda), 1e9) << "unbounded forces";
    return status;
  }
  VectorXd qdd, lambda;
};

// At full stretch the tip cannot move along the arm: that row and the one out of the plane hold by
// themselves.
TEST_P(SingularCases, OutstretchedArmAtRest) {
  ConstrainedScene s = scene(2, {tip(1)});
  EXPECT_EQ(solve(s), Status::ok);
  // The tip does not accelerate across the arm: qdd0 * 2 + qdd1 * 1 = 0.
  EXPECT_NEAR(2 * qdd(0) + qdd(1), 0, 1e-11);
  s.solve_reference();
  EXPECT_NEAR(s.joint_force(lambda)(0), 2 * lambda(1), 1e-8);
  EXPECT_LE(relative_error(qdd, s.qdd), 1e-9);
  EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda), 1e-9);
}

// Turning, the tip needs a centripetal acceleration along the arm, which no joint can give or withhold.
TEST_P(SingularCases, OutstretchedArmTurning) {
  ConstrainedScene s = scene(2, {tip(1)});
  s.state.v = {1, 0};
  EXPECT_EQ(solve(s), Status::infeasible);
  EXPECT_NEAR(2 * qdd(0) + qdd(1), 0, 1e-9);
  EXPECT_NEAR(s.workspace.report().primal_residual, 2, 1e-9);
}

// Stretched but for a few nanometres: still bounded where the rows ask for nothing.
TEST_P(SingularCases, AlmostOutstretchedArm) {
  for (const double angle : {1e-8, 1e-12, 1e-15}) {
    ConstrainedScene s = scene(2, {tip(1)});
    s.state.q = {0, angle};
    const Status status = s.solve(GetParam(), qdd, lambda);
    EXPECT_GE(static_cast<int>(status), 0);
    EXPECT_TRUE(qdd.allFinite() && lambda.allFinite());
    EXPECT_NEAR(2 * qdd(0) + qdd(1), 0, 1e-6) << "angle " << angle;
  }
}

TEST_P(SingularCases, SameRowTwiceSharesTheForce) {
  ConstrainedScene once = scene(1, {one_row(0, 4)});
  ASSERT_EQ(solve(once), Status::ok);
  // The rod is held level: the tip carries half its weight.
  EXPECT_NEAR(qdd(0), 0, 1e-12);
  EXPECT_NEAR(lambda(0), 5, 1e-9);
  ConstrainedScene twice = scene(1, {one_row(0, 4), one_row(0, 4)});
  ASSERT_EQ(solve(twice), Status::ok);
  EXPECT_NEAR(qdd(0), 0, 1e-12);
  EXPECT_NEAR(lambda.sum(), 5, 1e-9);
  EXPECT_NEAR(lambda(0), lambda(1), 1e-6);
}

TEST_P(SingularCases, ContradictoryTwinsSettleOnTheWeightedMean) {
  for (const double weight : {1.0, 3.0, 100.0}) {
    ConstraintSpec heavy = one_row(0, 4), light = one_row(0, 4);
    heavy.weight = {weight};
    ConstrainedScene s = scene(1, {heavy, light});
    s.desired = {0, 4};
    EXPECT_EQ(solve(s), Status::infeasible) << "weight " << weight;
    EXPECT_NEAR(qdd(0), 4 / (1 + weight), 1e-9) << "weight " << weight;
    EXPECT_NEAR(s.workspace.report().primal_residual, 4 * std::max(1.0, weight) / (1 + weight), 1e-9);
    // M qdd + c = tau + J^T lambda with M = 1/3, c = 5.
    EXPECT_NEAR(lambda.sum(), qdd(0) / 3 + 5, 1e-6) << "weight " << weight;
  }
}

// The same row in millimetres is the same row.
TEST_P(SingularCases, RowsOfDifferentUnits) {
  ConstraintSpec metres, millimetres;
  metres.link = millimetres.link = link(0);
  metres.custom = {0, 0, 1, 0, 1, 0};
  millimetres.custom = {0, 0, 1000, 0, 1000, 0};
  ConstrainedScene s = scene(2, {metres, millimetres, tip(1)});
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_LE(largest(qdd), 1e-9);
}

TEST_P(SingularCases, RowOnTheFixedBase) {
  ConstrainedScene s = scene(2, {point_constraint(0, {1, 2, 3}), tip(1)});
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_NEAR(2 * qdd(0) + qdd(1), 0, 1e-11);
  EXPECT_LE(largest(lambda.head<3>()), 1e-6);
  s.desired = {0, 1, 0, 0, 0, 0};
  EXPECT_EQ(solve(s), Status::infeasible);
  EXPECT_NEAR(2 * qdd(0) + qdd(1), 0, 1e-9);
  EXPECT_NEAR(s.workspace.report().primal_residual, 1, 1e-9);
}

TEST_P(SingularCases, OnlyRowsOnTheFixedBase) {
  ConstrainedScene s = scene(1, {weld_constraint(0, {})});
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_NEAR(qdd(0), -15, 1e-11);  // a rod that falls freely
}

// Bent, two hinges and six rows: nothing can move.
TEST_P(SingularCases, WeldThatLeavesNoMotion) {
  ConstrainedScene s = scene(2, {weld_constraint(link(1), {})});
  s.state.q = {0.3, 1.1};
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_LE(largest(qdd), 1e-11);
  s.solve_reference();
  EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda), 1e-9);
}

TEST_P(SingularCases, MoreRowsThanCoordinates) {
  ConstrainedScene s =
      scene(3, {tip(0), tip(1), tip(2), weld_constraint(link(2), {}), weld_constraint(link(0), {})});
  s.state.q = {0.3, 1.1, -0.4};
  ASSERT_GT(s.rows(), 20);
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_LE(largest(qdd), 1e-11);
}

// Straight legs cannot give way, four points a foot are twelve rows where six can be independent, and those
// six ask for more than three hinges can do: the legs carry the weight, and nothing moves.
TEST_P(SingularCases, BothFeetOnEightPoints) {
  Robot robot = biped();
  State state = at_rest(*robot.model);
  neutral(*robot.model, state.q.data());
  std::vector<ConstraintSpec> points;
  for (const char* foot : {"foot_left", "foot_right"})
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.05, 0.05})
        points.push_back(point_constraint(robot.model->find_link(foot), {x, y, -0.04}, RowAxes::world));
  ConstrainedScene s(std::move(robot), std::move(state), points);
  ASSERT_EQ(s.rows(), 24);
  EXPECT_EQ(solve(s), Status::ok);
  EXPECT_LE(largest(qdd), 1e-9);
  double weight = 0;
  for (int r = 2; r < 24; r += 3) weight += lambda(r);
  EXPECT_NEAR(weight, 160, 1e-6);
  s.solve_reference();
  EXPECT_EQ(s.expected_report.rank, 8);  // both knees can start to give way, and the trunk to move or pitch
  EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda), 1e-9);
  EXPECT_LE(largest(lambda), 1e3);
}

// A posture where the rows need multipliers a million times the torques: digits are lost, and a tolerance of
// zero cannot be met. Going on trying must do no harm.
TEST_P(SingularCases, ToleranceOutOfReach) {
  for (const double angle : {1e-1, 1e-2, 1e-3, 1e-4}) {
    ConstrainedScene s = scene(3, {tip(2), one_row(1, 3)});
    s.state.q = {0.2, angle, 0.5 * angle};
    s.state.v = {0.3, 0.1, -0.2};
    s.solve_reference();
    SolveOptions options;
    options.absolute_tolerance = options.relative_tolerance = 0;
    options.max_iterations = 200;
    const Status status = s.solve(GetParam(), qdd, lambda, options);
    EXPECT_GE(static_cast<int>(status), 0) << s.workspace.message();
    EXPECT_LE(relative_error(qdd, s.qdd), 1e-10 / angle) << "angle " << angle;
  }
}

TEST_P(SingularCases, SoftTwinsOfRigidRows) {
  ConstraintSpec soft = one_row(0, 4);
  soft.compliance = {0.5};
  ConstrainedScene s = scene(1, {one_row(0, 4), soft});
  EXPECT_EQ(solve(s), Status::ok);
  // The rigid row holds everything; what the soft one asks for, it gets.
  EXPECT_NEAR(qdd(0), 0, 1e-11);
  EXPECT_NEAR(lambda(0), 5, 1e-8);
  EXPECT_NEAR(lambda(1), 0, 1e-9);
  // Alone, J M^-1 J^T + R = 3 + 1/2 and J a_free = -15.
  ConstrainedScene alone = scene(1, {soft});
  EXPECT_EQ(solve(alone), Status::ok);
  EXPECT_NEAR(lambda(0), 15 / 3.5, 1e-9);
  EXPECT_NEAR(qdd(0), -0.5 * 15 / 3.5, 1e-9);
}

// pv_soft holds rows by springs: it need not meet them, but it has an answer to all of this.
TEST(PvSoft, StaysBoundedInSingularCases) {
  ConstraintSpec twin = one_row(0, 4);
  ConstrainedScene scenes[] = {scene(2, {tip(1)}), scene(1, {twin, twin}),
                               scene(2, {point_constraint(0, {1, 2, 3}), tip(1)}),
                               scene(2, {weld_constraint(link(1), {})}),
                               scene(3, {tip(0), tip(1), tip(2), weld_constraint(link(2), {})})};
  for (ConstrainedScene& s : scenes) {
    for (const double reach : {0.0, 4.0}) {
      for (std::size_t r = 0; r < s.desired.size(); ++r) s.desired[r] = r % 2 ? reach : -reach;
      VectorXd qdd, lambda;
      EXPECT_EQ(s.solve(Method::pv_soft, qdd, lambda), Status::ok);
      EXPECT_TRUE(qdd.allFinite() && lambda.allFinite());
      EXPECT_LE(largest(qdd), 1e3);
      // Stiffness times what the rows contradict each other by.
      EXPECT_LE(largest(lambda), scheduled_mu_of_trees * (1 + 50 * reach));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SingularCases, ::testing::ValuesIn(available_methods()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace tenon::testing
