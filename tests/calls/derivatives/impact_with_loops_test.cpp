// Derivatives of impacts of models with embedded loops: differences of whole calls along motions that keep loops closed, in
// both kinds of coordinates; the same loops by rows, all of them and some; products against matrices and each other.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(20, test_robots() / 4);
constexpr DerivativeOptions write{};

std::vector<ConstraintSpec> contacts(const Model& model, std::uint64_t seed, bool twice) {
  Random random(seed + 0x6000000);
  ConstraintOptions few;
  few.most_rows = twice ? model.ny : model.ny / 2;
  few.compliance = twice ? 0 : 0.2;
  few.duplicates = twice ? 1 : 0;
  return random_constraints(random, model, few);
}

// Impacts of a workspace, and their derivatives, in its coordinates.
struct Impacts {
  Impacts(Workspace& workspace, const VectorXd& e, const VectorXd& q_, const VectorXd& v_)
      : w(workspace),
        n(static_cast<int>(v_.size())),
        m(w.impl().rows()),
        restitution(e),
        q(q_),
        v(v_),
        v_q(n, n),
        v_v(n, n),
        i_q(m, n),
        i_v(m, n),
        after(n),
        impulse(m) {}

  ImpactInputs in() const {
    return {restitution.data(), static_cast<int>(restitution.size()), q.data(), v.data()};
  }
  Status compute() {
    return impact_derivatives(
        w, write, in(), after.data(), impulse.data(),
        {{{v_q.data(), n}, {v_v.data(), n}, {}}, {{i_q.data(), m}, {i_v.data(), m}, {}}});
  }
  // Velocities above impulses, of the whole call at another state; empty where it fails.
  VectorXd hit(const VectorXd& at, VectorXd velocity) const {
    VectorXd forces(m);
    const Status status = impact(w, restitution.data(), static_cast<int>(restitution.size()), at.data(),
                                 velocity.data(), forces.data());
    EXPECT_EQ(status, Status::ok) << w.message();
    VectorXd all(n + m);
    all << velocity, forces;
    return all;
  }
  VectorXd along(const VectorXd& dq, const VectorXd& dv) const {
    VectorXd all(n + m);
    all << v_q * dq + v_v * dv, i_q * dq + i_v * dv;
    return all;
  }
  double size_of_velocities() const { return largest(v_q) + largest(v_v); }
  double size() const { return size_of_velocities() + largest(i_q) + largest(i_v); }

  Workspace& w;
  int n, m;
  VectorXd restitution, q, v;
  MatrixXd v_q, v_v, i_q, i_v;
  VectorXd after, impulse;
};

// <w, J d> = <J^T w, d>, and both are products with the matrices, by another factor of the mass matrix where no loops are
// embedded.
void expect_products(Impacts& x, Random& random) {
  const int n = x.n, m = x.m;
  const VectorXd g = random_vector(random, n), gi = random_vector(random, m), dq = random_vector(random, n),
                 dv = random_vector(random, n);
  VectorXd by_q(n), by_v(n), after(n), impulse(m), dafter(n), dimpulse(m);
  ASSERT_EQ(impact_vjp(x.w, write, x.in(), g.data(), gi.data(), after.data(), impulse.data(),
                       {{by_q.data(), 0}, {by_v.data(), 0}, {}}),
            Status::ok)
      << x.w.message();
  EXPECT_LE(relative_error(after, x.after), 1e-9);
  EXPECT_LE(relative_error(impulse, x.impulse), 1e-9);
  ASSERT_EQ(impact_jvp(x.w, write, x.in(), dq.data(), dv.data(), after.data(), impulse.data(), dafter.data(),
                       dimpulse.data()),
            Status::ok);
  EXPECT_LE(relative_error(after, x.after), 1e-9);
  EXPECT_LE(relative_error(impulse, x.impulse), 1e-9);
  const double size = x.size();
  EXPECT_LE(std::abs(g.dot(dafter) + gi.dot(dimpulse) - by_q.dot(dq) - by_v.dot(dv)), 1e-10 * size);
  EXPECT_LE(relative_error(by_q, x.v_q.transpose() * g + x.i_q.transpose() * gi, size), 1e-10);
  EXPECT_LE(relative_error(by_v, x.v_v.transpose() * g + x.i_v.transpose() * gi, size), 1e-10);
  VectorXd change(n + m);
  change << dafter, dimpulse;
  EXPECT_LE(relative_error(change, x.along(dq, dv), size), 1e-10);
  // Along one of the two.
  ASSERT_EQ(impact_jvp(x.w, write, x.in(), nullptr, dv.data(), nullptr, nullptr, dafter.data(), nullptr),
            Status::ok);
  EXPECT_LE(relative_error(dafter, x.v_v * dv, size), 1e-10);
  ASSERT_EQ(impact_jvp(x.w, write, x.in(), dq.data(), nullptr, nullptr, nullptr, dafter.data(), nullptr),
            Status::ok);
  EXPECT_LE(relative_error(dafter, x.v_q * dq, size), 1e-10);
}

// A matrix alone is that among all.
void expect_alone(Impacts& x) {
  const MatrixXd all[] = {x.v_q, x.v_v, x.i_q, x.i_v};
  for (int only = 0; only < 4; ++only) {
    MatrixXd found = MatrixXd::Constant(all[only].rows(), all[only].cols(), -77);
    const auto out = [&](int which, int ld) {
      return which == only ? DerivativeOut{found.data(), ld} : DerivativeOut{};
    };
    ASSERT_EQ(impact_derivatives(x.w, write, x.in(), nullptr, nullptr,
                                 {{out(0, x.n), out(1, x.n), {}}, {out(2, x.m), out(3, x.m), {}}}),
              Status::ok)
        << x.w.message();
    EXPECT_LE(relative_error(found, all[only], x.size()), 1e-13) << only;
  }
}

// Of the fourth order; empty where one of the four values is.
template <class At>
VectorXd slope(double h, const At& at) {
  VectorXd x[4];
  const double steps[] = {-2 * h, -h, h, 2 * h};
  for (int i = 0; i < 4; ++i) {
    x[i] = at(steps[i]);
    if (x[i].size() == 0) return {};
  }
  return (x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h);
}
// Next to dead centres long steps leave the curve, elsewhere short ones lose digits: with an entry of G of 34 slopes were off by 1,
// 5e-5 and 4e-9.
constexpr double long_step = 2e-4, short_step = 2e-5, shortest_step = 2e-6;

// A mechanism that hits, in both kinds of coordinates, and a motion of it: q moves by G dy, ydot by dydot.
struct Scene {
  Scene(const LoopScene& scene, std::uint64_t seed, bool twice)
      : random(seed),
        specs(contacts(*scene.model, seed, twice)),
        loops(scene, random, ConstraintSet::bind(scene.model, specs)),
        m(loops.w.impl().rows()),
        restitution(twice ? VectorXd::Constant(m, 0.3)
                          : VectorXd(random_vector(random, m).array().abs().min(1))),
        spanning(loops.w, restitution, loops.q, loops.v),
        reduced(loops.independent, restitution, loops.q, loops.ydot),
        dy(random_vector(random, scene.model->ny)),
        dydot(random_vector(random, scene.model->ny)) {}

  bool solve(bool twice) {
    if (m == 0 || reduced.n == 0 || !loops.regular()) return false;
    const Status status = reduced.compute();
    // Rows that nothing moves, or that depend on each other here.
    if (status == Status::singular_configuration || status == Status::not_positive_definite) return false;
    if (std::string(reduced.w.message()).find("contradict") != std::string::npos) return false;
    EXPECT_EQ(status, Status::ok) << reduced.w.message();
    const int rank = reduced.w.report().rank;
    if (status != Status::ok || rank == 0 || (rank < m) != twice) return false;
    EXPECT_EQ(spanning.compute(), Status::ok) << spanning.w.message();
    return reduced.size() < 1e5;
  }
  // Of the motion; empty where loops do not close.
  VectorXd positions(double t) {
    VectorXd q(loops.q.size());
    const VectorXd dq = loops.G * dy;
    EXPECT_EQ(integrate(loops.w, loops.q.data(), dq.data(), t, q.data()), Status::ok);
    return close_loops(loops.w, LoopMoves::dependent, q.data(), nullptr) == Status::ok ? q : VectorXd();
  }
  VectorXd velocities(const VectorXd& q, double t) {
    const VectorXd ydot = loops.ydot + t * dydot;
    VectorXd v(loops.v.size());
    return spanning_velocity(loops.w, q.data(), ydot.data(), v.data()) == Status::ok ? v : VectorXd();
  }
  VectorXd change_of_velocities(double h) {
    return slope(h, [&](double t) {
      const VectorXd q = positions(t);
      return q.size() == 0 ? q : velocities(q, t);
    });
  }

  Random random;
  std::vector<ConstraintSpec> specs;
  MovingLoops loops;
  int m;
  VectorXd restitution;
  Impacts spanning, reduced;
  VectorXd dy, dydot;
};

template <class Check>
void for_scenes(bool twice, const Check& check) {
  int looked_at = 0;
  for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().cluster_count == 0) continue;
    Scene x(scene, static_cast<std::uint64_t>(seed), twice);
    if (!x.solve(twice)) continue;
    if (check(scene, x)) ++looked_at;
  }
  EXPECT_GT(looked_at, robots / 10);
}

// Of dependent rows velocities alone: impulses are one of their splits.
double error_of_slope(const Impacts& x, bool with_impulses, const VectorXd& slopes,
                      const VectorXd& expected) {
  const int m = with_impulses ? x.m : 0;
  const double of_velocities = relative_error(expected.head(x.n), slopes.head(x.n), x.size_of_velocities());
  return larger(of_velocities, m == 0 ? 0 : relative_error(expected.tail(m), slopes.tail(m), x.size()));
}

TEST(ImpactsWithLoops, AreSlopesOfWholeCalls) {
  for (const bool twice : {false, true})
    for_scenes(twice, [&](const LoopScene&, Scene& x) {
      double error = INFINITY;
      for (const double h : {long_step, short_step, shortest_step}) {
        const VectorXd dv = x.change_of_velocities(h);
        if (dv.size() == 0) return false;
        const VectorXd of_reduced =
            slope(h, [&](double t) { return x.reduced.hit(x.positions(t), x.loops.ydot + t * x.dydot); });
        const VectorXd of_spanning = slope(h, [&](double t) {
          const VectorXd q = x.positions(t);
          return x.spanning.hit(q, x.velocities(q, t));
        });
        error =
            larger(error_of_slope(x.reduced, !twice, of_reduced, x.reduced.along(x.dy, x.dydot)),
                   error_of_slope(x.spanning, !twice, of_spanning, x.spanning.along(x.loops.G * x.dy, dv)));
        if (error <= 1e-6) break;
      }
      EXPECT_LE(error, 1e-6);
      return true;
    });
}

TEST(ImpactsWithLoops, ProductsAreThoseWithMatrices) {
  for (const bool twice : {false, true})
    for_scenes(twice, [](const LoopScene&, Scene& x) {
      expect_products(x.reduced, x.random);
      expect_products(x.spanning, x.random);
      expect_alone(x.reduced), expect_alone(x.spanning);
      return true;
    });
}

// With some of the loops closed by rows, which have a rebound of their own that closed loops never see.
TEST(ImpactsWithLoops, AreThoseOfLoopsByRows) {
  int looked_at = 0, mixed = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 3);
    if (scene.mechanism.loops.empty()) continue;
    Scene x(scene, static_cast<std::uint64_t>(seed), false);
    if (!x.solve(false)) continue;
    std::vector<bool> embedded(scene.mechanism.loops.size());
    for (std::size_t l = 0; l < embedded.size(); ++l) embedded[l] = x.random.chance(0.4);
    LoopScene by_rows;
    try {
      by_rows = with_row_loops(scene, embedded);
    } catch (const Error&) {
      continue;
    }
    const VectorXd dv = x.change_of_velocities(largest(x.loops.G) < 16 ? short_step : shortest_step),
                   dq = x.loops.G * x.dy;
    if (dv.size() == 0) continue;
    const Model& model = *by_rows.model;
    const auto set = ConstraintSet::bind(by_rows.model, x.specs);
    Workspace all(by_rows.model, set), independent(by_rows.model, set);
    ASSERT_EQ(set_coordinates(independent, Coordinates::spanning, Coordinates::independent), Status::ok);
    const auto moved = [&](const VectorXd& a) { return in_order_of(model, *scene.model, a, false); };
    const auto of_independent = [&](const VectorXd& a) {
      VectorXd y(model.ny);
      for (int j = 0; j < model.ny; ++j) y(j) = a(model.data().independent[j]);
      return y;
    };
    const int rows = all.impl().rows();
    ASSERT_GE(rows, x.m);
    const VectorXd q = in_order_of(model, *scene.model, x.loops.q, true), v = moved(x.loops.v),
                   e = VectorXd::Constant(rows, 0.4);
    Impacts in_all(all, e, q, v), in_independent(independent, e, q, of_independent(v));
    x.spanning.restitution = x.reduced.restitution = VectorXd::Constant(x.m, 0.4);
    ASSERT_EQ(x.spanning.compute(), Status::ok) << x.spanning.w.message();
    const VectorXd change = moved(x.spanning.along(dq, dv).head(x.spanning.n));
    const double size = x.spanning.size_of_velocities();
    const Status status = in_all.compute();
    if (status == Status::singular_configuration) continue;
    ASSERT_EQ(status, Status::ok) << all.message();
    if (relative_error(in_all.after, moved(x.spanning.after)) > 1e-9) continue;
    EXPECT_LE(relative_error(in_all.along(moved(dq), moved(dv)).head(in_all.n), change, size), 1e-6);
    expect_products(in_all, x.random);
    ++looked_at;
    const Status reduced = in_independent.compute();
    if (reduced == Status::singular_configuration) continue;
    ASSERT_EQ(reduced, Status::ok) << independent.message();
    EXPECT_LE(
        relative_error(
            in_independent.along(of_independent(moved(dq)), of_independent(moved(dv))).head(in_independent.n),
            of_independent(change), size),
        1e-6);
    expect_products(in_independent, x.random);
    mixed += model.data().cluster_count > 0 && !model.row_loops.empty();
  }
  EXPECT_GT(looked_at, robots / 10);
  EXPECT_GT(mixed, robots / 40);
}

// Where nothing is hit, in independent coordinates.
TEST(ImpactsWithLoops, WithoutRowsLeaveVelocities) {
  for (int seed = 0; seed < 20; ++seed) {
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops loops(scene, random);
    if (scene.model->data().cluster_count == 0 || scene.model->ny == 0 || !loops.regular()) continue;
    Impacts x(loops.independent, {}, loops.q, loops.ydot);
    ASSERT_EQ(x.compute(), Status::ok) << x.w.message();
    EXPECT_EQ(x.after, loops.ydot);
    EXPECT_EQ(x.v_q, MatrixXd::Zero(x.n, x.n));
    EXPECT_EQ(x.v_v, MatrixXd::Identity(x.n, x.n));
    expect_products(x, random);
  }
}

}  // namespace
}  // namespace tenon::testing
