// Derivatives of a step in time against central differences of whole steps, by tangents, and against each other.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <set>

#include "support/largest.hpp"
#include "support/moving.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

struct Point {
  VectorXd q, v;
};
struct Change {
  VectorXd q, v, tau;
};

// A tree, a step of it, and its end.
struct StepScene {
  StepScene(MovingTree& t_, double dt_) : t(t_), dt(dt_), n(t.nv()) {
    in = {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()};
  }
  Change random_change() {
    return {random_vector(t.random, n), random_vector(t.random, n), random_vector(t.random, n)};
  }
  // After a step from the state moved by h x.
  Point moved(const Change& x, double h) {
    Point p = {Eigen::Map<VectorXd>(t.s.q.data(), static_cast<int>(t.s.q.size())),
               Eigen::Map<VectorXd>(t.s.v.data(), n) + h * x.v};
    VectorXd start = p.q;
    const VectorXd tau = Eigen::Map<VectorXd>(t.s.tau.data(), n) + h * x.tau;
    EXPECT_EQ(integrate(t.w, start.data(), x.q.data(), h, p.q.data()), Status::ok);
    EXPECT_EQ(step_semi_implicit_euler(t.w, {}, dt, p.q.data(), p.v.data(), tau.data(), t.s.wrenches.data(),
                                       nullptr, nullptr),
              Status::ok)
        << t.w.message();
    return p;
  }
  // The change of the end, as tangents there.
  Point jvp(const Change& x, Point* end = nullptr) {
    Point change = {VectorXd(n), VectorXd(n)};
    EXPECT_EQ(step_semi_implicit_euler_jvp(t.w, {}, dt, in, {x.q.data(), x.v.data(), x.tau.data()},
                                           {end ? end->q.data() : nullptr, end ? end->v.data() : nullptr},
                                           {{change.q.data(), 0}, {change.v.data(), 0}, {}}),
              Status::ok)
        << t.w.message();
    return change;
  }
  Change vjp(const Point& gradient, Point* end = nullptr) {
    Change by = {VectorXd(n), VectorXd(n), VectorXd(n)};
    EXPECT_EQ(step_semi_implicit_euler_vjp(t.w, {}, dt, in, gradient.q.data(), gradient.v.data(),
                                           {end ? end->q.data() : nullptr, end ? end->v.data() : nullptr},
                                           {{by.q.data(), 0}, {by.v.data(), 0}, {by.tau.data(), 0}}),
              Status::ok)
        << t.w.message();
    return by;
  }

  MovingTree& t;
  double dt;
  int n;
  Inputs<double> in;
};

template <class Check>
void for_steps(Check check) {
  for (int seed = 0; seed < TENON_TEST_ROBOTS / 5 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, 25);
    if (tree.nv() == 0) continue;
    // Long steps turn joints by some radians, short ones by nearly nothing.
    for (const double dt : {0.5, 0.01, 1e-7}) {
      StepScene scene(tree, dt);
      check(scene);
    }
  }
}

TEST(StepDerivatives, AreThoseOfCentralDifferences) {
  std::set<int> kinds;
  for_steps([&](StepScene& s) {
    for (const NodeData& n : s.t.robot.model->nodes) kinds.insert(n.kind);
    const Change x = s.random_change();
    Point end = s.moved(x, 0), given = end;
    const Point found = s.jvp(x, &given);
    EXPECT_LE(largest(given.q - end.q), 1e-12 * largest(end.q));
    EXPECT_LE(largest(given.v - end.v), 1e-12 * largest(end.v));
    constexpr double h = 1e-5;
    const Point ahead = s.moved(x, h), behind = s.moved(x, -h);
    VectorXd to(s.n), from(s.n);
    ASSERT_EQ(difference(s.t.w, end.q.data(), ahead.q.data(), to.data()), Status::ok);
    ASSERT_EQ(difference(s.t.w, end.q.data(), behind.q.data(), from.data()), Status::ok);
    const VectorXd by_q = (to - from) / (2 * h), by_v = (ahead.v - behind.v) / (2 * h);
    const double scale = larger(largest(by_q), larger(largest(by_v), larger(largest(end.v), 1.0)));
    EXPECT_LE(largest(found.q - by_q), 1e-6 * scale);
    EXPECT_LE(largest(found.v - by_v), 1e-6 * scale);
  });
  if (TENON_TEST_ROBOTS >= 1000) {
    EXPECT_EQ(kinds.size(), 12U);
  }
}

TEST(StepDerivatives, ProductsOnBothSidesFit) {
  for_steps([](StepScene& s) {
    const Change x = s.random_change(), w = s.random_change();
    const Point along = s.jvp(x), gradient = {w.q, w.v};
    const Change by = s.vjp(gradient);
    const double left = w.q.dot(along.q) + w.v.dot(along.v),
                 right = by.q.dot(x.q) + by.v.dot(x.v) + by.tau.dot(x.tau);
    const double terms = by.q.cwiseAbs().dot(x.q.cwiseAbs()) + by.v.cwiseAbs().dot(x.v.cwiseAbs()) +
                         by.tau.cwiseAbs().dot(x.tau.cwiseAbs()) + w.q.cwiseAbs().dot(along.q.cwiseAbs()) +
                         w.v.cwiseAbs().dot(along.v.cwiseAbs());
    EXPECT_LE(std::abs(left - right), 1e-11 * terms);
  });
}

TEST(StepDerivatives, WhatIsMissingIsZeroAndSumsAreAddedTo) {
  MovingTree tree(11, 25);
  StepScene s(tree, 0.1);
  const Change w = s.random_change();
  const Change both = s.vjp({w.q, w.v});
  Change sum = {VectorXd(s.n), VectorXd(s.n), VectorXd(s.n)};
  const Derivatives to = {{sum.q.data(), 0}, {sum.v.data(), 0}, {sum.tau.data(), 0}};
  ASSERT_EQ(step_semi_implicit_euler_vjp(s.t.w, {}, s.dt, s.in, w.q.data(), nullptr, {}, to), Status::ok);
  DerivativeOptions adds;
  adds.accumulate = true;
  ASSERT_EQ(step_semi_implicit_euler_vjp(s.t.w, adds, s.dt, s.in, nullptr, w.v.data(), {}, to), Status::ok);
  EXPECT_LE(largest(sum.q - both.q), 1e-11 * largest(both.q));
  EXPECT_LE(largest(sum.v - both.v), 1e-11 * largest(both.v));
  EXPECT_LE(largest(sum.tau - both.tau), 1e-11 * largest(both.tau));
}

// The gradient of the end of many steps by the state and the torques at their beginning, step by step backward.
TEST(StepDerivatives, ChainsOfStepsFitDifferences) {
  MovingTree tree(23, 12);
  const int n = tree.nv(), steps = 20;
  const double dt = 0.01;
  ASSERT_GT(n, 0);
  const auto roll = [&](const VectorXd& dq, double h, std::vector<Point>* path) {
    Point p = {Eigen::Map<VectorXd>(tree.s.q.data(), static_cast<int>(tree.s.q.size())),
               Eigen::Map<VectorXd>(tree.s.v.data(), n)};
    const VectorXd start = p.q;
    EXPECT_EQ(integrate(tree.w, start.data(), dq.data(), h, p.q.data()), Status::ok);
    for (int k = 0; k < steps; ++k) {
      if (path) path->push_back(p);
      EXPECT_EQ(step_semi_implicit_euler(tree.w, {}, dt, p.q.data(), p.v.data(), tree.s.tau.data(), nullptr,
                                         nullptr, nullptr),
                Status::ok);
    }
    return p;
  };
  const VectorXd dq = random_vector(tree.random, n), weight = random_vector(tree.random, n);
  std::vector<Point> path;
  roll(dq, 0, &path);
  Change by = {VectorXd::Zero(n), weight, VectorXd::Zero(n)};
  for (int k = steps - 1; k >= 0; --k) {
    const Inputs<double> in = {path[static_cast<std::size_t>(k)].q.data(),
                               path[static_cast<std::size_t>(k)].v.data(), tree.s.tau.data(), nullptr};
    const Point gradient = {by.q, by.v};
    ASSERT_EQ(step_semi_implicit_euler_vjp(tree.w, {}, dt, in, gradient.q.data(), gradient.v.data(), {},
                                           {{by.q.data(), 0}, {by.v.data(), 0}, {}}),
              Status::ok);
  }
  constexpr double h = 1e-6;
  const double expected = weight.dot(roll(dq, h, nullptr).v - roll(dq, -h, nullptr).v) / (2 * h);
  EXPECT_NEAR(by.q.dot(dq), expected, 1e-6 * (1 + std::abs(expected)));
}

TEST(StepDerivatives, OfRowsAndLoopsAreUnsupported) {
  MovingTree tree(23, 12);
  Workspace held(tree.robot.model,
                 ConstraintSet::bind(
                     tree.robot.model,
                     {point_constraint(static_cast<int>(tree.robot.model->links.size()) - 1, {0.1, 0, 0})}));
  StepScene s(tree, 0.1);
  VectorXd out = VectorXd::Constant(s.n, 77);
  EXPECT_EQ(
      step_semi_implicit_euler_vjp(held, {}, 0.1, s.in, nullptr, nullptr, {}, {{out.data(), 0}, {}, {}}),
      Status::unsupported);
  EXPECT_NE(std::string(held.message()).find("3 constraint rows"), std::string::npos) << held.message();
  const LoopScene scene = model_scene("four_bar");
  Workspace loops(scene.model);
  EXPECT_EQ(step_semi_implicit_euler_jvp(loops, {}, 0.1, {out.data(), out.data(), out.data()}, {}, {},
                                         {{out.data(), 0}, {}, {}}),
            Status::unsupported);
  EXPECT_NE(std::string(loops.message()).find("kinematic loops"), std::string::npos);
  EXPECT_EQ(out, VectorXd::Constant(s.n, 77));
}

}  // namespace
}  // namespace tenon::testing
