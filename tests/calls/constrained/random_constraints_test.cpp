// Every method of constrained dynamics against the reference on random robots with random constraints:
// independent, redundant, contradictory and soft rows, every kind of row, weights, stabilisation, external
// wrenches.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

constexpr int robots = TENON_TEST_ROBOTS;
constexpr double tolerance = 1e-9;

const char* name_of_kind(SceneKind kind) {
  switch (kind) {
    case SceneKind::independent:
      return "Independent";
    case SceneKind::redundant:
      return "Redundant";
    case SceneKind::contradictory:
      return "Contradictory";
    case SceneKind::compliant:
      return "Compliant";
  }
  return "Unknown";
}

class RandomConstraints : public ::testing::TestWithParam<std::tuple<Method, SceneKind>> {};

// Compares one answer; `slack` loosens the tolerance where the problem is not well posed.
void compare(const ConstrainedScene& s, const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
             double slack) {
  const double free = s.a_free.size() ? s.a_free.cwiseAbs().maxCoeff() : 0;
  EXPECT_LE(relative_error(qdd, s.qdd, free), tolerance * slack);
  if (s.expected_status == Status::infeasible) {
    // Multipliers of contradictory rows may hold a large part that does not act on the robot; it costs
    // digits.
    EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda, 1), 1e-5 * slack);
    return;
  }
  EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda, 1), tolerance * slack);
  if (s.expected_report.rank < s.rows()) return;
  const double kept = s.kkt.min_kept_over_max();
  EXPECT_LE(relative_error(lambda, s.lambda), tolerance * std::max(slack, 1e-3 / kept));
}

TEST_P(RandomConstraints, MatchReference) {
  const auto [method, kind] = GetParam();
  int ill_posed = 0, infeasible = 0, redundant = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    ConstrainedScene s(static_cast<std::uint64_t>(seed), kind);
    s.solve_reference();
    Eigen::VectorXd qdd, lambda;
    const Status status = s.solve(method, qdd, lambda);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + std::to_string(s.rows()) + " rows of rank " +
                 std::to_string(s.expected_report.rank) + " on " + std::to_string(s.nv()) +
                 " coordinates, report: " + std::to_string(s.workspace.report().iterations) +
                 " iterations, residual " + std::to_string(s.workspace.report().primal_residual));
    EXPECT_EQ(status, s.expected_status) << s.workspace.message();
    const double kept = s.kkt.min_kept_over_max();
    compare(s, qdd, lambda, std::max(1.0, well_posed / kept));
    ill_posed += kept < well_posed;
    infeasible += s.expected_status == Status::infeasible;
    redundant += s.expected_report.rank < s.rows();
  }
  // The generator gives what this test is named for.
  EXPECT_LE(ill_posed, robots / 50 + 1);
  if (HasFailure()) return;
  if (kind == SceneKind::independent) {
    EXPECT_LE(redundant, robots * 2 / 5);
  }
  if (kind == SceneKind::redundant) {
    EXPECT_GE(redundant - infeasible, robots * 3 / 10);
  }
  if (kind == SceneKind::contradictory) {
    EXPECT_GE(infeasible, robots / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RandomConstraints,
                         ::testing::Combine(::testing::ValuesIn(available_methods()),
                                            ::testing::Values(SceneKind::independent, SceneKind::redundant,
                                                              SceneKind::contradictory,
                                                              SceneKind::compliant)),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + "_" +
                                  name_of_kind(std::get<1>(test.param));
                         });

TEST(ConstrainedDynamics, UnknownMethodSaysSo) {
  ConstrainedScene s(3, SceneKind::contradictory);
  ASSERT_GT(s.rows(), 0);
  Eigen::VectorXd qdd, lambda;
  EXPECT_EQ(s.solve(static_cast<Method>(99), qdd, lambda), Status::unsupported);
  EXPECT_NE(std::string(s.workspace.message()).find("unsupported: method 99"), std::string::npos);
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
      const Real size = std::max(s.rows_oracle.rhs.cwiseAbs().maxCoeff(),
                                 (s.rows_oracle.J.cwiseAbs() * s.a_free.cast<Real>().cwiseAbs()).maxCoeff());
      for (int iterations = 1; iterations <= 6; ++iterations) {
        SolveOptions options;
        options.max_iterations = iterations;
        Eigen::VectorXd qdd, lambda;
        const Status status = s.solve(method, qdd, lambda, options);
        ASSERT_GE(static_cast<int>(status), 0) << s.workspace.message();
        const reference::VecX<Real> residual = s.rows_oracle.rhs - s.rows_oracle.J * qdd.cast<Real>() -
                                               s.rows_oracle.compliance().cwiseProduct(lambda.cast<Real>());
        EXPECT_NEAR(static_cast<double>(residual.cwiseAbs().maxCoeff()), s.workspace.report().primal_residual,
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
      compare(s, qdd, lambda, slack);
      if (s.expected_status == Status::ok && s.rows() > 0) {
        EXPECT_LE(s.workspace.report().iterations, 2);
      }
      Random random(seed);
      for (double& x : lambda) x = random.uniform(-100, 100);
      EXPECT_EQ(s.solve(method, qdd, lambda, options), s.expected_status);
      compare(s, qdd, lambda, slack);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
