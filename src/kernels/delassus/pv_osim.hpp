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

// Lanes of a node's own rows.
template <class T>
TENON_INLINE void place_own_lanes(const PvNode& s, T* K, int stride, const WorkspaceData<T>& w) {
  for (int r = s.row_begin; r < s.row_end; r += 4, K += 4)
    store_rows(K, stride, gather_rows(r, s.row_end - r, w));
}

// Propagates the rows of one node across its joint, in place; their columns K S L^-T go to W.
template <class J, class T>
TENON_INLINE void carry_osim_rows(const NodeData& n, const PvNode& s, PvData<T>& d,
                                  const WorkspaceData<T>& w) {
  const int lanes = s.lane_end - s.lane_begin;
  const RowJoint<J, T> past(n, w);
  const auto X = spread(J::load(n, s.node, w));
  for (int r = 0; r < J::nv; ++r) d.d_inv[s.column_begin + r] = past.d_inv[r];
  for (int lane = 0; lane < lanes; lane += 4) {
    T* place = d.K + s.lane_begin + lane;
    const Force<Lanes<T>> K = load_rows(place, d.lane_count);
    Lanes<T> x[J::nv];
    past.project(K, x);
    for (int r = 0; r < J::nv; ++r) x[r].store(d.W + s.W_begin + r * lanes + lane);
    if (n.parent >= 0) store_rows(place, d.lane_count, force_to_parent(X, past.pass(K, x)));
  }
}

// Lanes of the rows on the bodies of a cluster.
template <class T>
TENON_INLINE void place_cluster_lanes(const PvNode& s, const PvGroup* groups, T* K, int stride,
                                      const WorkspaceData<T>& w) {
  for (int g = s.group_begin; g < s.group_end; ++g) {
    const PvGroup& group = groups[g];
    T* place = K + (group.lane_begin - s.lane_begin);
    for (int r = group.row_begin; r < group.row_end; r += 4, place += 4)
      store_rows(place, stride, gather_rows(r, group.row_end - r, w));
  }
}

// The same for a cluster.
template <class T>
inline void carry_osim_cluster(const ModelData& m, const PvNode& s, PvData<T>& d, const WorkspaceData<T>& w) {
  const ClusterData& c = m.clusters[s.cluster];
  const int lanes = s.lane_end - s.lane_begin;
  for (int y = 0; y < c.y_count; ++y)
    d.d_inv[s.column_begin + y] = w.cluster_D[c.G_begin + y * c.y_count + y];
  for (int g = s.group_begin; g < s.group_end; ++g) {
    for (int lane = d.groups[g].lane_begin; lane < d.groups[g].lane_end; lane += 4) {
      Force<Lanes<T>> K = load_rows(d.K + lane, d.lane_count);
      carry_past_cluster(m, c, d.groups[g].node, K, d.W + s.W_begin + (lane - s.lane_begin), lanes, w);
      store_rows(d.K + lane, d.lane_count, K);
    }
  }
}

// Adds the rows on a node, or on a cluster, and propagates all of its rows; returns the end of its columns.
template <class T>
TENON_INLINE int carry_osim_node(const ModelData& m, const PvNode& s, PvData<T>& d,
                                 const WorkspaceData<T>& w) {
  if (s.cluster >= 0) {
    place_cluster_lanes(s, d.groups, d.K + s.lane_begin, d.lane_count, w);
    carry_osim_cluster(m, s, d, w);
    return s.column_begin + m.clusters[s.cluster].y_count;
  }
  place_own_lanes(s, d.K + s.lane_begin, d.lane_count, w);
  int end_column = s.column_begin;
  with_joint(m.nodes[s.node].kind, [&](auto joint) {
    using J = decltype(joint);
    carry_osim_rows<J>(m.nodes[s.node], s, d, w);
    end_column += J::nv;
  });
  return end_column;
}

// WorkspaceData::delassus from the lower triangle in lanes.
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

template <class T>
inline void clear_lower_tiles(PvData<T>& d) {
  for (int left = 0; left < d.lane_count; ++left)
    for (int row = left / 4 * 4; row < d.lane_count; ++row) d.L[left * d.lane_count + row] = T(0);
}

// Propagates rows across all joints; PvData::L := dual Hessian. below_root: without the root joint's part,
// whose columns of K S stay in PvData::W.
template <class T>
inline void carry_all_rows(const ModelData& m, bool below_root, PvData<T>& d, const WorkspaceData<T>& w) {
  clear_lower_tiles(d);
  const T* W_of_sum = d.W;
  for (int index = 0; index < d.node_count; ++index) {
    const PvNode& s = d.nodes[index];
    const int end_column = carry_osim_node(m, s, d, w);
    if (s.sum_columns == 0) continue;
    const bool last = index + 1 == d.node_count;
    if (!below_root || !last) sum_dual_hessian(s, s.sum_columns, end_column, W_of_sum, d);
    if (!last) W_of_sum = d.W + d.nodes[index + 1].W_begin;
  }
}

// False when the mass matrix is not positive definite.
template <class T>
bool pv_osim(const ModelData& m, const ConstraintData& c, const T* q, PvData<T>& d, WorkspaceData<T>& w) {
  if (!sweep_inertias(m, q, w)) return false;
  place_rows(m, c, w);
  carry_all_rows(m, false, d, w);
  delassus_of_lanes(c, d, w.delassus);
  return true;
}

TENON_ISA_END
}  // namespace tenon
