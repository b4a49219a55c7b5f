// A crank and rocker whose independent joint is the rocker's: twice a turn of the crank the rocker stands still
// and says nothing of how the others move. The mechanism itself is regular there, so that dynamics go on.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "support/constrained_scene.hpp"
#include "support/loop_scene.hpp"
#include "support/methods/loop_methods.hpp"
#include "support/oracle.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double crank = 0.3, coupler = 0.9, rocker = 0.6;

std::string bar(const std::string& name, double length, double mass) {
  return "<link name='" + name + "'><inertial><origin xyz='" + std::to_string(length / 2) +
         " 0.01 0.02'/><mass value='" + std::to_string(mass) +
         "'/><inertia ixx='.01' iyy='.02' izz='.03' ixy='0' ixz='0' iyz='.001'/></inertial></link>";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& x, bool independent) {
  return "<joint name='" + name + "' type='continuous' independent='" + (independent ? "true" : "false") +
         "'><parent link='" + parent + "'/><child link='" + child + "'/><origin xyz='" + x +
         " 0 0'/><axis xyz='0 0 1'/></joint>";
}

// A wagon on a rail, the linkage on it, and a pendulum on the coupler. The rocker's joint decides, or the crank's.
Mechanism machine(bool by_rocker) {
  return parse_urdf(
      "<robot name='machine'><link name='world'/>" + bar("wagon", 1, 5) +
      "<joint name='rail' type='prismatic'><parent link='world'/><child link='wagon'/><axis xyz='1 0 0'/>"
      "<limit lower='-9' upper='9' effort='1' velocity='1'/></joint>" +
      bar("crank", crank, 1) + bar("coupler", coupler, 2) + bar("rocker", rocker, 1.5) +
      bar("bob", 0.4, 0.7) + joint("crank_joint", "wagon", "crank", "0", !by_rocker) +
      joint("coupler_joint", "crank", "coupler", "0.3", false) +
      joint("rocker_joint", "wagon", "rocker", "1", by_rocker) +
      joint("bob_joint", "coupler", "bob", "0.5", true) +
      "<loop name='pin' type='revolute'><predecessor link='coupler'><origin xyz='0.9 0 0'/></predecessor>"
      "<successor link='rocker'><origin xyz='0.6 0 0'/></successor><axis xyz='0 0 1'/></loop></robot>");
}

LoopScene scene(bool by_rocker) {
  CompileOptions options;
  options.gravity = {0, -9.81, 0};
  return loop_scene(machine(by_rocker), options);
}

// The closed configuration with the crank at an angle from the line on which crank and coupler are stretched.
VectorXd closed_at(const Model& model, double off) {
  const double stretched = crank + coupler;
  const double line = std::acos((1 + stretched * stretched - rocker * rocker) / (2 * stretched));
  const double angle = line + off;
  const double x = crank * std::cos(angle), y = crank * std::sin(angle), distance = std::hypot(1 - x, -y);
  const double to_ground = std::atan2(-y, 1 - x);
  const double at_pin =
      std::acos((coupler * coupler + distance * distance - rocker * rocker) / (2 * coupler * distance));
  const double direction = to_ground + at_pin;
  const double end_x = x + coupler * std::cos(direction), end_y = y + coupler * std::sin(direction);
  VectorXd q = VectorXd::Zero(model.nq);
  for (const Model::Joint& j : model.joints) {
    if (j.name == "rail") q[j.q_index] = 0.2;
    if (j.name == "crank_joint") q[j.q_index] = angle;
    if (j.name == "coupler_joint") q[j.q_index] = direction - angle;
    if (j.name == "rocker_joint") q[j.q_index] = std::atan2(end_y, end_x - 1);
    if (j.name == "bob_joint") q[j.q_index] = 0.7;
  }
  return q;
}

VectorXd spread(int n, double a) {
  VectorXd x(n);
  for (int k = 0; k < n; ++k) x[k] = std::sin(a + 1.7 * k);
  return x;
}

// v on the loops, with the crank turning.
VectorXd moving(Workspace& w, const VectorXd& q) {
  VectorXd v = spread(w.model().nv, 1);
  EXPECT_EQ(project_velocity(w, LoopMoves::all, q.data(), v.data()), Status::ok) << w.message();
  return v;
}

// From the dead centre itself to where nothing is near.
const double distances[] = {0,    1e-15, 1e-12, 1e-9, 3e-8, -3e-8, 1e-7, -1e-6,
                            1e-5, -1e-4, 1e-3,  1e-2, -0.1, 0.5,   1.3};

TEST(DeadCentre, ForwardDynamicsAreThoseOfTheMultipliers) {
  const LoopScene s = scene(true);
  Workspace w(s.model);
  for (const double off : distances) {
    SCOPED_TRACE(off);
    const VectorXd q = closed_at(*s.model, off), v = moving(w, q), tau = spread(s.model->nv, 2);
    double gap = 1;
    ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
    EXPECT_LE(gap, 1e-12);
    const VectorXd expected = multiplier_accelerations(s, {}, q, v, tau, nullptr);
    for_exact_loop_methods(w, q, v, tau, nullptr,
                           [&](const VectorXd& qdd) { EXPECT_LE(relative_error(qdd, expected), 1e-9); });
  }
}

// The same numbers whichever joint is independent: the crank's has no dead centre.
TEST(DeadCentre, ConstraintsAndTheirMatricesAreThoseOfARegularChoice) {
  const LoopScene bad = scene(true), good = scene(false);
  ConstraintSpec point;
  for (std::size_t l = 0; l < bad.model->links.size(); ++l)
    if (bad.model->links[l].name == "bob") point.link = static_cast<int>(l);
  point.frame.translation = {0.4, 0, 0};
  point.rows = 1u << 3 | 1u << 4;
  for (std::size_t j = 0; j < bad.model->joints.size(); ++j)
    ASSERT_EQ(bad.model->joints[j].name, good.model->joints[j].name);
  Workspace w(bad.model, ConstraintSet::bind(bad.model, {point})),
      other(good.model, ConstraintSet::bind(good.model, {point}));
  const int rows = w.constraints()->row_count();
  for (const double off : distances) {
    SCOPED_TRACE(off);
    const VectorXd q = closed_at(*bad.model, off), v = moving(w, q), tau = spread(bad.model->nv, 2);
    for (const Method method : available_methods()) {
      SolveOptions options;
      options.method = method;
      VectorXd qdd(bad.model->nv), expected(bad.model->nv), lambda(rows), force(rows);
      ASSERT_EQ(constrained_dynamics(w, options, {q.data(), v.data(), tau.data()}, qdd.data(), lambda.data()),
                Status::ok)
          << static_cast<int>(method) << ": " << w.message();
      ASSERT_EQ(
          constrained_dynamics(other, {}, {q.data(), v.data(), tau.data()}, expected.data(), force.data()),
          Status::ok);
      EXPECT_LE(relative_error(qdd, expected), 1e-9) << static_cast<int>(method);
      EXPECT_LE(relative_error(lambda, force), 1e-9) << static_cast<int>(method);
    }
    MatrixXd A(rows, rows), B(rows, rows);
    for (const DelassusMethodFacts& facts : delassus_method_facts) {
      ASSERT_EQ(delassus_matrix(w, facts.method, q.data(), A.data(), rows), Status::ok) << w.message();
      ASSERT_EQ(delassus_matrix(other, DelassusMethod::pv_osimr, q.data(), B.data(), rows), Status::ok);
      EXPECT_LE(relative_error(A, B), 1e-9);
    }
    Damping damping;
    damping.mu = 100;
    ASSERT_EQ(damped_delassus_inverse(w, DampedInverseMethod::caba_osim, q.data(), damping, A.data(), rows),
              Status::ok);
    ASSERT_EQ(
        damped_delassus_inverse(other, DampedInverseMethod::pv_osimr, q.data(), damping, B.data(), rows),
        Status::ok);
    EXPECT_LE(relative_error(A, B), 1e-9);
    VectorXd x = v, y = v;
    ASSERT_EQ(project_velocities(w, q.data(), x.data()), Status::ok) << w.message();
    ASSERT_EQ(project_velocities(other, q.data(), y.data()), Status::ok) << other.message();
    EXPECT_LE(relative_error(x, y, 1), 1e-9);
  }
}

// In the user's coordinates a state at the dead centre has no meaning, and the message says so; beside it has.
TEST(DeadCentre, IndependentVelocitiesOfItHaveNoMeaning) {
  const LoopScene s = scene(true);
  Workspace w(s.model), independent(s.model);
  ASSERT_EQ(set_coordinates(independent, Coordinates::spanning, Coordinates::independent), Status::ok);
  for (const double off : distances) {
    SCOPED_TRACE(off);
    const VectorXd q = closed_at(*s.model, off), v = moving(w, q), tau_y = spread(s.model->ny, 2);
    VectorXd y(s.model->ny), tau = VectorXd::Zero(s.model->nv), qdd(s.model->nv), ydd(s.model->ny),
                             expected(s.model->ny);
    ASSERT_EQ(independent_velocity(w, v.data(), y.data()), Status::ok);
    ASSERT_EQ(spanning_force(w, tau_y.data(), tau.data()), Status::ok);
    const Status status = forward_dynamics(independent, {q.data(), y.data(), tau_y.data()}, ydd.data());
    if (std::abs(off) < 1e-9) {
      EXPECT_EQ(status, Status::singular_configuration);
      EXPECT_NE(std::string(independent.message()).find("dead centre"), std::string::npos);
    } else if (std::abs(off) > 1e-4) {
      ASSERT_EQ(status, Status::ok) << independent.message();
      ASSERT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok);
      ASSERT_EQ(independent_velocity(w, qdd.data(), expected.data()), Status::ok);
      EXPECT_LE(relative_error(ydd, expected, 1), 1e-12 / (off * off)) << "v has lost the digits of y";
    }
  }
}

// The crank goes round and round, through both dead centres each time, and loses no energy.
TEST(DeadCentre, IsPassedInMotionInEitherCoordinates) {
  for (const bool independent : {false, true}) {
    const LoopScene s = scene(true);
    Workspace w(s.model), spanning(s.model);
    VectorXd q = closed_at(*s.model, 0.4), v = VectorXd::Zero(s.model->nv);
    for (const Model::Joint& j : s.model->joints)
      if (j.name == "crank_joint") v[j.v_index] = 12;
    // The velocity of the crank alone decides.
    const LoopScene by_crank = scene(false);
    Workspace crank_first(by_crank.model);
    ASSERT_EQ(project_velocity(crank_first, LoopMoves::dependent, q.data(), v.data()), Status::ok);
    VectorXd y = v;
    if (independent) {
      ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
      y.resize(s.model->ny);
      ASSERT_EQ(independent_velocity(spanning, v.data(), y.data()), Status::ok);
    }
    const VectorXd tau = VectorXd::Zero(s.model->nv);
    const auto total = [&] {
      double kinetic = 0, potential = 0;
      EXPECT_EQ(kinematics(w, q.data(), y.data(), nullptr), Status::ok) << w.message();
      EXPECT_EQ(energy(w, &kinetic, &potential), Status::ok);
      return kinetic + potential;
    };
    const double start = total();
    int at = 0;
    for (const Model::Joint& j : s.model->joints)
      if (j.name == "crank_joint") at = j.q_index;
    double turned = 0, last = q[at];
    for (int step = 0; step < 1500; ++step) {
      ASSERT_EQ(step_runge_kutta_4(w, {}, 1e-3, q.data(), y.data(), tau.data(), nullptr, nullptr, nullptr),
                Status::ok)
          << step << ": " << w.message();
      if (!independent) {
        ASSERT_EQ(close_loops(w, LoopMoves::all, q.data(), nullptr), Status::ok);
        ASSERT_EQ(project_velocity(w, LoopMoves::all, q.data(), y.data()), Status::ok) << w.message();
      }
      double gap = 1;
      ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
      ASSERT_LE(gap, 1e-9) << step;
      turned += std::abs(q[at] - last), last = q[at];
    }
    EXPECT_GT(turned, 12.6) << "fewer than two turns";
    EXPECT_NEAR(total(), start, 1e-5 * std::abs(start)) << (independent ? "independent" : "spanning");
  }
}

}  // namespace
}  // namespace tenon::testing
