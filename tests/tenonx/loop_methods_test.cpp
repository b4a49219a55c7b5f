// Dynamics of loops by the methods that approximate; the exact ones are compared in calls/loops.
#include "tenonx/loop_methods.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/moving.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

// The armature approximation is close for geared robots and exact where a rotor turns about an axis at rest.
TEST(LoopMethods, Approximate) {
  const LoopScene scene = model_scene("mini_cheetah", true);
  Workspace w(scene.model);
  Random random(2);
  VectorXd q(scene.model->nq), v(scene.model->nv), exact(v.size()), x(v.size());
  random_configuration(*scene.model, 4, q.data());
  ASSERT_EQ(close_loops(w, LoopMoves::dependent, q.data(), nullptr), Status::ok);
  const VectorXd ydot = random_vector(random, scene.model->ny),
                 tau = random_vector(random, scene.model->nv, 5);
  ASSERT_EQ(spanning_velocity(w, q.data(), ydot.data(), v.data()), Status::ok);
  ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, exact.data()), Status::ok);
  const auto error = [&](LoopMethod method) {
    EXPECT_EQ(loop_forward_dynamics(w, method, {q.data(), v.data(), tau.data()}, x.data()), Status::ok);
    return (x - exact).norm() / exact.norm();
  };
  const double approximate = error(LoopMethod::approximate), unconstrained = error(LoopMethod::unconstrained);
  EXPECT_LT(approximate, 0.2);
  EXPECT_GT(approximate, 1e-6);
  EXPECT_GT(unconstrained, 2 * approximate);
}

}  // namespace
}  // namespace tenon::testing
