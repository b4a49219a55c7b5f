// Robots with geared rotors, folded and not, free and with contacts, against dense projection.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/constrained_scene.hpp"
#include "support/geared_robot.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

const std::uint64_t robots = test_robots() / 2;

double relative_error(const Eigen::VectorXd& x, const Eigen::VectorXd& expected) {
  return (x - expected).norm() / std::max(1e-300, expected.norm());
}

struct GearedRobot {
  explicit GearedRobot(std::uint64_t seed) : random(seed) {
    Robot tree = random_robot(seed, 20);
    add_gears(random, tree.mechanism);
    model = Model::compile(tree.mechanism, tree.options);
    state = random_state(random, *model);
  }
  Random random;
  std::shared_ptr<const Model> model;
  State state;
};

TEST(GearedRobots, MatchDenseProjection) {
  int folded = 0, ordinary = 0;
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GearedRobot robot(seed);
    Workspace w(robot.model);
    if (robot.model->folding) {
      ++folded;
      ordinary += robot.model->folding->model->loops.clusters.empty();
    }
    const double *q = robot.state.q.data(), *v = robot.state.v.data(), *tau = robot.state.tau.data();
    for (const double* wrenches :
         std::initializer_list<const double*>{nullptr, robot.state.wrenches.data()}) {
      Eigen::VectorXd qdd(robot.model->nv);
      ASSERT_EQ(forward_dynamics(w, {q, v, tau, wrenches}, qdd.data()), Status::ok) << w.message();
      EXPECT_LE(relative_error(qdd, dense_loop_dynamics(w, robot.state, wrenches, nullptr)), 1e-8);
    }
  }
  EXPECT_GT(folded, static_cast<int>(robots / 4));
  EXPECT_GE(ordinary, static_cast<int>(robots / 25));
}

TEST(GearedRobots, WithContactsMatchDenseProjection) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GearedRobot robot(seed);
    ConstraintOptions options;
    options.most_rows = std::max(1, robot.model->ny / 2);
    options.stabilisation = 0;
    const auto set =
        ConstraintSet::bind(robot.model, random_constraints(robot.random, *robot.model, options));
    if (set->row_count() == 0) continue;
    Workspace w(robot.model, set);
    const std::vector<double> desired(static_cast<std::size_t>(set->row_count()), 0.5);
    bool well_posed = true;
    const Eigen::VectorXd expected =
        dense_loop_dynamics(w, robot.state, nullptr, desired.data(), &well_posed);
    if (!well_posed) continue;
    for (const Method method : available_methods()) {
      SolveOptions solve;
      solve.method = method;
      Eigen::VectorXd qdd(robot.model->nv), lambda(set->row_count());
      const Status status = constrained_dynamics(
          w, solve,
          {robot.state.q.data(), robot.state.v.data(), robot.state.tau.data(), nullptr, desired.data()},
          qdd.data(), lambda.data());
      if (status == Status::infeasible) continue;  // rows on what cannot move, or twice on the same link
      ASSERT_EQ(status, Status::ok) << w.message();
      ++solved;
      EXPECT_LE(relative_error(qdd, expected), 1e-8) << static_cast<int>(method);
    }
  }
  EXPECT_GT(solved, static_cast<int>(robots));
}

}  // namespace
}  // namespace tenon::testing
