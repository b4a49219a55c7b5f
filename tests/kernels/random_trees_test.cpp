// Every unconstrained computation on a thousand random robots against the reference, in long double and on
// the description itself.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reference/decompositions.hpp"
#include "support/oracle.hpp"
#include "support/random_mechanism.hpp"
#include "support/test_robots.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {
namespace {

const std::uint64_t robots = test_robots();

// A robot of this seed, a state, a workspace and the reference at the state.
struct Scene {
  explicit Scene(std::uint64_t seed_)
      : seed(seed_), robot(random_robot(seed_)), oracle(robot), workspace(robot.model) {
    Random random(seed);
    state = random_state(random, *robot.model);
    oracle.set_state(state.q, state.v);
  }
  // A natural size of forces, where those of a state cancel: a tenth of the weight at 10 m/s^2.
  double force() const { return static_cast<double>(oracle.dynamics.mass()); }
  int nv() const { return robot.model->nv; }
  int links() const { return static_cast<int>(robot.model->links.size()); }

  std::uint64_t seed;
  Robot robot;
  Oracle oracle;
  Workspace workspace;
  State state;
};

// Calls check(scene) on all robots and stops at the first that fails.
template <class Check>
void for_all_robots(Check check) {
  for (std::uint64_t seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
    Scene scene(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(scene);
  }
}

// Without wrenches and with.
std::array<const double*, 2> both(const std::vector<double>& wrenches) {
  return {nullptr, wrenches.data()};
}

double condition(const reference::MatX<Real>& M) {
  return reference::scaled_condition(M.cast<double>());
}

TEST(RandomTrees, CompiledModelIsTheDescribedRobot) {
  for_all_robots([](Scene& s) {
    Oracle compiled(reference::tree_of(*s.robot.model), s.robot.options.gravity);
    compiled.set_state(s.state.q, s.state.v);
    EXPECT_LE(relative_error(compiled.mass_matrix(), s.oracle.mass_matrix()), 1e-12);
    const double* wrenches = s.state.wrenches.data();
    EXPECT_LE(relative_error(compiled.bias_force(wrenches), s.oracle.bias_force(wrenches), s.force()), 1e-11);
    for (int link = 0; link < s.links(); ++link) {
      EXPECT_LE(relative_error(compiled.dynamics.link_pose(link).p, s.oracle.dynamics.link_pose(link).p, 1),
                1e-12);
      EXPECT_LE(relative_error(compiled.dynamics.link_pose(link).R, s.oracle.dynamics.link_pose(link).R),
                1e-12);
    }
  });
}

TEST(RandomTrees, LinkPosesVelocitiesAccelerations) {
  for_all_robots([](Scene& s) {
    ASSERT_EQ(kinematics(s.workspace, s.state.q.data(), s.state.v.data(), s.state.a.data()), Status::ok);
    for (int link = 0; link < s.links(); ++link) {
      const auto X = s.oracle.dynamics.link_pose(link);
      double p[3], quaternion[4], R[9];
      ASSERT_EQ(link_pose(s.workspace, link, p, quaternion, R), Status::ok);
      EXPECT_LE(relative_error(as_vector(p, 3), X.p, 1), 1e-12) << "link " << link;
      EXPECT_LE(relative_error(Eigen::Map<Eigen::Matrix3d>(R), X.R), 1e-12) << "link " << link;
      const Eigen::Matrix3d turned = Eigen::Map<Eigen::Quaterniond>(quaternion).toRotationMatrix();
      EXPECT_LE(relative_error(turned, X.R), 1e-12) << "link " << link;
      for (const RowAxes axes : {RowAxes::link, RowAxes::world}) {
        double v[6], a[6];
        ASSERT_EQ(link_velocity(s.workspace, link, axes, v), Status::ok);
        ASSERT_EQ(link_acceleration(s.workspace, link, axes, a), Status::ok);
        EXPECT_LE(relative_error(as_vector(v, 6), s.oracle.link_velocity(link, axes), 1), 1e-11)
            << "link " << link;
        EXPECT_LE(relative_error(as_vector(a, 6), s.oracle.link_acceleration(link, axes, s.state.a), 1),
                  1e-11)
            << "link " << link;
      }
    }
  });
}

TEST(RandomTrees, LinkJacobians) {
  for_all_robots([](Scene& s) {
    ASSERT_EQ(kinematics(s.workspace, s.state.q.data(), nullptr, nullptr), Status::ok);
    // A leading dimension above six, so that a kernel that ignores it is seen.
    Eigen::MatrixXd J(8, s.nv());
    for (int link = 0; link < s.links(); ++link) {
      for (const RowAxes axes : {RowAxes::link, RowAxes::world}) {
        J.setConstant(7);
        ASSERT_EQ(link_jacobian(s.workspace, link, axes, J.data(), 8), Status::ok);
        EXPECT_LE(relative_error(J.topRows<6>(), s.oracle.link_jacobian(link, axes), 1), 1e-12)
            << "link " << link;
        EXPECT_TRUE((J.bottomRows<2>().array() == 7).all()) << "link " << link;
      }
    }
  });
}

TEST(RandomTrees, CenterOfMassMomentumEnergy) {
  for_all_robots([](Scene& s) {
    ASSERT_EQ(kinematics(s.workspace, s.state.q.data(), s.state.v.data(), nullptr), Status::ok);
    double position[3], velocity[3], momentum[6], kinetic = 0, potential = 0;
    Eigen::MatrixXd J(3, s.nv());
    ASSERT_EQ(center_of_mass(s.workspace, position, velocity, J.data(), 3), Status::ok);
    reference::MatX<Real> expected;
    s.oracle.dynamics.center_of_mass_jacobian(expected);
    const auto p = s.oracle.dynamics.center_of_mass();
    EXPECT_LE(relative_error(as_vector(position, 3), p, 1), 1e-12);
    EXPECT_LE(relative_error(J, expected), 1e-12);
    EXPECT_LE(relative_error(as_vector(velocity, 3), expected * as_vector(s.state.v).cast<Real>(), 0.1),
              1e-11);

    ASSERT_EQ(centroidal_momentum(s.workspace, momentum), Status::ok);
    const auto h = s.oracle.dynamics.centroidal_momentum();
    EXPECT_LE(relative_error(as_vector(momentum, 6), h, 1), 1e-11);

    ASSERT_EQ(energy(s.workspace, &kinetic, &potential), Status::ok);
    const double T = static_cast<double>(s.oracle.dynamics.kinetic_energy());
    const double U = static_cast<double>(s.oracle.dynamics.potential_energy(s.robot.options.gravity));
    EXPECT_NEAR(kinetic, T, 1e-12 * T);
    EXPECT_NEAR(potential, U, 1e-12 * std::max(std::abs(U), static_cast<double>(s.oracle.dynamics.mass())));
  });
}

TEST(RandomTrees, MassMatrix) {
  for_all_robots([](Scene& s) {
    const int n = s.nv(), ld = n + 3;
    Eigen::MatrixXd M = Eigen::MatrixXd::Constant(ld, n, 7);
    ASSERT_EQ(mass_matrix(s.workspace, s.state.q.data(), M.data(), ld), Status::ok);
    EXPECT_LE(relative_error(M.topRows(n), s.oracle.mass_matrix()), 1e-12);
    EXPECT_EQ(M.topRows(n), M.topRows(n).transpose());
    EXPECT_TRUE((M.bottomRows(3).array() == 7).all());
  });
}

TEST(RandomTrees, InverseDynamicsAndBiasForce) {
  for_all_robots([](Scene& s) {
    const double *q = s.state.q.data(), *v = s.state.v.data(), *a = s.state.a.data();
    Eigen::VectorXd tau(s.nv()), c(s.nv());
    for (const double* wrenches : both(s.state.wrenches)) {
      ASSERT_EQ(inverse_dynamics(s.workspace, {q, v, nullptr, wrenches, nullptr, a}, tau.data()), Status::ok);
      ASSERT_EQ(bias_force(s.workspace, q, v, wrenches, c.data()), Status::ok);
      EXPECT_LE(relative_error(tau, s.oracle.inverse_dynamics(s.state.a, wrenches), s.force()), 1e-11);
      EXPECT_LE(relative_error(c, s.oracle.bias_force(wrenches), s.force()), 1e-11);
    }
  });
}

TEST(RandomTrees, ForwardDynamics) {
  for_all_robots([](Scene& s) {
    Eigen::VectorXd qdd(s.nv());
    for (const double* wrenches : both(s.state.wrenches)) {
      ASSERT_EQ(
          forward_dynamics(s.workspace, {s.state.q.data(), s.state.v.data(), s.state.tau.data(), wrenches},
                           qdd.data()),
          Status::ok);
      const auto expected = s.oracle.forward_dynamics(s.state.tau, wrenches);
      const double tolerance = 1e-12 + 1e-16 * condition(s.oracle.mass_matrix());
      EXPECT_LE(relative_error(qdd, expected), std::min(tolerance, 1e-9));
    }
  });
}

TEST(RandomTrees, FactoredMassMatrixSolvesAndMultiplies) {
  for_all_robots([](Scene& s) {
    const int n = s.nv(), count = 3, ld = n + 2;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(ld, count), X = B, Y = B;
    Random random(s.seed);
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < n; ++i) B(i, j) = random.uniform(-1, 1);
    ASSERT_EQ(factor_mass_matrix(s.workspace, s.state.q.data()), Status::ok);
    ASSERT_EQ(multiply_mass_matrix(s.workspace, B.data(), ld, count, X.data(), ld), Status::ok);
    ASSERT_EQ(solve_mass_matrix(s.workspace, X.data(), ld, count, Y.data(), ld), Status::ok);
    const auto M = s.oracle.mass_matrix();
    const double tolerance = 1e-12 + 1e-15 * condition(M);
    EXPECT_LE(relative_error(X.topRows(n), M * B.topRows(n).cast<Real>()), 1e-12);
    EXPECT_LE(relative_error(Y.topRows(n), B.topRows(n)), tolerance);
    // In place.
    ASSERT_EQ(solve_mass_matrix(s.workspace, X.data(), ld, count, X.data(), ld), Status::ok);
    EXPECT_EQ(X, Y);
  });
}

}  // namespace
}  // namespace tenon::testing
