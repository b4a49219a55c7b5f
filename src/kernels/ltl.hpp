// Sparse factorisation M = L^T D L of a joint-space inertia matrix (Featherstone, RBDA 6.5): L_ki is zero
// unless i is k or an ancestor of k, and no fill appears when elimination goes from the leaves to the root.
// Factor O(n d^2), solve and product O(n d).
//
// Storage. Row k holds its entries for the ancestors of k from the root down, then the diagonal, then zeros
// to a whole pack (path rows). The row of an ancestor lists the same ancestors in the same places, so that
// rows are combined from their beginning on, in whole packs, whatever the branching. Solves and products keep
// along the way what belongs to the ancestors of the present coordinate, in the same places (path vectors):
// coordinates are numbered depth first, so the way changes only behind them.
#pragma once

#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// y += a x over the packs of n numbers.
template <class T>
TENON_INLINE void add_packs(T* y, const T& a, const T* x, int n) {
  const Lanes<T> factor(a);
  for (int j = 0; j < n; j += 4) (Lanes<T>::load(y + j) + factor * Lanes<T>::load(x + j)).store(y + j);
}
template <class T>
TENON_INLINE T dot_packs(const T* x, const T* y, int n) {
  Lanes<T> sum(T(0));
  for (int j = 0; j < n; j += 4) sum = sum + Lanes<T>::load(x + j) * Lanes<T>::load(y + j);
  return sum.sum();
}
template <class T>
TENON_INLINE void clear_packs(T* x, int n) {
  for (int j = 0; j < n; j += 4) Lanes<T>(T(0)).store(x + j);
}

// Lanes before place j of its pack as they are, the others zero; and that with a value put at j. A pack is
// written whole because a load waits long for a part of it that was stored apart.
template <class T>
TENON_INLINE Lanes<T> lanes_before(const Lanes<T>& x, int j) {
  static constexpr T keep[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}};
  return x * Lanes<T>::load(keep[j % 4]);
}
template <class T>
TENON_INLINE void put_last(T* x, int j, const T& value) {
  static constexpr T unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  T* pack = x + j / 4 * 4;
  (lanes_before(Lanes<T>::load(pack), j) + Lanes<T>(value) * Lanes<T>::load(unit[j % 4])).store(pack);
}

// In: path rows of M. Out: path rows of L, zeros for its diagonal of ones, and 1 / D. False when M is not
// positive definite.
template <class T>
bool ltl_factor(const ModelData& m, T* rows, T* inv_d, const WorkspaceData<T>& w) {
  bool positive = true;
  for (int k = m.nv - 1; k >= 0; --k) {
    T* row = rows + w.row_first[k];
    const int depth = w.dof_depth[k];
    positive = positive && row[depth] > T(0);
    const T inverse = T(1) / row[depth];
    inv_d[k] = inverse;
    // M_ij -= L_ki M_kj for i an ancestor of k, j = i or an ancestor of i.
    for (int i = m.v_parent[k], place = depth - 1; place >= 0; i = m.v_parent[i], --place)
      add_packs<T>(rows + w.row_first[i], -row[place] * inverse, row, place + 1);
    const Lanes<T> scale(inverse);
    const int last = depth / 4 * 4;
    for (int j = 0; j < last; j += 4) (Lanes<T>::load(row + j) * scale).store(row + j);
    lanes_before(Lanes<T>::load(row + last) * scale, depth).store(row + last);
  }
  return positive;
}

// x := L^-T x, from the leaves to the root.
template <class T>
void ltl_solve_lt(const ModelData& m, const T* rows, T* x, WorkspaceData<T>& w) {
  T* below = w.path_vector;  // taken off the ancestors by what lies below them
  clear_packs(below, m.nv);
  for (int k = m.nv - 1; k >= 0; --k) {
    const T* row = rows + w.row_first[k];
    const int depth = w.dof_depth[k], last = depth / 4 * 4;
    const T xk = x[k] - below[depth];
    x[k] = xk;
    add_packs<T>(below, xk, row, last);
    lanes_before(Lanes<T>::load(below + last) + Lanes<T>(xk) * Lanes<T>::load(row + last), depth)
        .store(below + last);
  }
}
// x := L^-1 x, from the root to the leaves.
template <class T>
void ltl_solve_l(const ModelData& m, const T* rows, T* x, WorkspaceData<T>& w) {
  T* path = w.path_vector;
  clear_packs(path, m.nv);
  for (int k = 0; k < m.nv; ++k) {
    const int depth = w.dof_depth[k];
    x[k] = x[k] - dot_packs(rows + w.row_first[k], path, depth);
    put_last(path, depth, x[k]);
  }
}
// x := M^-1 x.
template <class T>
void ltl_solve(const ModelData& m, const T* rows, const T* inv_d, T* x, WorkspaceData<T>& w) {
  ltl_solve_lt(m, rows, x, w);
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] * inv_d[k];
  ltl_solve_l(m, rows, x, w);
}
// y := M x from the path rows of M (not of the factor).
template <class T>
void ltl_multiply(const ModelData& m, const T* rows, const T* x, T* y, WorkspaceData<T>& w) {
  T* path = w.path_vector;
  clear_packs(path, m.nv);
  for (int k = 0; k < m.nv; ++k) {
    const int depth = w.dof_depth[k];
    put_last(path, depth, x[k]);
    y[k] = dot_packs(rows + w.row_first[k], path, depth + 1);
  }
  T* below = w.path_vector;
  clear_packs(below, m.nv);
  for (int k = m.nv - 1; k >= 0; --k) {
    const T* row = rows + w.row_first[k];
    const int depth = w.dof_depth[k], last = depth / 4 * 4;
    y[k] = y[k] + below[depth];
    add_packs<T>(below, x[k], row, last);
    lanes_before(Lanes<T>::load(below + last) + Lanes<T>(x[k]) * Lanes<T>::load(row + last), depth)
        .store(below + last);
  }
}

TENON_ISA_END
}  // namespace tenon
