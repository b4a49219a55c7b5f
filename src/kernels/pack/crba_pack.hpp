// The mass matrix of packs by the composite-rigid-body algorithm ([RBDA] 6.2), in the frame of the root body of
// each tree:
//
//   in:  Ic_p = Ic_p + Ic,   F_k = Ic S_k,   M_jk = S_j^T F_k for k and the coordinates j inward of it.
//
// kernels/tree/crba.hpp, for one state, has coordinates in lanes; here lanes are states. Cost: O(n d).
#pragma once

#include "kernels/tree/root_frame_sweeps.hpp"
#include "spatial/tree_factor.hpp"

namespace tenon {
TENON_ISA_BEGIN

// M: whole, or its lower triangle row by row, without gaps. Entries between branches are not written.
template <class T>
void crba_of_states(const ModelData& m, const T* q, bool whole, T* M, WorkspaceData<T>& w) {
  place_in_root_frame(m, q, w);
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const T* x = w.IA + 21 * i;
    const RigidInertia<T> I = load_inertia<T>(x);
    if (n.parent >= 0)
      for (int e = 0; e < 10; ++e) w.IA[21 * n.parent + e] = w.IA[21 * n.parent + e] + x[e];
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    for (int k = n.v_index; k < end; ++k) {
      const Force<T> F = I * load_motion<T>(w.U + 6 * k);
      const std::ptrdiff_t here = k;
      T* const row = M + (whole ? here * m.nv : here * (here + 1) / 2);
      for (int j = k; j >= 0; j = m.v_parent[j]) {
        const T entry = dot(load_motion<T>(w.U + 6 * j), F);
        row[j] = entry;
        if (whole) M[here + static_cast<std::ptrdiff_t>(j) * m.nv] = entry;
      }
      row[k] = row[k] + load_armature(m, k, w);
    }
  }
}

TENON_ISA_END
}  // namespace tenon
