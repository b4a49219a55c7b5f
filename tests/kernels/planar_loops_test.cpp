// Loop constraints of planar linkages against the same in space.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "state/workspace_impl.hpp"
#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

struct Rows {
  std::vector<double> phi, k, K;
};

// As clusters of that kind say, or as they are.
Rows evaluate(const std::shared_ptr<const Model>& model, bool in_space, const double* q, const double* v) {
  WorkspaceImpl w(model, nullptr, {});
  std::vector<ClusterData> clusters = model->loops.clusters;
  if (in_space)
    for (ClusterData& c : clusters) c.kind = cluster_general;
  ModelData m = model->data();
  m.clusters = clusters.data();
  w.kernels->loop_constraints(m, q, v, w.w());
  const WorkspaceData<double>& d = w.w();
  return {{d.loop_phi, d.loop_phi + m.loop_row_count},
          {d.loop_k, d.loop_k + m.loop_row_count},
          {d.loop_K, d.loop_K + m.loop_K_size}};
}

void expect_close(const std::vector<double>& given, const std::vector<double>& expected,
                  const std::string& what) {
  ASSERT_EQ(given.size(), expected.size());
  const double scale = larger(1.0, largest(expected));
  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_NEAR(given[i], expected[i], 1e-13 * scale) << what << " " << i;
}

// Bars of random lengths about one axis, some turned over, in a loop of 3 to 6 that may hang on an arm; the
// first `fore` of them lead to its predecessor.
Mechanism polygon(Random& random, int bars, int fore, const Vector3& axis, bool on_an_arm) {
  Mechanism m;
  m.name = "polygon";
  m.source = "test";
  const auto link = [&](const std::string& name) {
    m.links.push_back({name, 1, {0.1, 0.2, 0.3}, {0.1, 0, 0, 0.1, 0, 0.1}});
    return name;
  };
  const auto offset = [&](double longest) {
    Vector3 p = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    for (double& x : p) x *= longest;
    return p;
  };
  const auto hinge = [&](const std::string& parent, const std::string& child, bool turned) {
    MechanismJoint joint;
    joint.name = "to_" + child;
    joint.type = JointType::continuous;
    joint.parent = parent, joint.child = link(child);
    joint.axis = axis;
    if (turned)
      for (double& x : joint.axis) x = -x;
    joint.origin.translation = offset(0.5);
    m.joints.push_back(joint);
  };
  std::string ground = link("ground");
  if (on_an_arm) {
    hinge(ground, "arm", false);
    m.joints.back().axis = {0, 1, 0};
    ground = "arm";
  }
  // Two rows of bars, and where their tips are when all joints are at zero.
  std::string tip[2] = {ground, ground};
  Vector3 end[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < bars; ++i) {
    const std::size_t side = i < fore ? 0 : 1;
    const std::string name = "bar_" + std::to_string(i);
    hinge(tip[side], name, random.chance(0.3));
    tip[side] = name;
    for (std::size_t e = 0; e < 3; ++e) end[side][e] += m.joints.back().origin.translation[e];
  }
  // Both ends coincide there.
  MechanismLoop loop;
  loop.name = "closing";
  loop.axis = axis;
  loop.predecessor = tip[0], loop.successor = tip[1];
  for (std::size_t e = 0; e < 3; ++e) loop.predecessor_frame.translation[e] = end[1][e] - end[0][e];
  m.loops.push_back(loop);
  return m;
}

TEST(PlanarLoops, SayWhatIsSaidInSpace) {
  const Vector3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  int planar = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto model = Model::compile(polygon(random, 3 + seed % 4, seed % 3, axes[seed % 3], seed % 2 != 0));
    ASSERT_EQ(model->loops.clusters.size(), 1u);
    planar += model->loops.clusters[0].kind == cluster_planar_x + seed % 3;
    std::vector<double> q(static_cast<std::size_t>(model->nq)), v(static_cast<std::size_t>(model->nv));
    random_configuration(*model, static_cast<std::uint64_t>(seed),
                         q.data());  // open: the rows are exact there too
    for (double& x : v) x = random.uniform(-2, 2);
    const Rows plane = evaluate(model, false, q.data(), v.data()),
               space = evaluate(model, true, q.data(), v.data());
    expect_close(plane.phi, space.phi, "phi");
    expect_close(plane.K, space.K, "K");
    expect_close(plane.k, space.k, "k");
  }
  EXPECT_EQ(planar, 60);
}

TEST(PlanarLoops, AreFoundInModels) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
    const auto model = Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + name + ".urdf"));
    for (const ClusterData& c : model->loops.clusters) EXPECT_NE(c.kind, cluster_general) << name;
  }
  // Of Cassie's rods the left plantar one; rounding in its source tilts the axes of the right one.
  const auto cassie = Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/cassie.urdf"));
  int planar = 0;
  for (const ClusterData& c : cassie->loops.clusters) planar += c.kind != cluster_general;
  EXPECT_EQ(cassie->loops.clusters.size(), 4u);
  EXPECT_EQ(planar, 1);
}

}  // namespace
}  // namespace tenon::testing
