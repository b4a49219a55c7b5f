// The damped inverse of the Delassus matrix by every method, against the matrix itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/constrained_scene.hpp"
#include "tenon/delassus.hpp"

namespace tenon::testing {
namespace {

constexpr SceneKind kinds[] = {SceneKind::independent, SceneKind::redundant, SceneKind::contradictory,
                               SceneKind::compliant};

struct Named {
  DampedInverseMethod method;
  const char* name;
};
constexpr Named methods[] = {
    {DampedInverseMethod::automatic, "automatic"},
    {DampedInverseMethod::dense, "dense"},
};

TEST(DampedInverse, TimesTheDampedMatrixIsTheIdentity) {
  const double mu = 1e3;
  for (std::uint64_t seed = 0; seed < TENON_TEST_ROBOTS / 4 && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, kinds[seed % 4], 30);
    const int rows = s.rows();
    Eigen::MatrixXd A(rows, rows), inverse(rows, rows), applied(rows, rows);
    const double* q = s.state.q.data();
    ASSERT_EQ(delassus_matrix(s.workspace, DelassusMethod::dense, q, A.data(), rows), Status::ok);
    A.diagonal().array() += 1 / mu;
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(rows, rows);
    for (const Named& m : methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      ASSERT_EQ(damped_delassus_inverse(s.workspace, m.method, q, mu, inverse.data(), rows), Status::ok)
          << s.workspace.message();
      EXPECT_LE(relative_error(A * inverse, identity), 1e-8);
      EXPECT_TRUE((inverse.array() == inverse.transpose().array()).all()) << "not symmetric to the last bit";
      ASSERT_EQ(factor_damped_delassus(s.workspace, m.method, q, mu), Status::ok);
      ASSERT_EQ(apply_damped_delassus_inverse(s.workspace, identity.data(), rows, rows, applied.data(), rows),
                Status::ok);
      EXPECT_LE(relative_error(A * applied, identity), 1e-8);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
