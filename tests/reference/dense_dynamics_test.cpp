// The reference against textbook closed forms: it must stand on its own feet before anything is compared with
// it.
#include "reference/dense_dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/mechanism_tree.hpp"
#include "support/oracle.hpp"
#include "support/random_mechanism.hpp"

namespace tenon::testing {
namespace {

using reference::Body;
using reference::DenseDynamics;
using reference::MatX;
using reference::Tree;
using reference::VecX;

// Two rods of length l with their mass m in the middle and inertia I about it, hinged about z, gravity along
// -y.
struct TwoRods {
  static constexpr double l = 0.7, m = 1.3, I = 0.09, g = 9.81;
  static Tree tree() {
    Tree tree;
    tree.nq = tree.nv = 2;
    tree.armature = {0, 0};
    for (int i = 0; i < 2; ++i) {
      Body body{};
      body.parent = i - 1;
      body.type = JointType::revolute;
      body.q_index = body.v_index = i;
      body.origin.translation = {i == 0 ? 0 : l, 0, 0};
      body.basis = reference::basis_along({0, 0, 1});
      body.mass = m;
      body.first_moment = {m * l / 2, 0, 0};
      const double about_hinge = I + m * l * l / 4;
      body.inertia = {0.01, 0, 0, about_hinge, 0, about_hinge};
      tree.bodies.push_back(body);
      tree.links.push_back({i, {}});
    }
    return tree;
  }
};

// M. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, planar elbow manipulator.
TEST(DenseDynamics, PlanarElbowManipulator) {
  constexpr double l = TwoRods::l, m = TwoRods::m, I = TwoRods::I, g = TwoRods::g, r = l / 2;
  DenseDynamics<double> dynamics(TwoRods::tree());
  const double q[2] = {0.4, -1.1}, v[2] = {1.7, 0.6};
  dynamics.set_state(q, v);
  MatX<double> M(2, 2);
  VecX<double> c(2);
  dynamics.mass_matrix(M);
  dynamics.bias_force({0, -g, 0}, nullptr, c);

  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]);
  EXPECT_NEAR(M(0, 0), m * r * r + m * (l * l + r * r + 2 * l * r * c2) + 2 * I, 1e-14);
  EXPECT_NEAR(M(0, 1), m * (r * r + l * r * c2) + I, 1e-14);
  EXPECT_NEAR(M(1, 0), M(0, 1), 1e-15);
  EXPECT_NEAR(M(1, 1), m * r * r + I, 1e-14);
  const double h = -m * l * r * s2;
  const double g1 = (m * r + m * l) * g * std::cos(q[0]) + m * r * g * std::cos(q[0] + q[1]);
  const double g2 = m * r * g * std::cos(q[0] + q[1]);
  EXPECT_NEAR(c(0), h * (2 * v[0] * v[1] + v[1] * v[1]) + g1, 1e-13);
  EXPECT_NEAR(c(1), -h * v[0] * v[0] + g2, 1e-13);
}

// A free body obeys Newton and Euler in its own frame.
TEST(DenseDynamics, FreeBodyObeysEulersEquations) {
  Tree tree;
  tree.nq = 7;
  tree.nv = 6;
  tree.armature.assign(6, 0);
  Body body{};
  body.parent = -1;
  body.type = JointType::floating;
  body.basis = identity3;
  body.mass = 2;
  body.inertia = {0.3, 0, 0, 0.5, 0, 0.7};
  tree.bodies.push_back(body);
  DenseDynamics<double> dynamics(tree);
  const double q[7] = {1, 2, 3, 0.5, -0.5, 0.5, 0.5}, v[6] = {1, 2, 3, -4, 5, 6};
  dynamics.set_state(q, v);
  VecX<double> c(6);
  dynamics.bias_force({0, 0, 0}, nullptr, c);
  const Eigen::Vector3d w(1, 2, 3), u(-4, 5, 6), Iw(0.3, 1.0, 2.1);
  Eigen::VectorXd expected(6);
  expected << w.cross(Iw), 2 * w.cross(u);
  EXPECT_LE(relative_error(c, expected), 1e-14);
}

TEST(DenseDynamics, ArmatureIsOnTheDiagonalAndInTheEnergy) {
  Tree tree = TwoRods::tree();
  const double q[2] = {0.4, -1.1}, v[2] = {1.7, 0.6};
  MatX<double> without(2, 2), with(2, 2);
  DenseDynamics<double> bare(tree);
  bare.set_state(q, v);
  bare.mass_matrix(without);
  tree.armature = {0.5, 0.25};
  DenseDynamics<double> geared(tree);
  geared.set_state(q, v);
  geared.mass_matrix(with);
  EXPECT_NEAR((with - without)(0, 0), 0.5, 1e-15);
  EXPECT_NEAR((with - without)(1, 1), 0.25, 1e-15);
  EXPECT_EQ(with(0, 1), without(0, 1));
  const Eigen::Vector2d rate(v[0], v[1]);
  EXPECT_NEAR(geared.kinetic_energy(), 0.5 * rate.dot(with * rate), 1e-14);
}

TEST(DenseDynamics, KineticEnergyIsHalfOfVelocityTimesMassMatrix) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Robot robot = random_robot(seed, 30);
    Random random(seed);
    const State state = random_state(random, *robot.model);
    Oracle oracle(robot);
    oracle.set_state(state.q, state.v);
    const VecX<Real> v = as_vector(state.v).cast<Real>();
    const Real expected = v.dot(oracle.mass_matrix() * v) / 2;
    EXPECT_NEAR(static_cast<double>(oracle.dynamics.kinetic_energy() / expected), 1, 1e-15)
        << "seed " << seed;
  }
}

TEST(DenseDynamics, CholeskyRejectsWhatIsNotPositiveDefinite) {
  MatX<double> A(2, 2);
  A << 1, 2, 2, 1;
  EXPECT_FALSE(reference::cholesky<double>(A));
  A << 4, 2, 2, 5;
  ASSERT_TRUE(reference::cholesky<double>(A));
  VecX<double> x(2);
  x << 8, 9;
  reference::solve_lower<double>(A, x);
  reference::solve_lower_transposed<double>(A, x);
  EXPECT_NEAR(x(0), 1.375, 1e-15);
  EXPECT_NEAR(x(1), 1.25, 1e-15);
}

}  // namespace
}  // namespace tenon::testing
