// Extended force propagators (Wensing, Featherstone, Orin, A reduced-order recursive algorithm for the
// computation of the operational-space inertia matrix, 2012; [OSIMR] Alg. 2). Inward, the rows of every
// subtree are propagated to its link as K; outward, Y is the motion of the link under the force of each such
// row; where two rows meet, K times Y is their element of the Delassus matrix:
//
//   K_p = K_i P_i^T                                                          line 7
//   Y_i = Omega_i K_i^T = P_i^T Y_p + S D^-1 S^T K_i^T                       line 10, body frames
//   L_ij = K_i Y_j at the closest common ancestor                            line 12
//
// A cluster (kernels/cluster/cluster_rows.hpp) takes the place of a joint: its rows act on its independent
// coordinates; these and the parent's motion give the motion of each of its bodies ([LOOPS1] VIII, C-EFPA).
//
// O(n + m d + m^2).
#pragma once

#include "kernels/delassus/delassus_data.hpp"
#include "kernels/delassus/pv_osim.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The place of a node's rows at its parent (null for the world), and the distance between their components.
template <class T>
struct ParentLanes {
  T* first;
  int stride;
};
template <class T>
TENON_INLINE ParentLanes<T> parent_lanes(int index, const PvData<T>& d, const EfpaData<T>& f) {
  const int above = f.nodes[index].parent;
  if (above < 0) return {nullptr, 0};
  const PvNode& parent = d.nodes[above];
  return {f.K + f.nodes[above].K_begin + (d.nodes[index].lane_begin - parent.lane_begin),
          parent.lane_end - parent.lane_begin};
}

// Propagates K of a cluster to its parent, but not to the world. The columns of the rows for the independent
// coordinates are stored in PvData::W.
template <class T>
inline void propagate_cluster_rows(const ModelData& m, const PvNode& s, T* K, const ParentLanes<T>& above,
                                   const PvData<T>& d, const WorkspaceData<T>& w) {
  const int lanes = s.lane_end - s.lane_begin;
  place_cluster_lanes(s, d.groups, K, lanes, w);
  for (int g = s.group_begin; g < s.group_end; ++g) {
    const PvGroup& group = d.groups[g];
    for (int lane = group.lane_begin - s.lane_begin; lane < group.lane_end - s.lane_begin; lane += 4) {
      Force<Lanes<T>> row = load_rows(K + lane, lanes);
      carry_past_cluster(m, m.clusters[s.cluster], group.node, row, d.W + s.W_begin + lane, lanes, w);
      if (above.first) store_rows(above.first + lane, above.stride, row);
    }
  }
}

// Propagates K of node `index` to its parent.
template <class T>
inline void propagate_rows(const ModelData& m, int index, const PvData<T>& d, EfpaData<T>& f,
                           const WorkspaceData<T>& w) {
  const PvNode& s = d.nodes[index];
  const EfpaNode& at_node = f.nodes[index];
  const int lanes = s.lane_end - s.lane_begin;
  T* K = f.K + at_node.K_begin;
  const ParentLanes<T> above = parent_lanes(index, d, f);
  if (s.cluster >= 0) return propagate_cluster_rows(m, s, K, above, d, w);
  place_own_lanes(s, K, lanes, w);
  if (!above.first) return;
  const NodeData& n = m.nodes[s.node];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T> past(n, w);
    const auto X = spread(J::load(n, s.node, w));
    for (int lane = 0; lane < lanes; lane += 4) {
      const Force<Lanes<T>> row = load_rows(K + lane, lanes);
      Lanes<T> x[J::nv];
      past.project(row, x);
      store_rows(above.first + lane, above.stride, force_to_parent(X, past.pass(row, x)));
    }
  });
}

// Y of node `index` from its parent's.
template <class T>
inline void propagate_responses(const ModelData& m, int index, const PvData<T>& d, EfpaData<T>& f, T* Y,
                                const WorkspaceData<T>& w) {
  const PvNode& s = d.nodes[index];
  const EfpaNode& at_node = f.nodes[index];
  const int lanes = s.lane_end - s.lane_begin;
  const T* K = f.K + at_node.K_begin;
  const ParentLanes<T> above = parent_lanes(index, d, f);
  const NodeData& n = m.nodes[s.node];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T> past(n, w);
    const auto X = spread(J::load(n, s.node, w));
    for (int lane = 0; lane < lanes; lane += 4) {
      const Motion<Lanes<T>> a = above.first
                                     ? motion_to_child(X, load_motions(above.first + lane, above.stride))
                                     : Motion<Lanes<T>>{};
      store_motions(Y + lane, lanes, past.respond(load_rows(K + lane, lanes), a));
    }
  });
}

// L_ij = K_j Y_i for columns j from `begin` to `end` and the rows after `end`; own: from the diagonal on.
template <class T>
TENON_INLINE void pair_columns(const PvNode& s, const T* K, const T* Y, int begin, int end, bool own,
                               PvData<T>& d) {
  const int lanes = s.lane_end - s.lane_begin;
  for (int column = begin; column < end; ++column) {
    T* L = d.L + (s.lane_begin + column) * d.lane_count + s.lane_begin;
    for (int lane = own ? column / 4 * 4 : end; lane < lanes; lane += 4) {
      Lanes<T> sum = Lanes<T>::load(Y + lane) * Lanes<T>(K[column]);
      for (int e = 1; e < 6; ++e)
        sum = sum + Lanes<T>::load(Y + e * lanes + lane) * Lanes<T>(K[e * lanes + column]);
      sum.store(L + lane);
    }
  }
}

// Elements of rows that meet at node `index`.
template <class T>
inline void pair_lanes(int index, PvData<T>& d, const EfpaData<T>& f) {
  const PvNode& s = d.nodes[index];
  const EfpaNode& at_node = f.nodes[index];
  int column = 0;
  for (int g = at_node.group_begin; g < at_node.group_end; ++g) {
    const int end = f.group_lane_end[g] - s.lane_begin;
    pair_columns(s, f.K + at_node.K_begin, f.Y, column, end, g == at_node.group_begin && at_node.has_rows, d);
    column = end;
  }
}

// Outward step of a cluster. The response of its independent coordinates to each row; then, for each group,
// the response of the group's body to the rows from the group on, which gives the elements, and K of the
// group := Y.
template <class T>
inline void respond_in_cluster(const ModelData& m, int index, PvData<T>& d, EfpaData<T>& f,
                               const WorkspaceData<T>& w) {
  const PvNode& s = d.nodes[index];
  const EfpaNode& at_node = f.nodes[index];
  const ClusterData& c = m.clusters[s.cluster];
  const int lanes = s.lane_end - s.lane_begin;
  const ParentLanes<T> above = parent_lanes(index, d, f);
  const auto parent_motion = [&](int lane) {
    return above.first ? load_motions(above.first + lane, above.stride) : Motion<Lanes<T>>{};
  };
  T* ydd = d.W + s.W_begin;
  for (int lane = 0; lane < lanes; lane += 4)
    solve_cluster_rows(c, parent_motion(lane), ydd + lane, lanes, w);
  for (int g = s.group_begin; g < s.group_end; ++g) {
    const PvGroup& group = d.groups[g];
    const int begin = group.lane_begin - s.lane_begin, end = group.lane_end - s.lane_begin;
    T* K = f.K + at_node.K_begin;
    for (int lane = begin; lane < lanes; lane += 4)
      store_motions(f.Y + lane, lanes,
                    cluster_body_motion(m, c, group.node, parent_motion(lane), ydd + lane, lanes, w));
    pair_columns(s, K, f.Y, begin, end, group.row_end > group.row_begin, d);
    for (int e = 0; e < 6; ++e)
      for (int lane = begin; lane < end; ++lane) K[e * lanes + lane] = f.Y[e * lanes + lane];
  }
}

// After sweep_inertias.
template <class T>
void efpa(const ModelData& m, const ConstraintData& c, PvData<T>& d, EfpaData<T>& f, WorkspaceData<T>& w) {
  place_rows(m, c, w);
  clear_lower(d.lane_count, d.L);
  for (int index = 0; index < d.node_count; ++index) propagate_rows(m, index, d, f, w);
  for (int index = d.node_count - 1; index >= 0; --index) {
    const EfpaNode& at_node = f.nodes[index];
    T* K = f.K + at_node.K_begin;
    if (d.nodes[index].cluster >= 0) {
      respond_in_cluster(m, index, d, f, w);
      continue;
    }
    if (at_node.group_begin == at_node.group_end) {
      propagate_responses(m, index, d, f, K, w);
      continue;
    }
    propagate_responses(m, index, d, f, f.Y, w);
    pair_lanes(index, d, f);
    const int numbers = 6 * (d.nodes[index].lane_end - d.nodes[index].lane_begin);
    for (int e = 0; e < numbers; ++e) K[e] = f.Y[e];
  }
  delassus_of_lanes(c, d, w.delassus);
}

TENON_ISA_END
}  // namespace tenon
