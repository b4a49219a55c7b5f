// What a workspace holds: memory for what it is asked to do, and one gravity in all its parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "state/workspace_impl.hpp"
#include "support/moving.hpp"
#include "tenon/batch.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

const char* const inertial =
    "<inertial><mass value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial>";

std::string link(const std::string& name) {
  return "<link name='" + name + "'>" + inertial + "</link>";
}
std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
  return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
         "'/><origin xyz='.1 0 0'/><axis xyz='0 0 1'/>" + inside + "</joint>";
}

// follow: each joint mimics the one before it.
std::shared_ptr<const Model> chain(int links, bool follow = false) {
  std::string text = "<robot name='chain'><link name='l0'/>";
  for (int i = 0; i < links; ++i) {
    const std::string before = std::to_string(i), here = std::to_string(i + 1);
    text +=
        link("l" + here) + hinge("j" + here, "l" + before, "l" + here,
                                 follow && i > 0 ? "<mimic joint='j" + before + "' multiplier='-1'/>" : "");
  }
  return Model::compile(parse_urdf(text + "</robot>"));
}

// A chain in which a rotor turns with each joint.
std::shared_ptr<const Model> geared_chain(int links) {
  std::string text = "<robot name='geared'><link name='l0'/>";
  for (int i = 0; i < links; ++i) {
    const std::string before = "l" + std::to_string(i), here = std::to_string(i + 1);
    text += link("l" + here) + link("r" + here) + hinge("j" + here, before, "l" + here) +
            hinge("t" + here, before, "r" + here, "<mimic joint='j" + here + "' multiplier='6'/>");
  }
  return Model::compile(parse_urdf(text + "</robot>"));
}

TEST(WorkspaceMemory, LongChainWithoutRows) {
  const auto model = chain(1000);
  Workspace w(model);
  EXPECT_LT(w.bytes(), 5e6);
  // The factor of the mass matrix of a chain is a triangle of n^2 / 2 numbers; it comes when it is asked for.
  const std::size_t before = w.bytes();
  ASSERT_EQ(factor_mass_matrix(w, std::vector<double>(1000, 0.1).data()), Status::ok);
  EXPECT_GT(w.bytes(), before + 1000 * 1000 / 2 * sizeof(double));
}

// What may come of a stalled solve, and grows with the square, comes when it is needed.
TEST(WorkspaceMemory, LongChainWithRows) {
  const auto model = chain(2000);
  const auto set = ConstraintSet::bind(model, {weld_constraint(model->find_link("l2000"), {})});
  Workspace w(model, set);
  EXPECT_LT(w.bytes(), 20e6);
  const auto arm = chain(100);
  Workspace small(arm, ConstraintSet::bind(arm, {weld_constraint(arm->find_link("l100"), {})}));
  EXPECT_TRUE(small.impl().arena.has(of_joint_space));
  EXPECT_NE(small.impl().dense.made(), nullptr);
}

// The matrix of a chain of 65,600 joints has more numbers than kernels count.
TEST(WorkspaceMemory, PathsThatAreTooLong) {
  std::vector<std::int32_t> parents(65600);
  for (std::size_t k = 0; k < parents.size(); ++k) parents[k] = static_cast<std::int32_t>(k) - 1;
  Memory memory;
  PathTables tables{};
  make_tables(parents.data(), 65000, memory, tables);
  EXPECT_GT(tables.entry_count, 2110000000);
  try {
    make_tables(parents.data(), 65600, memory, tables);
    ADD_FAILURE() << tables.entry_count;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
  }
}

// Matrices of all joints are made by the call that asks for them.
TEST(WorkspaceMemory, BatchOfALongChain) {
  const auto model = chain(400);
  const std::size_t n = static_cast<std::size_t>(model->nv);
  Batch batch(model, nullptr, {});
  const std::size_t before = batch.bytes();
  EXPECT_LT(before, 24000 * n);
  std::vector<double> q(n), M(n * n);
  BatchCall call;
  call.function = BatchFunction::mass_matrix, call.states = 1;
  call.q.data = q.data(), call.out[0].data = M.data();
  ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
  EXPECT_GE(batch.bytes(), before + 4 * n * n);  // a triangle; packs of states have more
  EXPECT_GT(M[0], 0);
}

// Two feet welded and ten finger tips held.
TEST(WorkspaceMemory, HumanoidWithHands) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/atlas_shadow_hands.urdf"), options);
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < model->links.size(); ++i) {
    const std::string& name = model->links[i].name;
    if (name == "l_foot" || name == "r_foot") specs.push_back(weld_constraint(static_cast<int>(i), {}));
    if (name.size() > 3 && name.compare(name.size() - 3, 3, "tip") == 0 && specs.size() < 12)
      specs.push_back(point_constraint(static_cast<int>(i), {0, 0, 0}));
  }
  const auto set = ConstraintSet::bind(model, specs);
  ASSERT_EQ(set->row_count(), 42);
  ASSERT_EQ(model->nv, 84);
  EXPECT_LT(Workspace(model, set).bytes(), 865e3);
  WorkspaceOptions one_by_one;
  one_by_one.branch_lanes = BranchLanesUse::never;
  EXPECT_LT(Workspace(model, set, one_by_one).bytes(), 520e3);
}

// A cluster of a thousand bodies, and a thousand clusters of two: algorithms that take the cube of the one or
// the square of the other would not let this suite end soon.
TEST(WorkspaceMemory, LargeAndManyClusters) {
  const auto mimic = chain(1000, true);
  EXPECT_EQ(mimic->ny, 1);
  ASSERT_EQ(mimic->loops.clusters.size(), 1u);
  Workspace follow(mimic);
  std::vector<double> q(1000, 0), v(1000), tau(1000, 0), qdd(1000);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = i % 2 ? -0.3 : 0.3, v[i] = i % 2 ? -1 : 1;
  ASSERT_EQ(forward_dynamics(follow, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok)
      << follow.message();
  for (std::size_t i = 1; i < qdd.size(); ++i) EXPECT_EQ(qdd[i], -qdd[i - 1]);

  const auto geared = geared_chain(1000);
  EXPECT_EQ(geared->ny, 1000);
  EXPECT_EQ(geared->loops.clusters.size(), 1000u);
  Workspace turned(geared);
  EXPECT_LT(turned.bytes(), 30e6);
}

// The elimination tree of M + J^T J against elimination of the whole pattern.
TEST(EliminationTree, IsThatOfThePattern) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = random_robot(seed, 40);
    const ModelData& m = robot.model->data();
    Random random(seed);
    std::vector<ConstraintSpec> specs;
    for (int i = 0; i < 4; ++i) {
      const int first = random_link(random, *robot.model), second = random_link(random, *robot.model);
      if (first != second) specs.push_back(closure_constraint(first, {}, second, {}));
    }
    Workspace w(robot.model, ConstraintSet::bind(robot.model, specs));
    if (w.impl().cd()->inter_body_count == 0) continue;
    w.impl().need(of_joint_space);
    const EliminationTreeData<double>& tree = *w.impl().elimination_tree->data();
    const int n = m.nv;
    std::vector<std::vector<char>> meets(static_cast<std::size_t>(n),
                                         std::vector<char>(static_cast<std::size_t>(n)));
    const auto couple = [&](int a, int b) {
      meets[static_cast<std::size_t>(std::max(a, b))][static_cast<std::size_t>(std::min(a, b))] = 1;
    };
    const auto coupled = [&](int a, int b) {
      return meets[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
    };
    for (int k = 0; k < n; ++k)
      for (int i = m.v_parent[k]; i >= 0; i = m.v_parent[i]) couple(k, i);
    for (int item = 0; item < w.impl().cd()->inter_body_count; ++item)
      for (int x = tree.path_begin[item]; x < tree.path_begin[item + 1]; ++x)
        for (int y = tree.path_begin[item]; y < x; ++y)
          couple(tree.coordinate[tree.path[x]], tree.coordinate[tree.path[y]]);
    for (int k = n - 1; k >= 0; --k) {
      int parent = -1;
      for (int i = 0; i < k; ++i)
        if (coupled(k, i)) parent = i;
      for (int i = 0; i < parent; ++i)
        if (coupled(k, i)) couple(parent, i);
      const int found = tree.tree.v_parent[tree.number[k]];
      EXPECT_EQ(found < 0 ? -1 : tree.coordinate[found], parent) << k;
    }
  }
}

// Parts of a workspace that kernels take for one of their own.
TEST(Workspace, EveryPartHasTheSameGravity) {
  const auto model = Model::compile(load_urdf(TENON_MODELS_DIR "/six_bar.urdf"));
  Workspace looped(model);
  std::vector<double> q = model->loops.closed;
  ASSERT_EQ(factor_mass_matrix(looped, q.data()), Status::ok) << looped.message();
  CompileOptions options;
  options.floating_base = true;
  const auto atlas = Model::compile(load_urdf(TENON_MODELS_DIR "/atlas.urdf"), options);
  const ConstraintSpec closure =
      closure_constraint(atlas->find_link("l_hand"), {}, atlas->find_link("r_hand"), {});
  Workspace inter_body(atlas, ConstraintSet::bind(atlas, {closure}));
  inter_body.impl().need(of_joint_space);
  for (Workspace* w : {&looped, &inter_body}) {
    w->set_gravity({1, 2, 3});
    const WorkspaceData<double>* parts[] = {
        &w->impl().arena.data,
        w == &looped ? &w->impl().independent->data.w : &w->impl().elimination_tree->data()->w};
    for (const WorkspaceData<double>* part : parts)
      for (int e = 0; e < 3; ++e) EXPECT_EQ(part->gravity[e], e + 1);
  }
}

}  // namespace
}  // namespace tenon::testing
