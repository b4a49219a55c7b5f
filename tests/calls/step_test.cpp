// Orders of the steps in time, measured by halving the step: semi-implicit Euler one, Runge-Kutta four, for
// every kind of joint, with contacts, with loops that are embedded or closed by rows, in all coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

struct Motion {
  std::vector<double> q, v;
};
using Step = Status (*)(Workspace&, const SolveOptions&, double, double*, double*, const double*,
                        const double*, double*, double*);

Motion after(Workspace& w, Step step, const Motion& start, const std::vector<double>& tau, double time,
             int steps) {
  Motion s = start;
  for (int k = 0; k < steps; ++k) {
    const Status status =
        step(w, {}, time / steps, s.q.data(), s.v.data(), tau.data(), nullptr, nullptr, nullptr);
    EXPECT_GE(static_cast<int>(status), 0) << w.message();
    if (static_cast<int>(status) < 0) break;
  }
  return s;
}

// Signs of quaternions do not change within the short times of these tests.
double distance(const Motion& a, const Motion& b) {
  return larger(largest_difference(a.q, b.q), largest_difference(a.v, b.v));
}

// Errors after `time` of n and of 2 n steps, against a motion by many more Runge-Kutta steps.
double observed_order(Workspace& w, Step step, const Motion& start, const std::vector<double>& tau,
                      double time, int n) {
  const Motion exact = after(w, step_runge_kutta_4, start, tau, time, 16 * n);
  const double coarse = distance(after(w, step, start, tau, time, n), exact);
  const double fine = distance(after(w, step, start, tau, time, 2 * n), exact);
  EXPECT_GT(fine, 1e-12) << "the error is rounding: nothing is measured";
  return std::log2(coarse / fine);
}

void expect_orders(Workspace& w, const Motion& start, const std::vector<double>& tau, double time,
                   int n = 16) {
  EXPECT_NEAR(observed_order(w, step_runge_kutta_4, start, tau, time, n), 4, 0.3);
  EXPECT_NEAR(observed_order(w, step_semi_implicit_euler, start, tau, time, 4 * n), 1, 0.3);
}

MechanismLink body(const std::string& name, double mass) {
  MechanismLink link;
  link.name = name;
  link.mass = mass;
  link.center_of_mass = {0.1, 0.05, 0.02};
  link.inertia = {0.1, 0.01, 0, 0.2, 0, 0.15};
  return link;
}

MechanismJoint joint(JointType type, const std::string& parent, const std::string& child,
                     const Vector3& axis) {
  MechanismJoint made;
  made.name = "to " + child;
  made.type = type;
  made.parent = parent;
  made.child = child;
  made.axis = axis;
  made.pitch = 0.4;
  made.origin.translation = {0.2, 0.1, 0};
  return made;
}

// A body on a joint of this type, and a second one on a hinge that makes its motion uneven.
std::shared_ptr<const Model> two_bodies(JointType type, const Vector3& axis) {
  Mechanism m;
  m.links = {body("world", 1), body("a", 1), body("b", 0.7)};
  m.joints = {joint(type, "world", "a", axis), joint(JointType::revolute, "a", "b", {1, 2, -0.5})};
  return Model::compile(m, {});
}

Motion moving(const Model& model, double speed, std::uint64_t seed = 3) {
  Motion s;
  s.q.resize(static_cast<std::size_t>(model.nq));
  random_configuration(model, seed, s.q.data());
  Random random(seed);
  for (int k = 0; k < model.nv; ++k) s.v.push_back(random.uniform(-speed, speed));
  return s;
}

TEST(Steps, AreOfTheirOrderForEveryJoint) {
  for (const JointType type :
       {JointType::revolute, JointType::continuous, JointType::prismatic, JointType::screw,
        JointType::spherical, JointType::planar, JointType::floating}) {
    for (const Vector3& axis : {Vector3{0, 0, 1}, Vector3{0.3, -1, 0.4}}) {
      SCOPED_TRACE(static_cast<int>(type));
      const auto model = two_bodies(type, axis);
      Workspace w(model);
      expect_orders(w, moving(*model, 2), std::vector<double>(static_cast<std::size_t>(model->nv), 0.1), 0.4);
    }
  }
}

TEST(Steps, AreOfTheirOrderOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, {Shape::random, 6, false}, true);
    Workspace w(robot.model);
    expect_orders(w, moving(*robot.model, 2, seed),
                  std::vector<double>(static_cast<std::size_t>(robot.model->nv), 0), 0.2);
  }
}

TEST(Steps, AreOfTheirOrderOnALeggedRobotInContact) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/solo12.urdf"), options);
  std::vector<ConstraintSpec> feet;
  for (const char* name : {"FL_FOOT", "HR_FOOT"}) {
    ConstraintSpec foot;
    foot.link = model->find_link(name);
    ASSERT_GE(foot.link, 0);
    foot.rows = rows_linear;
    foot.axes = RowAxes::world;
    foot.frequency = 20;
    feet.push_back(foot);
  }
  Workspace w(model, ConstraintSet::bind(model, feet));
  Motion start = moving(*model, 0.4);
  for (std::size_t k = 7; k < start.q.size(); k += 3)
    start.q[k] = 0.1, start.q[k + 1] = 0.8, start.q[k + 2] = -1.6;
  ASSERT_EQ(anchor_here(w, start.q.data()), Status::ok);
  ASSERT_EQ(project_velocities(w, start.q.data(), start.v.data()), Status::ok);
  expect_orders(w, start, std::vector<double>(start.v.size(), 0), 0.05);
}

class StepsWithLoops : public ::testing::TestWithParam<const char*> {};

TEST_P(StepsWithLoops, AreOfTheirOrderEmbeddedByRowsAndInIndependentCoordinates) {
  for (const LoopTreatment treatment : {LoopTreatment::embed, LoopTreatment::rows}) {
    SCOPED_TRACE(treatment == LoopTreatment::embed ? "embedded" : "by rows");
    CompileOptions options;
    options.loops = treatment;
    options.gravity = {0, -7, -7};
    const auto model =
        Model::compile(load_urdf(TENON_MODELS_DIR "/" + std::string(GetParam()) + ".urdf"), options);
    Workspace w(model);
    Motion start = moving(*model, 0.5);
    start.q = model->loops.closed;
    if (treatment == LoopTreatment::rows) {
      CompileOptions embedded = options;
      embedded.loops = LoopTreatment::embed;
      const auto other =
          Model::compile(load_urdf(TENON_MODELS_DIR "/" + std::string(GetParam()) + ".urdf"), embedded);
      start.q.assign(static_cast<std::size_t>(model->nq), 0);
      for (const Model::Joint& j : model->joints) {
        const Model::Joint& from = other->joints[static_cast<std::size_t>(other->find_joint(j.name))];
        std::copy_n(other->loops.closed.begin() + from.q_index, j.nq, start.q.begin() + j.q_index);
      }
    }
    ASSERT_EQ(project_velocity(w, LoopMoves::dependent, start.q.data(), start.v.data()), Status::ok)
        << w.message();
    expect_orders(w, start, std::vector<double>(start.v.size(), 0), 0.1);
    if (treatment == LoopTreatment::rows) continue;

    Motion independent = start;
    independent.v.resize(static_cast<std::size_t>(model->ny));
    ASSERT_EQ(independent_velocity(w, start.v.data(), independent.v.data()), Status::ok);
    ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
    const std::vector<double> tau(independent.v.size(), 0);
    expect_orders(w, independent, tau, 0.1);
    double gap = 1;
    const Motion end = after(w, step_runge_kutta_4, independent, tau, 0.1, 4);
    ASSERT_EQ(loop_gap(w, end.q.data(), &gap), Status::ok);
    EXPECT_LT(gap, 1e-11);

    ASSERT_EQ(set_coordinates(w, Coordinates::independent, Coordinates::independent), Status::ok);
    independent.q.resize(static_cast<std::size_t>(position_count(w)));
    ASSERT_EQ(independent_positions(w, start.q.data(), independent.q.data()), Status::ok);
    expect_orders(w, independent, tau, 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StepsWithLoops, ::testing::Values("strandbeest_leg", "tello"));

// A joint some of whose coordinates follow from loops: its configuration is no function of the others.
TEST(Steps, AreOfTheirOrderWhereAJointIsIndependentInPart) {
  Mechanism m;
  m.links = {body("world", 1), body("a", 1), body("b", 0.7)};
  m.joints = {joint(JointType::floating, "world", "a", {0, 0, 1}),
              joint(JointType::spherical, "a", "b", {0, 0, 1})};
  MechanismLoop loop;
  loop.name = "loop";
  loop.type = JointType::revolute;
  loop.predecessor = "world";
  loop.successor = "b";
  loop.axis = {0, 1, 0.2};
  loop.successor_frame.translation = {0.3, 0, 0.1};
  m.loops = {loop};
  const auto model = Model::compile(m, {});
  Workspace w(model);
  Motion start = moving(*model, 1);
  start.q = model->loops.closed;
  ASSERT_EQ(project_velocity(w, LoopMoves::dependent, start.q.data(), start.v.data()), Status::ok);
  expect_orders(w, start, std::vector<double>(start.v.size(), 0), 0.2);
  Motion independent = start;
  independent.v.resize(static_cast<std::size_t>(model->ny));
  ASSERT_EQ(independent_velocity(w, start.v.data(), independent.v.data()), Status::ok);
  ASSERT_EQ(set_coordinates(w, Coordinates::spanning, Coordinates::independent), Status::ok);
  const std::vector<double> tau(independent.v.size(), 0);
  EXPECT_NEAR(observed_order(w, step_runge_kutta_4, independent, tau, 0.2, 16), 4, 0.3);
}

}  // namespace
}  // namespace tenon::testing
