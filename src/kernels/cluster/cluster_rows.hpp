// Propagation of constraint rows and motions across a cluster (cluster.hpp): what the methods for the
// Delassus matrix do at a joint, for a cluster. With K' the row at the cluster's parent as if all joints
// of the cluster were locked, W = K S G and D = L diag L^T ([LOOPS1] VIII),
//
//   x = W L^-T,   K P^T = K' - x diag^-1 (L^-1 U^T),   yddot = L^-T diag^-1 (x - L^-1 U^T a),
//
// the last for the force of the row and acceleration a of the parent. x diag^-1 x^T is the cluster's part of
// the Delassus matrix, for rows on the same and on different bodies. O(y_count (bodies on the path + 6)).
//
// V: the numbers of rows, Lanes<T> for four of them side by side, or T for one.
#pragma once

#include "kernels/cluster/cluster.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Moves K from body i to the frame of the cluster's parent with all joints locked; W (y_count packs, `stride`
// apart) := K S G. visit(joint, node, i, K) is called at each body with K before its joint.
template <class T, class V, class Visit>
TENON_INLINE void carry_locked(const ModelData& m, const ClusterData& c, int i, Force<V>& K, T* W, int stride,
                               const WorkspaceData<T>& w, Visit&& visit) {
  for (int y = 0; y < c.y_count; ++y) store_number(V(T(0)), W + y * stride);
  for (; i != c.parent; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      for (int y = 0; y < c.y_count; ++y) {
        T G[J::nv];
        load_G<J>(c, n, y, w, G);
        V sum = load_number<V>(W + y * stride);
        for_each_column<J, T>(n, [&](auto r, auto S) { sum = sum + V(G[r.value]) * dot(S, K); });
        store_number(sum, W + y * stride);
      }
      visit(joint, n, i, K);
      K = force_to_parent(spread_to<V>(J::load(n, i, w)), K);
    });
  }
}

// Row y of L^-1 U^T.
template <class V, class T>
TENON_INLINE Force<V> cluster_U(const ClusterData& c, int y, const WorkspaceData<T>& w) {
  return spread_to<V>(load_force<T>(w.U + 6 * (c.v_begin + y)));
}

// Replaces W by x = W L^-T, and K by K P^T.
template <class T, class V>
TENON_INLINE void pass_cluster(const ClusterData& c, Force<V>& K, T* x, int stride,
                               const WorkspaceData<T>& w) {
  for (int y = 0; y < c.y_count; ++y) {
    const T* row = w.cluster_D + c.G_begin + y * c.y_count;
    V sum = load_number<V>(x + y * stride);
    for (int z = 0; z < y; ++z) sum = sum - V(row[z]) * load_number<V>(x + z * stride);
    store_number(sum, x + y * stride);
    K = K - scaled(V(row[y]) * sum, cluster_U<V>(c, y, w));
  }
}

// carry_locked, then pass_cluster.
template <class T, class V>
TENON_INLINE void carry_past_cluster(const ModelData& m, const ClusterData& c, int i, Force<V>& K, T* x,
                                     int stride, const WorkspaceData<T>& w) {
  carry_locked(m, c, i, K, x, stride, w, [](auto, const NodeData&, int, const Force<V>&) {});
  pass_cluster(c, K, x, stride, w);
}

// x := yddot of the forces that x stands for, where the parent of the cluster accelerates by a.
template <class T>
TENON_INLINE void solve_cluster_rows(const ClusterData& c, const Motion<Lanes<T>>& a, T* x, int stride,
                                     const WorkspaceData<T>& w) {
  for (int y = c.y_count - 1; y >= 0; --y) {
    const T* D = w.cluster_D + c.G_begin;
    Lanes<T> sum = Lanes<T>(D[y * c.y_count + y]) *
                   (Lanes<T>::load(x + y * stride) - dot(a, cluster_U<Lanes<T>>(c, y, w)));
    for (int z = y + 1; z < c.y_count; ++z)
      sum = sum - Lanes<T>(D[z * c.y_count + y]) * Lanes<T>::load(x + z * stride);
    sum.store(x + y * stride);
  }
}

// Acceleration of a body of a cluster from a, that of its parent body, and yddot.
template <class J, class T>
TENON_INLINE Motion<Lanes<T>> move_cluster_joint(const ClusterData& c, const NodeData& n, int i,
                                                 const Motion<Lanes<T>>& a, const T* yddot, int stride,
                                                 const WorkspaceData<T>& w) {
  Motion<Lanes<T>> moved = motion_to_child(spread(J::load(n, i, w)), a);
  for (int y = 0; y < c.y_count; ++y) {
    T G[J::nv];
    load_G<J>(c, n, y, w, G);
    const Lanes<T> rate = Lanes<T>::load(yddot + y * stride);
    for_each_column<J, T>(n, [&](auto r, auto S) { add(moved, S, Lanes<T>(G[r.value]) * rate); });
  }
  return moved;
}

// Acceleration of body i of a cluster from a, that of the cluster's parent.
template <class T>
inline Motion<Lanes<T>> cluster_body_motion(const ModelData& m, const ClusterData& c, int i,
                                            const Motion<Lanes<T>>& a, const T* yddot, int stride,
                                            const WorkspaceData<T>& w) {
  if (i == c.parent) return a;
  const NodeData& n = m.nodes[i];
  const Motion<Lanes<T>> above = cluster_body_motion(m, c, n.parent, a, yddot, stride, w);
  Motion<Lanes<T>> moved = above;
  with_joint(
      n, [&](auto joint) { moved = move_cluster_joint<decltype(joint)>(c, n, i, above, yddot, stride, w); });
  return moved;
}

TENON_ISA_END
}  // namespace tenon
