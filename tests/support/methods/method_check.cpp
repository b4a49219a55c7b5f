#include "support/methods/method_check.hpp"

#include <algorithm>

namespace tenon::testing {
namespace {

constexpr double tolerance = 1e-9;

const char* name_of(SceneKind kind) {
  static const char* const names[] = {"Independent", "Redundant", "Contradictory", "Compliant"};
  return names[static_cast<int>(kind)];
}

}  // namespace

void expect_solution(const ConstrainedScene& s, const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                     double slack, bool multipliers) {
  const double free = s.a_free.size() ? largest(s.a_free) : 0;
  EXPECT_LE(relative_error(qdd, s.qdd, free), tolerance * slack);
  // Multipliers of contradictory rows may hold a large part that does not act on the robot; it costs digits.
  const bool infeasible = s.expected_status == Status::infeasible;
  EXPECT_LE(relative_error(s.joint_force(lambda), s.JT_lambda, 1), (infeasible ? 1e-5 : tolerance) * slack);
  if (infeasible || !multipliers || s.expected_report.rank < s.rows()) return;
  const double kept = s.kkt.min_kept_over_max();
  EXPECT_LE(relative_error(lambda, s.lambda), tolerance * std::max(slack, 1e-3 / kept));
}

std::string name_of(const ::testing::TestParamInfo<MethodAndKind>& test) {
  return std::string(name_of(std::get<0>(test.param))) + "_" + name_of(std::get<1>(test.param));
}

void check_method(ConstrainedScene& s, Method method, int seed, bool strict, MethodTally& tally) {
  s.solve_reference();
  Eigen::VectorXd qdd, lambda;
  const Status status = s.solve(method, qdd, lambda);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + std::to_string(s.rows()) + " rows of rank " +
               std::to_string(s.expected_report.rank) + " on " + std::to_string(s.nv()) +
               " coordinates, report: " + std::to_string(s.workspace.report().iterations) +
               " iterations, residual " + std::to_string(s.workspace.report().primal_residual));
  const double kept = s.kkt.min_kept_over_max();
  EXPECT_GE(static_cast<int>(status), 0) << s.workspace.message();
  // Whether rows contradict is as uncertain as the answer where they almost do.
  if (strict || kept >= well_posed) {
    EXPECT_EQ(status, s.expected_status) << "kept " << kept << ", " << s.workspace.message();
  }
  expect_solution(s, qdd, lambda, std::max(1.0, well_posed / kept), strict);
  tally.ill_posed += kept < well_posed;
  tally.infeasible += s.expected_status == Status::infeasible;
  tally.redundant += s.expected_report.rank < s.rows();
}

}  // namespace tenon::testing
