// Many states of one robot, as arrays of a batch and one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "support/largest.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/batch.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {

inline constexpr BatchFunction on_trees[] = {
    BatchFunction::forward_dynamics,  BatchFunction::inverse_dynamics,   BatchFunction::mass_matrix,
    BatchFunction::mass_matrix_lower, BatchFunction::mass_matrix_factor, BatchFunction::kinematics};

inline constexpr int product_columns = 2;  // of damped_product

inline BatchOptions batch_options(bool single = false, Instructions instructions = Instructions::automatic,
                                  int threads = 1) {
  BatchOptions options;
  options.single_precision = single, options.instructions = instructions, options.threads = threads;
  return options;
}

// The instruction sets of this machine that have packs.
std::vector<Instructions> instruction_sets_here();
// Whether batches that choose their instruction set, or get it from the environment, compute several states at a time.
bool packs_by_choice();

// The numbers of state i, of `count` each.
template <class N>
std::vector<double> part_of(const std::vector<N>& list, std::size_t i, std::size_t count) {
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(i * count);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// N: double or float.
template <class N>
struct States {
  States(std::shared_ptr<const Model> model_, std::shared_ptr<const ConstraintSet> set_, std::size_t count_,
         std::uint64_t seed);
  States(const Robot& robot, std::shared_ptr<const ConstraintSet> set_, std::size_t count_,
         std::uint64_t seed)
      : States(robot.model, std::move(set_), count_, seed) {}

  // Calls with arrays in state-major order; the results are in out and second.
  BatchCall call(BatchFunction function);
  std::size_t numbers(BatchFunction function, int which) const;  // of one state

  // Anchors, gains and activity of their own for each state. Without it all have the anchors of a new workspace.
  void draw_rows(std::uint64_t seed);
  // Those of states 0 to n - 1; backwards: of n - 1 to 0.
  void give_rows(Batch& batch, std::size_t n, bool backwards = false);
  void give_rows(Batch& batch) { give_rows(batch, count); }
  void give_rows(Workspace& w, std::size_t state) const;
  // Inertias, armatures, friction and gravity of their own for each state; `models` are compiled anew with these.
  void draw_robots(const Mechanism& mechanism, const CompileOptions& options, std::uint64_t seed);
  // Weights, compliance and frames of constraints of their own for each state; `specs` are with these.
  void draw_row_numbers(std::uint64_t seed);
  // What was drawn by these two, which give_rows gives to the batch too.
  BatchParameters parameters(std::size_t n, bool backwards = false);
  // A workspace on the model and the constraint set made anew for a state.
  std::unique_ptr<Workspace> workspace(std::size_t state, const WorkspaceOptions& how = {}) const;
  // The force of friction in joint coordinate k of a state.
  double friction_of(std::size_t state, std::size_t k, double rate) const;

  std::shared_ptr<const Model> model;
  std::shared_ptr<const ConstraintSet> set;
  std::size_t count;
  std::vector<N> q, v, x, wrenches, desired, right, restitution, out, second, third;
  std::vector<N> anchors, frequencies, ratios, active;                              // empty: not drawn
  std::vector<N> masses, centers, inertias, armatures, damping, friction, gravity;  // empty: not drawn
  std::vector<N> weights, compliance, frames;                                       // likewise
  std::vector<std::shared_ptr<const Model>> models;
  std::vector<std::vector<ConstraintSpec>> specs;
  std::vector<std::int32_t> status, iterations, links;
  double mu = 0;  // of damped_product
};

template <class N>
BatchArray array_of(std::vector<N>& data, std::size_t numbers) {
  BatchArray a;
  a.data = data.data();
  a.state_stride = static_cast<std::ptrdiff_t>(numbers);
  return a;
}

// The largest difference of one state's numbers over the largest of them.
template <class N>
double difference(const N* a, const N* b, std::size_t count) {
  double largest = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) return HUGE_VAL;
    largest = larger(largest, std::abs(x - y));
    size = larger(size, larger(std::abs(x), std::abs(y)));
  }
  return size > 0 ? largest / size : 0;
}

}  // namespace tenon::testing
