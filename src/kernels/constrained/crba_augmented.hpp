// M and M_mu = M + J^T mu J by CRBA on augmented inertias ([CABA] II-E): a constraint row adds mu K^T K to
// the inertia of its body, so the composite inertia of a subtree gains A = sum of mu K^T K over its rows, and
// M_mu gains S_i^T A_j S_j. A is kept apart from the composite rigid body because M is needed too, and
// because in the root frame all bodies of a chain with the same rows have the same A. Cost O(n d + m),
// without J.
#pragma once

#include "kernels/tree/articulated_body.hpp"
#include "kernels/tree/joint_space.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A of every subtree whose rows differ from its child's (rows_node), from Kw and mu_row.
template <class T>
inline void composite_constraint_inertias(const ModelData& m, const ConstraintData& c, WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  const ArticulatedInertia<T> none{};
  for (int s = 0; s < c.support_count; ++s)
    if (w.rows_node[c.support[s]] == c.support[s]) store(w.Aw + 21 * c.support[s], none);
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    if (w.rows_node[i] != i) continue;
    ArticulatedInertia<T> A = load_articulated(w.Aw + 21 * i);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r) {
      const T* K = w.Kw + r;
      const Force<T> row = {{K[0], K[stride], K[2 * stride]}, {K[3 * stride], K[4 * stride], K[5 * stride]}};
      subtract_outer(A, row, scaled(-w.mu_row[r], row));
    }
    store(w.Aw + 21 * i, A);
    int above = m.nodes[i].parent;
    while (above >= 0 && w.rows_node[above] == i) above = m.nodes[above].parent;
    if (above < 0) continue;
    T* sum = w.Aw + 21 * w.rows_node[above];
    store(sum, load_articulated(sum) + A);
  }
}

// Path rows of M and of M_mu, from S and F.
template <class T>
inline void crba_augmented_rows(const ModelData& m, const ConstraintData& c, T* M, T* M_mu,
                                WorkspaceData<T>& w) {
  composite_constraint_inertias(m, c, w);
  const int stride = whole_packs(m.nv), dofs = dof_stride(m);
  clear_packs(w.S_path, 6 * stride);
  for (int k = 0; k < m.nv; ++k) {
    const int i = m.v_node[k], depth = w.dof_depth[k];
    const Motion<T> S = load_dof_motion(w.S_root + k, dofs);
    const Force<Lanes<T>> F = spread(load_dof_force(w.F_root + k, dofs));
    put_on_path(w.S_path, stride, depth, S);
    T *row = M + w.row_first[k], *augmented = M_mu + w.row_first[k];
    if (c.node_row_first[i] == c.subtree_row_end[i]) {
      for (int j = 0; j <= depth; j += 4) {
        const Lanes<T> x = project_on_path(w.S_path, stride, j, F);
        x.store(row + j), x.store(augmented + j);
      }
    } else {
      const Force<Lanes<T>> A_F = spread(load_articulated(w.Aw + 21 * w.rows_node[i]) * S);
      for (int j = 0; j <= depth; j += 4) {
        const Lanes<T> x = project_on_path(w.S_path, stride, j, F);
        x.store(row + j), (x + project_on_path(w.S_path, stride, j, A_F)).store(augmented + j);
      }
    }
    row[depth] = row[depth] + T(m.armature[k]);
    augmented[depth] = augmented[depth] + T(m.armature[k]);
  }
}

TENON_ISA_END
}  // namespace tenon
