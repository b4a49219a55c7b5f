// Derivatives of a step in time against central differences of whole steps, by tangents, and against each other.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <set>

#include "state/workspace_impl.hpp"
#include "support/closure_scene.hpp"
#include "support/largest.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::runge_kutta_4};
constexpr Integrator euler = Integrator::semi_implicit_euler;

struct Point {
  VectorXd q, v;
};
struct Change {
  VectorXd q, v, tau;
};

// A robot at a state, a step of it, and its end.
struct StepScene {
  StepScene(Workspace& w_, const State& s_, Random& random_, double dt_, Integrator integrator_)
      : w(w_), s(s_), random(random_), dt(dt_), integrator(integrator_), n(static_cast<int>(s.v.size())) {
    in = {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data()};
  }
  Change random_change() {
    return {random_vector(random, n), random_vector(random, n), random_vector(random, n)};
  }
  // After a step from the state moved by h x.
  Point moved(const Change& x, double h) {
    Point p = {as_vector(s.q), as_vector(s.v) + h * x.v};
    VectorXd start = p.q;
    const VectorXd tau = as_vector(s.tau) + h * x.tau;
    EXPECT_EQ(integrate(w, start.data(), x.q.data(), h, p.q.data()), Status::ok);
    EXPECT_EQ(step_in_time(w, integrator, {}, dt, p.q.data(), p.v.data(), tau.data(), s.wrenches.data(),
                           nullptr, nullptr),
              Status::ok)
        << w.message();
    return p;
  }
  Status try_jvp(const Change& x, Point* end, Point& change) {
    return step_jvp(w, integrator, {}, dt, in, {x.q.data(), x.v.data(), x.tau.data()},
                    {end ? end->q.data() : nullptr, end ? end->v.data() : nullptr},
                    {{change.q.data(), 0}, {change.v.data(), 0}, {}});
  }
  // The change of the end, as tangents there.
  Point jvp(const Change& x, Point* end = nullptr) {
    Point change = {VectorXd(n), VectorXd(n)};
    EXPECT_EQ(try_jvp(x, end, change), Status::ok) << w.message();
    return change;
  }
  Change vjp(const Point& gradient, Point* end = nullptr) {
    Change by = {VectorXd(n), VectorXd(n), VectorXd(n)};
    EXPECT_EQ(step_vjp(w, integrator, {}, dt, in, gradient.q.data(), gradient.v.data(),
                       {end ? end->q.data() : nullptr, end ? end->v.data() : nullptr},
                       {{by.q.data(), 0}, {by.v.data(), 0}, {by.tau.data(), 0}}),
              Status::ok)
        << w.message();
    return by;
  }

  Workspace& w;
  const State& s;
  Random& random;
  double dt;
  Integrator integrator;
  int n;
  Inputs<double> in;
};

template <class Check>
void for_steps(Check check) {
  for (int seed = 0; seed < test_robots() / 5 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree tree(seed, 25);
    if (tree.nv() == 0) continue;
    // Long steps turn joints by some radians, short ones by nearly nothing.
    for (const double dt : {0.5, 0.01, 1e-7})
      for (const Integrator integrator : integrators) {
        // Later stages of long steps may be where no motion is slow enough for differences.
        if (integrator == Integrator::runge_kutta_4 && dt > 0.1) continue;
        SCOPED_TRACE(::testing::Message() << dt << " " << static_cast<int>(integrator));
        StepScene scene(tree.w, tree.s, tree.random, dt, integrator);
        check(scene, *tree.robot.model);
      }
  }
}

// Whether products on both sides of a vector agree, but for rounding errors of their terms: with rows of those that would
// move the robot without.
void expect_both_sides(StepScene& s, bool with_rows, double tolerance = 1e-12) {
  const Change x = s.random_change(), w = s.random_change();
  const Point along = s.jvp(x), gradient = {w.q, w.v};
  const Change by = s.vjp(gradient);
  const double left = w.q.dot(along.q) + w.v.dot(along.v),
               right = by.q.dot(x.q) + by.v.dot(x.v) + by.tau.dot(x.tau);
  double terms = by.q.cwiseAbs().dot(x.q.cwiseAbs()) + by.v.cwiseAbs().dot(x.v.cwiseAbs()) +
                 by.tau.cwiseAbs().dot(x.tau.cwiseAbs()) + w.q.cwiseAbs().dot(along.q.cwiseAbs()) +
                 w.v.cwiseAbs().dot(along.v.cwiseAbs());
  if (with_rows) {
    VectorXd free(s.n);
    ASSERT_EQ(
        forward_dynamics_jvp(s.w, {}, s.in, {x.q.data(), x.v.data(), x.tau.data()}, nullptr, free.data()),
        Status::ok);
    terms += s.dt * largest(free) * s.n;
  }
  EXPECT_LE(std::abs(left - right), tolerance * terms);
}

// Differences of fourth order of whole steps along x, by tangents at the end.
Point slope(StepScene& s, const Change& x, double h) {
  const Point end = s.moved(x, 0);
  Point sum = {VectorXd::Zero(s.n), VectorXd::Zero(s.n)};
  VectorXd to(s.n);
  for (const int k : {-2, -1, 1, 2}) {
    const double weight = (std::abs(k) == 1 ? 8.0 : -1.0) * (k > 0 ? 1 : -1) / (12 * h);
    const Point there = s.moved(x, k * h);
    EXPECT_EQ(difference(s.w, end.q.data(), there.q.data(), to.data()), Status::ok);
    sum.q += weight * to, sum.v += weight * there.v;
  }
  return sum;
}

void expect_slopes(StepScene& s, const Change& x, double h, double tolerance) {
  Point end = s.moved(x, 0), given = end;
  const Point found = s.jvp(x, &given), by = slope(s, x, h);
  EXPECT_LE(largest(given.q - end.q), 1e-9 * largest(end.q));
  EXPECT_LE(largest(given.v - end.v), 1e-9 * larger(largest(end.v), 1.0));
  const double scale = larger(largest(by.q), larger(largest(by.v), larger(largest(end.v), 1.0)));
  double most = tolerance * scale;
  const auto apart = [](const Point& a, const Point& b) {
    return larger(largest(a.q - b.q), largest(a.v - b.v));
  };
  // Steps near dead centres are rounded so that differences have fewer digits: as many as those of another size agree in.
  if (apart(found, by) > most) most = larger(most, 2 * apart(slope(s, x, 2 * h), by));
  EXPECT_LE(apart(found, by), most);
}

TEST(StepDerivatives, AreThoseOfDifferences) {
  std::set<int> kinds;
  for_steps([&](StepScene& s, const Model& model) {
    for (const NodeData& n : model.nodes) kinds.insert(n.kind);
    expect_slopes(s, s.random_change(), 1e-4, 1e-8);
  });
  if (test_robots() >= 1000) {
    EXPECT_EQ(kinds.size(), 12U);
  }
}

TEST(StepDerivatives, ProductsOnBothSidesFit) {
  for_steps([](StepScene& s, const Model&) { expect_both_sides(s, false); });
}

// With rows: contacts, closures, soft ones, and some twice.
template <class Check>
void for_steps_with_rows(int count, Integrator integrator, const Check& check) {
  for (const SceneKind kind : {SceneKind::independent, SceneKind::redundant, SceneKind::compliant})
    for (const bool closures : {false, true}) {
      int looked_at = 0;
      for (int seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << closures << " " << seed);
        const auto s = solved_scene(static_cast<std::uint64_t>(seed), kind, closures, 20);
        if (!s || s->nv() == 0) continue;
        Random random(static_cast<std::uint64_t>(seed) + 5);
        StepScene scene(s->workspace, s->state, random, 0.01, integrator);
        Point change = {VectorXd(scene.n), VectorXd(scene.n)};
        const Status status = scene.try_jvp(scene.random_change(), nullptr, change);
        // Where rows become independent, or contradict each other, there is none.
        if (status == Status::singular_configuration || status == Status::unsupported) continue;
        ASSERT_EQ(status, Status::ok) << s->workspace.message();
        check(scene, *s), ++looked_at;
      }
      EXPECT_GE(looked_at, count / 30);
    }
}

TEST(StepDerivatives, WithRowsAreThoseOfDifferences) {
  for (const Integrator integrator : integrators)
    for_steps_with_rows(test_robots() / 10, integrator, [](StepScene& s, const ConstrainedScene& c) {
      if (c.workspace.report().rank < c.rows()) return;  // whose rank may be another beside
      expect_slopes(s, s.random_change(), 1e-5, 1e-6);
    });
}

// The end moves by what constrained dynamics, which dual numbers judge, says of accelerations.
TEST(StepDerivatives, WithRowsAreThoseOfConstrainedDynamics) {
  for_steps_with_rows(test_robots() / 5, euler, [](StepScene& s, const ConstrainedScene&) {
    const Change x = s.random_change();
    const Point found = s.jvp(x);
    VectorXd dqdd(s.n);
    ASSERT_EQ(constrained_dynamics_jvp(s.w, {}, s.in, {{x.q.data(), x.v.data(), x.tau.data()}, nullptr},
                                       nullptr, nullptr, dqdd.data(), nullptr),
              Status::ok);
    EXPECT_EQ(found.v, x.v + s.dt * dqdd);
  });
}

TEST(StepDerivatives, ProductsOnBothSidesFitWithRows) {
  for (const Integrator integrator : integrators)
    for_steps_with_rows(test_robots() / 5, integrator, [](StepScene& s, const ConstrainedScene& c) {
      // Of the terms of stages those of the whole step tell less.
      const double size = s.integrator == euler ? 1e-12 : 1e-11;
      expect_both_sides(s, true, size * std::max(1.0, well_posed / c.kkt.min_kept_over_max()));
    });
}

// With embedded loops: in independent velocities, with either positions, with a point held and without.
template <class Check>
void for_steps_with_loops(Integrator integrator, double dt, const Check& check) {
  for (const bool with_rows : {false, true})
    for (const Coordinates positions : {Coordinates::spanning, Coordinates::independent}) {
      int looked_at = 0;
      for (int seed = 0; seed < test_robots() / 4 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << with_rows << static_cast<int>(positions) << " " << seed);
        const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
        if (scene.model->data().cluster_count == 0 || scene.model->ny == 0) continue;
        Random random(static_cast<std::uint64_t>(seed) + 5);
        MovingLoops loops(scene, random, with_rows ? random_point(random, scene.model) : nullptr);
        if (!loops.regular()) continue;
        Workspace& w = loops.independent;
        ASSERT_EQ(set_guess(w, loops.q.data()), Status::ok);
        if (set_coordinates(w, positions, Coordinates::independent) != Status::ok)
          continue;  // of joints in part
        const VectorXd& q = positions == Coordinates::spanning ? loops.q : loops.y;
        const auto numbers = [](const VectorXd& x) {
          return std::vector<double>(x.data(), x.data() + x.size());
        };
        State state;
        state.q = numbers(q), state.v = numbers(loops.ydot), state.tau = numbers(loops.tau_y);
        state.wrenches = loops.wrenches;
        StepScene s(w, state, random, dt, integrator);
        Point change = {VectorXd(s.n), VectorXd(s.n)};
        // Where the end has no step or no derivative: next to dead centres, and where rows contradict each other.
        const Status status = s.try_jvp(s.random_change(), nullptr, change);
        if (status == Status::singular_configuration || status == Status::unsupported) continue;
        ASSERT_EQ(status, Status::ok) << w.message();
        check(s), ++looked_at;
      }
      EXPECT_GE(looked_at, test_robots() / 40);
    }
}

TEST(StepDerivatives, WithEmbeddedLoopsAreThoseOfDifferences) {
  for (const Integrator integrator : integrators)
    for_steps_with_loops(integrator, 0.002,
                         [](StepScene& s) { expect_slopes(s, s.random_change(), 1e-5, 1e-6); });
}

TEST(StepDerivatives, ProductsOnBothSidesFitWithEmbeddedLoops) {
  for (const Integrator integrator : integrators)
    for_steps_with_loops(integrator, 0.002, [](StepScene& s) { expect_both_sides(s, true, 1e-9); });
}

TEST(StepDerivatives, EmbeddedLoopsInSpanningVelocitiesAreRefused) {
  const LoopScene scene = model_scene("four_bar");
  MovingLoops loops(scene, Random(1));
  const Inputs<double> in = {loops.q.data(), loops.v.data(), loops.tau.data(), nullptr};
  VectorXd next = VectorXd::Zero(scene.model->nv);
  for (const Integrator integrator : integrators) {
    EXPECT_EQ(step_vjp(loops.w, integrator, {}, 0.01, in, nullptr, nullptr, {nullptr, next.data()}, {}),
              Status::unsupported);
    EXPECT_NE(std::string(loops.w.message()).find("set independent ones"), std::string::npos)
        << loops.w.message();
  }
  EXPECT_EQ(next, VectorXd::Zero(scene.model->nv));
}

// Stages of Runge-Kutta leave loops a little open, where the axes of rows that hold angles turn. By steps so long that it
// counts.
TEST(StepDerivatives, OfRungeKuttaWithLoopsThatHoldAnglesAreThoseOfDifferences) {
  int some = 0, all = 0;
  for_steps_with_loops(Integrator::runge_kutta_4, 0.02, [&](StepScene& s) {
    const ModelData& m = s.w.impl().model->data();
    unsigned angles = 0;
    for (int l = 0; l < m.loop_constraint_count; ++l)
      if (m.loop_constraints[l].kind == loop_geometric) angles |= m.loop_constraints[l].rows & 7u;
    if (angles == 0) return;
    ++((angles & 4u) != 0 ? all : some);
    expect_slopes(s, s.random_change(), 1e-5, 1e-7);
    expect_both_sides(s, true);
  });
  if (test_robots() < 250) return;  // few have such loops
  EXPECT_GT(some, test_robots() / 100);
  EXPECT_GT(all, test_robots() / 100);
}

TEST(StepDerivatives, WhatIsMissingIsZeroAndSumsAreAddedTo) {
  MovingTree tree(11, 25);
  for (const Integrator integrator : integrators) {
    StepScene s(tree.w, tree.s, tree.random, 0.02, integrator);
    const Change w = s.random_change();
    const Change both = s.vjp({w.q, w.v});
    Change sum = {VectorXd(s.n), VectorXd(s.n), VectorXd(s.n)};
    const Derivatives to = {{sum.q.data(), 0}, {sum.v.data(), 0}, {sum.tau.data(), 0}};
    ASSERT_EQ(step_vjp(s.w, integrator, {}, s.dt, s.in, w.q.data(), nullptr, {}, to), Status::ok);
    DerivativeOptions adds;
    adds.accumulate = true;
    ASSERT_EQ(step_vjp(s.w, integrator, adds, s.dt, s.in, nullptr, w.v.data(), {}, to), Status::ok);
    EXPECT_LE(largest(sum.q - both.q), 1e-11 * largest(both.q));
    EXPECT_LE(largest(sum.v - both.v), 1e-11 * largest(both.v));
    EXPECT_LE(largest(sum.tau - both.tau), 1e-11 * largest(both.tau));
    // The same of changes: what is missing does not change.
    const Point all = s.jvp({w.q, VectorXd::Zero(s.n), VectorXd::Zero(s.n)});
    Point one = {VectorXd(s.n), VectorXd(s.n)};
    ASSERT_EQ(step_jvp(s.w, integrator, {}, s.dt, s.in, {w.q.data(), nullptr, nullptr}, {},
                       {{one.q.data(), 0}, {one.v.data(), 0}, {}}),
              Status::ok);
    EXPECT_EQ(one.q, all.q);
    EXPECT_EQ(one.v, all.v);
  }
}

// The gradient of the end of many steps by the state and the torques at their beginning, step by step backward.
TEST(StepDerivatives, ChainsOfStepsFitDifferences) {
  for (const Integrator integrator : integrators) {
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
        EXPECT_EQ(step_in_time(tree.w, integrator, {}, dt, p.q.data(), p.v.data(), tree.s.tau.data(), nullptr,
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
      ASSERT_EQ(step_vjp(tree.w, integrator, {}, dt, in, gradient.q.data(), gradient.v.data(), {},
                         {{by.q.data(), 0}, {by.v.data(), 0}, {}}),
                Status::ok);
    }
    constexpr double h = 1e-6;
    const double expected = weight.dot(roll(dq, h, nullptr).v - roll(dq, -h, nullptr).v) / (2 * h);
    EXPECT_NEAR(by.q.dot(dq), expected, 1e-6 * (1 + std::abs(expected)));
  }
}

// A four-bar linkage whose loop is closed by rows, in motion.
struct ClosedByRows {
  ClosedByRows()
      : embedded(model_scene("four_bar")),
        loops(embedded, Random(3)),
        scene(with_row_loops(embedded, {false})),
        w(scene.model) {
    const auto moved = [&](const VectorXd& x, bool positions) {
      const VectorXd y = in_order_of(*scene.model, *embedded.model, x, positions);
      return std::vector<double>(y.data(), y.data() + y.size());
    };
    s.q = moved(loops.q, true), s.v = moved(loops.v, false), s.tau = moved(loops.tau, false);
    s.wrenches = loops.wrenches;
  }
  LoopScene embedded;
  MovingLoops loops;
  LoopScene scene;
  Workspace w;
  State s;
  Random random{4};
};

TEST(StepDerivatives, OfLoopsByRowsAreThoseOfDifferences) {
  ClosedByRows x;
  for (const Integrator integrator : integrators) {
    StepScene step(x.w, x.s, x.random, 0.002, integrator);
    ASSERT_GT(x.w.impl().rows(), 0);
    expect_both_sides(step, false);
    // Along the motion that keeps the loop closed: off it rows of the plane contradict each other.
    const VectorXd along = in_order_of(*x.scene.model, *x.embedded.model, x.loops.G.col(0), false);
    expect_slopes(step, {along, along, random_vector(x.random, step.n)}, 1e-5, 1e-7);
  }
}

// Steps that open the loop, of which some are as long as no step can be.
TEST(StepDerivatives, WhatTheStepRefusesHasNone) {
  ClosedByRows x;
  int refused = 0;
  for (const Integrator integrator : integrators)
    for (double dt = 0.01; dt < 10; dt *= 1.3) {
      StepScene step(x.w, x.s, x.random, dt, integrator);
      VectorXd q = as_vector(x.s.q), v = as_vector(x.s.v);
      const Status status = step_in_time(x.w, integrator, {}, dt, q.data(), v.data(), x.s.tau.data(),
                                         x.s.wrenches.data(), nullptr, nullptr);
      const std::string message = x.w.message();
      Point change = {VectorXd::Constant(step.n, 77), VectorXd(step.n)};
      EXPECT_EQ(step.try_jvp(step.random_change(), nullptr, change), status);
      EXPECT_EQ(x.w.message(), message);
      if (status == Status::ok) continue;
      EXPECT_EQ(status, Status::singular_configuration);
      EXPECT_EQ(change.q, VectorXd::Constant(step.n, 77));
      ++refused;
    }
  EXPECT_GT(refused, 3);
}

TEST(StepDerivatives, OfNaNFailWithRows) {
  std::unique_ptr<ConstrainedScene> c;
  for (std::uint64_t seed = 1; !c; ++seed) c = solved_scene(seed, SceneKind::independent, false, 20);
  Random random(3);
  for (const Integrator integrator : integrators) {
    StepScene s(c->workspace, c->state, random, 0.01, integrator);
    Change x = s.random_change();
    Point out = {VectorXd::Constant(s.n, 77), VectorXd(s.n)};
    ASSERT_EQ(s.try_jvp(x, nullptr, out), Status::ok) << s.w.message();
    out.q.setConstant(77);
    x.v[0] = std::nan("");
    EXPECT_EQ(s.try_jvp(x, nullptr, out), Status::not_finite);
    EXPECT_EQ(step_vjp(s.w, integrator, {}, 0.01, s.in, x.v.data(), nullptr, {}, {{out.q.data(), 0}, {}, {}}),
              Status::not_finite);
    EXPECT_EQ(
        step_vjp(s.w, integrator, {}, std::nan(""), s.in, nullptr, nullptr, {}, {{out.q.data(), 0}, {}, {}}),
        Status::not_finite);
    EXPECT_EQ(out.q, VectorXd::Constant(s.n, 77));
  }
}

}  // namespace
}  // namespace tenon::testing
