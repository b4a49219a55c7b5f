// First derivatives of packs of W states, as calls/derivatives.cpp has them for one: inputs and results are in
// PackNumbers, in the user's order. Of models with embedded loops products, without rows; of others with constraint rows on
// one body each. Lanes whose rows depend on each other, or nearly, and lanes next to a dead centre get no result.
#pragma once

#include <memory>
#include <vector>

#include "batch/pack/independent_numbers.hpp"
#include "batch/pack/pack_numbers.hpp"
#include "kernels/pack/derivative_pack_table.hpp"
#include "kernels/pack/pack_table.hpp"
#include "plan/memory_block.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/batch.hpp"

namespace tenon {

template <class N, int W>
class PackDerivatives {
 public:
  using Pack = tenon::Pack<N, W>;
  using Numbers = PackNumbers<N, W>;

  // single: of the same model, for what it knows of links.
  PackDerivatives(WorkspaceImpl& single, const ModelData& m, const PackKernels<N, W>& dynamics,
                  const PackDerivativeKernels<N, W>& kernels)
      : single_(single),
        dynamics_(dynamics),
        kernels_(kernels),
        nq_(index(m.nq)),
        nv_(index(m.nv)),
        nodes_(index(m.node_count)) {
    subtree_end_.resize(nv_), related_.resize(nv_);
    for (int k = m.nv - 1; k >= 0; --k) {
      std::int32_t& end = subtree_end_[index(k)];
      end = std::max(end, k + 1);
      if (m.v_parent[k] >= 0)
        subtree_end_[index(m.v_parent[k])] = std::max(subtree_end_[index(m.v_parent[k])], end);
    }
  }

  using Mask = LaneMask<W>;

  // Whether rows act in what this call differentiates.
  static bool has_rows(const BatchCall& call, std::size_t rows) {
    return rows > 0 && (call.of_steps() || call.of_constraints());
  }
  // Finds out whether rows depend on each other wherever the robot is: then packs would compute in vain. first, end: as
  // PackedDelassus has them.
  void find_dependence(const ModelData& m, const ConstraintData& c, const RowSettingsOf<Pack>& settings,
                       PackedDelassus<Pack> delassus, WorkspaceData<Pack>& w);
  bool rows_depend() const { return rows_depend_; }
  // Makes the memory at the first call of a form. c: null without rows. delassus: memory of the Delassus matrix of rows.
  void prepare(const BatchCall& call, const ConstraintData* c, const PackedDelassus<Pack>& delassus);
  // numbers.out: what the function itself gives, with rows second: lambda; by_q, by_v, by_x, by_rows: what call.derivatives
  // asks for. Leaves the lanes that have a result. settings: of the rows, if there are any. False: the mass matrix of some
  // lane is not positive definite.
  bool compute(const BatchCall& call, const ModelData& m, const RowSettingsOf<Pack>& settings,
               Numbers& numbers, WorkspaceData<Pack>& w, Mask& lanes);
  // Of kinematics (pack_kinematics.hpp): the state in the coordinates of the tree, before the sweep over bodies; and after it
  // what call.derivatives asks for.
  Numbers& enter_kinematics(const BatchCall& call, const ModelData& m, Numbers& numbers,
                            WorkspaceData<Pack>& w);
  void kinematics(const BatchCall& call, const ModelData& m, Numbers& numbers, WorkspaceData<Pack>& w,
                  Mask& lanes);
  // A step of a rollout in independent velocities: the state to the coordinates of the tree, and its end back.
  void enter_step(Numbers& n, WorkspaceData<Pack>& w) {
    if (!independent_) return;
    independent_->start();
    independent_->expand_state(n, w);
  }
  void leave_step(Numbers& n, WorkspaceData<Pack>& w, Mask& lanes) {
    if (!independent_) return;
    independent_->compress_state(n, w);
    independent_->keep_ordinary(lanes);
  }
  std::size_t bytes() const {
    std::size_t of_steps = bytes_of(path_q_, path_v_, path_u_, zeros_);
    for (const std::vector<Pack>& x : step_) of_steps += bytes_of(x);
    return products_.bytes() + matrices_.bytes() + of_rows_.bytes() + row_matrices_.bytes() +
           of_loops_.bytes() + of_steps + bytes_of(subtree_end_, related_, torques_, independent_);
  }

 private:
  using In = Inputs<Pack>;
  void inverse(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  bool forward(const BatchCall& call, const ModelData& m, In in, Numbers& n, WorkspaceData<Pack>& w);
  struct Stages;
  bool step(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  // in.qdd := qdd := the accelerations of forward dynamics at in.q, in.v, with rows of constrained dynamics. False: as
  // compute.
  bool accelerate(const BatchCall& call, const ModelData& m, In& in, Pack* qdd, Numbers& n,
                  WorkspaceData<Pack>& w);
  // x := M^-1 x after that, with embedded loops G (G^T M G)^-1 G^T x; with rows x and rows_.b, right-hand sides, become the solution (row_derivative_pack.hpp).
  void solve(const ModelData& m, Pack* x, WorkspaceData<Pack>& w);
  // rows_.b := the change of the desired accelerations, of the user, null: zero, less that of rows by multiply().
  void subtract_row_changes(const Pack* desired);
  // The product of inverse dynamics at in.qdd, with the damping of robots; with rows that of their equations, with embedded
  // loops that of in.tau and loops_.gradient too, both after accelerate().
  void multiply(const BatchCall& call, const ModelData& m, const In& in, const PackedProduct<Pack>& p,
                Pack* tau, Numbers& n, WorkspaceData<Pack>& w);
  // The product or the matrices of inverse dynamics at in.qdd; the gradient or the change of accelerations is x.
  void differentiate(const BatchCall& call, const ModelData& m, const In& in, const Pack* x, Pack* tau,
                     Numbers& n, WorkspaceData<Pack>& w);

  // In the coordinates of the tree.
  bool compute_on_tree(const BatchCall& call, const ModelData& m, const RowSettingsOf<Pack>& settings,
                       Numbers& numbers, WorkspaceData<Pack>& w, Mask& lanes);
  // In independent velocities, adds what positions change of velocities to n.along_v. moves: as the kernel has it.
  void add_velocity_changes(const ModelData& m, const In& in, bool moves, Numbers& n, WorkspaceData<Pack>& w);
  // Makes the memory of loops at the first call.
  void prepare_loops();
  // Adds h to a change of accelerations.
  void add_loop_motion(Pack* change) const;

  // Adds sign times the products of y with derivatives of inverse dynamics by parameters, as call asks for them, at in.v and
  // in.qdd. After the vjp of y.
  void add_by_parameters(const BatchCall& call, const In& in, const Pack* y, int sign, Numbers& n,
                         WorkspaceData<Pack>& w);

  WorkspaceImpl& single_;
  const PackKernels<N, W>& dynamics_;
  const PackDerivativeKernels<N, W>& kernels_;
  const std::size_t nq_, nv_, nodes_;
  Memory products_, matrices_, of_rows_, row_matrices_, of_loops_;
  PackedDerivatives<Pack> data_{};
  bool rows_depend_ = false;
  const ConstraintData* c_ = nullptr;  // of this call; null: without rows
  PackedRowDerivatives<Pack> rows_{};
  bool has_loops_ = false;  // of this call: loops that turn act in what it differentiates
  Pack largest_{};          // largest entry of their G in this call
  PackedLoops<Pack> loops_{};
  std::unique_ptr<IndependentNumbers<N, W>> independent_;  // null in spanning velocities
  std::vector<std::int32_t> subtree_end_, related_;
  std::vector<Pack> torques_;                   // that forward dynamics does not give
  std::vector<Pack> path_q_, path_v_, path_u_;  // of steps (calls/derivatives/step_tangents.hpp)
  std::vector<Pack> step_[17], zeros_;
};

}  // namespace tenon
