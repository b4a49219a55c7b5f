// Derivatives of many states through the C API: the order of arguments, leading dimensions, and what they refuse.
// Values are checked by the tests of the core.
#include <cmath>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

constexpr std::size_t states = 19;

class BatchDerivatives : public ::testing::Test {
 protected:
  BatchDerivatives() {
    for (std::size_t i = 0; i < states; ++i) {
      const State s(model, w.get(), i + 1);
      q.insert(q.end(), s.q.begin(), s.q.end());
      v.insert(v.end(), s.v.begin(), s.v.end());
      x.insert(x.end(), s.tau.begin(), s.tau.end());
      for (std::size_t k = 0; k < nv; ++k) weight.push_back(std::sin(static_cast<double>(i * nv + k)));
    }
  }
  void refused(tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find(words), std::string::npos)
        << tenon_batch_message(b.get()) << " / " << words;
  }
  void near(const std::vector<double>& all, std::size_t numbers, std::size_t state,
            const std::vector<double>& one) {
    const std::vector<double> part(all.begin() + static_cast<ptrdiff_t>(state * numbers),
                                   all.begin() + static_cast<ptrdiff_t>((state + 1) * numbers));
    EXPECT_LE(largest_difference(part, one), 1e-11 * largest(one));
  }

  Model model = load("go1", TENON_BASE_FLOATING);
  Workspace w = workspace(model);
  Batch b = batch(model);
  std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get())),
              nv = static_cast<std::size_t>(tenon_model_nv(model.get()));
  int32_t ld = static_cast<int32_t>(nv);
  std::vector<double> q, v, x, weight;
};

TEST_F(BatchDerivatives, AreThoseOfSingleCalls) {
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), ws = rows_of(weight, nv);
  std::vector<double> value(states * nv), by[3], matrix[3], change(states * nv);
  for (auto& list : by) list.resize(states * nv);
  for (auto& list : matrix) list.resize(states * nv * nv);
  const auto f = rows_of(value, nv), g0 = rows_of(by[0], nv), g1 = rows_of(by[1], nv),
             g2 = rows_of(by[2], nv), c = rows_of(change, nv);
  const auto m0 = rows_of(matrix[0], nv * nv), m1 = rows_of(matrix[1], nv * nv),
             m2 = rows_of(matrix[2], nv * nv);
  std::vector<double> one(nv), a0(nv), a1(nv), a2(nv), d(nv), A0(nv * nv), A1(nv * nv), A2(nv * nv);
  for (const bool inverse : {true, false}) {
    const auto matrices =
        inverse ? tenon_batch_inverse_dynamics_derivatives : tenon_batch_forward_dynamics_derivatives;
    const auto vjp = inverse ? tenon_batch_inverse_dynamics_vjp : tenon_batch_forward_dynamics_vjp;
    const auto jvp = inverse ? tenon_batch_inverse_dynamics_jvp : tenon_batch_forward_dynamics_jvp;
    const auto single_matrices =
        inverse ? tenon_inverse_dynamics_derivatives : tenon_forward_dynamics_derivatives;
    const auto single_vjp = inverse ? tenon_inverse_dynamics_vjp : tenon_forward_dynamics_vjp;
    const auto single_jvp = inverse ? tenon_inverse_dynamics_jvp : tenon_forward_dynamics_jvp;
    std::vector<int32_t> status(states, 77);
    ASSERT_EQ(
        matrices(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &f, &m0, &m1, &m2, status.data(), states),
        TENON_OK);
    ASSERT_EQ(vjp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &ws, &f, &g0, &g1, &g2, nullptr, 0),
              TENON_OK);
    ASSERT_EQ(jvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &ws, &vs, &xs, &f, &c, nullptr, 0),
              TENON_OK);
    EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
    for (std::size_t s = 0; s < states; ++s) {
      SCOPED_TRACE(s);
      const double *qd = &q[s * nq], *vd = &v[s * nv], *xd = &x[s * nv], *wd = &weight[s * nv];
      ASSERT_EQ(single_matrices(w.get(), nullptr, qd, nq, vd, nv, xd, nv, nullptr, 0, one.data(), nv,
                                A0.data(), A0.size(), ld, A1.data(), A1.size(), ld, A2.data(), A2.size(), ld),
                TENON_OK);
      ASSERT_EQ(single_vjp(w.get(), nullptr, qd, nq, vd, nv, xd, nv, nullptr, 0, wd, nv, one.data(), nv,
                           a0.data(), nv, a1.data(), nv, a2.data(), nv),
                TENON_OK);
      ASSERT_EQ(single_jvp(w.get(), nullptr, qd, nq, vd, nv, xd, nv, nullptr, 0, wd, nv, vd, nv, xd, nv,
                           one.data(), nv, d.data(), nv),
                TENON_OK);
      near(value, nv, s, one), near(change, nv, s, d);
      near(by[0], nv, s, a0), near(by[1], nv, s, a1), near(by[2], nv, s, a2);
      near(matrix[0], nv * nv, s, A0), near(matrix[1], nv * nv, s, A1), near(matrix[2], nv * nv, s, A2);
    }
  }
}

// Of steps, by each rule, against single calls, whose values the core's tests check.
TEST_F(BatchDerivatives, OfStepsAreThoseOfSingleCalls) {
  constexpr double dt = 0.02;
  for (const StepCalls& of : step_calls) {
    const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), ws = rows_of(weight, nv);
    std::vector<double> next_q(states * nq), next_v(states * nv), by_q(next_v), by_v(next_v), by_tau(next_v);
    std::vector<double> d_q(next_v), d_v(next_v);
    const auto to_q = rows_of(next_q, nq), to_v = rows_of(next_v, nv), g_q = rows_of(by_q, nv),
               g_v = rows_of(by_v, nv), g_tau = rows_of(by_tau, nv), c_q = rows_of(d_q, nv),
               c_v = rows_of(d_v, nv);
    ASSERT_EQ(of.batch_vjp(b.get(), nullptr, states, dt, &qs, &vs, &xs, nullptr, &ws, &xs, &to_q, &to_v, &g_q,
                           &g_v, &g_tau, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    ASSERT_EQ(of.batch_jvp(b.get(), nullptr, states, dt, &qs, &vs, &xs, nullptr, &ws, &xs, nullptr, nullptr,
                           nullptr, &c_q, &c_v, nullptr, 0),
              TENON_OK);
    std::vector<double> end_q(nq), end_v(nv), a0(nv), a1(nv), a2(nv);
    for (std::size_t s = 0; s < states; ++s) {
      SCOPED_TRACE(s);
      const double *qd = &q[s * nq], *vd = &v[s * nv], *xd = &x[s * nv], *wd = &weight[s * nv];
      ASSERT_EQ(of.vjp(w.get(), nullptr, dt, qd, nq, vd, nv, xd, nv, nullptr, 0, wd, nv, xd, nv, end_q.data(),
                       nq, end_v.data(), nv, a0.data(), nv, a1.data(), nv, a2.data(), nv),
                TENON_OK)
          << tenon_workspace_message(w.get());
      near(next_q, nq, s, end_q), near(next_v, nv, s, end_v);
      near(by_q, nv, s, a0), near(by_v, nv, s, a1), near(by_tau, nv, s, a2);
      std::vector<double> stepped_q(qd, qd + nq), stepped_v(vd, vd + nv);
      ASSERT_EQ(of.step(w.get(), nullptr, dt, stepped_q.data(), nq, stepped_v.data(), nv, xd, nv, nullptr, 0,
                        nullptr, 0, nullptr, 0),
                TENON_OK);
      near(next_q, nq, s, stepped_q), near(next_v, nv, s, stepped_v);
      ASSERT_EQ(of.jvp(w.get(), nullptr, dt, qd, nq, vd, nv, xd, nv, nullptr, 0, wd, nv, xd, nv, nullptr, 0,
                       nullptr, 0, nullptr, 0, a0.data(), nv, a1.data(), nv),
                TENON_OK);
      near(d_q, nv, s, a0), near(d_v, nv, s, a1);
    }
    refused(of.batch_vjp(b.get(), nullptr, states, std::nan(""), &qs, &vs, &xs, nullptr, &ws, &xs, &to_q,
                         &to_v, &g_q, &g_v, &g_tau, nullptr, 0),
            TENON_NOT_FINITE, "dt");
  }
}

// Through rollouts, against single calls step by step.
TEST_F(BatchDerivatives, ThroughRolloutsAreThoseOfSingleCalls) {
  constexpr std::size_t steps = 6, every = 3, records = 2;
  constexpr double dt = 0.004;
  std::vector<double> damping(states * nv), force(states * steps * nv), by_q(states * nv, 77), by_v(by_q),
      by_tau(states * steps * nv, 77), of_q(states * records * nv), of_v(of_q);
  const auto fill = [](std::vector<double>& list, double rate) {
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = std::sin(rate * static_cast<double>(i));
  };
  fill(damping, 0.3), fill(force, 0.7), fill(of_q, 1.1), fill(of_v, 1.7);
  const auto row = static_cast<ptrdiff_t>(nv);
  const auto of_steps = [&](std::vector<double>& list, std::size_t count) {
    return strided(list, nv, 1, static_cast<ptrdiff_t>(count) * row, row);
  };
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), gain = rows_of(damping, nv), g_q = rows_of(by_q, nv),
             g_v = rows_of(by_v, nv), ts = of_steps(force, steps), g_tau = of_steps(by_tau, steps),
             w_q = of_steps(of_q, records), w_v = of_steps(of_v, records);
  for (const StepCalls& of : step_calls) {
    const auto how = options_of(tenon_rollout_options_init, [&](auto& o) {
      o.integrator = of.integrator, o.steps = steps, o.every = every, o.dt = dt, o.damping = &gain;
    });
    std::vector<int32_t> status(states, 77);
    ASSERT_EQ(tenon_batch_rollout_vjp(b.get(), how, states, &qs, &vs, &ts, nullptr, &w_q, &w_v, &g_q, &g_v,
                                      &g_tau, status.data(), states),
              TENON_OK)
        << tenon_batch_message(b.get());
    EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
    for (std::size_t s = 0; s < states; ++s) {
      SCOPED_TRACE(s);
      std::vector<double> path_q[steps + 1], path_v[steps + 1], taus[steps], a(nv), c(nv), tau(steps * nv);
      path_q[0].assign(&q[s * nq], &q[s * nq] + nq), path_v[0].assign(&v[s * nv], &v[s * nv] + nv);
      for (std::size_t k = 0; k < steps; ++k) {
        path_q[k + 1] = path_q[k], path_v[k + 1] = path_v[k];
        for (std::size_t j = 0; j < nv; ++j)
          taus[k].push_back(force[(s * steps + k) * nv + j] - damping[s * nv + j] * path_v[k][j]);
        ASSERT_EQ(of.step(w.get(), nullptr, dt, path_q[k + 1].data(), nq, path_v[k + 1].data(), nv,
                          taus[k].data(), nv, nullptr, 0, nullptr, 0, nullptr, 0),
                  TENON_OK);
      }
      for (std::size_t k = steps; k-- > 0;) {
        for (std::size_t j = 0; (k + 1) % every == 0 && j < nv; ++j) {
          const std::size_t at = (s * records + k / every) * nv + j;
          a[j] += of_q[at], c[j] += of_v[at];
        }
        const std::vector<double> next_a = a, next_c = c;
        double* const t = &tau[k * nv];
        ASSERT_EQ(of.vjp(w.get(), nullptr, dt, path_q[k].data(), nq, path_v[k].data(), nv, taus[k].data(), nv,
                         nullptr, 0, next_a.data(), nv, next_c.data(), nv, nullptr, 0, nullptr, 0, a.data(),
                         nv, c.data(), nv, t, nv),
                  TENON_OK);
        for (std::size_t j = 0; j < nv; ++j) c[j] -= damping[s * nv + j] * t[j];
      }
      near(by_q, nv, s, a), near(by_v, nv, s, c), near(by_tau, steps * nv, s, tau);
    }
  }
}

// Columns apart, of one state after the other and of all side by side, added to and written; nothing between is
// touched.
TEST_F(BatchDerivatives, MatricesHaveLeadingDimensions) {
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv);
  std::vector<double> plain(states * nv * nv);
  const auto whole = rows_of(plain, nv * nv);
  const auto compute = [&](const tenon_derivative_options* options, const tenon_batch_array& to) {
    return tenon_batch_inverse_dynamics_derivatives(b.get(), options, states, &qs, &vs, &xs, nullptr, nullptr,
                                                    nullptr, &to, nullptr, nullptr, 0);
  };
  ASSERT_EQ(compute(nullptr, whole), TENON_OK);
  const std::size_t apart = nv + 4, gap = apart * (nv + 1);
  const auto adds = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  std::vector<double> wide(states * gap, 3.0), across(states * nv * nv, 3.0);
  const auto block = strided(wide, nv * nv, 1, static_cast<ptrdiff_t>(gap), static_cast<ptrdiff_t>(apart));
  const auto beside =
      strided(across, nv * nv, static_cast<ptrdiff_t>(states * nv), 1, static_cast<ptrdiff_t>(states));
  for (const double before : {0.0, 3.0}) {
    ASSERT_EQ(compute(before == 0 ? nullptr : static_cast<const tenon_derivative_options*>(adds), block),
              TENON_OK)
        << tenon_batch_message(b.get());
    ASSERT_EQ(compute(nullptr, beside), TENON_OK) << tenon_batch_message(b.get());
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t k = 0; k < nv; ++k)
        for (std::size_t i = 0; i < apart; ++i) {
          const double found = wide[s * gap + k * apart + i];
          if (i >= nv) {
            ASSERT_EQ(found, 3.0);
            continue;
          }
          const double expected = plain[s * nv * nv + k * nv + i];
          ASSERT_EQ(found, before == 0 ? expected : 2 * expected);
          ASSERT_EQ(across[i * states * nv + k * states + s], expected);
        }
  }
}

TEST_F(BatchDerivatives, ArgumentsAreRefused) {
  const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv);
  std::vector<double> out(states * nv * nv, 77);
  const auto numbers = rows_of(out, nv), matrix = rows_of(out, nv * nv);
  const auto forward = [&](const tenon_derivative_options* options, const tenon_batch_array& by_q) {
    return tenon_batch_forward_dynamics_derivatives(b.get(), options, states, &qs, &vs, &xs, nullptr, nullptr,
                                                    &by_q, nullptr, nullptr, nullptr, 0);
  };
  const auto twice = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 2; });
  refused(forward(twice, matrix), TENON_INVALID_ARGUMENT, "accumulate is 2");
  refused(forward(nullptr, numbers), TENON_WRONG_SIZE, "dqdd_dq has 18 numbers for each state");
  const auto with = [&](ptrdiff_t number, ptrdiff_t state, ptrdiff_t column, std::size_t count) {
    return strided(out, count, number, state, column);
  };
  const auto n = static_cast<ptrdiff_t>(nv), all = static_cast<ptrdiff_t>(nv * nv);
  refused(forward(nullptr, with(1, all, n, nv)), TENON_WRONG_SIZE, "18 x 18");
  refused(forward(nullptr, with(1, all, n - 1, nv * nv)), TENON_WRONG_SIZE, "overwrite each other");
  refused(forward(nullptr, with(1, all, n + 1, nv * nv)), TENON_WRONG_SIZE, "dqdd_dq");
  refused(forward(nullptr, with(2, all, 0, nv * nv)), TENON_WRONG_SIZE, "dqdd_dq");
  refused(forward(nullptr, with(1, all, std::numeric_limits<ptrdiff_t>::max(), nv * nv)), TENON_WRONG_SIZE,
          "dqdd_dq");
  refused(forward(nullptr, with(std::numeric_limits<ptrdiff_t>::max(), all, 0, nv * nv)), TENON_WRONG_SIZE,
          "dqdd_dq");
  refused(tenon_batch_forward_dynamics_vjp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr, nullptr,
                                           nullptr, nullptr, nullptr, nullptr, 0),
          TENON_INVALID_ARGUMENT, "gradient is NULL");
  refused(tenon_batch_inverse_dynamics_jvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr, nullptr,
                                           nullptr, nullptr, nullptr, nullptr, 0),
          TENON_INVALID_ARGUMENT, "dtau is NULL");
  EXPECT_EQ(out, std::vector<double>(states * nv * nv, 77));
  EXPECT_EQ(tenon_batch_forward_dynamics_jvp(nullptr, nullptr, states, &qs, &vs, &xs, nullptr, nullptr,
                                             nullptr, nullptr, nullptr, &numbers, nullptr, 0),
            TENON_INVALID_ARGUMENT);
  // No states: nothing to do.
  EXPECT_EQ(tenon_batch_forward_dynamics_vjp(b.get(), nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr,
                                             nullptr, nullptr, nullptr, nullptr, nullptr, 0),
            TENON_OK);
  EXPECT_STREQ(tenon_batch_message(b.get()), "");
}

// In independent velocities; with independent positions to the bit, with spanning ones side by side.
TEST(BatchDerivativesOf, EmbeddedLoopsAreThoseOfSingleCalls) {
  const Model model = load("six_bar");
  for (const int32_t positions : {TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT}) {
    SCOPED_TRACE(positions);
    const Batch b = batch(model, nullptr, 2);
    const Workspace w = workspace(model);
    std::vector<double> closed(static_cast<std::size_t>(tenon_model_nq(model.get())));
    ASSERT_EQ(tenon_workspace_guess(w.get(), closed.data(), closed.size()), TENON_OK);
    ASSERT_EQ(tenon_batch_set_coordinates(b.get(), positions, TENON_COORDINATES_INDEPENDENT), TENON_OK);
    ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), positions, TENON_COORDINATES_INDEPENDENT), TENON_OK);
    const std::size_t nq = static_cast<std::size_t>(tenon_batch_position_count(b.get())),
                      nv = static_cast<std::size_t>(tenon_batch_velocity_count(b.get()));
    std::vector<double> start = closed;
    if (positions == TENON_COORDINATES_INDEPENDENT) {
      start.resize(nq);
      ASSERT_EQ(tenon_independent_position(w.get(), closed.data(), closed.size(), start.data(), nq),
                TENON_OK);
    }
    std::vector<double> q(states * nq), v(states * nv), x(v), weight(v), by_q(v), by_v(v), by_x(v);
    for (std::size_t i = 0; i < states; ++i)
      for (std::size_t k = 0; k < nv; ++k) {
        v[i * nv + k] = 0.1 * std::sin(static_cast<double>(i + k)),
                   x[i * nv + k] = std::cos(static_cast<double>(i));
        weight[i * nv + k] = std::cos(static_cast<double>(i * nv + 2 * k));
        if (k == 0) {
          ASSERT_EQ(tenon_integrate(w.get(), start.data(), nq, &v[i * nv], nv, 0.5, &q[i * nq], nq),
                    TENON_OK);
        }
      }
    const auto qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), ws = rows_of(weight, nv),
               g_q = rows_of(by_q, nv), g_v = rows_of(by_v, nv), g_x = rows_of(by_x, nv);
    std::vector<double> one[3];
    const double within = positions == TENON_COORDINATES_SPANNING ? 1e-9 : 0;
    const auto expect_same = [&](std::size_t i) {
      const std::vector<double>* const lists[] = {&by_q, &by_v, &by_x};
      for (std::size_t which = 0; which < 3; ++which) {
        double size = 1;
        for (const double e : one[which]) size = larger(size, std::abs(e));
        for (std::size_t k = 0; k < nv; ++k)
          EXPECT_LE(std::abs((*lists[which])[i * nv + k] - one[which][k]), within * size) << i << " " << k;
      }
    };
    for (const bool inverse : {true, false}) {
      const auto all = inverse ? tenon_batch_inverse_dynamics_vjp : tenon_batch_forward_dynamics_vjp;
      const auto single = inverse ? tenon_inverse_dynamics_vjp : tenon_forward_dynamics_vjp;
      ASSERT_EQ(
          all(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &ws, nullptr, &g_q, &g_v, &g_x, nullptr, 0),
          TENON_OK)
          << tenon_batch_message(b.get());
      for (std::size_t i = 0; i < states; ++i) {
        for (auto& list : one) list.assign(nv, 0.0);
        ASSERT_EQ(
            single(w.get(), nullptr, &q[i * nq], nq, &v[i * nv], nv, &x[i * nv], nv, nullptr, 0,
                   &weight[i * nv], nv, nullptr, 0, one[0].data(), nv, one[1].data(), nv, one[2].data(), nv),
            TENON_OK);
        expect_same(i);
      }
    }
    // One step, and a rollout of one step.
    for (const StepCalls& of : step_calls) {
      const auto how = options_of(tenon_rollout_options_init, [&](auto& o) {
        o.integrator = of.integrator, o.steps = o.every = 1, o.dt = 0.01;
      });
      for (const bool rolls : {false, true}) {
        const tenon_status got = rolls
                                     ? tenon_batch_rollout_vjp(b.get(), how, states, &qs, &vs, &xs, nullptr,
                                                               &ws, &ws, &g_q, &g_v, &g_x, nullptr, 0)
                                     : of.batch_vjp(b.get(), nullptr, states, 0.01, &qs, &vs, &xs, nullptr,
                                                    &ws, &ws, nullptr, nullptr, &g_q, &g_v, &g_x, nullptr, 0);
        ASSERT_EQ(got, TENON_OK) << tenon_batch_message(b.get());
        for (std::size_t i = 0; i < states; ++i) {
          for (auto& list : one) list.assign(nv, 0.0);
          ASSERT_EQ(of.vjp(w.get(), nullptr, 0.01, &q[i * nq], nq, &v[i * nv], nv, &x[i * nv], nv, nullptr, 0,
                           &weight[i * nv], nv, &weight[i * nv], nv, nullptr, 0, nullptr, 0, one[0].data(),
                           nv, one[1].data(), nv, one[2].data(), nv),
                    TENON_OK);
          expect_same(i);
        }
      }
    }
  }
}

// Before anything is computed.
TEST(BatchDerivativesOf, StepsInSpanningVelocitiesOfLoopsAreUnsupported) {
  const Model model = load("four_bar");
  const Batch b = batch(model);
  std::vector<double> q(3, 0.1), out(3);
  const auto qs = rows_of(q, 3), to = rows_of(out, 3);
  int32_t status = 77;
  for (const StepCalls& of : step_calls) {
    EXPECT_EQ(of.batch_vjp(b.get(), nullptr, 1, 0.01, &qs, &qs, &qs, nullptr, &qs, nullptr, nullptr, nullptr,
                           &to, nullptr, nullptr, &status, 1),
              TENON_UNSUPPORTED);
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find("set independent ones"), std::string::npos);
    EXPECT_EQ(status, 77);
  }
}

// A point mass on a slide, on the axis of the hinge that carries it: nothing resists the hinge there. Its neighbours
// are computed as without it.
TEST(BatchDerivativesOf, StatesWithoutAMotionFailAlone) {
  Model model;
  ASSERT_EQ(
      parse("<robot name='r'><link name='a'/><link name='b'/><link name='c'><inertial><mass value='2'/>"
            "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
            "<joint name='turn' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 "
            "1'/></joint>"
            "<joint name='slide' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='1 0 0'/>"
            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>",
            &model)
          .status,
      TENON_OK);
  const Batch b = batch(model), other = batch(model);
  std::vector<double> q(2 * states, 0.5), v(2 * states, 0.3), tau(2 * states, 0.2);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.01 * static_cast<double>(i);
  const auto qs = rows_of(q, 2), vs = rows_of(v, 2), ts = rows_of(tau, 2);
  std::vector<double> good(2 * states), good_matrix(4 * states), out(2 * states, -77),
      matrix(4 * states, -77);
  std::vector<int32_t> status(states, 77);
  const auto compute = [&](std::vector<double>& by, std::vector<double>& square) {
    const auto g = rows_of(by, 2), A = rows_of(square, 4);
    const tenon_status first = tenon_batch_forward_dynamics_vjp(
        b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &vs, nullptr, &g, nullptr, nullptr, nullptr, 0);
    EXPECT_EQ(tenon_batch_forward_dynamics_derivatives(b.get(), nullptr, states, &qs, &vs, &ts, nullptr,
                                                       nullptr, &A, nullptr, nullptr, status.data(), states),
              first);
    return first;
  };
  const auto after =
      [&](double last) {  // of the other batch, whose first matrices come after products that fail
        q[2 * states - 1] = 0;
        const auto g = rows_of(out, 2), A = rows_of(matrix, 4);
        EXPECT_EQ(tenon_batch_forward_dynamics_vjp(other.get(), nullptr, states, &qs, &vs, &ts, nullptr, &vs,
                                                   nullptr, &g, nullptr, nullptr, nullptr, 0),
                  TENON_NOT_POSITIVE_DEFINITE);
        q[2 * states - 1] = last;
        EXPECT_EQ(
            tenon_batch_forward_dynamics_derivatives(other.get(), nullptr, states, &qs, &vs, &ts, nullptr,
                                                     nullptr, &A, nullptr, nullptr, nullptr, 0),
            TENON_OK);
        EXPECT_EQ(matrix, good_matrix);
        std::fill(out.begin(), out.end(), -77.0), std::fill(matrix.begin(), matrix.end(), -77.0);
      };
  ASSERT_EQ(compute(good, good_matrix), TENON_OK) << tenon_batch_message(b.get());
  after(q[2 * states - 1]);
  q[2 * 7 + 1] = 0;
  EXPECT_EQ(compute(out, matrix), TENON_NOT_POSITIVE_DEFINITE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("state 7"), std::string::npos);
  for (std::size_t s = 0; s < states; ++s) {
    EXPECT_EQ(status[s], s == 7 ? TENON_NOT_POSITIVE_DEFINITE : TENON_OK);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(out[2 * s + k], s == 7 ? -77 : good[2 * s + k]);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(matrix[4 * s + k], s == 7 ? -77 : good_matrix[4 * s + k]);
  }
}

// Products turn signs, and a gradient of nothing is zero, not minus zero.
TEST(BatchDerivativesOf, NothingAreZerosWithoutASign) {
  const Model model = load("iiwa14");
  const Batch b = batch(model);
  std::vector<double> q(7 * 9, 0.3), nothing(7 * 9, 0.0), by_tau(7 * 9, -77);
  const auto qs = rows_of(q, 7), zeros = rows_of(nothing, 7), to = rows_of(by_tau, 7);
  ASSERT_EQ(tenon_batch_forward_dynamics_vjp(b.get(), nullptr, 9, &qs, &qs, &qs, nullptr, &zeros, nullptr,
                                             nullptr, nullptr, &to, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  for (const double x : by_tau) EXPECT_TRUE(x == 0 && !std::signbit(x)) << x;
}

TEST(BatchDerivativesOf, ARobotWithoutCoordinates) {
  Model model;
  ASSERT_EQ(parse("<robot name='stone'><link name='stone'/></robot>", &model).status, TENON_OK);
  const Batch b = batch(model, nullptr, 2);
  int32_t status[19];
  std::fill_n(status, 19, 77);
  EXPECT_EQ(tenon_batch_inverse_dynamics_derivatives(b.get(), nullptr, 19, nullptr, nullptr, nullptr, nullptr,
                                                     nullptr, nullptr, nullptr, nullptr, status, 19),
            TENON_OK)
      << tenon_batch_message(b.get());
  EXPECT_EQ(tenon_batch_forward_dynamics_vjp(b.get(), nullptr, 19, nullptr, nullptr, nullptr, nullptr,
                                             nullptr, nullptr, nullptr, nullptr, nullptr, status, 19),
            TENON_OK);
  EXPECT_EQ(status[18], TENON_OK);
}

}  // namespace
