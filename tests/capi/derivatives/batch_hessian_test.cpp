// Second derivatives of many states: each with the digits of the single call, in any layout, on threads, in single
// precision, of robots and rows of their own; and what fails alone or is refused. Values are checked by the tests of
// the core.
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

namespace {

class BatchHessians : public ::testing::Test {
 protected:
  static constexpr std::size_t states = 11;

  BatchHessians() {
    for (std::size_t i = 0; i < states; ++i) {
      const State drawn(model, w.get(), i + 1);
      q.insert(q.end(), drawn.q.begin(), drawn.q.end());
      v.insert(v.end(), drawn.v.begin(), drawn.v.end());
      x.insert(x.end(), drawn.tau.begin(), drawn.tau.end());
      for (std::size_t j = 0; j < nv; ++j) weight.push_back(std::sin(static_cast<double>(i * nv + j)));
      for (std::size_t r = 0; r < m; ++r) {
        desired.push_back(std::cos(static_cast<double>(i * m + r)));
        // Forces have second derivatives where all rows act.
        of_rows.push_back(i % 6 == 1 || i % 6 == 5 ? std::sin(static_cast<double>(2 * i * m + r)) : 0.0);
      }
      active.push_back(i % 3 != 0), active.push_back(i % 2 != 0);
    }
    for (std::size_t l = 0; l < 5; ++l)
      one[l].assign(nv * (l < 4 ? nv : m), 0.5), all[l].assign(states * one[l].size(), 0.5);
    qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), ws = rows_of(weight, nv);
    ks = rows_of(desired, m), zs = rows_of(of_rows, m);
    for (std::size_t l = 0; l < 5; ++l) to[l] = rows_of(all[l], one[l].size());
  }
  enum Function { inverse, forward, constrained };

  tenon_status of_all(tenon_batch* b, Function function, const tenon_derivative_options* how,
                      int32_t* status = nullptr, std::size_t count = states) {
    const std::size_t places = status ? count : 0;
    if (function == constrained)
      return tenon_batch_constrained_dynamics_hessian(b, how, count, &qs, &vs, &xs, nullptr, &ks, &ws, &zs,
                                                      &to[0], &to[1], &to[2], &to[3], &to[4], status, places);
    const auto call =
        function == inverse ? tenon_batch_inverse_dynamics_hessian : tenon_batch_forward_dynamics_hessian;
    return call(b, how, count, &qs, &vs, &xs, nullptr, &ws, &to[0], &to[1], &to[2], &to[3], status, places);
  }
  // State i, into one[...], which hold `start`.
  tenon_status of_one(Function function, std::size_t i, const tenon_derivative_options* how, double start) {
    for (auto& matrix : one) matrix.assign(matrix.size(), start);
    const double *qi = &q[i * nq], *vi = &v[i * nv], *xi = &x[i * nv], *wi = &weight[i * nv];
    const auto ld = static_cast<int32_t>(nv);
    const std::size_t n = nv * nv;
    if (function == constrained)
      return tenon_constrained_dynamics_hessian(w.get(), how, qi, nq, vi, nv, xi, nv, nullptr, 0,
                                                &desired[i * m], m, wi, nv, &of_rows[i * m], m, one[0].data(),
                                                n, ld, one[1].data(), n, ld, one[2].data(), n, ld,
                                                one[3].data(), n, ld, one[4].data(), nv * m, ld);
    const auto call = function == inverse ? tenon_inverse_dynamics_hessian : tenon_forward_dynamics_hessian;
    return call(w.get(), how, qi, nq, vi, nv, xi, nv, nullptr, 0, wi, nv, one[0].data(), n, ld, one[1].data(),
                n, ld, one[2].data(), n, ld, one[3].data(), n, ld);
  }
  void set_rows_of_states(tenon_batch* b) {
    const auto on = rows_of(active, 2);
    EXPECT_EQ(tenon_batch_anchor_here(b, states, &qs, nullptr, 0), TENON_OK);
    EXPECT_EQ(tenon_batch_set_active(b, states, &on), TENON_OK);
  }
  void take_rows(std::size_t i) {
    ASSERT_EQ(tenon_workspace_anchor_here(w.get(), &q[i * nq], nq), TENON_OK);
    for (int32_t c = 0; c < 2; ++c)
      ASSERT_EQ(tenon_workspace_set_active(w.get(), c, active[2 * i + static_cast<std::size_t>(c)] != 0),
                TENON_OK);
  }
  void expect_same(Function function, std::size_t i) {
    for (std::size_t l = 0; l < (function == constrained ? 5U : 4U); ++l)
      EXPECT_TRUE(std::equal(one[l].begin(), one[l].end(), &all[l][i * one[l].size()])) << l;
  }

  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get())),
                    nv = static_cast<std::size_t>(tenon_model_nv(model.get())), m = 12;
  std::vector<double> q, v, x, weight, desired, of_rows, active, one[5], all[5];
  tenon_batch_array qs, vs, xs, ws, ks, zs, to[5];
};

TEST_F(BatchHessians, AreThoseOfSingleCallsToTheBit) {
  const auto adds = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  for (const int32_t threads : {1, 2})
    for (const bool accumulate : {false, true}) {
      const Batch b = batch(model, set, threads);
      set_rows_of_states(b.get());
      const tenon_derivative_options* how =
          accumulate ? static_cast<const tenon_derivative_options*>(adds) : nullptr;
      for (const Function function : {inverse, forward, constrained}) {
        for (std::size_t l = 0; l < 5; ++l) all[l].assign(all[l].size(), 0.5);
        std::vector<int32_t> status(states, 77);
        ASSERT_EQ(of_all(b.get(), function, how, status.data()), TENON_OK) << tenon_batch_message(b.get());
        EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
        for (std::size_t i = 0; i < states; ++i) {
          SCOPED_TRACE(testing::Message() << function << " " << i << " " << threads << " " << accumulate);
          take_rows(i);
          ASSERT_EQ(of_one(function, i, how, 0.5), TENON_OK) << tenon_workspace_message(w.get());
          expect_same(function, i);
        }
      }
    }
}

// Rows apart, one state beside the other, and only what is wanted.
TEST_F(BatchHessians, TakeWhatIsWantedInAnyLayout) {
  const Batch b = batch(model);
  const std::size_t apart = nv + 2;
  std::vector<double> wide(states * apart * nv, 77.0);
  const auto rows = options_of(tenon_derivative_options_init, [](auto& o) { o.row_major = 1; });
  const auto block =
      strided(wide, nv * nv, static_cast<ptrdiff_t>(states), 1, static_cast<ptrdiff_t>(states * apart));
  ASSERT_EQ(tenon_batch_forward_dynamics_hessian(b.get(), rows, states, &qs, &vs, &xs, nullptr, &ws, nullptr,
                                                 &block, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  for (std::size_t i = 0; i < states; ++i) {
    ASSERT_EQ(of_one(forward, i, nullptr, 0), TENON_OK);
    for (std::size_t r = 0; r < nv; ++r)
      for (std::size_t c = 0; c < apart; ++c)
        ASSERT_EQ(wide[(r * apart + c) * states + i], c < nv ? one[1][c * nv + r] : 77.0);
  }
}

TEST_F(BatchHessians, InSinglePrecision) {
  const Batch b = batch(model, nullptr, 1, TENON_PRECISION_SINGLE);
  const auto floats = [](const std::vector<double>& list) {
    return std::vector<float>(list.begin(), list.end());
  };
  std::vector<float> qf = floats(q), vf = floats(v), xf = floats(x), wf = floats(weight),
                     found(states * nv * nv);
  const auto q_f = rows_of(qf, nq), v_f = rows_of(vf, nv), x_f = rows_of(xf, nv), w_f = rows_of(wf, nv),
             to_f = rows_of(found, nv * nv);
  ASSERT_EQ(tenon_batch_inverse_dynamics_hessian(b.get(), nullptr, states, &q_f, &v_f, &x_f, nullptr, &w_f,
                                                 &to_f, nullptr, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  for (std::size_t i = 0; i < states; ++i) {
    ASSERT_EQ(of_one(inverse, i, nullptr, 0), TENON_OK);
    for (std::size_t e = 0; e < nv * nv; ++e)
      ASSERT_NEAR(found[i * nv * nv + e], one[0][e], 1e-4 * largest(one[0]));
  }
}

// Of robots that states have of their own: gravity and what links carry.
TEST_F(BatchHessians, OfRobotsOfTheirOwn) {
  const Batch b = batch(model);
  const auto links = static_cast<std::size_t>(tenon_model_link_count(model.get()));
  std::vector<double> gravity(states * 3), masses(states * links);
  for (std::size_t i = 0; i < states; ++i) {
    gravity[3 * i + 2] = -1.0 - static_cast<double>(i);
    masses[i * links + 1] = 0.125 * static_cast<double>(i);
  }
  const auto gs = rows_of(gravity, 3), ms = rows_of(masses, links);
  tenon_batch_parameters own;
  ASSERT_EQ(tenon_batch_parameters_init(&own, sizeof own), TENON_OK);
  own.gravity = &gs, own.payload_masses = &ms;
  ASSERT_EQ(tenon_batch_set_parameters(b.get(), states, &own), TENON_OK) << tenon_batch_message(b.get());
  for (const Function function : {inverse, forward}) {
    ASSERT_EQ(of_all(b.get(), function, nullptr), TENON_OK) << tenon_batch_message(b.get());
    for (std::size_t i = 0; i < states; ++i) {
      ASSERT_EQ(tenon_workspace_set_gravity(w.get(), &gravity[3 * i], 3), TENON_OK);
      ASSERT_EQ(tenon_workspace_set_payload(w.get(), 1, masses[i * links + 1], nullptr, 0, nullptr, 0),
                TENON_OK)
          << tenon_workspace_message(w.get());
      ASSERT_EQ(of_one(function, i, nullptr, 0), TENON_OK);
      for (std::size_t l = 0; l < 4; ++l)
        for (std::size_t e = 0; e < nv * nv; ++e)
          ASSERT_NEAR(all[l][i * nv * nv + e], one[l][e], 1e-11 * (1 + largest(one[l])));
    }
  }
}

TEST_F(BatchHessians, StatesFailAlone) {
  const Batch b = batch(model, set, 2);
  q[4 * nq + 3] += 1;
  x[7 * nv] = std::nan("");
  for (const Function function : {inverse, forward, constrained}) {
    for (std::size_t l = 0; l < 5; ++l) all[l].assign(all[l].size(), 0.5);
    std::vector<int32_t> status(states, 77);
    EXPECT_EQ(of_all(b.get(), function, nullptr, status.data()), TENON_NOT_NORMALIZED);
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find("state 4"), std::string::npos);
    for (std::size_t i = 0; i < states; ++i) {
      const bool bad = i == 4 || i == 7;
      EXPECT_EQ(status[i], i == 4 ? TENON_NOT_NORMALIZED : i == 7 ? TENON_NOT_FINITE : TENON_OK);
      for (std::size_t e = 0; e < nv * nv; ++e) {
        const double found = all[0][i * nv * nv + e];
        ASSERT_TRUE(bad ? found == 0.5 : std::isfinite(found) && found != 0.5);
      }
    }
  }
}

TEST_F(BatchHessians, WhatIsWrongIsRefused) {
  const Batch b = batch(model, set);
  const auto refused = [&](tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find(words), std::string::npos)
        << tenon_batch_message(b.get()) << " / " << words;
  };
  refused(tenon_batch_inverse_dynamics_hessian(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr,
                                               &to[0], nullptr, nullptr, nullptr, nullptr, 0),
          TENON_INVALID_ARGUMENT, "gradient is NULL");
  refused(
      tenon_batch_constrained_dynamics_hessian(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr, &ws,
                                               &ws, &to[0], nullptr, nullptr, nullptr, nullptr, nullptr, 0),
      TENON_WRONG_SIZE, "gradient_lambda");
  refused(tenon_batch_constrained_dynamics_hessian(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr,
                                                   &ws, nullptr, nullptr, nullptr, nullptr, nullptr, &to[0],
                                                   nullptr, 0),
          TENON_WRONG_SIZE, "hessian_qdesired");
  EXPECT_EQ(all[0], std::vector<double>(all[0].size(), 0.5));
  EXPECT_EQ(of_all(b.get(), constrained, nullptr, nullptr, 0), TENON_OK);
  EXPECT_EQ(tenon_batch_forward_dynamics_hessian(nullptr, nullptr, states, &qs, &vs, &xs, nullptr, &ws,
                                                 &to[0], nullptr, nullptr, nullptr, nullptr, 0),
            TENON_INVALID_ARGUMENT);
}

TEST(BatchHessiansOf, EmbeddedLoopsAreUnsupported) {
  const Model model = load("four_bar");
  const Batch b = batch(model);
  std::vector<double> q(3, 0.1), out(9, 77.0);
  const auto qs = rows_of(q, 3), to = rows_of(out, 9);
  int32_t status = 77;
  EXPECT_EQ(
      tenon_batch_constrained_dynamics_hessian(b.get(), nullptr, 1, &qs, &qs, &qs, nullptr, nullptr, &qs,
                                               nullptr, &to, nullptr, nullptr, nullptr, nullptr, &status, 1),
      TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("embedded loops"), std::string::npos)
      << tenon_batch_message(b.get());
  EXPECT_EQ(tenon_batch_inverse_dynamics_hessian(b.get(), nullptr, 1, &qs, &qs, &qs, nullptr, &qs, &to,
                                                 nullptr, nullptr, nullptr, &status, 1),
            TENON_UNSUPPORTED);
  EXPECT_EQ(status, 77);
  EXPECT_EQ(out, std::vector<double>(9, 77.0));
}

}  // namespace
