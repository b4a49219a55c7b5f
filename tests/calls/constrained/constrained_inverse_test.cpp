// Inverse dynamics with constraint forces: it undoes constrained dynamics, and is what the dense reference's
// M, c and J make of it.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "support/closure_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(40, test_robots() / 8);
const int mechanisms = std::max(20, test_robots() / 15);

TEST(ConstrainedInverse, MatchesReference) {
  int inter_body = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), SceneKind::contradictory);
    ConstrainedScene& s = *scene;
    if (s.nv() == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    const VectorXd lambda = random_vector(random, s.rows());
    s.oracle.set_state(s.state.q, s.state.v);
    s.rows_oracle.evaluate(s.oracle.dynamics, s.desired.data(), s.anchors.data());
    for (const bool pushed : {false, true}) {
      const double* wrenches = pushed ? s.state.wrenches.data() : nullptr;
      VectorXd tau(s.nv()), none(s.nv());
      ASSERT_EQ(constrained_inverse_dynamics(s.workspace, s.state.q.data(), s.state.v.data(),
                                             s.state.a.data(), wrenches, lambda.data(), tau.data()),
                Status::ok)
          << s.workspace.message();
      const VectorXd expected =
          s.oracle.inverse_dynamics(s.state.a, wrenches).cast<double>() - s.joint_force(lambda);
      EXPECT_LE(relative_error(tau, expected, 1), 1e-12);
      ASSERT_EQ(constrained_inverse_dynamics(s.workspace, s.state.q.data(), s.state.v.data(),
                                             s.state.a.data(), wrenches, nullptr, none.data()),
                Status::ok);
      EXPECT_LE(relative_error(none, s.oracle.inverse_dynamics(s.state.a, wrenches), 1), 1e-12);
    }
    inter_body += s.set->data().inter_body_count > 0;
  }
  EXPECT_GE(inter_body, robots / 10);
}

TEST(ConstrainedInverse, UndoesConstrainedDynamics) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const SceneKind kind = seed % 2 ? SceneKind::compliant : SceneKind::redundant;
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), kind);
    ConstrainedScene& s = *scene;
    if (s.nv() == 0) continue;
    s.oracle.set_state(s.state.q, s.state.v);
    VectorXd qdd, lambda, tau(s.nv());
    ASSERT_GE(static_cast<int>(s.solve(Method::dense, qdd, lambda)), 0);
    ASSERT_EQ(constrained_inverse_dynamics(s.workspace, s.state.q.data(), s.state.v.data(), qdd.data(),
                                           s.state.wrenches.data(), lambda.data(), tau.data()),
              Status::ok);
    const double size = s.oracle.mass_matrix().cast<double>().norm() * qdd.norm() + lambda.norm();
    EXPECT_LE((tau - as_vector(s.state.tau)).norm(), 1e-9 * (1 + size));
  }
}

// In spanning coordinates loops push as well as the rows do, so that tau is recovered as far as the loops let
// it through: G^T tau; in independent ones it is all there is.
TEST(ConstrainedInverse, UndoesConstrainedDynamicsWithLoops) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 6);
    const int nv = scene.model->nv, ny = scene.model->ny;
    if (ny < 4) continue;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random, random_point(random, scene.model));
    if (!t.regular()) continue;
    const VectorXd tau_y = random_vector(random, ny);
    VectorXd qdd(nv), yddot(ny), lambda(3), back(nv), back_y(ny);
    ASSERT_GE(static_cast<int>(constrained_dynamics(t.w, {}, {scene.q.data(), t.v.data(), t.tau.data()},
                                                    qdd.data(), lambda.data())),
              0)
        << t.w.message();
    ASSERT_EQ(constrained_inverse_dynamics(t.w, scene.q.data(), t.v.data(), qdd.data(), nullptr,
                                           lambda.data(), back.data()),
              Status::ok);
    const double size = 1 + t.G.norm() * (back.norm() + lambda.norm());
    EXPECT_LE((t.G.transpose() * (back - t.tau)).norm(), 1e-8 * size);
    ASSERT_GE(
        static_cast<int>(constrained_dynamics(
            t.independent, {}, {scene.q.data(), t.ydot.data(), tau_y.data()}, yddot.data(), lambda.data())),
        0);
    ASSERT_EQ(constrained_inverse_dynamics(t.independent, scene.q.data(), t.ydot.data(), yddot.data(),
                                           nullptr, lambda.data(), back_y.data()),
              Status::ok);
    EXPECT_LE((back_y - tau_y).norm(), 1e-8 * (1 + yddot.norm() + lambda.norm()) * t.G.norm());
    ++compared;
  }
  EXPECT_GE(compared, mechanisms / 3);
}

TEST(ConstrainedInverse, RefusesBadInput) {
  ConstrainedScene s(11, SceneKind::contradictory);
  ASSERT_GT(s.rows(), 1);
  VectorXd lambda = VectorXd::Zero(s.rows()), tau = VectorXd::Constant(s.nv(), 77);
  lambda(1) = NAN;
  EXPECT_EQ(constrained_inverse_dynamics(s.workspace, s.state.q.data(), s.state.v.data(), s.state.a.data(),
                                         nullptr, lambda.data(), tau.data()),
            Status::not_finite);
  EXPECT_NE(std::string(s.workspace.message()).find("lambda[1]"), std::string::npos);
  EXPECT_TRUE((tau.array() == 77).all());
}

}  // namespace
}  // namespace tenon::testing
