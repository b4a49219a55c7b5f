// The sweeps of pv_early (kernels/constrained/pv_early.hpp) on branch lanes. The rows of limbs are eliminated where the
// limbs meet their parents, which then see inertias and forces as in aba.
#pragma once

#include "kernels/branches/constrained_aba_branches.hpp"
#include "kernels/constrained/pv_early.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class P>
TENON_INLINE int count_idle_rows(const Bundle<P>& limbs) {
  int count = 0;
  for (int r = 0; r < limbs.rows.row_count; ++r)
    for (int l = 0; l < P::width; ++l)
      count += limbs.row_of[P::width * r + l] >= 0 && !(lane_of(limbs.rows.active[r], l) > 0);
  return count;
}

template <class P>
bool pv_early_reduce_of_branches(const ModelData&, const ConstraintData&, const Inputs<double>& in,
                                 PvEarlyData<double>& whole, WorkspaceData<double>& rows) {
  Branches<P>& b = branches_of<P>(rows);
  bool positive = sweep_limbs_inwards<false>(
      b, in, [](Bundle<P>& limbs, const Inputs<P>& own, auto loops) TENON_INLINE_LAMBDA {
        return limbs.rows.support_count > 0
                   ? reduce_early<loops.value>(limbs.model, limbs.rows, own, limbs.early, limbs.w)
                   : sweep_articulated_inertia_of<loops.value>(limbs.model, own, limbs.w);
      });
  positive =
      b.kernels->pv_early_reduce(b.trunk.model, b.trunk.rows, in, b.trunk.early, b.trunk.w) && positive;
  whole.left_over = b.trunk.early.left_over, whole.redundant = b.trunk.early.redundant;
  for (int k = 0; k < b.bundle_count; ++k) {
    const Bundle<P>& limbs = b.bundles[k];
    if (limbs.rows.support_count == 0) continue;
    whole.left_over |= limbs.early.left_over, whole.redundant += count_idle_rows(limbs);
  }
  return positive;
}

template <class P>
void pv_early_roll_out_of_branches(const ModelData&, const ConstraintData& c, const Inputs<double>& in,
                                   double* lambda, double* qdd, PvEarlyData<double>&,
                                   WorkspaceData<double>& rows) {
  Branches<P>& b = branches_of<P>(rows);
  b.kernels->pv_early_roll_out(b.trunk.model, b.trunk.rows, in, b.trunk.w.row_lambda, qdd, b.trunk.early,
                               b.trunk.w);
  for (int k = 0; k < b.bundle_count; ++k) {
    Bundle<P>& limbs = b.bundles[k];
    read_parents(limbs, &LimbParent::a, limbs.w.a);
    with_loops<P>(limbs.model, [&](auto loops) {
      if (limbs.rows.support_count > 0)
        roll_out_early<loops.value>(limbs.model, limbs.rows, inputs_of(limbs, in), limbs.w.row_lambda,
                                    limbs.qdd, limbs.early, limbs.w);
      else
        sweep_accelerations_of<loops.value>(limbs.model, inputs_of(limbs, in), limbs.qdd, limbs.w);
    });
    scatter(limbs, limbs.qdd, qdd);
  }
  scatter_row_results(b, rows);
  for (int r = 0; r < c.row_count; ++r) lambda[r] = rows.row_lambda[r];
}

TENON_ISA_END
}  // namespace tenon
