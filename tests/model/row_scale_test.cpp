#include "model/row_scale.hpp"

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
  return (rows.J * M.ldlt().solve(rows.J.transpose())).diagonal();
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
