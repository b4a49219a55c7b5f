#include "model/row_scale.hpp"
#include "reference/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "model/body_poses.hpp"
#include "model/small_mechanisms.hpp"
#include "reference/dense_rows.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/constraints.hpp"

namespace tenon {
namespace {

using testing::joint_between;
using testing::solid_link;

// diag(J M^-1 J^T) from the dense reference.
Eigen::VectorXd dense_diagonal(const Model& model, const std::vector<ConstraintSpec>& specs,
                               const double* q) {
  reference::DenseDynamics<double> dynamics(reference::tree_of(model));
  reference::DenseRows<double> rows(dynamics.tree(), specs);
  dynamics.set_state(q, nullptr);
  rows.evaluate(dynamics, nullptr, nullptr);
  Eigen::MatrixXd M(model.nv, model.nv);
  dynamics.mass_matrix(M);
  return (rows.J * reference::solved<double>(M, rows.J.transpose())).diagonal();
}

Eigen::VectorXd dense_scale(const Model& model, const std::vector<ConstraintSpec>& specs, int rows) {
  Eigen::MatrixXd samples(rows, 4);
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  for (int s = 0; s < 4; ++s) {
    if (s == 0)
      neutral_configuration(model.nodes, q.data());
    else
      sample_configuration(model, static_cast<std::uint64_t>(s), q.data());
    samples.col(s) = dense_diagonal(model, specs, q.data());
  }
  Eigen::VectorXd scale(rows);
  for (int r = 0; r < rows; ++r) {
    scale(r) = std::exp(samples.row(r).array().max(1e-3 * samples.row(r).maxCoeff()).log().mean());
  }
  return scale;
}

TEST(RowScale, MatchesTheDenseReferenceOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Robot robot = testing::random_robot(seed, 20);
    testing::Random random(seed);
    std::vector<ConstraintSpec> specs = testing::random_constraints(random, *robot.model, {});
    specs.erase(std::remove_if(specs.begin(), specs.end(),
                               [&](const ConstraintSpec& spec) {
                                 return robot.model->links[static_cast<std::size_t>(spec.link)].body < 0;
                               }),
                specs.end());
    if (specs.empty()) continue;
    const auto set = ConstraintSet::bind(robot.model, specs);
    const Eigen::VectorXd expected = dense_scale(*robot.model, specs, set->row_count());
    for (int r = 0; r < set->row_count(); ++r) {
      const double scale = set->data().scale[r];
      EXPECT_TRUE(std::isfinite(scale) && scale > 0);
      // Rows that cannot move have rounding for a diagonal and are given the size of the others.
      const int user = set->data().user_row[r];
      if (expected(user) < 1e-14 * expected.maxCoeff()) continue;
      EXPECT_NEAR(scale / expected(user), 1, 1e-8) << "row " << user;
    }
  }
}

// The angular rows of a closure mean the same however far its loop is open, and so for the dense reference.
TEST(RowScale, MatchesTheDenseReferenceBetweenTwoBodies) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Robot robot = testing::random_robot(seed, {testing::Shape::random, 20, false}, true);
    const int last = static_cast<int>(robot.mechanism.links.size()) - 1;
    ConstraintSpec spec = closure_constraint(last, {}, last / 2, {});
    spec.rows = rows_angular;
    const auto set = ConstraintSet::bind(robot.model, {spec});
    const Eigen::VectorXd expected = dense_scale(*robot.model, {spec}, set->row_count());
    for (int r = 0; r < set->row_count(); ++r) {
      const int user = set->data().user_row[r];
      if (expected(user) < 1e-9 * expected.maxCoeff()) continue;
      EXPECT_NEAR(set->data().scale[r] / expected(user), 1, 1e-8) << "row " << user;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(RowScale, IsOneOverMassForAFreeBodyAndOneOverInertiaForItsTurning) {
  Mechanism mechanism;
  mechanism.links = {solid_link("ball", 4)};
  mechanism.links[0].center_of_mass = {0, 0, 0};
  mechanism.links[0].inertia = {0.5, 0, 0, 0.5, 0, 0.5};
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(mechanism, options);
  for (const RowAxes axes : {RowAxes::link, RowAxes::world}) {
    const auto set = ConstraintSet::bind(model, {weld_constraint(0, {}, axes)});
    for (int r = 0; r < 6; ++r) EXPECT_NEAR(set->data().scale[r], r < 3 ? 2 : 0.25, 1e-13);
  }
}

// One slider along x: two of the three rows of a point never move, nor does anything on the world.
TEST(RowScale, RowsThatCannotMoveGetTheSizeOfTheOthers) {
  Mechanism mechanism;
  mechanism.links = {solid_link("rail"), solid_link("cart", 2)};
  mechanism.joints = {joint_between("slide", JointType::prismatic, "rail", "cart", {1, 0, 0})};
  const auto model = Model::compile(mechanism);
  const auto set = ConstraintSet::bind(model, {weld_constraint(1, {}), point_constraint(0, {})});
  for (int r = 0; r < set->row_count(); ++r) EXPECT_NEAR(set->data().scale[r], 0.5, 1e-14);
  const auto world = ConstraintSet::bind(model, {point_constraint(0, {})});
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(world->data().scale[r], 1 / model->total_mass, 1e-14);
}

// A point beside the axis of the one hinge that moves it: free, the link would give way by 1 / mass at least.
TEST(RowScale, LeverageIsSmallBesideTheOnlyAxis) {
  Mechanism mechanism;
  mechanism.links = {solid_link("base"), solid_link("wheel", 2)};
  mechanism.joints = {joint_between("axle", JointType::revolute, "base", "wheel", {0, 0, 1})};
  const auto model = Model::compile(mechanism);
  const auto leverage = [&](double beside) {
    return ConstraintSet::bind(model, {point_constraint(1, {beside, 0, 0})})->data().least_leverage;
  };
  EXPECT_NEAR(leverage(1e-4) / leverage(1e-5), 10, 0.1);
  EXPECT_LT(leverage(1e-4), 1e-3);
  EXPECT_GT(leverage(0.5), 0.1);
}

// The tip of a train of sliders along x is as light as its last cart. In time that grows with n, not n d^2.
TEST(RowScale, OfALongChain) {
  constexpr int carts = 5000;
  Mechanism mechanism;
  mechanism.links = {solid_link("0")};
  for (int i = 1; i <= carts; ++i) {
    const std::string before = std::to_string(i - 1), here = std::to_string(i);
    mechanism.links.push_back(solid_link(here, 2));
    mechanism.joints.push_back(joint_between("j" + here, JointType::prismatic, before, here, {1, 0, 0}));
  }
  const auto model = Model::compile(mechanism);
  const auto set = ConstraintSet::bind(model, {point_constraint(carts, {})});
  EXPECT_NEAR(set->data().scale[0], 0.5, 1e-12);
}

// The same robot in another unit of length.
Mechanism in_unit(Mechanism mechanism, double meters) {
  for (MechanismLink& link : mechanism.links) {
    for (double& x : link.center_of_mass) x *= meters;
    for (double& x : link.inertia) x *= meters * meters;
  }
  for (MechanismJoint& joint : mechanism.joints) {
    for (double& x : joint.origin.translation) x *= meters;
    joint.pitch *= meters;
    const bool slides = joint.type == JointType::prismatic;
    if (!slides) joint.armature *= meters * meters;
    if (slides) joint.limits.lower *= meters, joint.limits.upper *= meters;
  }
  return mechanism;
}

// Robots of micrometres, and what is sampled of them: the size of their joints' travel goes with their own.
TEST(RowScale, DoesNotDependOnTheUnitOfLength) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const testing::Robot robot = testing::random_robot(seed, 20);
    const double units[2] = {std::ldexp(1.0, -20), std::ldexp(1.0, -32)};
    std::vector<double> scales[2];
    for (int i = 0; i < 2; ++i) {
      CompileOptions options = robot.options;
      options.floating_base = true;  // so that every row moves
      const auto model = Model::compile(in_unit(robot.mechanism, units[i]), options);
      const auto set = ConstraintSet::bind(
          model, {weld_constraint(static_cast<int>(robot.mechanism.links.size()) - 1, {})});
      for (int r = 0; r < set->row_count(); ++r)
        scales[i].push_back(set->data().scale[r] * (set->data().user_row[r] < 3 ? units[i] * units[i] : 1));
    }
    for (std::size_t r = 0; r < scales[0].size(); ++r, ++compared)
      EXPECT_NEAR(scales[1][r] / scales[0][r], 1, 1e-9);
  }
  EXPECT_GT(compared, 100);
}

TEST(RowScale, ZeroCustomRowsDoNoHarm) {
  Mechanism mechanism;
  mechanism.links = {solid_link("rail"), solid_link("cart", 2)};
  mechanism.joints = {joint_between("slide", JointType::prismatic, "rail", "cart", {1, 0, 0})};
  ConstraintSpec spec;
  spec.link = 1;
  spec.custom.assign(12, 0.0);
  const auto set = ConstraintSet::bind(Model::compile(mechanism), {spec});
  for (int r = 0; r < 2; ++r) EXPECT_TRUE(std::isfinite(set->data().scale[r]) && set->data().scale[r] > 0);
}

}  // namespace
}  // namespace tenon
