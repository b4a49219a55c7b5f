// Dynamics of packs of W states: the inputs and results are in PackNumbers, in the user's order. Models with
// folded rotors are swept in their folded form where the single call does so. G and g of clusters are computed
// for the whole pack (kernels/pack/loops_pack.hpp).
//
// Constrained dynamics is that of pv_early where this pays (early_pays); lanes in which it has no answer, and all of
// other robots, are computed by constrained_aba.
//
// Lanes that packs cannot compute get no result: next to a dead centre, where the single call takes other
// independent coordinates, and where rows do not converge quickly.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "batch/batch_robots.hpp"
#include "batch/batch_rows.hpp"
#include "batch/pack/pack_derivatives.hpp"
#include "batch/pack/pack_numbers.hpp"
#include "batch/pack/pack_settings.hpp"
#include "batch/pack/pack_step_check.hpp"
#include "batch/pack/pack_sweep.hpp"
#include "kernels/pack/pack_table.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "tenon/batch.hpp"

namespace tenon {

template <class N, int W>
class PackDynamics {
 public:
  using Pack = tenon::Pack<N, W>;
  using Mask = LaneMask<W>;
  using Numbers = PackNumbers<N, W>;
  using In = Inputs<Pack>;

  PackDynamics(WorkspaceImpl& w, const PackKernels<N, W>& kernels);
  // Whether packs compute this call.
  bool can(const BatchCall& call);
  // Makes memory for this call, with so many numbers a state.
  void prepare(const BatchCall& call, std::size_t inputs, std::size_t results,
               const std::size_t (&parameters)[parameter_kinds]);
  // To be called first in each call, and before each pack.
  void start(const BatchCall& call);
  void start_pack() { step_check_.forget(); }

  // Whether this call's rows are first solved by pv_early, then by constrained_aba.
  bool tries_early(const BatchCall& call) const { return early_ && call.solve.method == Method::automatic; }
  // The method of rollouts, whose packs stay together.
  Method method_of_steps(const BatchCall& call) const {
    return early_in_rollouts_ ? call.solve.method : Method::constrained_aba;
  }

  // What is set for the states in these lanes, to the lanes of numbers.
  void take_settings(const BatchCall& call, const std::size_t (&states)[W], Numbers& numbers) {
    if (call.rows) settings_.take_rows(*call.rows, *swept().w.cd(), states, numbers);
    if (call.robots) settings_.take_robots(*call.robots, kernels_, states, numbers);
  }
  // Computes the lanes of `wanted`; results are in numbers.out and second, `done` marks the lanes that have
  // one. Other lanes must hold copies of good ones. Rows by this method; automatic: by both.
  void solve(const BatchCall& call, Method method, Numbers& numbers, const Mask& wanted, Mask& done,
             SolveReport* reports);
  // A step of a rollout. In independent velocities the state goes to the coordinates of the tree, and its end back. same:
  // it begins where the last one has ended, in all lanes. What the numbers point at between them stays there, but for q and v, which are copied to start_q and
  // start_v.
  void enter_step(const BatchCall& call, Numbers& numbers, StepCheck check, bool same, Pack* start_q,
                  Pack* start_v) {
    if (independent_) {
      independent_->start();
      independent_->expand_state(numbers, whole_.arena.data);
    }
    std::copy(numbers.q.begin(), numbers.q.end(), start_q);
    std::copy(numbers.v.begin(), numbers.v.end(), start_v);
    if (check == StepCheck::none) return;
    place_robots(call, numbers);
    In in = numbers.inputs(call);
    in.q = start_q, in.v = start_v;
    step_check_.start(in, same && !independent_, !folded_);
  }
  void leave_step(const BatchCall& call, Numbers& numbers, StepCheck check, Mask& lanes) {
    const bool goes_on = check == StepCheck::inner && !independent_;
    if (check != StepCheck::none)
      step_check_.end(call.dt, numbers.q.data(), numbers.v.data(), goes_on, lanes);
    if (!independent_) return;
    independent_->compress_state(numbers, whole_.arena.data);
    independent_->keep_ordinary(lanes);
  }
  // to := accelerations of joints in the user's coordinates.
  void give_motion(const std::vector<Pack>& qdd, std::vector<Pack>& to) const {
    if (independent_)
      independent_->pick(qdd, to);
    else
      std::copy_n(qdd.begin(), to.size(), to.begin());
  }
  // World poses of bodies, with v their velocities, and accelerations where the call takes them, in arena(). Returns v of the
  // tree; null: not given.
  const Pack* place_bodies(const BatchCall& call, Numbers& numbers) {
    place_robots(call, numbers);
    WorkspaceData<Pack>& d = whole_.arena.data;
    const Numbers* tree = &numbers;
    if (call.differentiates()) {
      tree = &derivatives_.enter_kinematics(call, whole_.m, numbers, d);
    } else if (independent_) {
      independent_->start();
      tree = &independent_->enter(call, numbers, d);
    }
    const Pack* const v = call.v.data ? tree->v.data() : nullptr;
    kernels_.kinematics(whole_.m, tree->q.data(), v, call.accelerates() ? tree->qdd.data() : nullptr, d);
    return v;
  }
  // After that, without derivatives.
  void leave_bodies(const BatchCall& call, Numbers& numbers, Mask& lanes) {
    if (!independent_) return;
    independent_->leave(call, numbers, whole_.arena.data, [](Pack*, const Pack*) {});
    independent_->keep_ordinary(lanes);
  }
  // After that, what call.derivatives asks for, in numbers.by_q, by_v and by_x; state as PackDerivatives has it. Leaves the lanes
  // that have a result.
  void differentiate_kinematics(const BatchCall& call, const Pack* state, Numbers& numbers, Mask& lanes) {
    derivatives_.kinematics(call, whole_.m, state, numbers, whole_.arena.data, lanes);
  }
  // Matrices that leave line by line (pack_derivatives.hpp), after solve().
  const PackDerivatives<N, W>& derivatives() const { return derivatives_; }
  void fill_lines(int first, int end, const Pack* (&by)[3]) {
    derivatives_.fill_lines(whole_.m, first, end, whole_.arena.data, by);
  }
  const WorkspaceData<Pack>& arena() const { return whole_.arena.data; }
  // Whether this wrench acts on a rotor that the call folds: the single call then needs the rotor's body.
  bool on_folded_rotor(const BatchCall& call, const double* wrench) const;

  std::size_t bytes() const;

 private:
  using Sweep = PackSweep<N, W>;

  // Lets sweeps read what robots in these lanes have of their own.
  void place_robots(const BatchCall& call, const Numbers& n);
  // The same as solve(), in the coordinates of the tree.
  void solve_on_tree(const BatchCall& call, Method method, Numbers& n, const Mask& wanted, Mask& done,
                     SolveReport* reports);
  bool compute(const BatchCall& call, Method method, Numbers& n, const Mask& wanted, Mask& done,
               SolveReport* reports);
  bool move(const BatchCall& call, Method method, Numbers& n, const Mask& wanted, Mask& done,
            SolveReport* reports);
  // Rows by this method, for rows_.settings and desired accelerations as given.
  bool solve_rows(Method method, const In& in, Numbers& n, const Mask& wanted, Mask& done,
                  SolveReport* reports);
  // The velocities after an impact. in: of the swept model.
  bool hit(const BatchCall& call, Method method, const In& in, Numbers& n, const Mask& wanted, Mask& done,
           SolveReport* reports);
  // What rows of these lanes have for a call; impacts know no stabilisation.
  RowSettingsOf<Pack> settings_of(const BatchCall& call, const Numbers& n) const;
  bool iterate(const In& in, Numbers& n, Mask wanted, Mask& done, SolveReport* reports);
  RowSettingsOf<Pack> settings_of_set(Sweep& s);
  bool early_pays();
  bool solve_early(const In& in, Numbers& n, const Mask& wanted, Mask& done, SolveReport* reports);
  // Leaves the lanes in which the inertias of clusters have kept their digits.
  void keep_pivots(Mask& lanes) const;
  void give_answer(const Mask& lanes, const SolveReport& solve, Numbers& n, Mask& done, SolveReport* reports);
  bool fill_delassus(const BatchCall& call, const In& in, Numbers& n);
  // The same state in the coordinates of the folded model.
  In fold(const In& in);
  // Removes lanes in which a row has so little damping that its solution may have few digits.
  void leave_undamped(const Numbers& n, Mask& lanes);
  // Removes lanes next to a dead centre.
  void close_clusters(const In& in, double steepest, Mask& lanes);
  void map_out_motion(const Pack* qdd, const Mask& lanes, Numbers& n);
  Sweep& swept() { return folded_ ? *folded_ : whole_; }
  const Sweep& swept() const { return folded_ ? *folded_ : whole_; }

  using Settings = PackSettings<N, W>;

  const PackKernels<N, W>& kernels_;
  Settings settings_;
  Sweep whole_;
  PackStepCheck<N, W> step_check_;
  PackDerivatives<N, W> derivatives_;
  std::unique_ptr<IndependentNumbers<N, W>> independent_numbers_;
  IndependentNumbers<N, W>* independent_ = nullptr;  // of this call; null in spanning velocities
  std::unique_ptr<Sweep> folded_;
  bool same_rows_ = true;                       // both have rows in the same order
  std::unique_ptr<PvEarlyMemory<Pack>> early_;  // null: packs start with constrained_aba
  bool early_in_rollouts_ = true;
  bool keeps_reports_ = false;  // of this call
  Numbers spare_;
  std::vector<Pack> folded_q_, folded_v_, folded_tau_, unfolded_;
  std::vector<Pack> f_, step_;            // of rows
  std::vector<Pack> at_rest_, no_gains_;  // zeros, of velocities and of constraints
  Pack weightless_[3] = {};
  std::vector<Pack> A_, right_;         // of the Delassus matrix
  std::vector<Pack> inv_mu_, damping_;  // of rows; with the compliance of states
  std::vector<double> damping_of_call_, damping_of_user_;
  ConstraintPoses poses_without_gains_{};
  PackedRows<Pack> rows_{};
  PackedDelassus<Pack> delassus_{};
  Pack *usual_bodies_, *usual_armature_;  // of the model
  std::vector<double> armed_;             // armatures above zero: where robots have their own
  std::size_t mass_numbers_ = 0;  // of the last result if it was a mass matrix, with zeros between branches
};

}  // namespace tenon
