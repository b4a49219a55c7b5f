// Jacobians and bias accelerations of points against the dense reference, differences of what links do, and
// each other.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

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
constexpr RowAxes both[] = {RowAxes::link, RowAxes::world};

TEST(PointMotion, MatchesReference) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed, 40);
    const int nv = t.nv();
    t.oracle.set_state(t.s.q, t.s.v);
    ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
    for (int draw = 0; draw < 4; ++draw) {
      const int link = random_link(t.random, *t.robot.model);
      const Vector3 point = t.random.vector(0.5);
      const auto X = t.oracle.dynamics.link_pose(link);
      const reference::Vec3<Real> in_link(point[0], point[1], point[2]);
      const reference::Vec3<Real> p = X.p + X.R * in_link;
      const int body = t.oracle.dynamics.tree().links[static_cast<std::size_t>(link)].body;
      reference::Mat6X<Real> expected(6, nv);
      t.oracle.dynamics.jacobian(body, p, expected);
      const reference::Vec6<Real> bias = t.oracle.dynamics.bias_acceleration(body, p);
      const reference::Vec6<Real> of_origin = t.oracle.dynamics.bias_acceleration(body, X.p);
      for (const RowAxes axes : both) {
        MatrixXd J = MatrixXd::Constant(7, nv, 77), of_link(6, nv), at_origin(6, nv);
        Vector6 a, b;
        ASSERT_EQ(point_jacobian(t.w, link, point.data(), axes, J.data(), 7), Status::ok) << t.w.message();
        ASSERT_EQ(point_bias_acceleration(t.w, link, point.data(), axes, a.data()), Status::ok);
        ASSERT_EQ(link_bias_acceleration(t.w, link, axes, b.data()), Status::ok);
        ASSERT_EQ(link_jacobian(t.w, link, axes, of_link.data(), 6), Status::ok);
        ASSERT_EQ(point_jacobian(t.w, link, nullptr, axes, at_origin.data(), 6), Status::ok);
        EXPECT_EQ(of_link, at_origin);
        EXPECT_TRUE((J.row(6).array() == 77).all());
        const reference::Mat3<Real> R =
            axes == RowAxes::link ? X.R : reference::Mat3<Real>(reference::Mat3<Real>::Identity());
        for (int half : {0, 3}) {
          EXPECT_LE(relative_error(J.middleRows<3>(half), R.transpose() * expected.middleRows<3>(half), 1),
                    1e-12);
          EXPECT_LE(relative_error(a.segment<3>(half), R.transpose() * bias.segment<3>(half), 1), 1e-11);
          EXPECT_LE(relative_error(b.segment<3>(half), R.transpose() * of_origin.segment<3>(half), 1), 1e-11);
        }
      }
    }
  }
}

// J a + bias is the acceleration, with one convention for links and points: the classical one, the derivative of
// the velocity's numbers along world axes. Along link axes these change by the turn of the axes less.
TEST(PointMotion, BiasIsWhatIsLeftOfTheAcceleration) {
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    MovingTree t(seed + 500, 30);
    const int nv = t.nv();
    if (nv == 0) continue;
    const int link = random_link(t.random, *t.robot.model);
    for (const RowAxes axes : both) {
      MatrixXd J(6, nv);
      Vector6 acceleration, bias, of_point, velocity, ends[2];
      ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), t.s.a.data()), Status::ok);
      ASSERT_EQ(link_acceleration(t.w, link, axes, acceleration.data()), Status::ok);
      ASSERT_EQ(link_jacobian(t.w, link, axes, J.data(), 6), Status::ok);
      ASSERT_EQ(point_bias_acceleration(t.w, link, nullptr, axes, of_point.data()), Status::ok);
      ASSERT_EQ(link_bias_acceleration(t.w, link, axes, bias.data()), Status::ok);
      ASSERT_EQ(link_velocity(t.w, link, axes, velocity.data()), Status::ok);
      EXPECT_EQ(bias, of_point);
      EXPECT_LE(relative_error(J * as_vector(t.s.a) + bias, acceleration, 1), 1e-11);
      for (int i = 0; i < 2; ++i) {
        std::vector<double> q(t.s.q.size());
        ASSERT_EQ(integrate(t.w, t.s.q.data(), t.s.v.data(), i == 0 ? -h : h, q.data()), Status::ok);
        ASSERT_EQ(kinematics(t.w, q.data(), t.s.v.data(), nullptr), Status::ok);
        ASSERT_EQ(link_velocity(t.w, link, axes, ends[i].data()), Status::ok);
      }
      Vector6 rate = (ends[1] - ends[0]) / (2 * h);
      if (axes == RowAxes::link) rate.tail<3>() += velocity.head<3>().cross(velocity.tail<3>());
      EXPECT_LE(relative_error(bias, rate, 10), 1e-7);
    }
  }
}

TEST(PointMotion, InIndependentCoordinates) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 8);
    const int nv = scene.model->nv, ny = scene.model->ny;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random);
    if (ny == 0 || !t.regular(1e3)) continue;
    const VectorXd still = VectorXd::Zero(ny);
    MatrixXd J(6, nv), J_y(6, ny);
    const int link = random_link(random, *scene.model);
    const Vector3 point = random.vector(0.5);
    ASSERT_EQ(kinematics(t.w, scene.q.data(), t.v.data(), nullptr), Status::ok);
    for (const RowAxes axes : both) {
      Vector6 a, a_y, b, b_y, acceleration;
      ASSERT_EQ(kinematics(t.independent, scene.q.data(), t.ydot.data(), nullptr), Status::ok)
          << t.independent.message();
      ASSERT_EQ(point_jacobian(t.w, link, point.data(), axes, J.data(), 6), Status::ok);
      ASSERT_EQ(point_jacobian(t.independent, link, point.data(), axes, J_y.data(), 6), Status::ok)
          << t.independent.message();
      EXPECT_LE(relative_error(J_y, J * t.G, 1), 1e-12);
      ASSERT_EQ(point_bias_acceleration(t.w, link, point.data(), axes, a.data()), Status::ok);
      ASSERT_EQ(point_bias_acceleration(t.independent, link, point.data(), axes, a_y.data()), Status::ok);
      // Where J g cancels its own terms and a, their rounding errors are left.
      const auto terms = [&] { return std::max(1.0, (J.cwiseAbs() * t.g.cwiseAbs()).maxCoeff()); };
      EXPECT_LE(relative_error(a_y, a + J * t.g, terms()), 1e-10);
      ASSERT_EQ(link_jacobian(t.w, link, axes, J.data(), 6), Status::ok);
      ASSERT_EQ(link_bias_acceleration(t.w, link, axes, b.data()), Status::ok);
      ASSERT_EQ(link_bias_acceleration(t.independent, link, axes, b_y.data()), Status::ok);
      EXPECT_LE(relative_error(b_y, b + J * t.g, terms()), 1e-10);
      ASSERT_EQ(kinematics(t.independent, scene.q.data(), t.ydot.data(), still.data()), Status::ok);
      ASSERT_EQ(link_acceleration(t.independent, link, axes, acceleration.data()), Status::ok);
      ASSERT_EQ(point_bias_acceleration(t.independent, link, nullptr, axes, a_y.data()), Status::ok);
      EXPECT_LE(relative_error(a_y, acceleration, terms()), 1e-9);
    }
    ++compared;
  }
  EXPECT_GE(compared, mechanisms / 2);
}

// The base of a fixed robot is the world, which does not move.
TEST(PointMotion, OfTheWorldIsZero) {
  MovingTree t(random_robot(4, {Shape::random, 12, false}, false), 4);
  const int nv = t.robot.model->nv, base = 0;
  ASSERT_EQ(t.robot.model->links[0].body, -1);
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), t.s.v.data(), nullptr), Status::ok);
  const Vector3 point = {1, 2, 3};
  MatrixXd J = MatrixXd::Constant(6, nv, 77);
  Vector6 a, b;
  ASSERT_EQ(point_jacobian(t.w, base, point.data(), RowAxes::world, J.data(), 6), Status::ok);
  ASSERT_EQ(point_bias_acceleration(t.w, base, point.data(), RowAxes::link, a.data()), Status::ok);
  ASSERT_EQ(link_bias_acceleration(t.w, base, RowAxes::link, b.data()), Status::ok);
  EXPECT_EQ(J, MatrixXd::Zero(6, nv));
  EXPECT_EQ(a, Vector6::Zero());
  EXPECT_EQ(b, Vector6::Zero());
}

TEST(PointMotion, RefusesBadInput) {
  MovingTree t(random_robot(4, {Shape::random, 12, false}, true), 4);
  std::vector<double> J(6 * t.s.v.size(), 77), a(6, 77);
  const double good[3] = {0, 0, 0}, bad[3] = {0, NAN, 0};
  EXPECT_EQ(point_jacobian(t.w, 0, good, RowAxes::link, J.data(), 6), Status::invalid_argument);
  ASSERT_EQ(kinematics(t.w, t.s.q.data(), nullptr, nullptr), Status::ok);
  EXPECT_EQ(point_bias_acceleration(t.w, 0, good, RowAxes::link, a.data()), Status::invalid_argument);
  EXPECT_EQ(link_bias_acceleration(t.w, 0, RowAxes::link, a.data()), Status::invalid_argument);
  EXPECT_EQ(point_jacobian(t.w, 0, bad, RowAxes::link, J.data(), 6), Status::not_finite);
  EXPECT_NE(std::string(t.w.message()).find("point[1]"), std::string::npos);
  EXPECT_EQ(point_jacobian(t.w, 1000, good, RowAxes::link, J.data(), 6), Status::out_of_range);
  EXPECT_EQ(J, std::vector<double>(J.size(), 77));
  EXPECT_EQ(a, std::vector<double>(6, 77));
}

}  // namespace
}  // namespace tenon::testing
