// Rows on which methods used to go wrong without a word: rows that nothing moves but rounding, rigid and
// compliant rows that depend on each other, proximal parameters of any size, rows near loss of rank. Every
// method against the dense reference in long double.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/constrained_scene.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

Robot robot_of(const std::string& file, bool floating) {
  Robot robot;
  UrdfOptions as_tree;
  as_tree.ignore_loops = as_tree.ignore_mimic = true;
  robot.mechanism = load_urdf(std::string(TENON_MODELS_DIR) + "/" + file, as_tree);
  robot.options.floating_base = floating;
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

// Lengths and masses of the whole robot, times these.
Robot scaled(Robot robot, double length, double mass) {
  for (MechanismLink& link : robot.mechanism.links) {
    link.mass *= mass;
    for (double& x : link.center_of_mass) x *= length;
    for (double& x : link.inertia) x *= mass * length * length;
  }
  for (MechanismJoint& joint : robot.mechanism.joints) {
    for (double& x : joint.origin.translation) x *= length;
    joint.armature *= mass * length * length;
  }
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

State random_state_of(const Robot& robot, std::uint64_t seed) {
  Random random(seed);
  State state = random_state(random, *robot.model);
  std::fill(state.wrenches.begin(), state.wrenches.end(), 0.0);
  return state;
}

// Every method: the motion of the reference, its status, and nothing but numbers.
void expect_reference(ConstrainedScene& s, double tolerance) {
  s.solve_reference();
  // Beside the border of rank either answer is right.
  const reference::KktMargins margins = s.kkt.margins();
  if (margins.kept < 1e-5 || margins.dropped > 1e-7) return;
  const double size = largest(s.a_free);
  for (const Method method : available_methods()) {
    VectorXd qdd, lambda;
    EXPECT_EQ(s.solve(method, qdd, lambda), s.expected_status)
        << name_of(method) << ": " << s.workspace.message();
    EXPECT_LE(relative_error(qdd, s.qdd, size), tolerance) << name_of(method);
    EXPECT_TRUE(lambda.allFinite()) << name_of(method);
  }
}

// The axes of the left hip meet in the origin of its last link: three rows that are 1e-17 long by rounding.
TEST(HardRows, PointWhereAllAxesMeetMovesNothing) {
  for (const double length : {1.0, 1e-3, 1e3}) {
    for (const double mass : {1.0, 1e-3, 1e3}) {
      const Robot robot = scaled(robot_of("jvrc1.urdf", false), length, mass);
      const int hip = robot.model->find_link("left-hip-yaw");
      ASSERT_GE(hip, 0);
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE("length " + std::to_string(length) + ", mass " + std::to_string(mass) + ", seed " +
                     std::to_string(seed));
        ConstrainedScene s(robot, random_state_of(robot, seed), {point_constraint(hip, {0, 0, 0})});
        expect_reference(s, 1e-10);
        EXPECT_EQ(s.expected_status, Status::ok);
        EXPECT_LE(relative_error(s.qdd, s.a_free), 1e-14) << "the motion is not the free one";
      }
    }
  }
}
TEST(HardRows, WeldWhereAllAxesMeetHoldsTheRotationAlone) {
  const Robot robot = robot_of("jvrc1.urdf", false);
  const int hip = robot.model->find_link("left-hip-yaw");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ConstrainedScene s(robot, random_state_of(robot, seed), {weld_constraint(hip, {})});
    expect_reference(s, 1e-9);
    EXPECT_EQ(s.expected_report.rank, 3);
  }
}

// Two welds on one foot, springs and rigid rows mixed; and one weld by every pattern of three stiffnesses.
TEST(HardRows, RigidAndCompliantRowsThatDepend) {
  const Robot robot = robot_of("solo12.urdf", false);
  const int foot = static_cast<int>(robot.model->links.size()) - 1;
  ConstraintSpec first = weld_constraint(foot, {}), second = first;
  first.compliance = {0, 1e-3, 1e-5, 1e-6, 0, 1e-3};
  second.compliance = {1e-4, 1e-6, 1e-3, 1e-3, 1e-3, 0};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ConstrainedScene s(robot, random_state_of(robot, seed), {first, second});
    expect_reference(s, 1e-6);
  }
  const double stiffness[] = {0, 1e-6, 1e-3};
  for (int pattern = 0; pattern < 729; pattern += 7) {
    ConstraintSpec weld = weld_constraint(foot, {});
    for (int row = 0, rest = pattern; row < 6; ++row, rest /= 3)
      weld.compliance.push_back(stiffness[rest % 3]);
    SCOPED_TRACE("pattern " + std::to_string(pattern));
    ConstrainedScene s(robot, random_state_of(robot, static_cast<std::uint64_t>(pattern)), {weld});
    expect_reference(s, 1e-6);
  }
}

// An arm held along itself and ever straighter: where its row stops to count all methods stop together.
TEST(HardRows, NoTwoMethodsAnswerWithAnotherRank) {
  const Robot robot = robot_of("iiwa14.urdf", false);
  ConstraintSpec along = point_constraint(robot.model->find_link("iiwa_link_7"), {0, 0, 0}, RowAxes::world);
  along.rows = 1u << 5;
  int held = 0, still = 0;
  for (double bend = 1e-9; bend < 1e-3; bend *= 1.1) {
    State state = random_state_of(robot, 3);
    std::fill(state.q.begin(), state.q.end(), 0.0);
    std::fill(state.v.begin(), state.v.end(), 0.0);
    std::fill(state.tau.begin(), state.tau.end(), 0.0);
    state.q[3] = bend;
    ConstrainedScene s(robot, state, {along});
    s.desired[0] = 1e-3;
    VectorXd dense, qdd, lambda;
    const Status status = s.solve(Method::dense, dense, lambda);
    (status == Status::ok ? held : still) += 1;
    for (const Method method : available_methods()) {
      EXPECT_EQ(s.solve(method, qdd, lambda), status) << name_of(method) << ", bend " << bend;
      EXPECT_LE(relative_error(qdd, dense, 1), 1e-6) << name_of(method) << ", bend " << bend;
    }
  }
  EXPECT_GE(held, 20);
  EXPECT_GE(still, 20);
}

// A foot welded by rigid and by soft rows: some of the directions that are left count by a hair, or do not.
TEST(HardRows, NoTwoMethodsAnswerWithAnotherRankOfSoftRows) {
  const Robot robot = robot_of("solo12.urdf", false);
  const int foot = static_cast<int>(robot.model->links.size()) - 1;
  const double compliance[] = {0, 1e-6, 1e-3};
  int infeasible = 0;
  for (int pattern = 0; pattern < 729; ++pattern) {
    ConstraintSpec weld = weld_constraint(foot, {});
    for (int row = 0, rest = pattern; row < 6; ++row, rest /= 3)
      weld.compliance.push_back(compliance[rest % 3]);
    SCOPED_TRACE("pattern " + std::to_string(pattern));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      ConstrainedScene s(robot, random_state_of(robot, seed), {weld});
      VectorXd dense, qdd, lambda;
      const Status status = s.solve(Method::dense, dense, lambda);
      infeasible += status == Status::infeasible;
      for (const Method method : available_methods()) {
        EXPECT_EQ(s.solve(method, qdd, lambda), status) << name_of(method) << ", seed " << seed;
        EXPECT_LE(relative_error(qdd, dense, largest(dense)), 1e-4) << name_of(method) << ", seed " << seed;
      }
    }
  }
  EXPECT_GE(infeasible, 10);
}

// One method has the least squares of rows that contradict, so whichever the user names, the numbers are the same.
TEST(HardRows, DenseAnswersWhereRowsContradict) {
  int contradicting = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ConstrainedScene s(seed, SceneKind::contradictory, 15);
    if (s.rows() == 0 || s.nv() == 0 || s.set->data().inter_body_count > 0) continue;
    s.solve_reference();
    const reference::KktMargins margins = s.kkt.margins();
    if (s.expected_status != Status::infeasible || margins.kept < 1e-2 || margins.dropped > 1e-13) continue;
    ++contradicting;
    VectorXd least_squares, lambda, qdd;
    EXPECT_EQ(s.solve(Method::dense, least_squares, lambda), Status::infeasible);
    for (const Method method : available_methods()) {
      EXPECT_EQ(s.solve(method, qdd, lambda), Status::infeasible);
      EXPECT_EQ(s.workspace.report().method, Method::dense) << name_of(method) << ", seed " << seed;
      EXPECT_EQ(qdd, least_squares) << name_of(method) << ", seed " << seed;
    }
  }
  EXPECT_GE(contradicting, 5);
}

// A point held twice, hundred millionths of a metre apart: rows beside each other that the rank takes for
// one. What is left of them is no matter of which was eliminated first.
TEST(HardRows, DenseAnswersWithoutTheSingularValuesThatDoNotCount) {
  const Robot robot = robot_of("iiwa14.urdf", false);
  const int hand = robot.model->find_link("iiwa_link_7");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ConstrainedScene s(robot, random_state_of(robot, seed),
                       {point_constraint(hand, {0, 0, 0.1}), point_constraint(hand, {1e-8, 3e-8, 0.1})});
    for (int r = 0; r < 3; ++r)
      s.desired[static_cast<std::size_t>(r)] = s.desired[static_cast<std::size_t>(r + 3)] = r - 1;
    s.solve_reference();
    const reference::KktMargins margins = s.kkt.margins();
    ASSERT_TRUE(margins.dropped > 1e-9 && margins.dropped < 1e-6 && margins.kept > 1e-2)
        << margins.kept << " " << margins.dropped;
    VectorXd qdd, lambda;
    s.solve(Method::dense, qdd, lambda);
    EXPECT_LE(relative_error(qdd, s.qdd, largest(s.a_free)), 1e-10) << "seed " << seed;
  }
}

// A caller's mu changes how an answer is found, not the answer.
TEST(HardRows, AnyProximalParameter) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ConstrainedScene s(seed, seed % 2 == 0 ? SceneKind::independent : SceneKind::contradictory, 15);
    if (s.rows() == 0 || s.nv() == 0) continue;
    s.solve_reference();
    if (s.kkt.min_kept_over_max() < 1e-6) continue;
    const double size = largest(s.a_free);
    for (const double mu : {1e-15, 1e-12, 1e-6, 1e-3, 1.0, 1e6, 1e12, 1e15, 1e20}) {
      for (const bool accelerate : {false, true}) {
        for (const Method method : available_methods()) {
          SolveOptions options;
          options.mu = mu;
          options.accelerate = accelerate;
          VectorXd qdd, lambda;
          const Status status = s.solve(method, qdd, lambda, options);
          EXPECT_EQ(status, s.expected_status)
              << name_of(method) << ", mu " << mu << ", seed " << seed << ": " << s.workspace.message();
          EXPECT_LE(relative_error(qdd, s.qdd, size), s.expected_status == Status::ok ? 1e-6 : 1e-5)
              << name_of(method) << ", mu " << mu << ", seed " << seed;
        }
      }
    }
  }
}

// A straight arm held at its tip along itself, almost: from where the row counts to where it does not.
TEST(HardRows, ArmThatIsNearlyStraight) {
  const Robot robot = robot_of("iiwa14.urdf", false);
  const int hand = robot.model->find_link("iiwa_link_7");
  ASSERT_GE(hand, 0);
  for (const double bend : {1e-2, 1e-3, 1e-4, 1e-5, 1e-10, 1e-12, 0.0}) {
    SCOPED_TRACE("bend " + std::to_string(bend));
    State state = random_state_of(robot, 3);
    std::fill(state.q.begin(), state.q.end(), 0.0);
    state.q[3] = bend;
    std::fill(state.v.begin(), state.v.end(), 0.0);
    ConstrainedScene s(robot, state, {point_constraint(hand, {0, 0, 0}, RowAxes::world)});
    expect_reference(s, 1e-8 * std::max(1.0, bend > 0 ? 1e-3 / bend : 1.0));
  }
}

}  // namespace
}  // namespace tenon::testing
