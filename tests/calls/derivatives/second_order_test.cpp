// Second derivatives of dynamics against hyper-dual numbers through RNEA, ABA and the rows' own kernels, and against
// differences of first derivatives.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "reference/decompositions.hpp"
#include "support/closure_scene.hpp"
#include "support/exact/hyper_dual.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = test_robots();
constexpr DerivativeOptions write{};

struct Second {
  Second(int n, int m) : qq(n, n), qv(n, n), vv(n, n), qx(n, n), q_desired(n, m) {}
  Hessian out() {
    const auto of = [](MatrixXd& x) { return DerivativeOut{x.data(), static_cast<int>(x.rows())}; };
    return {of(qq), of(qv), of(vv), of(qx), of(q_desired)};
  }
  // Along two directions, and the sizes of the terms of that.
  double along(const Direction& d, const Direction& e) const { return sum(*this, d, e); }
  double terms(const Direction& d, const Direction& e) const {
    Second sizes = *this;
    for (MatrixXd* x : {&sizes.qq, &sizes.qv, &sizes.vv, &sizes.qx}) *x = x->cwiseAbs();
    const auto size = [](const Direction& x) {
      return Direction{x.q.cwiseAbs(), x.v.cwiseAbs(), x.third.cwiseAbs()};
    };
    return sum(sizes, size(d), size(e));
  }
  static double sum(const Second& x, const Direction& d, const Direction& e) {
    return d.q.dot(x.qq * e.q) + d.q.dot(x.qv * e.v) + e.q.dot(x.qv * d.v) + d.v.dot(x.vv * e.v) +
           d.q.dot(x.qx * e.third) + e.q.dot(x.qx * d.third);
  }
  MatrixXd qq, qv, vv, qx, q_desired;
};

// Products with a change, and the same of the matrices.
struct Product {
  Product(int n, int m) : q(n), v(n), third(n), desired(m) {}
  Derivatives out() { return {{q.data()}, {v.data()}, {third.data()}}; }
  double along(const Direction& d) const { return q.dot(d.q) + v.dot(d.v) + third.dot(d.third); }
  static Product of(const Second& x, const Direction& d, const VectorXd& dk) {
    Product p(static_cast<int>(d.q.size()), static_cast<int>(dk.size()));
    p.q = x.qq * d.q + x.qv * d.v + x.qx * d.third + x.q_desired * dk;
    p.v = x.qv.transpose() * d.q + x.vv * d.v;
    p.third = x.qx.transpose() * d.q, p.desired = x.q_desired.transpose() * d.q;
    return p;
  }
  VectorXd q, v, third, desired;
};
StateChange change_of(const Direction& d) {
  return {d.q.data(), d.v.data(), d.third.data()};
}
void expect_same(const Product& found, const Second& matrices, const Direction& d, const VectorXd& dk,
                 double tolerance) {
  Second sizes = matrices;
  for (MatrixXd* x : {&sizes.qq, &sizes.qv, &sizes.vv, &sizes.qx, &sizes.q_desired}) *x = x->cwiseAbs();
  const Product expected = Product::of(matrices, d, dk),
                terms =
                    Product::of(sizes, {d.q.cwiseAbs(), d.v.cwiseAbs(), d.third.cwiseAbs()}, dk.cwiseAbs());
  const double scale = std::max({largest(terms.q), largest(terms.v), largest(terms.third)});
  EXPECT_LE(largest(found.q - expected.q), tolerance * scale);
  EXPECT_LE(largest(found.v - expected.v), tolerance * scale);
  EXPECT_LE(largest(found.third - expected.third), tolerance * scale);
  if (dk.size() > 0) {
    EXPECT_LE(largest(found.desired - expected.desired), tolerance * scale);
  }
}

Direction random_direction(Random& random, int n) {
  return {random_vector(random, n), random_vector(random, n), random_vector(random, n)};
}

struct Scene {
  explicit Scene(MovingTree& t_) : t(t_), w(t.w), n(t.nv()), weights(random_vector(t.random, n)) {
    inverse_in = {t.s.q.data(), t.s.v.data(), nullptr, t.s.wrenches.data(), nullptr, t.s.a.data()};
    forward_in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
  }
  MovingTree& t;
  Workspace& w;
  int n;
  VectorXd weights;
  Inputs<double> inverse_in, forward_in;
};

template <class Check>
void for_scenes(int count, int most_links, Check check) {
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, most_links);
    Scene scene(tree);
    check(scene);
  }
}

TEST(SecondDerivatives, OfInverseDynamicsAreThoseOfHyperDualNumbers) {
  for_scenes(robots, 30, [](Scene& s) {
    Second of(s.n, 0);
    ASSERT_EQ(inverse_dynamics_hessian(s.w, write, s.inverse_in, s.weights.data(), of.out()), Status::ok)
        << s.w.message();
    HyperDualDynamics exact(s.w, s.t.s.q, s.t.s.v, s.t.s.wrenches);
    const Direction one = random_direction(s.t.random, s.n), two = random_direction(s.t.random, s.n);
    const double expected = s.weights.dot(exact.inverse(s.t.s.a, one, two));
    EXPECT_LE(std::abs(of.along(one, two) - expected), 1e-12 * of.terms(one, two));
    Product product(s.n, 0);
    ASSERT_EQ(inverse_dynamics_hvp(s.w, write, s.inverse_in, s.weights.data(), change_of(two), product.out()),
              Status::ok);
    EXPECT_LE(std::abs(product.along(one) - expected), 1e-12 * of.terms(one, two));
    expect_same(product, of, two, VectorXd(0), 1e-12);
    EXPECT_LE(relative_error(of.qq, of.qq.transpose()), 0);
    EXPECT_LE(relative_error(of.vv, of.vv.transpose(), largest(of.vv)), 1e-13);
  });
}

TEST(SecondDerivatives, OfForwardDynamicsAreThoseOfHyperDualNumbers) {
  for_scenes(robots, 30, [](Scene& s) {
    Second of(s.n, 0);
    MatrixXd M(s.n, s.n), inverse(s.n, s.n);
    ASSERT_EQ(forward_dynamics_hessian(s.w, write, s.forward_in, s.weights.data(), of.out()), Status::ok)
        << s.w.message();
    ASSERT_EQ(inverse_dynamics_derivatives(s.w, write, s.inverse_in, nullptr, {{}, {}, {M.data(), s.n}}),
              Status::ok);
    HyperDualDynamics exact(s.w, s.t.s.q, s.t.s.v, s.t.s.wrenches);
    const Direction one = random_direction(s.t.random, s.n), two = random_direction(s.t.random, s.n);
    const double expected = s.weights.dot(exact.forward(s.t.s.tau, one, two));
    const double condition = reference::scaled_condition(M);
    EXPECT_LE(std::abs(of.along(one, two) - expected), 1e-12 * condition * of.terms(one, two));
    Product product(s.n, 0);
    ASSERT_EQ(forward_dynamics_hvp(s.w, write, s.forward_in, s.weights.data(), change_of(two), product.out()),
              Status::ok);
    EXPECT_LE(std::abs(product.along(one) - expected), 1e-12 * condition * of.terms(one, two));
    expect_same(product, of, two, VectorXd(0), 1e-12 * condition);
  });
}

// With rows: the number w^T qdd + z^T lambda along two directions is that of the residuals, - y^T r + b^T s, where the solution
// moves by its first derivatives.
template <class Check>
void for_rows(int count, SceneKind kind, bool closures, Check check) {
  int looked_at = 0;
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto s = solved_scene(static_cast<std::uint64_t>(seed), kind, closures, 20);
    if (!s) continue;
    Random random(static_cast<std::uint64_t>(seed) + 77);
    const int n = s->nv(), m = s->rows();
    const Inputs<double> in = {s->state.q.data(), s->state.v.data(), s->state.tau.data(),
                               s->state.wrenches.data(), s->desired.data()};
    const VectorXd w = random_vector(random, n), z = random_vector(random, m);
    Second of(n, m);
    const Status status = constrained_dynamics_hessian(s->workspace, write, in, w.data(), z.data(), of.out());
    if (status == Status::unsupported || status == Status::singular_configuration) continue;
    ASSERT_EQ(status, Status::ok) << s->workspace.message();
    check(*s, in, w, z, of, random);
    ++looked_at;
  }
  EXPECT_GT(looked_at, count / 10);
}

void expect_hyper_dual(ConstrainedScene& s, const Inputs<double>& in, const VectorXd& w, const VectorXd& z,
                       const Second& of, Random& random) {
  const int n = s.nv(), m = s.rows();
  Direction d[2] = {random_direction(random, n), random_direction(random, n)};
  VectorXd qdd(n), lambda(m), y(n), b(m), dqdd[2] = {VectorXd(n), VectorXd(n)},
                                          dlambda[2] = {VectorXd(m), VectorXd(m)};
  const VectorXd dk = random_vector(random, m);  // of the second direction
  ASSERT_EQ(constrained_dynamics_vjp(s.workspace, write, in, w.data(), z.data(), qdd.data(), lambda.data(),
                                     {{{}, {}, {y.data(), 0}}, {b.data(), 0}}),
            Status::ok);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(constrained_dynamics_jvp(
                  s.workspace, write, in,
                  {{d[i].q.data(), d[i].v.data(), d[i].third.data()}, i == 1 ? dk.data() : nullptr}, nullptr,
                  nullptr, dqdd[i].data(), dlambda[i].data()),
              Status::ok);
  }
  HyperDualDynamics exact(s.workspace, s.state.q, s.state.v, s.state.wrenches);
  const Direction one = {d[0].q, d[0].v, dqdd[0]}, two = {d[1].q, d[1].v, dqdd[1]};
  const ResidualChanges left = exact.constrained(qdd, lambda, s.desired, one, two, dlambda[0], dlambda[1]);
  const double expected = -y.dot(left.r) - b.dot(left.s);
  const double terms = y.cwiseAbs().dot(left.r.cwiseAbs()) + b.cwiseAbs().dot(left.s.cwiseAbs()) +
                       of.terms(d[0], d[1]) + d[0].q.cwiseAbs().dot(of.q_desired.cwiseAbs() * dk.cwiseAbs());
  EXPECT_LE(std::abs(of.along(d[0], d[1]) + d[0].q.dot(of.q_desired * dk) - expected), 1e-9 * terms);
  Product product(n, m);
  ASSERT_EQ(constrained_dynamics_hvp(s.workspace, write, in, w.data(), z.data(), {change_of(d[1]), dk.data()},
                                     {product.out(), {product.desired.data()}}),
            Status::ok)
      << s.workspace.message();
  EXPECT_LE(std::abs(product.along(d[0]) - expected), 1e-9 * terms);
  expect_same(product, of, d[1], dk, 1e-9);
}

TEST(SecondDerivatives, WithRowsAreThoseOfHyperDualNumbers) {
  for_rows(robots / 2, SceneKind::independent, false, expect_hyper_dual);
}
TEST(SecondDerivatives, WithSoftRowsAreThoseOfHyperDualNumbers) {
  for_rows(robots / 4, SceneKind::compliant, false, expect_hyper_dual);
}
TEST(SecondDerivatives, WithClosuresAreThoseOfHyperDualNumbers) {
  for_rows(robots / 4, SceneKind::independent, true, expect_hyper_dual);
}

// Where rows depend on each other qdd has them, lambda has none.
TEST(SecondDerivatives, ProductsWithDependentRowsAreThoseOfMatrices) {
  int looked_at = 0;
  for (int seed = 0; seed < robots / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto s = solved_scene(static_cast<std::uint64_t>(seed), SceneKind::redundant, false, 20);
    if (!s) continue;
    Random random(static_cast<std::uint64_t>(seed) + 78);
    const int n = s->nv(), m = s->rows();
    const Inputs<double> in = {s->state.q.data(), s->state.v.data(), s->state.tau.data(),
                               s->state.wrenches.data(), s->desired.data()};
    const VectorXd w = random_vector(random, n), dk = random_vector(random, m), one = VectorXd::Ones(m);
    const Direction d = random_direction(random, n);
    Second of(n, m);
    const Status status = constrained_dynamics_hessian(s->workspace, write, in, w.data(), nullptr, of.out());
    Product product(n, m);
    const auto multiply = [&](const double* z) {
      return constrained_dynamics_hvp(s->workspace, write, in, w.data(), z, {change_of(d), dk.data()},
                                      {product.out(), {product.desired.data()}});
    };
    EXPECT_EQ(multiply(nullptr), status);
    if (status != Status::ok) continue;
    expect_same(product, of, d, dk, 1e-8);
    EXPECT_EQ(multiply(one.data()), Status::unsupported);
    ++looked_at;
  }
  EXPECT_GT(looked_at, robots / 40);
}

}  // namespace
}  // namespace tenon::testing
