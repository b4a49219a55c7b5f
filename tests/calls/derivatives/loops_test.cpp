// Derivatives on models with embedded loops: the reduced equations in dual numbers through G and g as kernels compute them,
// which derivatives do not use; matrices and products of both kinds of coordinates against each other; the same loops by
// rows; differences of whole calls.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/exact/dual.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(12, test_robots() / 5);
constexpr DerivativeOptions write{};

DerivativeOut to(MatrixXd& x) {
  return {x.data(), static_cast<int>(x.rows())};
}
DerivativeOut to(VectorXd& x) {
  return {x.data(), 0};
}

struct Matrices {
  Matrices(int n, int m)
      : q(n, n), v(n, n), tau(n, n), k(n, m), lq(m, n), lv(m, n), ltau(m, n), lk(m, m), qdd(n), lambda(m) {}
  ConstrainedDerivatives out() {
    return {{to(q), to(v), to(tau)}, to(k), {to(lq), to(lv), to(ltau)}, to(lk)};
  }
  MatrixXd q, v, tau, k, lq, lv, ltau, lk;
  VectorXd qdd, lambda;
};

// Contacts of a mechanism that leave it freedoms.
std::shared_ptr<const ConstraintSet> contacts(const std::shared_ptr<const Model>& model, std::uint64_t seed) {
  Random random(seed + 0x7000000);
  ConstraintOptions few;
  few.most_rows = model->ny / 2;
  few.compliance = 0.2;
  return ConstraintSet::bind(model, random_constraints(random, *model, few));
}

// A mechanism in motion with rows or without.
struct Scene {
  Scene(const LoopScene& scene, std::uint64_t seed, bool with_rows)
      : random(seed),
        loops(scene, random, with_rows ? contacts(scene.model, seed) : nullptr),
        n(scene.model->nv),
        ny(scene.model->ny),
        m(loops.w.impl().rows()),
        desired(as_std(random_vector(random, m))),
        spanning(n, m),
        reduced(ny, m) {
    // Forces on independent coordinates alone: those of others change with G where q moves.
    loops.tau_y = random_vector(random, ny);
    loops.tau = on_independent(loops.tau_y);
    in = {loops.q.data(), loops.v.data(), loops.tau.data(), loops.wrenches.data(), desired.data()};
    in_y = {loops.q.data(), loops.ydot.data(), loops.tau_y.data(), loops.wrenches.data(), desired.data()};
  }
  VectorXd on_independent(const VectorXd& y) const {
    VectorXd all = VectorXd::Zero(n);
    for (int j = 0; j < ny; ++j) all(loops.w.impl().model->data().independent[j]) = y(j);
    return all;
  }
  static std::vector<double> as_std(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }

  bool solve() {
    if (!loops.regular()) return false;
    const Status status = derivatives(loops.independent, in_y, reduced);
    if (status == Status::singular_configuration || status == Status::not_positive_definite) return false;
    if (std::string(loops.independent.message()).find("contradict") != std::string::npos) return false;
    EXPECT_EQ(status, Status::ok) << loops.independent.message();
    if (status != Status::ok || (m > 0 && loops.independent.report().rank < m)) return false;
    EXPECT_EQ(derivatives(loops.w, in, spanning), Status::ok) << loops.w.message();
    return largest(reduced.q) < 1e6;
  }
  Status derivatives(Workspace& w, const Inputs<double>& inputs, Matrices& x) const {
    if (m > 0)
      return constrained_dynamics_derivatives(w, write, inputs, x.qdd.data(), x.lambda.data(), x.out());
    return forward_dynamics_derivatives(w, write, inputs, x.qdd.data(), x.out().qdd);
  }

  Random random;
  MovingLoops loops;
  int n, ny, m;
  std::vector<double> desired;
  Inputs<double> in, in_y;
  Matrices spanning, reduced;
};

template <class Check>
void for_scenes(bool with_rows, int least, const Check& check) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().cluster_count == 0) continue;
    Scene x(scene, static_cast<std::uint64_t>(seed), with_rows);
    if ((with_rows && x.m == 0) || x.ny == 0 || !x.solve()) continue;
    check(x);
    ++looked_at;
  }
  EXPECT_GT(looked_at, least);
}

TEST(LoopDerivatives, SolveTheLinearisedEquations) {
  for (const bool with_rows : {false, true})
    for_scenes(with_rows, robots / 5, [](Scene& x) {
      const VectorXd dk = random_vector(x.random, x.m), dtau_y = random_vector(x.random, x.ny);
      const Direction d = {random_vector(x.random, x.ny), random_vector(x.random, x.ny),
                           x.on_independent(dtau_y)};
      VectorXd dyddot = x.reduced.q * d.q + x.reduced.v * d.v + x.reduced.tau * dtau_y,
               dlambda = VectorXd::Zero(x.m);
      if (x.m > 0) {
        dyddot += x.reduced.k * dk;
        dlambda = x.reduced.lq * d.q + x.reduced.lv * d.v + x.reduced.ltau * dtau_y + x.reduced.lk * dk;
      }
      DualDynamics exact(x.loops.w, Scene::as_std(x.loops.q), Scene::as_std(x.loops.v), x.loops.wrenches);
      const VectorXd lambda = x.m > 0 ? x.reduced.lambda : VectorXd();
      const auto left = [&](const Direction& along, const VectorXd& a, const VectorXd& b, const VectorXd& c) {
        return exact.looped(x.loops.ydot, x.reduced.qdd, lambda, x.loops.tau, x.desired, along, a, b, c);
      };
      const VectorXd y0 = VectorXd::Zero(x.ny), m0 = VectorXd::Zero(x.m);
      const ResidualChanges all = left(d, dyddot, dlambda, dk), by_state = left(d, y0, m0, dk),
                            by_qdd = left({}, dyddot, m0, m0);
      EXPECT_LE(largest(all.r), 1e-8 * (largest(by_state.r) + largest(by_qdd.r)));
      EXPECT_LE(largest(all.s), 1e-8 * (largest(by_state.s) + largest(by_qdd.s)));
    });
}

// D of spanning velocities v where q moves by G dy and ydot stays, by differences; empty where loops do not close.
MatrixXd change_of_velocities(Scene& x) {
  MatrixXd D(x.n, x.ny);
  const double h = 1e-6;
  for (int j = 0; j < x.ny; ++j) {
    VectorXd sides[2] = {VectorXd(x.n), VectorXd(x.n)};
    for (const int side : {0, 1}) {
      VectorXd q(x.loops.q.size());
      const VectorXd move = x.loops.G.col(j);
      EXPECT_EQ(integrate(x.loops.w, x.loops.q.data(), move.data(), side == 0 ? -h : h, q.data()),
                Status::ok);
      if (close_loops(x.loops.w, LoopMoves::dependent, q.data(), nullptr) != Status::ok) return {};
      if (spanning_velocity(x.loops.w, q.data(), x.loops.ydot.data(), sides[side].data()) != Status::ok)
        return {};
    }
    D.col(j) = (sides[1] - sides[0]) / (2 * h);
  }
  return D;
}

// Motions of the tree that keep loops closed: dq = G dy, dv = G dydot + D dy.
TEST(LoopDerivatives, AreTheSameInBothCoordinates) {
  for (const bool with_rows : {false, true})
    for_scenes(with_rows, robots / 5, [](Scene& x) {
      const MatrixXd& G = x.loops.G;
      const double size = largest(x.reduced.q) + largest(x.reduced.v);
      const auto independent = [&](const MatrixXd& of_all) {
        MatrixXd rows(x.ny, of_all.cols());
        for (int j = 0; j < x.ny; ++j)
          rows.row(j) = of_all.row(x.loops.w.impl().model->data().independent[j]);
        return rows;
      };
      EXPECT_LE(relative_error(independent(x.spanning.v * G), x.reduced.v, size), 1e-8);
      EXPECT_LE(relative_error(x.spanning.tau, G * x.reduced.tau * G.transpose()), 1e-8);
      const MatrixXd D = change_of_velocities(x);
      if (D.size() == 0) return;
      EXPECT_LE(relative_error(independent(x.spanning.q * G + x.spanning.v * D), x.reduced.q, size), 1e-5);
      if (x.m == 0) return;
      EXPECT_LE(relative_error(x.spanning.lambda, x.reduced.lambda), 1e-8);
      EXPECT_LE(relative_error(x.spanning.lv * G, x.reduced.lv), 1e-7);
      EXPECT_LE(relative_error(independent(x.spanning.k), x.reduced.k), 1e-8);
    });
}

void expect_products(Scene& x, Workspace& w, const Inputs<double>& in, const Matrices& all) {
  const auto n = static_cast<int>(all.q.rows());
  const VectorXd g = random_vector(x.random, n), gl = random_vector(x.random, x.m),
                 dq = random_vector(x.random, n), dv = random_vector(x.random, n),
                 dtau = random_vector(x.random, n), dk = random_vector(x.random, x.m);
  VectorXd q(n), v(n), tau(n), k(x.m), qdd(n), lambda(x.m), dqdd(n), dlambda(x.m);
  if (x.m > 0) {
    ASSERT_EQ(constrained_dynamics_vjp(w, write, in, g.data(), gl.data(), qdd.data(), lambda.data(),
                                       {{to(q), to(v), to(tau)}, to(k)}),
              Status::ok);
    ASSERT_EQ(constrained_dynamics_jvp(w, write, in, {{dq.data(), dv.data(), dtau.data()}, dk.data()},
                                       nullptr, nullptr, dqdd.data(), dlambda.data()),
              Status::ok);
  } else {
    ASSERT_EQ(forward_dynamics_vjp(w, write, in, g.data(), qdd.data(), {to(q), to(v), to(tau)}), Status::ok);
    ASSERT_EQ(forward_dynamics_jvp(w, write, in, {dq.data(), dv.data(), dtau.data()}, nullptr, dqdd.data()),
              Status::ok);
  }
  EXPECT_LE(relative_error(qdd, all.qdd), 1e-13);
  const double size = largest(all.q) + largest(all.v) + (x.m > 0 ? largest(all.lq) + largest(all.lv) : 0);
  const auto compare = [&](const VectorXd& a, const MatrixXd& of_qdd, const MatrixXd& of_lambda) {
    VectorXd expected = of_qdd.transpose() * g;
    if (x.m > 0) expected += of_lambda.transpose() * gl;
    EXPECT_LE(relative_error(a, expected, size), 1e-8);
  };
  compare(q, all.q, all.lq), compare(v, all.v, all.lv), compare(tau, all.tau, all.ltau);
  VectorXd expected = all.q * dq + all.v * dv + all.tau * dtau;
  if (x.m > 0) expected += all.k * dk;
  EXPECT_LE(relative_error(dqdd, expected, largest(all.q) + largest(all.v)), 1e-9);
  if (x.m == 0) return;
  compare(k, all.k, all.lk);
  expected = all.lq * dq + all.lv * dv + all.ltau * dtau + all.lk * dk;
  EXPECT_LE(relative_error(dlambda, expected, largest(all.lq) + largest(all.lv)), 1e-9);
}

TEST(LoopDerivatives, ProductsAreThoseWithMatrices) {
  for (const bool with_rows : {false, true})
    for_scenes(with_rows, robots / 5, [](Scene& x) {
      expect_products(x, x.loops.independent, x.in_y, x.reduced);
      expect_products(x, x.loops.w, x.in, x.spanning);
    });
}

// tau = G^T ID(q, G ydot, G a + g), along one direction.
TEST(LoopDerivatives, OfInverseDynamics) {
  for_scenes(false, robots / 5, [](Scene& x) {
    MatrixXd q(x.ny, x.ny), v(x.ny, x.ny), a(x.ny, x.ny);
    VectorXd tau(x.ny), expected_tau(x.ny), g_q(x.ny), g_v(x.ny), g_a(x.ny), dtau(x.ny);
    Workspace& w = x.loops.independent;
    Inputs<double> in = {x.loops.q.data(), x.loops.ydot.data(), nullptr, x.loops.wrenches.data(),
                         nullptr,          x.loops.yddot.data()};
    ASSERT_EQ(inverse_dynamics(w, in, expected_tau.data()), Status::ok);
    ASSERT_EQ(inverse_dynamics_derivatives(w, write, in, tau.data(), {to(q), to(v), to(a)}), Status::ok)
        << w.message();
    EXPECT_LE(relative_error(tau, expected_tau), 1e-12);
    const Direction d = {random_vector(x.random, x.ny), random_vector(x.random, x.ny), {}};
    const VectorXd da = random_vector(x.random, x.ny), gradient = random_vector(x.random, x.ny);
    DualDynamics exact(x.loops.w, Scene::as_std(x.loops.q), Scene::as_std(x.loops.v), x.loops.wrenches);
    const VectorXd zero = VectorXd::Zero(x.n),
                   expected = exact.looped(x.loops.ydot, x.loops.yddot, {}, zero, {}, d, da, {}, {}).r,
                   along = q * d.q + v * d.v + a * da;
    EXPECT_LE(relative_error(along, expected, largest(q) + largest(v)), 1e-10);
    ASSERT_EQ(inverse_dynamics_vjp(w, write, in, gradient.data(), tau.data(), {to(g_q), to(g_v), to(g_a)}),
              Status::ok);
    ASSERT_EQ(inverse_dynamics_jvp(w, write, in, {d.q.data(), d.v.data(), da.data()}, nullptr, dtau.data()),
              Status::ok);
    EXPECT_LE(relative_error(dtau, along, largest(q) + largest(v)), 1e-11);
    EXPECT_LE(relative_error(g_q, q.transpose() * gradient, largest(q) + largest(v)), 1e-10);
    EXPECT_LE(relative_error(g_v, v.transpose() * gradient, largest(q) + largest(v)), 1e-10);
    EXPECT_LE(relative_error(g_a, a.transpose() * gradient, largest(a)), 1e-10);
    // In spanning coordinates that of the tree.
    MatrixXd tree_q(x.n, x.n), tree_v(x.n, x.n), M(x.n, x.n), expected_M(x.n, x.n);
    Inputs<double> of_tree = {x.loops.q.data(),        x.loops.v.data(), nullptr,
                              x.loops.wrenches.data(), nullptr,          x.loops.qdd.data()};
    VectorXd tree_tau(x.n), tree_g(x.n), tree_gv(x.n), tree_ga(x.n);
    const Direction all = {random_vector(x.random, x.n), random_vector(x.random, x.n),
                           random_vector(x.random, x.n)};
    const VectorXd weight = random_vector(x.random, x.n);
    ASSERT_EQ(inverse_dynamics_derivatives(x.loops.w, write, of_tree, tree_tau.data(),
                                           {to(tree_q), to(tree_v), to(M)}),
              Status::ok);
    EXPECT_LE(
        relative_error(tree_q * all.q + tree_v * all.v + M * all.third,
                       exact.inverse(Scene::as_std(x.loops.qdd), all), largest(tree_q) + largest(tree_v)),
        1e-10);
    ASSERT_EQ(inverse_dynamics_vjp(x.loops.w, write, of_tree, weight.data(), nullptr,
                                   {to(tree_g), to(tree_gv), to(tree_ga)}),
              Status::ok);
    EXPECT_LE(relative_error(tree_g, tree_q.transpose() * weight, largest(tree_q)), 1e-10);
    EXPECT_LE(relative_error(tree_ga, M * weight, largest(M)), 1e-10);
  });
}

// The same loops closed by rows have the same derivatives along motions that keep them closed.
TEST(LoopDerivatives, AreThoseOfLoopsByRows) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.mechanism.loops.empty()) continue;
    LoopScene by_rows;
    try {
      by_rows = with_row_loops(scene, std::vector<bool>(scene.mechanism.loops.size(), false));
    } catch (const Error&) {
      continue;
    }
    Scene x(scene, static_cast<std::uint64_t>(seed), false);
    if (x.ny == 0 || !x.solve()) continue;
    const MatrixXd D = change_of_velocities(x);
    if (D.size() == 0) continue;
    Workspace rows(by_rows.model);
    const auto moved = [&](const VectorXd& a, bool positions) {
      return in_order_of(*by_rows.model, *scene.model, a, positions);
    };
    const VectorXd q = moved(x.loops.q, true), v = moved(x.loops.v, false), tau = moved(x.loops.tau, false);
    const Inputs<double> in = {q.data(), v.data(), tau.data(), x.loops.wrenches.data()};
    VectorXd qdd(x.n), dqdd(x.n);
    for (int j = 0; j < x.ny; ++j) {
      const VectorXd dq = moved(x.loops.G.col(j), false), dv = moved(D.col(j), false);
      const Status status =
          constrained_dynamics_jvp(rows, write, in, {{dq.data(), dv.data(), nullptr}, nullptr}, qdd.data(),
                                   nullptr, dqdd.data(), nullptr);
      if (status == Status::singular_configuration) break;
      ASSERT_EQ(status, Status::ok) << rows.message();
      if (relative_error(qdd, moved(x.spanning.qdd, false)) > 1e-9) break;
      const VectorXd expected = x.spanning.q * x.loops.G.col(j) + x.spanning.v * D.col(j);
      EXPECT_LE(relative_error(dqdd, moved(expected, false), largest(x.spanning.q)), 1e-7);
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, robots / 5);
}

TEST(LoopDerivatives, AreSlopesOfWholeCalls) {
  for (const bool with_rows : {false, true})
    for_scenes(with_rows, robots / 5, [](Scene& x) {
      const VectorXd dy = random_vector(x.random, x.ny), dydot = random_vector(x.random, x.ny);
      const VectorXd dq = x.loops.G * dy;
      const double h = 1e-6;
      VectorXd yddot[2] = {VectorXd(x.ny), VectorXd(x.ny)}, lambda[2] = {VectorXd(x.m), VectorXd(x.m)};
      for (const int side : {0, 1}) {
        const double step = side == 0 ? -h : h;
        VectorXd q(x.loops.q.size());
        ASSERT_EQ(integrate(x.loops.w, x.loops.q.data(), dq.data(), step, q.data()), Status::ok);
        if (close_loops(x.loops.w, LoopMoves::dependent, q.data(), nullptr) != Status::ok) return;
        const VectorXd ydot = x.loops.ydot + step * dydot;
        const Inputs<double> in = {q.data(), ydot.data(), x.loops.tau_y.data(), x.loops.wrenches.data(),
                                   x.desired.data()};
        ASSERT_EQ(x.m > 0 ? constrained_dynamics(x.loops.independent, {}, in, yddot[side].data(),
                                                 lambda[side].data())
                          : forward_dynamics(x.loops.independent, in, yddot[side].data()),
                  Status::ok);
      }
      EXPECT_LE(relative_error((yddot[1] - yddot[0]) / (2 * h), x.reduced.q * dy + x.reduced.v * dydot,
                               largest(x.reduced.q) + largest(x.reduced.v)),
                1e-5);
    });
}

// By armatures, damping and the mass of a link, against differences of whole calls.
TEST(LoopDerivatives, ByParameters) {
  for (const bool with_rows : {false, true})
    for_scenes(with_rows, robots / 5, [](Scene& x) {
      const int n = x.n, links = static_cast<int>(x.loops.w.model().links.size());
      Workspace& w = x.loops.w;
      const VectorXd gradient = random_vector(x.random, n), z = random_vector(x.random, x.m),
                     armature = VectorXd::Constant(n, 0.2), damping = VectorXd::Constant(n, 0.3);
      const int link = random_link(x.random, w.model());
      ASSERT_EQ(set_joint_parameters(w, armature.data(), damping.data(), nullptr), Status::ok);
      VectorXd qdd(n), lambda(x.m), by_inertia(10 * links), by_armature(n), by_damping(n), by_friction(n),
          by_wrenches(6 * links), by_gravity(3);
      VectorXd wrenches = VectorXd::Map(x.loops.wrenches.data(), 6 * links);
      Inputs<double> in = x.in;
      in.wrenches = wrenches.data();
      const auto value = [&] {
        EXPECT_EQ(x.m > 0 ? constrained_dynamics(w, {}, in, qdd.data(), lambda.data())
                          : forward_dynamics(w, in, qdd.data()),
                  Status::ok);
        return x.m > 0 ? gradient.dot(qdd) + z.dot(lambda) : gradient.dot(qdd);
      };
      const ParameterGradient out = {by_inertia.data(),  by_armature.data(), by_damping.data(),
                                     by_friction.data(), by_wrenches.data(), by_gravity.data()};
      const Status status = x.m > 0
                                ? constrained_dynamics_parameter_vjp(w, write, in, gradient.data(), z.data(),
                                                                     nullptr, nullptr, out)
                                : forward_dynamics_parameter_vjp(w, write, in, gradient.data(), nullptr, out);
      if (status != Status::ok) return;  // rows that contradict each other with these armatures
      const double size = std::abs(value()) + largest(qdd) + (x.m > 0 ? largest(lambda) : 0);
      const VectorXd along = random_vector(x.random, n);
      const auto expect_slope = [&](double expected, const auto& set_to) {
        const double h = 1e-5;
        set_to(h);
        const double above = value();
        set_to(-h);
        const double below = value();
        set_to(0.0);
        EXPECT_NEAR(expected, (above - below) / (2 * h), 1e-5 * (std::abs(expected) + size));
      };
      expect_slope(by_armature.dot(along), [&](double step) {
        const VectorXd moved = armature + step * along;
        EXPECT_EQ(set_joint_parameters(w, moved.data(), nullptr, nullptr), Status::ok);
      });
      expect_slope(by_damping.dot(along), [&](double step) {
        const VectorXd moved = damping + step * along;
        EXPECT_EQ(set_joint_parameters(w, nullptr, moved.data(), nullptr), Status::ok);
      });
      const VectorXd pull = random_vector(x.random, 6 * links), kept = wrenches;
      expect_slope(by_wrenches.dot(pull), [&](double step) { wrenches = kept + step * pull; });
      const Vector3 down = w.gravity();
      expect_slope(by_gravity[0] - 2 * by_gravity[2], [&](double step) {
        w.set_gravity({down[0] + step, down[1], down[2] - 2 * step});
      });
      const Vector3 center = {0.1, -0.2, 0.3};
      const double c2 = 0.14, I[] = {c2 - 0.01, 0.02, -0.03, c2 - 0.04, 0.06, c2 - 0.09};
      double expected = by_inertia(10 * link);
      for (int e = 0; e < 3; ++e)
        expected += by_inertia(10 * link + 1 + e) * center[static_cast<std::size_t>(e)];
      for (int e = 0; e < 6; ++e) expected += by_inertia(10 * link + 4 + e) * I[e];
      if (w.model().links[static_cast<std::size_t>(link)].is_frame) return;
      // A load is never negative.
      const double at = value(), h = 1e-6;
      ASSERT_EQ(set_payload(w, link, {h, center, {}}), Status::ok) << w.message();
      EXPECT_NEAR(expected, (value() - at) / h, 1e-4 * (std::abs(expected) + size));
    });
}

// What an overflow in one kind of coordinates leaves does not show in the other: at speeds next to those where results
// overflow too.
TEST(LoopDerivatives, AfterAnOverflowInOtherCoordinates) {
  int overflows = 0;
  for (int seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    MovingLoops t(scene, Random(static_cast<std::uint64_t>(seed)));
    Workspace& w = t.w;
    const int n = w.model().nv, ny = w.model().ny;
    if (ny < 2 || ny == n || !t.regular()) continue;
    MatrixXd all(n, n), reduced(ny, ny);
    const VectorXd zero = VectorXd::Zero(n);
    const auto of_spanning = [&](double speed, bool derivatives) {
      const VectorXd fast = speed * t.v;
      const Inputs<double> in = {t.q.data(), fast.data(), zero.data(), nullptr, nullptr, zero.data()};
      VectorXd tau(n);
      return derivatives ? inverse_dynamics_derivatives(w, write, in, nullptr, {to(all), {}, {}})
                         : inverse_dynamics(w, in, tau.data());
    };
    double least = 1e100, most = 1e200;
    while (most > least * 1.001)
      (of_spanning(std::sqrt(least) * std::sqrt(most), false) == Status::ok ? least : most) =
          std::sqrt(least) * std::sqrt(most);
    for (double speed = 0.5 * least; speed < least; speed *= 1.05) {
      for (const bool inverse : {true, false}) {
        if (of_spanning(speed, true) == Status::ok) continue;
        ++overflows;
        ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
        const Inputs<double> in = {t.q.data(), t.ydot.data(), zero.data(), nullptr, nullptr, zero.data()};
        const Derivatives out = {to(reduced), {}, {}};
        EXPECT_EQ(inverse ? inverse_dynamics_derivatives(w, write, in, nullptr, out)
                          : forward_dynamics_derivatives(w, write, in, nullptr, out),
                  Status::ok);
        ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::spanning), Status::ok);
      }
    }
  }
  EXPECT_GT(overflows, 0);
}

}  // namespace
}  // namespace tenon::testing
