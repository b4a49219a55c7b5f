// A call evaluates its loops once: the function of a constraint is counted. With independent velocities it is
// called twice, for K and, when v = G ydot is known, for Kdot v.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "model/small_mechanisms.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

constexpr double bend = 0.3;

// elbow = bend sin(shoulder)
Mechanism bent_arm(int* evaluations) {
  Mechanism mechanism = two_link_arm();
  mechanism.joints[1].independent = false;
  const auto evaluate = [evaluations](const double* q, const double* v, double* phi, double* K,
                                      double* Kdot_v) {
    ++*evaluations;
    *phi = q[1] - bend * std::sin(q[0]);
    K[0] = -bend * std::cos(q[0]), K[1] = 1;
    *Kdot_v = bend * std::sin(q[0]) * v[0] * v[0];
  };
  mechanism.implicits.push_back({"follow", {"shoulder", "elbow"}, 1, evaluate});
  return mechanism;
}

struct Arm {
  int evaluations = 0;
  std::shared_ptr<const Model> model = Model::compile(bent_arm(&evaluations));
  Workspace w{model, nullptr};
  std::array<double, 2> q = {0.7, bend*std::sin(0.7)}, v = {1.1, bend*std::cos(0.7) * 1.1};

  int count() {
    const int n = evaluations;
    evaluations = 0;
    return n;
  }
};

TEST(LoopEvaluations, OnceInACallWithSpanningVelocities) {
  Arm arm;
  const std::array<double, 2> tau = {0.4, -0.2};
  std::array<double, 2> qdd{}, back{};
  std::array<double, 4> M{};
  arm.count();
  ASSERT_EQ(forward_dynamics(arm.w, {arm.q.data(), arm.v.data(), tau.data()}, qdd.data()), Status::ok);
  EXPECT_EQ(arm.count(), 1);
  EXPECT_NEAR(qdd[1], bend * (std::cos(0.7) * qdd[0] - std::sin(0.7) * arm.v[0] * arm.v[0]), 1e-12);
  ASSERT_EQ(inverse_dynamics(arm.w, {arm.q.data(), arm.v.data(), nullptr, nullptr, nullptr, qdd.data()},
                             back.data()),
            Status::ok);
  EXPECT_LE(arm.count(), 1);
  ASSERT_EQ(mass_matrix(arm.w, arm.q.data(), M.data(), 2), Status::ok);
  EXPECT_LE(arm.count(), 1);
}

TEST(LoopEvaluations, OnceForPositionsAndOnceForVelocitiesWithIndependentOnes) {
  Arm arm;
  const double tau = 0.25;
  const std::array<double, 2> on_all = {0.25, 0};
  std::array<double, 2> expected{};
  ASSERT_EQ(forward_dynamics(arm.w, {arm.q.data(), arm.v.data(), on_all.data()}, expected.data()),
            Status::ok);
  ASSERT_EQ(set_coordinates(arm.w, Coordinates::spanning, Coordinates::independent), Status::ok);
  arm.count();
  double yddot = 0, back = 0, H = 0;
  ASSERT_EQ(forward_dynamics(arm.w, {arm.q.data(), arm.v.data(), &tau}, &yddot), Status::ok);
  EXPECT_EQ(arm.count(), 2);
  EXPECT_NEAR(yddot, expected[0], 1e-12 * std::abs(expected[0]));
  ASSERT_EQ(inverse_dynamics(arm.w, {arm.q.data(), arm.v.data(), nullptr, nullptr, nullptr, &yddot}, &back),
            Status::ok);
  EXPECT_EQ(arm.count(), 2);
  EXPECT_NEAR(back, tau, 1e-12);
  ASSERT_EQ(mass_matrix(arm.w, arm.q.data(), &H, 1), Status::ok);
  EXPECT_EQ(arm.count(), 1);
}

}  // namespace
}  // namespace tenon::testing
