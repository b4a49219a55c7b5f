// The damped inverse of the Delassus matrix by every method, against the inverse of the matrix in long
// double.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "reference/decompositions.hpp"
#include "support/constrained_scene.hpp"
#include "support/methods/delassus_methods.hpp"
#include "support/test_robots.hpp"
#include "tenon/delassus.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Matrix = reference::MatX<Real>;
using Vector = reference::VecX<Real>;

// J M^-1 J^T + E of a scene, E by the rule of `damping`, all in the user's order of rows.
struct Truth {
  Truth(ConstrainedScene& s, const Damping& damping) {
    s.oracle.set_state(s.state.q, s.state.v);
    s.rows_oracle.evaluate(s.oracle.dynamics, nullptr, nullptr);
    Matrix L = s.oracle.mass_matrix();
    EXPECT_TRUE(reference::cholesky<Real>(L));
    const Matrix Y = L.triangularView<Eigen::Lower>().solve(s.rows_oracle.J.transpose());
    A = Y.transpose() * Y;
    const ConstraintData& c = s.set->data();
    for (int r = 0; r < s.rows(); ++r) {
      const int row = c.user_row[r];
      const double inv_mu = damping.mu_of_row ? 1 / damping.mu_of_row[row]
                            : damping.mu > 0  ? 1 / damping.mu
                                              : c.scale[r] / default_relative_mu;
      A(row, row) += static_cast<Real>(c.compliance[r] + inv_mu);
    }
    inverse = reference::solved<Real>(A, Matrix::Identity(s.rows(), s.rows()));
    // Rows have units, and sizes: a matrix of them is measured by what it is on rows of size one.
    size = A.diagonal().cwiseSqrt();
  }
  double largest() const {  // entry of the inverse: 1 at least, mu times the Delassus diagonal at most
    return static_cast<double>(tenon::testing::largest(size.asDiagonal() * inverse * size.asDiagonal()));
  }
  double error(const Eigen::MatrixXd& X) const {
    const Matrix difference = X.cast<Real>() - inverse;
    return static_cast<double>(tenon::testing::largest(size.asDiagonal() * difference * size.asDiagonal())) /
           largest();
  }
  double identity_error(const Eigen::MatrixXd& X) const {
    const Matrix product = size.cwiseInverse().asDiagonal() * (A * X.cast<Real>()) * size.asDiagonal();
    return static_cast<double>(tenon::testing::largest(product - Matrix::Identity(A.rows(), A.rows())));
  }

  Matrix A, inverse;
  Vector size;
};

Eigen::MatrixXd inverse_of(ConstrainedScene& s, DampedInverseMethod method, const Damping& damping) {
  Eigen::MatrixXd X = Eigen::MatrixXd::Constant(s.rows() + 3, s.rows(), 1e99);
  const int ld = static_cast<int>(X.rows());
  EXPECT_EQ(damped_delassus_inverse(s.workspace, method, s.state.q.data(), damping, X.data(), ld), Status::ok)
      << s.workspace.message();
  EXPECT_TRUE((X.bottomRows(3).array() == 1e99).all()) << "wrote below the last row";
  return X.topRows(s.rows());
}

Eigen::MatrixXd applied_to(ConstrainedScene& s, DampedInverseMethod method, const Damping& damping,
                           const Eigen::MatrixXd& B) {
  Eigen::MatrixXd X = Eigen::MatrixXd::Constant(s.rows() + 2, B.cols(), 1e99);
  EXPECT_EQ(factor_damped_delassus(s.workspace, method, s.state.q.data(), damping), Status::ok)
      << s.workspace.message();
  EXPECT_EQ(apply_damped_delassus_inverse(s.workspace, B.data(), static_cast<int>(B.rows()),
                                          static_cast<int>(B.cols()), X.data(), static_cast<int>(X.rows())),
            Status::ok);
  EXPECT_TRUE((X.bottomRows(2).array() == 1e99).all()) << "wrote below the last row";
  return X.topRows(s.rows());
}

// The same mu over the typical Delassus diagonal of every row, the user's order.
std::vector<double> relative_mu(const ConstrainedScene& s, double mu0) {
  std::vector<double> mu(static_cast<std::size_t>(s.rows()));
  const ConstraintData& c = s.set->data();
  for (int r = 0; r < s.rows(); ++r) mu[static_cast<std::size_t>(c.user_row[r])] = mu0 / c.scale[r];
  return mu;
}

// Per row, none the same, the user's order.
std::vector<double> some_mu(const ConstrainedScene& s, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> mu(static_cast<std::size_t>(s.rows()));
  const ConstraintData& c = s.set->data();
  for (int r = 0; r < s.rows(); ++r)
    mu[static_cast<std::size_t>(c.user_row[r])] = random.uniform(1e2, 1e4) / c.scale[r];
  return mu;
}

TEST(DampedInverse, AllMethodsMatchTheInverseOnRandomTrees) {
  for (int seed = 0; seed < test_robots() && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4]);
    if (s.rows() == 0) continue;
    const std::vector<double> mu = relative_mu(s, 1e4);
    const Damping damping(0, mu.data());
    const Truth truth(s, damping);
    // Rounding grows with the inverse, whose entries are of the size of mu for rows that depend on others.
    const double rounding = std::max(1e-10, 2e-13 * truth.largest());
    for (const NamedInverse& m : damped_inverse_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      const Eigen::MatrixXd X = inverse_of(s, m.method, damping);
      EXPECT_LE(truth.error(X), rounding) << truth.largest();
      EXPECT_LE(truth.identity_error(X), 1e2 * rounding) << truth.largest();
      EXPECT_TRUE((X.array() == X.transpose().array()).all()) << "not symmetric to the last bit";
    }
  }
}

// The identity to 1e-8 at the default mu, whatever the method and the rows, also where many of them depend on
// rows of other links. Unless the reference, in double, cannot do it either: the Delassus matrix is as good
// as the mass matrix is conditioned.
TEST(DampedInverse, KeepsItsDigitsAtTheDefault) {
  int dependent = 0, hard = 0;
  for (int seed = 0; seed < test_robots() / 2 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4]);
    if (s.rows() == 0) continue;
    const Truth truth(s, {});
    const double reference = truth.identity_error(inverse_of(s, DampedInverseMethod::dense, {}));
    dependent += truth.largest() > 1e4 ? 1 : 0;
    hard += reference > 1e-9 ? 1 : 0;
    for (const NamedInverse& m : damped_inverse_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      EXPECT_LE(truth.identity_error(inverse_of(s, m.method, {})), std::max(1e-8, 10 * reference));
    }
  }
  EXPECT_GE(dependent, test_robots() / 8);
  EXPECT_LE(hard, test_robots() / 8);
}

// Where rows are independent mu need not be small, also where branches meet and lend each other inertia.
TEST(DampedInverse, IndependentRowsLoseLittleToALargeMu) {
  int tried = 0;
  for (int seed = 0; seed < test_robots() / 2 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, SceneKind::independent);
    if (s.rows() == 0) continue;
    const std::vector<double> mu = relative_mu(s, 1e8);
    const Truth truth(s, {0, mu.data()});
    if (truth.largest() > 1e2) continue;
    ++tried;
    for (const NamedInverse& m : damped_inverse_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      // The first power of mu times rounding is 1e-8 times a few; its square would be 1.
      EXPECT_LE(truth.identity_error(inverse_of(s, m.method, {0, mu.data()})), 1e-6);
    }
  }
  EXPECT_GE(tried, test_robots() / 50);
}

// Penalties of 1e200 leave nothing of the inertias: methods that add them up go to another.
TEST(DampedInverse, TakesAMuBeyondAllInertias) {
  Robot robot;
  robot.mechanism = load_urdf(TENON_MODELS_DIR "/go1.urdf");
  robot.options.floating_base = true;
  robot.model = Model::compile(robot.mechanism, robot.options);
  Random random(1);
  const int feet[] = {3, static_cast<int>(robot.model->links.size()) - 1};
  ConstrainedScene s(robot, random_state(random, *robot.model),
                     {point_constraint(feet[0], {}), point_constraint(feet[1], {})});
  const Truth truth(s, {1e15, nullptr});
  for (const NamedInverse& m : damped_inverse_methods) {
    SCOPED_TRACE(m.name);
    EXPECT_LE(truth.identity_error(inverse_of(s, m.method, {1e200, nullptr})), 1e-9);
  }
}

TEST(DampedInverse, AppliesWhatItForms) {
  for (int seed = 0; seed < test_robots() / 4 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4], 40);
    if (s.rows() == 0) continue;
    const std::vector<double> mu = some_mu(s, seed);
    const Damping damping(0, mu.data());
    const Truth truth(s, damping);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(s.rows(), s.rows());
    for (const NamedInverse& m : damped_inverse_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      const Eigen::MatrixXd X = inverse_of(s, m.method, damping);
      EXPECT_LE(truth.error(X), std::max(1e-10, 1e-13 * truth.largest()));
      const Eigen::MatrixXd columns = applied_to(s, m.method, damping, identity);
      EXPECT_LE(truth.error(columns), std::max(1e-10, 1e-13 * truth.largest()));
      // In place, and one vector as well as many.
      Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(s.rows(), -1, 2);
      const Eigen::VectorXd expected = columns * x;
      ASSERT_EQ(apply_damped_delassus_inverse(s.workspace, x.data(), s.rows(), 1, x.data(), s.rows()),
                Status::ok);
      const double size = (columns.cwiseAbs() * Eigen::VectorXd::Constant(s.rows(), 2)).maxCoeff();
      EXPECT_LE(largest(x - expected), 1e-9 * size);
    }
  }
}

// Rows of one link given twice, and rows on the world: the inverse is mu where the robot cannot follow.
TEST(DampedInverse, TellsDependentRowsAndRowsOnTheWorld) {
  Robot robot = random_robot(11, MechanismOptions{Shape::star, 8, true}, true);
  std::vector<ConstraintSpec> specs;
  const auto hold = [&](int link) {
    ConstraintSpec spec;
    spec.link = link;
    specs.push_back(spec);
  };
  int tip = -1;
  for (std::size_t i = 0; i < robot.model->links.size(); ++i)
    if (robot.model->links[i].body == robot.model->data().node_count - 1) tip = static_cast<int>(i);
  ASSERT_GE(tip, 0);
  hold(tip), hold(tip), hold(0);
  Random random(5);
  ConstrainedScene s(robot, random_state(random, *robot.model), specs);
  const Damping damping(1e4);
  const Truth truth(s, damping);
  EXPECT_GT(truth.largest(), 1e3);
  for (const NamedInverse& m : damped_inverse_methods) {
    SCOPED_TRACE(m.name);
    const Eigen::MatrixXd X = inverse_of(s, m.method, damping);
    EXPECT_LE(truth.error(X), 1e-9);
    EXPECT_LE(truth.identity_error(X), 1e-8);
  }
}

TEST(DampedInverse, RefusesBadInput) {
  ConstrainedScene s(3, SceneKind::contradictory);
  ASSERT_GT(s.rows(), 0);
  const double* q = s.state.q.data();
  Eigen::MatrixXd X(s.rows(), s.rows());
  for (const double mu : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(damped_delassus_inverse(s.workspace, DampedInverseMethod::caba_osim, q, {mu, nullptr}, X.data(),
                                      s.rows()),
              std::isfinite(mu) ? Status::invalid_argument : Status::not_finite);
    EXPECT_NE(std::string(s.workspace.message()).find("mu is"), std::string::npos);
  }
  std::vector<double> mu(static_cast<std::size_t>(s.rows()), 1e3);
  mu.back() = -1;
  EXPECT_EQ(factor_damped_delassus(s.workspace, DampedInverseMethod::pv_osimf, q, {0, mu.data()}),
            Status::invalid_argument);
  EXPECT_NE(std::string(s.workspace.message()).find("mu of row " + std::to_string(s.rows() - 1)),
            std::string::npos);
  EXPECT_EQ(factor_damped_delassus(s.workspace, static_cast<DampedInverseMethod>(99), q, {}),
            Status::unsupported);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(s.rows());
  EXPECT_EQ(apply_damped_delassus_inverse(s.workspace, x.data(), s.rows(), 1, x.data(), s.rows()),
            Status::invalid_argument);
  EXPECT_NE(std::string(s.workspace.message()).find("factor_damped_delassus"), std::string::npos);
  ASSERT_EQ(factor_damped_delassus(s.workspace, DampedInverseMethod::automatic, q, {}), Status::ok);
  x[0] = std::nan("");
  EXPECT_EQ(apply_damped_delassus_inverse(s.workspace, x.data(), s.rows(), 1, x.data(), s.rows()),
            Status::not_finite);
}

}  // namespace
}  // namespace tenon::testing
