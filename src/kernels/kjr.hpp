// The three sweeps of Kreutz-Delgado, Jain and Rodriguez (Recursive formulation of operational-space control,
// 1992; [OSIMR] Table I): articulated inertias in; out, the inverse inertia that every supporting link shows
// to a force,
//
//   Omega_i = P_i^T Omega_p P_i + S D^-1 S^T,
//
// and in again, for each pair of rows, both to the closest common ancestor k: L_ij = K_i,k Omega_k K_j,k^T.
// Nothing of a way is kept for another pair, which makes it O(n + m^2 d).
#pragma once

#include "kernels/articulated_inertia.hpp"
#include "kernels/delassus_data.hpp"

namespace tenon {
TENON_ISA_BEGIN

// K of node i past its joint, in the frame of its parent.
template <class T>
TENON_INLINE Force<Lanes<T>> rows_at_parent(const ModelData& m, int i, const Force<Lanes<T>>& K,
                                            const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  Force<Lanes<T>> above = K;
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T> past(n, w);
    Lanes<T> x[J::nv];
    past.project(K, x);
    above = force_to_parent(spread(J::load(n, i, w)), past.pass(K, x));
  });
  return above;
}

// Omega K^T for rows in lanes: the motion that each makes.
template <class T>
TENON_INLINE Motion<Lanes<T>> inverse_inertia_times(const T* Omega, const Force<Lanes<T>>& K) {
  const Lanes<T> f[6] = {K.n.x, K.n.y, K.n.z, K.f.x, K.f.y, K.f.z};
  Lanes<T> a[6];
  for (int e = 0; e < 6; ++e) {
    a[e] = f[0] * Lanes<T>(Omega[e]);
    for (int g = 1; g < 6; ++g) a[e] = a[e] + f[g] * Lanes<T>(Omega[8 * g + e]);
  }
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

template <class T>
inline void sweep_inverse_inertias(const ModelData& m, const ConstraintData& c, KjrData<T>& d,
                                   const WorkspaceData<T>& w) {
  const Lanes<T> o(T(0));
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    T* Omega = d.Omega + 48 * i;
    for (int pack = 0; pack < 2; ++pack) {
      const Force<Lanes<T>> unit = unit_rows<T>(pack);
      Motion<Lanes<T>> a = {{o, o, o}, {o, o, o}};
      if (n.parent >= 0) a = inverse_inertia_times(d.Omega + 48 * n.parent, rows_at_parent(m, i, unit, w));
      with_joint(n.kind, [&](auto joint) {
        using J = decltype(joint);
        if (n.parent >= 0) a = motion_to_child(spread(J::load(n, i, w)), a);
        a = RowJoint<J, T>(n, w).respond(unit, a);
      });
      store_motions(Omega + 4 * pack, 8, a);
    }
  }
}

// Elements of pack x with pack y, which meet at node k; response: motion of k for each row of x.
template <class T>
inline void pair_packs(const ModelData& m, const ConstraintData& c, const KjrPack& x, const KjrPack& y, int k,
                       const Motion<Lanes<T>>& response, WorkspaceData<T>& w) {
  Force<Lanes<T>> K = gather_rows(y.row_begin, y.row_end - y.row_begin, w);
  for (int i = y.node; i != k; i = m.nodes[i].parent) K = rows_at_parent(m, i, K, w);
  T a[6][4];
  store_motions(a[0], 4, response);
  const int stride = whole_packs(c.row_count);
  for (int j = 0; j < x.row_end - x.row_begin; ++j) {
    const Lanes<T> element = K.n.x * Lanes<T>(a[0][j]) + K.n.y * Lanes<T>(a[1][j]) +
                             K.n.z * Lanes<T>(a[2][j]) + K.f.x * Lanes<T>(a[3][j]) +
                             K.f.y * Lanes<T>(a[4][j]) + K.f.z * Lanes<T>(a[5][j]);
    T lanes[4];
    element.store(lanes);
    T* column = w.delassus + (x.row_begin + j) * stride;
    for (int i = 0; i < y.row_end - y.row_begin; ++i) column[y.row_begin + i] = lanes[i];
  }
}

// False when the mass matrix is not positive definite.
template <class T>
bool kjr(const ModelData& m, const ConstraintData& c, const T* q, KjrData<T>& d, WorkspaceData<T>& w) {
  if (!sweep_inertias(m, q, w)) return false;
  place_rows(m, c, w);
  sweep_inverse_inertias(m, c, d, w);
  const int stride = whole_packs(c.row_count);
  for (int e = 0; e < stride * stride; ++e) w.delassus[e] = T(0);
  for (int index = 0; index < d.pack_count; ++index) {
    const KjrPack& x = d.packs[index];
    Force<Lanes<T>> K = gather_rows(x.row_begin, x.row_end - x.row_begin, w);
    // Rows from `first` on have not been met on the way to node k.
    int first = x.row_begin;
    for (int k = x.node; k >= 0; k = m.nodes[k].parent) {
      const int end = c.subtree_row_end[k];
      if (first < end) {
        const Motion<Lanes<T>> response = inverse_inertia_times(d.Omega + 48 * k, K);
        for (int other = d.pack_of_row[first]; other < d.pack_of_row[end]; ++other)
          pair_packs(m, c, x, d.packs[other], k, response, w);
        first = end;
      }
      if (m.nodes[k].parent >= 0) K = rows_at_parent(m, k, K, w);
    }
  }
  return true;
}

TENON_ISA_END
}  // namespace tenon
