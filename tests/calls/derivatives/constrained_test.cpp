// Derivatives of constrained dynamics: the linearised equations in dual numbers through the rows' own kernels, which the
// derivatives do not use; products against matrices; differences of whole calls.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/closure_scene.hpp"
#include "support/exact/dual.hpp"
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

// A direction of all inputs.
struct AllInputs {
  Direction x;
  VectorXd desired;
};

struct Matrices {
  Matrices(int n, int m)
      : qdd_q(n, n),
        qdd_v(n, n),
        qdd_tau(n, n),
        qdd_k(n, m),
        lambda_q(m, n),
        lambda_v(m, n),
        lambda_tau(m, n),
        lambda_k(m, m),
        qdd(n),
        lambda(m) {}
  ConstrainedDerivatives out() {
    const auto of = [](MatrixXd& x) { return DerivativeOut{x.data(), static_cast<int>(x.rows())}; };
    return {{of(qdd_q), of(qdd_v), of(qdd_tau)},
            of(qdd_k),
            {of(lambda_q), of(lambda_v), of(lambda_tau)},
            of(lambda_k)};
  }
  VectorXd of_qdd(const AllInputs& d) const {
    return qdd_q * d.x.q + qdd_v * d.x.v + qdd_tau * d.x.third + qdd_k * d.desired;
  }
  VectorXd of_lambda(const AllInputs& d) const {
    return lambda_q * d.x.q + lambda_v * d.x.v + lambda_tau * d.x.third + lambda_k * d.desired;
  }
  MatrixXd qdd_q, qdd_v, qdd_tau, qdd_k, lambda_q, lambda_v, lambda_tau, lambda_k;
  VectorXd qdd, lambda;
};

struct Scene {
  explicit Scene(ConstrainedScene& scene) : s(scene), w(s.workspace), all(s.nv(), s.rows()) {
    in = {s.state.q.data(), s.state.v.data(), s.state.tau.data(), s.state.wrenches.data(), s.desired.data()};
  }
  Status compute() {
    const int n = s.nv();
    for (MatrixXd* free : {&free_q, &free_v, &free_tau}) free->resize(n, n);
    EXPECT_EQ(forward_dynamics_derivatives(w, write, in, nullptr,
                                           {{free_q.data(), n}, {free_v.data(), n}, {free_tau.data(), n}}),
              Status::ok);
    J.resize(s.rows(), n);
    EXPECT_EQ(constraint_rows(w, in.q, in.v, in.desired, J.data(), s.rows(), nullptr, nullptr, nullptr),
              Status::ok);
    return constrained_dynamics_derivatives(w, write, in, all.qdd.data(), all.lambda.data(), all.out());
  }
  AllInputs direction(Random& random) const {
    const int n = s.nv();
    return {{random_vector(random, n), random_vector(random, n), random_vector(random, n)},
            random_vector(random, s.rows())};
  }
  // The size of multipliers that change accelerations of this size.
  double of_lambda(const MatrixXd& accelerations) const {
    return largest(all.lambda_k) * largest(J.cwiseAbs() * accelerations.cwiseAbs());
  }
  // The size of what a direction changes.
  double size(const AllInputs& d) const {
    return larger(largest(all.qdd_q.cwiseAbs() * d.x.q.cwiseAbs()),
                  largest(all.qdd_v.cwiseAbs() * d.x.v.cwiseAbs())) +
           larger(largest(free_q), larger(largest(free_v), largest(free_tau)));
  }

  ConstrainedScene& s;
  Workspace& w;
  Inputs<double> in;
  Matrices all;
  MatrixXd J, free_q, free_v, free_tau;  // without rows: the size of what rows may take away
};

// Whether rows can follow a change: where forces cannot reach what it asks of them, least squares are returned.
void expect_linearised_equations(Scene& x, const AllInputs& d) {
  DualDynamics exact(x.w, x.s.state.q, x.s.state.v, x.s.state.wrenches);
  const VectorXd dqdd = x.all.of_qdd(d), dlambda = x.all.of_lambda(d);
  const VectorXd n0 = VectorXd::Zero(x.s.nv()), m0 = VectorXd::Zero(x.s.rows());
  const ResidualChanges left =
      exact.constrained(x.all.qdd, x.all.lambda, x.s.desired, d.x, dqdd, dlambda, d.desired);
  // The terms of which these are the sums.
  const ResidualChanges by_state =
                            exact.constrained(x.all.qdd, x.all.lambda, x.s.desired, d.x, n0, m0, d.desired),
                        by_qdd = exact.constrained(x.all.qdd, x.all.lambda, x.s.desired, {}, dqdd, m0, m0),
                        by_lambda =
                            exact.constrained(x.all.qdd, x.all.lambda, x.s.desired, {}, n0, dlambda, m0);
  const auto size = [](const VectorXd& a, const VectorXd& b, const VectorXd& c) {
    return larger(largest(a), larger(largest(b), largest(c)));
  };
  EXPECT_LE(largest(left.r), 1e-9 * size(by_state.r, by_qdd.r, by_lambda.r));
  EXPECT_LE(largest(left.s), 1e-9 * size(by_state.s, by_qdd.s, by_lambda.s));
}

template <class Check>
void for_scenes(int count, SceneKind kind, bool closures, int most_links, const Check& check) {
  count = std::max(count, 16);  // a share of few robots may be none
  int looked_at = 0;
  for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto s = solved_scene(static_cast<std::uint64_t>(seed), kind, closures, most_links);
    if (!s) continue;
    Random random(static_cast<std::uint64_t>(seed) + 77);
    Scene scene(*s);
    const Status status = scene.compute();
    // Closed loops and twins may be such that rows depend on each other there and nowhere near.
    if ((closures || kind == SceneKind::redundant) && status == Status::singular_configuration) continue;
    ASSERT_EQ(status, Status::ok) << scene.w.message();
    EXPECT_LE(relative_error(scene.all.qdd, s->qdd), 1e-7);
    if (largest(scene.J) == 0) continue;  // all rows on the world: nothing but rounding
    check(scene, random);
    ++looked_at;
  }
  EXPECT_GT(looked_at, count / 8);
}

TEST(ConstrainedDerivatives, SolveTheLinearisedEquations) {
  for_scenes(robots / 2, SceneKind::independent, false, 30, [](Scene& x, Random& random) {
    if (x.w.report().rank < x.s.rows()) return;
    expect_linearised_equations(x, x.direction(random));
  });
}
TEST(ConstrainedDerivatives, SolveTheLinearisedEquationsOfClosures) {
  for_scenes(robots / 2, SceneKind::independent, true, 30, [](Scene& x, Random& random) {
    if (x.w.report().rank < x.s.rows()) return;
    expect_linearised_equations(x, x.direction(random));
  });
}
TEST(ConstrainedDerivatives, SolveTheLinearisedEquationsOfSoftRows) {
  for (const bool closures : {false, true})
    for_scenes(robots / 4, SceneKind::compliant, closures, 30, [](Scene& x, Random& random) {
      if (x.w.report().rank < x.s.rows()) return;
      expect_linearised_equations(x, x.direction(random));
    });
}

// Products go by another factor of the mass matrix than matrices.
void expect_products(Scene& x, Random& random) {
  const int n = x.s.nv(), m = x.s.rows();
  const VectorXd g = random_vector(random, n), gl = random_vector(random, m);
  VectorXd q(n), v(n), tau(n), k(m), qdd(n), lambda(m);
  ASSERT_EQ(constrained_dynamics_vjp(x.w, write, x.in, g.data(), gl.data(), qdd.data(), lambda.data(),
                                     {{{q.data(), 0}, {v.data(), 0}, {tau.data(), 0}}, {k.data(), 0}}),
            Status::ok)
      << x.w.message();
  EXPECT_LE(relative_error(qdd, x.all.qdd), 1e-9);
  EXPECT_LE(relative_error(lambda, x.all.lambda), 1e-9);
  const auto compare = [&](const VectorXd& a, const MatrixXd& of_qdd, const MatrixXd& of_lambda,
                           double size) {
    const VectorXd expected = of_qdd.transpose() * g + of_lambda.transpose() * gl;
    EXPECT_LE(relative_error(a, expected, largest(of_qdd) + largest(of_lambda) + size), 1e-9);
  };
  compare(q, x.all.qdd_q, x.all.lambda_q, largest(x.free_q) + x.of_lambda(x.free_q));
  compare(v, x.all.qdd_v, x.all.lambda_v, largest(x.free_v) + x.of_lambda(x.free_v));
  compare(tau, x.all.qdd_tau, x.all.lambda_tau, largest(x.free_tau) + x.of_lambda(x.free_tau));
  compare(k, x.all.qdd_k, x.all.lambda_k, x.of_lambda(x.free_tau));
  const AllInputs d = x.direction(random);
  VectorXd dqdd(n), dlambda(m);
  ASSERT_EQ(constrained_dynamics_jvp(x.w, write, x.in,
                                     {{d.x.q.data(), d.x.v.data(), d.x.third.data()}, d.desired.data()},
                                     nullptr, nullptr, dqdd.data(), dlambda.data()),
            Status::ok);
  EXPECT_LE(relative_error(dqdd, x.all.of_qdd(d), x.size(d)), 1e-9);
  EXPECT_LE(relative_error(dlambda, x.all.of_lambda(d), largest(x.all.lambda_q) + largest(x.all.lambda_v)),
            1e-9);
}

TEST(ConstrainedDerivatives, ProductsAreThoseWithMatrices) {
  for (const bool closures : {false, true})
    for (const SceneKind kind : {SceneKind::independent, SceneKind::redundant, SceneKind::compliant})
      for_scenes(robots / 8, kind, closures, 30, expect_products);
}

TEST(ConstrainedDerivatives, HoldIdentities) {
  for (const bool closures : {false, true})
    for (const SceneKind kind : {SceneKind::independent, SceneKind::redundant, SceneKind::compliant})
      for_scenes(robots / 8, kind, closures, 30, [](Scene& x, Random&) {
        const int m = x.s.rows();
        EXPECT_LE(relative_error(x.all.qdd_tau, x.all.qdd_tau.transpose(), largest(x.free_tau)), 1e-9);
        EXPECT_LE(relative_error(x.all.lambda_k, x.all.lambda_k.transpose()), 1e-9);
        EXPECT_LE(relative_error(x.all.lambda_tau, -x.all.qdd_k.transpose(), x.of_lambda(x.free_tau)), 1e-9);
        VectorXd R(m);
        for (int r = 0; r < m; ++r) R(x.w.impl().cd()->user_row[r]) = x.w.impl().cd()->compliance[r];
        const MatrixXd held = x.J * x.all.qdd_tau + R.asDiagonal() * x.all.lambda_tau;
        EXPECT_LE(largest(held), 1e-9 * largest(x.J.cwiseAbs() * x.free_tau.cwiseAbs()));
      });
}

// Along integrate(). Differences lose half of the digits.
void expect_slopes(Scene& x, Random& random) {
  const int n = x.s.nv(), m = x.s.rows();
  if (x.w.report().rank < m) return;
  const AllInputs d = x.direction(random);
  const double h = 1e-6;
  VectorXd qdd[2] = {VectorXd(n), VectorXd(n)}, lambda[2] = {VectorXd(m), VectorXd(m)};
  for (int side = 0; side < 2; ++side) {
    const double step = side == 0 ? -h : h;
    std::vector<double> q(x.s.state.q.size());
    ASSERT_EQ(integrate(x.w, x.s.state.q.data(), d.x.q.data(), step, q.data()), Status::ok);
    const VectorXd v = as_vector(x.s.state.v) + step * d.x.v,
                   tau = as_vector(x.s.state.tau) + step * d.x.third,
                   k = as_vector(x.s.desired) + step * d.desired;
    ASSERT_EQ(constrained_dynamics(x.w, {}, {q.data(), v.data(), tau.data(), x.in.wrenches, k.data()},
                                   qdd[side].data(), lambda[side].data()),
              Status::ok);
  }
  const VectorXd dqdd = x.all.of_qdd(d), dlambda = x.all.of_lambda(d);
  EXPECT_LE(relative_error((qdd[1] - qdd[0]) / (2 * h), dqdd, x.size(d)), 1e-5);
  EXPECT_LE(relative_error((lambda[1] - lambda[0]) / (2 * h), dlambda,
                           larger(largest(x.all.lambda_q), largest(x.all.lambda_v))),
            1e-5);
}

TEST(ConstrainedDerivatives, AreSlopesOfWholeCalls) {
  for (const bool closures : {false, true})
    for_scenes(robots / 10, SceneKind::independent, closures, 12, expect_slopes);
}

// Three rods hinged one after the other about z, the end held: stretched, nothing moves the row along the arm.
TEST(ConstrainedDerivatives, SayWhereRowsBecomeIndependent) {
  Robot robot;
  robot.mechanism.links.push_back({"base", 1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}});
  for (int i = 0; i < 3; ++i) {
    const std::string name = "rod_" + std::to_string(i);
    robot.mechanism.links.push_back({name, 1, {0.5, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}});
    MechanismJoint joint;
    joint.name = "hinge_" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = robot.mechanism.links[static_cast<std::size_t>(i)].name;
    joint.child = name;
    joint.origin.translation = {i == 0 ? 0.0 : 1.0, 0, 0};
    joint.axis = {0, 0, 1};
    robot.mechanism.joints.push_back(joint);
  }
  robot.model = Model::compile(robot.mechanism, robot.options);
  Workspace w(robot.model, ConstraintSet::bind(robot.model, {point_constraint(3, {1, 0, 0})}));
  const int n = robot.model->nv, m = w.impl().rows();
  ASSERT_EQ(n, 3);
  const VectorXd zero = VectorXd::Zero(n), turn = VectorXd::Unit(n, 1);
  VectorXd dqdd(n);
  MatrixXd by_q(n, n);
  ConstrainedDerivatives out;
  out.qdd.by_q = {by_q.data(), n};
  // Bent, the row across the plane depends on the others wherever the arm is.
  const VectorXd bent = VectorXd::Constant(n, 0.5);
  EXPECT_EQ(constrained_dynamics_derivatives(w, write, {bent.data(), zero.data(), zero.data()}, nullptr,
                                             nullptr, out),
            Status::ok)
      << w.message();
  EXPECT_LT(w.report().rank, m);
  // Stretched, the row along the arm does, and not next to there.
  const Inputs<double> straight = {zero.data(), zero.data(), zero.data()};
  EXPECT_EQ(constrained_dynamics_derivatives(w, write, straight, nullptr, nullptr, out),
            Status::singular_configuration);
  EXPECT_EQ(constrained_dynamics_jvp(w, write, straight, {{turn.data(), nullptr, nullptr}, nullptr}, nullptr,
                                     nullptr, dqdd.data(), nullptr),
            Status::singular_configuration);
  // By the others it has derivatives.
  EXPECT_EQ(constrained_dynamics_jvp(w, write, straight, {{nullptr, nullptr, turn.data()}, nullptr}, nullptr,
                                     nullptr, dqdd.data(), nullptr),
            Status::ok)
      << w.message();
}

}  // namespace
}  // namespace tenon::testing
