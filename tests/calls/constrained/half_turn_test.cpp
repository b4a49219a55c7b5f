// Rotation errors up to a half turn: of welds against anchors, of closures, of embedded loops. A frame that
// is turned over is as far from its place as one can be, and no assembly with such a loop is a closed one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/dense_rows.hpp"
#include "support/oracle.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

constexpr double pi = 3.14159265358979323846;

MechanismLink body(const std::string& name) {
  MechanismLink link;
  link.name = name;
  link.mass = 1;
  link.center_of_mass = {0.1, 0.02, 0.03};
  link.inertia = {0.1, 0, 0, 0.2, 0, 0.15};
  return link;
}
MechanismJoint joint(const std::string& name, JointType type, const std::string& parent,
                     const std::string& child, const Vector3& axis) {
  MechanismJoint made;
  made.name = name;
  made.type = type;
  made.parent = parent;
  made.child = child;
  made.axis = axis;
  return made;
}
std::shared_ptr<const Model> free_body() {
  Mechanism m;
  m.links = {body("world"), body("l")};
  m.joints = {joint("j", JointType::floating, "world", "l", {0, 0, 1})};
  return Model::compile(m, {});
}
std::vector<double> turned(const Vector3& axis, double angle) {
  const double s = std::sin(angle / 2);
  return {0, 0, 0, s * axis[0], s * axis[1], s * axis[2], std::cos(angle / 2)};
}
std::vector<double> errors(Workspace& w, const std::vector<double>& q) {
  const std::vector<double> v(static_cast<std::size_t>(w.model().nv));
  std::vector<double> error(static_cast<std::size_t>(w.constraints()->row_count()));
  EXPECT_EQ(constraint_rows(w, q.data(), v.data(), nullptr, nullptr, 0, nullptr, error.data(), nullptr),
            Status::ok);
  return error;
}

// Every angle, as accurate near a half turn as near none.
TEST(HalfTurn, RotationErrorsAreAngleTimesAxis) {
  const auto model = free_body();
  ConstraintSpec weld;
  weld.link = 1;
  weld.frequency = 10;
  weld.axes = RowAxes::world;
  Workspace w(model, ConstraintSet::bind(model, {weld}));
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    Vector3 axis = trial % 3 ? random.direction() : Vector3{0, 0, 0};
    if (trial % 3 == 0) axis[static_cast<std::size_t>(trial / 3 % 3)] = random.chance(0.5) ? 1 : -1;
    const double small = std::pow(10, random.uniform(-12, 0));
    const double angle = trial % 2 ? pi - small : small;
    const std::vector<double> error = errors(w, turned(axis, angle));
    for (std::size_t e = 0; e < 3; ++e)
      EXPECT_NEAR(error[e], angle * axis[e], 4e-16 * (1 + angle)) << angle << " trial " << trial;
  }
}

TEST(HalfTurn, IsAnErrorOfPiAndNotOfZero) {
  const auto model = free_body();
  ConstraintSpec weld, closure, hinge;
  weld.link = closure.link = hinge.link = 1;
  weld.frequency = 10;
  closure.closure = hinge.closure = true;
  hinge.rows = rows_all & ~4u;
  for (const ConstraintSpec& spec : {weld, closure, hinge}) {
    Workspace w(model, ConstraintSet::bind(model, {spec}));
    for (const Vector3& axis :
         {Vector3{1, 0, 0}, Vector3{0, 1, 0}, Vector3{0, -0.6, 0.8}, Vector3{0, 0, 1}}) {
      if (spec.rows != rows_all && axis[2] != 0) continue;  // a hinge may turn about z
      for (const double less : {0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4}) {
        std::vector<double> q = turned(axis, pi - less);
        const std::vector<double> error = errors(w, q);
        double squares = 0;
        for (std::size_t e = 0; e < (spec.rows == rows_all ? 3U : 2U); ++e) squares += error[e] * error[e];
        EXPECT_NEAR(std::sqrt(squares), pi - less, 1e-14);
        ASSERT_EQ(project_positions(w, 1e-9, 50, q.data()), Status::ok) << w.message();
        for (const double x : errors(w, q)) EXPECT_NEAR(x, 0, 1e-9);
        if (spec.rows == rows_all) {
          EXPECT_NEAR(std::abs(q[6]), 1, 1e-9);
        }
        // The z axis of the body, to the world's.
        EXPECT_NEAR(1 - 2 * (q[3] * q[3] + q[4] * q[4]), 1, 1e-9);
      }
    }
  }
}

TEST(HalfTurn, KernelsMatchTheReferenceAtEveryAngle) {
  Random random(9);
  const auto model = free_body();
  for (int trial = 0; trial < 200; ++trial) {
    ConstraintSpec spec;
    spec.link = 1;
    spec.closure = trial % 2 == 1;
    spec.frequency = 10;
    if (spec.closure) spec.rows = rows_all & ~(trial % 8 < 2 ? 0u : 1u << (trial / 8 % 3));
    spec.frame = random.pose(1), spec.second_frame = random.pose(1);
    const std::vector<ConstraintSpec> specs = {spec};
    Workspace w(model, ConstraintSet::bind(model, specs));
    const double angle = trial % 4 < 2 ? pi - std::pow(10, random.uniform(-6, 0)) : random.uniform(0, pi);
    const std::vector<double> q = turned(random.direction(), angle), v(6);
    reference::Tree tree = reference::tree_of(*model);
    reference::DenseDynamics<Real> dynamics(tree);
    dynamics.set_state(q.data(), v.data());
    reference::DenseRows<Real> rows(tree, specs);
    const Pose anchor{};
    rows.evaluate(dynamics, nullptr, &anchor);
    const std::vector<double> error = errors(w, q);
    for (std::size_t r = 0; r < error.size(); ++r)
      EXPECT_NEAR(error[r], static_cast<double>(rows.error(static_cast<Eigen::Index>(r))), 1e-8)
          << "trial " << trial;
  }
}

// ---- embedded loops

// Two hinges in a row about `hinges`, and a loop of this type from the second body to the world.
std::shared_ptr<const Model> two_hinges(JointType type, const Vector3& hinges, const Vector3& axis) {
  Mechanism m;
  m.links = {body("world"), body("l1"), body("l2")};
  m.joints = {joint("a", JointType::revolute, "world", "l1", hinges),
              joint("b", JointType::revolute, "l1", "l2", hinges)};
  MechanismLoop loop;
  loop.name = "loop";
  loop.type = type;
  loop.predecessor = "world";
  loop.successor = "l2";
  loop.axis = axis;
  m.loops = {loop};
  return Model::compile(m, {});
}

// 0 where the sum of the angles is a whole number of turns, 1 where it is half a turn more.
double turns_off(const std::vector<double>& q) {
  const double turns = (q[0] + q[1]) / (2 * pi);
  return 2 * std::abs(turns - std::round(turns));
}

TEST(HalfTurn, LoopsAreNotClosedWithAnEndTurnedOver) {
  const struct {
    JointType type;
    Vector3 hinges, axis;
  } cases[] = {{JointType::fixed, {0, 0, 1}, {1, 0, 0}},     {JointType::prismatic, {0, 0, 1}, {1, 0, 0}},
               {JointType::prismatic, {0, 0, 1}, {0, 1, 0}}, {JointType::planar, {0, 0, 1}, {1, 0, 0}},
               {JointType::planar, {0, 1, 0}, {1, 0, 0}},    {JointType::revolute, {1, 0, 0}, {0, 0, 1}},
               {JointType::revolute, {0, 1, 0}, {0, 0, 1}},  {JointType::revolute, {0, 1, 0}, {1, 0, 0}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.type));
    const auto model = two_hinges(c.type, c.hinges, c.axis);
    ASSERT_EQ(model->ny, 1);
    Workspace w(model);
    for (const double less : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1}) {
      std::vector<double> q = {0.3, pi - 0.3 - less};
      double gap = 0;
      ASSERT_EQ(loop_gap(w, q.data(), &gap), Status::ok);
      EXPECT_NEAR(gap, pi - less, 1e-12);
      LoopState state;
      ASSERT_EQ(check_loops(w, q.data(), nullptr, state), Status::ok);
      EXPECT_NEAR(state.position_gap, pi - less, 1e-12);
      const Status status = close_loops(w, LoopMoves::dependent, q.data(), &gap);
      EXPECT_EQ(status, Status::ok) << w.message();
      EXPECT_NEAR(turns_off(q), 0, 1e-9);
      q = {0.3, pi - 0.3 - less};
      if (close_loops(w, LoopMoves::all, q.data(), &gap) == Status::ok) {
        EXPECT_NEAR(turns_off(q), 0, 1e-9);
      }
    }
    for (const double second : {-0.3, pi - 0.3}) {
      const std::vector<double> q = {0.3, second};
      std::vector<double> assemblies(16);
      int count = 0;
      ASSERT_EQ(find_assemblies(w, q.data(), 40, 8, assemblies.data(), &count), Status::ok);
      EXPECT_EQ(count, 1);
      EXPECT_NEAR(turns_off(assemblies), 0, 1e-9);
    }
  }
}

// phi, K and k of loops between two free bodies, against differences along motions, where the loops are open.
TEST(HalfTurn, LoopRowsAreExactDerivativesWhereTheyAreOpen) {
  for (const JointType type : {JointType::fixed, JointType::prismatic, JointType::planar, JointType::revolute,
                               JointType::spherical}) {
    SCOPED_TRACE(static_cast<int>(type));
    Random random(17 + static_cast<std::uint64_t>(type));
    Mechanism m;
    m.links = {body("world"), body("l1"), body("l2")};
    m.joints = {joint("a", JointType::floating, "world", "l1", {0, 0, 1}),
                joint("b", JointType::floating, "world", "l2", {0, 0, 1})};
    MechanismLoop loop;
    loop.name = "loop";
    loop.type = type;
    loop.predecessor = "l1";
    loop.successor = "l2";
    loop.axis = random.direction();
    loop.predecessor_frame = loop.successor_frame = random.pose(0.3);
    m.loops = {loop};
    const auto model = Model::compile(m, {});
    const int rows = model->data().loop_row_count, nv = model->nv;
    ASSERT_GT(rows, 2);
    Workspace w(model);
    struct Rows {
      Eigen::MatrixXd K;
      Eigen::VectorXd k, phi;
    };
    const auto rows_at = [&](const std::vector<double>& q, const Eigen::VectorXd& v) {
      Rows r{Eigen::MatrixXd(rows, nv), Eigen::VectorXd(rows), Eigen::VectorXd(rows)};
      EXPECT_EQ(loop_jacobian(w, q.data(), v.data(), r.K.data(), rows, r.k.data(), r.phi.data()), Status::ok);
      return r;
    };
    int measured = 0;
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<double> q(static_cast<std::size_t>(model->nq));
      random_configuration(*model, static_cast<std::uint64_t>(trial), q.data());
      Eigen::VectorXd v(nv);
      for (int k = 0; k < nv; ++k) v(k) = random.uniform(-1, 1);
      const Rows here = rows_at(q, v);
      const double angle = here.phi.head(std::min(rows, 3)).norm();
      // Half of the configurations are nearly closed: series take over from closed forms there.
      if (trial % 2) {
        std::copy_n(q.begin(), 7, q.begin() + 7);
        ASSERT_EQ(integrate(w, q.data(), v.data(), random.uniform(0, 0.3), q.data()), Status::ok);
      } else if (type != JointType::spherical && angle > 2.9) {
        continue;
      }
      const double h = 1e-5;
      std::vector<double> before(q.size()), after(q.size());
      ASSERT_EQ(integrate(w, q.data(), v.data(), -h, before.data()), Status::ok);
      ASSERT_EQ(integrate(w, q.data(), v.data(), h, after.data()), Status::ok);
      const Rows at = rows_at(q, v), early = rows_at(before, v), late = rows_at(after, v);
      if ((late.phi - early.phi).norm() > 1) continue;  // across a half turn
      ++measured;
      EXPECT_LT(((late.phi - early.phi) / (2 * h) - at.K * v).norm(), 1e-6 * (1 + at.K.norm())) << trial;
      EXPECT_LT(((late.K * v - early.K * v) / (2 * h) + at.k).norm(), 1e-5 * (1 + at.K.squaredNorm()))
          << trial;
    }
    EXPECT_GT(measured, 40);
  }
}

}  // namespace
}  // namespace tenon::testing
