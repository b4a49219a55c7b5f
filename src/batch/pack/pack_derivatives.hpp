// First derivatives of packs of W states, as calls/derivatives.cpp has them for one: inputs and results are in
// PackNumbers, in the user's order, with constraint rows on one body each, with embedded loops, and with both. Lanes whose rows
// depend on each other, or nearly, and lanes next to a dead centre get no result.
#pragma once

#include <vector>

#include "batch/pack/independent_numbers.hpp"
#include "batch/pack/pack_derivative_memory.hpp"
#include "batch/pack/pack_numbers.hpp"
#include "batch/pack/pack_step_check.hpp"
#include "kernels/pack/derivative_pack_table.hpp"
#include "kernels/pack/pack_table.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/batch.hpp"

namespace tenon {

template <class N, int W>
class PackDerivatives {
 public:
  using Pack = tenon::Pack<N, W>;
  using Numbers = PackNumbers<N, W>;

  // single: of the same model, for what it knows of links. step_check: of the same memory of sweeps.
  PackDerivatives(WorkspaceImpl& single, const ModelData& m, const PackKernels<N, W>& dynamics,
                  const PackDerivativeKernels<N, W>& kernels, PackStepCheck<N, W>& step_check)
      : single_(single),
        dynamics_(dynamics),
        kernels_(kernels),
        step_check_(step_check),
        memory_(single, m),
        nv_(index(m.nv)) {}

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
  // independent: null in spanning velocities.
  void prepare(const BatchCall& call, const ConstraintData* c, const PackedDelassus<Pack>& delassus,
               IndependentNumbers<N, W>* independent);
  // numbers.out: what the function itself gives, with rows second: lambda; by_q, by_v, by_x, by_rows: what call.derivatives
  // asks for. Leaves the lanes that have a result. settings: of the rows, if there are any. False: the mass matrix of some
  // lane is not positive definite.
  bool compute(const BatchCall& call, const ModelData& m, const RowSettingsOf<Pack>& settings,
               Numbers& numbers, WorkspaceData<Pack>& w, Mask& lanes);
  // Of kinematics (pack_kinematics.hpp): the state in the coordinates of the tree, before the sweep over bodies; and after it
  // what call.derivatives asks for. state: of whole robots their numbers; null: it is of links.
  Numbers& enter_kinematics(const BatchCall& call, const ModelData& m, Numbers& numbers,
                            WorkspaceData<Pack>& w);
  void kinematics(const BatchCall& call, const ModelData& m, const Pack* state, Numbers& numbers,
                  WorkspaceData<Pack>& w, Mask& lanes);
  // Matrices that leave line by line, columns or rows, so that they are never whole in memory: those of this call where it has
  // such. compute() then leaves what they are made of.
  const PackedLines<Pack>* lines() const { return gives_lines_ && !whole_ ? &memory_.lines : nullptr; }
  // Until the next such call: matrices are whole, in numbers.
  void give_whole(bool whole) { whole_ = whole; }
  // Leaves the lanes in which all their numbers are finite in type Io for certain.
  template <class Io>
  void keep_finite_lines(Mask& lanes) const {
    // Entries have nine products each, and solutions sums of so many with as many numbers of M^-1 as there are coordinates.
    constexpr bool doubles = std::is_same_v<Io, double>;
    constexpr double motion = doubles ? 0x1p250 : 0x1p30, force = doubles ? 0x1p250 : 0x1p48,
                     inverse = doubles ? 0x1p250 : 0x1p36;
    const auto within = [](N squares, double most) { return static_cast<double>(squares) <= most * most; };
    for (int l = 0; l < W; ++l)
      lanes.lane[l] = lanes.lane[l] && within(data_.motion_squares[l], motion) &&
                      within(data_.force_squares[l], force) &&
                      (memory_.lines.of_inverse || within(data_.inverse_squares[l], inverse));
  }
  // Which W numbers of so many lines as one list are zero, and not in that room.
  void find_zeros(int first, int count, char* zeros) const;
  // Lines first to end - 1, at most lines()->at_once, and where they are.
  void fill_lines(const ModelData& m, int first, int end, const WorkspaceData<Pack>& w, const Pack* (&by)[3]);
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  using In = Inputs<Pack>;
  void inverse(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  bool forward(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  struct Stages;
  bool step(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  // in.qdd := qdd := the accelerations of forward dynamics at in.q, in.v, with rows of constrained dynamics. Without rows
  // solved := what solve() makes of it; null: not wanted. False: as compute.
  bool accelerate(const BatchCall& call, const ModelData& m, In& in, Pack* qdd, Pack* solved, Numbers& n,
                  WorkspaceData<Pack>& w);
  // x := M^-1 x after that, with embedded loops G (G^T M G)^-1 G^T x; with rows x and rows_.b, right-hand sides, become the solution (row_derivative_pack.hpp).
  void solve(const ModelData& m, Pack* x, WorkspaceData<Pack>& w);
  // The product of inverse dynamics at in.qdd, with the damping of robots; with rows that of their equations, with embedded
  // loops of in.tau and loops_.gradient too, after accelerate().
  void multiply(const BatchCall& call, const ModelData& m, const In& in, const PackedProduct<Pack>& p,
                Pack* tau, Numbers& n, WorkspaceData<Pack>& w);
  // The product or the matrices of inverse dynamics at in.qdd; the gradient or the change of accelerations is x.
  void differentiate(const BatchCall& call, const ModelData& m, const In& in, const Pack* x, Pack* tau,
                     Numbers& n, WorkspaceData<Pack>& w);

  // In the coordinates of the tree.
  bool compute_on_tree(const BatchCall& call, const ModelData& m, const RowSettingsOf<Pack>& settings,
                       Numbers& numbers, WorkspaceData<Pack>& w, Mask& lanes);
  // Of impacts (pack_impacts.hpp), after which come the products or matrices: at_d, at_v: the robot at rest with the change of
  // velocities, and with those before, for accelerations.
  bool impact(const BatchCall& call, const ModelData& m, const In& in, Numbers& n, WorkspaceData<Pack>& w);
  void impact_vjp(const BatchCall& call, const ModelData& m, const In& at_d, const In& at_v, Numbers& n,
                  WorkspaceData<Pack>& w);
  void impact_jvp(const BatchCall& call, const ModelData& m, const In& at_d, const In& at_v, Numbers& n,
                  WorkspaceData<Pack>& w);
  bool impact_matrices(const BatchCall& call, const ModelData& m, In at_d, In at_v, Numbers& n,
                       WorkspaceData<Pack>& w);
  // The product with J v, in which loops have no part: the velocities before are given.
  void multiply_rows_alone(const BatchCall& call, const ModelData& m, const In& at_v,
                           const PackedProduct<Pack>& p, Numbers& n, WorkspaceData<Pack>& w);
  // Whether the matrix of motions by q, v or x is computed: the user wants it, or that of multipliers, which comes from it.
  static bool takes_matrix(const BatchCall& call, int i) {
    return call.out[i + 1].data || (call.of_constraints() && i < 2 && call.out[i + 6].data);
  }
  // In independent velocities, adds what positions change of velocities to n.along_v. moves: as the kernel has it.
  void add_velocity_changes(const ModelData& m, const In& in, bool moves, Numbers& n, WorkspaceData<Pack>& w);
  // The same of accelerations, after that; and their part of gradients (pack_kinematics.hpp).
  void add_acceleration_changes(const ModelData& m, const In& at, Numbers& tree, WorkspaceData<Pack>& w);
  void add_acceleration_gradients(const BatchCall& call, const ModelData& m, Numbers& tree,
                                  WorkspaceData<Pack>& w);
  // p.by_q and rows_.b := the change of accelerations and forces of rows along p, dtau and desired accelerations of the user;
  // null: zero. After accelerate().
  void change_motion(const BatchCall& call, const ModelData& m, const In& in, const PackedProduct<Pack>& p,
                     const Pack* dtau, const Pack* ddesired, Numbers& n, WorkspaceData<Pack>& w);
  // G and g of loops that turn.
  void place_loops(const ModelData& m, const In& in, WorkspaceData<Pack>& w) {
    if (!has_loops_) return;
    Pack largest;
    dynamics_.loops_of_states(m, in.q, in.v, largest, w);
    for (int l = 0; l < W; ++l) largest_[l] = std::max(largest_[l], largest[l]);
  }
  // Matrices of models with embedded loops, in independent velocities or of what solves for accelerations. False: as compute.
  bool differentiate_with_loops(const BatchCall& call, const ModelData& m, In in, Numbers& n,
                                WorkspaceData<Pack>& w);
  // Where matrices go; null: not wanted.
  PackedProduct<Pack> matrices_of(const BatchCall& call, Numbers& n);
  PackedRowMatrices<Pack> row_matrices_of(const BatchCall& call, Numbers& n);
  PackedActing<Pack> acting() { return {c_, c_ ? &rows_ : nullptr, has_loops_ ? &loops_ : nullptr}; }

  // Adds the products of y with derivatives of inverse dynamics by parameters, as call asks for them, at in.v and in.qdd. After
  // the vjp of y.
  void add_by_parameters(const BatchCall& call, const In& in, const Pack* y, Numbers& n,
                         WorkspaceData<Pack>& w);

  WorkspaceImpl& single_;
  const PackKernels<N, W>& dynamics_;
  const PackDerivativeKernels<N, W>& kernels_;
  PackStepCheck<N, W>& step_check_;
  PackDerivativeMemory<N, W> memory_;
  PackedDerivatives<Pack>& data_ = memory_.data;
  PackedRowDerivatives<Pack>& rows_ = memory_.rows;
  PackedLoops<Pack>& loops_ = memory_.loops;
  const std::size_t nv_;
  bool rows_depend_ = false;
  const ConstraintData* c_ = nullptr;  // of this call; null: without rows
  bool has_loops_ = false;             // of this call: loops that turn act in what it differentiates
  Pack largest_{};                     // largest entry of their G in this call
  bool closes_ = false;                // of this call: matrices, which loops close
  bool gives_lines_ = false;           // of this call
  bool whole_ = false;
  IndependentNumbers<N, W>* independent_ = nullptr;  // of this call
  Numbers* user_ = nullptr;                          // where results of this call go
};

}  // namespace tenon
