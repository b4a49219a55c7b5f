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

// Products with the matrices are those of gradients.
TEST_F(Parameters, MatricesTimesGradientsAreGradients) {
  ASSERT_EQ(tenon_workspace_anchor_here(w.get(), s.q.data(), nq), TENON_OK);
  const std::size_t all = nv + m;
  const auto ld = static_cast<int32_t>(all + 1);  // a row that is not of the matrix
  const std::size_t columns[] = {count, nv, nv, nv};
  std::vector<double> x[4], g[4], gradient(all), qdd(nv), lambda(m), solution(all);
  for (std::size_t i = 0; i < 4; ++i) x[i].assign((all + 1) * columns[i], 77.0), g[i].resize(columns[i]);
  for (std::size_t k = 0; k < all; ++k) gradient[k] = std::sin(1.0 + static_cast<double>(k));
  const auto matrices = [&](const tenon_derivative_options* options) {
    return tenon_constrained_dynamics_parameter_derivatives(
        w.get(), options, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0, nullptr, 0,
        solution.data(), nv, solution.data() + nv, m, x[0].data(), x[0].size(), ld, x[1].data(), x[1].size(),
        ld, x[2].data(), x[2].size(), ld, x[3].data(), x[3].size(), ld);
  };
  ASSERT_EQ(matrices(nullptr), TENON_OK) << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_constrained_dynamics_parameter_vjp(
                w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0, nullptr, 0,
                gradient.data(), nv, gradient.data() + nv, m, qdd.data(), nv, lambda.data(), m, g[0].data(),
                count, g[1].data(), nv, g[2].data(), nv, g[3].data(), nv, nullptr, 0, nullptr, 0),
            TENON_OK);
  const auto expect_same = [](double a, double b) { EXPECT_NEAR(a, b, 1e-9 * (1 + std::abs(a))); };
  for (std::size_t k = 0; k < nv; ++k) expect_same(solution[k], qdd[k]);
  for (std::size_t r = 0; r < m; ++r) expect_same(solution[nv + r], lambda[r]);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t c = 0; c < columns[i]; ++c) {
      const double* column = x[i].data() + c * (all + 1);
      double sum = 0, size = 1;
      for (std::size_t e = 0; e < all; ++e) sum += column[e] * gradient[e], size += std::abs(column[e]);
      EXPECT_NEAR(sum, g[i][c], 1e-10 * size) << "matrix " << i << " column " << c;
      EXPECT_EQ(column[all], 77.0);
    }
  tenon_derivative_options add;
  ASSERT_EQ(tenon_derivative_options_init(&add, sizeof add), TENON_OK);
  add.accumulate = 1;
  const std::vector<double> once = x[0];
  ASSERT_EQ(matrices(&add), TENON_OK);
  for (std::size_t c = 0; c < count; ++c) EXPECT_EQ(x[0][c * (all + 1)], 2 * once[c * (all + 1)]);
}

// Solutions are affine in wrenches and gravity: matrices are differences of whole calls.
TEST_F(Parameters, MatricesByLoadsAreDifferences) {
  ASSERT_EQ(tenon_workspace_anchor_here(w.get(), s.q.data(), nq), TENON_OK);
  std::vector<int32_t> chosen;
  for (const char* name : {"FL_foot", "trunk", "RR_thigh"}) {
    int32_t link = -1;
    ASSERT_EQ(tenon_model_find_link(model.get(), name, &link, nullptr, 0), TENON_OK) << name;
    chosen.push_back(link);
  }
  const std::size_t all = nv + m, columns = 6 * chosen.size();
  const auto ld = static_cast<int32_t>(all + 2);  // rows that are not of the matrix
  std::vector<double> by_wrenches((all + 2) * columns, 77.0), by_gravity((all + 2) * 3, 77.0), x(all),
      wrenches(6 * links), gravity(3);
  for (std::size_t i = 0; i < wrenches.size(); ++i) wrenches[i] = std::cos(1.0 + static_cast<double>(i));
  const auto matrices = [&](std::size_t link_count) {
    return tenon_constrained_dynamics_load_derivatives(
        w.get(), nullptr, chosen.data(), link_count, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
        wrenches.data(), wrenches.size(), nullptr, 0, x.data(), nv, x.data() + nv, m, by_wrenches.data(),
        by_wrenches.size(), ld, by_gravity.data(), by_gravity.size(), ld);
  };
  const auto solution = [&] {
    std::vector<double> found(all);
    tenon_solve_options options;
    EXPECT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
    options.method = TENON_METHOD_DENSE;
    EXPECT_EQ(tenon_constrained_dynamics(w.get(), &options, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                         wrenches.data(), wrenches.size(), nullptr, 0, found.data(), nv,
                                         found.data() + nv, m),
              TENON_OK)
        << tenon_workspace_message(w.get());
    return found;
  };
  ASSERT_EQ(matrices(chosen.size()), TENON_OK) << tenon_workspace_message(w.get());
  const auto expect_column = [&](const std::vector<double>& matrix, std::size_t c) {
    const std::vector<double> after = solution();
    const double* column = matrix.data() + c * (all + 2);
    for (std::size_t i = 0; i < all; ++i)
      EXPECT_NEAR(after[i] - x[i], column[i], 1e-9 * (1 + std::abs(x[i]) + std::abs(column[i])))
          << "column " << c << " row " << i;
    EXPECT_EQ(column[all], 77.0);
    EXPECT_EQ(column[all + 1], 77.0);
  };
  for (std::size_t c = 0; c < columns; ++c) {
    double& number = wrenches[6 * static_cast<std::size_t>(chosen[c / 6]) + c % 6];
    const double kept = number;
    number += 1;
    expect_column(by_wrenches, c);
    number = kept;
  }
  ASSERT_EQ(tenon_workspace_gravity(w.get(), gravity.data(), 3), TENON_OK);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> other = gravity;
    other[axis] += 1;
    ASSERT_EQ(tenon_workspace_set_gravity(w.get(), other.data(), 3), TENON_OK);
    expect_column(by_gravity, axis);
  }
  ASSERT_EQ(tenon_workspace_set_gravity(w.get(), gravity.data(), 3), TENON_OK);
  // No links: by gravity alone. Links that are none, and more than there are.
  const std::vector<double> kept = by_wrenches;
  EXPECT_EQ(matrices(0), TENON_OK);
  chosen[1] = static_cast<int32_t>(links);
  EXPECT_EQ(matrices(3), TENON_OUT_OF_RANGE);
  EXPECT_EQ(matrices(links + 1), TENON_WRONG_SIZE);
  EXPECT_EQ(matrices(SIZE_MAX), TENON_WRONG_SIZE);
  EXPECT_EQ(by_wrenches, kept);
}

// Independent coordinates have armatures and friction of spanning ones.
TEST(ParametersOfLoops, HaveSizesOfBothCoordinates) {
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  tenon_model* made = nullptr;
  ASSERT_EQ(tenon_model_load_urdf(model_path("four_bar").c_str(), &options, &made, nullptr, 0), TENON_OK);
  const Model loops(made);
  const Workspace w = workspace(loops);
  const auto size = [](int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t n = size(tenon_model_nv(loops.get())), ny = size(tenon_model_ny(loops.get())),
                    count = 10 * size(tenon_model_link_count(loops.get()));
  ASSERT_LT(ny, n);
  std::vector<double> q(size(tenon_model_nq(loops.get()))), v(ny, 0.3), Y(ny * count), g(n, 77.0), tau(ny);
  ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), q.size()), TENON_OK);
  ASSERT_EQ(
      tenon_workspace_set_coordinates(w.get(), TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT),
      TENON_OK);
  EXPECT_EQ(tenon_joint_torque_regressor(w.get(), q.data(), q.size(), v.data(), ny, v.data(), ny, 1, Y.data(),
                                         Y.size(), static_cast<int32_t>(ny)),
            TENON_OK)
      << tenon_workspace_message(w.get());
  const auto gradient = [&](std::size_t armatures) {
    return tenon_inverse_dynamics_parameter_vjp(
        w.get(), nullptr, q.data(), q.size(), v.data(), ny, v.data(), ny, nullptr, 0, v.data(), ny,
        tau.data(), ny, nullptr, 0, g.data(), armatures, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0);
  };
  EXPECT_EQ(gradient(ny), TENON_WRONG_SIZE);
  EXPECT_EQ(g, std::vector<double>(n, 77.0));
  EXPECT_EQ(gradient(n), TENON_OK) << tenon_workspace_message(w.get());
}

// Each gear says which ratio is its own.
TEST(ParametersOfLoops, HaveRatios) {
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.base = TENON_BASE_FLOATING;
  tenon_model* made = nullptr;
  ASSERT_EQ(tenon_model_load_urdf(model_path("mini_cheetah").c_str(), &options, &made, nullptr, 0), TENON_OK);
  const Model loops(made);
  const Workspace w = workspace(loops);
  const int32_t ratios = tenon_model_ratio_count(loops.get());
  ASSERT_GT(ratios, 0);
  EXPECT_EQ(tenon_model_ratio_count(nullptr), TENON_INVALID_ARGUMENT);
  int32_t next = 0;
  for (int32_t l = 0; l < tenon_model_loop_count(loops.get()); ++l) {
    tenon_loop_info info;
    ASSERT_EQ(tenon_loop_info_init(&info, sizeof info), TENON_OK);
    ASSERT_EQ(tenon_model_loop_info(loops.get(), l, &info), TENON_OK);
    if (info.kind != TENON_LOOP_KIND_COUPLING) {
      EXPECT_EQ(info.first_ratio, TENON_NONE);
      continue;
    }
    EXPECT_EQ(info.first_ratio, next++);  // gears
  }
  EXPECT_EQ(next, ratios);
  const auto size = [](int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t n = size(tenon_model_nv(loops.get())), ny = size(tenon_model_ny(loops.get()));
  std::vector<double> q(size(tenon_model_nq(loops.get()))), ydot(ny, 0.3), v(n), tau(n, 0.5),
      once(size(ratios), 77.0);
  ASSERT_EQ(tenon_workspace_guess(w.get(), q.data(), q.size()), TENON_OK);
  ASSERT_EQ(tenon_spanning_velocity(w.get(), q.data(), q.size(), ydot.data(), ny, v.data(), n), TENON_OK);
  tenon_derivative_options add;
  ASSERT_EQ(tenon_derivative_options_init(&add, sizeof add), TENON_OK);
  add.accumulate = 1;
  const auto gradient = [&](const tenon_derivative_options* how, double* to, std::size_t count) {
    return tenon_constrained_dynamics_ratio_vjp(w.get(), how, q.data(), q.size(), v.data(), n, tau.data(), n,
                                                nullptr, 0, nullptr, 0, tau.data(), n, nullptr, 0, to, count);
  };
  EXPECT_EQ(gradient(nullptr, once.data(), once.size() + 1), TENON_WRONG_SIZE);
  EXPECT_EQ(gradient(nullptr, nullptr, 0), TENON_OK);
  ASSERT_EQ(gradient(nullptr, once.data(), once.size()), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_GT(largest(once), 1e-6);
  std::vector<double> twice = once;
  ASSERT_EQ(gradient(&add, twice.data(), twice.size()), TENON_OK);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(twice[i], 2 * once[i]);
  // Of the tree.
  ASSERT_EQ(tenon_inverse_dynamics_ratio_vjp(w.get(), nullptr, q.data(), q.size(), v.data(), n, tau.data(), n,
                                             nullptr, 0, tau.data(), n, twice.data(), twice.size()),
            TENON_OK);
  EXPECT_EQ(twice, std::vector<double>(once.size(), 0.0));
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
