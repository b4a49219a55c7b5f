// What must hold whatever the numbers are: forward undoes inverse dynamics, power is the derivative of
// energy, finite differences along integrate agree with velocities and accelerations. No reference here.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <string>
#include <vector>

#include "support/constrained_scene.hpp"
#include "support/oracle.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Step of the finite differences: fourth-order central differences, f' = (8 (f1 - f-1) - (f2 - f-2)) / 12 h,
// leave h^4 of a fifth derivative and eps / h of rounding.
constexpr double h = 2e-3;

template <class F>
VectorXd derivative(F f) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

struct Scene {
  explicit Scene(std::uint64_t seed) : robot(random_robot(seed, 20)), w(robot.model) {
    Random random(seed);
    state = random_state(random, *robot.model);
  }
  int nv() const { return robot.model->nv; }
  // Configuration at time t of the motion q(0) = q, constant v.
  std::vector<double> moved(double t) {
    std::vector<double> q(state.q.size());
    EXPECT_EQ(integrate(w, state.q.data(), state.v.data(), t, q.data()), Status::ok) << w.message();
    return q;
  }
  Robot robot;
  Workspace w;
  State state;
};

template <class Check>
void for_scenes(std::uint64_t count, Check check) {
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene(seed);
    check(scene);
  }
}

TEST(Identities, ForwardDynamicsUndoesInverseDynamics) {
  for_scenes(300, [](Scene& s) {
    VectorXd tau(s.nv()), a(s.nv());
    const double *q = s.state.q.data(), *v = s.state.v.data(), *f = s.state.wrenches.data();
    ASSERT_EQ(inverse_dynamics(s.w, {q, v, nullptr, f, nullptr, s.state.a.data()}, tau.data()), Status::ok);
    ASSERT_EQ(forward_dynamics(s.w, {q, v, tau.data(), f}, a.data()), Status::ok);
    EXPECT_LE(relative_error(a, as_vector(s.state.a)), 1e-9);
  });
}

TEST(Identities, MassMatrixColumnsAreInverseDynamicsOfUnitAccelerations) {
  for_scenes(300, [](Scene& s) {
    const int n = s.nv();
    MatrixXd M(n, n), columns(n, n);
    s.w.set_gravity({0, 0, 0});
    ASSERT_EQ(mass_matrix(s.w, s.state.q.data(), M.data(), n), Status::ok);
    const VectorXd rest = VectorXd::Zero(n);
    for (int k = 0; k < n; ++k) {
      const VectorXd unit = VectorXd::Unit(n, k);
      ASSERT_EQ(inverse_dynamics(s.w, {s.state.q.data(), rest.data(), nullptr, nullptr, nullptr, unit.data()},
                                 columns.col(k).data()),
                Status::ok);
    }
    EXPECT_LE(relative_error(columns, M), 1e-13);
  });
}

TEST(Identities, JacobianTimesVelocityIsLinkVelocity) {
  for_scenes(300, [](Scene& s) {
    ASSERT_EQ(kinematics(s.w, s.state.q.data(), s.state.v.data(), nullptr), Status::ok);
    MatrixXd J(6, s.nv());
    for (int link = 0; link < static_cast<int>(s.robot.model->links.size()); ++link) {
      for (const RowAxes axes : {RowAxes::link, RowAxes::world}) {
        double v[6];
        ASSERT_EQ(link_jacobian(s.w, link, axes, J.data(), 6), Status::ok);
        ASSERT_EQ(link_velocity(s.w, link, axes, v), Status::ok);
        EXPECT_LE(relative_error(J * as_vector(s.state.v), as_vector(v, 6), 1), 1e-12);
      }
    }
  });
}

// dE/dt = v . tau + sum of the power of the wrenches, along the motion of the free robot.
TEST(Identities, PowerIsTheDerivativeOfEnergy) {
  for_scenes(200, [](Scene& s) {
    VectorXd qdd(s.nv());
    ASSERT_EQ(forward_dynamics(
                  s.w, {s.state.q.data(), s.state.v.data(), s.state.tau.data(), s.state.wrenches.data()},
                  qdd.data()),
              Status::ok);
    // q(t) with q' = v and q'' = qdd at t = 0; what the third derivative is does not matter to E'.
    double size = 0;
    const auto energy_at = [&](double t) {
      const VectorXd velocity = as_vector(s.state.v) + t * qdd;
      const VectorXd mean = as_vector(s.state.v) + t / 2 * qdd;
      std::vector<double> q(s.state.q.size());
      EXPECT_EQ(integrate(s.w, s.state.q.data(), mean.data(), t, q.data()), Status::ok);
      EXPECT_EQ(kinematics(s.w, q.data(), velocity.data(), nullptr), Status::ok);
      VectorXd E(2);
      EXPECT_EQ(energy(s.w, &E(0), &E(1)), Status::ok);
      size = larger(size, largest(E));
      return VectorXd::Constant(1, E.sum()).eval();
    };
    // Time unit of the robot: the faster it accelerates, the shorter the step.
    const double fast = std::max(1.0, std::sqrt(largest(qdd)));
    const double dt = h / fast;
    const double dE =
        (8 * (energy_at(dt)(0) - energy_at(-dt)(0)) - (energy_at(2 * dt)(0) - energy_at(-2 * dt)(0))) /
        (12 * dt);
    double power = as_vector(s.state.v).dot(as_vector(s.state.tau));
    ASSERT_EQ(kinematics(s.w, s.state.q.data(), s.state.v.data(), nullptr), Status::ok);
    for (std::size_t link = 0; link < s.robot.model->links.size(); ++link) {
      double v[6];
      ASSERT_EQ(link_velocity(s.w, static_cast<int>(link), RowAxes::link, v), Status::ok);
      power += as_vector(v, 6).dot(as_vector(s.state.wrenches.data() + 6 * link, 6));
    }
    EXPECT_NEAR(dE, power, 1e-8 * std::max(std::abs(power), size * fast));
  });
}

TEST(Identities, GravityForceIsTheGradientOfPotentialEnergy) {
  for_scenes(200, [](Scene& s) {
    const VectorXd rest = VectorXd::Zero(s.nv());
    VectorXd c(s.nv()), gradient(s.nv());
    ASSERT_EQ(bias_force(s.w, s.state.q.data(), rest.data(), nullptr, c.data()), Status::ok);
    std::vector<double> q(s.state.q.size());
    for (int k = 0; k < s.nv(); ++k) {
      const VectorXd unit = VectorXd::Unit(s.nv(), k);
      gradient(k) = derivative([&](double t) {
        EXPECT_EQ(integrate(s.w, s.state.q.data(), unit.data(), t, q.data()), Status::ok);
        EXPECT_EQ(kinematics(s.w, q.data(), nullptr, nullptr), Status::ok);
        VectorXd U(1);
        EXPECT_EQ(energy(s.w, nullptr, U.data()), Status::ok) << s.w.message();
        return U;
      })(0);
    }
    EXPECT_LE(relative_error(c, gradient, s.robot.model->total_mass), 1e-9);
  });
}

TEST(Identities, LinkVelocitiesAreDerivativesOfPoses) {
  for_scenes(200, [](Scene& s) {
    for (int link = 0; link < static_cast<int>(s.robot.model->links.size()); ++link) {
      const auto pose = [&](double t) {
        VectorXd x(12);
        EXPECT_EQ(kinematics(s.w, s.moved(t).data(), nullptr, nullptr), Status::ok);
        EXPECT_EQ(link_pose(s.w, link, x.data(), nullptr, x.data() + 3), Status::ok);
        return x;
      };
      const VectorXd x = pose(0), x_dot = derivative(pose);
      const Eigen::Matrix3d W = Eigen::Map<const Eigen::Matrix3d>(x_dot.data() + 3) *
                                Eigen::Map<const Eigen::Matrix3d>(x.data() + 3).transpose();
      VectorXd expected(6), v(6);
      expected << (W(2, 1) - W(1, 2)) / 2, (W(0, 2) - W(2, 0)) / 2, (W(1, 0) - W(0, 1)) / 2, x_dot.head<3>();
      ASSERT_EQ(kinematics(s.w, s.state.q.data(), s.state.v.data(), nullptr), Status::ok);
      ASSERT_EQ(link_velocity(s.w, link, RowAxes::world, v.data()), Status::ok);
      EXPECT_LE(relative_error(v, expected, 10), 1e-8) << "link " << link;
    }
  });
}

TEST(Identities, IntegrateAndDifferenceInvertEachOther) {
  for_scenes(300, [](Scene& s) {
    // One unit of time with half the speed: rotations stay below half a turn.
    const VectorXd v = as_vector(s.state.v) / 2;
    std::vector<double> q1(s.state.q.size()), back(s.state.q.size());
    VectorXd d(s.nv());
    ASSERT_EQ(integrate(s.w, s.state.q.data(), v.data(), 1, q1.data()), Status::ok);
    ASSERT_EQ(difference(s.w, s.state.q.data(), q1.data(), d.data()), Status::ok);
    EXPECT_LE(relative_error(d, v, 1), 1e-12);
    const VectorXd minus = -v;
    ASSERT_EQ(integrate(s.w, q1.data(), minus.data(), 1, back.data()), Status::ok);
    ASSERT_EQ(difference(s.w, s.state.q.data(), back.data(), d.data()), Status::ok);
    EXPECT_LE(d.size() ? largest(d) : 0, 1e-12);
    // In place, and over no time.
    std::vector<double> q = s.state.q;
    ASSERT_EQ(integrate(s.w, q.data(), v.data(), 1, q.data()), Status::ok);
    EXPECT_EQ(q, q1);
    ASSERT_EQ(integrate(s.w, s.state.q.data(), v.data(), 0, q.data()), Status::ok);
    EXPECT_LE(relative_error(as_vector(q), as_vector(s.state.q)), 1e-15);
  });
}

// J v and J qdd + gamma of constraint rows against differences of the positions of their frames along a
// motion.
TEST(Identities, RowVelocitiesAndAccelerationsAreDerivatives) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ConstrainedScene s(seed, SceneKind::contradictory, 20);
    const int n = s.nv(), rows = s.rows();
    if (rows == 0) continue;
    std::vector<ConstraintSpec> specs = s.set->specs();
    for (ConstraintSpec& spec : specs) spec.frequency = 0;
    Workspace w(s.robot.model, ConstraintSet::bind(s.robot.model, specs));
    const VectorXd v = as_vector(s.state.v), a = as_vector(s.state.a);
    MatrixXd J(rows, n);
    VectorXd rhs(rows), velocity(rows);
    ASSERT_EQ(constraint_rows(w, s.state.q.data(), v.data(), nullptr, J.data(), rows, rhs.data(), nullptr,
                              velocity.data()),
              Status::ok);
    EXPECT_LE(relative_error(J * v, velocity, 1), 1e-12);

    // Velocity [angular; linear] of a frame in world axes after time t of the motion v + a t.
    const auto frame_velocity = [&](const ConstraintSpec& spec, double t) {
      const VectorXd mean = v + t / 2 * a, now = v + t * a;
      std::vector<double> q(s.state.q.size());
      EXPECT_EQ(integrate(w, s.state.q.data(), mean.data(), t, q.data()), Status::ok);
      EXPECT_EQ(kinematics(w, q.data(), now.data(), nullptr), Status::ok);
      Eigen::Matrix3d R;
      VectorXd x(6);
      EXPECT_EQ(link_pose(w, spec.link, nullptr, nullptr, R.data()), Status::ok);
      EXPECT_EQ(link_velocity(w, spec.link, RowAxes::world, x.data()), Status::ok);
      const Eigen::Vector3d arm = R * Eigen::Map<const Eigen::Vector3d>(spec.frame.translation.data());
      x.tail<3>() += Eigen::Vector3d(x.head<3>()).cross(arm);
      return x;
    };
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (!specs[i].custom.empty()) continue;
      const VectorXd now = frame_velocity(specs[i], 0);
      const VectorXd dot = derivative([&](double t) { return frame_velocity(specs[i], t); });
      ASSERT_EQ(kinematics(w, s.state.q.data(), nullptr, nullptr), Status::ok);
      Eigen::Matrix3d axes;
      ASSERT_EQ(link_pose(w, specs[i].link, nullptr, nullptr, axes.data()), Status::ok);
      axes *= Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(specs[i].frame.rotation.data());
      if (specs[i].axes == RowAxes::world) axes.setIdentity();
      int row = s.set->first_row(static_cast<int>(i));
      for (int k = 0; k < 6; ++k) {
        if (!(specs[i].rows >> k & 1u)) continue;
        const auto e = axes.col(k % 3);
        EXPECT_NEAR(velocity(row), e.dot(now.segment<3>(3 * (k / 3))), 1e-11 * (1 + now.norm()))
            << "row " << row;
        // J a + gamma, and gamma = - rhs without desired values and stabilisation.
        EXPECT_NEAR(J.row(row).dot(a) - rhs(row), e.dot(dot.segment<3>(3 * (k / 3))), 1e-7 * (1 + dot.norm()))
            << "row " << row;
        ++row;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::testing
