// Every method of constrained dynamics against the reference on random robots with random constraints:
// independent, redundant, contradictory and soft rows, every kind of row, weights, stabilisation, external
// wrenches.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/methods/method_check.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

const int robots = test_robots();

class RandomConstraints : public ::testing::TestWithParam<MethodAndKind> {};

TEST_P(RandomConstraints, MatchReference) {
  const auto [method, kind] = GetParam();
  MethodTally tally;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    ConstrainedScene s(static_cast<std::uint64_t>(seed), kind);
    check_method(s, method, seed, true, tally);
  }
  // The generator gives what this test is named for.
  EXPECT_LE(tally.ill_posed, robots / 50 + 1);
  if (HasFailure()) return;
  if (kind == SceneKind::independent) {
    EXPECT_LE(tally.redundant, robots * 2 / 5);
  }
  if (kind == SceneKind::redundant) {
    EXPECT_GE(tally.redundant - tally.infeasible, robots * 3 / 10);
  }
  if (kind == SceneKind::contradictory) {
    EXPECT_GE(tally.infeasible, robots / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RandomConstraints,
                         ::testing::Combine(::testing::ValuesIn(available_methods()),
                                            ::testing::ValuesIn(scene_kinds)),
                         [](const auto& test) { return name_of(test); });

TEST(ConstrainedDynamics, UnknownMethodSaysSo) {
  ConstrainedScene s(3, SceneKind::contradictory);
  ASSERT_GT(s.rows(), 0);
  Eigen::VectorXd qdd, lambda;
  EXPECT_EQ(s.solve(static_cast<Method>(99), qdd, lambda), Status::unsupported);
  EXPECT_NE(std::string(s.workspace.message()).find("method 99"), std::string::npos);
  EXPECT_TRUE((qdd.array() == 1e99).all()) << "wrote its output";
}

// The same call gives the same bits whatever was solved in between.
TEST(ConstrainedDynamics, KeepsNoStateBetweenCalls) {
  for (const Method method : available_methods()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      ConstrainedScene s(seed, static_cast<SceneKind>(seed % 4), 20);
      Eigen::VectorXd first, first_lambda, other, other_lambda, again, again_lambda;
      const Status status = s.solve(method, first, first_lambda);
      ASSERT_GE(static_cast<int>(status), 0) << s.workspace.message();
      const State state = s.state;
      Random random(seed + 1);
      s.state = random_state(random, *s.robot.model);
      s.solve(method, other, other_lambda);
      s.state = state;
      EXPECT_EQ(s.solve(method, again, again_lambda), status) << name_of(method) << ", seed " << seed;
      EXPECT_EQ(first, again) << name_of(method) << ", seed " << seed;
      EXPECT_EQ(first_lambda, again_lambda) << name_of(method) << ", seed " << seed;
    }
  }
}

// However early a method is stopped, its report tells the truth about the accelerations it hands out.
TEST(ConstrainedDynamics, ReportsTheResidualOfWhatItReturns) {
  for (const Method method : available_methods()) {
    for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
      ConstrainedScene s(seed, static_cast<SceneKind>(seed % 4), 30);
      s.solve_reference();
      if (s.rows() == 0) continue;
      const Real size = std::max(largest(s.rows_oracle.rhs),
                                 (s.rows_oracle.J.cwiseAbs() * s.a_free.cast<Real>().cwiseAbs()).maxCoeff());
      for (int iterations = 1; iterations <= 6; ++iterations) {
        SolveOptions options;
        options.max_iterations = iterations;
        Eigen::VectorXd qdd, lambda;
        const Status status = s.solve(method, qdd, lambda, options);
        ASSERT_GE(static_cast<int>(status), 0) << s.workspace.message();
        const reference::VecX<Real> residual = s.rows_oracle.rhs - s.rows_oracle.J * qdd.cast<Real>() -
                                               s.rows_oracle.compliance().cwiseProduct(lambda.cast<Real>());
        EXPECT_NEAR(static_cast<double>(largest(residual)), s.workspace.report().primal_residual,
                    static_cast<double>(1e-9 * size))
            << name_of(method) << ", seed " << seed << ", " << iterations << " iterations";
        EXPECT_LE(s.workspace.report().iterations, iterations);
      }
    }
  }
}

// The multipliers handed in only change where a method starts.
TEST(ConstrainedDynamics, WarmStartFindsTheSameMotion) {
  for (const Method method : available_methods()) {
    for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
      ConstrainedScene s(seed, seed % 2 ? SceneKind::independent : SceneKind::redundant, 30);
      s.solve_reference();
      SolveOptions options;
      options.warm_start = true;
      Eigen::VectorXd qdd, lambda = s.lambda;
      const Status status = s.solve(method, qdd, lambda, options);
      ASSERT_GE(static_cast<int>(status), 0) << s.workspace.message();
      SCOPED_TRACE(std::string(name_of(method)) + ", seed " + std::to_string(seed));
      EXPECT_EQ(status, s.expected_status);
      // A start that is not zero leaves contradictory rows larger multipliers that cancel.
      const double cancelling = s.expected_status == Status::infeasible ? 10 : 1;
      const double slack = cancelling * std::max(1.0, well_posed / s.kkt.min_kept_over_max());
      expect_solution(s, qdd, lambda, slack, true);
      if (s.expected_status == Status::ok && s.rows() > 0) {
        // One more where penalties cost the motion of some joint its digits.
        EXPECT_LE(s.workspace.report().iterations, 3);
      }
      Random random(seed);
      for (double& x : lambda) x = random.uniform(-100, 100);
      EXPECT_EQ(s.solve(method, qdd, lambda, options), s.expected_status);
      expect_solution(s, qdd, lambda, slack, true);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
