// Impacts: the laws that define them with the dense reference's M and J, closed forms, and the projection of
// velocities, which is an impact without rebound.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "support/closure_scene.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const int robots = std::max(40, test_robots() / 8);
const int mechanisms = std::max(20, test_robots() / 15);

struct Hit {
  VectorXd v, impulse;
  Status status;
};
Hit hit(Workspace& w, const std::vector<double>& e, const double* q, const VectorXd& v) {
  Hit x{v, VectorXd::Constant(w.constraints() ? w.constraints()->row_count() : 0, 77), Status::ok};
  x.status =
      impact(w, e.empty() ? nullptr : e.data(), static_cast<int>(e.size()), q, x.v.data(), x.impulse.data());
  return x;
}

Method method_of_dynamics(ConstrainedScene& s) {
  VectorXd qdd, lambda;
  EXPECT_EQ(s.solve(Method::automatic, qdd, lambda), Status::ok);
  return s.workspace.report().method;
}

// One restitution for all rows, contacts and closures, some of them twice.
TEST(Impact, ObeysNewtonOnRandomRobots) {
  int compared = 0, redundant = 0, inter_body = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed),
                                     seed % 2 ? SceneKind::redundant : SceneKind::independent);
    ConstrainedScene& s = *scene;
    if (s.nv() == 0 || s.rows() == 0) continue;
    s.solve_reference();
    const double kept = s.kkt.min_kept_over_max();
    if (kept < well_posed) continue;
    Random random(static_cast<std::uint64_t>(seed));
    const double e = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0 : random.uniform(0, 1);
    const VectorXd v = as_vector(s.state.v);
    const Hit x = hit(s.workspace, {e}, s.state.q.data(), v);
    // Also where nothing moves a row, which sees the rounding errors of velocities.
    ASSERT_EQ(x.status, Status::ok) << s.workspace.message();
    const MatrixXd M = s.oracle.mass_matrix().cast<double>(), J = s.rows_oracle.J.cast<double>();
    const double size = (M * v).norm() + v.norm(), slack = std::max(1.0, well_posed / kept);
    EXPECT_LE((J * x.v + e * J * v).norm(), 1e-8 * slack * (1 + (J * v).norm()));
    EXPECT_LE((M * (x.v - v) - J.transpose() * x.impulse).norm(), 1e-8 * slack * (1 + size));
    const double before = 0.5 * v.dot(M * v), after = 0.5 * x.v.dot(M * x.v);
    if (e == 1) {
      EXPECT_NEAR(after, before, 1e-8 * slack * before);
    } else {
      EXPECT_LE(after, before * (1 + 1e-9 * slack));
    }
    VectorXd projected = v;
    ASSERT_EQ(project_velocities(s.workspace, s.state.q.data(), projected.data()), Status::ok);
    EXPECT_LE(relative_error(x.v, projected + e * (projected - v), 1), 1e-8 * slack);
    if (e == 0) {
      EXPECT_EQ(x.v, projected);
      EXPECT_EQ(hit(s.workspace, {}, s.state.q.data(), v).v, projected);
    }
    ++compared;
    redundant += s.expected_report.rank < s.rows();
    inter_body += s.set->data().inter_body_count > 0;
  }
  EXPECT_GE(compared, robots / 2);
  EXPECT_GE(redundant, robots / 10);
  EXPECT_GE(inter_body, robots / 10);
}

// A restitution for each row, in the order in which the rows were added; solved as dynamics with rows are.
TEST(Impact, TakesOneRestitutionARow) {
  int compared = 0, other_method = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ConstrainedScene s(static_cast<std::uint64_t>(seed), SceneKind::independent);
    if (s.rows() == 0) continue;
    s.solve_reference();
    const double kept = s.kkt.min_kept_over_max();
    if (kept < 1e-3 || s.expected_report.rank < s.rows()) continue;
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> e(static_cast<std::size_t>(s.rows()));
    for (double& x : e) x = random.uniform(0, 1);
    const VectorXd v = as_vector(s.state.v);
    const Hit x = hit(s.workspace, e, s.state.q.data(), v);
    ASSERT_EQ(x.status, Status::ok) << s.workspace.message();
    const MatrixXd M = s.oracle.mass_matrix().cast<double>(), J = s.rows_oracle.J.cast<double>();
    other_method += s.workspace.report().method != method_of_dynamics(s);
    const VectorXd wanted = -as_vector(e).cwiseProduct(J * v);
    EXPECT_LE((J * x.v - wanted).norm(), 1e-8 * (1 + (J * v).norm()));
    EXPECT_LE((M * (x.v - v) - J.transpose() * x.impulse).norm(), 1e-8 * (1 + (M * v).norm()));
    ++compared;
  }
  EXPECT_GE(compared, robots / 4);
  EXPECT_LE(other_method, compared / 20);  // an iteration may stall in one and not in the other
}

// One body of mass 2 on a slide, and a rod that floats and is hit at its end.
Robot one_body(JointType type) {
  Robot robot;
  robot.mechanism.links.push_back({"base", 1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}});
  robot.mechanism.links.push_back({"body", 2, {0, 0, 0}, {0.5, 0, 0, 0.5, 0, 0.5}});
  MechanismJoint joint;
  joint.name = "joint";
  joint.type = type;
  joint.parent = "base", joint.child = "body";
  joint.axis = {0, 0, 1};
  robot.mechanism.joints.push_back(joint);
  robot.model = Model::compile(robot.mechanism);
  return robot;
}

TEST(Impact, ClosedForms) {
  {
    const Robot slide = one_body(JointType::prismatic);
    ConstraintSpec point = point_constraint(1, {0, 0, 0});
    point.rows = 0x20;  // z
    Workspace w(slide.model, ConstraintSet::bind(slide.model, {point}));
    const double q[1] = {0.3};
    const Hit x = hit(w, {0.25}, q, VectorXd::Constant(1, -4));
    EXPECT_EQ(x.status, Status::ok);
    EXPECT_NEAR(x.v(0), 1, 1e-12);
    EXPECT_NEAR(x.impulse(0), 2 * 5, 1e-11);
  }
  {
    // Falling at 3 m/s, hit upwards at a distance of 1 m: the effective mass there is 1 / (1/m + 1/I).
    const Robot rod = one_body(JointType::floating);
    ConstraintSpec point = point_constraint(1, {1, 0, 0});
    point.rows = 0x20;
    Workspace w(rod.model, ConstraintSet::bind(rod.model, {point}));
    const double q[7] = {0, 0, 0, 0, 0, 0, 1}, mass = 1 / (1 / 2.0 + 1 / 0.5), e = 0.5;
    VectorXd v = VectorXd::Zero(6);
    v(5) = -3;
    const Hit x = hit(w, {e}, q, v);
    EXPECT_EQ(x.status, Status::ok);
    EXPECT_NEAR(x.impulse(0), (1 + e) * 3 * mass, 1e-11);
    EXPECT_NEAR(x.v(5), -3 + x.impulse(0) / 2, 1e-11);
    EXPECT_NEAR(x.v(1), -x.impulse(0) / 0.5, 1e-11);
  }
}

// A row across the axis of a slide, on a frame at an angle: nothing moves it, and it sees the rounding errors of velocities, and
// of a position error that stabilisation would remove.
TEST(Impact, RowThatNothingMovesSeesNoVelocity) {
  const Robot slide = one_body(JointType::prismatic);
  int seen = 0;
  for (int i = 0; i < 20; ++i) {
    const double about = 0.1 + 0.3 * i;
    const Eigen::Matrix3d R =
        Eigen::AngleAxisd(std::acos(-1.0) / 2, Eigen::Vector3d(std::cos(about), std::sin(about), 0))
            .toRotationMatrix();
    Pose frame;
    for (int k = 0; k < 9; ++k) frame.rotation[static_cast<std::size_t>(k)] = R(k / 3, k % 3);
    ConstraintSpec weld = weld_constraint(1, frame);
    weld.rows = 0x20;
    weld.frequency = i % 2 ? 0 : 7.3, weld.damping_ratio = 1;  // which pulls at an error that is there
    Workspace w(slide.model, ConstraintSet::bind(slide.model, {weld}));
    w.set_anchor(0, {frame.rotation, {0.37 * i, 0.51, -0.83}});
    const double q[1] = {0.3};
    VectorXd v = VectorXd::Constant(1, -4);
    double J = 0;
    ASSERT_EQ(constraint_rows(w, q, v.data(), nullptr, &J, 1, nullptr, nullptr, nullptr), Status::ok);
    EXPECT_LE(std::abs(J), 1e-15);
    seen += J != 0;
    const Hit x = hit(w, {0.5}, q, v);
    EXPECT_EQ(x.status, Status::ok);
    EXPECT_EQ(x.v(0), -4);
    EXPECT_EQ(project_velocities(w, q, v.data()), Status::ok);
    EXPECT_EQ(v(0), -4);
  }
  EXPECT_GT(seen, 0);
}

// To the last digit, however far anchors are; and calls that see them find them again.
TEST(Impact, SeesNoAnchor) {
  int compared = 0;
  for (int seed = 0; seed < robots && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto scene = closure_scene(static_cast<std::uint64_t>(seed), SceneKind::independent);
    ConstrainedScene& s = *scene;
    if (s.nv() == 0 || s.rows() == 0 || s.anchors.empty()) continue;
    const VectorXd v = as_vector(s.state.v);
    const Hit near = hit(s.workspace, {0.5}, s.state.q.data(), v);
    VectorXd projected = v, qdd, lambda, again, forces;
    const Status status = project_velocities(s.workspace, s.state.q.data(), projected.data());
    const Status moved = s.solve(Method::automatic, qdd, lambda);
    const std::vector<Pose> close = s.anchors;
    std::vector<Pose> far = close;
    for (Pose& pose : far)
      for (double& x : pose.translation) x += 3e4;
    s.set_anchors(far);
    const Hit after = hit(s.workspace, {0.5}, s.state.q.data(), v);
    EXPECT_EQ(after.status, near.status);
    EXPECT_EQ(after.v, near.v);
    EXPECT_EQ(after.impulse, near.impulse);
    VectorXd other = v;
    EXPECT_EQ(project_velocities(s.workspace, s.state.q.data(), other.data()), status);
    EXPECT_EQ(other, projected);
    s.set_anchors(close);
    EXPECT_EQ(s.solve(Method::automatic, again, forces), moved);
    EXPECT_EQ(again, qdd);
    for (int i = 0; i < s.set->data().item_count; ++i) compared += s.set->data().gains[2 * i] > 0;
  }
  EXPECT_GE(compared, robots / 4);
}

// The same row twice: alike they are one, with different rebounds they contradict.
TEST(Impact, ContradictoryReboundsAreInfeasible) {
  const Robot slide = one_body(JointType::prismatic);
  ConstraintSpec point = point_constraint(1, {0, 0, 0});
  point.rows = 0x20;
  Workspace w(slide.model, ConstraintSet::bind(slide.model, {point, point}));
  const double q[1] = {0.3};
  const VectorXd v = VectorXd::Constant(1, -4);
  const Hit alike = hit(w, {0.5, 0.5}, q, v), different = hit(w, {0, 1}, q, v);
  EXPECT_EQ(alike.status, Status::ok);
  EXPECT_NEAR(alike.v(0), 2, 1e-12);
  EXPECT_NEAR(alike.impulse.sum(), 12, 1e-11);
  EXPECT_EQ(different.status, Status::infeasible);
  EXPECT_NEAR(different.v(0), 2, 1e-9);  // half-way
}

TEST(Impact, KeepsEmbeddedLoopsClosed) {
  int compared = 0;
  for (int seed = 0; seed < mechanisms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 6);
    const int nv = scene.model->nv, ny = scene.model->ny, loop_rows = scene.model->data().loop_row_count;
    if (ny < 4) continue;
    Random random(static_cast<std::uint64_t>(seed));
    MovingLoops t(scene, random, random_point(random, scene.model));
    if (!t.regular()) continue;
    Workspace& w = t.w;
    const VectorXd& v = t.v;
    MatrixXd K(loop_rows, nv), M(nv, nv), J(3, nv);
    const Hit x = hit(w, {0.6}, scene.q.data(), v), y = hit(t.independent, {0.6}, scene.q.data(), t.ydot);
    ASSERT_GE(static_cast<int>(x.status), 0) << w.message();
    EXPECT_EQ(x.status, y.status);
    if (x.status != Status::ok) continue;  // a row that nothing moves
    ASSERT_EQ(loop_jacobian(w, scene.q.data(), v.data(), K.data(), loop_rows, nullptr, nullptr), Status::ok);
    ASSERT_EQ(mass_matrix(w, scene.q.data(), M.data(), nv), Status::ok);
    ASSERT_EQ(constraint_rows(w, scene.q.data(), v.data(), nullptr, J.data(), 3, nullptr, nullptr, nullptr),
              Status::ok);
    EXPECT_LE((K * x.v).norm(), 1e-8 * (1 + K.norm() * v.norm()));
    EXPECT_LE((J * x.v + 0.6 * J * v).norm(), 1e-8 * (1 + (J * v).norm()));
    EXPECT_LE((t.G.transpose() * (M * (x.v - v) - J.transpose() * x.impulse)).norm(),
              1e-7 * (1 + t.G.norm() * (M * v).norm()));
    EXPECT_LE(relative_error(t.G * y.v, x.v, 1), 1e-7);
    EXPECT_LE((t.G.transpose() * J.transpose() * (x.impulse - y.impulse)).norm(),
              1e-7 * (1 + x.impulse.norm()));
    ++compared;
  }
  EXPECT_GE(compared, mechanisms / 3);
}

TEST(Impact, RefusesBadRestitution) {
  ConstrainedScene s(11, SceneKind::contradictory);
  ASSERT_GT(s.rows(), 1);
  const VectorXd v = as_vector(s.state.v);
  for (const double bad : {-0.1, 1.1}) {
    const Hit x = hit(s.workspace, {bad}, s.state.q.data(), v);
    EXPECT_EQ(x.status, Status::invalid_argument);
    EXPECT_NE(std::string(s.workspace.message()).find("restitution[0]"), std::string::npos);
    EXPECT_EQ(x.v, v);
    EXPECT_TRUE((x.impulse.array() == 77).all());
  }
  EXPECT_EQ(hit(s.workspace, {NAN}, s.state.q.data(), v).status, Status::not_finite);
  Workspace free(s.robot.model);
  const Hit x = hit(free, {0.5}, s.state.q.data(), v);
  EXPECT_EQ(x.status, Status::ok);
  EXPECT_EQ(x.v, v);
}

}  // namespace
}  // namespace tenon::testing
