// Derivatives through the C API: that they fit each other, and what they refuse. Values are checked by the tests of the
// core.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

class Derivatives : public ::testing::Test {
 protected:
  Model model = load("go1", TENON_BASE_FLOATING);
  Workspace w = workspace(model);
  State s{model, w.get()};
  std::size_t nq = s.q.size(), nv = s.v.size();
  int32_t ld = static_cast<int32_t>(nv);
  const std::vector<double> untouched = std::vector<double>(nv * nv, 77.0);
  std::vector<double> dq = untouched, dv = untouched, dtau = untouched;

  tenon_status forward(const tenon_derivative_options* options, std::size_t dq_count, int32_t ldq) {
    return tenon_forward_dynamics_derivatives(w.get(), options, s.q.data(), nq, s.v.data(), nv, s.tau.data(),
                                              nv, nullptr, 0, s.qdd.data(), nv, dq.data(), dq_count, ldq,
                                              dv.data(), dv.size(), ld, dtau.data(), dtau.size(), ld);
  }
  tenon_status change(std::size_t dq_count, double* qdd, double* dqdd) {
    return tenon_forward_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                      nullptr, 0, s.tau.data(), dq_count, s.v.data(), nv, nullptr, 0, qdd, nv,
                                      dqdd, nv);
  }
  void refused(tenon_status got, tenon_status expected, const std::vector<std::string>& words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    const std::string message = tenon_workspace_message(w.get());
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << message << " / " << word;
    EXPECT_EQ(dq, untouched);
    EXPECT_EQ(dv, untouched);
    EXPECT_EQ(dtau, untouched);
    EXPECT_EQ(s.qdd, std::vector<double>(nv, 77.0));
  }
};

TEST_F(Derivatives, MatricesAndProductsFit) {
  ASSERT_EQ(forward(nullptr, dq.size(), ld), TENON_OK) << tenon_workspace_message(w.get());
  State same = s;
  ASSERT_EQ(same.forward(w.get()), TENON_OK);
  EXPECT_LE(largest_difference(s.qdd, same.qdd), 1e-12 * largest(same.qdd));
  std::vector<double> qdd(nv), dqdd(nv), by_q(nv), by_v(nv), by_tau(nv);
  ASSERT_EQ(change(nv, qdd.data(), dqdd.data()), TENON_OK) << tenon_workspace_message(w.get());
  EXPECT_LE(largest_difference(qdd, s.qdd), 1e-10 * largest(qdd));
  // A gradient of one entry is a row of the matrices.
  std::vector<double> unit(nv, 0.0);
  unit[7] = 1;
  ASSERT_EQ(tenon_forward_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                       nullptr, 0, unit.data(), nv, nullptr, 0, by_q.data(), nv, by_v.data(),
                                       nv, by_tau.data(), nv),
            TENON_OK);
  const double scale = largest(dq) + largest(dv) + largest(dtau);
  double along = 0;
  for (std::size_t k = 0; k < nv; ++k) {
    EXPECT_NEAR(by_q[k], dq[k * nv + 7], 1e-10 * scale);
    EXPECT_NEAR(by_v[k], dv[k * nv + 7], 1e-10 * scale);
    EXPECT_NEAR(by_tau[k], dtau[k * nv + 7], 1e-10 * scale);
    along += by_q[k] * s.tau[k] + by_v[k] * s.v[k];
  }
  EXPECT_NEAR(dqdd[7], along, 1e-10 * scale);
}

// Through this interface alone: the order of arguments of inverse dynamics, by differences of its calls.
TEST_F(Derivatives, OfInverseDynamicsFit) {
  const std::vector<double>& a = s.tau;
  std::vector<double> tau(nv), da = untouched, by_q(nv), by_v(nv), by_a(nv), dtau_along(nv);
  ASSERT_EQ(tenon_inverse_dynamics_derivatives(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, a.data(), nv,
                                               nullptr, 0, tau.data(), nv, dq.data(), dq.size(), ld,
                                               dv.data(), dv.size(), ld, da.data(), da.size(), ld),
            TENON_OK)
      << tenon_workspace_message(w.get());
  const double scale = largest(dq) + largest(dv) + largest(da), h = 1e-5;
  const auto at = [&](double of_q, double of_v, double of_a, std::size_t k) {
    std::vector<double> q(nq), move(nv, 0.0), v = s.v, acceleration = a, result(nv);
    move[k] = of_q;
    EXPECT_EQ(tenon_integrate(w.get(), s.q.data(), nq, move.data(), nv, 1, q.data(), nq), TENON_OK);
    v[k] += of_v, acceleration[k] += of_a;
    EXPECT_EQ(tenon_inverse_dynamics(w.get(), q.data(), nq, v.data(), nv, acceleration.data(), nv, nullptr, 0,
                                     result.data(), nv),
              TENON_OK);
    return result;
  };
  for (std::size_t k = 0; k < nv; ++k) {
    const std::vector<double> q1 = at(h, 0, 0, k), q0 = at(-h, 0, 0, k), v1 = at(0, h, 0, k),
                              v0 = at(0, -h, 0, k), a1 = at(0, 0, h, k), a0 = at(0, 0, -h, k);
    for (std::size_t i = 0; i < nv; ++i) {
      EXPECT_NEAR(dq[k * nv + i], (q1[i] - q0[i]) / (2 * h), 1e-6 * scale);
      EXPECT_NEAR(dv[k * nv + i], (v1[i] - v0[i]) / (2 * h), 1e-6 * scale);
      EXPECT_NEAR(da[k * nv + i], (a1[i] - a0[i]) / (2 * h), 1e-6 * scale);
    }
  }
  std::vector<double> unit(nv, 0.0);
  unit[7] = 1;
  ASSERT_EQ(tenon_inverse_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, a.data(), nv,
                                       nullptr, 0, unit.data(), nv, tau.data(), nv, by_q.data(), nv,
                                       by_v.data(), nv, by_a.data(), nv),
            TENON_OK);
  ASSERT_EQ(tenon_inverse_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, a.data(), nv,
                                       nullptr, 0, a.data(), nv, s.v.data(), nv, unit.data(), nv, tau.data(),
                                       nv, dtau_along.data(), nv),
            TENON_OK);
  double along = by_a[7];
  for (std::size_t k = 0; k < nv; ++k) {
    EXPECT_NEAR(by_q[k], dq[k * nv + 7], 1e-10 * scale);
    EXPECT_NEAR(by_v[k], dv[k * nv + 7], 1e-10 * scale);
    EXPECT_NEAR(by_a[k], da[k * nv + 7], 1e-10 * scale);
    along += by_q[k] * a[k] + by_v[k] * s.v[k];
  }
  EXPECT_NEAR(dtau_along[7], along, 1e-10 * scale * (1 + largest(a) + largest(s.v)));
}

TEST_F(Derivatives, AddToWhatIsThere) {
  const auto adding = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  ASSERT_EQ(forward(adding, dq.size(), ld), TENON_OK) << tenon_workspace_message(w.get());
  const std::vector<double> sum = dtau;
  ASSERT_EQ(forward(nullptr, dq.size(), ld), TENON_OK);
  for (std::size_t e = 0; e < sum.size(); ++e) EXPECT_DOUBLE_EQ(sum[e], 77 + dtau[e]);
  dq[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(forward(adding, dq.size(), ld), TENON_NOT_FINITE);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("dqdd_dq[3]"), std::string::npos);
}

TEST_F(Derivatives, RefuseWhatIsWrong) {
  refused(forward(nullptr, dq.size() - 1, ld), TENON_WRONG_SIZE, {"dqdd_dq", "324"});
  refused(forward(nullptr, dq.size(), ld - 1), TENON_WRONG_SIZE, {"dqdd_dq", "leading dimension"});
  const auto strange = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 2; });
  refused(forward(strange, dq.size(), ld), TENON_INVALID_ARGUMENT, {"accumulate is 2"});
  refused(change(nv + 1, s.qdd.data(), dq.data()), TENON_WRONG_SIZE, {"dq"});
  refused(change(nv, s.qdd.data(), nullptr), TENON_INVALID_ARGUMENT, {"dqdd is NULL"});
  s.tau[5] = std::numeric_limits<double>::quiet_NaN();
  refused(forward(nullptr, dq.size(), ld), TENON_NOT_FINITE, {"tau[5] is NaN"});
  refused(change(nv, s.qdd.data(), dq.data()), TENON_NOT_FINITE, {"tau[5] is NaN"});
  s.tau[5] = 0;
  s.q[3] += 1;
  refused(forward(nullptr, dq.size(), ld), TENON_NOT_NORMALIZED, {"quaternion"});
}

TEST_F(Derivatives, OfLoopsByRowsAreUnsupported) {
  tenon_model_options options;
  ASSERT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.loop_treatment = TENON_LOOP_TREATMENT_ROWS;
  tenon_model* made = nullptr;
  ASSERT_EQ(tenon_model_load_urdf(model_path("four_bar").c_str(), &options, &made, nullptr, 0), TENON_OK);
  const Model loops(made);
  const Workspace other = workspace(loops);
  const auto n = static_cast<std::size_t>(tenon_model_nv(loops.get()));
  std::vector<double> q(n), zero(n), out(n, 77.0);
  EXPECT_EQ(
      tenon_inverse_dynamics_jvp(other.get(), nullptr, q.data(), n, zero.data(), n, zero.data(), n, nullptr,
                                 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, out.data(), n),
      TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_workspace_message(other.get())).find("loops"), std::string::npos);
  EXPECT_EQ(out, std::vector<double>(n, 77.0));
}

// All functions of kinematics_derivatives.h, by differences of calls: the order of arguments, and 1e-7.
TEST_F(Derivatives, OfKinematicsAreSlopesOfCalls) {
  const int32_t link = tenon_model_link_count(model.get()) - 1;
  const std::vector<double>& a = s.tau;
  const double point[3] = {0.1, -0.2, 0.3}, h = 1e-5;
  for (const int32_t axes : {TENON_AXES_LINK, TENON_AXES_WORLD}) {
    // Values one after another: motion of the point, of the centre of mass, momentum, its rate, energy.
    constexpr std::size_t first[] = {0, 6, 12, 15, 18, 24, 30, 31, 32};
    const auto at = [&](const std::vector<double>& q, const std::vector<double>& v,
                        const std::vector<double>& acceleration) {
      std::vector<double> x(32), J(6 * nv);
      EXPECT_EQ(tenon_kinematics(w.get(), q.data(), nq, v.data(), nv, acceleration.data(), nv), TENON_OK);
      EXPECT_EQ(tenon_point_jacobian(w.get(), link, point, 3, axes, J.data(), J.size(), 6), TENON_OK);
      EXPECT_EQ(tenon_point_bias_acceleration(w.get(), link, point, 3, axes, x.data() + 6, 6), TENON_OK);
      for (std::size_t k = 0; k < nv; ++k)
        for (std::size_t e = 0; e < 6; ++e)
          x[e] += J[6 * k + e] * v[k], x[6 + e] += J[6 * k + e] * acceleration[k];
      EXPECT_EQ(tenon_center_of_mass(w.get(), nullptr, 0, x.data() + 12, 3, nullptr, 0, 0), TENON_OK);
      EXPECT_EQ(tenon_center_of_mass_derivatives(w.get(), nullptr, x.data() + 15, 3, nullptr, 0, 0, nullptr,
                                                 0, 0, nullptr, 0, 0),
                TENON_OK);
      EXPECT_EQ(tenon_centroidal_momentum(w.get(), x.data() + 18, 6), TENON_OK);
      EXPECT_EQ(tenon_centroidal_momentum_derivatives(w.get(), nullptr, x.data() + 24, 6, nullptr, 0, 0,
                                                      nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0),
                TENON_OK);
      EXPECT_EQ(tenon_energy(w.get(), x.data() + 30, x.data() + 31), TENON_OK);
      return x;
    };
    const std::vector<double> here = at(s.q, s.v, a);
    // By q, v, a: 32 rows each.
    std::vector<double> by[3], J(3 * nv);
    for (std::vector<double>& x : by) x.assign(32 * nv, 0.0);
    const std::size_t size = 32 * nv;
    const auto block = [&](int i, std::size_t row) { return by[i].data() + row; };
    const auto room = [&](std::size_t row) { return size - row; };
    EXPECT_EQ(tenon_point_velocity_derivatives(w.get(), nullptr, link, point, 3, axes, block(0, 0), room(0),
                                               32, block(1, 0), room(0), 32),
              TENON_OK);
    EXPECT_EQ(
        tenon_point_acceleration_derivatives(w.get(), nullptr, link, point, 3, axes, block(0, 6), room(6), 32,
                                             block(1, 6), room(6), 32, block(2, 6), room(6), 32),
        TENON_OK);
    EXPECT_EQ(tenon_center_of_mass_derivatives(w.get(), nullptr, nullptr, 0, block(0, 12), room(12), 32,
                                               block(0, 15), room(15), 32, block(1, 15), room(15), 32),
              TENON_OK);
    EXPECT_EQ(tenon_center_of_mass(w.get(), nullptr, 0, nullptr, 0, J.data(), J.size(), 3), TENON_OK);
    EXPECT_EQ(tenon_centroidal_momentum_derivatives(w.get(), nullptr, nullptr, 0, block(0, 18), room(18), 32,
                                                    block(1, 18), room(18), 32, block(0, 24), room(24), 32,
                                                    block(1, 24), room(24), 32),
              TENON_OK);
    std::vector<double> kinetic_q(nv), kinetic_v(nv), potential_q(nv);
    EXPECT_EQ(tenon_energy_gradients(w.get(), nullptr, kinetic_q.data(), nv, kinetic_v.data(), nv,
                                     potential_q.data(), nv),
              TENON_OK);
    for (std::size_t k = 0; k < nv; ++k) {
      for (std::size_t e = 0; e < 3; ++e) by[1][32 * k + 12 + e] = by[2][32 * k + 15 + e] = J[3 * k + e];
      for (std::size_t e = 0; e < 6; ++e) by[2][32 * k + 24 + e] = by[1][32 * k + 18 + e];
      by[0][32 * k + 30] = kinetic_q[k], by[1][32 * k + 30] = kinetic_v[k],
                     by[0][32 * k + 31] = potential_q[k];
    }
    for (int of = 0; of < 3; ++of)
      for (std::size_t k = 0; k < nv; ++k) {
        std::vector<double> sides[2];
        for (int side = 0; side < 2; ++side) {
          const double step = side == 0 ? -h : h;
          std::vector<double> unit(nv, 0.0), q = s.q, v = s.v, acceleration = a;
          unit[k] = 1;
          if (of == 0) {
            ASSERT_EQ(tenon_integrate(w.get(), s.q.data(), nq, unit.data(), nv, step, q.data(), nq),
                      TENON_OK);
          }
          if (of == 1) v[k] += step;
          if (of == 2) acceleration[k] += step;
          sides[side] = at(q, v, acceleration);
        }
        for (std::size_t group = 0; group < 8; ++group) {
          double scale = 1;
          for (std::size_t e = first[group]; e < first[group + 1]; ++e)
            scale = std::max({scale, std::abs(here[e]), std::abs(by[of][32 * k + e])});
          for (std::size_t e = first[group]; e < first[group + 1]; ++e)
            EXPECT_NEAR(by[of][32 * k + e], (sides[1][e] - sides[0][e]) / (2 * h), 1e-7 * scale)
                << "of " << of << " coordinate " << k << " value " << e;
        }
      }
  }
  // The gravity force.
  std::vector<double> g(nv), same(nv), dg(3 * nv);
  ASSERT_EQ(tenon_gravity_force_derivatives(w.get(), nullptr, s.q.data(), nq, g.data(), nv, dq.data(),
                                            dq.size(), ld, dg.data(), dg.size(), ld),
            TENON_OK)
      << tenon_workspace_message(w.get());
  ASSERT_EQ(tenon_gravity_force(w.get(), s.q.data(), nq, same.data(), nv), TENON_OK);
  EXPECT_LE(largest_difference(g, same), 1e-12 * largest(g));
  for (std::size_t k = 0; k < nv; ++k) {
    EXPECT_NEAR(g[k], -9.81 * dg[2 * nv + k], 1e-3 * largest(g));
    std::vector<double> sides[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> unit(nv, 0.0), q(nq);
      unit[k] = 1, sides[side].resize(nv);
      ASSERT_EQ(tenon_integrate(w.get(), s.q.data(), nq, unit.data(), nv, side == 0 ? -h : h, q.data(), nq),
                TENON_OK);
      ASSERT_EQ(tenon_gravity_force(w.get(), q.data(), nq, sides[side].data(), nv), TENON_OK);
    }
    for (std::size_t i = 0; i < nv; ++i)
      EXPECT_NEAR(dq[k * nv + i], (sides[1][i] - sides[0][i]) / (2 * h), 1e-7 * largest(g));
  }
  EXPECT_EQ(tenon_gravity_force_derivatives(w.get(), nullptr, s.q.data(), nq, nullptr, 0, dq.data(),
                                            dq.size(), ld - 1, nullptr, 0, 0),
            TENON_WRONG_SIZE);
}

// What outputs hold is added to, in all functions of kinematics_derivatives.h.
TEST_F(Derivatives, OfKinematicsAreAdded) {
  const int32_t link = tenon_model_link_count(model.get()) - 1;
  ASSERT_EQ(tenon_kinematics(w.get(), s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv), TENON_OK);
  std::vector<double> x(nv * (nv + 3));
  tenon_derivative_options options;
  ASSERT_EQ(tenon_derivative_options_init(&options, sizeof options), TENON_OK);
  const auto check = [&](const char* what, std::size_t count, const auto& call) {
    options.accumulate = 0;
    ASSERT_EQ(call(), TENON_OK) << what << ": " << tenon_workspace_message(w.get());
    const std::vector<double> once = x;
    options.accumulate = 1;
    ASSERT_EQ(call(), TENON_OK) << what << ": " << tenon_workspace_message(w.get());
    for (std::size_t e = 0; e < count; ++e) EXPECT_EQ(x[e], 2 * once[e]) << what << " " << e;
    options.accumulate = 2;
    EXPECT_EQ(call(), TENON_INVALID_ARGUMENT) << what;
  };
  double *const first = x.data(), *const second = x.data() + 6 * nv, *const third = x.data() + 12 * nv;
  check("point velocity", 12 * nv, [&] {
    return tenon_point_velocity_derivatives(w.get(), &options, link, nullptr, 0, TENON_AXES_WORLD, first,
                                            6 * nv, 6, second, 6 * nv, 6);
  });
  check("point acceleration", 18 * nv, [&] {
    return tenon_point_acceleration_derivatives(w.get(), &options, link, nullptr, 0, TENON_AXES_WORLD, first,
                                                6 * nv, 6, second, 6 * nv, 6, third, 6 * nv, 6);
  });
  check("centre of mass", 9 * nv, [&] {
    return tenon_center_of_mass_derivatives(w.get(), &options, nullptr, 0, first, 3 * nv, 3, first + 3 * nv,
                                            3 * nv, 3, second, 3 * nv, 3);
  });
  check("momentum", 18 * nv, [&] {
    return tenon_centroidal_momentum_derivatives(w.get(), &options, nullptr, 0, nullptr, 0, 0, first, 6 * nv,
                                                 6, second, 6 * nv, 6, third, 6 * nv, 6);
  });
  check("energy", 3 * nv, [&] {
    return tenon_energy_gradients(w.get(), &options, first, nv, first + nv, nv, first + 2 * nv, nv);
  });
  check("gravity force", nv * (nv + 3), [&] {
    return tenon_gravity_force_derivatives(w.get(), &options, s.q.data(), nq, nullptr, 0, first, nv * nv, ld,
                                           first + nv * nv, 3 * nv, ld);
  });
}

}  // namespace
