// Linkages closed by rows: what redundant rows make of a planar loop, projection of drifted states, and that
// long simulations keep the loops closed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "support/closure_scene.hpp"
#include "support/linkages.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

constexpr std::uint32_t in_plane = 0x18, ball = rows_linear, hinge = 0x3b;

State at_rest(const Model& model) {
  State state;
  state.q.assign(static_cast<std::size_t>(model.nq), 0);
  state.v = state.a = state.tau = std::vector<double>(static_cast<std::size_t>(model.nv), 0);
  state.wrenches.assign(6 * model.links.size(), 0);
  return state;
}

std::unique_ptr<ConstrainedScene> scene_of(Linkage made) {
  State state = at_rest(*made.robot.model);
  return std::make_unique<ConstrainedScene>(std::move(made.robot), std::move(state),
                                            std::move(made.closures));
}

struct Sizes {
  double error = 0, velocity = 0;
};
Sizes row_sizes(ConstrainedScene& s) {
  VectorXd error(s.rows()), velocity(s.rows());
  EXPECT_EQ(constraint_rows(s.workspace, s.state.q.data(), s.state.v.data(), nullptr, nullptr, 0, nullptr,
                            error.data(), velocity.data()),
            Status::ok);
  return {largest(error), largest(velocity)};
}

double energy_of(ConstrainedScene& s) {
  double kinetic = 0, potential = 0;
  EXPECT_EQ(kinematics(s.workspace, s.state.q.data(), s.state.v.data(), nullptr), Status::ok);
  EXPECT_EQ(energy(s.workspace, &kinetic, &potential), Status::ok);
  return kinetic + potential;
}

class Linkages : public ::testing::TestWithParam<Linkage (*)(std::uint32_t)> {};

// Two rows a loop close it; three or five say the same, and no method minds.
TEST_P(Linkages, RedundantRowsChangeNothing) {
  VectorXd expected, qdd, lambda;
  for (const std::uint32_t rows : {in_plane, ball, hinge}) {
    const auto s = scene_of(GetParam()(rows));
    s->state.v.front() = 1;
    ASSERT_EQ(project_velocities(s->workspace, s->state.q.data(), s->state.v.data()), Status::ok);
    for (const Method method : closure_methods()) {
      ASSERT_EQ(s->solve(method, qdd, lambda), Status::ok) << name_of(method) << " " << rows;
      if (expected.size() == 0) expected = qdd;
      EXPECT_LE(relative_error(qdd, expected), 1e-9) << name_of(method) << " " << rows;
    }
    s->solve_reference();
    EXPECT_EQ(s->expected_report.rank, 2 * s->set->constraint_count());
    EXPECT_LE(relative_error(qdd, s->qdd), 1e-9);
  }
}

TEST_P(Linkages, DriftedStatesAreProjected) {
  for (const std::uint32_t rows : {in_plane, ball, hinge}) {
    const auto s = scene_of(GetParam()(rows));
    Random random(rows);
    for (double& x : s->state.q) x += random.uniform(-0.05, 0.05);
    for (double& x : s->state.v) x = random.uniform(-1, 1);
    const VectorXd before = as_vector(s->state.v);
    EXPECT_GT(row_sizes(*s).error, 1e-3);
    ASSERT_EQ(project_positions(s->workspace, 1e-14, 20, s->state.q.data()), Status::ok);
    EXPECT_LE(s->workspace.report().iterations, 6);
    ASSERT_EQ(project_velocities(s->workspace, s->state.q.data(), s->state.v.data()), Status::ok);
    EXPECT_LE(row_sizes(*s).error, 1e-14);
    EXPECT_LE(row_sizes(*s).velocity, 1e-12);
    // The change is M^-1 J^T something: no motion that the rows allow is part of it.
    s->solve_reference();
    const VectorXd momentum =
        (s->oracle.mass_matrix() * (as_vector(s->state.v) - before).cast<Real>()).cast<double>();
    EXPECT_NEAR(momentum.dot(as_vector(s->state.v)), 0, 1e-12);
    // What holds already stays to the last bit.
    const std::vector<double> q = s->state.q;
    ASSERT_EQ(project_positions(s->workspace, 1e-12, 20, s->state.q.data()), Status::ok);
    EXPECT_EQ(s->workspace.report().iterations, 0);
    EXPECT_EQ(q, s->state.q);
  }
}

// Five seconds at 1 kHz from rest under gravity.
TEST_P(Linkages, StayClosedByProjection) {
  const auto s = scene_of(GetParam()(hinge));
  ASSERT_EQ(project_positions(s->workspace, 1e-14, 20, s->state.q.data()), Status::ok);
  SolveOptions options;
  const double start = energy_of(*s);
  double worst = 0, kinetic = 0;
  for (int step = 0; step < 5 * test_robots(); ++step) {
    ASSERT_EQ(step_runge_kutta_4(s->workspace, options, 1e-3, s->state.q.data(), s->state.v.data(),
                                 s->state.tau.data(), nullptr, nullptr, nullptr),
              Status::ok)
        << s->workspace.message();
    ASSERT_EQ(project_positions(s->workspace, 1e-12, 5, s->state.q.data()), Status::ok);
    ASSERT_EQ(project_velocities(s->workspace, s->state.q.data(), s->state.v.data()), Status::ok);
    if (step % 50 != 0) continue;
    worst = larger(worst, row_sizes(*s).error);
    double k = 0;
    energy_of(*s);
    energy(s->workspace, &k, nullptr);
    kinetic = larger(kinetic, k);
  }
  EXPECT_LE(worst, 1e-9);
  EXPECT_GT(kinetic, 0.01) << "nothing moved";
  EXPECT_NEAR(energy_of(*s), start, 1e-6 * kinetic);
}

// The same without projection: Baumgarte's terms hold the drift.
TEST_P(Linkages, StayClosedByStabilisation) {
  Linkage made = GetParam()(ball);
  for (ConstraintSpec& spec : made.closures) spec.frequency = 50;
  const auto s = scene_of(std::move(made));
  double worst = 0;
  for (int step = 0; step < 5 * test_robots(); ++step) {
    ASSERT_EQ(step_runge_kutta_4(s->workspace, {}, 1e-3, s->state.q.data(), s->state.v.data(),
                                 s->state.tau.data(), nullptr, nullptr, nullptr),
              Status::ok)
        << s->workspace.message();
    if (step % 50 == 0) worst = larger(worst, row_sizes(*s).error);
  }
  EXPECT_LE(worst, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Known, Linkages, ::testing::Values(four_bar, six_bar, strandbeest_leg), [](const auto& test) {
      return std::string(test.index == 0 ? "FourBar" : test.index == 1 ? "SixBar" : "StrandbeestLeg");
    });

TEST(Projection, TellsWhatCannotClose) {
  // The coupler is torn off by two metres: the nearest the pins come is on one line.
  Linkage made = four_bar(ball);
  made.closures.front().second_frame.translation[0] += 2;
  const auto s = scene_of(std::move(made));
  EXPECT_EQ(project_positions(s->workspace, 1e-10, 100, s->state.q.data()), Status::infeasible);
  EXPECT_GT(s->workspace.report().primal_residual, 0.1);
  EXPECT_TRUE(as_vector(s->state.q).allFinite());
  const auto hasty = scene_of(four_bar(ball));
  for (double& x : hasty->state.q) x = 0.3;
  EXPECT_EQ(project_positions(hasty->workspace, 1e-13, 1, hasty->state.q.data()), Status::max_iterations);
}

TEST(Projection, RefusesBadInput) {
  const auto s = scene_of(four_bar(ball));
  double* q = s->state.q.data();
  EXPECT_EQ(project_positions(s->workspace, -1, 5, q), Status::invalid_argument);
  EXPECT_EQ(project_positions(s->workspace, std::nan(""), 5, q), Status::not_finite);
  EXPECT_EQ(project_positions(s->workspace, 1e-9, 0, q), Status::invalid_argument);
  q[1] = std::nan("");
  EXPECT_EQ(project_positions(s->workspace, 1e-9, 5, q), Status::not_finite);
  EXPECT_EQ(project_velocities(s->workspace, q, s->state.v.data()), Status::not_finite);
}

// Contacts that are stabilised go back to their anchors, the others stay put while loops close; floating
// bases and quaternions included.
TEST(Projection, ClosesRandomRobotsAtTheirAnchors) {
  int closed = 0;
  const int robots = test_robots() / 10;
  for (int seed = 0; seed < robots; ++seed) {
    const auto s = closure_scene(static_cast<std::uint64_t>(seed), SceneKind::independent, 20);
    if (std::any_of(s->set->specs().begin(), s->set->specs().end(),
                    [](const ConstraintSpec& spec) { return !spec.compliance.empty(); }))
      continue;
    std::fill(s->state.v.begin(), s->state.v.end(), 0.0);
    ASSERT_EQ(anchor_here(s->workspace, s->state.q.data()), Status::ok);
    Random random(static_cast<std::uint64_t>(seed));
    VectorXd off(s->nv());
    for (double& x : off) x = random.uniform(-0.01, 0.01);
    ASSERT_EQ(integrate(s->workspace, s->state.q.data(), off.data(), 1, s->state.q.data()), Status::ok);
    const Vector3 gravity = s->workspace.gravity();
    const Status status = project_positions(s->workspace, 1e-11, 30, s->state.q.data());
    ASSERT_GE(static_cast<int>(status), 0) << s->workspace.message();
    EXPECT_EQ(s->workspace.gravity(), gravity);
    closed += status == Status::ok;
  }
  EXPECT_GE(closed, robots * 6 / 10) << "of those whose loops were left open some cannot close";
}

}  // namespace
}  // namespace tenon::testing
