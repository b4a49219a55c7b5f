// Screw joints where the answer is known: alone, in the limits of pitch, in a loop, in every lane. Random robots of
// all other tests have screws too.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "batch/batch_checks.hpp"
#include "model/small_mechanisms.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

constexpr double pi = 3.14159265358979323846, gravity = 9.81;

MechanismJoint screw(const std::string& name, const std::string& parent, const std::string& child,
                     double pitch, const Vector3& axis = {0, 0, 1}) {
  MechanismJoint joint = joint_between(name, JointType::screw, parent, child, axis);
  joint.pitch = pitch;
  return joint;
}

// A body on a vertical spindle, its centre of mass on the axis.
std::shared_ptr<const Model> nut(double pitch, double mass, double inertia, double armature = 0) {
  Mechanism m;
  m.links = {solid_link("base"), solid_link("nut", mass)};
  m.links[1].center_of_mass = {0, 0, 0.2};
  m.links[1].inertia = {0.3, 0, 0, 0.2, 0, inertia};
  m.joints = {screw("spindle", "base", "nut", pitch)};
  m.joints[0].armature = armature;
  return Model::compile(m);
}

double acceleration(Workspace& w, double q, double v, double tau) {
  double qdd = NAN;
  EXPECT_EQ(forward_dynamics(w, {&q, &v, &tau}, &qdd), Status::ok);
  return qdd;
}

TEST(Screw, FallsAsFastAsItsInertiaAllows) {
  for (const double pitch : {-0.5, 0.002, 0.3}) {
    for (const double armature : {0.0, 0.04}) {
      const double mass = 2, inertia = 0.1, sum = inertia + armature + mass * pitch * pitch;
      Workspace w(nut(pitch, mass, inertia, armature));
      const double still = -mass * gravity * pitch / sum;
      EXPECT_NEAR(acceleration(w, 0.7, 3, 0), still, 1e-14 * std::abs(still));
      EXPECT_NEAR(acceleration(w, 0.7, 3, 5), still + 5 / sum, 1e-13 * (std::abs(still) + 5 / sum));
      double M = 0, bias = 0;
      const double q = 0.7, v = 3;
      ASSERT_EQ(mass_matrix(w, &q, &M, 1), Status::ok);
      ASSERT_EQ(bias_force(w, &q, &v, nullptr, &bias), Status::ok);
      EXPECT_NEAR(M, sum, 1e-15);
      EXPECT_NEAR(bias, mass * gravity * pitch, 1e-14);
    }
  }
}

TEST(Screw, MovesAlongItsAxisAsItTurns) {
  const double pitch = 0.05, q = -7, v = 2;
  Workspace w(nut(pitch, 1, 0.1));
  ASSERT_EQ(kinematics(w, &q, &v, nullptr), Status::ok);
  double position[3], R[9], velocity[6], J[6];
  ASSERT_EQ(link_pose(w, 1, position, nullptr, R), Status::ok);
  ASSERT_EQ(link_velocity(w, 1, RowAxes::world, velocity), Status::ok);
  ASSERT_EQ(link_jacobian(w, 1, RowAxes::world, J, 6), Status::ok);
  EXPECT_NEAR(position[2], 0.3 + pitch * q, 1e-15);
  EXPECT_NEAR(R[0], std::cos(q), 1e-15);
  EXPECT_NEAR(R[1], std::sin(q), 1e-15);
  const double expected[6] = {0, 0, 1, 0, 0, pitch};
  for (int e = 0; e < 6; ++e) {
    EXPECT_NEAR(J[e], expected[e], 1e-15) << e;
    EXPECT_NEAR(velocity[e], v * expected[e], 1e-15) << e;
  }
}

// An arm with a screw between hinges, its axis oblique.
Mechanism arm(JointType type, double pitch) {
  Mechanism m;
  for (const char* name : {"base", "a", "b", "c"}) m.links.push_back(solid_link(name));
  m.joints = {joint_between("first", JointType::revolute, "base", "a", {0, 1, 0}),
              screw("second", "a", "b", pitch, {0.3, -0.5, 1}),
              joint_between("third", JointType::revolute, "b", "c", {1, 0, 0})};
  m.joints[1].type = type;
  return m;
}

std::vector<double> accelerations(const Mechanism& m, const std::vector<double>& q,
                                  const std::vector<double>& v, const std::vector<double>& tau) {
  Workspace w(Model::compile(m));
  std::vector<double> qdd(v.size());
  EXPECT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok);
  return qdd;
}

TEST(Screw, WithoutPitchIsARevoluteJoint) {
  const std::vector<double> q = {0.3, 1.2, -0.4}, v = {1, -2, 0.5}, tau = {3, 1, -2};
  EXPECT_EQ(accelerations(arm(JointType::screw, 0), q, v, tau),
            accelerations(arm(JointType::revolute, 0), q, v, tau));
  const std::vector<double> nearly = accelerations(arm(JointType::screw, 1e-14), q, v, tau),
                            exact = accelerations(arm(JointType::revolute, 0), q, v, tau);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(nearly[k], exact[k], 1e-10);
}

// With s = pitch q and a force tau / pitch.
TEST(Screw, OfAGreatPitchIsAPrismaticJoint) {
  const double pitch = 1e8, force = 1, s = 0.2, speed = -0.7;
  std::vector<double> qdd = accelerations(arm(JointType::screw, pitch), {0.3, s / pitch, -0.4},
                                          {1, speed / pitch, 0.5}, {3, force * pitch, -2});
  qdd[1] *= pitch;
  const std::vector<double> slides =
      accelerations(arm(JointType::prismatic, 0), {0.3, s, -0.4}, {1, speed, 0.5}, {3, force, -2});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(qdd[k], slides[k], 1e-6 * (1 + std::abs(slides[k])));
}

double energy_of(Workspace& w, const std::vector<double>& q, const std::vector<double>& v) {
  double kinetic = NAN, potential = NAN;
  EXPECT_EQ(kinematics(w, q.data(), v.data(), nullptr), Status::ok);
  EXPECT_EQ(energy(w, &kinetic, &potential), Status::ok);
  return kinetic + potential;
}

// The power is the torque times the rate.
TEST(Screw, TakesThePowerOfItsTorque) {
  Workspace w(Model::compile(arm(JointType::screw, -0.4)));
  const std::vector<double> q = {0.3, 1.2, -0.4}, v = {1, -2, 0.5}, tau = {0, 7, 0};
  const double dt = 1e-3;
  double after[2];
  for (const double sign : {-1.0, 1.0}) {
    std::vector<double> q1 = q, v1 = v;
    ASSERT_EQ(
        step_runge_kutta_4(w, {}, sign * dt, q1.data(), v1.data(), tau.data(), nullptr, nullptr, nullptr),
        Status::ok);
    after[sign > 0] = energy_of(w, q1, v1);
  }
  EXPECT_NEAR((after[1] - after[0]) / (2 * dt), tau[1] * v[1], 1e-4);
}

TEST(Screw, JacobianIsTheDerivativeOfThePose) {
  Workspace w(Model::compile(arm(JointType::screw, 0.3)));
  const std::vector<double> q = {0.3, 1.2, -0.4};
  double J[18], ahead[3], behind[3];
  ASSERT_EQ(kinematics(w, q.data(), nullptr, nullptr), Status::ok);
  ASSERT_EQ(link_jacobian(w, 3, RowAxes::world, J, 6), Status::ok);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> there = q;
    there[k] += 1e-5;
    ASSERT_EQ(kinematics(w, there.data(), nullptr, nullptr), Status::ok);
    ASSERT_EQ(link_pose(w, 3, ahead, nullptr, nullptr), Status::ok);
    there[k] -= 2e-5;
    ASSERT_EQ(kinematics(w, there.data(), nullptr, nullptr), Status::ok);
    ASSERT_EQ(link_pose(w, 3, behind, nullptr, nullptr), Status::ok);
    for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(J[6 * k + 3 + e], (ahead[e] - behind[e]) / 2e-5, 1e-9);
  }
}

TEST(Screw, CountsItsTurns) {
  Mechanism m = arm(JointType::screw, 0.1);
  const auto free = Model::compile(m);
  Workspace w(free);
  std::vector<double> q = {0, 3, 0}, next(3), v = {0, 2, 0}, back(3);
  ASSERT_EQ(integrate(w, q.data(), v.data(), 10, next.data()), Status::ok);
  EXPECT_EQ(next[1], 23);
  ASSERT_EQ(difference(w, q.data(), next.data(), back.data()), Status::ok);
  EXPECT_EQ(back[1], 20);
  neutral(*free, q.data());
  EXPECT_EQ(q[1], 0);
  m.joints[1].limits.lower = 40, m.joints[1].limits.upper = 50;
  const auto limited = Model::compile(m);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_configuration(*free, seed, q.data());
    EXPECT_LE(std::abs(q[1]), pi);
    random_configuration(*limited, seed, q.data());
    EXPECT_GE(q[1], 40);
    EXPECT_LE(q[1], 50);
  }
}

// A spindle lifts a strut that turns about a pin 0.4 m beside it and slides through a sleeve at the nut: with
// the nut at the height h the strut has the angle atan(h / 0.4) and the length sqrt(h^2 + 0.4^2).
TEST(Screw, DrivesALoop) {
  const double pitch = 0.05, beside = 0.4;
  Mechanism m;
  for (const char* name : {"base", "nut", "strut", "sleeve"}) m.links.push_back(solid_link(name));
  m.joints = {screw("spindle", "base", "nut", pitch),
              joint_between("pin", JointType::revolute, "base", "strut", {0, -1, 0}),
              joint_between("length", JointType::prismatic, "strut", "sleeve", {1, 0, 0})};
  for (MechanismJoint& joint : m.joints) joint.origin = {};
  m.joints[0].origin.translation = {beside, 0, 0};
  m.joints[1].independent = m.joints[2].independent = false;
  m.loops.push_back({});
  m.loops[0].name = "ball", m.loops[0].type = JointType::spherical;
  m.loops[0].predecessor = "nut", m.loops[0].successor = "sleeve";
  const auto model = Model::compile(m);
  ASSERT_EQ(model->ny, 1);
  Workspace w(model);
  for (const double angle : {-3.0, 2.0, 9.0}) {
    const double h = pitch * angle, v = 1.5, length = std::hypot(h, beside);
    const std::vector<double> q = {angle, std::atan2(h, beside), length};
    const std::vector<double> rates = {v, pitch * v * beside / (length * length), pitch * v * h / length},
                              tau = {0.3, 0, 0};
    std::vector<double> ydot = {v}, spanning(3), after = q;
    std::vector<double> v_after = rates;
    ASSERT_EQ(spanning_velocity(w, q.data(), ydot.data(), spanning.data()), Status::ok) << w.message();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(spanning[k], rates[k], 1e-12);
    // The energy grows by the work of the spindle alone.
    const double before = energy_of(w, q, rates);
    for (int step = 0; step < 100; ++step)
      ASSERT_EQ(step_runge_kutta_4(w, {}, 1e-3, after.data(), v_after.data(), tau.data(), nullptr, nullptr,
                                   nullptr),
                Status::ok)
          << w.message();
    EXPECT_NEAR(energy_of(w, after, v_after) - before, tau[0] * (after[0] - q[0]), 1e-9);
    EXPECT_NEAR(after[1], std::atan2(pitch * after[0], beside), 1e-9);
  }
}

// Limbs of equal shape, each with a screw of its own pitch.
Robot robot_with_screws() {
  Robot robot;
  robot.mechanism.links = {solid_link("trunk", 5)};
  for (int limb = 0; limb < 4; ++limb) {
    std::string above = "trunk";
    for (int part = 0; part < 3; ++part) {
      const std::string name = std::to_string(limb) + std::to_string(part);
      robot.mechanism.links.push_back(solid_link(name, 1 + 0.1 * limb));
      robot.mechanism.joints.push_back(
          part == 1 ? screw("j" + name, above, name, 0.1 * (limb - 1.5), {0.2, 1, 0.1 * limb})
                    : joint_between("j" + name, JointType::revolute, above, name, {0, 1, 0}));
      above = name;
    }
  }
  robot.options.floating_base = true;
  robot.model = Model::compile(robot.mechanism, robot.options);
  return robot;
}

TEST(Screw, InLimbsSideBySide) {
  const Robot robot = robot_with_screws();
  WorkspaceOptions always, never;
  always.branch_lanes = BranchLanesUse::always, never.branch_lanes = BranchLanesUse::never;
  Workspace lanes(robot.model, nullptr, always), scalar(robot.model, nullptr, never);
  Random random(3);
  const State s = random_state(random, *robot.model);
  const int nv = robot.model->nv;
  std::vector<double> a(s.v.size()), b = a, M(a.size() * a.size()), N = M;
  ASSERT_EQ(forward_dynamics(lanes, {s.q.data(), s.v.data(), s.tau.data()}, a.data()), Status::ok);
  ASSERT_EQ(forward_dynamics(scalar, {s.q.data(), s.v.data(), s.tau.data()}, b.data()), Status::ok);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-11 * largest(b));
  ASSERT_EQ(mass_matrix(lanes, s.q.data(), M.data(), nv), Status::ok);
  ASSERT_EQ(mass_matrix(scalar, s.q.data(), N.data(), nv), Status::ok);
  for (std::size_t k = 0; k < M.size(); ++k) EXPECT_NEAR(M[k], N[k], 1e-13 * largest(N));
}

TEST(Screw, InPacksOfStates) {
  const Robot robot = robot_with_screws();
  for (const Instructions here : instruction_sets_here())
    for (const BatchFunction function : on_trees) {
      expect_as_single(States<double>(robot, nullptr, 19, 2), here, function, 1e-12);
      expect_as_single(States<float>(robot, nullptr, 19, 2), here, function, 1e-3);
    }
}

}  // namespace
}  // namespace tenon::testing
