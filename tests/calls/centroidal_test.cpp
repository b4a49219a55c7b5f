// The momentum about the centre of mass as a matrix, and its bias, against the dense reference, differences
// of the momentum, and Newton's and Euler's laws for the whole robot.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/loop_scene.hpp"
#include "support/oracle.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vector6 = Eigen::Matrix<double, 6, 1>;

constexpr int robots = std::max(30, TENON_TEST_ROBOTS / 10);
constexpr int mechanisms = std::max(20, TENON_TEST_ROBOTS / 15);
constexpr double h = 1e-5;

double moving_mass(const Model& model) {
  double mass = 0;
  for (const NodeData& n : model.nodes) mass += n.mass;
  return mass;
}

TEST(Centroidal, MatrixAndBiasMatchReference) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(static_cast<std::uint64_t>(seed), 40);
    const int nv = robot.model->nv;
    if (nv == 0) continue;
    Random random(static_cast<std::uint64_t>(seed));
    const State s = random_state(random, *robot.model);
    Workspace w(robot.model);
    Oracle oracle(robot);
    MatrixXd A = MatrixXd::Constant(8, nv, 77);
    Vector6 bias, momentum;
    ASSERT_EQ(kinematics(w, s.q.data(), s.v.data(), nullptr), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(w, A.data(), 8), Status::ok) << w.message();
    ASSERT_EQ(centroidal_momentum_bias(w, bias.data()), Status::ok) << w.message();
    ASSERT_EQ(centroidal_momentum(w, momentum.data()), Status::ok);
    EXPECT_TRUE((A.bottomRows(2).array() == 77).all());
    A.conservativeResize(6, nv);
    EXPECT_LE(relative_error(A * as_vector(s.v), momentum, A.norm()), 1e-13);
    for (int k = 0; k < nv; ++k) {
      std::vector<double> unit(s.v.size(), 0.0);
      unit[static_cast<std::size_t>(k)] = 1;
      oracle.set_state(s.q, unit);
      EXPECT_LE(relative_error(A.col(k), oracle.dynamics.centroidal_momentum(), 1), 1e-11) << k;
    }
    const auto at = [&](double dt) {
      std::vector<double> q(s.q.size());
      EXPECT_EQ(integrate(w, s.q.data(), s.v.data(), dt, q.data()), Status::ok);
      oracle.set_state(q, s.v);
      return oracle.dynamics.centroidal_momentum();
    };
    const reference::Vec6<Real> rate = (at(h) - at(-h)) / (2 * static_cast<Real>(h));
    EXPECT_LE(relative_error(bias, rate, 1), 1e-7);
  }
}

// A qdd + bias is what acts from outside, whatever motors do: weight, and wrenches with their moments.
TEST(Centroidal, RateIsTheSumOfExternalForces) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Robot robot;
    robot.options.floating_base = true;
    MechanismOptions options;
    options.links = 2 + seed % 25;
    robot = random_robot(static_cast<std::uint64_t>(seed), options, true);
    const int nv = robot.model->nv;
    Random random(static_cast<std::uint64_t>(seed));
    State s = random_state(random, *robot.model);
    std::fill_n(s.tau.begin(), 6, 0.0);
    Workspace w(robot.model);
    VectorXd qdd(nv);
    MatrixXd A(6, nv);
    Vector6 bias, expected;
    Eigen::Vector3d com;
    ASSERT_EQ(forward_dynamics(w, s.q.data(), s.v.data(), s.tau.data(), s.wrenches.data(), qdd.data()),
              Status::ok);
    ASSERT_EQ(kinematics(w, s.q.data(), s.v.data(), nullptr), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(w, A.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(w, bias.data()), Status::ok);
    ASSERT_EQ(center_of_mass(w, com.data(), nullptr, nullptr, 3), Status::ok);
    const Vector3& g = robot.options.gravity;
    expected << 0, 0, 0, moving_mass(*robot.model) * Eigen::Vector3d(g[0], g[1], g[2]);
    for (std::size_t link = 0; link < robot.model->links.size(); ++link) {
      Eigen::Vector3d p;
      Eigen::Matrix3d R;
      ASSERT_EQ(link_pose(w, static_cast<int>(link), p.data(), nullptr, R.data()), Status::ok);
      const Eigen::Map<const Vector6> wrench(s.wrenches.data() + 6 * link);
      const Eigen::Vector3d force = R * wrench.tail<3>();
      expected.head<3>() += R * wrench.head<3>() + (p - com).cross(force);
      expected.tail<3>() += force;
    }
    EXPECT_LE(relative_error(A * qdd + bias, expected, A.norm() * qdd.norm()), 1e-10);
  }
}

// Far from the world's origin nothing is lost but the digits of the positions.
TEST(Centroidal, IsExactFarAway) {
  const Robot robot = random_robot(4, {Shape::random, 12, false}, true);
  Random random(4);
  State s = random_state(random, *robot.model);
  Workspace w(robot.model);
  const int nv = robot.model->nv;
  MatrixXd near(6, nv), far(6, nv);
  Vector6 bias_near, bias_far;
  ASSERT_EQ(kinematics(w, s.q.data(), s.v.data(), nullptr), Status::ok);
  ASSERT_EQ(centroidal_momentum_matrix(w, near.data(), 6), Status::ok);
  ASSERT_EQ(centroidal_momentum_bias(w, bias_near.data()), Status::ok);
  for (std::size_t e = 0; e < 3; ++e) s.q[e] += 1e6;
  ASSERT_EQ(kinematics(w, s.q.data(), s.v.data(), nullptr), Status::ok);
  ASSERT_EQ(centroidal_momentum_matrix(w, far.data(), 6), Status::ok);
  ASSERT_EQ(centroidal_momentum_bias(w, bias_far.data()), Status::ok);
  EXPECT_LE(relative_error(far, near), 1e-8);
  EXPECT_LE(relative_error(bias_far, bias_near), 1e-8);
}

TEST(Centroidal, InIndependentCoordinates) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 8);
    const int nv = scene.model->nv, ny = scene.model->ny;
    Workspace tree(scene.model), w(scene.model);
    Random random(static_cast<std::uint64_t>(seed));
    VectorXd ydot(ny), v(nv), g(nv);
    for (double& x : ydot) x = random.uniform(-1, 1);
    MatrixXd G(nv, ny), A(6, nv), A_y(6, ny);
    if (ny == 0 || spanning_velocity(tree, scene.q.data(), ydot.data(), v.data()) != Status::ok ||
        loop_map(tree, scene.q.data(), v.data(), G.data(), nv, g.data()) != Status::ok)
      continue;
    if (G.norm() > 20 * std::sqrt(ny) || g.norm() > 100) continue;
    Vector6 bias, bias_y;
    ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
    ASSERT_EQ(kinematics(tree, scene.q.data(), v.data(), nullptr), Status::ok);
    ASSERT_EQ(kinematics(w, scene.q.data(), ydot.data(), nullptr), Status::ok) << w.message();
    ASSERT_EQ(centroidal_momentum_matrix(tree, A.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(w, A_y.data(), 6), Status::ok) << w.message();
    EXPECT_LE(relative_error(A_y, A * G, 1), 1e-11);
    ASSERT_EQ(centroidal_momentum_bias(tree, bias.data()), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(w, bias_y.data()), Status::ok);
    EXPECT_LE(relative_error(bias_y, bias + A * g, 1), 1e-9);
    // With accelerations too, G and g are those of the same state.
    const VectorXd yddot = VectorXd::Zero(ny);
    Vector6 again;
    ASSERT_EQ(kinematics(w, scene.q.data(), ydot.data(), yddot.data()), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(w, again.data()), Status::ok);
    EXPECT_EQ(again, bias_y);
    const auto at = [&](double dt, Vector6& momentum) {
      VectorXd q(scene.q.size());
      if (integrate(w, scene.q.data(), ydot.data(), dt, q.data()) != Status::ok ||
          kinematics(w, q.data(), ydot.data(), nullptr) != Status::ok)
        return false;
      return centroidal_momentum(w, momentum.data()) == Status::ok;
    };
    Vector6 before, after;
    if (!at(-h, before) || !at(h, after)) continue;
    EXPECT_LE(relative_error(bias_y, (after - before) / (2 * h), A.norm()), 1e-5);
    ++compared;
  }
  EXPECT_GE(compared, mechanisms / 2);
}

TEST(Centroidal, NeedsKinematicsAndMass) {
  const Robot robot = random_robot(4, {Shape::random, 12, false}, true);
  Workspace w(robot.model);
  Random random(4);
  const State s = random_state(random, *robot.model);
  std::vector<double> A(6 * s.v.size(), 77), bias(6, 77);
  EXPECT_EQ(centroidal_momentum_matrix(w, A.data(), 6), Status::invalid_argument);
  ASSERT_EQ(kinematics(w, s.q.data(), nullptr, nullptr), Status::ok);
  EXPECT_EQ(centroidal_momentum_matrix(w, A.data(), 6), Status::ok);
  EXPECT_EQ(centroidal_momentum_bias(w, bias.data()), Status::invalid_argument);
  EXPECT_NE(std::string(w.message()).find("velocities"), std::string::npos);
  EXPECT_EQ(bias, std::vector<double>(6, 77));

  Mechanism rock;
  rock.links.push_back({"rock", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}});
  Workspace still(Model::compile(rock));
  ASSERT_EQ(kinematics(still, nullptr, nullptr, nullptr), Status::ok);
  EXPECT_EQ(centroidal_momentum_matrix(still, nullptr, 6), Status::invalid_argument);
  EXPECT_NE(std::string(still.message()).find("no mass"), std::string::npos) << still.message();
}

}  // namespace
}  // namespace tenon::testing
