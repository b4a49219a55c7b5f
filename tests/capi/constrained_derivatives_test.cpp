// Derivatives of constrained dynamics through the C API: the order of arguments, by differences of its calls, and what is
// refused. Values are checked by the tests of the core.
#include <cmath>

#include "support.hpp"

using namespace tenon_test;

namespace {

class ConstrainedDerivatives : public ::testing::Test {
 protected:
  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  State s{model, w.get()};
  std::size_t nq = s.q.size(), nv = s.v.size(), m = 12;
  std::vector<double> desired = std::vector<double>(m, 0.5), lambda = std::vector<double>(m, 77.0);

  using Result = std::vector<double>;  // qdd, then lambda
  Result at(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau,
            const std::vector<double>& k) {
    std::vector<double> qdd(nv), forces(m);
    EXPECT_EQ(tenon_constrained_dynamics(w.get(), nullptr, q.data(), nq, v.data(), nv, tau.data(), nv,
                                         nullptr, 0, k.data(), m, qdd.data(), nv, forces.data(), m),
              TENON_OK)
        << tenon_workspace_message(w.get());
    qdd.insert(qdd.end(), forces.begin(), forces.end());
    return qdd;
  }
};

// Derivatives of qdd and lambda in one matrix by each input, with a row between the columns that stays as it is.
class SolutionMatrices {
 public:
  SolutionMatrices(std::size_t nv, std::size_t m) : nv_(nv), m_(m) {
    for (std::size_t l = 0; l < 4; ++l) x_[l].assign((nv + m + 1) * (l < 3 ? nv : m), 77.0);
  }
  tenon_status of(tenon_workspace* w, const double* q, std::size_t nq, const double* v, const double* tau,
                  const double* desired) const {
    const auto ld = static_cast<int32_t>(nv_ + m_ + 1);
    return tenon_constrained_solution_derivatives(w, nullptr, q, nq, v, nv_, tau, nv_, nullptr, 0, desired,
                                                  m_, nullptr, 0, nullptr, 0, x_[0].data(), x_[0].size(), ld,
                                                  x_[1].data(), x_[1].size(), ld, x_[2].data(), x_[2].size(),
                                                  ld, x_[3].data(), x_[3].size(), ld);
  }
  std::vector<double> upper(std::size_t l) const { return rows(l, 0, nv_); }
  std::vector<double> lower(std::size_t l) const { return rows(l, nv_, nv_ + m_); }

 private:
  std::vector<double> rows(std::size_t l, std::size_t first, std::size_t end) const {
    std::vector<double> found;
    for (std::size_t begin = 0; begin < x_[l].size(); begin += nv_ + m_ + 1) {
      for (std::size_t r = first; r < end; ++r) found.push_back(x_[l][begin + r]);
      EXPECT_EQ(x_[l][begin + nv_ + m_], 77.0);
    }
    return found;
  }
  std::size_t nv_, m_;
  mutable std::vector<double> x_[4];
};

TEST_F(ConstrainedDerivatives, AreSlopesOfCalls) {
  ASSERT_EQ(tenon_constraints_row_count(set.get()), static_cast<int32_t>(m));
  ASSERT_EQ(tenon_workspace_anchor_here(w.get(), s.q.data(), nq), TENON_OK);
  const auto n = static_cast<int32_t>(nv);
  std::vector<double> qdd(nv), q_q(nv * nv), q_v(nv * nv), q_tau(nv * nv), q_k(nv * m);
  ASSERT_EQ(tenon_constrained_dynamics_derivatives(
                w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0,
                desired.data(), m, qdd.data(), nv, lambda.data(), m, q_q.data(), q_q.size(), n, q_v.data(),
                q_v.size(), n, q_tau.data(), q_tau.size(), n, q_k.data(), q_k.size(), n),
            TENON_OK)
      << tenon_workspace_message(w.get());
  const SolutionMatrices all(nv, m);
  ASSERT_EQ(all.of(w.get(), s.q.data(), nq, s.v.data(), s.tau.data(), desired.data()), TENON_OK);
  EXPECT_EQ(all.upper(0), q_q);
  EXPECT_EQ(all.upper(1), q_v);
  EXPECT_EQ(all.upper(2), q_tau);
  EXPECT_EQ(all.upper(3), q_k);
  const std::vector<double> l_q = all.lower(0), l_v = all.lower(1), l_tau = all.lower(2), l_k = all.lower(3);
  const double h = 1e-6;
  const auto expect_column = [&](std::size_t k, const Result& above, const Result& below,
                                 const std::vector<double>& of_qdd, const std::vector<double>& of_lambda) {
    for (std::size_t i = 0; i < nv; ++i)
      EXPECT_NEAR(of_qdd[k * nv + i], (above[i] - below[i]) / (2 * h), 1e-6 * (1 + largest(of_qdd)));
    for (std::size_t i = 0; i < m; ++i)
      EXPECT_NEAR(of_lambda[k * m + i], (above[nv + i] - below[nv + i]) / (2 * h),
                  1e-6 * (1 + largest(of_lambda)));
  };
  for (std::size_t k = 0; k < nv; ++k) {
    Result sides[3][2];
    for (int side = 0; side < 2; ++side) {
      const double step = side == 0 ? h : -h;
      std::vector<double> q(nq), move(nv, 0.0), v = s.v, tau = s.tau;
      move[k] = step, v[k] += step, tau[k] += step;
      EXPECT_EQ(tenon_integrate(w.get(), s.q.data(), nq, move.data(), nv, 1, q.data(), nq), TENON_OK);
      sides[0][side] = at(q, s.v, s.tau, desired), sides[1][side] = at(s.q, v, s.tau, desired);
      sides[2][side] = at(s.q, s.v, tau, desired);
    }
    expect_column(k, sides[0][0], sides[0][1], q_q, l_q);
    expect_column(k, sides[1][0], sides[1][1], q_v, l_v);
    expect_column(k, sides[2][0], sides[2][1], q_tau, l_tau);
  }
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> above = desired, below = desired;
    above[k] += h, below[k] -= h;
    expect_column(k, at(s.q, s.v, s.tau, above), at(s.q, s.v, s.tau, below), q_k, l_k);
  }
  // Products with one entry are rows and columns of the matrices.
  std::vector<double> gradient(nv, 0.0), force(m, 0.0), g_q(nv), g_v(nv), g_tau(nv), g_k(m);
  gradient[7] = 1, force[3] = 2;
  ASSERT_EQ(tenon_constrained_dynamics_vjp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                           nullptr, 0, desired.data(), m, gradient.data(), nv, force.data(),
                                           m, nullptr, 0, nullptr, 0, g_q.data(), nv, g_v.data(), nv,
                                           g_tau.data(), nv, g_k.data(), m),
            TENON_OK);
  const double scale = largest(q_q) + largest(l_q) + largest(l_k);
  for (std::size_t k = 0; k < nv; ++k) {
    EXPECT_NEAR(g_q[k], q_q[k * nv + 7] + 2 * l_q[k * m + 3], 1e-9 * scale);
    EXPECT_NEAR(g_v[k], q_v[k * nv + 7] + 2 * l_v[k * m + 3], 1e-9 * scale);
    EXPECT_NEAR(g_tau[k], q_tau[k * nv + 7] + 2 * l_tau[k * m + 3], 1e-9 * scale);
  }
  for (std::size_t k = 0; k < m; ++k) EXPECT_NEAR(g_k[k], q_k[k * nv + 7] + 2 * l_k[k * m + 3], 1e-9 * scale);
  std::vector<double> change(nv, 0.0), turn(nv, 0.0), faster(m, 0.0), dqdd(nv), dlambda(m);
  change[5] = 1, turn[9] = 2, faster[4] = 3;
  ASSERT_EQ(tenon_constrained_dynamics_jvp(w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv,
                                           nullptr, 0, desired.data(), m, change.data(), nv, turn.data(), nv,
                                           change.data(), nv, faster.data(), m, nullptr, 0, nullptr, 0,
                                           dqdd.data(), nv, dlambda.data(), m),
            TENON_OK);
  for (std::size_t i = 0; i < nv; ++i)
    EXPECT_NEAR(dqdd[i], q_q[5 * nv + i] + 2 * q_v[9 * nv + i] + q_tau[5 * nv + i] + 3 * q_k[4 * nv + i],
                1e-9 * scale);
  for (std::size_t i = 0; i < m; ++i)
    EXPECT_NEAR(dlambda[i], l_q[5 * m + i] + 2 * l_v[9 * m + i] + l_tau[5 * m + i] + 3 * l_k[4 * m + i],
                1e-9 * scale);
}

TEST_F(ConstrainedDerivatives, RefuseWhatIsWrong) {
  std::vector<double> out((nv + m) * nv, 77.0);
  const auto rows = static_cast<int32_t>(nv + m);
  const auto call = [&](std::size_t count, int32_t ld) {
    return tenon_constrained_solution_derivatives(
        w.get(), nullptr, s.q.data(), nq, s.v.data(), nv, s.tau.data(), nv, nullptr, 0, nullptr, 0, nullptr,
        0, nullptr, 0, out.data(), count, ld, nullptr, 0, 0, nullptr, 0, 0, nullptr, 0, 0);
  };
  EXPECT_EQ(call(out.size() - 1, rows), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_workspace_message(w.get())).find("dx_dq"), std::string::npos);
  EXPECT_EQ(call(out.size(), rows - 1), TENON_WRONG_SIZE);
  EXPECT_EQ(out, std::vector<double>((nv + m) * nv, 77.0));
  EXPECT_EQ(call(out.size(), rows), TENON_OK) << tenon_workspace_message(w.get());
}

// States of a batch, with feet of their own in the air, and what derivatives are multiplied with.
class BatchesWithRows : public ConstrainedDerivatives {
 protected:
  static constexpr std::size_t states = 19;

  BatchesWithRows() {
    const auto add = [](std::vector<double>& all, const std::vector<double>& one) {
      all.insert(all.end(), one.begin(), one.end());
    };
    for (std::size_t i = 0; i < states; ++i) {
      const State one(model, w.get(), i + 1);
      add(q, one.q), add(v, one.v), add(tau, one.tau);
      for (std::size_t r = 0; r < m; ++r) k.push_back(std::cos(static_cast<double>(i * m + r)));
      for (std::size_t j = 0; j < nv; ++j) x.push_back(std::sin(static_cast<double>(i * nv + j)));
      for (std::size_t r = 0; r < m; ++r) y.push_back(std::sin(static_cast<double>(3 * i * m + r)));
      active.push_back(i % 3 != 0), active.push_back(i % 2 != 0);
    }
    qs = rows_of(q, nq), vs = rows_of(v, nv), ts = rows_of(tau, nv), ks = rows_of(k, m), xs = rows_of(x, nv),
    ys = rows_of(y, m);
    const auto on = rows_of(active, 2);
    EXPECT_EQ(tenon_batch_anchor_here(b.get(), states, &qs, nullptr, 0), TENON_OK);
    EXPECT_EQ(tenon_batch_set_active(b.get(), states, &on), TENON_OK);
  }
  // The workspace := what state i has.
  void take(std::size_t i) {
    ASSERT_EQ(tenon_workspace_anchor_here(w.get(), &q[i * nq], nq), TENON_OK);
    for (int32_t c = 0; c < 2; ++c)
      ASSERT_EQ(tenon_workspace_set_active(w.get(), c, active[2 * i + static_cast<std::size_t>(c)] != 0),
                TENON_OK);
  }

  const Batch b = batch(model, set);
  std::vector<double> q, v, tau, k, x, y, active;
  tenon_batch_array qs, vs, ts, ks, xs, ys;
};

// Of numbers that a pack and a single call computed, over the largest.
double apart(const std::vector<double>& single, const double* packed) {
  return largest_difference(single, std::vector<double>(packed, packed + single.size())) /
         std::max(1e-9, largest(single));
}

// To the bit.
TEST_F(BatchesWithRows, ProductsAreThoseOfSingleCalls) {
  std::vector<double> of_v[5], of_m[4];
  for (auto& list : of_v) list.assign(states * nv, 77);
  for (auto& list : of_m) list.assign(states * m, 77);
  const auto qdd = rows_of(of_v[0], nv), g_q = rows_of(of_v[1], nv), g_v = rows_of(of_v[2], nv),
             g_t = rows_of(of_v[3], nv), dqdd = rows_of(of_v[4], nv), lambdas = rows_of(of_m[0], m),
             g_k = rows_of(of_m[1], m), dlambda = rows_of(of_m[2], m), again = rows_of(of_m[3], m);
  std::vector<int32_t> status(states, 77);
  ASSERT_EQ(
      tenon_batch_constrained_dynamics_vjp(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &ks, &xs, &ys,
                                           &qdd, &lambdas, &g_q, &g_v, &g_t, &g_k, status.data(), states),
      TENON_OK)
      << tenon_batch_message(b.get());
  ASSERT_EQ(tenon_batch_constrained_dynamics_jvp(b.get(), nullptr, states, &qs, &vs, &ts, nullptr, &ks, &xs,
                                                 &vs, &ts, &ys, nullptr, &again, &dqdd, &dlambda, nullptr, 0),
            TENON_OK);
  EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
  EXPECT_EQ(of_m[3], of_m[0]);
  for (std::size_t i = 0; i < states; ++i) {
    SCOPED_TRACE(i);
    const double *qi = &q[i * nq], *vi = &v[i * nv], *ti = &tau[i * nv], *ki = &k[i * m], *xi = &x[i * nv],
                 *yi = &y[i * m];
    take(i);
    std::vector<double> one_v[5], one_m[3];
    for (auto& list : one_v) list.assign(nv, 0);
    for (auto& list : one_m) list.assign(m, 0);
    ASSERT_EQ(
        tenon_constrained_dynamics_vjp(w.get(), nullptr, qi, nq, vi, nv, ti, nv, nullptr, 0, ki, m, xi, nv,
                                       yi, m, one_v[0].data(), nv, one_m[0].data(), m, one_v[1].data(), nv,
                                       one_v[2].data(), nv, one_v[3].data(), nv, one_m[1].data(), m),
        TENON_OK);
    ASSERT_EQ(tenon_constrained_dynamics_jvp(w.get(), nullptr, qi, nq, vi, nv, ti, nv, nullptr, 0, ki, m, xi,
                                             nv, vi, nv, ti, nv, yi, m, nullptr, 0, nullptr, 0,
                                             one_v[4].data(), nv, one_m[2].data(), m),
              TENON_OK);
    for (std::size_t l = 0; l < 5; ++l) EXPECT_LE(apart(one_v[l], &of_v[l][i * nv]), 1e-9) << l;
    for (std::size_t l = 0; l < 3; ++l) EXPECT_LE(apart(one_m[l], &of_m[l][i * m]), 1e-9) << l;
  }
}

// One behind the other and as blocks of larger matrices, written and added to; nothing between is touched.
TEST_F(BatchesWithRows, MatricesAreThoseOfSingleCalls) {
  struct Size {
    std::size_t rows, columns;
  };
  const Size sizes[8] = {{nv, nv}, {nv, nv}, {nv, nv}, {nv, m}, {m, nv}, {m, nv}, {m, nv}, {m, m}};
  std::vector<double> plain[8], wide[8], value(states * nv, 77.0), forces(states * m, 77.0);
  tenon_batch_array to[8], block[8];
  for (std::size_t l = 0; l < 8; ++l) {
    const auto [rows, columns] = sizes[l];
    plain[l].assign(states * rows * columns, 77.0);
    to[l] = rows_of(plain[l], rows * columns);
    const std::size_t apart = rows + 3, gap = apart * (columns + 1);
    wide[l].assign(states * gap, 0.5);
    block[l] =
        strided(wide[l], rows * columns, 1, static_cast<ptrdiff_t>(gap), static_cast<ptrdiff_t>(apart));
  }
  const auto values = rows_of(value, nv), lambdas = rows_of(forces, m);
  const auto compute = [&](const tenon_derivative_options* options, const tenon_batch_array* a,
                           int32_t* status) {
    return tenon_batch_constrained_dynamics_derivatives(b.get(), options, states, &qs, &vs, &ts, nullptr, &ks,
                                                        &values, &lambdas, &a[0], &a[1], &a[2], &a[3], &a[4],
                                                        &a[5], &a[6], &a[7], status, status ? states : 0);
  };
  std::vector<int32_t> status(states, 77);
  ASSERT_EQ(compute(nullptr, to, status.data()), TENON_OK) << tenon_batch_message(b.get());
  EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
  const auto adds = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  ASSERT_EQ(compute(adds, block, nullptr), TENON_OK) << tenon_batch_message(b.get());
  const auto ld = static_cast<int32_t>(nv);
  for (std::size_t i = 0; i < states; ++i) {
    SCOPED_TRACE(i);
    const double *qi = &q[i * nq], *vi = &v[i * nv], *ti = &tau[i * nv], *ki = &k[i * m];
    take(i);
    std::vector<double> one[8], qdd(nv), lambda_i(m);
    for (std::size_t l = 0; l < 8; ++l) one[l].assign(sizes[l].rows * sizes[l].columns, 77.0);
    ASSERT_EQ(tenon_constrained_dynamics_derivatives(
                  w.get(), nullptr, qi, nq, vi, nv, ti, nv, nullptr, 0, ki, m, qdd.data(), nv,
                  lambda_i.data(), m, one[0].data(), one[0].size(), ld, one[1].data(), one[1].size(), ld,
                  one[2].data(), one[2].size(), ld, one[3].data(), one[3].size(), ld),
              TENON_OK);
    const SolutionMatrices all(nv, m);
    ASSERT_EQ(all.of(w.get(), qi, nq, vi, ti, ki), TENON_OK);
    for (std::size_t l = 0; l < 4; ++l) one[4 + l] = all.lower(l);
    EXPECT_LE(apart(qdd, &value[i * nv]), 1e-9);
    EXPECT_LE(apart(lambda_i, &forces[i * m]), 1e-9);
    for (std::size_t l = 0; l < 8; ++l) {
      SCOPED_TRACE(l);
      const auto [rows, columns] = sizes[l];
      EXPECT_LE(apart(one[l], &plain[l][i * rows * columns]), 1e-9);
      const std::size_t line = rows + 3, gap = line * (columns + 1);
      for (std::size_t e = 0; e < gap; ++e) {
        const std::size_t row = e % line, column = e / line;
        const bool inside = row < rows && column < columns;
        ASSERT_EQ(wide[l][i * gap + e],
                  inside ? 0.5 + plain[l][i * rows * columns + column * rows + row] : 0.5);
      }
    }
  }
}

// Singles, alone or with all, only what is wanted, robots without constraints, and what is refused.
TEST_F(BatchesWithRows, TakeWhatIsWanted) {
  const Batch singles = batch(model, set, 1, TENON_PRECISION_SINGLE);
  const auto floats = [](const std::vector<double>& all) {
    return std::vector<float>(all.begin(), all.end());
  };
  std::vector<float> qf = floats(q), vf = floats(v), tf = floats(tau), found(states * m * nv, 77.0F);
  std::vector<double> wanted(states * m * nv, 77.0), wrong(states * m * m);
  const auto ask = [&](tenon_batch* any, const tenon_batch_array& q_, const tenon_batch_array& v_,
                       const tenon_batch_array& t_, const tenon_batch_array& by_v) {
    return tenon_batch_constrained_dynamics_derivatives(any, nullptr, states, &q_, &v_, &t_, nullptr, nullptr,
                                                        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                                        nullptr, &by_v, nullptr, nullptr, nullptr, 0);
  };
  const auto q_f = rows_of(qf, nq), v_f = rows_of(vf, nv), t_f = rows_of(tf, nv), f = rows_of(found, m * nv),
             d = rows_of(wanted, m * nv), short_ = rows_of(wrong, m * m);
  ASSERT_EQ(ask(b.get(), qs, vs, ts, d), TENON_OK) << tenon_batch_message(b.get());
  EXPECT_EQ(ask(b.get(), qs, vs, ts, short_), TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("dlambda_dv"), std::string::npos);
  ASSERT_EQ(tenon_batch_anchor_here(singles.get(), states, &q_f, nullptr, 0), TENON_OK);
  std::vector<float> on = floats(active);
  const auto ons = rows_of(on, 2);
  ASSERT_EQ(tenon_batch_set_active(singles.get(), states, &ons), TENON_OK);
  ASSERT_EQ(ask(singles.get(), q_f, v_f, t_f, f), TENON_OK) << tenon_batch_message(singles.get());
  const double scale = largest(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 1e-3 * scale);
  const Batch alone = batch(model);
  std::vector<double> by_q(states * nv * nv, 77.0), same(by_q);
  const auto a = rows_of(by_q, nv * nv), c = rows_of(same, nv * nv);
  ASSERT_EQ(tenon_batch_constrained_dynamics_derivatives(
                alone.get(), nullptr, states, &qs, &vs, &ts, nullptr, nullptr, nullptr, nullptr, &a, nullptr,
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(alone.get());
  ASSERT_EQ(tenon_batch_forward_dynamics_derivatives(alone.get(), nullptr, states, &qs, &vs, &ts, nullptr,
                                                     nullptr, &c, nullptr, nullptr, nullptr, 0),
            TENON_OK);
  for (std::size_t i = 0; i < by_q.size(); ++i) ASSERT_NEAR(by_q[i], same[i], 1e-9 * largest(same));
}

TEST_F(BatchesWithRows, OfStepsAreThoseOfSingleCalls) {
  constexpr double dt = 0.01;
  for (const StepCalls& of : step_calls) {
    std::vector<double> next(states * nq, 77), of_v[6];
    for (auto& list : of_v) list.assign(states * nv, 77);
    const auto end_q = rows_of(next, nq), end_v = rows_of(of_v[0], nv), g_q = rows_of(of_v[1], nv),
               g_v = rows_of(of_v[2], nv), g_t = rows_of(of_v[3], nv), d_q = rows_of(of_v[4], nv),
               d_v = rows_of(of_v[5], nv);
    std::vector<int32_t> status(states, 77);
    ASSERT_EQ(of.batch_vjp(b.get(), nullptr, states, dt, &qs, &vs, &ts, nullptr, &xs, &vs, &end_q, &end_v,
                           &g_q, &g_v, &g_t, status.data(), states),
              TENON_OK)
        << tenon_batch_message(b.get());
    ASSERT_EQ(of.batch_jvp(b.get(), nullptr, states, dt, &qs, &vs, &ts, nullptr, &xs, &vs, &ts, nullptr,
                           nullptr, &d_q, &d_v, nullptr, 0),
              TENON_OK);
    EXPECT_EQ(status, std::vector<int32_t>(states, TENON_OK));
    for (std::size_t i = 0; i < states; ++i) {
      SCOPED_TRACE(i);
      const double *qi = &q[i * nq], *vi = &v[i * nv], *ti = &tau[i * nv], *xi = &x[i * nv];
      take(i);
      std::vector<double> one(nq), one_v[6];
      for (auto& list : one_v) list.assign(nv, 0);
      ASSERT_EQ(
          of.vjp(w.get(), nullptr, dt, qi, nq, vi, nv, ti, nv, nullptr, 0, xi, nv, vi, nv, one.data(), nq,
                 one_v[0].data(), nv, one_v[1].data(), nv, one_v[2].data(), nv, one_v[3].data(), nv),
          TENON_OK);
      ASSERT_EQ(of.jvp(w.get(), nullptr, dt, qi, nq, vi, nv, ti, nv, nullptr, 0, xi, nv, vi, nv, ti, nv,
                       nullptr, 0, nullptr, 0, one_v[4].data(), nv, one_v[5].data(), nv),
                TENON_OK);
      EXPECT_LE(apart(one, &next[i * nq]), 1e-9);
      for (std::size_t l = 0; l < 6; ++l) EXPECT_LE(apart(one_v[l], &of_v[l][i * nv]), 1e-9) << l;
      // The step itself, by another method.
      std::vector<double> by_step(qi, qi + nq), v_by_step(vi, vi + nv);
      ASSERT_EQ(of.step(w.get(), nullptr, dt, by_step.data(), nq, v_by_step.data(), nv, ti, nv, nullptr, 0,
                        nullptr, 0, nullptr, 0),
                TENON_OK);
      for (std::size_t j = 0; j < nv; ++j) EXPECT_NEAR(v_by_step[j], one_v[0][j], 1e-7);
      for (std::size_t j = 0; j < nq; ++j) EXPECT_NEAR(by_step[j], one[j], 1e-9);
    }
  }
}

// Against products of steps, one after the other.
TEST_F(BatchesWithRows, GradientsThroughRolloutsAreThoseOfSteps) {
  constexpr std::size_t steps = 4, records = 2;
  for (const StepCalls& of : step_calls) {
    const auto given = options_of(tenon_rollout_options_init, [&](auto& o) {
      o.integrator = of.integrator, o.steps = steps, o.every = 2, o.dt = 0.01;
    });
    std::vector<double> weights(states * records * nv), by_q(states * nv, 77), by_v(by_q),
        by_tau(states * steps * nv, 77);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(0.7 * static_cast<double>(i));
    const auto row = static_cast<ptrdiff_t>(nv);
    const auto w_v = strided(weights, nv, 1, records * row, row), g_q = rows_of(by_q, nv),
               g_v = rows_of(by_v, nv), g_t = strided(by_tau, nv, 1, steps * row, row);
    ASSERT_EQ(tenon_batch_rollout_vjp(b.get(), given, states, &qs, &vs, &ts, nullptr, nullptr, &w_v, &g_q,
                                      &g_v, &g_t, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    for (std::size_t i = 0; i < states; ++i) {
      SCOPED_TRACE(i);
      take(i);
      std::vector<double> path_q[steps + 1], path_v[steps + 1];
      path_q[0].assign(&q[i * nq], &q[i * nq] + nq), path_v[0].assign(&v[i * nv], &v[i * nv] + nv);
      const double* ti = &tau[i * nv];
      for (std::size_t step = 0; step < steps; ++step) {
        path_q[step + 1] = path_q[step], path_v[step + 1] = path_v[step];
        ASSERT_EQ(of.step(w.get(), nullptr, 0.01, path_q[step + 1].data(), nq, path_v[step + 1].data(), nv,
                          ti, nv, nullptr, 0, nullptr, 0, nullptr, 0),
                  TENON_OK);
      }
      std::vector<double> a(nv), c(nv), of_tau(nv);
      for (std::size_t step = steps; step-- > 0;) {
        for (std::size_t j = 0; step % 2 == 1 && j < nv; ++j)
          c[j] += weights[(i * records + step / 2) * nv + j];
        const std::vector<double> next_a = a, next_c = c;
        ASSERT_EQ(of.vjp(w.get(), nullptr, 0.01, path_q[step].data(), nq, path_v[step].data(), nv, ti, nv,
                         nullptr, 0, next_a.data(), nv, next_c.data(), nv, nullptr, 0, nullptr, 0, a.data(),
                         nv, c.data(), nv, of_tau.data(), nv),
                  TENON_OK);
        EXPECT_LE(apart(of_tau, &by_tau[(i * steps + step) * nv]), 1e-9) << step;
      }
      EXPECT_LE(apart(a, &by_q[i * nv]), 1e-9);
      EXPECT_LE(apart(c, &by_v[i * nv]), 1e-9);
    }
  }
}

TEST_F(BatchesWithRows, GradientsThroughRolloutsRefuseWhatIsWrong) {
  std::vector<double> out(states * 4 * nv, 77);
  const auto g = rows_of(out, nv);
  const auto call = [&](const tenon_rollout_options* how, const tenon_batch_array* weight,
                        const tenon_batch_array* of_q, const tenon_batch_array* of_tau) {
    return tenon_batch_rollout_vjp(b.get(), how, states, &qs, &vs, &ts, nullptr, weight, nullptr, of_q,
                                   nullptr, of_tau, nullptr, 0);
  };
  const auto refused = [&](tenon_status status, tenon_status expected, const char* what) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(tenon_batch_message(b.get())).find(what), std::string::npos)
        << tenon_batch_message(b.get());
  };
  refused(call(options_of(tenon_rollout_options_init, [](auto& o) { o.integrator = 2; }), &vs, &g, nullptr),
          TENON_INVALID_ARGUMENT, "tenon_rollout_options: integrator");
  // Of more steps than places.
  const auto four = options_of(tenon_rollout_options_init, [](auto& o) { o.steps = 4; });
  refused(call(four, nullptr, nullptr, &g), TENON_WRONG_SIZE, "gradient_tau");
  refused(call(nullptr, &qs, &g, nullptr), TENON_WRONG_SIZE, "record_gradient_q");
  x[0] = std::nan("");
  refused(call(nullptr, &xs, &g, nullptr), TENON_NOT_FINITE, "state 0: record_gradient_q");
  for (std::size_t j = 0; j < nv; ++j) EXPECT_EQ(out[j], 77);
}

}  // namespace
