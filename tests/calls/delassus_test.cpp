// The Delassus matrix by every method, against M and J of the reference in long double.
#include "tenon/delassus.hpp"
#include "reference/decompositions.hpp"
#include "support/test_robots.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/constrained_scene.hpp"
#include "support/methods/delassus_methods.hpp"

namespace tenon::testing {
namespace {

Eigen::MatrixXd expected_delassus(ConstrainedScene& s) {
  s.oracle.set_state(s.state.q, s.state.v);
  s.rows_oracle.evaluate(s.oracle.dynamics, nullptr, nullptr);
  reference::MatX<Real> L = s.oracle.mass_matrix();
  EXPECT_TRUE(reference::cholesky<Real>(L));
  if (s.rows_oracle.J.rows() == 0) return {};  // Eigen's solve looks at the first entry
  const reference::MatX<Real> Y = L.triangularView<Eigen::Lower>().solve(s.rows_oracle.J.transpose());
  return (Y.transpose() * Y).cast<double>();
}

Eigen::MatrixXd delassus(ConstrainedScene& s, DelassusMethod method) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Constant(s.rows() + 3, s.rows(), 1e99);
  const int ld = static_cast<int>(A.rows());
  EXPECT_EQ(delassus_matrix(s.workspace, method, s.state.q.data(), A.data(), ld), Status::ok)
      << s.workspace.message();
  EXPECT_TRUE((A.bottomRows(3).array() == 1e99).all()) << "wrote below the last row";
  return A.topRows(s.rows());
}

TEST(Delassus, AllMethodsMatchDenseOnRandomTrees) {
  for (int seed = 0; seed < test_robots() && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, scene_kinds[seed % 4]);
    const Eigen::MatrixXd expected = expected_delassus(s);
    for (const NamedDelassus& m : delassus_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      const Eigen::MatrixXd A = delassus(s, m.method);
      EXPECT_LE(relative_error(A, expected), 1e-9);
      EXPECT_TRUE((A.array() == A.transpose().array()).all()) << "not symmetric to the last bit";
    }
  }
}

// Rows that a method could treat as special: many on one link, on its ancestors, on the world; in any order.
TEST(Delassus, RowsOfAncestorsAndMoreThanSixOnALink) {
  for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    const Shape shapes[] = {Shape::chain, Shape::star, Shape::binary, Shape::random};
    Robot robot = random_robot(seed, {shapes[seed % 4], 12, false}, seed % 3 == 0);
    Random random(seed + 77);
    const State state = random_state(random, *robot.model);
    std::vector<ConstraintSpec> specs;
    for (int link = static_cast<int>(robot.model->links.size()) - 1; link >= 0; --link) {
      const int on_link = random.integer(0, 2);
      for (int k = 0; k < on_link; ++k) {
        ConstraintSpec spec = weld_constraint(link, random.pose(0.3), RowAxes::world);
        if (random.chance(0.5)) spec.rows = 1u << random.integer(0, 5);
        specs.push_back(spec);
      }
      std::rotate(specs.begin(), specs.begin() + static_cast<std::ptrdiff_t>(specs.size()) / 2, specs.end());
    }
    ConstrainedScene s(robot, state, specs);
    const Eigen::MatrixXd expected = expected_delassus(s);
    for (const NamedDelassus& m : delassus_methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      EXPECT_LE(relative_error(delassus(s, m.method), expected), 1e-10);
    }
  }
}

TEST(Delassus, IsPositiveSemidefinite) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, SceneKind::contradictory, 30);
    if (s.rows() == 0) continue;
    for (const NamedDelassus& m : delassus_methods) {
      const Eigen::VectorXd e = reference::eigenvalues(delassus(s, m.method));
      EXPECT_GE(e(0), -1e-12 * e(e.size() - 1)) << "seed " << seed << ", " << m.name;
    }
  }
}

// A row on the world moves nothing.
TEST(Delassus, RowsOnTheWorldAreZero) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Robot robot = random_robot(seed, {Shape::random, 8, true}, false);
    Random random(seed);
    ConstrainedScene s(robot, random_state(random, *robot.model),
                       {weld_constraint(0, {}), point_constraint(7, {0.1, 0, 0}), weld_constraint(0, {})});
    if (robot.model->links[0].body >= 0) continue;
    for (const NamedDelassus& m : delassus_methods) {
      const Eigen::MatrixXd A = delassus(s, m.method);
      EXPECT_TRUE((A.leftCols(6).array() == 0).all() && (A.rightCols(6).array() == 0).all()) << m.name;
      EXPECT_TRUE((A.topRows(6).array() == 0).all() && (A.bottomRows(6).array() == 0).all()) << m.name;
    }
  }
}

TEST(Delassus, RefusesWhatItCannotDo) {
  ConstrainedScene s(3, SceneKind::independent, 20);
  std::vector<double> A(static_cast<std::size_t>(s.rows() * s.rows()), 77.0), q = s.state.q;
  EXPECT_EQ(delassus_matrix(s.workspace, static_cast<DelassusMethod>(99), q.data(), A.data(), s.rows()),
            Status::unsupported);
  EXPECT_NE(std::string(s.workspace.message()).find("99"), std::string::npos);
  q[0] = std::nan("");
  for (const NamedDelassus& m : delassus_methods) {
    EXPECT_EQ(delassus_matrix(s.workspace, m.method, q.data(), A.data(), s.rows()), Status::not_finite);
    EXPECT_NE(std::string(s.workspace.message()).find("q[0]"), std::string::npos);
  }
  EXPECT_TRUE(std::all_of(A.begin(), A.end(), [](double x) { return x == 77.0; }));
}

}  // namespace
}  // namespace tenon::testing
