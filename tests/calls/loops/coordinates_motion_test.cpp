// Motion in independent coordinates: derivatives of closed configurations, steps that keep loops closed, the
// balance of power, and projection onto contacts.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/conventions.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int mechanisms = std::max(12, test_robots() / 60);
constexpr Coordinates spanning = Coordinates::spanning, independent = Coordinates::independent;

// On a floating base where it walks.
LoopScene walking(const std::string& name) {
  return model_scene(name, name == "cassie" || name == "mini_cheetah");
}

constexpr const char* models[] = {"four_bar",     "six_bar", "planar_leg_linkage", "revolute_rotor_chain",
                                  "mini_cheetah", "cassie"};

// Along closed configurations y + h e_j, q moves at the rate of column j of G, and G ydot at the rate g.
TEST(Coordinates, SpanningPositionsHaveTheDerivativeG) {
  constexpr double h = 1e-6;
  for (const char* name : models) {
    SCOPED_TRACE(name);
    const LoopScene scene = walking(name);
    MovingLoops s(scene, Random(5));
    ASSERT_TRUE(s.regular(1e3));
    Workspace w(scene.model);
    ASSERT_EQ(set_coordinates(w, independent, independent), Status::ok) << w.message();
    const VectorXd& y = s.y;
    VectorXd moved(y.size()), ahead(s.q.size()), behind(s.q.size()), slope(s.v.size());
    for (int j = 0; j < scene.model->ny; ++j) {
      const VectorXd unit = VectorXd::Unit(scene.model->ny, j);
      ASSERT_EQ(integrate(w, y.data(), unit.data(), h, moved.data()), Status::ok) << w.message();
      ASSERT_EQ(spanning_positions(w, moved.data(), nullptr, ahead.data()), Status::ok);
      ASSERT_EQ(integrate(w, y.data(), unit.data(), -h, moved.data()), Status::ok);
      ASSERT_EQ(spanning_positions(w, moved.data(), nullptr, behind.data()), Status::ok);
      ASSERT_EQ(difference(s.w, behind.data(), ahead.data(), slope.data()), Status::ok);
      EXPECT_LE((slope / (2 * h) - s.G.col(j)).norm(), 1e-6 * std::max(1.0, s.G.col(j).norm()));
    }
  }
}

// The same for any mechanism, where integrate closes the loops: q moves at the rate G ydot, and that at g.
TEST(Coordinates, DerivativesOnRandomMechanisms) {
  constexpr double h = 1e-5;  // closed to 1e-15, K with singular values down to 1e-5
  int compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(mechanisms); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 10);
    MovingLoops s(scene, Random(seed + 1000));
    // Near a dead centre differences over h tell nothing.
    if (!s.regular(1e3) || s.ydot.size() == 0 || s.g.norm() > 100 || s.G.norm() > 20) continue;
    Workspace w(scene.model);
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    VectorXd ends[2] = {s.q, s.q}, rates[2] = {s.v, s.v}, slope(s.v.size());
    bool closed = true;
    for (int i = 0; i < 2; ++i) {
      closed =
          closed && integrate(w, s.q.data(), s.ydot.data(), i == 0 ? -h : h, ends[i].data()) == Status::ok;
      closed = closed && spanning_velocity(w, ends[i].data(), s.ydot.data(), rates[i].data()) == Status::ok;
    }
    if (!closed) continue;
    ++compared;
    ASSERT_EQ(difference(s.w, ends[0].data(), ends[1].data(), slope.data()), Status::ok);
    EXPECT_LE((slope / (2 * h) - s.v).norm(), 1e-6 * std::max(1.0, s.v.norm()));
    EXPECT_LE(((rates[1] - rates[0]) / (2 * h) - s.g).norm(), 1e-4 * std::max(1.0, s.g.norm() + s.v.norm()));
  }
  EXPECT_GT(compared, mechanisms / 2);
}

TEST(Coordinates, IntegrateAndDifference) {
  for (const char* name : models) {
    for (const Coordinates positions : {spanning, independent}) {
      SCOPED_TRACE(std::string(name) + (positions == spanning ? ", q" : ", y"));
      const LoopScene scene = walking(name);
      MovingLoops s(scene, Random(6));
      ASSERT_TRUE(s.regular(1e3));
      Workspace w(scene.model);
      ASSERT_EQ(set_coordinates(w, positions, independent), Status::ok);
      const VectorXd q = positions == spanning ? s.q : s.y;
      VectorXd next(q.size()), back(s.ydot.size());
      ASSERT_EQ(integrate(w, q.data(), s.ydot.data(), 0.05, next.data()), Status::ok) << w.message();
      ASSERT_EQ(difference(w, q.data(), next.data(), back.data()), Status::ok);
      EXPECT_LE((back - 0.05 * s.ydot).norm(), 1e-12);
      if (positions == independent) continue;
      double gap = 1;
      ASSERT_EQ(loop_gap(w, next.data(), &gap), Status::ok);
      EXPECT_LE(gap, 1e-12);
    }
  }
}

// Steps in time: the same motion in all coordinates, loops closed, energy kept up to the order of the step.
TEST(Coordinates, StepsKeepLoopsClosed) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage", "mini_cheetah"}) {
    SCOPED_TRACE(name);
    const LoopScene scene = walking(name);
    MovingLoops s(scene, Random(7));
    ASSERT_TRUE(s.regular(1e3));
    const int ny = scene.model->ny;
    Workspace a(scene.model), b(scene.model);
    ASSERT_EQ(set_coordinates(a, spanning, independent), Status::ok);
    ASSERT_EQ(set_coordinates(b, independent, independent), Status::ok);
    const VectorXd zero = VectorXd::Zero(ny);
    VectorXd q = s.q, v = 0.3 * s.ydot, y = s.y, ydot = v, yddot(ny), end(y.size());
    double start = 0, kinetic = 0, potential = 0, gap = 0;
    ASSERT_EQ(kinematics(a, q.data(), v.data(), nullptr), Status::ok);
    ASSERT_EQ(energy(a, &kinetic, &potential), Status::ok);
    start = kinetic + potential;
    for (int step = 0; step < 50; ++step) {
      ASSERT_EQ(
          step_runge_kutta_4(a, {}, 1e-3, q.data(), v.data(), zero.data(), nullptr, yddot.data(), nullptr),
          Status::ok)
          << a.message();
      ASSERT_EQ(
          step_runge_kutta_4(b, {}, 1e-3, y.data(), ydot.data(), zero.data(), nullptr, nullptr, nullptr),
          Status::ok)
          << b.message();
    }
    ASSERT_EQ(loop_gap(a, q.data(), &gap), Status::ok);
    EXPECT_LE(gap, 1e-12);
    ASSERT_EQ(independent_positions(a, q.data(), end.data()), Status::ok);
    EXPECT_LE((end - y).norm(), 1e-9);
    EXPECT_LE((v - ydot).norm(), 1e-9 * std::max(1.0, v.norm()));
    ASSERT_EQ(kinematics(a, q.data(), v.data(), nullptr), Status::ok);
    ASSERT_EQ(energy(a, &kinetic, &potential), Status::ok);
    EXPECT_NEAR(kinetic + potential, start, 1e-6 * std::max(1.0, std::abs(start)));
    ASSERT_EQ(
        step_semi_implicit_euler(a, {}, 1e-3, q.data(), v.data(), zero.data(), nullptr, nullptr, nullptr),
        Status::ok);
    ASSERT_EQ(loop_gap(a, q.data(), &gap), Status::ok);
    EXPECT_LE(gap, 1e-12);
  }
}

// A parallelogram that hangs swings as a pendulum does, T = 2 pi sqrt(I / (g m r)) (1 + a^2 / 16 + ...),
// whether a loop closes it or a coupling says the same.
TEST(Coordinates, FourBarSwingsAlikeByLoopAndByCoupling) {
  constexpr double hanging = -1.5707963267948966, amplitude = 0.02, dt = 2e-3;
  LoopScene by_loop = model_scene("four_bar");
  Mechanism tied = by_loop.mechanism;
  tied.loops.clear();
  tied.couplings.push_back({"parallel", {"joint2", "joint3"}, {"joint1"}, {-1, 1}, {}});
  CompileOptions options;
  options.gravity = {0, -9.81, 0};
  double periods[2] = {};
  for (const bool loop : {true, false}) {
    const auto model = Model::compile(loop ? by_loop.mechanism : tied, options);
    Workspace w(model);
    const VectorXd start =
        (VectorXd(3) << hanging + amplitude, -hanging - amplitude, hanging + amplitude).finished();
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    VectorXd q = start;
    double v = 0, c = 0, H = 0;
    const double zero = 0;
    const VectorXd down = (VectorXd(3) << hanging, -hanging, hanging).finished();
    const VectorXd aside = (VectorXd(3) << hanging + 1e-4, -hanging - 1e-4, hanging + 1e-4).finished();
    ASSERT_EQ(mass_matrix(w, down.data(), &H, 1), Status::ok);
    ASSERT_EQ(bias_force(w, aside.data(), &zero, nullptr, &c), Status::ok);
    int half_periods = 0;
    double crossing = 0, first = 0;
    for (int step = 0; half_periods < 5 && step < 10000; ++step) {
      const double before = q(0) - hanging, rate = v;
      ASSERT_EQ(step_runge_kutta_4(w, {}, dt, q.data(), &v, &zero, nullptr, nullptr, nullptr), Status::ok);
      const double after = q(0) - hanging;
      if (before * after > 0) continue;
      crossing = (step + before / (before - after)) * dt;
      if (half_periods++ == 0) first = crossing;
      EXPECT_NE(rate, 0);
    }
    double& period = periods[loop ? 0 : 1];
    period = 2 * (crossing - first) / (half_periods - 1);
    const double small = 2 * 3.141592653589793 * std::sqrt(H * 1e-4 / c);
    EXPECT_NEAR(period, small * (1 + amplitude * amplitude / 16), 2e-6 * small);
  }
  EXPECT_NEAR(periods[0], periods[1], 1e-10 * periods[0]);
}

// The power of all forces is the rate of energy.
TEST(Coordinates, PowerBalance) {
  for (const char* name : models) {
    SCOPED_TRACE(name);
    const LoopScene scene = walking(name);
    MovingLoops s(scene, Random(8));
    ASSERT_TRUE(s.regular(1e3));
    Workspace w(scene.model);
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    VectorXd yddot(scene.model->ny), q(s.q.size());
    ASSERT_EQ(forward_dynamics(w, {s.q.data(), s.ydot.data(), s.tau_y.data()}, yddot.data()), Status::ok);
    constexpr double h = 1e-4;
    double rate = 0;
    for (const double sign : {1.0, -1.0}) {
      const VectorXd v = s.ydot + sign * h * yddot, mean = s.ydot + 0.5 * sign * h * yddot;
      double kinetic = 0, potential = 0;
      ASSERT_EQ(integrate(w, s.q.data(), mean.data(), sign * h, q.data()), Status::ok);
      ASSERT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
      ASSERT_EQ(energy(w, &kinetic, &potential), Status::ok);
      rate += sign * (kinetic + potential) / (2 * h);
    }
    const double power = s.tau_y.dot(s.ydot);
    EXPECT_NEAR(rate, power, 1e-4 * std::max(1.0, std::abs(power) + yddot.norm()));
  }
}

// States are brought back to their contacts along motions that the loops allow.
TEST(Coordinates, ProjectionOntoContactsKeepsLoopsClosed) {
  int positions = 0, velocities = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(mechanisms); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 6);
    MovingLoops s(scene, Random(seed + 1000));
    if (!s.regular(1e3) || s.ydot.size() == 0) continue;
    Random random(seed + 3);
    std::vector<ConstraintSpec> contact = {point_constraint(
        random.integer(0, static_cast<int>(scene.model->links.size()) - 1), random.vector(0.3))};
    contact[0].frequency = 10;
    const auto set = ConstraintSet::bind(scene.model, contact);
    for (const Coordinates kind : {spanning, independent}) {
      Workspace w(scene.model, set);
      ASSERT_EQ(set_coordinates(w, spanning, kind), Status::ok);
      VectorXd q = s.q, v = kind == spanning ? s.v : s.ydot, row_velocity(3), error(3);
      const Status caught = project_velocities(w, q.data(), v.data());
      ASSERT_GE(static_cast<int>(caught), 0) << w.message();
      ASSERT_EQ(
          constraint_rows(w, q.data(), v.data(), nullptr, nullptr, 3, nullptr, nullptr, row_velocity.data()),
          Status::ok);
      if (caught == Status::ok) {
        EXPECT_LE(row_velocity.norm(), 1e-8 * std::max(1.0, s.v.norm()));
        ++velocities;
      }
      LoopState gaps;
      if (kind == spanning) {
        ASSERT_EQ(check_loops(w, q.data(), v.data(), gaps), Status::ok);
        EXPECT_LE(gaps.velocity_gap, 1e-8 * std::max(1.0, s.v.norm()));
      }
      ASSERT_EQ(anchor_here(w, q.data()), Status::ok);
      ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
      if (integrate(w, s.q.data(), s.ydot.data(), 1e-3, q.data()) != Status::ok) continue;
      ASSERT_EQ(set_coordinates(w, spanning, kind), Status::ok);
      const Status back = project_positions(w, 1e-10, 30, q.data());
      ASSERT_GE(static_cast<int>(back), 0) << w.message();
      ASSERT_EQ(loop_gap(w, q.data(), &gaps.position_gap), Status::ok);
      EXPECT_LE(gaps.position_gap, 1e-9);
      positions += back == Status::ok;
    }
  }
  EXPECT_GT(positions, mechanisms);
  EXPECT_GT(velocities, mechanisms);
}

}  // namespace
}  // namespace tenon::testing
