// Products with second derivatives through the C API: against the matrices, whose values the tests of the core check, and
// what they refuse.
#include <cmath>
#include <limits>

#include "support.hpp"

using namespace tenon_test;

namespace {

class HessianProducts : public ::testing::Test {
 protected:
  HessianProducts() {
    const auto fill = [](std::vector<double>& list, std::size_t count, double rate) {
      for (std::size_t i = 0; i < count; ++i) list.push_back(std::sin(rate * static_cast<double>(i + 1)));
    };
    fill(weight, nv, 0.7), fill(dq, nv, 1.3), fill(dv, nv, 1.9), fill(dx, nv, 2.3);
    fill(desired, m, 0.4), fill(of_rows, m, 1.1), fill(dk, m, 1.7);
    for (std::size_t l = 0; l < 5; ++l) H[l].assign(nv * (l < 4 ? nv : m), 77.0);
    for (std::size_t l = 0; l < 4; ++l) product[l].assign(l < 3 ? nv : m, 0.5);
  }
  // Row i or column i of a matrix times x.
  double row(std::size_t l, std::size_t i, const std::vector<double>& by) const {
    double sum = 0;
    for (std::size_t k = 0; k < by.size(); ++k) sum += H[l][k * nv + i] * by[k];
    return sum;
  }
  double column(std::size_t l, std::size_t k, const std::vector<double>& by) const {
    double sum = 0;
    for (std::size_t i = 0; i < nv; ++i) sum += H[l][k * nv + i] * by[i];
    return sum;
  }
  // H has qq, qv, vv, q and the third, q and the desired ones; start: what the products began with.
  void expect_products(bool with_rows, double start) const {
    const double near = 1e-9 * (largest(H[0]) + largest(H[1]) + largest(H[2]) + largest(H[3]));
    for (std::size_t i = 0; i < nv; ++i) {
      const double by_rows = with_rows ? row(4, i, dk) : 0;
      EXPECT_NEAR(product[0][i], start + row(0, i, dq) + row(1, i, dv) + row(3, i, dx) + by_rows, near);
      EXPECT_NEAR(product[1][i], start + column(1, i, dq) + row(2, i, dv), near);
      EXPECT_NEAR(product[2][i], start + column(3, i, dq), near);
    }
    for (std::size_t r = 0; with_rows && r < m; ++r)
      EXPECT_NEAR(product[3][r], start + column(4, r, dq), near);
  }
  tenon_status constrained(const tenon_derivative_options* how) {
    return tenon_constrained_dynamics_hvp(w.get(), how, q, nq, v, nv, x, nv, nullptr, 0, desired.data(), m,
                                          weight.data(), nv, of_rows.data(), m, dq.data(), nv, dv.data(), nv,
                                          dx.data(), nv, dk.data(), m, product[0].data(), nv,
                                          product[1].data(), nv, product[2].data(), nv, product[3].data(), m);
  }

  Model model = load("go1", TENON_BASE_FLOATING);
  Constraints set = welds(model, {"FR_calf", "RL_calf"});
  Workspace w = workspace(model, set);
  State s{model, w.get()};
  const std::size_t nq = s.q.size(), nv = s.v.size(), m = 12;
  const double *q = s.q.data(), *v = s.v.data(), *x = s.tau.data();
  const int32_t ld = static_cast<int32_t>(nv);
  std::vector<double> weight, dq, dv, dx, desired, of_rows, dk, H[5], product[4];
};

TEST_F(HessianProducts, AreThoseOfMatrices) {
  const std::size_t n = nv * nv;
  for (const bool inverse : {true, false}) {
    const auto matrices = inverse ? tenon_inverse_dynamics_hessian : tenon_forward_dynamics_hessian;
    const auto products = inverse ? tenon_inverse_dynamics_hvp : tenon_forward_dynamics_hvp;
    ASSERT_EQ(matrices(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, weight.data(), nv, H[0].data(), n,
                       ld, H[1].data(), n, ld, H[2].data(), n, ld, H[3].data(), n, ld),
              TENON_OK);
    ASSERT_EQ(products(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, weight.data(), nv, dq.data(), nv,
                       dv.data(), nv, dx.data(), nv, product[0].data(), nv, product[1].data(), nv,
                       product[2].data(), nv),
              TENON_OK)
        << tenon_workspace_message(w.get());
    expect_products(false, 0);
    // Of one change alone.
    ASSERT_EQ(products(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, weight.data(), nv, nullptr, 0,
                       dv.data(), nv, nullptr, 0, product[0].data(), nv, nullptr, 0, nullptr, 0),
              TENON_OK);
    for (std::size_t i = 0; i < nv; ++i)
      EXPECT_NEAR(product[0][i], row(1, i, dv), 1e-9 * (largest(H[0]) + largest(H[1])));
  }
}

TEST_F(HessianProducts, WithRowsAreThoseOfMatrices) {
  const std::size_t n = nv * nv;
  ASSERT_EQ(tenon_constrained_dynamics_hessian(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0,
                                               desired.data(), m, weight.data(), nv, of_rows.data(), m,
                                               H[0].data(), n, ld, H[1].data(), n, ld, H[2].data(), n, ld,
                                               H[3].data(), n, ld, H[4].data(), nv * m, ld),
            TENON_OK);
  const auto adds = options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; });
  for (const double start : {0.0, 0.5}) {
    for (auto& p : product) p.assign(p.size(), 0.5);
    ASSERT_EQ(constrained(start == 0 ? nullptr : static_cast<const tenon_derivative_options*>(adds)),
              TENON_OK)
        << tenon_workspace_message(w.get());
    expect_products(true, start);
  }
  // Without constraints they are those of forward dynamics, and a gradient that is missing is zero.
  const Workspace alone = workspace(model);
  std::vector<double> one(nv), two(nv);
  const auto free = [&](const double* gradient, double* to) {
    return tenon_constrained_dynamics_hvp(alone.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, nullptr, 0,
                                          gradient, gradient ? nv : 0, nullptr, 0, dq.data(), nv, dv.data(),
                                          nv, dx.data(), nv, nullptr, 0, to, nv, nullptr, 0, nullptr, 0,
                                          nullptr, 0);
  };
  ASSERT_EQ(free(weight.data(), one.data()), TENON_OK) << tenon_workspace_message(alone.get());
  ASSERT_EQ(tenon_forward_dynamics_hvp(alone.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, weight.data(),
                                       nv, dq.data(), nv, dv.data(), nv, dx.data(), nv, two.data(), nv,
                                       nullptr, 0, nullptr, 0),
            TENON_OK);
  EXPECT_EQ(one, two);
  ASSERT_EQ(free(nullptr, one.data()), TENON_OK);
  EXPECT_EQ(largest(one), 0);
}

TEST_F(HessianProducts, WhatIsWrongIsRefused) {
  const auto refused = [&](tenon_status expected, const char* words) {
    EXPECT_EQ(constrained(nullptr), expected);
    EXPECT_NE(std::string(tenon_workspace_message(w.get())).find(words), std::string::npos)
        << tenon_workspace_message(w.get()) << " / " << words;
    EXPECT_EQ(product[0], std::vector<double>(nv, 0.5));
    EXPECT_EQ(product[3], std::vector<double>(m, 0.5));
  };
  dk[2] = std::nan("");
  refused(TENON_NOT_FINITE, "ddesired[2] is NaN");
  dk[2] = 0, dq[1] = std::numeric_limits<double>::infinity();
  refused(TENON_NOT_FINITE, "dq[1] is infinite");
  dq[1] = 0;
  EXPECT_EQ(
      tenon_inverse_dynamics_hvp(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, nullptr, 0, dq.data(), nv,
                                 nullptr, 0, nullptr, 0, product[0].data(), nv, nullptr, 0, nullptr, 0),
      TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_inverse_dynamics_hvp(w.get(), nullptr, q, nq, v, nv, x, nv, nullptr, 0, weight.data(), nv,
                                       dq.data(), nv - 1, nullptr, 0, nullptr, 0, product[0].data(), nv,
                                       nullptr, 0, nullptr, 0),
            TENON_WRONG_SIZE);
  const Model loops = load("four_bar");
  const Workspace other = workspace(loops);
  std::vector<double> zero(3, 0.0), out(3, 77.0);
  EXPECT_EQ(tenon_forward_dynamics_hvp(other.get(), nullptr, zero.data(), 3, zero.data(), 3, zero.data(), 3,
                                       nullptr, 0, zero.data(), 3, zero.data(), 3, nullptr, 0, nullptr, 0,
                                       out.data(), 3, nullptr, 0, nullptr, 0),
            TENON_UNSUPPORTED);
  EXPECT_NE(std::string(tenon_workspace_message(other.get())).find("set independent velocities"),
            std::string::npos)
      << tenon_workspace_message(other.get());
  EXPECT_EQ(out, std::vector<double>(3, 77.0));
}

}  // namespace
