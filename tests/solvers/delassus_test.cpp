// The Delassus matrix by every method, against M and J of the reference in long double.
#include "tenon/delassus.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <string>

#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

constexpr SceneKind kinds[] = {SceneKind::independent, SceneKind::redundant, SceneKind::contradictory,
                               SceneKind::compliant};

struct Named {
  DelassusMethod method;
  const char* name;
};
constexpr Named methods[] = {
    {DelassusMethod::automatic, "automatic"}, {DelassusMethod::dense, "dense"},
    {DelassusMethod::ltl_osim, "ltl_osim"},   {DelassusMethod::kjr, "kjr"},
    {DelassusMethod::efpa, "efpa"},           {DelassusMethod::pv_osim, "pv_osim"},
    {DelassusMethod::pv_osimr, "pv_osimr"},
};

Eigen::MatrixXd expected_delassus(ConstrainedScene& s) {
  s.oracle.set_state(s.state.q, s.state.v);
  s.rows_oracle.evaluate(s.oracle.dynamics, nullptr, nullptr);
  reference::MatX<Real> L = s.oracle.mass_matrix();
  EXPECT_TRUE(reference::cholesky<Real>(L));
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
  for (std::uint64_t seed = 0; seed < TENON_TEST_ROBOTS && !HasFailure(); ++seed) {
    ConstrainedScene s(seed, kinds[seed % 4]);
    const Eigen::MatrixXd expected = expected_delassus(s);
    for (const Named& m : methods) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + m.name);
      const Eigen::MatrixXd A = delassus(s, m.method);
      EXPECT_LE(relative_error(A, expected), 1e-9);
      EXPECT_TRUE((A.array() == A.transpose().array()).all()) << "not symmetric to the last bit";
    }
  }
}

}  // namespace
}  // namespace tenon::testing
