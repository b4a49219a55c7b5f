// LTL-OSIM ([OSIMR] II-A) at a configuration: mass matrix by CRBA and its sparse factor, the constraint rows
// as J^T, then ltl_osim.hpp. O(n d^2 + m^2 d + m d^2).
#pragma once

#include "kernels/delassus/ltl_osim.hpp"
#include "kernels/tree/articulated_inertia.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Constraint rows in the root frame; needs the poses of bodies there (crba_rows).
template <class T>
inline void place_world_rows(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  place_rows(m, c, w);
  const int stride = whole_packs(c.row_count);
  for (int e = 0; e < 6 * stride; ++e) w.Kw[e] = T(0);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    const Transform<Rot3<T>, T> X = root_pose(w, item.node);
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r)
      store_world_row(force_to_parent(X, load_force<T>(w.K + 6 * r)), r, stride, w);
  }
}

// False when the mass matrix is not positive definite.
template <class T>
bool ltl_osim(const ModelData& m, const ConstraintData& c, const T* q, WorkspaceData<T>& w) {
  crba_rows(m, q, w.H_L, w);
  if (!ltl_factor(m, w.H_L, w.H_inv_d, w)) return false;
  place_world_rows(m, c, w);
  transposed_jacobian(m, c, w.ZT, w);
  ltl_osim_rows(m, c, w.H_L, w.H_inv_d, w.H_root_d, w.ZT, w);
  ltl_osim_gram(m, c, w.ZT, w.delassus);
  return true;
}

TENON_ISA_END
}  // namespace tenon
