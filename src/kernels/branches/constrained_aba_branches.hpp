// The sweeps of constrained_aba (kernels/constrained/constrained_aba.hpp) on branch lanes. Rows on limbs are
// rows of their bundle: one row there is a row of each limb.
#pragma once

#include "kernels/branches/aba_branches.hpp"
#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/pack/pack_rotation.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
TENON_INLINE Branches<P>& branches_of(WorkspaceData<double>& whole) {
  return *static_cast<Branches<P>*>(whole.branches);
}

// Numbers of rows between the set (whole) and a part.
template <class N>
TENON_INLINE void gather_rows(const TreePart<N>& part, const double* whole, N* out) {
  constexpr int W = lanes_in<N>;
  for (int r = 0; r < part.rows.row_count; ++r)
    for (int l = 0; l < W; ++l) {
      const std::int32_t row = part.row_of[W * r + l];
      set_lane(out[r], l, row < 0 ? 0 : whole[row]);
    }
}
template <class N>
TENON_INLINE void scatter_rows(const TreePart<N>& part, const N* x, double* whole) {
  constexpr int W = lanes_in<N>;
  for (int r = 0; r < part.rows.row_count; ++r)
    for (int l = 0; l < W; ++l) {
      const std::int32_t row = part.row_of[W * r + l];
      if (row >= 0) whole[row] = lane_of(x[r], l);
    }
}

template <class P>
inline void evaluate_limb_rows(Bundle<P>& limbs, const double* desired, double* k) {
  const ConstraintDataOf<P>& c = limbs.rows;
  WorkspaceData<P>& w = limbs.w;
  read_parents(limbs, &LimbParent::gs, w.gs, 3);
  if (c.poses != ConstraintPoses::none) {
    read_parents(limbs, &LimbParent::Rs, w.Rs, 9);
    read_parents(limbs, &LimbParent::ps, w.ps, 3);
  }
  sweep_support_poses(limbs.model, c, w);
  gather_rows(limbs, desired, w.desired);
  for (int index = 0; index < c.item_count; ++index) evaluate_item(c, index, w);
  leave_rows_out<true>(c, w);
  scatter_rows(limbs, w.k, k);
}

template <class P>
void constraint_state_of_branches(const ModelData&, const ConstraintData&, const Inputs<double>& in,
                                  WorkspaceData<double>& rows) {
  Branches<P>& b = branches_of<P>(rows);
  sweep_branch_velocities(b, in);
  gather_rows(b.trunk, rows.desired, b.trunk.w.desired);
  b.kernels->evaluate_constraint_rows(b.trunk.model, b.trunk.rows, b.trunk.w);
  scatter_rows(b.trunk, b.trunk.w.k, rows.k);
  for (int k = 0; k < b.bundle_count; ++k)
    if (b.bundles[k].rows.support_count > 0) evaluate_limb_rows(b.bundles[k], rows.desired, rows.k);
}

template <class P>
void row_velocities_of_branches(Branches<P>& b, double* velocity) {
  for_all_parts(b, [&](const auto& part) { scatter_rows(part, part.w.row_velocity, velocity); });
}

// The largest of the trunk and of all bundles that support rows.
template <class P>
inline double motion_error_of(const Branches<P>& b) {
  double worst = b.trunk.w.motion_error;
  for (int k = 0; k < b.bundle_count; ++k) {
    if (b.bundles[k].rows.support_count == 0) continue;
    const P& lanes = b.bundles[k].w.motion_error;
    for (int l = 0; l < P::width; ++l) worst = larger(worst, lanes.x[l]);
  }
  return worst;
}
// Ka and the multipliers of all rows, to the set.
template <class P>
inline void scatter_row_results(Branches<P>& b, WorkspaceData<double>& rows) {
  for_all_parts(b, [&](const auto& part) {
    scatter_rows(part, part.w.Ka, rows.Ka);
    scatter_rows(part, part.w.row_lambda, rows.row_lambda);
  });
}

// What limbs add to their parents starts at zero in lanes that have no such limb: to IB, and to pS as to IA
// (clear_collecting).
template <class P>
inline void clear_bases(Bundle<P>& limbs) {
  const ConstraintDataOf<P>& c = limbs.rows;
  for (int j = 0; c.support_count > 0 && j < limbs.collecting_count; ++j)
    store(limbs.w.pS + 6 * limbs.collecting[j], Force<P>{});
  for (int s = 0; s < c.support_count; ++s)
    if (limbs.w.support_flags[c.support[s]] & node_has_base)
      store(limbs.w.IB + 21 * c.support[s], ArticulatedInertia<P>{});
}

// The inward sweep of a bundle; sweep(limbs, inputs, loops) if it supports rows.
template <class P, class Sweep>
inline bool eliminate_limbs(Bundle<P>& limbs, const Inputs<P>& in, const Sweep& sweep) {
  WorkspaceData<P>& w = limbs.w;
  const bool supports = limbs.rows.support_count > 0;
  bool positive;
  if (supports) {
    positive = with_loops<P>(limbs.model, [&](auto loops) { return sweep(limbs, in, loops); });
    store(w.pS, load_force<P>(w.pS) + load_force<P>(w.pA));
    add_wobble_of_parents(limbs);
  } else {
    positive = eliminate_free_limbs(limbs, in);
  }
  for (int j = 0; j < limbs.sibling_count; ++j) {
    const Siblings<P::width>& siblings = limbs.siblings[j];
    const bool stores = siblings.stores_with_rows != 0;
    give(siblings, w.IA, 21, stores, siblings.to_base ? siblings.parent.IB : siblings.parent.IA);
    if (supports)
      give(siblings, w.pS, 6, stores, siblings.parent.pS);
    else
      give(siblings, w.pA, 6, false, siblings.parent.pA);
  }
  return positive;
}
template <class P, class Sweep>
inline bool eliminate_all_limbs(Branches<P>& b, const Inputs<double>& in, const Sweep& sweep) {
  bool positive = true;
  for (int k = 0; k < b.bundle_count; ++k) {
    gather(b.bundles[k], in.tau, b.bundles[k].v_of, b.bundles[k].tau);
    clear_bases(b.bundles[k]);
  }
  for (int k = b.bundle_count - 1; k >= 0; --k)
    positive = eliminate_limbs(b.bundles[k], inputs_of(b.bundles[k], in), sweep) && positive;
  return positive;
}

template <class P>
inline bool start_branch_sweeps(Branches<P>& b, const Inputs<double>& in, double* qdd,
                                WorkspaceData<double>& rows) {
  for_all_parts(b, [&](auto& part) {
    gather_rows(part, rows.mu_row, part.w.mu_row);
    gather_rows(part, rows.row_force, part.w.row_force);
  });
  bool positive =
      eliminate_all_limbs(b, in, [](Bundle<P>& limbs, const Inputs<P>& own, auto loops) TENON_INLINE_LAMBDA {
        return sweep_augmented_inertia<loops.value>(limbs.model, limbs.rows, limbs.w.support_flags, own,
                                                    limbs.w);
      });
  positive = b.kernels->augmented_inertia(b.trunk.model, b.trunk.rows, in, b.trunk.w) && positive;
  if (!positive) return false;
  b.kernels->support_accelerations(b.trunk.model, b.trunk.rows, in, qdd, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.support_count == 0) continue;
    read_parents(limbs, &LimbParent::a, limbs.w.a);
    with_loops<P>(limbs.model, [&](auto loops) {
      roll_out_supports<loops.value>(limbs.model, limbs.rows, inputs_of(limbs, in), limbs.qdd, limbs.w);
    });
  }
  scatter_row_results(b, rows);
  return true;
}

template <class P>
bool constrained_aba_start_of_branches(const ModelData&, const ConstraintData& c, const Inputs<double>& in,
                                       double* qdd, ProximalPoint<double>& x, WorkspaceData<double>& rows) {
  return evaluate_by_sweep<true>(
      c, x, rows, [&](const double*) { return start_branch_sweeps(branches_of<P>(rows), in, qdd, rows); });
}

// What rotors on the parents of supporting limbs add to the residuals of the parents: their bias forces and
// inertias are not among the parents' own.
template <class P>
inline void start_residual_of_parents(Bundle<P>& limbs) {
  WorkspaceData<P>& w = limbs.w;
  store(w.f, load_force<P>(w.pA));
  if (limbs.model.rotor_count == 0) return;
  read_parents(limbs, &LimbParent::a, w.a);
  if (limbs.model.wobbling_rotors > 0)
    store(w.f, load_vec3<P>(w.f) + load_sym3<P>(w.wobble) * load_vec3<P>(w.a));
}

template <bool refine, class P>
inline void sweep_branch_changes(Branches<P>& b, const double* delta, const Inputs<double>& in, double* qdd,
                                 WorkspaceData<double>& rows) {
  for_all_parts(b, [&](auto& part) {
    gather_rows(part, delta, part.w.row_step);
    clear_changes<refine>(part.rows, part.w);
  });
  for (int k = 0; k < b.bundle_count; ++k) store(b.bundles[k].w.delta_pA, Force<P>{});
  for (int k = b.bundle_count - 1; k >= 0; --k) {
    Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.support_count == 0) continue;
    if (refine) start_residual_of_parents(limbs);
    with_loops<P>(limbs.model, [&](auto loops) {
      sweep_force_changes<refine, loops.value>(limbs.model, limbs.rows, limbs.w.row_step,
                                               inputs_of(limbs, in), limbs.qdd, limbs.w);
    });
    give_force(limbs, limbs.w.delta_pA, &LimbParent::delta_pA);
    if (refine) give_force(limbs, limbs.w.f, &LimbParent::f);
  }
  b.kernels->force_changes(b.trunk.model, b.trunk.rows, b.trunk.w.row_step, refine, in, qdd, b.trunk.w);
  if (refine) rows.motion_error = motion_error_of(b);
  b.kernels->motion_changes(b.trunk.model, b.trunk.rows, b.trunk.w.row_step, qdd, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.support_count == 0) continue;
    read_parents(limbs, &LimbParent::delta_a, limbs.w.delta_a);
    with_loops<P>(limbs.model, [&](auto loops) {
      sweep_motion_changes<loops.value>(limbs.model, limbs.rows, limbs.w.row_step, limbs.qdd, limbs.w);
    });
  }
  scatter_row_results(b, rows);
}
template <class P>
void constrained_aba_iterate_of_branches(const ModelData&, const ConstraintData& c, bool refine,
                                         const Inputs<double>& in, double* qdd, ProximalPoint<double>& x,
                                         WorkspaceData<double>& rows) {
  Branches<P>& b = branches_of<P>(rows);
  evaluate_by_sweep<false>(c, x, rows, [&](const double* delta) {
    if (refine)
      sweep_branch_changes<true>(b, delta, in, qdd, rows);
    else
      sweep_branch_changes<false>(b, delta, in, qdd, rows);
    return true;
  });
}

template <class P>
void constrained_aba_finish_of_branches(const ModelData&, const ConstraintData&, const Inputs<double>& in,
                                        double* qdd, WorkspaceData<double>& rows) {
  Branches<P>& b = branches_of<P>(rows);
  b.kernels->constrained_aba_finish(b.trunk.model, b.trunk.rows, in, qdd, b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.support_count == 0) read_parents(limbs, &LimbParent::a, limbs.w.a);
    with_loops<P>(limbs.model, [&](auto loops) {
      roll_out_others<loops.value>(limbs.model, limbs.rows, inputs_of(limbs, in), limbs.qdd, limbs.w);
    });
    scatter(limbs, limbs.qdd, qdd);
  }
}

TENON_ISA_END
}  // namespace tenon
