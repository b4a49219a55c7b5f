// What is special in pv_early: it finds the rank, takes any number of rows on a link, and hands over to
// constrained_aba rather than answer wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

TEST(PvEarly, FindsTheRank) {
  int found = 0, scenes = 0;
  for (std::uint64_t seed = 0; seed < 600 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 3]);
    s.solve_reference();
    Eigen::VectorXd qdd, lambda;
    const Status status = s.solve(Method::pv_early, qdd, lambda);
    EXPECT_EQ(status, s.expected_status) << "seed " << seed;
    const SolveReport& report = s.workspace.report();
    if (status == Status::ok) ++scenes;
    if (report.method != Method::pv_early) continue;  // another one took over
    ++found;
    EXPECT_EQ(status, Status::ok) << "seed " << seed;
    EXPECT_EQ(report.rank, s.expected_report.rank) << "seed " << seed;
    if (s.rows() > 0) {
      EXPECT_EQ(report.iterations, 1) << "seed " << seed;
    }
  }
  EXPECT_GE(found, scenes * 98 / 100);
}

// One link, more and more points, welds and custom rows on it: never more than six can be independent.
TEST(PvEarly, TakesManyRowsOnOneLink) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    const Robot robot = random_robot(seed, 12);
    Random random(seed + 77);
    const State state = random_state(random, *robot.model);
    const int link = random.integer(0, static_cast<int>(robot.model->links.size()) - 1);
    std::vector<ConstraintSpec> specs;
    for (int points = 1; points <= 12; ++points) {
      specs.push_back(points % 4 == 3 ? weld_constraint(link, random.pose(0.3))
                                      : point_constraint(link, random.vector(0.3)));
      if (points % 5 == 4) specs.back().weight.assign(static_cast<std::size_t>(row_count(specs.back())), 3.0);
      ConstrainedScene s(robot, state, specs);
      s.solve_reference();
      Eigen::VectorXd qdd, lambda;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(s.rows()) + " rows");
      EXPECT_EQ(s.solve(Method::pv_early, qdd, lambda), s.expected_status);
      const double slack = std::max(1.0, 1e-6 / s.kkt.min_kept_over_max());
      EXPECT_LE(relative_error(qdd, s.qdd, largest(s.a_free)), 1e-9 * slack);
      const int rank = s.workspace.report().rank;
      EXPECT_TRUE(rank == s.expected_report.rank || rank < 0) << rank;
      EXPECT_LE(s.expected_report.rank, 6);
    }
  }
}

// A joint that all but fails to move a row must not be given it: the digits of everything else would go. An
// arm of two links, stretched out to within an angle, its tip held along itself and across.
TEST(PvEarly, KeepsDigitsNextToSingularPostures) {
  for (const double angle : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    Mechanism mechanism;
    mechanism.name = "arm";
    for (const char* name : {"base", "upper", "fore"}) {
      MechanismLink link;
      link.name = name;
      link.mass = 1;
      link.center_of_mass = {0.5, 0, 0};
      link.inertia = {0.01, 0, 0, 0.1, 0, 0.1};
      mechanism.links.push_back(link);
    }
    for (int j = 0; j < 2; ++j) {
      MechanismJoint joint;
      joint.name = j == 0 ? "shoulder" : "elbow";
      joint.type = JointType::revolute;
      joint.parent = j == 0 ? "base" : "upper";
      joint.child = j == 0 ? "upper" : "fore";
      joint.axis = {0, 0, 1};
      if (j == 1) joint.origin.translation = {1, 0, 0};
      mechanism.joints.push_back(joint);
    }
    const CompileOptions fixed_base;
    Robot robot{mechanism, fixed_base, Model::compile(mechanism, fixed_base)};
    State state;
    state.q = {0.3, angle};
    state.v = {0.5, -0.7};
    state.a.assign(2, 0.0);
    state.tau = {1, 2};
    state.wrenches.assign(6 * robot.model->links.size(), 0.0);
    ConstrainedScene s(robot, state, {point_constraint(2, {1, 0, 0})});
    s.solve_reference();
    Eigen::VectorXd qdd, lambda;
    EXPECT_EQ(s.solve(Method::pv_early, qdd, lambda), s.expected_status) << "angle " << angle;
    // The answer itself grows as 1 / angle, and its uncertainty as much.
    EXPECT_LE(relative_error(qdd, s.qdd), 1e-13 / angle) << "angle " << angle;
  }
}

}  // namespace
}  // namespace tenon::testing
