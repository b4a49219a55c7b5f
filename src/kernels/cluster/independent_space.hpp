// Joint space of models with embedded loops: everything in independent coordinates ([LOOPS1] II-D),
//
//   H = G^T M G,   J G,   G^T (tau - c - M g),   rows J G yddot = k - J g,
//
// in the root frame (root_frame_poses.hpp). H is computed by composite bodies. With Ic S the force of a joint
// as in CRBA, coordinate y of a cluster needs the force F_y = sum of Ic_k S_k G_ky; a body of a cluster moves
// by P_iy = sum of S_k G_ky over the joints on its path to the cluster's parent. If the cluster of y hangs on
// body b, then H_yz = P_bz . F_y for coordinates z of b's cluster, and so on to the root. Within a cluster,
// with the forces f_iy of single joints,
//
//   H_yz = sum over bodies i of f_iy . P_iz + f_iz . (P_iy - s_iy),   s_iy: joint i's part of P_iy.
//
// The sweep for c (joint_space.hpp) takes g as an acceleration of the joints. O(n d); all else is as in
// methods on trees.
#pragma once

#include "kernels/cluster/cluster.hpp"
#include "kernels/cluster/independent_space_data.hpp"
#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/constrained/prox_ltls.hpp"
#include "kernels/delassus/ltl_delassus.hpp"

namespace tenon {
TENON_ISA_BEGIN

// P_iy.
template <class T>
TENON_INLINE T* body_motion(const ClusterData& c, int i, int y, const IndependentSpaceData<T>& d) {
  return d.motion + 6 * (c.G_begin + (i - c.node_begin) * c.y_count + y);
}
template <class T>
inline void place_body_motions(const ModelData& m, IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  for (int index = 0; index < m.cluster_count; ++index) {
    const ClusterData& c = m.clusters[index];
    for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
      const int above = m.nodes[i].parent;
      for (int y = 0; y < c.y_count; ++y) {
        Motion<T> P{};
        if (above >= c.node_begin) P = load_motion<T>(body_motion(c, above, y, d));
        for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
          const T G = w.G[c.G_begin + y * c.v_count + (k - c.v_begin)];
          const Motion<T> S = load_dof_motion(w.S_root + k, dof_stride(m));
          P = P + Motion<T>{G * S.w, G * S.v};
        }
        store(body_motion(c, i, y, d), P);
      }
    }
  }
}

// ---- H

// Entries of a row of H for the coordinates from node i to the root: at `place` and lower places.
template <class T>
inline void project_above(const ModelData& m, int i, const Force<T>& F, T* row, int place,
                          const IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  while (i >= 0) {
    if (const ClusterData* c = cluster_of(m, i)) {
      for (int y = c->y_count - 1; y >= 0; --y)
        row[place--] = dot(load_motion<T>(body_motion(*c, i, y, d)), F);
      i = c->parent;
      continue;
    }
    for (int k = end_of_dofs(m, i) - 1; k >= m.nodes[i].v_index; --k)
      row[place--] = dot(load_dof_motion(w.S_root + k, dof_stride(m)), F);
    i = m.nodes[i].parent;
  }
}

// A row of H, set to zero from its diagonal to the end of the pack.
template <class T>
TENON_INLINE T* open_row(int y, T* H, const IndependentSpaceData<T>& d) {
  T* row = H + d.w.row_first[y];
  for (int j = d.w.dof_depth[y]; j < whole_packs(d.w.dof_depth[y] + 1); ++j) row[j] = T(0);
  return row;
}

template <class T>
inline void place_joint_rows(const ModelData& m, int i, T* H, const IndependentSpaceData<T>& d,
                             const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), first = m.nodes[i].v_index;
  for (int k = first; k < end_of_dofs(m, i); ++k) {
    const int y = m.y_index[k], depth = d.w.dof_depth[y];
    const Force<T> F = load_dof_force(w.F_root + k, stride);
    T* row = open_row(y, H, d);
    for (int e = first; e <= k; ++e) row[depth - (k - e)] = dot(load_dof_motion(w.S_root + e, stride), F);
    row[depth] = row[depth] + T(m.armature[k]);
    project_above(m, m.nodes[i].parent, F, row, depth - (k - first) - 1, d, w);
  }
}

// f_iy and s_iy of one body.
template <class T>
struct ClusterJointShare {
  Force<T> f;
  Motion<T> s;
};
template <class T>
TENON_INLINE ClusterJointShare<T> joint_share(const ModelData& m, const ClusterData& c, int i, int y,
                                              const WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  ClusterJointShare<T> share = {{}, {}};
  for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
    const T G = w.G[c.G_begin + y * c.v_count + (k - c.v_begin)];
    const Motion<T> S = load_dof_motion(w.S_root + k, stride);
    share.f = share.f + scaled(G, load_dof_force(w.F_root + k, stride));
    share.s = share.s + Motion<T>{G * S.w, G * S.v};
  }
  return share;
}

template <class T>
inline void place_cluster_rows(const ModelData& m, const ClusterData& c, T* H,
                               const IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  for (int y = 0; y < c.y_count; ++y) {
    T* row = open_row(c.y_begin + y, H, d);
    const int depth = d.w.dof_depth[c.y_begin + y];
    for (int z = 0; z <= y; ++z) row[depth - y + z] = T(0);
    Force<T> F{};
    for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
      const ClusterJointShare<T> a = joint_share(m, c, i, y, w);
      F = F + a.f;
      const Motion<T> above = load_motion<T>(body_motion(c, i, y, d)) - a.s;
      for (int z = 0; z <= y; ++z) {
        T& entry = row[depth - y + z];
        entry = entry + dot(load_motion<T>(body_motion(c, i, z, d)), a.f) +
                dot(above, joint_share(m, c, i, z, w).f);
      }
    }
    for (int z = 0; z <= y; ++z)
      for (int k = c.v_begin; k < c.v_begin + c.v_count; ++k) {
        const T* G = w.G + c.G_begin + (k - c.v_begin);
        row[depth - y + z] = row[depth - y + z] + G[y * c.v_count] * T(m.armature[k]) * G[z * c.v_count];
      }
    project_above(m, c.parent, F, row, depth - y - 1, d, w);
  }
}

// Path rows of H; S and the inertias of the bodies are placed (crba.hpp).
template <class T>
inline void independent_rows(const ModelData& m, T* H, IndependentSpaceData<T>& d, WorkspaceData<T>& w) {
  composite_forces(m, w);
  place_body_motions(m, d, w);
  for (int i = 0; i < m.node_count; ++i) {
    const ClusterData* c = cluster_of(m, i);
    if (!c)
      place_joint_rows(m, i, H, d, w);
    else if (i == c->node_begin)
      place_cluster_rows(m, *c, H, d, w);
  }
}

// The same from q alone, after cluster_constraints.
template <class T>
void independent_mass_rows(const ModelData& m, const T* q, T* H, IndependentSpaceData<T>& d,
                           WorkspaceData<T>& w) {
  place_inertias(m, q, w);
  independent_rows(m, H, d, w);
}

// ---- J G

// (J G)_ry of the force K of row r on body i, for coordinates on the path inward to node `end`.
template <class T>
inline void add_row_of_body(const ModelData& m, int i, int end, const Force<T>& K, T* JT, int stride,
                            const IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  while (i != end) {
    if (const ClusterData* c = cluster_of(m, i)) {
      const bool ends_here = end >= 0 && cluster_of(m, end) == c;
      for (int y = 0; y < c->y_count; ++y) {
        T& entry = JT[static_cast<std::int64_t>(c->y_begin + y) * stride];
        entry = entry + dot(load_motion<T>(body_motion(*c, i, y, d)), K);
        if (ends_here) entry = entry - dot(load_motion<T>(body_motion(*c, end, y, d)), K);
      }
      if (ends_here) return;
      i = c->parent;
      continue;
    }
    for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
      T& entry = JT[static_cast<std::int64_t>(m.y_index[k]) * stride];
      entry = entry + dot(load_dof_motion(w.S_root + k, dof_stride(m)), K);
    }
    i = m.nodes[i].parent;
  }
}

// (J G)^T, stored as J^T is (joint_space.hpp); needs the rows and P.
template <class T>
inline void independent_jacobian(const ModelData& m, const ConstraintData& c, T* JT,
                                 const IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  for (int y = 0; y < d.tree.nv; ++y) {
    const RowRange rows = rows_of_subtree(d.tree, d.rows, y);
    for (int r = rows.pack(); r < whole_packs(rows.end); ++r)
      JT[static_cast<std::int64_t>(y) * stride + r] = T(0);
  }
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int j = 0; j < item.row_count; ++j) {
      const int r = item.row_begin + j;
      if (item.side_row < 0) {
        const T* K = w.Kw + r;
        add_row_of_body(m, item.node, -1, load_dof_force(K, stride), JT + r, stride, d, w);
        continue;
      }
      const T* sides = w.side_Kw + 12 * (item.side_row + j);
      add_row_of_body(m, item.first, item.meet, load_force<T>(sides), JT + r, stride, d, w);
      add_row_of_body(m, item.second, item.meet, load_force<T>(sides + 6), JT + r, stride, d, w);
    }
  }
}

// ---- methods

// LTL-OSIM (ltl_delassus.hpp) in independent coordinates. False when H is not positive definite.
template <class T>
bool independent_ltl_osim(const ModelData& m, const ConstraintData& c, const T* q, IndependentSpaceData<T>& d,
                          WorkspaceData<T>& w) {
  independent_mass_rows(m, q, d.w.H_L, d, w);
  if (!ltl_factor(d.tree, d.w.H_L, d.w.H_inv_d, d.w)) return false;
  place_world_rows(m, c, w);
  independent_jacobian(m, c, w.ZT, d, w);
  ltl_osim_rows(d.tree, d.rows, d.w.H_L, d.w.H_inv_d, w.H_root_d, w.ZT, d.w);
  ltl_osim_gram(d.tree, d.rows, w.ZT, w.delassus);
  return true;
}

// d.w.joint_force := G^T (tau - c - M g); joint_force holds tau - c - M g without the terms of armatures.
template <class T>
inline void independent_forces(const ModelData& m, IndependentSpaceData<T>& d, const WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k)
    if (m.y_index[k] >= 0) d.w.joint_force[m.y_index[k]] = w.joint_force[k];
  for (int index = 0; index < m.cluster_count; ++index) {
    const ClusterData& c = m.clusters[index];
    for (int y = 0; y < c.y_count; ++y) {
      const T* G = w.G + c.G_begin + y * c.v_count - c.v_begin;
      T sum(0);
      for (int k = c.v_begin; k < c.v_begin + c.v_count; ++k)
        sum = sum + G[k] * (w.joint_force[k] - T(m.armature[k]) * w.g[k]);
      d.w.joint_force[c.y_begin + y] = sum;
    }
  }
}

// prox_ltl.hpp; after cluster_constraints and joint_space_state. prox_ltl_factor, _step and _finish then work on this tree.
template <class T>
bool independent_prox_ltl_start(const ModelData& m, const ConstraintData& c, IndependentSpaceData<T>& d,
                                WorkspaceData<T>& w) {
  independent_rows(m, d.w.H_L, d, w);
  if (!ltl_factor(d.tree, d.w.H_L, d.w.H_inv_d, d.w)) return false;
  independent_jacobian(m, c, w.ZT, d, w);
  independent_forces(m, d, w);
  prox_ltl_dual(d.tree, d.rows, d.w);
  return true;
}

// prox_ltls.hpp, with H and its path rows in place of M.
template <class T>
void independent_prox_ltls_start(const ModelData& m, const ConstraintData& c, IndependentSpaceData<T>& d,
                                 WorkspaceData<T>& w) {
  independent_rows(m, d.w.H, d, w);
  independent_jacobian(m, c, w.JT, d, w);
  independent_forces(m, d, w);
  prox_ltls_at_rest(d.tree, c, d.yddot, w);
}

// H + (J G)^T mu J G: each row moves coordinates of one path only, so the sparsity is that of H.
template <class T>
bool independent_prox_ltls_factor(const ModelData&, const ConstraintData& c, const T* inv_mu,
                                  IndependentSpaceData<T>& d, WorkspaceData<T>& w) {
  prox_ltls_shares(c, inv_mu, w);
  const int stride = whole_packs(c.row_count);
  for (int y = 0; y < d.tree.nv; ++y) {
    const RowRange rows = rows_of_subtree(d.tree, d.rows, y);
    const T *own = w.JT + static_cast<std::int64_t>(y) * stride, *H = d.w.H + d.w.row_first[y];
    T* row = d.w.H_L + d.w.row_first[y];
    const int depth = d.w.dof_depth[y];
    for (int j = depth; j < whole_packs(depth + 1); ++j) row[j] = T(0);
    for (int z = y, j = depth; z >= 0; z = d.tree.v_parent[z], --j) {
      const T* other = w.JT + static_cast<std::int64_t>(z) * stride;
      Lanes<T> sum(T(0));
      for (int r = rows.pack(); r < rows.end; r += 4)
        sum = sum + Lanes<T>::load(w.mu_row + r) * Lanes<T>::load(own + r) * Lanes<T>::load(other + r);
      row[j] = H[j] + sum.sum();
    }
  }
  return ltl_factor(d.tree, d.w.H_L, d.w.H_inv_d, d.w);
}

TENON_ISA_END
}  // namespace tenon
