// Products with derivatives of dynamics, of limbs side by side against one body after another: the same to rounding.
#include <gtest/gtest.h>

#include "kernels/limb_scene.hpp"
#include "support/geared_robot.hpp"
#include "support/test_robots.hpp"
#include "tenon/derivatives.hpp"

namespace tenon::testing {
namespace {

using LimbProducts = LimbsSideBySide;

// Products with derivatives of forward or inverse dynamics: the solution, and after it the gradients for y or the change along x.
std::vector<double> product(Workspace& w, bool forward, const Inputs<double>& in, const double* y,
                            const StateChange* x, Status& status) {
  const std::size_t n = static_cast<std::size_t>(w.model().nv);
  std::vector<double> out(4 * n);
  double* const to = out.data();
  if (x)
    status = (forward ? forward_dynamics_jvp : inverse_dynamics_jvp)(w, {}, in, *x, to, to + n);
  else
    status = (forward ? forward_dynamics_vjp : inverse_dynamics_vjp)(
        w, {}, in, y, to, {{to + n, 0}, {to + 2 * n, 0}, {to + 3 * n, 0}});
  return out;
}
void compare_products(Workspace& lanes, Workspace& scalar, const State& s, const double* wrenches,
                      double tolerance) {
  const StateChange changes[] = {{s.v.data(), s.a.data(), s.tau.data()},
                                 {nullptr, s.a.data(), nullptr},
                                 {s.a.data(), nullptr, s.v.data()}};
  const StateChange* const given[] = {nullptr, changes, changes + 1, changes + 2};
  for (const bool forward : {true, false})
    for (const StateChange* x : given) {
      const Inputs<double> in = {s.q.data(), s.v.data(), s.tau.data(),
                                 wrenches,   nullptr,    forward ? nullptr : s.a.data()};
      const double* y = forward ? s.a.data() : s.v.data();
      Status status, status_of_lanes;
      const std::vector<double> expected = product(scalar, forward, in, y, x, status),
                                found = product(lanes, forward, in, y, x, status_of_lanes);
      ASSERT_EQ(status_of_lanes, status);
      if (status == Status::ok) {
        ASSERT_NO_FATAL_FAILURE(expect_near(found, expected, tolerance));
      }
    }
}

TEST_F(LimbProducts, OfTreesAreThoseOfBodiesOneByOne) {
  int in_lanes = 0, inverse_in_lanes = 0;
  for (const Limbs kind : {Limbs::hinges, Limbs::on_base, Limbs::plain_rotors, Limbs::loops})
    for (int seed = 0; seed < test_robots(); ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const Robot robot = robot_with_limbs(seed, kind);
      if (!robot.model) continue;
      const auto lanes = workspace(robot.model, BranchLanesUse::always),
                 scalar = workspace(robot.model, BranchLanesUse::never);
      const WorkspaceImpl& w = lanes->impl();
      in_lanes += w.branches && w.branches->takes_products();
      inverse_in_lanes += w.tree_branches && w.tree_branches->takes_inverse_products();
      for (int k = 0; k < 3; ++k) {
        State s = closed_state(random, *scalar);
        if (k == 1) clear_rotor_wrenches(*robot.model, s.wrenches.data());
        ASSERT_NO_FATAL_FAILURE(
            compare_products(*lanes, *scalar, s, k == 0 ? nullptr : s.wrenches.data(), 1e-8));
      }
    }
  EXPECT_GT(in_lanes, test_robots() / 2);
  EXPECT_GT(inverse_in_lanes, test_robots() / 8);
}

// Products with rows: both give the same, and the same status. Returns whether limbs went side by side.
bool compare_row_products(Workspace& lanes, Workspace& scalar, const Inputs<double>& in, const State& s) {
  const std::size_t n = s.v.size(), rows = static_cast<std::size_t>(scalar.constraints()->row_count());
  const std::vector<double> of_rows(rows, 0.7);
  std::vector<double> got(4 * n + 2 * rows), expected = got;
  bool by_limbs = true;
  const auto compare = [&](const auto& call) {
    const Status status = call(scalar, expected.data());
    ASSERT_EQ(call(lanes, got.data()), status);
    by_limbs = by_limbs && lanes.report().method == Method::pv;
    if (status != Status::ok) return;
    const auto part = [&](const std::vector<double>& x, std::size_t first, std::size_t count) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_NO_FATAL_FAILURE(expect_near(part(got, i * n, n), part(expected, i * n, n), 1e-8)) << i;
    for (std::size_t i = 0; i < 2; ++i)
      ASSERT_NO_FATAL_FAILURE(
          expect_near(part(got, 4 * n + i * rows, rows), part(expected, 4 * n + i * rows, rows), 1e-8))
          << i;
  };
  compare([&](Workspace& w, double* to) {
    double* const forces = to + 4 * n;
    return constrained_dynamics_vjp(w, {}, in, s.a.data(), of_rows.data(), to, forces,
                                    {{{to + n, 0}, {to + 2 * n, 0}, {to + 3 * n, 0}}, {forces + rows, 0}});
  });
  const StateChange changes[] = {{s.v.data(), s.a.data(), s.tau.data()}, {nullptr, s.a.data(), nullptr}};
  for (const StateChange& change : changes)
    compare([&](Workspace& w, double* to) {
      double* const forces = to + 4 * n;
      return constrained_dynamics_jvp(w, {}, in, {change, of_rows.data()}, to, forces, to + n, forces + rows);
    });
  return by_limbs;
}

// few: rows that the joints of a limb can move.
void compare_with_rows(bool few, int least) {
  int products = 0, by_limbs = 0;
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Robot robot = robot_with_limbs(seed, Limbs::hinges);
    if (!robot.model) continue;
    const std::vector<ConstraintSpec> specs = rows_on_limbs(random, robot, few);
    if (specs.empty()) continue;
    const auto set = ConstraintSet::bind(robot.model, specs);
    const auto lanes = workspace(robot.model, BranchLanesUse::always, Instructions::automatic, set),
               scalar = workspace(robot.model, BranchLanesUse::never, Instructions::automatic, set);
    if (!lanes->impl().branches || !lanes->impl().branches->takes_row_products()) continue;
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(random, *robot.model);
      if (k == 2) {
        ASSERT_NO_FATAL_FAILURE(change_settings(*lanes, *scalar, specs, random));
      }
      const double* wrenches = k == 0 ? nullptr : s.wrenches.data();
      ++products;
      by_limbs += compare_row_products(*lanes, *scalar, {s.q.data(), s.v.data(), s.tau.data(), wrenches}, s);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(products, least);
  EXPECT_GE(2 * by_limbs, products);  // rows that depend on each other are for bodies
}

TEST_F(LimbProducts, WithRowsAreThoseOfBodiesOneByOne) {
  compare_with_rows(false, test_robots() / 32);
}
TEST_F(LimbProducts, WithFewRowsAreThoseOfBodiesOneByOne) {
  compare_with_rows(true, test_robots() / 8);
}

}  // namespace
}  // namespace tenon::testing
