// Constrained dynamics of packs: pv_early, and constrained_aba by the steps of solve/proximal.hpp without acceleration,
// lane by lane. Each refining evaluation takes f := f + r(f) and removes rounding errors; the caller
// (batch/pack/pack_dynamics.hpp) takes the result of a lane when its residual is small enough.
#pragma once

#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/pack/pack_rotation.hpp"
#include "kernels/pack/pack_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Articulated inertias and bias forces; pA must hold the bias forces of sweep_velocities.
template <class T>
inline bool sweep_inertias_without_rows(const ModelData& m, const Inputs<T>& in, WorkspaceData<T>& w) {
  static constexpr RowsOfStates<T> none{};
  return with_loops<T>(
      m, [&](auto loops) { return sweep_augmented_inertia<loops.value>(m, none, w.node_flags, in, w); });
}

// ABA by the sweeps of constrained_aba for no rows, which saves the code of others. With clusters of variable G
// after cluster_constraints_of_states, which computes the sines and cosines.
template <class T>
bool aba_of_states(const ModelData& m, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  sweep_velocities(m, in, m.varying_clusters > 0, w);
  if (!sweep_inertias_without_rows(m, in, w)) return false;
  sweep_accelerations(m, in, qdd, w);
  return true;
}
// The same after measure_motion (step_pack.hpp), which has swept velocities; of models without folded rotors.
template <class T>
bool aba_of_measured(const ModelData& m, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  for (int e = 0; in.wrenches && e < 6 * m.node_count; ++e) w.pA[e] = w.pA[e] - in.wrenches[e];
  if (!sweep_inertias_without_rows(m, in, w)) return false;
  sweep_accelerations(m, in, qdd, w);
  return true;
}

template <class T>
inline void evaluate_rows(const ModelData& m, const RowsOfStates<T>& rows, const Inputs<T>& in,
                          WorkspaceData<T>& w) {
  sweep_velocities(m, in, false, w);
  evaluate_constraint_rows(m, rows, w);
  leave_rows_out<true>(rows, w);
}

template <class T>
void evaluate_rows_of_states(const ModelData& m, const ConstraintData& c, const RowSettingsOf<T>& settings,
                             const Inputs<T>& in, WorkspaceData<T>& w) {
  evaluate_rows(m, RowsOfStates<T>{c, settings}, in, w);
}

template <class T>
bool pv_early_of_states(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                        PackedRows<T>& p, PvEarlyData<T>& d, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows{c, p.settings};
  evaluate_rows(m, rows, in, w);
  if constexpr (refines_early<T>) {
    enter_rows(rows, d, w);
    w.early = &d;
    const bool positive = augmented_inertia(m, rows, in, w);
    if (positive) support_accelerations(m, rows, in, qdd, w);
    w.early = nullptr;
    if (!positive) return false;
    solve_world_rows(rows, w.row_lambda, d, w);
    refine_early(m, rows, in, w.row_lambda, qdd, d, w);
    constrained_aba_finish(m, rows, in, qdd, w);
  } else {
    const bool positive = with_loops<T>(m, [&](auto loops) {
      if (!reduce_early<loops.value>(m, rows, in, d, w)) return false;
      roll_out_early<loops.value>(m, rows, in, w.row_lambda, qdd, d, w);
      return true;
    });
    if (!positive) return false;
  }
  p.primal = size_of_rows(row_units(c, w), c, p.absolute,
                          [&](int r) { return row_residual(rows, r, w.row_lambda, w); });
  return true;
}

// From zero multipliers.
template <class T>
bool constrained_start(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                       PackedRows<T>& p, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows{c, p.settings};
  evaluate_rows(m, rows, in, w);
  for (int r = 0; r < c.row_count; ++r) {
    p.inv_mu[r] = proximal_term_beside(rows.compliance[r], T(c.scale[r] * (1 / p.mu)));
    p.f[r] = T(0);
  }
  return constrained_aba_start(m, rows, in, qdd, p, w);
}

template <class T>
void constrained_refine(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                        PackedRows<T>& p, WorkspaceData<T>& w) {
  for (int r = 0; r < c.row_count; ++r) p.f[r] = p.f[r] + p.step[r];
  constrained_aba_iterate(m, RowsOfStates<T>{c, p.settings}, true, in, qdd, p, w);
}

// The nodes that support no rows, which settings do not change.
template <class T>
void finish_others(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                   WorkspaceData<T>& w) {
  constrained_aba_finish(m, RowsOfStates<T>{c, {}}, in, qdd, w);
}

TENON_ISA_END
}  // namespace tenon
