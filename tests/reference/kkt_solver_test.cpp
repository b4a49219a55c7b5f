// The dense solver against the conditions that define its answer, checked in long double by plain products.
#include "reference/kkt_solver.hpp"
#include "reference/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

using reference::MatX;
using reference::VecX;

struct Solved : ConstrainedScene {
  Solved(std::uint64_t seed, SceneKind kind) : ConstrainedScene(seed, kind, 30) {
    solve_reference();
    M = oracle.mass_matrix();
    x = qdd.cast<Real>();
    l = lambda.cast<Real>();
    residual = rows_oracle.rhs - rows_oracle.J * x - rows_oracle.compliance().cwiseProduct(l);
  }
  MatX<Real> M;
  VecX<Real> x, l, residual;
};

template <class Check>
void for_scenes(Check check) {
  for (std::uint64_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    Solved s(seed, static_cast<SceneKind>(seed % 4));
    if (s.rows() == 0 || s.kkt.min_kept_over_max() < 1e-6) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(s);
  }
}

TEST(KktSolver, ObeysTheEquationOfMotion) {
  for_scenes([](Solved& s) {
    const VecX<Real> left = s.M * s.x + s.oracle.bias_force(s.state.wrenches.data());
    const VecX<Real> right = as_vector(s.state.tau).cast<Real>() + s.rows_oracle.J.transpose() * s.l;
    EXPECT_LE(relative_error(left, right, static_cast<double>(largest(s.JT_lambda))), 1e-12);
  });
}

TEST(KktSolver, RowsHoldUnlessTheyContradict) {
  for_scenes([](Solved& s) {
    const double residual = static_cast<double>(largest(s.residual));
    EXPECT_NEAR(s.expected_report.primal_residual, residual, 1e-9 * (1 + residual));
    const Real size = 1 + largest(s.rows_oracle.rhs) + largest(s.a_free);
    if (s.expected_status == Status::ok) {
      EXPECT_LE(residual, static_cast<double>(1e-11 * size));
    } else {
      EXPECT_EQ(s.expected_status, Status::infeasible);
      EXPECT_GT(residual, 1e-12);
    }
  });
}

// Stationary: (J M^-1 J^T + R) W residual = 0, [CABA] Eq. 15.
TEST(KktSolver, ContradictoryRowsLeaveTheLeastSquares) {
  int contradictory = 0;
  for_scenes([&](Solved& s) {
    if (s.expected_status != Status::infeasible) return;
    ++contradictory;
    const VecX<Real> weighted = s.rows_oracle.weight().cwiseProduct(s.residual);
    const VecX<Real> force = s.rows_oracle.J.transpose() * weighted;
    const VecX<Real> soft = s.rows_oracle.compliance().cwiseProduct(weighted);
    const double size =
        static_cast<double>((s.rows_oracle.J.cwiseAbs().transpose() * weighted.cwiseAbs()).maxCoeff());
    EXPECT_LE(largest(force), 1e-11 * (size + static_cast<double>(largest(weighted))));
    EXPECT_LE(largest(soft), 1e-11 * (1 + static_cast<double>(largest(weighted))));
    EXPECT_LE(s.expected_report.dual_residual, 1e-9 * (1 + static_cast<double>(largest(weighted))));
  });
  EXPECT_GT(contradictory, 50);
}

// No part of lambda / weight lies in the null space of J M^-1 J^T + R: the share of dependent rows is the
// smallest.
TEST(KktSolver, MultipliersOfDependentRowsAreTheSmallest) {
  int dependent = 0;
  for_scenes([&](Solved& s) {
    const int rank = s.expected_report.rank;
    if (rank == s.rows()) return;
    ++dependent;
    const MatX<Real> Y = s.rows_oracle.J.transpose();
    MatX<Real> A = s.rows_oracle.J * reference::solved<Real>(s.M, Y);
    A.diagonal() += s.rows_oracle.compliance();
    // Null space after scaling to unit diagonal.
    VecX<Real> scale = A.diagonal().cwiseSqrt();
    for (Eigen::Index r = 0; r < scale.size(); ++r) scale(r) = scale(r) > 1e-9L ? 1 / scale(r) : 1;
    const Eigen::SelfAdjointEigenSolver<MatX<Real>> eigen(scale.asDiagonal() * A * scale.asDiagonal());
    ASSERT_LT(eigen.eigenvalues()(s.rows() - rank - 1), 1e-11L);
    if (rank > 0) {
      ASSERT_GT(eigen.eigenvalues()(s.rows() - rank), 1e-11L);
    }
    const MatX<Real> null = scale.asDiagonal() * eigen.eigenvectors().leftCols(s.rows() - rank);
    const VecX<Real> share = null.transpose() * s.l.cwiseQuotient(s.rows_oracle.weight());
    const VecX<Real> size =
        null.cwiseAbs().transpose() * s.l.cwiseQuotient(s.rows_oracle.weight()).cwiseAbs();
    EXPECT_LE(largest(share), 1e-8L * (size.maxCoeff() + 1));
  });
  EXPECT_GT(dependent, 50);
}

// The library's double solver against the long double one, on the compiled model against the description.
TEST(KktSolver, DoublePrecisionKeepsTenDigits) {
  for_scenes([](Solved& s) {
    reference::KktSolver solver(s.robot.model, s.set);
    reference::KktInputs in;
    in.q = s.state.q.data();
    in.v = s.state.v.data();
    in.tau = s.state.tau.data();
    in.wrenches = s.state.wrenches.data();
    in.desired = s.desired.data();
    in.anchors = s.anchors.data();
    in.gravity = s.robot.options.gravity;
    Eigen::VectorXd x(s.nv()), l(s.rows());
    SolveReport report;
    EXPECT_EQ(solver.solve(in, {}, x.data(), l.data(), report), s.expected_status);
    EXPECT_EQ(report.rank, s.expected_report.rank);
    EXPECT_LE(relative_error(x, s.qdd, largest(s.a_free)), 1e-10);
    EXPECT_LE(relative_error(l, s.lambda), 1e-10 * std::max(1.0, 1e-3 / s.kkt.min_kept_over_max()));
    // Multipliers are optional.
    Eigen::VectorXd again(s.nv());
    solver.solve(in, {}, again.data(), nullptr, report);
    EXPECT_EQ(again, x);
  });
}

TEST(KktSolver, WithoutRowsIsForwardDynamics) {
  const Robot robot = random_robot(5, 10);
  Random random(5);
  const State state = random_state(random, *robot.model);
  reference::KktSolver solver(robot.model);
  reference::KktInputs in;
  in.q = state.q.data();
  in.v = state.v.data();
  in.tau = state.tau.data();
  in.gravity = robot.options.gravity;
  Eigen::VectorXd x(robot.model->nv);
  SolveReport report;
  EXPECT_EQ(solver.solve(in, {}, x.data(), nullptr, report), Status::ok);
  Oracle oracle(robot);
  oracle.set_state(state.q, state.v);
  EXPECT_LE(relative_error(x, oracle.forward_dynamics(state.tau, nullptr)), 1e-12);
  EXPECT_EQ(report.rank, 0);
}

}  // namespace
}  // namespace tenon::testing
