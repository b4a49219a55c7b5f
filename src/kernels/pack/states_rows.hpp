// Constraint rows of W states, each of which has anchors, gains and activity of its own.
#pragma once

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
