// The three sweeps of Kreutz-Delgado, Jain and Rodriguez (Recursive formulation of operational-space control,
// 1992; [OSIMR] Table I). Inward: articulated inertias. Outward: the inverse inertia of every supporting
// link,
//
//   Omega_i = P_i^T Omega_p P_i + S D^-1 S^T.
//
// Inward again, for each pair of rows, both to the closest common ancestor k: L_ij = K_i,k Omega_k K_j,k^T.
// Each pair propagates its rows anew, which makes it O(n + m^2 d). Rows that meet in a cluster are coupled by
// its independent coordinates and by its parent (kernels/cluster/cluster_rows.hpp).
#pragma once

#include "kernels/delassus/delassus_data.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "kernels/tree/packed_6x8.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Propagates K of node i across its joint to the frame of its parent; across the cluster for a body of one,
// x_cluster := K S G L^-T.
template <class T>
TENON_INLINE Force<Lanes<T>> rows_at_parent(const ModelData& m, int i, const Force<Lanes<T>>& K, T* x_cluster,
                                            const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  Force<Lanes<T>> above = K;
  if (const ClusterData* c = cluster_of(m, i)) {
    carry_past_cluster(m, *c, i, above, x_cluster, 4, w);
    return above;
  }
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T> past(n, w);
    Lanes<T> x[J::nv];
    past.project(K, x);
    above = force_to_parent(spread(J::load(n, i, w)), past.pass(K, x));
  });
  return above;
}

// Omega K^T for rows in lanes: the motion under the force of each.
template <class T>
TENON_INLINE Motion<Lanes<T>> inverse_inertia_times(const T* Omega, const Force<Lanes<T>>& K) {
  const Lanes<T> f[6] = {K.n.x, K.n.y, K.n.z, K.f.x, K.f.y, K.f.z};
  Lanes<T> a[6];
  times_matrix(f, Omega, a);
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

// The parent of node i, or of its cluster.
TENON_INLINE int parent_of_unit(const ModelData& m, int i) {
  const ClusterData* c = cluster_of(m, i);
  return c ? c->parent : m.nodes[i].parent;
}

// Motion of body i for each unit force on it.
template <class T>
TENON_INLINE Motion<Lanes<T>> unit_response(const ModelData& m, int i, const Force<Lanes<T>>& unit,
                                            KjrData<T>& d, const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  const ClusterData* c = cluster_of(m, i);
  const int parent = parent_of_unit(m, i);
  Motion<Lanes<T>> a{};
  if (parent >= 0 || c) {
    const Force<Lanes<T>> above = rows_at_parent(m, i, unit, d.x, w);
    if (parent >= 0) a = inverse_inertia_times(d.Omega + 48 * parent, above);
  }
  if (c) {
    solve_cluster_rows(*c, a, d.x, 4, w);
    return cluster_body_motion(m, *c, i, a, d.x, 4, w);
  }
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    if (parent >= 0) a = motion_to_child(spread(J::load(n, i, w)), a);
    a = RowJoint<J, T>(n, w).respond(unit, a);
  });
  return a;
}

template <class T>
inline void sweep_inverse_inertias(const ModelData& m, const ConstraintData& c, KjrData<T>& d,
                                   const WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s)
    for (int pack = 0; pack < 2; ++pack)
      store_motions(d.Omega + 48 * c.support[s] + 4 * pack, 8,
                    unit_response(m, c.support[s], unit_rows<T>(pack), d, w));
}

// Elements of packs x and y, which meet at node k or in its cluster. response: motion of k, or of the parent
// of the cluster, for each row of x; d.x: K S G L^-T of x in the cluster.
template <class T>
inline void pair_packs(const ModelData& m, const ConstraintData& c, const KjrPack& x, const KjrPack& y, int k,
                       const Motion<Lanes<T>>& response, KjrData<T>& d, WorkspaceData<T>& w) {
  const ClusterData* cluster = cluster_of(m, k);
  Force<Lanes<T>> K = gather_rows(y.row_begin, y.row_end - y.row_begin, w);
  int i = y.node;
  while (i != k && (!cluster || cluster_of(m, i) != cluster)) {
    K = rows_at_parent(m, i, K, d.y, w);
    i = parent_of_unit(m, i);
  }
  if (cluster) K = rows_at_parent(m, i, K, d.y, w);
  T a[6][4];
  store_motions(a[0], 4, response);
  const int stride = whole_packs(c.row_count);
  for (int j = 0; j < x.row_end - x.row_begin; ++j) {
    Lanes<T> element = K.n.x * Lanes<T>(a[0][j]) + K.n.y * Lanes<T>(a[1][j]) + K.n.z * Lanes<T>(a[2][j]) +
                       K.f.x * Lanes<T>(a[3][j]) + K.f.y * Lanes<T>(a[4][j]) + K.f.z * Lanes<T>(a[5][j]);
    for (int e = 0; cluster && e < cluster->y_count; ++e) {
      const T d_inv = w.cluster_D[cluster->G_begin + e * cluster->y_count + e];
      element = element + Lanes<T>::load(d.y + 4 * e) * Lanes<T>(d_inv * d.x[4 * e + j]);
    }
    T lanes[4];
    element.store(lanes);
    T* column = w.delassus + (x.row_begin + j) * stride;
    for (int r = 0; r < y.row_end - y.row_begin; ++r) column[y.row_begin + r] = lanes[r];
  }
}

// The end of the rows in the subtree of node i; of a body of a cluster: in the subtree of the cluster.
TENON_INLINE int end_of_unit_rows(const ModelData& m, const ConstraintData& c, int i) {
  const ClusterData* cluster = cluster_of(m, i);
  if (!cluster) return c.subtree_row_end[i];
  int end = 0;
  for (int k = cluster->node_begin; k < cluster->node_begin + cluster->node_count; ++k)
    end = c.subtree_row_end[k] > end ? c.subtree_row_end[k] : end;
  return end;
}

// Columns of pack x: all rows from x on that meet it on its path to the root.
template <class T>
inline void pair_with_later(const ModelData& m, const ConstraintData& c, const KjrPack& x, KjrData<T>& d,
                            WorkspaceData<T>& w) {
  Force<Lanes<T>> K = gather_rows(x.row_begin, x.row_end - x.row_begin, w);
  // Rows from `first` on have not yet been paired on the path to node k.
  int first = x.row_begin;
  for (int k = x.node; k >= 0; k = parent_of_unit(m, k)) {
    const bool in_cluster = cluster_of(m, k) != nullptr;
    const int end = end_of_unit_rows(m, c, k), parent = parent_of_unit(m, k);
    Force<Lanes<T>> above = K;
    if (parent >= 0 || in_cluster) above = rows_at_parent(m, k, K, d.x, w);
    if (first < end) {
      Motion<Lanes<T>> response{};
      if (!in_cluster)
        response = inverse_inertia_times(d.Omega + 48 * k, K);
      else if (parent >= 0)
        response = inverse_inertia_times(d.Omega + 48 * parent, above);
      for (int other = d.pack_of_row[first]; other < d.pack_of_row[end]; ++other)
        pair_packs(m, c, x, d.packs[other], k, response, d, w);
      first = end;
    }
    K = above;
  }
}

// After sweep_inertias.
template <class T>
void kjr(const ModelData& m, const ConstraintData& c, KjrData<T>& d, WorkspaceData<T>& w) {
  place_rows(m, c, w);
  sweep_inverse_inertias(m, c, d, w);
  const int stride = whole_packs(c.row_count);
  for (int e = 0; e < stride * stride; ++e) w.delassus[e] = T(0);
  for (int index = 0; index < d.pack_count; ++index) pair_with_later(m, c, d.packs[index], d, w);
}

TENON_ISA_END
}  // namespace tenon
