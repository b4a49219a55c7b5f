// Numbers of whole robots and products with their derivatives through the C API: against central differences of whole calls of
// tenon_batch_centroidal, also in independent coordinates of a linkage, and against single calls; the gravity force as inverse
// dynamics at rest; calls of other functions in between; and what is refused. tests/batch/centroidal_test.cpp has random
// robots.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../support.hpp"

using namespace tenon_test;

namespace {

using Numbers = std::vector<double>;
constexpr std::size_t states = 11, parts = 5;
constexpr std::size_t sizes[parts] = {3, 3, 6, 1, 1};
constexpr double h = 1e-5;

// One list for each part.
using Whole = std::array<Numbers, parts>;
using Arrays = std::array<tenon_batch_array, parts>;

Whole filled(double x) {
  Whole whole;
  for (std::size_t i = 0; i < parts; ++i) whole[i].assign(states * sizes[i], x);
  return whole;
}
Arrays arrays_of(Whole& whole) {
  Arrays arrays{};
  for (std::size_t i = 0; i < parts; ++i) arrays[i] = rows_of(whole[i], sizes[i]);
  return arrays;
}
Numbers wave(std::size_t count, double phase) {
  Numbers x(states * count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(phase + 1.7 * static_cast<double>(i));
  return x;
}

// A robot with states.
struct Scene {
  explicit Scene(Model model_, bool independent = false)
      : model(std::move(model_)), w(workspace(model)), b(batch(model)) {
    const int32_t own = independent ? TENON_COORDINATES_INDEPENDENT : TENON_COORDINATES_SPANNING;
    EXPECT_EQ(tenon_workspace_set_coordinates(w.get(), own, own), TENON_OK);
    EXPECT_EQ(tenon_batch_set_coordinates(b.get(), own, own), TENON_OK);
    nq = static_cast<std::size_t>(tenon_workspace_position_count(w.get()));
    nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get()));
    Numbers start(nq);
    if (independent) {
      Numbers closed(static_cast<std::size_t>(tenon_model_nq(model.get())));
      EXPECT_EQ(tenon_workspace_guess(w.get(), closed.data(), closed.size()), TENON_OK);
      EXPECT_EQ(tenon_independent_position(w.get(), closed.data(), closed.size(), start.data(), nq),
                TENON_OK);
    }
    for (std::size_t s = 0; s < states; ++s) {
      if (!independent) {
        EXPECT_EQ(tenon_random(w.get(), s + 1, start.data(), nq), TENON_OK);
      }
      for (std::size_t i = 0; i < nq; ++i)
        q.push_back(start[i] + (independent ? 0.02 * static_cast<double>(s) : 0));
    }
    v = wave(nv, 0.3), dq = wave(nv, 1.1), dv = wave(nv, 2.3);
    for (std::size_t i = 0; i < parts; ++i) gradients[i] = wave(sizes[i], 0.7 + static_cast<double>(i));
  }
  // The numbers where the state has moved by t of (dq, dv).
  Whole at(double t) {
    Numbers moved(q), rate(v);
    for (std::size_t s = 0; s < states; ++s)
      EXPECT_EQ(tenon_integrate(w.get(), &q[s * nq], nq, &dq[s * nv], nv, t, &moved[s * nq], nq), TENON_OK)
          << tenon_workspace_message(w.get());
    for (std::size_t i = 0; i < v.size(); ++i) rate[i] += t * dv[i];
    Whole values = filled(0);
    const Arrays to = arrays_of(values);
    const auto qs = rows_of(moved, nq), vs = rows_of(rate, nv);
    EXPECT_EQ(
        tenon_batch_centroidal(b.get(), states, &qs, &vs, &to[0], &to[1], &to[2], &to[3], &to[4], nullptr, 0),
        TENON_OK)
        << tenon_batch_message(b.get());
    return values;
  }
  tenon_status vjp(Numbers& by_q, Numbers& by_v, Whole* values = nullptr,
                   const tenon_derivative_options* how = nullptr) {
    by_q.resize(states * nv), by_v.resize(states * nv);
    const auto qs = rows_of(q, nq), vs = rows_of(v, nv), g_q = rows_of(by_q, nv), g_v = rows_of(by_v, nv);
    const Arrays g = arrays_of(gradients);
    Whole none = filled(0);
    const Arrays to = arrays_of(values ? *values : none);
    return tenon_batch_centroidal_vjp(b.get(), how, states, &qs, &vs, &g[0], &g[1], &g[2], &g[3], &g[4],
                                      &to[0], &to[1], &to[2], &to[3], &to[4], &g_q, &g_v, nullptr, 0);
  }
  tenon_status jvp(Whole& changes) {
    const auto qs = rows_of(q, nq), vs = rows_of(v, nv), dqs = rows_of(dq, nv), dvs = rows_of(dv, nv);
    const Arrays d = arrays_of(changes);
    return tenon_batch_centroidal_jvp(b.get(), nullptr, states, &qs, &vs, &dqs, &dvs, nullptr, nullptr,
                                      nullptr, nullptr, nullptr, &d[0], &d[1], &d[2], &d[3], &d[4], nullptr,
                                      0);
  }

  Model model;
  Workspace w;
  Batch b;
  std::size_t nq = 0, nv = 0;
  Numbers q, v, dq, dv;
  Whole gradients;
};

void expect_slopes(Scene& s) {
  const Whole before = s.at(-h), after = s.at(h), here = s.at(0);
  Whole changes = filled(0), values = filled(0);
  Numbers by_q, by_v;
  ASSERT_EQ(s.jvp(changes), TENON_OK) << tenon_batch_message(s.b.get());
  ASSERT_EQ(s.vjp(by_q, by_v, &values), TENON_OK) << tenon_batch_message(s.b.get());
  for (std::size_t i = 0; i < parts; ++i)  // integration by zero normalizes quaternions
    for (std::size_t k = 0; k < values[i].size(); ++k)
      EXPECT_NEAR(values[i][k], here[i][k], 1e-13 * (1 + std::abs(here[i][k]) + std::abs(here[3][0])));
  for (std::size_t state = 0; state < states; ++state) {
    SCOPED_TRACE(state);
    double along = 0, by = 0, size = 0;
    for (std::size_t i = 0; i < parts; ++i)
      for (std::size_t k = state * sizes[i]; k < (state + 1) * sizes[i]; ++k) {
        const double slope = (after[i][k] - before[i][k]) / (2 * h), x = changes[i][k];
        EXPECT_LE(std::abs(x - slope), 2e-8 * (1 + std::abs(x) + std::abs(here[i][k]))) << i << " " << k;
        along += s.gradients[i][k] * x, size += std::abs(s.gradients[i][k] * x);
      }
    for (std::size_t k = state * s.nv; k < (state + 1) * s.nv; ++k)
      for (const double x : {by_q[k] * s.dq[k], by_v[k] * s.dv[k]}) by += x, size += std::abs(x);
    EXPECT_LE(std::abs(along - by), 1e-12 * size);
  }
}

// What single calls give after tenon_kinematics.
void expect_single(Scene& s) {
  const Whole here = s.at(0);
  for (std::size_t i = 0; i < states; ++i) {
    tenon_workspace* const w = s.w.get();
    double center[3], velocity[3], momentum[6], kinetic = 0, potential = 0;
    ASSERT_EQ(tenon_kinematics(w, &s.q[i * s.nq], s.nq, &s.v[i * s.nv], s.nv, nullptr, 0), TENON_OK);
    ASSERT_EQ(tenon_center_of_mass(w, center, 3, velocity, 3, nullptr, 0, 0), TENON_OK);
    ASSERT_EQ(tenon_centroidal_momentum(w, momentum, 6), TENON_OK);
    ASSERT_EQ(tenon_energy(w, &kinetic, &potential), TENON_OK);
    const double* const single[parts] = {center, velocity, momentum, &kinetic, &potential};
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t e = 0; e < sizes[p]; ++e)
        EXPECT_LE(std::abs(here[p][i * sizes[p] + e] - single[p][e]),
                  1e-13 * (1 + std::abs(single[p][e]) + std::abs(kinetic)))
            << i << " " << p << " " << e;
  }
}

TEST(CentroidalProducts, AreDifferencesOfCentroidal) {
  for (const bool floats : {true, false}) {
    Scene s(floats ? load("go1", TENON_BASE_FLOATING) : load("iiwa14"));
    expect_slopes(s);
    expect_single(s);
  }
}

// Independent positions close the loops of whole calls: G and its change count.
TEST(CentroidalProducts, AreDifferencesInIndependentCoordinates) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
    SCOPED_TRACE(name);
    for (const bool independent : {false, true}) {
      Scene s(load(name), independent);
      expect_slopes(s);
      expect_single(s);
    }
  }
}

// At rest inverse dynamics is the gravity force, the gradient of the potential energy, and its products are those with the
// derivatives of it; the zeros of one state serve for all.
TEST(CentroidalProducts, TheGravityForceIsInverseDynamicsAtRest) {
  Scene s(load("go1", TENON_BASE_FLOATING));
  Numbers zeros(s.nv), force(states * s.nv), by_q(force), moved(force), pull(states, 1.0), slope(force);
  const auto qs = rows_of(s.q, s.nq), g = rows_of(force, s.nv), weights = rows_of(s.dv, s.nv),
             g_q = rows_of(by_q, s.nv), dqs = rows_of(s.dq, s.nv), dg = rows_of(moved, s.nv),
             ones = rows_of(pull, 1), to = rows_of(slope, s.nv);
  auto rest = rows_of(zeros, s.nv);
  rest.state_stride = 0;
  tenon_batch* const b = s.b.get();
  ASSERT_EQ(tenon_batch_inverse_dynamics(b, states, &qs, &rest, &rest, nullptr, &g, nullptr, 0), TENON_OK);
  ASSERT_EQ(
      tenon_batch_centroidal_vjp(b, nullptr, states, &qs, nullptr, nullptr, nullptr, nullptr, nullptr, &ones,
                                 nullptr, nullptr, nullptr, nullptr, nullptr, &to, nullptr, nullptr, 0),
      TENON_OK);
  ASSERT_EQ(tenon_batch_inverse_dynamics_vjp(b, nullptr, states, &qs, &rest, &rest, nullptr, &weights,
                                             nullptr, &g_q, nullptr, nullptr, nullptr, 0),
            TENON_OK);
  ASSERT_EQ(tenon_batch_inverse_dynamics_jvp(b, nullptr, states, &qs, &rest, &rest, nullptr, &dqs, nullptr,
                                             nullptr, nullptr, &dg, nullptr, 0),
            TENON_OK);
  for (std::size_t i = 0; i < states; ++i) {
    Numbers single(s.nv), D(s.nv * s.nv);
    ASSERT_EQ(tenon_gravity_force(s.w.get(), &s.q[i * s.nq], s.nq, single.data(), s.nv), TENON_OK);
    ASSERT_EQ(tenon_gravity_force_derivatives(s.w.get(), nullptr, &s.q[i * s.nq], s.nq, nullptr, 0, D.data(),
                                              D.size(), static_cast<int32_t>(s.nv), nullptr, 0, 0),
              TENON_OK);
    for (std::size_t k = 0; k < s.nv; ++k) {
      double along = 0, by = 0;
      for (std::size_t l = 0; l < s.nv; ++l)
        along += D[l * s.nv + k] * s.dq[i * s.nv + l], by += D[k * s.nv + l] * s.dv[i * s.nv + l];
      const std::size_t at = i * s.nv + k;
      EXPECT_NEAR(force[at], single[k], 1e-11);
      EXPECT_NEAR(slope[at], single[k], 1e-11);
      EXPECT_NEAR(moved[at], along, 1e-10);
      EXPECT_NEAR(by_q[at], by, 1e-10);
    }
  }
}

TEST(CentroidalProducts, HaveTheSameBitsAfterOtherCalls) {
  Scene s(load("go1"));  // matrices have zeros between its legs
  Numbers first_q, first_v, q, v, M(states * s.nv * s.nv), first_M, out(states * s.nv);
  const auto qs = rows_of(s.q, s.nq), vs = rows_of(s.v, s.nv), as = rows_of(s.dv, s.nv),
             Ms = rows_of(M, s.nv * s.nv), ts = rows_of(out, s.nv);
  const auto derivatives = [&] {
    std::fill(M.begin(), M.end(), 77.0);
    return tenon_batch_inverse_dynamics_derivatives(s.b.get(), nullptr, states, &qs, &vs, &as, nullptr,
                                                    nullptr, &Ms, nullptr, nullptr, nullptr, 0);
  };
  ASSERT_EQ(derivatives(), TENON_OK);
  first_M = M;
  const Whole first = s.at(0);
  ASSERT_EQ(s.vjp(first_q, first_v), TENON_OK);
  ASSERT_EQ(derivatives(), TENON_OK);
  EXPECT_EQ(M, first_M);
  ASSERT_EQ(tenon_batch_forward_dynamics_vjp(s.b.get(), nullptr, states, &qs, &vs, &as, nullptr, &vs, nullptr,
                                             &ts, nullptr, nullptr, nullptr, 0),
            TENON_OK);
  EXPECT_EQ(s.at(0), first);
  ASSERT_EQ(s.vjp(q, v), TENON_OK);
  EXPECT_EQ(q, first_q);
  EXPECT_EQ(v, first_v);
  // And twice, added.
  ASSERT_EQ(
      s.vjp(q, v, nullptr, options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; })),
      TENON_OK);
  for (std::size_t k = 0; k < q.size(); ++k) {
    EXPECT_EQ(q[k], 2 * first_q[k]);
  }
}

TEST(CentroidalProducts, AreRefusedWithAReason) {
  Scene s(load("iiwa14"));
  const auto refused = [&](tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(s.b.get())).find(words), std::string::npos)
        << tenon_batch_message(s.b.get()) << " / " << words;
  };
  Numbers by_q(states * s.nv);
  const auto qs = rows_of(s.q, s.nq), to = rows_of(by_q, s.nv), few = rows_of(s.gradients[2], 5);
  const Arrays g = arrays_of(s.gradients);
  const auto vjp = [&](const tenon_batch_array* center, const tenon_batch_array* momentum) {
    return tenon_batch_centroidal_vjp(s.b.get(), nullptr, states, &qs, nullptr, center, nullptr, momentum,
                                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &to,
                                      nullptr, nullptr, 0);
  };
  const auto values = [&](const tenon_batch_array* kinetic, const tenon_batch_array* centers = nullptr) {
    return tenon_batch_centroidal(s.b.get(), states, &qs, nullptr, centers, nullptr, nullptr, kinetic,
                                  nullptr, nullptr, 0);
  };
  refused(vjp(&g[0], &g[2]), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(values(&g[3]), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(values(nullptr, &g[2]), TENON_WRONG_SIZE, "centers has 6 numbers");
  refused(vjp(&few, nullptr), TENON_WRONG_SIZE, "center_gradients");
  EXPECT_EQ(vjp(&g[0], nullptr), TENON_OK);
  EXPECT_EQ(vjp(nullptr, nullptr), TENON_OK);
  EXPECT_EQ(by_q, Numbers(states * s.nv));
  EXPECT_EQ(values(nullptr), TENON_OK);
  s.gradients[0][4] = std::numeric_limits<double>::infinity();
  refused(vjp(&g[0], nullptr), TENON_NOT_FINITE, "state 1: center_gradients");
}

}  // namespace
