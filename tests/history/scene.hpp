// Robots with rows and states for sequences of calls, drawn from a number: random trees, limbs of equal shape, loops
// in every treatment, the robots of models/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/campaign/cases.hpp"
#include "tenon.h"

namespace tenon::testing::history {

struct Free {
  void operator()(tenon_model* x) const { tenon_model_destroy(x); }
  void operator()(tenon_constraints* x) const { tenon_constraints_destroy(x); }
  void operator()(tenon_workspace* x) const { tenon_workspace_destroy(x); }
  void operator()(tenon_batch* x) const { tenon_batch_destroy(x); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

// In spanning coordinates.
struct SceneState {
  std::string name;
  std::vector<double> q, v, a, tau, wrenches;
};

// How objects of a scene are made. What masks name changes no answer: `seed` draws them.
struct Making {
  std::uint64_t seed = 0;
  bool nothing_named = false;
};

struct Scene {
  std::uint64_t seed = 0;
  std::string title;
  Handle<tenon_model> model;
  Handle<tenon_constraints> set;  // null: none
  std::int32_t instructions = TENON_INSTRUCTION_SET_AUTOMATIC;
  BranchLanesUse lanes = BranchLanesUse::where_faster;
  std::int32_t batch_threads = 1, batch_precision = TENON_PRECISION_DOUBLE;

  std::size_t nq = 0, nv = 0, links = 0, joints = 0, rows = 0, loop_rows = 0, ratios = 0;
  std::vector<std::int32_t> q_index, v_index;  // of the independent coordinates
  std::size_t nyq() const { return q_index.size(); }
  std::size_t ny() const { return v_index.size(); }
  std::vector<std::size_t> rows_of;  // of each constraint
  std::vector<SceneState> states;

  Handle<tenon_workspace> workspace(const Making& making) const;
  Handle<tenon_batch> batch() const;
};

// Null where the mechanism that was drawn cannot be built.
std::unique_ptr<Scene> draw_scene(std::uint64_t seed, RobotLibrary& library);

}  // namespace tenon::testing::history
