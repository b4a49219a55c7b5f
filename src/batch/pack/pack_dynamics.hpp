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

#include <memory>
#include <vector>

#include "batch/batch_robots.hpp"
#include "batch/batch_rows.hpp"
#include "batch/pack/pack_derivatives.hpp"
#include "batch/pack/pack_numbers.hpp"
#include "batch/pack/pack_settings.hpp"
#include "kernels/pack/pack_table.hpp"
#include "plan/arena.hpp"
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
  // To be called first in each call.
  void start(const BatchCall& call);

  // Whether this call's rows are first solved by pv_early, then by constrained_aba.
  bool tries_early(const BatchCall& call) const { return early_ && call.solve.method == Method::automatic; }
  // The method of rollouts, whose packs stay together.
  Method method_of_steps(const BatchCall& call) const {
    return early_in_rollouts_ ? call.solve.method : Method::constrained_aba;
  }

  // What is set for these states, `count` of them, to the lanes of numbers.
  void take_settings(const BatchCall& call, const std::size_t* states, int count, Numbers& numbers) {
    if (call.rows) settings_.take_rows(*call.rows, *swept().w.cd(), states, count, numbers);
    if (call.robots) settings_.take_robots(*call.robots, kernels_, states, count, numbers);
  }
  // Computes the lanes of `wanted`; results are in numbers.out and second, `done` marks the lanes that have
  // one. Other lanes must hold copies of good ones. Rows by this method; automatic: by both.
  void solve(const BatchCall& call, Method method, Numbers& numbers, const Mask& wanted, Mask& done,
             SolveReport* reports);
  // As PackDerivatives has them.
  void enter_step(Numbers& numbers) { derivatives_.enter_step(numbers, whole_.arena.data); }
  void leave_step(Numbers& numbers, Mask& lanes) {
    derivatives_.leave_step(numbers, whole_.arena.data, lanes);
  }
  // World poses of bodies, with v their velocities too, in arena().
  void place_bodies(const BatchCall& call, Numbers& numbers) {
    place_robots(call, numbers);
    const Numbers& tree = call.differentiates()
                              ? derivatives_.enter_kinematics(call, whole_.m, numbers, whole_.arena.data)
                              : numbers;
    kernels_.kinematics_of_states(whole_.m, tree.q.data(), call.v.data ? tree.v.data() : nullptr,
                                  whole_.arena.data);
  }
  // After that, what call.derivatives asks for, in numbers.by_q and by_v. Leaves the lanes that have a result.
  void differentiate_kinematics(const BatchCall& call, Numbers& numbers, Mask& lanes) {
    derivatives_.kinematics(call, whole_.m, numbers, whole_.arena.data, lanes);
  }
  const WorkspaceData<Pack>& arena() const { return whole_.arena.data; }
  // Whether this wrench acts on a rotor that is folded: the single call then needs the rotor's body.
  bool on_folded_rotor(const double* wrench) const;

  std::size_t bytes() const;

 private:
  // What is swept: the model of the batch, or its folded form.
  struct Sweep {
    explicit Sweep(WorkspaceImpl& w);
    WorkspaceImpl& w;
    ModelData m;  // not WorkspaceImpl::md(), which single calls change at dead centres
    Arena<Pack> arena;
    Pack gravity[3];
  };

  // Lets sweeps read what robots in these lanes have of their own.
  void place_robots(const BatchCall& call, const Numbers& n);
  bool compute(const BatchCall& call, Method method, Numbers& n, const Mask& wanted, Mask& done,
               SolveReport* reports);
  bool move(const BatchCall& call, Method method, Numbers& n, const Mask& wanted, Mask& done,
            SolveReport* reports);
  bool solve_rows(const BatchCall& call, Method method, const In& in, Numbers& n, const Mask& wanted,
                  Mask& done, SolveReport* reports);
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
  PackDerivatives<N, W> derivatives_;
  std::unique_ptr<Sweep> folded_;
  std::unique_ptr<PvEarlyMemory<Pack>> early_;  // null: packs start with constrained_aba
  bool early_in_rollouts_ = true;
  bool keeps_reports_ = false;  // of this call
  Numbers spare_;
  std::vector<Pack> folded_q_, folded_v_, folded_tau_, unfolded_;
  std::vector<Pack> f_, step_;                                 // of rows
  std::vector<Pack> path_rows_, inverse_, zeros_, A_, right_;  // of the Delassus matrix
  std::vector<std::int32_t> row_first_, row_end_;
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
