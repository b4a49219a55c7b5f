// What is special in the Popov-Vereshchagin family: the Tikhonov option, the branches factored apart, pv_soft
// as the first iteration of constrained_aba.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

// The closed form (J M^-1 J^T + R + tikhonov) lambda = k - J a_free, by the reference with that much more
// compliance.
TEST(Pv, TikhonovAddsComplianceToEveryRow) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 30);
    if (s.rows() == 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SolveOptions options;
    options.tikhonov = 0.01;
    Eigen::VectorXd qdd, lambda;
    ASSERT_EQ(s.solve(Method::pv, qdd, lambda, options), Status::ok);
    const double residual = s.workspace.report().primal_residual;

    std::vector<ConstraintSpec> softer = s.set->specs();
    for (ConstraintSpec& spec : softer) {
      spec.compliance.resize(static_cast<std::size_t>(row_count(spec)), 0.0);
      for (double& R : spec.compliance) R += options.tikhonov;
    }
    ConstrainedScene soft(s.robot, s.state, softer);
    soft.desired = s.desired;
    soft.set_anchors(s.anchors);
    soft.solve_reference();
    const double free = largest(soft.a_free);
    EXPECT_LE(relative_error(qdd, soft.qdd, free), 1e-9);
    EXPECT_LE(relative_error(lambda, soft.lambda), 1e-9);

    s.solve_reference();
    const double expected =
        static_cast<double>(largest(s.rows_oracle.rhs - s.rows_oracle.J * soft.qdd.cast<Real>() -
                                    s.rows_oracle.compliance().cwiseProduct(soft.lambda.cast<Real>())));
    EXPECT_NEAR(residual, expected, 1e-9 * std::max(expected, free));
  }
}

TEST(Pv, TellsTheRankOfIndependentRows) {
  int told = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 30);
    s.solve_reference();
    Eigen::VectorXd qdd, lambda;
    s.solve(Method::pv, qdd, lambda);
    const int rank = s.workspace.report().rank;
    if (rank < 0) continue;
    ++told;
    EXPECT_EQ(rank, s.expected_report.rank) << "seed " << seed;
    EXPECT_EQ(s.workspace.report().iterations, s.rows() > 0 ? 1 : 0) << "seed " << seed;
  }
  EXPECT_GE(told, 30);
}

// A free base with several limbs that carry rows: the matrix inversion lemma against the dense solve.
TEST(ProxPv, SplitsTheRowsOfTheBase) {
  int split = 0;
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 2]);  // contradictory rows go to method dense
    SolveOptions options;
    options.split_base = SplitBase::always;
    Eigen::VectorXd qdd, lambda, whole, whole_lambda;
    const Status status = s.solve(Method::prox_pv, qdd, lambda, options);
    options.split_base = SplitBase::never;
    EXPECT_EQ(s.solve(Method::prox_pv, whole, whole_lambda, options), status);
    s.solve_reference();
    const double slack = std::max(1.0, 1e-6 / s.kkt.min_kept_over_max());
    EXPECT_LE(relative_error(qdd, whole, s.a_free.size() ? largest(s.a_free) : 0), 1e-9 * slack)
        << "seed " << seed;
    split += qdd != whole;  // another order of operations rounds otherwise
  }
  EXPECT_GE(split, 40);
}

TEST(PvSoft, IsTheFirstIterationOfConstrainedAba) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 30);
    SolveOptions options;
    if (seed % 3 == 0) options.mu = 1000;
    Eigen::VectorXd qdd, lambda = Eigen::VectorXd::Constant(s.rows(), 7), first, first_lambda;
    options.warm_start = seed % 5 == 0;  // means nothing to a method without iterations
    EXPECT_EQ(s.solve(Method::pv_soft, qdd, lambda, options), Status::ok);
    const SolveReport report = s.workspace.report();
    options.warm_start = false;
    options.max_iterations = 1;
    s.solve(Method::constrained_aba, first, first_lambda, options);
    EXPECT_EQ(qdd, first) << "seed " << seed;
    EXPECT_EQ(lambda, first_lambda) << "seed " << seed;
    EXPECT_EQ(report.iterations, s.workspace.report().iterations) << "seed " << seed;
    EXPECT_EQ(report.primal_residual, s.workspace.report().primal_residual) << "seed " << seed;
  }
}

// With mu fixed, pv_soft is the closed form (J M^-1 J^T + max(R, 1 / mu) ...) of its penalties: rows softer
// than 1 / mu keep their compliance, the others get 1 / mu on top of it.
TEST(PvSoft, SolvesTheRowsAsSprings) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 30);
    if (s.rows() == 0) continue;
    SolveOptions options;
    options.mu = 100;
    Eigen::VectorXd qdd, lambda;
    ASSERT_EQ(s.solve(Method::pv_soft, qdd, lambda, options), Status::ok);
    std::vector<ConstraintSpec> springs = s.set->specs();
    for (ConstraintSpec& spec : springs) {
      spec.compliance.resize(static_cast<std::size_t>(row_count(spec)), 0.0);
      for (double& R : spec.compliance) R += R >= 1 / options.mu ? 0 : 1 / options.mu;
    }
    ConstrainedScene soft(s.robot, s.state, springs);
    soft.desired = s.desired;
    soft.set_anchors(s.anchors);
    soft.solve_reference();
    EXPECT_LE(relative_error(qdd, soft.qdd, largest(soft.a_free)), 1e-9) << "seed " << seed;
    EXPECT_LE(relative_error(lambda, soft.lambda), 1e-8) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tenon::testing
