// M^-1 times vectors and the operational-space products, against M and J of the reference in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/constrained_scene.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(InverseMass, TimesTheMassMatrixGivesTheVectorsBack) {
  for (int seed = 0; seed < test_robots() && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, SceneKind::independent);
    if (s.nv() == 0) continue;
    const int columns = 1 + static_cast<int>(seed % 6);
    s.oracle.set_state(s.state.q, s.state.v);
    const reference::MatX<Real> M = s.oracle.mass_matrix();
    std::srand(static_cast<unsigned>(seed));
    const MatrixXd x = MatrixXd::Random(s.nv(), columns);
    const MatrixXd b = (M * x.cast<Real>()).cast<double>();
    MatrixXd found = b;
    ASSERT_EQ(
        inverse_mass_times(s.workspace, s.state.q.data(), b.data(), s.nv(), columns, found.data(), s.nv()),
        Status::ok);
    EXPECT_LE(relative_error((M * found.cast<Real>()).cast<double>(), b), 1e-9) << "seed " << seed;
    MatrixXd in_place = b;
    ASSERT_EQ(inverse_mass_times(s.workspace, s.state.q.data(), in_place.data(), s.nv(), columns,
                                 in_place.data(), s.nv()),
              Status::ok);
    EXPECT_TRUE((in_place.array() == found.array()).all());
  }
}

struct Products {
  Products(ConstrainedScene& s)
      : Lambda(s.rows(), s.rows()), J_bar(s.nv(), s.rows()), N(s.nv(), s.nv()), A(s.rows(), s.rows()) {
    s.oracle.set_state(s.state.q, s.state.v);
    s.rows_oracle.evaluate(s.oracle.dynamics, nullptr, nullptr);
    J = s.rows_oracle.J.cast<double>();
    const double* q = s.state.q.data();
    OperationalSpace out;
    out.Lambda = Lambda.data(), out.ld_Lambda = s.rows();
    out.J_bar = J_bar.data(), out.ld_J_bar = s.nv();
    out.N = N.data(), out.ld_N = s.nv();
    status = operational_space(s.workspace, q, out, &rank);
    EXPECT_EQ(delassus_matrix(s.workspace, DelassusMethod::dense, q, A.data(), s.rows()), Status::ok);
  }
  MatrixXd Lambda, J_bar, N, A, J;
  Status status = Status::internal_error;
  int rank = -1;
};

// What defines them, on dependent rows too: A Lambda A = A, Lambda A Lambda = Lambda, J_bar J J_bar = J_bar,
// J N = 0, N N = N. Rounding is as the condition of the kept part: scenes well off the rank decision.
TEST(OperationalSpace, ProductsAreWhatTheyShouldBe) {
  int full = 0, deficient = 0;
  for (int seed = 0; seed < test_robots() / 2 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 30);
    if (s.rows() == 0 || s.nv() == 0) continue;
    s.solve_reference();
    if (scene_kinds[seed % 4] == SceneKind::compliant || s.kkt.min_kept_over_max() < 1e-4) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Products p(s);
    ASSERT_EQ(p.rank, s.expected_report.rank);
    ASSERT_EQ(p.status, p.rank < s.rows() ? Status::rank_deficient : Status::ok) << s.workspace.message();
    (p.rank < s.rows() ? deficient : full) += 1;
    EXPECT_TRUE((p.Lambda.array() == p.Lambda.transpose().array()).all());
    EXPECT_LE(relative_error(p.A * p.Lambda * p.A, p.A), 1e-9);
    EXPECT_LE(relative_error(p.Lambda * p.A * p.Lambda, p.Lambda), 1e-8);
    EXPECT_LE(relative_error(p.J_bar * p.J * p.J_bar, p.J_bar), 1e-8);
    const MatrixXd zero = MatrixXd::Zero(s.rows(), s.nv());
    EXPECT_LE(relative_error(p.J * p.N, zero, largest(p.J)), 1e-8);
    EXPECT_LE(relative_error(p.N * p.N, p.N, 1), 1e-8);
    // Pseudo-inverse: A Lambda is symmetric, an orthogonal projector.
    const MatrixXd projector = p.A * p.Lambda;
    EXPECT_LE(relative_error(projector, projector.transpose()), 1e-7);
  }
  EXPECT_GE(full, test_robots() / 50);
  EXPECT_GE(deficient, test_robots() / 50);
}

TEST(OperationalSpace, WithoutRowsNothingIsHeld) {
  Robot robot = random_robot(5, 10);
  Random random(5);
  const State state = random_state(random, *robot.model);
  Workspace w(robot.model);
  MatrixXd N(robot.model->nv, robot.model->nv);
  OperationalSpace out;
  out.N = N.data(), out.ld_N = robot.model->nv;
  int rank = -1;
  EXPECT_EQ(operational_space(w, state.q.data(), out, &rank), Status::ok);
  EXPECT_EQ(rank, 0);
  EXPECT_TRUE(N.isIdentity(0));
}

}  // namespace
}  // namespace tenon::testing
