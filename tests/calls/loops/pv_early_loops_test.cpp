// pv_early passes embedded loops: it answers itself, and no other method for it.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "state/workspace_impl.hpp"
#include "support/loop_scene.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

// One row on each of some links.
std::vector<ConstraintSpec> rows_on_links(Random& random, const Model& model, int count) {
  std::vector<ConstraintSpec> specs;
  for (int k = 0; k < count; ++k) {
    const int link = random.integer(0, static_cast<int>(model.links.size()) - 1);
    specs.push_back(point_constraint(link, random.vector(0.3)));
    specs.back().rows = 1u << random.integer(3, 5);
  }
  return specs;
}

// One row on each of two links: also on two bodies of one cluster, or on a cluster and outward of it.
TEST(PvEarly, PassesEmbeddedLoops) {
  int solved = 0, by_itself = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 3);
    if (!scene.model || scene.model->loops.clusters.empty() || scene.model->ny < 6) continue;
    Random random(seed + 5);
    const auto set = ConstraintSet::bind(scene.model, rows_on_links(random, *scene.model, 2));
    Workspace w(scene.model, set);
    const State state = random_state(random, *scene.model);
    VectorXd v(scene.model->nv), ydot = VectorXd::Random(scene.model->ny), qdd(v.size()), dense(v.size());
    ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok);
    const auto solve = [&](Method method, VectorXd& a) {
      SolveOptions options;
      options.method = method;
      VectorXd lambda(set->row_count());
      return constrained_dynamics(w, options, {scene.q.data(), v.data(), state.tau.data()}, a.data(),
                                  lambda.data());
    };
    if (solve(Method::dense, dense) != Status::ok) continue;
    ++solved;
    ASSERT_EQ(solve(Method::pv_early, qdd), Status::ok);
    by_itself += w.report().method == Method::pv_early;
    EXPECT_LE((qdd - dense).norm(), 1e-7 * dense.norm());
  }
  EXPECT_GT(solved, 60);
  EXPECT_GE(by_itself, solved * 9 / 10) << "of " << solved;
}

// A shaft of this inertia, on one of 1 kg m^2, carries two such shafts with a row on each, across its axis: whether
// pv_early answers.
bool answers(double inertia, BranchLanesUse limbs) {
  std::string text = "<robot name='shafts'><link name='world'/>";
  const char* parents[] = {"world", "l0", "l1", "l1"};
  for (int i = 0; i < 4; ++i) {
    const std::string name = std::to_string(i);
    char numbers[100];
    std::snprintf(numbers, sizeof numbers, "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='%.17g'",
                  i == 1 ? inertia : 1.0);
    text += "<link name='l" + name + "'><inertial><mass value='1'/><inertia " + numbers +
            "/></inertial></link><joint name='j" + name + "' type='continuous'><parent link='" + parents[i] +
            "'/><child link='l" + name + "'/><axis xyz='" + (i < 2 ? "0 0 1" : "1 0 0") + "'/></joint>";
  }
  const auto model = Model::compile(parse_urdf(text + "</robot>"));
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < model->links.size(); ++i)
    if (model->links[i].name == "l2" || model->links[i].name == "l3") {
      specs.push_back(weld_constraint(static_cast<int>(i), Pose{}));
      specs.back().rows = 1u;
    }
  WorkspaceOptions made;
  made.branch_lanes = limbs;
  Workspace w(model, ConstraintSet::bind(model, specs), made);
  SolveOptions options;
  options.method = Method::pv_early;
  const double q[4] = {0.1, 0.2, 0.3, 0.4}, v[4] = {}, tau[4] = {0.5, 0.2, 0.1, -0.4};
  double qdd[4], lambda[2];
  EXPECT_EQ(constrained_dynamics(w, options, {q, v, tau}, qdd, lambda), Status::ok);
  return w.report().method == Method::pv_early;
}
TEST(PvEarly, GivesUpWhereRowsHideInertias) {
  for (const BranchLanesUse limbs : {BranchLanesUse::never, BranchLanesUse::always}) {
    EXPECT_TRUE(answers(1, limbs));
    EXPECT_TRUE(answers(1e-4, limbs));
    EXPECT_FALSE(answers(1e-7, limbs));
  }
}

}  // namespace
}  // namespace tenon::testing
