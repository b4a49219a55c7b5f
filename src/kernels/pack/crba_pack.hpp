// The mass matrix of packs by the composite-rigid-body algorithm ([RBDA] 6.2), in the frame of the root body of
// each tree:
//
//   in:  Ic_p = Ic_p + Ic,   F_k = Ic S_k,   M_jk = S_j^T F_k for k and the coordinates j inward of it.
//
// kernels/tree/crba.hpp, for one state, has coordinates in lanes; here lanes are states. Cost: O(n d).
#pragma once

#include "kernels/tree/articulated_body.hpp"
#include "spatial/tree_factor.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Poses of bodies in the frame of their root, in R0 and p0; S of all coordinates, user sign, in U; inertias of
// the bodies in IA, ten numbers each.
template <class T>
inline void place_in_root_frame(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  using Placement = Transform<Rot3<T>, T>;
  const T o(0), e(1);
  const Mat3<T> unit{e, o, o, o, e, o, o, o, e};
  joint_angles(m, q, w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      Placement X = {{unit}, {o, o, o}};
      if (n.parent >= 0)
        X = compose(Placement{{load_mat3<T>(w.R0 + 9 * n.parent)}, load_vec3<T>(w.p0 + 3 * n.parent)},
                    J::load(n, i, w));
      store(w.R0 + 9 * i, X.R.R);
      store(w.p0 + 3 * i, X.p);
      store(w.IA + 21 * i, inertia_to_parent(X, load_rigid(m, i, w)));
      for_each_column<J, T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        store(w.U + 6 * k, outer_motion(S, X, T(m.v_sign[k])));
      });
    });
  }
}

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
