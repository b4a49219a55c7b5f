// Constraint rows of W states, each of which has anchors, gains and activity of its own.
#pragma once

#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/pack/pack_rotation.hpp"
#include "kernels/pack/pack_table.hpp"
#include "kernels/tree/articulated_inertia.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct RowsOfStates : ConstraintData {
  RowsOfStates(const ConstraintData& c, const PackedSettings<T>& s) : ConstraintData(c), settings(s) {
    poses = s.poses;
  }
  PackedSettings<T> settings;
};

// All are computed; leave_rows_out clears those that are not active.
template <class T>
TENON_INLINE bool is_active(const RowsOfStates<T>&, int) {
  return true;
}
template <class T>
TENON_INLINE T frequency_of(const RowsOfStates<T>& c, const ConstraintItem& item) {
  return c.settings.gains[2 * (&item - c.items)];
}
template <class T>
TENON_INLINE T damping_ratio_of(const RowsOfStates<T>& c, const ConstraintItem& item) {
  return c.settings.gains[2 * (&item - c.items) + 1];
}
template <class T>
TENON_INLINE const T* anchors_of(const RowsOfStates<T>& c, const WorkspaceData<T>&) {
  return c.settings.anchors;
}

// L of a row of pv_early where its segment starts, and the number of its idle rows, which batches do not report.
template <class T>
TENON_INLINE T own_dual_hessian(const RowsOfStates<T>& c, int r) {
  if (!c.settings.some_inactive) return T(c.compliance[r]);
  int i = 0;
  while (c.items[i].row_begin + c.items[i].row_count <= r) ++i;
  const T active = c.settings.active[i];
  return active * T(c.compliance[r]) + (T(1) - active) * T(c.scale[r]);
}
template <class T>
TENON_INLINE int count_idle_rows(const RowsOfStates<T>&, const PvEarlyData<T>&) {
  return 0;
}

// K := 0 for rows that are not active; with_forces: their right-hand sides too, so that their multipliers are zero.
template <bool with_forces, class T>
inline void leave_rows_out(const RowsOfStates<T>& c, WorkspaceData<T>& w) {
  if (!c.settings.some_inactive) return;
  for (int i = 0; i < c.item_count; ++i) {
    const T active = c.settings.active[i];
    const int begin = c.items[i].row_begin, end = begin + c.items[i].row_count;
    for (int e = 6 * begin; e < 6 * end; ++e) w.K[e] = active * w.K[e];
    for (int r = begin; with_forces && r < end; ++r) w.k[r] = active * w.k[r];
  }
}

TENON_ISA_END
}  // namespace tenon
