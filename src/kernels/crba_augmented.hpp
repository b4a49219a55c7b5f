// M_mu = M + J^T mu J by CRBA on augmented inertias ([CABA] II-E): a constraint row adds mu K^T K to the
// inertia of its body, so the composite inertia of a subtree gains A = sum of mu K^T K over its rows, and
// M_mu gains S_i^T A_j S_j. A stands apart from the composite rigid bodies: both M and M_mu are wanted, and
// only nodes that carry constraints have one. Cost O(n d + m), J is not used.
#pragma once

#include "kernels/articulated_body.hpp"
#include "kernels/joint_space.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A of every supporting node, from the rows Kw and their mu_row.
template <class T>
inline void composite_constraint_inertias(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  const T o(0);
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    ArticulatedInertia<T> A{{o, o, o, o, o, o}, {o, o, o, o, o, o, o, o, o}, {o, o, o, o, o, o}};
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r) {
      const T* K = w.Kw + r;
      const Force<T> row = {{K[0], K[stride], K[2 * stride]}, {K[3 * stride], K[4 * stride], K[5 * stride]}};
      subtract_outer(A, row, scaled(-w.mu_row[r], row));
    }
    store(w.Aw + 21 * i, A);
  }
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s], parent = m.nodes[i].parent;
    if (parent < 0) continue;
    store(w.Aw + 21 * parent, load_articulated(w.Aw + 21 * parent) + load_articulated(w.Aw + 21 * i));
  }
}

// From the path rows of M those of M_mu.
template <class T>
inline void crba_augmented_rows(const ModelData& m, const ConstraintData& c, const T* M, T* rows,
                                WorkspaceData<T>& w) {
  composite_constraint_inertias(m, c, w);
  const int stride = whole_packs(m.nv);
  clear_packs(w.S_path, 6 * stride);
  for (int k = 0; k < m.nv; ++k) {
    const int i = m.v_node[k], depth = w.dof_depth[k];
    const T* from = M + w.row_first[k];
    T* row = rows + w.row_first[k];
    if (c.node_row_first[i] == c.subtree_row_end[i]) {
      for (int j = 0; j <= depth; j += 4) Lanes<T>::load(from + j).store(row + j);
      continue;
    }
    const Motion<T> S = load_dof_motion(w.S_root + k, dof_stride(m));
    const Force<Lanes<T>> F = spread(load_articulated(w.Aw + 21 * i) * S);
    put_on_path(w, stride, depth, S);
    for (int j = 0; j <= depth; j += 4)
      (Lanes<T>::load(from + j) + project_on_path(w, stride, j, F)).store(row + j);
  }
}

TENON_ISA_END
}  // namespace tenon
