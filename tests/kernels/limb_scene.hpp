// Robots with limbs, side by side and one body after another: what tests of both share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "plan/dispatch.hpp"
#include "state/folded_rotors.hpp"
#include "support/campaign/limbed_robot.hpp"
#include "support/constrained_scene.hpp"
#include "support/largest.hpp"
#include "support/loop_scene.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/constraints.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

// Of limbs side by side, which not every instruction set has: two ways that are the same one would prove nothing.
struct LimbsSideBySide : ::testing::Test {
  void SetUp() override {
    if (!branch_kernels_of(resolve(Instructions::automatic)))
      GTEST_SKIP() << "no limbs side by side with this instruction set";
  }
};

inline std::unique_ptr<Workspace> workspace(const std::shared_ptr<const Model>& model, BranchLanesUse use,
                                            Instructions instructions = Instructions::automatic,
                                            std::shared_ptr<const ConstraintSet> set = nullptr) {
  WorkspaceOptions options;
  options.branch_lanes = use;
  options.instructions = instructions;
  return std::make_unique<Workspace>(model, std::move(set), options);
}

// The lanes of forward dynamics and of methods with rows: those of the folded model where there is one.
inline BranchLanes* lanes_of(Workspace& workspace) {
  WorkspaceImpl& w = workspace.impl();
  return w.folded ? w.folded->workspace.impl().branches.get() : w.branches.get();
}

// least: below it numbers count as zero.
inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                        double least = 0) {
  const double size = std::max(largest(b), least);
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * size) << "coordinate " << i << " of " << b.size();
}

// A random state, of a model with loops one near the configuration that the compiler found closed.
inline State closed_state(Random& random, Workspace& w) {
  const Model& model = w.model();
  State s = random_state(random, model);
  if (model.data().varying_clusters == 0) return s;
  std::vector<double> step = s.v;
  for (double& x : step) x *= 0.1;
  std::vector<double> q = model.loops.closed;
  if (integrate(w, model.loops.closed.data(), step.data(), 1, q.data()) != Status::ok ||
      close_loops(w, LoopMoves::dependent, q.data(), nullptr) != Status::ok)
    q = model.loops.closed;
  s.q = q;
  return s;
}

// Changes every setting of a row in both.
inline void change_settings(Workspace& lanes, Workspace& scalar, const std::vector<ConstraintSpec>& specs,
                            Random& random) {
  const int off = random.integer(0, static_cast<int>(specs.size()) - 1),
            softened = static_cast<int>(specs.size()) - 1;
  const Pose pose = random.pose(0.5);
  std::vector<double> numbers(6);
  for (double& x : numbers) x = random.uniform(0.01, 0.5);
  for (Workspace* w : {&lanes, &scalar}) {
    ASSERT_EQ(set_constraint_active(*w, off, false), Status::ok);
    ASSERT_EQ(set_constraint_gains(*w, 0, 3, 0.5), Status::ok);
    ASSERT_EQ(set_constraint_compliance(*w, softened, numbers.data()), Status::ok);
    ASSERT_EQ(set_constraint_weights(*w, 0, numbers.data()), Status::ok);
    w->set_anchor(0, pose);
  }
}

}  // namespace tenon::testing
