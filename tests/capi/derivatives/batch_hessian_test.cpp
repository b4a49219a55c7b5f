// Second derivatives of many states, as matrices and times a change: each with the digits of the single call, in any
// layout, on threads, in single precision, of robots and rows of their own; and what fails alone or is refused. Values
// are checked by the tests of the core.
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
      for (std::size_t j = 0; j < nv; ++j) {
        weight.push_back(std::sin(static_cast<double>(i * nv + j)));
        for (std::size_t l = 0; l < 3; ++l)
          along[l].push_back(std::cos(static_cast<double>(l + i * nv + 2 * j)));
      }
      for (std::size_t r = 0; r < m; ++r) {
        along_rows.push_back(std::sin(static_cast<double>(3 * i * m + r)));
        desired.push_back(std::cos(static_cast<double>(i * m + r)));
        // Forces have second derivatives where all rows act.
        of_rows.push_back(i % 6 == 1 || i % 6 == 5 ? std::sin(static_cast<double>(2 * i * m + r)) : 0.0);
      }
      active.push_back(i % 3 != 0), active.push_back(i % 2 != 0);
    }
    qs = rows_of(q, nq), vs = rows_of(v, nv), xs = rows_of(x, nv), ws = rows_of(weight, nv);
    ks = rows_of(desired, m), zs = rows_of(of_rows, m), dks = rows_of(along_rows, m);
    for (std::size_t l = 0; l < 3; ++l) ds[l] = rows_of(along[l], nv);
    take(matrices);
  }
  enum Function { inverse, forward, constrained };
  enum Form { matrices, products };

  // Results of this form, which hold 0.5: hessian_qq to hessian_qdesired, or product_q to product_desired.
  void take(Form next) {
    form = next;
    for (std::size_t l = 0; l < 5; ++l) {
      one[l].assign(form == matrices ? nv * (l < 4 ? nv : m) : l < 3 ? nv : l < 4 ? m : 0, 0.5);
      all[l].assign(states * one[l].size(), 0.5), to[l] = rows_of(all[l], one[l].size());
    }
  }
  std::size_t outputs(Function function) const {
    return (function == constrained ? 5U : 4U) - (form == products ? 1U : 0U);
  }

  tenon_status of_all(tenon_batch* b, Function function, const tenon_derivative_options* how,
                      int32_t* status = nullptr, std::size_t count = states) {
    const std::size_t places = status ? count : 0;
    if (form == products) {
      if (function == constrained)
        return tenon_batch_constrained_dynamics_hvp(b, how, count, &qs, &vs, &xs, nullptr, &ks, &ws, &zs,
                                                    &ds[0], &ds[1], &ds[2], &dks, &to[0], &to[1], &to[2],
                                                    &to[3], status, places);
      const auto call =
          function == inverse ? tenon_batch_inverse_dynamics_hvp : tenon_batch_forward_dynamics_hvp;
      return call(b, how, count, &qs, &vs, &xs, nullptr, &ws, &ds[0], &ds[1], &ds[2], &to[0], &to[1], &to[2],
                  status, places);
    }
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
    if (form == products) {
      const double *dq = &along[0][i * nv], *dv = &along[1][i * nv], *dx = &along[2][i * nv];
      if (function == constrained)
        return tenon_constrained_dynamics_hvp(w.get(), how, qi, nq, vi, nv, xi, nv, nullptr, 0,
                                              &desired[i * m], m, wi, nv, &of_rows[i * m], m, dq, nv, dv, nv,
                                              dx, nv, &along_rows[i * m], m, one[0].data(), nv, one[1].data(),
                                              nv, one[2].data(), nv, one[3].data(), m);
      const auto call = function == inverse ? tenon_inverse_dynamics_hvp : tenon_forward_dynamics_hvp;
      return call(w.get(), how, qi, nq, vi, nv, xi, nv, nullptr, 0, wi, nv, dq, nv, dv, nv, dx, nv,
                  one[0].data(), nv, one[1].data(), nv, one[2].data(), nv);
    }
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
    for (std::size_t l = 0; l < outputs(function); ++l)
      EXPECT_TRUE(std::equal(one[l].begin(), one[l].end(), &all[l][i * one[l].size()])) << l;
  }

  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  const std::size_t nq = static_cast<std::size_t>(tenon_model_nq(model.get())),
                    nv = static_cast<std::size_t>(tenon_model_nv(model.get())), m = 12;
  Form form;
  std::vector<double> q, v, x, weight, desired, of_rows, active, along[3], along_rows, one[5], all[5];
  tenon_batch_array qs, vs, xs, ws, ks, zs, ds[3], dks, to[5];
};

TEST_F(BatchHessians, AreThoseOfSingleCallsToTheBit) {
  const auto adds = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  for (const int32_t threads : {1, 2})
    for (const bool accumulate : {false, true}) {
      const Batch b = batch(model, set, threads);
      set_rows_of_states(b.get());
      const tenon_derivative_options* how =
          accumulate ? static_cast<const tenon_derivative_options*>(adds) : nullptr;
      for (const Function function : {inverse, forward, constrained})
        for (const Form next : {matrices, products}) {
          take(next);
          std::vector<int32_t> status(states, 77);
          ASSERT_EQ(of_all(b.get(), function, how, status.data()), TENON_OK) << tenon_batch_message(b.get());
          EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
          for (std::size_t i = 0; i < states; ++i) {
            SCOPED_TRACE(testing::Message() << function << next << " " << i << " " << threads << accumulate);
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

// What is not given is zero, and what is not wanted is not written.
TEST_F(BatchHessians, ProductsWithPartsOfAChange) {
  const Batch b = batch(model, set);
  take(products);
  for (const Function function : {inverse, forward, constrained})
    for (std::size_t given = 0; given < 3; ++given) {
      const std::size_t wanted = (given + function) % 3;
      const auto part = [](const tenon_batch_array& a, bool wanted_) { return wanted_ ? &a : nullptr; };
      const tenon_batch_array *dq = part(ds[0], given == 0), *dv = part(ds[1], given == 1),
                              *dx = part(ds[2], given == 2), *p_q = part(to[0], wanted == 0),
                              *p_v = part(to[1], wanted == 1), *p_x = part(to[2], wanted == 2);
      const auto call =
          function == inverse ? tenon_batch_inverse_dynamics_hvp : tenon_batch_forward_dynamics_hvp;
      ASSERT_EQ(function == constrained
                    ? tenon_batch_constrained_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr,
                                                           nullptr, &ws, nullptr, dq, dv, dx, nullptr, p_q,
                                                           p_v, p_x, nullptr, nullptr, 0)
                    : call(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &ws, dq, dv, dx, p_q, p_v, p_x,
                           nullptr, 0),
                TENON_OK)
          << tenon_batch_message(b.get());
      const std::vector<double> kept[] = {along[0], along[1], along[2], desired, of_rows, along_rows};
      for (std::size_t l = 0; l < 3; ++l)
        if (l != given) along[l].assign(along[l].size(), 0.0);
      for (auto* list : {&desired, &of_rows, &along_rows}) list->assign(list->size(), 0.0);
      for (std::size_t i = 0; i < states; ++i) {
        ASSERT_EQ(of_one(function, i, nullptr, 0.5), TENON_OK) << tenon_workspace_message(w.get());
        for (std::size_t l = 0; l < 3; ++l)
          if (l == wanted) {
            EXPECT_TRUE(std::equal(one[l].begin(), one[l].end(), &all[l][i * nv])) << function << given << i;
          } else {
            EXPECT_EQ(all[l][i * nv], 0.5);
          }
      }
      for (std::size_t l = 0; l < 3; ++l) along[l] = kept[l];
      desired = kept[3], of_rows = kept[4], along_rows = kept[5];
      take(products);
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
  take(products);
  std::vector<float> df = floats(along[0]), product(states * nv);
  const auto d_f = rows_of(df, nv), p_f = rows_of(product, nv);
  ASSERT_EQ(tenon_batch_inverse_dynamics_hvp(b.get(), nullptr, states, &q_f, &v_f, &x_f, nullptr, &w_f, &d_f,
                                             nullptr, nullptr, &p_f, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  along[1].assign(along[1].size(), 0.0), along[2] = along[1];
  for (std::size_t i = 0; i < states; ++i) {
    ASSERT_EQ(of_one(inverse, i, nullptr, 0), TENON_OK);
    for (std::size_t e = 0; e < nv; ++e) ASSERT_NEAR(product[i * nv + e], one[0][e], 1e-4 * largest(one[0]));
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
  for (const Form next : {matrices, products})
    for (const Function function : {inverse, forward}) {
      take(next);
      ASSERT_EQ(of_all(b.get(), function, nullptr), TENON_OK) << tenon_batch_message(b.get());
      for (std::size_t i = 0; i < states; ++i) {
        ASSERT_EQ(tenon_workspace_set_gravity(w.get(), &gravity[3 * i], 3), TENON_OK);
        ASSERT_EQ(tenon_workspace_set_payload(w.get(), 1, masses[i * links + 1], nullptr, 0, nullptr, 0),
                  TENON_OK)
            << tenon_workspace_message(w.get());
        ASSERT_EQ(of_one(function, i, nullptr, 0), TENON_OK);
        for (std::size_t l = 0; l < outputs(function); ++l)
          for (std::size_t e = 0; e < one[l].size(); ++e)
            ASSERT_NEAR(all[l][i * one[l].size() + e], one[l][e], 1e-11 * (1 + largest(one[l])));
      }
    }
}

TEST_F(BatchHessians, StatesFailAlone) {
  const Batch b = batch(model, set, 2);
  q[4 * nq + 3] += 1;
  x[7 * nv] = std::nan("");
  for (const Form next : {matrices, products})
    for (const Function function : {inverse, forward, constrained}) {
      take(next);
      std::vector<int32_t> status(states, 77);
      EXPECT_EQ(of_all(b.get(), function, nullptr, status.data()), TENON_NOT_NORMALIZED);
      EXPECT_NE(std::string(tenon_batch_message(b.get())).find("state 4"), std::string::npos);
      for (std::size_t i = 0; i < states; ++i) {
        const bool bad = i == 4 || i == 7;
        EXPECT_EQ(status[i], i == 4 ? TENON_NOT_NORMALIZED : i == 7 ? TENON_NOT_FINITE : TENON_OK);
        for (std::size_t e = 0; e < one[0].size(); ++e) {
          const double found = all[0][i * one[0].size() + e];
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
  take(products);
  refused(tenon_batch_forward_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr, &ds[0],
                                           nullptr, nullptr, &to[0], nullptr, nullptr, nullptr, 0),
          TENON_INVALID_ARGUMENT, "gradient is NULL");
  refused(tenon_batch_forward_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, &ws, &ks,
                                           nullptr, nullptr, &to[0], nullptr, nullptr, nullptr, 0),
          TENON_WRONG_SIZE, "dq");
  refused(tenon_batch_constrained_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr,
                                               nullptr, nullptr, nullptr, nullptr, nullptr, &ws, nullptr,
                                               nullptr, nullptr, nullptr, nullptr, 0),
          TENON_WRONG_SIZE, "ddesired");
  refused(tenon_batch_constrained_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &xs, nullptr, nullptr,
                                               nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                               nullptr, nullptr, &to[0], nullptr, 0),
          TENON_WRONG_SIZE, "product_desired");
  EXPECT_EQ(all[0], std::vector<double>(all[0].size(), 0.5));
  EXPECT_EQ(of_all(b.get(), constrained, nullptr, nullptr, 0), TENON_OK);
  take(matrices);
  EXPECT_EQ(tenon_batch_forward_dynamics_hessian(nullptr, nullptr, states, &qs, &vs, &xs, nullptr, &ws,
                                                 &to[0], nullptr, nullptr, nullptr, nullptr, 0),
            TENON_INVALID_ARGUMENT);
}

TEST(BatchHessiansOf, LoopsInSpanningCoordinatesAreUnsupported) {
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
  EXPECT_EQ(tenon_batch_forward_dynamics_hvp(b.get(), nullptr, 1, &qs, &qs, &qs, nullptr, &qs, &qs, nullptr,
                                             nullptr, &qs, nullptr, nullptr, &status, 1),
            TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("set independent velocities"), std::string::npos)
      << tenon_batch_message(b.get());
  EXPECT_EQ(status, 77);
  EXPECT_EQ(out, std::vector<double>(9, 77.0));
  // Those of inverse dynamics are of the tree.
  EXPECT_EQ(tenon_batch_inverse_dynamics_hessian(b.get(), nullptr, 1, &qs, &qs, &qs, nullptr, &qs, &to,
                                                 nullptr, nullptr, nullptr, &status, 1),
            TENON_OK)
      << tenon_batch_message(b.get());
}

// Cassie's legs with its loops, with independent velocities.
TEST(BatchHessiansOf, LoopsInIndependentVelocities) {
  const Model model = load("cassie", TENON_BASE_FLOATING);
  const Workspace w = workspace(model);
  const Batch b = batch(model, nullptr, 2);
  const int32_t spanning = TENON_COORDINATES_SPANNING, independent = TENON_COORDINATES_INDEPENDENT;
  ASSERT_EQ(tenon_workspace_set_coordinates(w.get(), spanning, independent), TENON_OK);
  ASSERT_EQ(tenon_batch_set_coordinates(b.get(), spanning, independent), TENON_OK);
  const auto nq = static_cast<std::size_t>(tenon_workspace_position_count(w.get())),
             n = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get()));
  const std::size_t states = 3, nn = n * n;
  std::vector<double> guess(nq), q, v, tau, weight, d;
  ASSERT_EQ(tenon_workspace_guess(w.get(), guess.data(), nq), TENON_OK);
  for (std::size_t i = 0; i < states; ++i) {
    std::vector<double> step(n), at(nq);
    for (std::size_t e = 0; e < n; ++e) {
      const auto x = static_cast<double>(i * n + e);
      step[e] = 0.1 * std::sin(3 * x + 1), v.push_back(std::sin(x + 1)), tau.push_back(10 * std::cos(2 * x));
      weight.push_back(std::cos(x + 1)), d.push_back(std::sin(4 * x));
    }
    ASSERT_EQ(tenon_integrate(w.get(), guess.data(), nq, step.data(), n, 1, at.data(), nq), TENON_OK)
        << tenon_workspace_message(w.get());
    q.insert(q.end(), at.begin(), at.end());
  }
  std::vector<double> all(states * nn), product(states * n), one(nn), of_one(n);
  const auto qs = rows_of(q, nq), vs = rows_of(v, n), ts = rows_of(tau, n), ws = rows_of(weight, n),
             ds = rows_of(d, n), to = rows_of(all, nn), ps = rows_of(product, n);
  ASSERT_EQ(tenon_batch_forward_dynamics_hessian(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &ws, &to,
                                                 nullptr, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  ASSERT_EQ(tenon_batch_forward_dynamics_hvp(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &ws, &ds,
                                             nullptr, nullptr, &ps, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(b.get());
  for (std::size_t i = 0; i < states; ++i) {
    const double *qi = &q[i * nq], *vi = &v[i * n], *ti = &tau[i * n], *wi = &weight[i * n], *di = &d[i * n];
    const auto ld = static_cast<int32_t>(n);
    ASSERT_EQ(tenon_forward_dynamics_hessian(w.get(), nullptr, qi, nq, vi, n, ti, n, nullptr, 0, wi, n,
                                             one.data(), nn, ld, nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0),
              TENON_OK)
        << tenon_workspace_message(w.get());
    ASSERT_EQ(tenon_forward_dynamics_hvp(w.get(), nullptr, qi, nq, vi, n, ti, n, nullptr, 0, wi, n, di, n,
                                         nullptr, 0, nullptr, 0, of_one.data(), n, nullptr, 0, nullptr, 0),
              TENON_OK);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), &all[i * nn])) << i;
    EXPECT_TRUE(std::equal(of_one.begin(), of_one.end(), &product[i * n])) << i;
    // Along d by differences of gradients, of the whole C call.
    const auto gradient = [&](double t) {
      std::vector<double> moved(nq), step(di, di + n), g(n);
      EXPECT_EQ(tenon_integrate(w.get(), qi, nq, step.data(), n, t, moved.data(), nq), TENON_OK);
      EXPECT_EQ(tenon_forward_dynamics_vjp(w.get(), nullptr, moved.data(), nq, vi, n, ti, n, nullptr, 0, wi,
                                           n, nullptr, 0, g.data(), n, nullptr, 0, nullptr, 0),
                TENON_OK)
          << tenon_workspace_message(w.get());
      double along = 0;
      for (std::size_t e = 0; e < n; ++e) along += g[e] * di[e];
      return along;
    };
    const double h = 1e-4;
    const double slope = (gradient(-2 * h) - 8 * gradient(-h) + 8 * gradient(h) - gradient(2 * h)) / (12 * h);
    double curvature = 0, terms = 0;
    for (std::size_t r = 0; r < n; ++r) {
      curvature += di[r] * of_one[r];
      for (std::size_t c = 0; c < n; ++c) terms += std::abs(di[r] * one[c * n + r] * di[c]);
    }
    EXPECT_NEAR(curvature, slope, 1e-7 * terms);
  }
}

}  // namespace
