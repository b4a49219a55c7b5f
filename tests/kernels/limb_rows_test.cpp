// Whether rows of limbs go side by side in the Delassus matrix: where that takes fewer instructions; and that what reads
// bodies one by one still finds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "state/workspace_impl.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/constraints.hpp"
#include "tenon/delassus.hpp"
#include "tenon/urdf.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {
namespace {

// Welds, or points, on links of a robot of models/ with a floating base.
std::unique_ptr<Workspace> holding(const char* robot, const std::vector<std::string>& links, bool points,
                                   BranchLanesUse use = BranchLanesUse::where_faster) {
  CompileOptions options;
  options.floating_base = true;
  const std::shared_ptr<const Model> model =
      Model::compile(load_urdf(std::string(TENON_MODELS_DIR "/") + robot), options);
  std::vector<ConstraintSpec> specs;
  for (const std::string& name : links) {
    const auto link = std::find_if(model->links.begin(), model->links.end(),
                                   [&](const auto& one) { return one.name == name; });
    if (link == model->links.end()) throw std::runtime_error(name);
    const int number = static_cast<int>(link - model->links.begin());
    specs.push_back(points ? point_constraint(number, {}) : weld_constraint(number, {}));
  }
  WorkspaceOptions workspace_options;
  workspace_options.branch_lanes = use;
  return std::make_unique<Workspace>(model, ConstraintSet::bind(model, specs), workspace_options);
}

const std::vector<std::string> feet = {"FL_foot", "FR_foot", "RL_foot", "RR_foot"};

TEST(LimbRows, GoSideBySideWhereThatSaves) {
  if (!holding("go1.urdf", feet, true)->impl().branches) GTEST_SKIP() << "no limbs side by side";
  const auto side_by_side = [](const char* robot, const std::vector<std::string>& links, bool points) {
    return holding(robot, links, points)->impl().branches->takes_osimr();
  };
  EXPECT_TRUE(side_by_side("go1.urdf", feet, true));
  EXPECT_TRUE(side_by_side("go1.urdf", feet, false));
  EXPECT_TRUE(side_by_side("go1.urdf", {"FL_foot", "FR_foot"}, true));
  EXPECT_FALSE(side_by_side("go1.urdf", {"FL_foot"}, true));
  EXPECT_TRUE(side_by_side("go1.urdf", {"trunk"}, false));
  EXPECT_TRUE(side_by_side("solo12.urdf", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, true));
  EXPECT_TRUE(side_by_side("atlas.urdf", {"l_foot", "r_foot"}, false));
  EXPECT_FALSE(side_by_side("atlas.urdf", {"l_foot"}, false));
  // Joints copied to the bodies one by one: four limbs save, two lose.
  EXPECT_TRUE(holding("go1.urdf", feet, true)->impl().branches->takes_inertias());
  EXPECT_FALSE(holding("atlas.urdf", {"l_foot"}, false)->impl().branches->takes_inertias());
}

// M^-1 J^T Lambda needs inertias of all bodies, which the Delassus matrix leaves on the limbs.
TEST(LimbRows, OperationalSpaceAfterDelassusMatrix) {
  const auto limbs = holding("go1.urdf", feet, true, BranchLanesUse::always),
             bodies = holding("go1.urdf", feet, true, BranchLanesUse::never);
  const int rows = 12, nv = limbs->model().nv;
  Random random(3);
  std::vector<double> matrix(144), found(static_cast<std::size_t>(rows * nv)), expected = found;
  for (int k = 0; k < 3; ++k) {
    const State s = random_state(random, limbs->model());
    ASSERT_EQ(operational_space(*limbs, s.q.data(), {nullptr, 0, found.data(), nv}), Status::ok);
    ASSERT_EQ(operational_space(*bodies, s.q.data(), {nullptr, 0, expected.data(), nv}), Status::ok);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-7);
    ASSERT_EQ(delassus_matrix(*limbs, DelassusMethod::automatic, s.q.data(), matrix.data(), rows),
              Status::ok);
  }
}

}  // namespace
}  // namespace tenon::testing
