// PV-OSIM ([OSIMR] Alg. 1): the rows of every subtree are propagated across each joint, and the joint's part
// is added to the Delassus matrix of the subtree:
//
//   L := L + (K S) D^-1 (K S)^T,   K := K P^T                                lines 6, 7, body frames
//
// O(n + m^2 d). The sweep of pv.hpp without right-hand sides, in its lanes and memory.
#pragma once

#include "kernels/constrained/pv.hpp"
#include "kernels/tree/articulated_inertia.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Copies the lower triangle over lanes to the Delassus matrix over rows.
template <class T>
inline void delassus_of_lanes(const ConstraintData& c, const PvData<T>& d, T* delassus) {
  const int rows = c.row_count, stride = whole_packs(rows);
  for (int j = 0; j < stride; ++j) {
    T* column = delassus + j * stride;
    const bool zero = j < d.world_rows || j >= rows;
    const T* L = zero ? nullptr : d.L + d.lane_of_row[j] * d.lane_count;
    for (int i = j; i < rows; ++i) column[i] = zero ? T(0) : L[d.lane_of_row[i]];
    for (int i = rows; i < stride; ++i) column[i] = T(0);
  }
}

// After sweep_inertias.
template <class T>
void pv_osim(const ModelData& m, const ConstraintData& c, PvData<T>& d, WorkspaceData<T>& w) {
  place_rows(m, c, w);
  const T* unread = nullptr;
  carry_all_rows<false>(m, false, unread, d, w);
  delassus_of_lanes(c, d, w.delassus);
}

TENON_ISA_END
}  // namespace tenon
