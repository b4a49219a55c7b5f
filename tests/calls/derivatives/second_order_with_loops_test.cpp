// Second derivatives of models with embedded loops: differences of whole calls of gradients along motions that keep loops
// closed, in both kinds of coordinates; products against matrices and each other; the same loops by rows.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(25, test_robots() / 2);
constexpr DerivativeOptions write{};

DerivativeOut to(MatrixXd& x) {
  return {x.data(), static_cast<int>(x.rows())};
}
DerivativeOut to(VectorXd& x) {
  return {x.data(), 0};
}

enum class Function { inverse, forward, constrained };

// A change of the state and of what acts, and products with it, in the coordinates of a workspace.
struct Change {
  Change(int n, int m) : q(n), v(n), third(n), desired(m) {}
  Change(Random& random, int n, int m)
      : q(random_vector(random, n)),
        v(random_vector(random, n)),
        third(random_vector(random, n)),
        desired(random_vector(random, m)) {}
  double dot(const Change& d) const {
    return q.dot(d.q) + v.dot(d.v) + third.dot(d.third) + (desired.size() > 0 ? desired.dot(d.desired) : 0);
  }
  Change sizes() const {
    Change x = *this;
    for (VectorXd* part : {&x.q, &x.v, &x.third, &x.desired}) *part = part->cwiseAbs();
    return x;
  }
  VectorXd q, v, third, desired;
};

struct Matrices {
  Matrices(int n, int m) : qq(n, n), qv(n, n), vv(n, n), qx(n, n), qk(n, m) {
    for (MatrixXd* x : {&qq, &qv, &vv, &qx, &qk}) x->setZero();
  }
  Hessian out() { return {to(qq), to(qv), to(vv), to(qx), to(qk)}; }
  Change times(const Change& d) const {
    Change x(static_cast<int>(d.q.size()), static_cast<int>(d.desired.size()));
    x.q = qq * d.q + qv * d.v + qx * d.third;
    if (d.desired.size() > 0) x.q += qk * d.desired;
    x.v = qv.transpose() * d.q + vv * d.v, x.third = qx.transpose() * d.q, x.desired = qk.transpose() * d.q;
    return x;
  }
  Matrices sizes() const {
    Matrices x = *this;
    for (MatrixXd* part : {&x.qq, &x.qv, &x.vv, &x.qx, &x.qk}) *part = part->cwiseAbs();
    return x;
  }
  double terms(const Change& d) const { return sizes().times(d.sizes()).dot(d.sizes()); }
  MatrixXd qq, qv, vv, qx, qk;
};

// What is differentiated, at a state in the coordinates of a workspace.
struct Number {
  Number(Workspace& workspace, Function f, Random& random, const std::vector<double>& wrenches_)
      : w(workspace),
        function(f),
        n(w.impl().coordinates.independent_v ? w.model().ny : w.model().nv),
        m(f == Function::constrained ? w.impl().rows() : 0),
        wrenches(wrenches_),
        gradient(random_vector(random, n)),
        of_lambda(random_vector(random, m)) {}

  Inputs<double> in(const VectorXd& q, const Change& at) const {
    if (function == Function::inverse)
      return {q.data(), at.v.data(), nullptr, wrenches.data(), nullptr, at.third.data()};
    return {q.data(), at.v.data(), at.third.data(), wrenches.data(), at.desired.data()};
  }
  Status hessian(const VectorXd& q, const Change& at, Matrices& x) const {
    switch (function) {
      case Function::inverse:
        return inverse_dynamics_hessian(w, write, in(q, at), gradient.data(), x.out());
      case Function::forward:
        return forward_dynamics_hessian(w, write, in(q, at), gradient.data(), x.out());
      default:
        return constrained_dynamics_hessian(w, write, in(q, at), gradient.data(), of_lambda.data(), x.out());
    }
  }
  Status product(const VectorXd& q, const Change& at, const Change& d, Change& x) const {
    const StateChange along = {d.q.data(), d.v.data(), d.third.data()};
    const Derivatives out = {to(x.q), to(x.v), to(x.third)};
    switch (function) {
      case Function::inverse:
        return inverse_dynamics_hvp(w, write, in(q, at), gradient.data(), along, out);
      case Function::forward:
        return forward_dynamics_hvp(w, write, in(q, at), gradient.data(), along, out);
      default:
        return constrained_dynamics_hvp(w, write, in(q, at), gradient.data(), of_lambda.data(),
                                        {along, d.desired.data()}, {out, to(x.desired)});
    }
  }
  Status first(const VectorXd& q, const Change& at, Change& x) const {
    const Derivatives out = {to(x.q), to(x.v), to(x.third)};
    switch (function) {
      case Function::inverse:
        return inverse_dynamics_vjp(w, write, in(q, at), gradient.data(), nullptr, out);
      case Function::forward:
        return forward_dynamics_vjp(w, write, in(q, at), gradient.data(), nullptr, out);
      default:
        return constrained_dynamics_vjp(w, write, in(q, at), gradient.data(), of_lambda.data(), nullptr,
                                        nullptr, {out, to(x.desired)});
    }
  }

  Workspace& w;
  Function function;
  int n, m;
  const std::vector<double>& wrenches;
  VectorXd gradient, of_lambda;
};

// Of the fourth order; NaN where one of the four values is.
template <class At>
double slope(double h, const At& at) {
  return (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h);
}

// Contacts of a mechanism that leave it freedoms.
std::shared_ptr<const ConstraintSet> contacts(const std::shared_ptr<const Model>& model, std::uint64_t seed,
                                              bool some) {
  if (!some) return nullptr;
  Random random(seed + 0x7000000);
  ConstraintOptions few;
  few.most_rows = std::max(1, model->ny / 2);
  few.compliance = 0.2;
  return ConstraintSet::bind(model, random_constraints(random, *model, few));
}

struct Scene {
  Scene(const LoopScene& scene, std::uint64_t seed, Function f)
      : random(seed),
        loops(scene, random, contacts(scene.model, seed, f == Function::constrained)),
        function(f) {
    const int n = scene.model->nv;
    const VectorXd damping = 0.3 * (random_vector(random, n).array().abs() + 0.1), dry = 0.2 * damping;
    for (Workspace* w : {&loops.w, &loops.independent})
      EXPECT_EQ(set_joint_parameters(*w, nullptr, damping.data(), dry.data()), Status::ok);
  }
  Change state(const Number& of, const VectorXd& v) {
    Change at(random, of.n, of.m);
    at.v = v;
    return at;
  }
  // q moved by dq, closed again by dependent coordinates; false where they do not close.
  bool move(const VectorXd& dq, double t, VectorXd& q) {
    q.resize(loops.q.size());
    EXPECT_EQ(integrate(loops.w, loops.q.data(), dq.data(), t, q.data()), Status::ok);
    return close_loops(loops.w, LoopMoves::dependent, q.data(), nullptr) == Status::ok;
  }
  // d^T H d by differences of gradients where q moves by a motion of the tree that begins with dq, and the rest by d.
  double curvature(const Number& of, const Change& at, const VectorXd& dq, const Change& d, double h) {
    return slope(h, [&](double t) {
      VectorXd q;
      if (!move(dq, t, q)) return std::nan("");
      Change there = at, gradient(of.n, of.m);
      there.v += t * d.v, there.third += t * d.third, there.desired += t * d.desired;
      return of.first(q, there, gradient) == Status::ok ? gradient.dot(d) : std::nan("");
    });
  }

  Random random;
  MovingLoops loops;
  Function function;
};

bool ill_posed(Status status, const Workspace& w) {
  return status == Status::singular_configuration || status == Status::not_positive_definite ||
         std::string(w.message()).find("depend on each other") != std::string::npos ||
         std::string(w.message()).find("contradict") != std::string::npos;
}

template <class Check>
void for_scenes(Function function, const Check& check) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().cluster_count == 0 || scene.model->ny == 0) continue;
    Scene x(scene, static_cast<std::uint64_t>(seed), function);
    if (!x.loops.regular() || (function == Function::constrained && x.loops.w.impl().rows() == 0)) continue;
    if (check(scene, x)) ++looked_at;
  }
  EXPECT_GT(looked_at, robots / 8);
}

// d^T H d by matrices and by products, against differences; and products against matrices, and in both orders.
// False where differences have no digits.
bool expect_second_derivatives(Scene& x, const Number& of, const VectorXd& q, const Change& at,
                               const Matrices& all, const MatrixXd& G) {
  EXPECT_LE(relative_error(all.vv, all.vv.transpose(), largest(all.vv)), 1e-10);
  const Change d(x.random, of.n, of.m), e(x.random, of.n, of.m);
  Change product(of.n, of.m), other(of.n, of.m);
  EXPECT_EQ(of.product(q, at, d, product), Status::ok) << of.w.message();
  EXPECT_EQ(of.product(q, at, e, other), Status::ok);
  const double terms = all.terms(d);
  EXPECT_LE(std::abs(product.dot(e) - other.dot(d)),
            1e-9 * (all.sizes().times(d.sizes()).dot(e.sizes()) + terms));
  const Change expected = all.times(d), sizes = all.sizes().times(d.sizes());
  const double scale = std::max({largest(sizes.q), largest(sizes.v), largest(sizes.third)});
  EXPECT_LE(largest(product.q - expected.q), 1e-9 * scale);
  EXPECT_LE(largest(product.v - expected.v), 1e-9 * scale);
  EXPECT_LE(largest(product.third - expected.third), 1e-9 * scale);
  if (of.m > 0) {
    EXPECT_LE(largest(product.desired - expected.desired), 1e-9 * scale);
  }
  // Next to dead centres long steps leave the curve, and short ones lose digits everywhere: two that agree.
  double slopes[3], error = INFINITY, apart = INFINITY;
  const double steps[] = {1e-3, 2e-4, 4e-5};
  for (int i = 0; i < 3; ++i) {
    slopes[i] = x.curvature(of, at, G * d.q, d, steps[i]);
    if (!std::isfinite(slopes[i])) return false;  // loops that do not close
    error = std::min(error, std::abs(expected.dot(d) - slopes[i]) / terms);
    if (i > 0) apart = std::min(apart, std::abs(slopes[i] - slopes[i - 1]) / terms);
  }
  if (apart > 1e-7) return false;
  EXPECT_LE(error, 1e-7);
  return true;
}

class SecondDerivativesWithLoops : public ::testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Of, SecondDerivativesWithLoops,
                         ::testing::Values(Function::inverse, Function::forward, Function::constrained));

TEST_P(SecondDerivativesWithLoops, AreSlopesOfGradients) {
  for_scenes(GetParam(), [](const LoopScene&, Scene& x) {
    const Number of(x.loops.independent, x.function, x.random, x.loops.wrenches);
    const Change at = x.state(of, x.loops.ydot);
    Matrices all(of.n, of.m);
    const Status status = of.hessian(x.loops.q, at, all);
    if (ill_posed(status, of.w)) return false;
    EXPECT_EQ(status, Status::ok) << of.w.message();
    if (largest(all.qq) > 1e6) return false;
    return expect_second_derivatives(x, of, x.loops.q, at, all, x.loops.G);
  });
}

// Along any motion of the tree where G is constant, and always of inverse dynamics, which is that of the tree.
TEST_P(SecondDerivativesWithLoops, InSpanningCoordinates) {
  int refused = 0;
  for_scenes(GetParam(), [&](const LoopScene& scene, Scene& x) {
    const Number of(x.loops.w, x.function, x.random, x.loops.wrenches);
    const Change at = x.state(of, x.loops.v);
    Matrices all(of.n, of.m);
    const Status status = of.hessian(x.loops.q, at, all);
    if (scene.model->data().varying_clusters > 0 && x.function != Function::inverse) {
      EXPECT_EQ(status, Status::unsupported);
      EXPECT_NE(std::string(of.w.message()).find("set independent velocities"), std::string::npos);
      ++refused;
      return true;
    }
    if (ill_posed(status, of.w)) return false;
    EXPECT_EQ(status, Status::ok) << of.w.message();
    const VectorXd kept = x.loops.q;
    const Change d(x.random, of.n, of.m);
    // Loops need not be closed.
    const auto curvature = [&](double h) {
      return slope(h, [&](double t) {
        VectorXd q(kept.size());
        EXPECT_EQ(integrate(x.loops.w, kept.data(), d.q.data(), t, q.data()), Status::ok);
        Change there = at, gradient(of.n, of.m);
        there.v += t * d.v, there.third += t * d.third, there.desired += t * d.desired;
        const Status found = of.first(q, there, gradient);
        EXPECT_EQ(found, Status::ok) << of.w.message();
        return gradient.dot(d);
      });
    };
    double error = INFINITY;
    for (const double h : {1e-3, 2e-4})
      error = std::min(error, std::abs(all.times(d).dot(d) - curvature(h)) / all.terms(d));
    EXPECT_LE(error, 1e-7);
    Change product(of.n, of.m);
    EXPECT_EQ(of.product(kept, at, d, product), Status::ok);
    EXPECT_LE(std::abs(product.dot(d) - all.times(d).dot(d)), 1e-9 * all.terms(d));
    return true;
  });
  if (GetParam() != Function::inverse) {
    EXPECT_GT(refused, 0);
  }
}

// The same loops by rows, along a curve x(t) that keeps them closed: d^T H d + g . x'' of all coordinates.
TEST(SecondDerivativesAndRows, OfLoopsAreThoseOfTheSameLoopsByRows) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.mechanism.loops.empty() || scene.model->data().varying_clusters == 0) continue;
    LoopScene by_rows;
    try {
      by_rows = with_row_loops(scene, std::vector<bool>(scene.mechanism.loops.size(), false));
    } catch (const Error&) {
      continue;
    }
    if (by_rows.model->data().cluster_count > 0) continue;  // couplings
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops loops(scene, random);
    const int n = scene.model->nv, ny = scene.model->ny;
    if (ny == 0 || !loops.regular()) continue;
    const Change d(random, ny, 0);
    const VectorXd tau_y = random_vector(random, ny), gradient_y = random_vector(random, ny);
    const auto on_all = [&](const VectorXd& y) {
      VectorXd all = VectorXd::Zero(n);
      for (int j = 0; j < ny; ++j) all(scene.model->data().independent[j]) = y(j);
      return all;
    };
    // G dy and G ydot along the curve; forces on independent coordinates alone.
    bool closes = true;
    const auto along = [&](double t, VectorXd& u, VectorXd& v) {
      VectorXd q(loops.q.size());
      const VectorXd dq = loops.G * d.q, ydot = loops.ydot + t * d.v;
      u.resize(n), v.resize(n);
      closes = closes && integrate(loops.w, loops.q.data(), dq.data(), t, q.data()) == Status::ok &&
               close_loops(loops.w, LoopMoves::dependent, q.data(), nullptr) == Status::ok &&
               spanning_velocity(loops.w, q.data(), d.q.data(), u.data()) == Status::ok &&
               spanning_velocity(loops.w, q.data(), ydot.data(), v.data()) == Status::ok;
    };
    // The rate of u and v, and the second one of v, by two steps, as next to dead centres differences have no digits.
    VectorXd u[5], v[5], u_rate[2], v_rate[2], v_bend[2];
    for (const int which : {0, 1}) {
      const double h = which == 0 ? 1e-3 : 4e-4;
      for (int i = 0; i < 5; ++i) along((i - 2) * h, u[i], v[i]);
      const auto rate = [&](const VectorXd* x) {
        return VectorXd((x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h));
      };
      u_rate[which] = rate(u), v_rate[which] = rate(v);
      v_bend[which] = (-v[0] + 16 * v[1] - 30 * v[2] + 16 * v[3] - v[4]) / (12 * h * h);
    }
    if (!closes || relative_error(v_bend[0], v_bend[1]) > 1e-6) continue;
    Matrices reduced(ny, 0), all(n, 0);
    const Inputs<double> in_y = {loops.q.data(), loops.ydot.data(), tau_y.data(), loops.wrenches.data()};
    ASSERT_EQ(forward_dynamics_hessian(loops.independent, write, in_y, gradient_y.data(), reduced.out()),
              Status::ok)
        << loops.independent.message();
    Workspace rows(by_rows.model);
    const auto moved = [&](const VectorXd& a, bool positions) {
      return in_order_of(*by_rows.model, *scene.model, a, positions);
    };
    const VectorXd q = moved(loops.q, true), v0 = moved(loops.v, false), tau = moved(on_all(tau_y), false),
                   gradient = moved(on_all(gradient_y), false);
    const Inputs<double> in = {q.data(), v0.data(), tau.data(), loops.wrenches.data()};
    const Status status = constrained_dynamics_hessian(rows, write, in, gradient.data(), nullptr, all.out());
    if (ill_posed(status, rows)) continue;
    ASSERT_EQ(status, Status::ok) << rows.message();
    VectorXd by_q(n), by_v(n), qdd(n), yddot(ny);
    ASSERT_EQ(constrained_dynamics_vjp(rows, write, in, gradient.data(), nullptr, qdd.data(), nullptr,
                                       {{to(by_q), to(by_v), {}}, {}}),
              Status::ok);
    Change spanning(n, 0);
    spanning.q = moved(u[2], false), spanning.v = moved(v_rate[1], false),
    spanning.third = moved(on_all(d.third), false);
    const double expected = all.times(spanning).dot(spanning) + by_q.dot(moved(u_rate[1], false)) +
                            by_v.dot(moved(v_bend[1], false)),
                 terms = all.terms(spanning) + reduced.terms(d) +
                         by_q.cwiseAbs().dot(moved(u_rate[1], false).cwiseAbs());
    EXPECT_LE(std::abs(reduced.times(d).dot(d) - expected), 1e-5 * terms);
    ++looked_at;
  }
  EXPECT_GT(looked_at, robots / 20);
}

}  // namespace
}  // namespace tenon::testing
