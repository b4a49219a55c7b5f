// Constrained dynamics of packs: pv_early, and constrained_aba by the steps of solve/proximal.hpp without acceleration,
// lane by lane. Each refining evaluation takes f := f + r(f) and removes rounding errors; the caller
// (batch/pack_dynamics.hpp) takes the result of a lane when its residual is small enough.
#pragma once

#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/constrained/proximal_step.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/constrained/row_residual.hpp"
#include "kernels/pack/states_rows.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Articulated inertias and bias forces; pA must hold the bias forces of sweep_velocities.
template <class T>
inline bool sweep_inertias_without_rows(const ModelData& m, const Inputs<T>& in, WorkspaceData<T>& w) {
  static constexpr ConstraintData none{};
  return with_loops<T>(
      m, [&](auto loops) { return sweep_augmented_inertia<loops.value>(m, none, w.node_flags, in, w); });
}

// step := r(f), and the sizes of residuals and forces.
template <class T>
inline void measure_step(const ConstraintData& c, PackedRows<T>& p, const WorkspaceData<T>& w) {
  const T o(0);
  p.primal = p.force = o;
  for (int r = 0; r < c.row_count; ++r) {
    T step = proximal_step(c, r, p.f[r], w);
    p.force = larger(p.force, magnitude_of(p.f[r] + step) * T(c.root_scale[r]));
    if (p.inv_mu[r] == 0) {
      p.f[r] = p.f[r] + step;
      step = o;
    }
    p.step[r] = step;
    p.primal = larger(p.primal, size_in_unit(p.units, c, r, step * T(p.inv_mu[r]), T(p.absolute)));
  }
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

template <class T>
inline void evaluate_rows(const ModelData& m, const RowsOfStates<T>& rows, const Inputs<T>& in,
                          WorkspaceData<T>& w) {
  sweep_velocities(m, in, false, w);
  evaluate_constraint_rows(m, rows, w);
  leave_rows_out<true>(rows, w);
}

template <class T>
bool pv_early_of_states(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                        PackedRows<T>& p, PvEarlyData<T>& d, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows(c, p.settings);
  evaluate_rows(m, rows, in, w);
  const bool positive = with_loops<T>(m, [&](auto loops) {
    if constexpr (refines_early<T>) {
      enter_rows(rows, d, w);
      w.early = &d;
      const bool swept = start_sweeps<loops.value>(m, c, in, qdd, w);
      w.early = nullptr;
      if (!swept) return false;
      solve_world_rows(c, w.row_lambda, d, w);
      refine_early(m, c, in, w.row_lambda, qdd, d, w);
      roll_out_others<loops.value>(m, c, in, qdd, w);
    } else {
      if (!reduce_early<loops.value>(m, rows, in, d, w)) return false;
      roll_out_early<loops.value>(m, rows, in, w.row_lambda, qdd, d, w);
    }
    return true;
  });
  if (!positive) return false;
  p.primal = size_of_rows(row_units(c, w), c, p.absolute,
                          [&](int r) { return row_residual(c, r, w.row_lambda, w); });
  return true;
}

template <class T>
bool constrained_start(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                       PackedRows<T>& p, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows(c, p.settings);
  evaluate_rows(m, rows, in, w);
  for (int r = 0; r < c.row_count; ++r) p.f[r] = T(0);
  set_penalties(c, p.inv_mu, w);
  set_row_forces(c, p.inv_mu, p.f, p.step, w);
  if (!constrained_aba_start(m, c, in, qdd, w)) return false;
  p.units = row_units(c, w);
  measure_step(c, p, w);
  p.first_force = p.force;
  return true;
}

template <class T>
void constrained_refine(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* qdd,
                        PackedRows<T>& p, WorkspaceData<T>& w) {
  for (int r = 0; r < c.row_count; ++r) p.f[r] = p.f[r] + p.step[r];
  set_row_forces(c, p.inv_mu, p.f, p.step, w);
  with_loops<T>(m, [&](auto loops) { sweep_changes<true, loops.value>(m, c, p.step, in, qdd, w); });
  measure_step(c, p, w);
}

TENON_ISA_END
}  // namespace tenon
