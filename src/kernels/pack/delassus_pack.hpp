// The Delassus matrix of packs by PV-OSIM ([OSIMR] Alg. 1 without its forces): each row is propagated to the root
// on its own, and every coordinate k on its path adds x_k D_k^-1 x_k^T for the rows of its subtree, with
//
//   x = K S L^-T,   K := (K - K S D^-1 U^T) X,   D = L diag L^T,
//
// the rows and coordinates of a cluster as in kernels/cluster/cluster_rows.hpp. Cost: O(n + m d + sum of m_k^2
// over the coordinates). kernels/delassus/pv_osimr.hpp, for one state, has rows in lanes; here lanes are states.
#pragma once

#include "kernels/pack/constrained_pack.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "spatial/number_lists.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Row r, K on body i: writes its x for the joint or cluster of the body, moves K to the parent and returns that.
template <class T>
inline int carry_row(const ModelData& m, int i, int r, Force<T>& K, PackedDelassus<T>& d,
                     const WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  if (const ClusterData* c = takes_loops<T> ? cluster_of(m, i) : nullptr) {
    carry_past_cluster(m, *c, i, K, d.x + c->v_begin * d.rows + r, static_cast<int>(d.rows), w);
    for (int y = 0; y < c->y_count; ++y)
      d.inverse[c->v_begin + y] = w.cluster_D[c->G_begin + y * (c->y_count + 1)];
    return c->parent;
  }
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T> past(n, w);
    T x[J::nv];
    past.project(K, x);
    for (int e = 0; e < J::nv; ++e) {
      d.x[(n.v_index + e) * d.rows + r] = x[e];
      d.inverse[n.v_index + e] = past.d_inv[e];
    }
    if (n.parent >= 0) K = force_to_parent(J::load(n, i, w), past.pass(K, x));
  });
  return n.parent;
}

// Adds to A what coordinates k to k + C - 1 add, all of which move rows [first, end).
template <int C, class T>
TENON_INLINE void add_shares(const PackedDelassus<T>& d, int k, int first, int end, T* A) {
  const std::ptrdiff_t rows = d.rows;
  const T *const x = d.x + k * rows, *const inverse = d.inverse + k;
  for (int i = first; i < end; ++i) {
    T share[C];
    for (int c = 0; c < C; ++c) share[c] = inverse[c] * x[c * rows + i];
    T* const row = A + i * rows;
    for (int j = first; j <= i; ++j) {
      T sum = row[j];
      for (int c = 0; c < C; ++c) sum = sum + share[c] * x[c * rows + j];
      row[j] = sum;
    }
  }
}

// A: rows x rows in the kernels' order, row-major, the lower triangle. After sweep_inertias_without_rows, with K of all
// rows.
template <class T>
inline void fill_delassus(const ModelData& m, const ConstraintData& c, PackedDelassus<T>& d, T* A,
                          const WorkspaceData<T>& w) {
  for (std::ptrdiff_t i = 0, rows = d.rows; i < rows; ++i) clear_list(A + i * rows, i + 1);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      Force<T> K = load_force<T>(w.K + 6 * r);
      for (int i = item.node; i >= 0;) i = carry_row(m, i, r, K, d, w);
    }
  }
  for (int k = 0, next = 0; k < m.nv; k = next) {
    const int first = d.first[k], end = d.end[k];
    const auto same = [&](int e) { return e < m.nv && d.first[e] == first && d.end[e] == end; };
    next = !same(k + 1) ? k + 1 : !same(k + 2) ? k + 2 : k + 3;
    const auto add = next == k + 1 ? add_shares<1, T> : next == k + 2 ? add_shares<2, T> : add_shares<3, T>;
    add(d, k, first, end, A);
  }
}

// False when the mass matrix of a state is not positive definite.
template <class T>
bool delassus_of_states(const ModelData& m, const ConstraintData& c, const T* q, PackedDelassus<T>& d, T* A,
                        WorkspaceData<T>& w) {
  clear_list(d.zeros, m.nv);
  const Inputs<T> in = {q, d.zeros, d.zeros};
  sweep_velocities(m, in, m.varying_clusters > 0, w);
  if (!sweep_inertias_without_rows(m, in, w)) return false;
  const RowsOfStates<T> rows{c, d.settings};
  place_rows(m, rows, w);
  leave_rows_out<false>(rows, w);
  fill_delassus(m, c, d, A, w);
  return true;
}

// X := (A + damping)^-1 X, `columns` columns of `rows` numbers; A is overwritten by its factor. False when a
// pivot is not positive.
template <class T>
bool solve_damped(int rows, const T* damping, T* A, T* X, int columns) {
  for (int r = 0; r < rows; ++r) A[r * (rows + 1)] = A[r * (rows + 1)] + damping[r];
  if (!factor_ldl(rows, rows, A)) return false;
  for (int j = 0; j < columns; ++j) solve_ldl(rows, rows, A, X + std::ptrdiff_t{j} * rows);
  return true;
}

TENON_ISA_END
}  // namespace tenon
