// Kinematic loops in explicit form, v = G ydot and qdd = G yddot + g (data/model_data.hpp), on vectors of all
// coordinates; and matrices of the spanning tree. For any scalar.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/model_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls f(spanning coordinate, entry) for the nonzeros of column y of G, whose blocks are in `blocks`. The columns of a
// block go to the coordinates of its cluster, whichever of them are independent.
template <class T, class F>
void for_column(const ModelData& m, const T* blocks, int y, const F& f) {
  const int k = m.independent[y], cluster = m.node_cluster[m.v_node[k]];
  if (cluster < 0) return f(k, T(1));
  const ClusterData& c = m.clusters[cluster];
  const T* column = blocks + c.G_begin + std::ptrdiff_t{y - c.y_begin} * c.v_count;
  for (int i = 0; i < c.v_count; ++i) f(c.v_begin + i, column[i]);
}

// x := G y + g; g null: zero.
template <class T>
void times_explicit(const ModelData& m, const T* blocks, const T* y, const T* g, T* x) {
  for (int k = 0; k < m.nv; ++k) x[k] = g ? g[k] : T(0);
  for (int j = 0; j < m.ny; ++j) for_column(m, blocks, j, [&](int k, const T& G) { x[k] = x[k] + G * y[j]; });
}
// y := G^T x.
template <class T>
void times_explicit_transposed(const ModelData& m, const T* blocks, const T* x, T* y) {
  for (int j = 0; j < m.ny; ++j) {
    T sum(0);
    for_column(m, blocks, j, [&](int k, const T& G) { sum = sum + G * x[k]; });
    y[j] = sum;
  }
}

// Row-major matrices, ld numbers a row, with room to whole eights of columns. to := X G, `rows` rows.
template <class T>
void times_explicit_rows(const ModelData& m, const T* blocks, const T* X, int rows, int ld, T* to) {
  for (int j = 0; j < m.ny; ++j) {
    const auto entry = [&](int r) -> T& { return to[static_cast<std::int64_t>(r) * ld + j]; };
    for (int r = 0; r < rows; ++r) entry(r) = T(0);
    for_column(m, blocks, j, [&](int k, const T& G) {
      for (int r = 0; r < rows; ++r) entry(r) = entry(r) + G * X[static_cast<std::int64_t>(r) * ld + k];
    });
  }
}
// y += a x, whole packs of `columns` numbers.
template <class T>
TENON_INLINE void add_scaled_row(const T& a, const T* x, int columns, T* y) {
  using L = Wide<T>;
  for (int c = 0; c < columns; c += L::count) (L::load(y + c) + L(a) * L::load(x + c)).store(y + c);
}
template <class T>
TENON_INLINE void clear_matrix_rows(T* X, int rows, int columns, int ld) {
  using L = Wide<T>;
  for (int r = 0; r < rows; ++r, X += ld)
    for (int c = 0; c < columns; c += L::count) L(T(0)).store(X + c);
}
// to := G^T X, and to := G X.
template <class T>
void explicit_transposed_times(const ModelData& m, const T* blocks, const T* X, int columns, int ld, T* to) {
  clear_matrix_rows(to, m.ny, columns, ld);
  for (int j = 0; j < m.ny; ++j, to += ld)
    for_column(m, blocks, j, [&](int k, const T& G) {
      add_scaled_row(G, X + static_cast<std::int64_t>(k) * ld, columns, to);
    });
}
template <class T>
void explicit_times(const ModelData& m, const T* blocks, const T* X, int columns, int ld, T* to) {
  clear_matrix_rows(to, m.nv, columns, ld);
  for (int j = 0; j < m.ny; ++j, X += ld)
    for_column(m, blocks, j, [&](int k, const T& G) {
      add_scaled_row(G, X, columns, to + static_cast<std::int64_t>(k) * ld);
    });
}

// Both triangles of a matrix of the tree from its path rows (kernels/tree/ltl.hpp): row_first, dof_depth of
// WorkspaceData.
template <class T>
void spread_path_rows(const ModelData& m, const T* rows, const std::int32_t* row_first,
                      const std::int32_t* dof_depth, T* M, int ld) {
  for (int k = 0; k < m.nv; ++k) std::fill_n(M + std::ptrdiff_t{k} * ld, m.nv, T(0));
  for (int k = 0; k < m.nv; ++k) {
    const T* row = rows + row_first[k];
    int place = dof_depth[k];
    for (int i = k; i >= 0; i = m.v_parent[i], --place)
      M[i + std::ptrdiff_t{k} * ld] = M[k + std::ptrdiff_t{i} * ld] = row[place];
  }
}

// MG := M G and A := G^T M G, M of the tree with all its entries (nv x nv).
template <class T>
void project_matrix(const ModelData& m, const T* blocks, const T* M, T* MG, T* A) {
  for (int j = 0; j < m.ny; ++j) {
    T* column = MG + std::ptrdiff_t{j} * m.nv;
    std::fill_n(column, m.nv, T(0));
    for_column(m, blocks, j, [&](int k, const T& G) {
      for (int i = 0; i < m.nv; ++i) column[i] = column[i] + G * M[i + std::ptrdiff_t{k} * m.nv];
    });
    for (int i = j; i < m.ny; ++i) {
      T sum(0);
      for_column(m, blocks, i, [&](int k, const T& G) { sum = sum + G * column[k]; });
      A[i + std::ptrdiff_t{j} * m.ny] = A[j + std::ptrdiff_t{i} * m.ny] = sum;
    }
  }
}

TENON_ISA_END
}  // namespace tenon
