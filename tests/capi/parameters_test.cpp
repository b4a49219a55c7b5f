// Dynamics by inertial parameters through the C API: the order of arguments, and what is refused. Values are checked by the
// tests of the core.
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

namespace {

class Parameters : public ::testing::Test {
 protected:
  // pi of all links, from their inertias.
  std::vector<double> parameters() {
    std::vector<double> pi;
    for (int32_t link = 0; link < static_cast<int32_t>(links); ++link) {
      double mass = 0, c[3], I[6];
      EXPECT_EQ(tenon_workspace_inertia(w.get(), link, &mass, c, 3, I, 6), TENON_OK);
      const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
      pi.insert(pi.end(),
                {mass, mass * c[0], mass * c[1], mass * c[2], I[0] + mass * (cc - c[0] * c[0]),
                 I[1] - mass * c[0] * c[1], I[2] - mass * c[0] * c[2], I[3] + mass * (cc - c[1] * c[1]),
                 I[4] - mass * c[1] * c[2], I[5] + mass * (cc - c[2] * c[2])});
    }
    return pi;
  }

  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  State s{model, w.get()};
  std::size_t nq = s.q.size(), nv = s.v.size(), m = 12,
              links = static_cast<std::size_t>(tenon_model_link_count(model.get())), count = 10 * links;
  std::vector<double> Y = std::vector<double>(nv * count, 77.0);
};

TEST_F(Parameters, AreWhatDynamicsIsLinearIn) {
  std::vector<double> tau(nv), armature(nv), g(count), other(nv), kinetic(count), potential(count);
  const auto n = static_cast<int32_t>(nv);
  ASSERT_EQ(tenon_joint_torque_regressor(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, 1,
                                         Y.data(), Y.size(), n),
            TENON_OK)
      << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_inverse_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                                   tau.data(), nv),
            TENON_OK);
  ASSERT_EQ(tenon_workspace_joint_parameters(w.get(), armature.data(), nv, nullptr, 0, nullptr, 0), TENON_OK);
  const std::vector<double> pi = parameters();
  for (std::size_t k = 0; k < nv; ++k) {
    double sum = armature[k] * s.tau[k];
    for (std::size_t p = 0; p < count; ++p) sum += Y[p * nv + k] * pi[p];
    EXPECT_NEAR(sum, tau[k], 1e-11 * (1 + largest(tau)));
  }
  // A gradient with one entry is a row.
  std::vector<double> gradient(nv, 0.0), by_armature(nv), by_damping(nv), by_friction(nv);
  gradient[7] = 2;
  ASSERT_EQ(tenon_inverse_dynamics_parameter_vjp(
                w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                gradient.data(), nv, nullptr, 0, g.data(), count, by_armature.data(), nv, by_damping.data(),
                nv, by_friction.data(), nv, nullptr, 0, nullptr, 0),
            TENON_OK);
  for (std::size_t p = 0; p < count; ++p) EXPECT_NEAR(g[p], 2 * Y[p * nv + 7], 1e-11 * largest(Y));
  EXPECT_EQ(by_armature[7], 2 * s.tau[7]);
  EXPECT_EQ(by_damping[7], 2 * s.v[7]);
  EXPECT_EQ(by_friction[7], s.v[7] > 0 ? 2.0 : -2.0);
  EXPECT_EQ(by_friction[8], 0.0);
  // Energy.
  ASSERT_EQ(tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, nullptr, 0), TENON_OK);
  ASSERT_EQ(tenon_energy_regressors(w.get(), kinetic.data(), count, potential.data(), count), TENON_OK);
  double expected[2], sums[2] = {0, 0};
  ASSERT_EQ(tenon_energy(w.get(), expected, expected + 1), TENON_OK);
  for (std::size_t k = 0; k < nv; ++k) sums[0] += armature[k] * s.v[k] * s.v[k] / 2;
  for (std::size_t p = 0; p < count; ++p) sums[0] += kinetic[p] * pi[p], sums[1] += potential[p] * pi[p];
  EXPECT_NEAR(sums[0], expected[0], 1e-11 * (1 + std::abs(expected[0])));
  EXPECT_NEAR(sums[1], expected[1], 1e-11 * (1 + std::abs(expected[1])));
}

// Slopes along the mass of a link, where its centre of mass and the shape of its inertia stay.
TEST_F(Parameters, GradientsThroughForwardAndConstrainedDynamicsAreSlopes) {
  ASSERT_EQ(tenon_workspace_anchor_here(w.get(), s.q.data(), nq), TENON_OK);
  int32_t link = -1;
  ASSERT_EQ(tenon_model_find_link(model.get(), "RR_thigh", &link, nullptr, 0), TENON_OK);
  std::vector<double> gradient(nv), force(m), qdd(nv), lambda(m), g(count), f(count);
  for (std::size_t k = 0; k < nv; ++k) gradient[k] = std::sin(1.0 + static_cast<double>(k));
  for (std::size_t r = 0; r < m; ++r) force[r] = 0.1 * std::cos(2.0 * static_cast<double>(r));
  ASSERT_EQ(
      tenon_forward_dynamics_parameter_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                           nullptr, 0, gradient.data(), nv, qdd.data(), nv, f.data(), count,
                                           nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0),
      TENON_OK)
      << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_constrained_dynamics_parameter_vjp(
                w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0, nullptr, 0,
                gradient.data(), nv, force.data(), m, nullptr, 0, nullptr, 0, g.data(), count, nullptr, 0,
                nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0),
            TENON_OK)
      << tenon_workspace_message(w.get());
  const std::vector<double> pi = parameters();
  double mass = 0, c[3], I[6], values[2][2];
  ASSERT_EQ(tenon_workspace_inertia(w.get(), link, &mass, c, 3, I, 6), TENON_OK);
  const double h = 1e-5;
  for (int side = 0; side < 2; ++side) {
    const double scale = side == 0 ? 1 + h : 1 - h;
    double scaled[6];
    for (int e = 0; e < 6; ++e) scaled[e] = scale * I[e];
    ASSERT_EQ(tenon_workspace_set_inertia(w.get(), link, scale * mass, c, 3, scaled, 6), TENON_OK);
    ASSERT_EQ(tenon_forward_dynamics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                                     qdd.data(), nv),
              TENON_OK);
    values[0][side] = values[1][side] = 0;
    for (std::size_t k = 0; k < nv; ++k) values[0][side] += gradient[k] * qdd[k];
    ASSERT_EQ(tenon_constrained_dynamics(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                         nullptr, 0, nullptr, 0, qdd.data(), nv, lambda.data(), m),
              TENON_OK);
    for (std::size_t k = 0; k < nv; ++k) values[1][side] += gradient[k] * qdd[k];
    for (std::size_t r = 0; r < m; ++r) values[1][side] += force[r] * lambda[r];
  }
  double along[2] = {0, 0};
  for (std::size_t e = 0; e < 10; ++e) {
    const std::size_t p = 10 * static_cast<std::size_t>(link) + e;
    along[0] += f[p] * pi[p], along[1] += g[p] * pi[p];
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(along[i], (values[i][0] - values[i][1]) / (2 * h), 1e-6 * (1 + std::abs(along[i]))) << i;
}

TEST_F(Parameters, RefuseWhatIsWrong) {
  const auto n = static_cast<int32_t>(nv);
  const auto call = [&](std::size_t numbers, int32_t ld) {
    return tenon_joint_torque_regressor(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, 1,
                                        Y.data(), numbers, ld);
  };
  EXPECT_EQ(call(Y.size() - 1, n), TENON_WRONG_SIZE);
  EXPECT_EQ(call(Y.size(), n - 1), TENON_WRONG_SIZE);
  s.v[3] = std::nan("");
  EXPECT_EQ(call(Y.size(), n), TENON_NOT_FINITE);
  EXPECT_EQ(Y, std::vector<double>(nv * count, 77.0));
  EXPECT_EQ(tenon_energy_regressors(w.get(), Y.data(), count, nullptr, 0), TENON_INVALID_ARGUMENT);
  // A chart and its inverse.
  const std::vector<double> theta = {0.1, -0.2, 0.3, -0.4, 0.5, 0.2, -0.1, 0.3, 0.2, 0.1};
  std::vector<double> pi(10), back(10, 77.0), J(100);
  ASSERT_EQ(tenon_inertia_from_log_cholesky(w.get(), theta.data(), 10, pi.data(), 10, J.data(), 100, 10),
            TENON_OK);
  EXPECT_NEAR(J[0], 2 * pi[0], 1e-14);
  ASSERT_EQ(tenon_log_cholesky_from_inertia(w.get(), pi.data(), 10, back.data(), 10), TENON_OK);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(back[i], theta[i], 1e-13);
  EXPECT_EQ(tenon_inertia_from_log_cholesky(w.get(), theta.data(), 9, pi.data(), 10, nullptr, 0, 0),
            TENON_WRONG_SIZE);
  const std::vector<double> kept = back;
  pi[9] = pi[4] + pi[7];
  EXPECT_EQ(tenon_log_cholesky_from_inertia(w.get(), pi.data(), 10, back.data(), 10), TENON_INVALID_INERTIA);
  pi[9] = std::nan("");
  EXPECT_EQ(tenon_log_cholesky_from_inertia(w.get(), pi.data(), 10, back.data(), 10), TENON_NOT_FINITE);
  EXPECT_EQ(back, kept);
}

}  // namespace
