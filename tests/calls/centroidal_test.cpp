// The momentum about the centre of mass as a matrix, and its bias, against the dense reference, differences
// of the momentum, and Newton's and Euler's laws for the whole robot.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/described_model.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vector6 = Eigen::Matrix<double, 6, 1>;

const int robots = std::max(30, test_robots() / 10);
const int mechanisms = std::max(20, test_robots() / 15);
constexpr double h = 1e-5;

TEST(Centroidal, MatrixAndBiasMatchReference) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 40);
    const int nv = t.nv();
    if (nv == 0) continue;
    MatrixXd A = MatrixXd::Constant(8, nv, 77);
    Vector6 bias, momentum;
    ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(t.w, A.data(), 8), Status::ok) << t.w.message();
    ASSERT_EQ(centroidal_momentum_bias(t.w, bias.data()), Status::ok) << t.w.message();
    ASSERT_EQ(centroidal_momentum(t.w, momentum.data()), Status::ok);
    EXPECT_TRUE((A.bottomRows(2).array() == 77).all());
    A.conservativeResize(6, nv);
    EXPECT_LE(relative_error(A * as_vector(t.s.v), momentum, A.norm()), 1e-13);
    for (int k = 0; k < nv; ++k) {
      std::vector<double> unit(t.s.v.size(), 0.0);
      unit[static_cast<std::size_t>(k)] = 1;
      t.oracle.set_state(t.s.q, unit);
      EXPECT_LE(relative_error(A.col(k), t.oracle.dynamics.centroidal_momentum(), 1), 1e-11) << k;
    }
    const auto at = [&](double dt) {
      std::vector<double> q(t.s.q.size());
      EXPECT_EQ(integrate(t.w, t.s.q.data(), t.s.v.data(), dt, q.data()), Status::ok);
      t.oracle.set_state(q, t.s.v);
      return t.oracle.dynamics.centroidal_momentum();
    };
    const reference::Vec6<Real> rate = (at(h) - at(-h)) / (2 * static_cast<Real>(h));
    EXPECT_LE(relative_error(bias, rate, 1), 1e-7);
  }
}

// A qdd + bias is what acts from outside, whatever motors do: weight, and wrenches with their moments.
TEST(Centroidal, RateIsTheSumOfExternalForces) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const MechanismOptions options = {Shape::random, 2 + seed % 25, false};
    MovingTree t(random_robot(static_cast<std::uint64_t>(seed), options, true), seed);
    const int nv = t.nv();
    std::fill_n(t.s.tau.begin(), 6, 0.0);
    VectorXd qdd(nv);
    MatrixXd A(6, nv);
    Vector6 bias, expected;
    Eigen::Vector3d com;
    ASSERT_EQ(
        forward_dynamics(t.w, {t.s.q.data(), t.s.v.data(), t.s.tau.data(), t.s.wrenches.data()}, qdd.data()),
        Status::ok);
    ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(t.w, A.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(t.w, bias.data()), Status::ok);
    ASSERT_EQ(center_of_mass(t.w, com.data(), nullptr, nullptr, 3), Status::ok);
    const Vector3& g = t.robot.options.gravity;
    expected << 0, 0, 0, moved_mass(*t.robot.model) * Eigen::Vector3d(g[0], g[1], g[2]);
    for (std::size_t link = 0; link < t.robot.model->links.size(); ++link) {
      Eigen::Vector3d p;
      Eigen::Matrix3d R;
      ASSERT_EQ(link_pose(t.w, static_cast<int>(link), p.data(), nullptr, R.data()), Status::ok);
      const Eigen::Map<const Vector6> wrench(t.s.wrenches.data() + 6 * link);
      const Eigen::Vector3d force = R * wrench.tail<3>();
      expected.head<3>() += R * wrench.head<3>() + (p - com).cross(force);
      expected.tail<3>() += force;
    }
    EXPECT_LE(relative_error(A * qdd + bias, expected, A.norm() * qdd.norm()), 1e-10);
  }
}

// Far from the world's origin nothing is lost but the digits of the positions.
TEST(Centroidal, IsExactFarAway) {
  MovingTree t(random_robot(4, {Shape::random, 12, false}, true), 4);
  const int nv = t.robot.model->nv;
  MatrixXd near(6, nv), far(6, nv);
  Vector6 bias_near, bias_far;
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
  ASSERT_EQ(centroidal_momentum_matrix(t.w, near.data(), 6), Status::ok);
  ASSERT_EQ(centroidal_momentum_bias(t.w, bias_near.data()), Status::ok);
  for (std::size_t e = 0; e < 3; ++e) t.s.q[e] += 1e6;
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
  ASSERT_EQ(centroidal_momentum_matrix(t.w, far.data(), 6), Status::ok);
  ASSERT_EQ(centroidal_momentum_bias(t.w, bias_far.data()), Status::ok);
  EXPECT_LE(relative_error(far, near), 1e-8);
  EXPECT_LE(relative_error(bias_far, bias_near), 1e-8);
}

TEST(Centroidal, InIndependentCoordinates) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 8);
    const int nv = scene.model->nv, ny = scene.model->ny;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random);
    if (ny == 0 || !t.regular() || t.g.norm() > 100) continue;
    MatrixXd A(6, nv), A_y(6, ny);
    Vector6 bias, bias_y;
    ASSERT_EQ(kinematics(t.w, scene.q.data(), t.v.data(), nullptr), Status::ok);
    ASSERT_EQ(kinematics(t.independent, scene.q.data(), t.ydot.data(), nullptr), Status::ok)
        << t.independent.message();
    ASSERT_EQ(centroidal_momentum_matrix(t.w, A.data(), 6), Status::ok);
    ASSERT_EQ(centroidal_momentum_matrix(t.independent, A_y.data(), 6), Status::ok)
        << t.independent.message();
    EXPECT_LE(relative_error(A_y, A * t.G, 1), 1e-11);
    ASSERT_EQ(centroidal_momentum_bias(t.w, bias.data()), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(t.independent, bias_y.data()), Status::ok);
    EXPECT_LE(relative_error(bias_y, bias + A * t.g, 1), 1e-9);
    // With accelerations too, G and g are those of the same state.
    const VectorXd yddot = VectorXd::Zero(ny);
    Vector6 again;
    ASSERT_EQ(kinematics(t.independent, scene.q.data(), t.ydot.data(), yddot.data()), Status::ok);
    ASSERT_EQ(centroidal_momentum_bias(t.independent, again.data()), Status::ok);
    EXPECT_EQ(again, bias_y);
    const auto at = [&](double dt, Vector6& momentum) {
      VectorXd q(scene.q.size());
      if (integrate(t.independent, scene.q.data(), t.ydot.data(), dt, q.data()) != Status::ok ||
          kinematics(t.independent, q.data(), t.ydot.data(), nullptr) != Status::ok)
        return false;
      return centroidal_momentum(t.independent, momentum.data()) == Status::ok;
    };
    Vector6 before, after;
    if (!at(-h, before) || !at(h, after)) continue;
    EXPECT_LE(relative_error(bias_y, (after - before) / (2 * h), A.norm()), 1e-5);
    ++compared;
  }
  EXPECT_GE(compared, mechanisms / 2);
}

TEST(Centroidal, NeedsKinematicsAndMass) {
  MovingTree t(random_robot(4, {Shape::random, 12, false}, true), 4);
  std::vector<double> A(6 * t.s.v.size(), 77), bias(6, 77);
  EXPECT_EQ(centroidal_momentum_matrix(t.w, A.data(), 6), Status::invalid_argument);
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), nullptr, nullptr), Status::ok);
  EXPECT_EQ(centroidal_momentum_matrix(t.w, A.data(), 6), Status::ok);
  EXPECT_EQ(centroidal_momentum_bias(t.w, bias.data()), Status::invalid_argument);
  EXPECT_NE(std::string(t.w.message()).find("velocities"), std::string::npos);
  EXPECT_EQ(bias, std::vector<double>(6, 77));

  Mechanism rock;
  rock.links.push_back({"rock", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}});
  Workspace still(Model::compile(rock));
  ASSERT_EQ(kinematics(still, nullptr, nullptr, nullptr), Status::ok);
  EXPECT_EQ(centroidal_momentum_matrix(still, nullptr, 6), Status::invalid_model);
  EXPECT_NE(std::string(still.message()).find("has mass"), std::string::npos) << still.message();
}

}  // namespace
}  // namespace tenon::testing
