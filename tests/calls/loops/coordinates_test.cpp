// Every dynamics call in independent coordinates against the same call in spanning ones, brought over by G
// and g: tau_y = G^T tau, H = G^T M G, J G, qdd = G yddot + g; and the laws that hold among the answers
// themselves.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/methods/loop_methods.hpp"
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

double error(const MatrixXd& x, const MatrixXd& expected) {
  return expected.size() == 0 ? 0 : (x - expected).norm() / std::max(1.0, expected.norm());
}

void check_dynamics(MovingLoops& s, Workspace& w, const VectorXd& q) {
  const int nv = w.model().nv, ny = w.model().ny;
  MatrixXd M(nv, nv), H(ny, ny);
  VectorXd c(nv), tau(nv), tau_y(ny), c_y(ny), yddot(ny), qdd(nv), x(ny);
  ASSERT_EQ(mass_matrix(s.w, s.q.data(), M.data(), nv), Status::ok);
  ASSERT_EQ(mass_matrix(w, q.data(), H.data(), ny), Status::ok) << w.message();
  EXPECT_LE(error(H, s.G.transpose() * M * s.G), 1e-12);
  EXPECT_EQ(H, H.transpose());
  ASSERT_EQ(bias_force(s.w, s.q.data(), s.v.data(), s.wrenches.data(), c.data()), Status::ok);
  ASSERT_EQ(bias_force(w, q.data(), s.ydot.data(), s.wrenches.data(), c_y.data()), Status::ok);
  EXPECT_LE(error(c_y, s.G.transpose() * (c + M * s.g)), 1e-10);
  ASSERT_EQ(inverse_dynamics(s.w, {s.q.data(), s.v.data(), nullptr, s.wrenches.data(), nullptr, s.qdd.data()},
                             tau.data()),
            Status::ok);
  ASSERT_EQ(
      inverse_dynamics(w, {q.data(), s.ydot.data(), nullptr, s.wrenches.data(), nullptr, s.yddot.data()},
                       tau_y.data()),
      Status::ok);
  EXPECT_LE(error(tau_y, s.G.transpose() * tau), 1e-10);
  EXPECT_LE(error(tau_y, H * s.yddot + c_y), 1e-9);

  // Forces on any joints and their sums on the independent ones do the same; and FD undoes ID.
  ASSERT_EQ(forward_dynamics(s.w, {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data()}, qdd.data()),
            Status::ok);
  ASSERT_EQ(forward_dynamics(w, {q.data(), s.ydot.data(), s.tau_y.data(), s.wrenches.data()}, yddot.data()),
            Status::ok);
  EXPECT_LE(error(s.G * yddot + s.g, qdd), 1e-8);
  ASSERT_EQ(inverse_dynamics(w, {q.data(), s.ydot.data(), nullptr, s.wrenches.data(), nullptr, yddot.data()},
                             x.data()),
            Status::ok);
  EXPECT_LE((x - s.tau_y).norm(), 1e-7 * std::max(1.0, s.tau_y.norm() + yddot.norm()));
  for_exact_loop_methods(w, q, s.ydot, s.tau_y, s.wrenches.data(),
                         [&](const VectorXd& found) { EXPECT_LE(error(found, yddot), 1e-8); });
#ifdef TENON_EXPERIMENTAL
  ASSERT_EQ(loop_inverse_dynamics(w, LoopMethod::projection, q.data(), s.ydot.data(), s.yddot.data(),
                                  s.wrenches.data(), x.data()),
            Status::ok);
  EXPECT_LE(error(x, tau_y), 1e-12);
#endif

  ASSERT_EQ(factor_mass_matrix(w, q.data()), Status::ok);
  ASSERT_EQ(solve_mass_matrix(w, s.ydot.data(), ny, 1, x.data(), ny), Status::ok);
  EXPECT_LE((H * x - s.ydot).norm(), 1e-8 * std::max(1.0, H.norm() * x.norm()));
  ASSERT_EQ(multiply_mass_matrix(w, x.data(), ny, 1, x.data(), ny), Status::ok);
  EXPECT_LE((x - s.ydot).norm(), 1e-7 * std::max(1.0, s.ydot.norm()));
  ASSERT_EQ(inverse_mass_times(w, q.data(), s.ydot.data(), ny, 1, x.data(), ny), Status::ok);
  EXPECT_LE((H * x - s.ydot).norm(), 1e-8 * std::max(1.0, H.norm() * x.norm()));
}

void check_kinematics(MovingLoops& s, Workspace& w, const VectorXd& q) {
  if (s.ydot.size() == 0) return;  // no velocity to point at
  const int nv = w.model().nv, ny = w.model().ny, last = static_cast<int>(w.model().links.size()) - 1;
  ASSERT_EQ(kinematics(s.w, s.q.data(), s.v.data(), s.qdd.data()), Status::ok);
  ASSERT_EQ(kinematics(w, q.data(), s.ydot.data(), s.yddot.data()), Status::ok) << w.message();
  Eigen::Matrix<double, 6, 1> velocity, acceleration, expected;
  MatrixXd J(6, nv), J_y(6, ny), C(3, nv), C_y(3, ny);
  Eigen::Vector3d com_velocity;
  ASSERT_EQ(link_velocity(w, last, RowAxes::world, velocity.data()), Status::ok);
  ASSERT_EQ(link_velocity(s.w, last, RowAxes::world, expected.data()), Status::ok);
  EXPECT_LE(error(velocity, expected), 1e-12);
  ASSERT_EQ(link_acceleration(w, last, RowAxes::world, acceleration.data()), Status::ok);
  ASSERT_EQ(link_acceleration(s.w, last, RowAxes::world, expected.data()), Status::ok);
  EXPECT_LE(error(acceleration, expected), 1e-10);
  ASSERT_EQ(link_jacobian(s.w, last, RowAxes::world, J.data(), 6), Status::ok);
  ASSERT_EQ(link_jacobian(w, last, RowAxes::world, J_y.data(), 6), Status::ok);
  EXPECT_LE(error(J_y, J * s.G), 1e-12);
  EXPECT_LE(error(J_y * s.ydot, velocity), 1e-10);
  ASSERT_EQ(center_of_mass(s.w, nullptr, nullptr, C.data(), 3), Status::ok);
  ASSERT_EQ(center_of_mass(w, nullptr, com_velocity.data(), C_y.data(), 3), Status::ok);
  EXPECT_LE(error(C_y, C * s.G), 1e-12);
  EXPECT_LE(error(C_y * s.ydot, com_velocity), 1e-10);
  double kinetic = 0;
  MatrixXd H(ny, ny);
  ASSERT_EQ(energy(w, &kinetic, nullptr), Status::ok);
  ASSERT_EQ(mass_matrix(w, q.data(), H.data(), ny), Status::ok);
  EXPECT_NEAR(kinetic, 0.5 * s.ydot.dot(H * s.ydot), 1e-9 * std::max(1.0, kinetic));
  // The bias of J G is the acceleration that is left at yddot = 0.
  const VectorXd zero = VectorXd::Zero(ny);
  ASSERT_EQ(kinematics(w, q.data(), s.ydot.data(), zero.data()), Status::ok);
  ASSERT_EQ(link_acceleration(w, last, RowAxes::world, expected.data()), Status::ok);
  EXPECT_LE(error(J_y * s.yddot + expected, acceleration), 1e-9);
}

TEST(Coordinates, EveryCallAgreesWithSpanningOnes) {
  int compared = 0, by_positions = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(mechanisms); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 10);
    MovingLoops s(scene, Random(seed + 1000));
    if (!s.regular(1e3)) continue;
    ++compared;
    Workspace w(scene.model);
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    EXPECT_EQ(position_count(w), scene.model->nq);
    EXPECT_EQ(velocity_count(w), scene.model->ny);
    check_dynamics(s, w, s.q);
    check_kinematics(s, w, s.q);
    const Status status = set_coordinates(w, independent, independent);
    if (status == Status::unsupported) continue;  // a joint that is independent in part
    ASSERT_EQ(status, Status::ok) << w.message();
    ASSERT_EQ(set_guess(w, s.q.data()), Status::ok) << w.message();
    check_dynamics(s, w, s.y);
    check_kinematics(s, w, s.y);
    ++by_positions;
  }
  EXPECT_GT(compared, mechanisms * 2 / 3);
  EXPECT_GT(by_positions, mechanisms / 4);
}

// Contacts on any link, by every method that crosses clusters.
TEST(Coordinates, ConstrainedDynamics) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(mechanisms); ++seed) {
    const LoopScene scene = random_loop_scene(seed, 6);
    MovingLoops s(scene, Random(seed + 1000));
    if (!s.regular(1e3)) continue;
    Random random(seed + 31);
    ConstraintOptions options;
    options.most_rows = 6;
    options.weights = 0;
    const auto set = ConstraintSet::bind(scene.model, random_constraints(random, *scene.model, options));
    const int rows = set->row_count(), ny = scene.model->ny, nv = scene.model->nv;
    Workspace whole(scene.model, set), w(scene.model, set);
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    MatrixXd J(rows, nv), J_y(rows, ny);
    VectorXd rhs(rows), rhs_y(rows), qdd(nv), yddot(ny), lambda(rows), row_velocity(rows);
    ASSERT_EQ(
        constraint_rows(whole, s.q.data(), s.v.data(), nullptr, J.data(), rows, rhs.data(), nullptr, nullptr),
        Status::ok);
    ASSERT_EQ(constraint_rows(w, s.q.data(), s.ydot.data(), nullptr, J_y.data(), rows, rhs_y.data(), nullptr,
                              row_velocity.data()),
              Status::ok)
        << w.message();
    EXPECT_LE(error(J_y, J * s.G), 1e-11);
    EXPECT_LE(error(rhs_y, rhs - J * s.g), 1e-9);
    EXPECT_LE(error(J_y * s.ydot, row_velocity), 1e-9);
    for (const Method method : {Method::automatic, Method::dense, Method::constrained_aba, Method::pv,
                                Method::prox_pv, Method::pv_soft}) {
      SCOPED_TRACE(std::to_string(seed) + ", method " + std::to_string(static_cast<int>(method)));
      SolveOptions solve;
      solve.method = method;
      const Status expected = constrained_dynamics(
          whole, solve, {s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data()}, qdd.data(), nullptr);
      const Status status =
          constrained_dynamics(w, solve, {s.q.data(), s.ydot.data(), s.tau_y.data(), s.wrenches.data()},
                               yddot.data(), lambda.data());
      ASSERT_GE(static_cast<int>(status), 0) << w.message();
      EXPECT_EQ(status, expected);
      if (status != Status::ok) continue;
      ++compared;
      EXPECT_LE(error(s.G * yddot + s.g, qdd), 1e-6);
      if (method == Method::dense) {
        EXPECT_LE(error(J_y * yddot, rhs_y), 1e-6);
      }
    }
  }
  EXPECT_GT(compared, mechanisms);
}

// Rows and columns of operational-space products are those of the coordinates that are set.
TEST(Coordinates, OperationalSpace) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(mechanisms); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 4);
    MovingLoops s(scene, Random(seed + 1000));
    const int ny = scene.model->ny, nv = scene.model->nv;
    if (!s.regular(1e3) || ny < 4) continue;
    Random random(seed + 13);
    const int link = random.integer(0, static_cast<int>(scene.model->links.size()) - 1);
    const auto set = ConstraintSet::bind(scene.model, {point_constraint(link, random.vector(0.3))});
    Workspace whole(scene.model, set), w(scene.model, set);
    ASSERT_EQ(set_coordinates(w, spanning, independent), Status::ok);
    MatrixXd A(3, 3), A_y(3, 3), Lambda(3, 3), Lambda_y(3, 3), J_bar(nv, 3), J_bar_y(ny, 3), N_y(ny, ny),
        J_y(3, ny);
    VectorXd x(nv), x_y(ny);
    ASSERT_EQ(delassus_matrix(whole, {}, s.q.data(), A.data(), 3), Status::ok) << whole.message();
    ASSERT_EQ(delassus_matrix(w, {}, s.q.data(), A_y.data(), 3), Status::ok) << w.message();
    EXPECT_EQ(A, A_y);
    OperationalSpace out = {Lambda.data(), 3, J_bar.data(), nv, nullptr, 0};
    const Status status = operational_space(whole, s.q.data(), out);
    ASSERT_GE(static_cast<int>(status), 0) << whole.message();
    out = {Lambda_y.data(), 3, J_bar_y.data(), ny, N_y.data(), ny};
    ASSERT_EQ(operational_space(w, s.q.data(), out), status) << w.message();
    EXPECT_EQ(Lambda, Lambda_y);
    EXPECT_LE(error(s.G * J_bar_y, J_bar), 1e-9);
    ASSERT_EQ(
        constraint_rows(w, s.q.data(), s.ydot.data(), nullptr, J_y.data(), 3, nullptr, nullptr, nullptr),
        Status::ok);
    EXPECT_LE(error(N_y, MatrixXd::Identity(ny, ny) - J_bar_y * J_y), 1e-9);
    EXPECT_LE((J_y * N_y).norm(), 1e-7 * std::max(1.0, J_y.norm() * N_y.norm()));
    ASSERT_EQ(inverse_mass_times(whole, s.q.data(), s.tau.data(), nv, 1, x.data(), nv), Status::ok);
    ASSERT_EQ(inverse_mass_times(w, s.q.data(), s.tau_y.data(), ny, 1, x_y.data(), ny), Status::ok);
    EXPECT_LE(error(s.G * x_y, x), 1e-8);
    ++compared;
  }
  EXPECT_GT(compared, 3);
}

// The same start and the same coordinates give the same answer, whatever was asked before.
TEST(Coordinates, NothingIsRemembered) {
  const LoopScene scene = model_scene("six_bar");
  Workspace a(scene.model), b(scene.model);
  ASSERT_EQ(set_coordinates(a, independent, independent), Status::ok);
  ASSERT_EQ(set_coordinates(b, independent, independent), Status::ok);
  VectorXd y(position_count(a)), elsewhere(y.size()), first(velocity_count(a)), second(first.size());
  const VectorXd zero = VectorXd::Zero(first.size());
  random_configuration(a, 3, y.data());
  random_configuration(a, 4, elsewhere.data());
  ASSERT_EQ(bias_force(a, y.data(), zero.data(), nullptr, first.data()), Status::ok) << a.message();
  ASSERT_EQ(bias_force(b, elsewhere.data(), zero.data(), nullptr, second.data()), Status::ok) << b.message();
  ASSERT_EQ(bias_force(b, y.data(), zero.data(), nullptr, second.data()), Status::ok);
  EXPECT_EQ(first, second);
}

// A four-bar closes in two ways; the guess says which.
TEST(Coordinates, TheGuessTellsTheAssembly) {
  const LoopScene scene = model_scene("four_bar");
  Workspace w(scene.model);
  ASSERT_EQ(set_coordinates(w, independent, spanning), Status::ok);
  const VectorXd q = (VectorXd(3) << 0.6, -0.6, 0.6).finished();
  MatrixXd found(3, 5);
  int count = 0;
  ASSERT_EQ(find_assemblies(w, q.data(), 40, 5, found.data(), &count), Status::ok);
  ASSERT_EQ(count, 2);
  for (int i = 0; i < 2; ++i) {
    const VectorXd way = found.col(i);
    ASSERT_EQ(set_guess(w, way.data()), Status::ok);
    const double y = 0.9;
    VectorXd there(3), guess_back(3);
    ASSERT_EQ(guess(w, guess_back.data()), Status::ok);
    EXPECT_LE((guess_back - way).norm(), 1e-12);
    ASSERT_EQ(spanning_positions(w, &y, nullptr, there.data()), Status::ok);
    const bool parallel = std::abs(there(1) + 0.9) < 1e-9;
    EXPECT_EQ(parallel, i == 0);
    MatrixXd M(3, 3), expected(3, 3);
    Workspace whole(scene.model);
    ASSERT_EQ(mass_matrix(w, &y, M.data(), 3), Status::ok);
    ASSERT_EQ(mass_matrix(whole, there.data(), expected.data(), 3), Status::ok);
    EXPECT_LE(error(M, expected), 1e-12);
  }
}

// A far target is reached in the way of assembly that a slow walk there keeps. The four-bar's dead centres
// are at 0 and pi.
TEST(Coordinates, FarPositionsAreFollowed) {
  const LoopScene scene = model_scene("four_bar");
  Workspace w(scene.model), slow(scene.model);
  const VectorXd q = (VectorXd(3) << 0.6, -0.6, 0.6).finished();
  MatrixXd ways(3, 2);
  int count = 0;
  ASSERT_EQ(find_assemblies(w, q.data(), 40, 2, ways.data(), &count), Status::ok);
  ASSERT_EQ(count, 2);
  VectorXd expected(3), there(3);
  for (int i = 0; i < 2; ++i) {
    for (double y = 0.1; y < 3.1; y += 0.1) {
      SCOPED_TRACE(y);
      const VectorXd start = ways.col(i);
      ASSERT_EQ(set_guess(slow, start.data()), Status::ok);
      for (int step = 1; step <= 200; ++step) {
        const double near = 0.6 + (y - 0.6) * step / 200;
        ASSERT_EQ(spanning_positions(slow, &near, nullptr, expected.data()), Status::ok);
        ASSERT_EQ(set_guess(slow, expected.data()), Status::ok);
      }
      ASSERT_EQ(set_guess(w, start.data()), Status::ok);
      ASSERT_EQ(spanning_positions(w, &y, nullptr, there.data()), Status::ok);
      EXPECT_LE((there - expected).norm(), 1e-9);
    }
  }
}

TEST(Coordinates, SaysWhatIsOutOfReach) {
  const LoopScene scene = model_scene("six_bar");
  Mechanism longer = scene.mechanism;
  for (MechanismJoint& joint : longer.joints)
    if (joint.name == "joint5") joint.origin.translation[0] = 0.8;
  const LoopScene stiff = loop_scene(longer, {});
  Workspace w(stiff.model);
  ASSERT_EQ(set_coordinates(w, independent, independent), Status::ok);
  VectorXd y = VectorXd::Zero(position_count(w)), c = VectorXd::Constant(velocity_count(w), 7);
  const VectorXd zero = VectorXd::Zero(c.size());
  VectorXd q = VectorXd::Zero(5);
  q(1) = q(2) = 2.0943951023931953;
  ASSERT_EQ(independent_positions(w, q.data(), y.data()), Status::ok);
  EXPECT_EQ(bias_force(w, y.data(), zero.data(), nullptr, c.data()), Status::open_loop);
  EXPECT_NE(std::string(w.message()).find("out of reach"), std::string::npos) << w.message();
  EXPECT_EQ(c, VectorXd::Constant(c.size(), 7));
  y(0) = NAN;
  EXPECT_EQ(bias_force(w, y.data(), zero.data(), nullptr, c.data()), Status::not_finite);
  // Random ones are within reach.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random_configuration(w, seed, y.data());
    EXPECT_EQ(bias_force(w, y.data(), zero.data(), nullptr, c.data()), Status::ok) << w.message();
  }
}

TEST(Coordinates, WithoutLoopsNothingChanges) {
  const Robot robot = random_robot(11, 20);
  Workspace a(robot.model), b(robot.model);
  ASSERT_EQ(set_coordinates(b, independent, independent), Status::ok);
  Random random(3);
  const State s = random_state(random, *robot.model);
  VectorXd x(robot.model->nv), y(robot.model->nv);
  ASSERT_EQ(forward_dynamics(a, {s.q.data(), s.v.data(), s.tau.data()}, x.data()), Status::ok);
  ASSERT_EQ(forward_dynamics(b, {s.q.data(), s.v.data(), s.tau.data()}, y.data()), Status::ok);
  EXPECT_EQ(x, y);
  EXPECT_EQ(position_coordinates(b), independent);
  EXPECT_EQ(velocity_count(b), robot.model->nv);
}

// Independent coordinates are read out of the other library's states, and its states made from them.
TEST(Coordinates, Converters) {
  const LoopScene scene = model_scene("mini_cheetah", true);
  MovingLoops s(scene, Random(9));
  const int nv = scene.model->nv, ny = scene.model->ny;
  Workspace w(scene.model);
  ASSERT_EQ(set_coordinates(w, independent, independent), Status::ok);
  const OtherState other = {Convention::mujoco, nullptr};
  VectorXd theirs(position_count(*scene.model, Convention::mujoco)), expected(theirs.size());
  VectorXd rate(nv), expected_rate(nv), back(s.y.size()), back_v(ny);
  ASSERT_EQ(convert_configuration(w, other, Direction::to_other, s.y.data(), theirs.data()), Status::ok);
  ASSERT_EQ(convert_configuration(s.w, other, Direction::to_other, s.q.data(), expected.data()), Status::ok);
  EXPECT_LE(error(theirs, expected), 1e-12);
  ASSERT_EQ(convert_configuration(w, other, Direction::from_other, theirs.data(), back.data()), Status::ok);
  EXPECT_LE(error(back, s.y), 1e-15);
  ASSERT_EQ(convert_velocity(w, other, Direction::to_other, s.y.data(), s.ydot.data(), rate.data()),
            Status::ok);
  ASSERT_EQ(convert_velocity(s.w, other, Direction::to_other, s.q.data(), s.v.data(), expected_rate.data()),
            Status::ok);
  EXPECT_LE(error(rate, expected_rate), 1e-12);
  ASSERT_EQ(convert_velocity(w, other, Direction::from_other, s.y.data(), rate.data(), back_v.data()),
            Status::ok);
  EXPECT_LE(error(back_v, s.ydot), 1e-12);
  ASSERT_EQ(convert_acceleration(w, other, Direction::to_other, s.y.data(), s.ydot.data(), s.yddot.data(),
                                 rate.data()),
            Status::ok);
  ASSERT_EQ(convert_acceleration(s.w, other, Direction::to_other, s.q.data(), s.v.data(), s.qdd.data(),
                                 expected_rate.data()),
            Status::ok);
  EXPECT_LE(error(rate, expected_rate), 1e-12);
  ASSERT_EQ(convert_force(s.w, other, Direction::to_other, s.q.data(), s.tau.data(), rate.data()),
            Status::ok);
  ASSERT_EQ(convert_force(w, other, Direction::from_other, s.y.data(), rate.data(), back_v.data()),
            Status::ok);
  EXPECT_LE(error(back_v, s.tau_y), 1e-12);
}

}  // namespace
}  // namespace tenon::testing
