// Sparse factorisation M = L^T D L of a joint-space inertia matrix (Featherstone, RBDA 6.5): L_ki is zero
// unless i is k or an ancestor of k, and no fill appears when elimination goes from the leaves to the root.
// Row k of the factor is stored with stride nv; the ancestors of k are a few contiguous runs (path_runs), so
// the inner loops are packs. Factor O(n d^2), solve and product O(n d).
#pragma once

#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"
#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

// y[j] += a x[j] over the proper ancestors j of k.
template <class T>
TENON_INLINE void add_over_path(const WorkspaceData<T>& w, int k, const T& a, const T* x, T* y) {
  for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r)
    for (int j = w.path_runs[2 * r]; j < w.path_runs[2 * r + 1]; ++j) y[j] = y[j] + a * x[j];
}
template <class T>
TENON_INLINE T dot_over_path(const WorkspaceData<T>& w, int k, const T* x, const T* y) {
  T s(0);
  for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r)
    for (int j = w.path_runs[2 * r]; j < w.path_runs[2 * r + 1]; ++j) s = s + x[j] * y[j];
  return s;
}

// In: rows of M (crba_rows). Out: unit L below the diagonal, 1 / D in inv_d. False when M is not positive
// definite.
template <class T>
bool ltl_factor(const ModelData& m, T* rows, T* inv_d, const WorkspaceData<T>& w) {
  const int nv = m.nv;
  bool positive = true;
  for (int k = nv - 1; k >= 0; --k) {
    T* row = rows + static_cast<long>(k) * nv;
    positive = positive && row[k] > T(0);
    const T inv = T(1) / row[k];
    inv_d[k] = inv;
    for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r) {
      for (int i = w.path_runs[2 * r]; i < w.path_runs[2 * r + 1]; ++i) {
        // M_ij -= L_ki M_kj for j = i and the ancestors of i.
        const T l = row[i] * inv;
        T* target = rows + static_cast<long>(i) * nv;
        add_over_path(w, i, -l, row, target);
        target[i] = target[i] - l * row[i];
      }
    }
    for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r)
      for (int i = w.path_runs[2 * r]; i < w.path_runs[2 * r + 1]; ++i) row[i] = row[i] * inv;
  }
  return positive;
}

// x := L^-T x, from the leaves to the root.
template <class T>
void ltl_solve_lt(const ModelData& m, const T* rows, T* x, const WorkspaceData<T>& w) {
  for (int k = m.nv - 1; k >= 0; --k) add_over_path(w, k, -x[k], rows + static_cast<long>(k) * m.nv, x);
}
// x := L^-1 x, from the root to the leaves.
template <class T>
void ltl_solve_l(const ModelData& m, const T* rows, T* x, const WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] - dot_over_path(w, k, rows + static_cast<long>(k) * m.nv, x);
}
// x := M^-1 x.
template <class T>
void ltl_solve(const ModelData& m, const T* rows, const T* inv_d, T* x, const WorkspaceData<T>& w) {
  ltl_solve_lt(m, rows, x, w);
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] * inv_d[k];
  ltl_solve_l(m, rows, x, w);
}
// y := M x from the rows of M (not of the factor).
template <class T>
void ltl_multiply(const ModelData& m, const T* rows, const T* x, T* y, const WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) {
    const T* row = rows + static_cast<long>(k) * m.nv;
    y[k] = row[k] * x[k] + dot_over_path(w, k, row, x);
    add_over_path(w, k, x[k], row, y);
  }
}

TENON_ISA_END
}  // namespace tenon
