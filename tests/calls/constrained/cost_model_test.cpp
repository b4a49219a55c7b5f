// The counts of the cost model on a tree small enough to count by hand, and what Method::automatic makes of
// them and of the caller's options.
#include "plan/choice/cost_model.hpp"

#include <gtest/gtest.h>

#include <set>

#include "plan/choice/what_automatic_takes.hpp"
#include "state/workspace_impl.hpp"
#include "support/constrained_scene.hpp"
#include "tenon/delassus.hpp"

namespace tenon::testing {
namespace {

// A floating trunk with a leg of two hinges, the lower one oblique, and an arm on a ball joint.
std::shared_ptr<const Model> small_robot() {
  Mechanism mechanism;
  for (const char* name : {"trunk", "thigh", "shin", "arm"})
    mechanism.links.push_back({name, 1, {0.1, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}});
  const auto add = [&](JointType type, const char* parent, const char* child, Vector3 axis) {
    MechanismJoint joint;
    joint.name = child;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.axis = axis;
    mechanism.joints.push_back(joint);
  };
  add(JointType::revolute, "trunk", "thigh", {0, 1, 0});
  add(JointType::revolute, "thigh", "shin", {0, 0.6, 0.8});
  add(JointType::spherical, "trunk", "arm", {0, 0, 1});
  CompileOptions options;
  options.floating_base = true;
  return Model::compile(mechanism, options);
}

TEST(CostModel, CountsByHand) {
  const auto model = small_robot();
  const auto set = ConstraintSet::bind(model, {point_constraint(model->find_link("shin"), {}),
                                               weld_constraint(model->find_link("trunk"), {})});
  const CostTerms t = cost_terms(model->data(), set->data());
  EXPECT_EQ(t[cost_call], 1);
  EXPECT_EQ(t[cost_hinges] + t[cost_obliques], 2);
  EXPECT_EQ(t[cost_balls], 1);
  EXPECT_EQ(t[cost_floats], 1);
  // The arm carries no rows.
  EXPECT_EQ(t[cost_hinge_supports], t[cost_hinges]);
  EXPECT_EQ(t[cost_oblique_supports], t[cost_obliques]);
  EXPECT_EQ(t[cost_ball_supports], 0);
  EXPECT_EQ(t[cost_float_supports], 1);
  EXPECT_EQ(t[cost_rows], 9);
  EXPECT_EQ(t[cost_row_bodies], 3 + 3 + 9);
  // Three rows past the leg, of which two coordinates cannot take one: it joins the six of the trunk.
  EXPECT_EQ(t[cost_row_passes], 2 + 2 * 6);
  EXPECT_EQ(t[cost_segments], 2);
  EXPECT_EQ(t[cost_surplus_rows], 1 + 1);
  EXPECT_EQ(t[cost_row_pairs], 2 * 3 * 3 + 6 * 9 * 9);
  EXPECT_EQ(t[cost_row_paths], 3 * 7 + 3 * 8 + 9 * (1 + 2 + 3 + 4 + 5 + 6));
  EXPECT_EQ(t[cost_paths], 21 + 7 + 8 + 7 + 8 + 9);
  EXPECT_EQ(t[cost_squared_paths], 91 + 49 + 64 + 49 + 64 + 81);
  EXPECT_EQ(t[cost_rows_squared], 81);
  EXPECT_EQ(t[cost_rows_cubed], 729);
}

TEST(CostModel, FactorsDelassusMatricesOfFewRows) {
  EXPECT_TRUE(inversion_is_faster(7, 6, 0, 1)) << "an arm";
  EXPECT_FALSE(inversion_is_faster(100, 6, 0, 1)) << "a long chain";
  EXPECT_TRUE(inversion_is_faster(13, 12, 1, 1)) << "a quadruped on four feet";
  EXPECT_FALSE(inversion_is_faster(79, 42, 5, 1)) << "a humanoid on its feet and ten fingers";
  EXPECT_FALSE(inversion_is_faster(141, 68, 23, 1)) << "a wide tree";
  EXPECT_TRUE(inversion_is_faster(141, 68, 23, 2)) << "the same, limbs side by side";
}

TEST(Automatic, FactorsDelassusMatricesOfFewRows) {
  std::set<bool> chosen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ConstrainedScene s(seed, SceneKind::independent);
    if (s.rows() == 0) continue;
    const DampedInverseMemory& damped = *s.workspace.impl().damped;
    const bool factors = damped.automatic == DampedInverseMethod::pv_osimr;
    chosen.insert(factors);
    const std::size_t numbers = static_cast<std::size_t>(s.rows()) * static_cast<std::size_t>(s.rows());
    std::vector<double> automatic(numbers), expected(numbers);
    const auto invert = [&](DampedInverseMethod method, std::vector<double>& out) {
      return damped_delassus_inverse(s.workspace, method, s.state.q.data(), {}, out.data(), s.rows());
    };
    ASSERT_EQ(invert(DampedInverseMethod::automatic, automatic), Status::ok);
    ASSERT_EQ(invert(factors ? DampedInverseMethod::pv_osimr : DampedInverseMethod::caba_osimf, expected),
              Status::ok);
    EXPECT_EQ(automatic, expected) << "seed " << seed;
  }
  EXPECT_EQ(chosen.size(), 2u);
}

TEST(Automatic, ChoosesAMethodThatIsExactOnEveryRow) {
  std::set<Method> chosen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ConstrainedScene s(seed, static_cast<SceneKind>(seed % 4));
    const Choice choice = choose(s.robot.model->data(), &s.set->data());
    chosen.insert(choice.any);
    EXPECT_NE(choice.any, Method::pv_soft);
    EXPECT_NE(choice.any, Method::dense);
    EXPECT_NE(choice.proximal, Method::pv_early) << "does not iterate";
    Eigen::VectorXd qdd, lambda, again, lambda_again;
    s.solve(Method::automatic, qdd, lambda);
    if (s.rows() == 0) continue;
    const Method answered = s.workspace.report().method;
    // One of the other two answers where the chosen one stalls.
    EXPECT_TRUE(answered == choice.any || answered == Method::constrained_aba || answered == Method::dense)
        << "seed " << seed;
    s.solve(choice.any, again, lambda_again);
    EXPECT_EQ(qdd, again) << "seed " << seed;
  }
  EXPECT_GE(chosen.size(), 2u) << "no choice is made";
}

TEST(Automatic, TakesAMethodThatFollowsTheOptions) {
  ConstrainedScene s(6, SceneKind::independent);
  ASSERT_GT(s.rows(), 0);
  const Choice choice = choose(s.robot.model->data(), &s.set->data());
  Eigen::VectorXd qdd, lambda;
  SolveOptions options;
  options.tikhonov = 0.01;
  s.solve(Method::automatic, qdd, lambda, options);
  EXPECT_EQ(s.workspace.report().method, Method::pv);
  options = {};
  options.mu = 1e5;
  s.solve(Method::automatic, qdd, lambda, options);
  EXPECT_EQ(s.workspace.report().method, choice.proximal);
  EXPECT_EQ(s.workspace.report().mu, 1e5);
  options = {};
  options.accelerate = false;
  s.solve(Method::automatic, qdd, lambda, options);
  EXPECT_EQ(s.workspace.report().method, choice.proximal);
}

}  // namespace
}  // namespace tenon::testing
