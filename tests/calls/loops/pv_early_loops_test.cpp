// pv_early passes embedded loops: it answers itself, and no other method for it.
#include <gtest/gtest.h>

#include <algorithm>
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
      return constrained_dynamics(w, options, scene.q.data(), v.data(), state.tau.data(), nullptr, nullptr,
                                  a.data(), lambda.data());
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

// The residual of each joint whose inertia rows add to, also of clusters, in their independent coordinates.
TEST(PvEarly, JudgesEveryInnerJoint) {
  int judged = 0, in_clusters = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(seed, 3);
    if (!scene.model || scene.model->loops.clusters.empty() || scene.model->folding) continue;
    Random random(seed + 7);
    const auto set = ConstraintSet::bind(scene.model, rows_on_links(random, *scene.model, 3));
    Workspace w(scene.model, set);
    const State state = random_state(random, *scene.model);
    VectorXd v(scene.model->nv), ydot = VectorXd::Random(scene.model->ny), qdd(v.size());
    ASSERT_EQ(spanning_velocity(w, scene.q.data(), ydot.data(), v.data()), Status::ok);
    SolveOptions options;
    options.method = Method::pv_early;
    VectorXd lambda(set->row_count());
    WorkspaceImpl& impl = w.impl();
    constexpr double unmeasured = -7;
    impl.w().motion_error = unmeasured;
    if (constrained_dynamics(w, options, scene.q.data(), v.data(), state.tau.data(), nullptr, nullptr,
                             qdd.data(), lambda.data()) != Status::ok ||
        w.report().method != Method::pv_early)
      continue;
    const PvEarlyData<double>& early = impl.pv_early->data;
    const auto motion_error = [&](const VectorXd& tau) {
      for (int s = 0; s < early.inner_count; ++s) std::fill_n(impl.w().f + 6 * early.inner[s], 6, 0.0);
      impl.kernels->pv_early_measure(impl.md(), *impl.cd(), impl.lambda.data(), tau.data(), impl.w().qdd,
                                     early, impl.w());
      return impl.w().motion_error;
    };
    const bool clusters = std::any_of(early.inner, early.inner + early.inner_count,
                                      [&](int i) { return impl.md().node_cluster[i] >= 0; });
    if (clusters) EXPECT_NE(impl.w().motion_error, unmeasured);
    VectorXd tau = Eigen::Map<const VectorXd>(state.tau.data(), v.size());
    EXPECT_LE(motion_error(tau), 1e-9);
    for (int s = 0; s < early.inner_count; ++s) {
      const std::int32_t i = early.inner[s], k = impl.md().nodes[i].v_index;
      const std::int32_t cluster = impl.md().node_cluster[i];
      if (cluster >= 0 && impl.md().y_index[k] < 0) continue;  // a dependent joint
      const double tau_k = tau[k];
      tau[k] += 1e3 * (1 + tau.norm());
      EXPECT_GE(motion_error(tau), 1e-6) << "body " << i;
      tau[k] = tau_k;
      ++judged, in_clusters += cluster >= 0;
    }
  }
  EXPECT_GT(judged, 100);
  EXPECT_GT(in_clusters, 20);
}

// A shaft of this inertia, on one of 1 kg m^2, carries two such shafts with a row on each, across its axis: whether
// a solve measured its motion.
bool is_measured(double inertia, BranchLanesUse limbs) {
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
  EXPECT_EQ(constrained_dynamics(w, options, q, v, tau, nullptr, nullptr, qdd, lambda), Status::ok);
  return w.impl().pv_early->data.hides != 0;
}
TEST(PvEarly, MeasuresWhereRowsMayHideInertias) {
  for (const BranchLanesUse limbs : {BranchLanesUse::never, BranchLanesUse::always}) {
    EXPECT_FALSE(is_measured(1, limbs));
    EXPECT_TRUE(is_measured(1e-7, limbs));
  }
}

}  // namespace
}  // namespace tenon::testing
