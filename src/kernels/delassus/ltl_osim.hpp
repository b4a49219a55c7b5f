// Delassus matrix by the sparse factor of the mass matrix (LTL-OSIM, Featherstone, Exploiting sparsity in
// operational-space dynamics, 2010; [OSIMR] II-A): with M = L^T D L
//   J M^-1 J^T = Z Z^T,   Z^T = D^-1/2 L^-T J^T.
// L^-T keeps the sparsity of J^T: a row of Z is nonzero only on the path to its link, so Z is computed in
// place of J^T (joint_space.hpp), and two rows share only their common ancestors. Cost O(m d^2 + m^2 d).
#pragma once

#include <cmath>

#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/tree/joint_space.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Rows of Z of one panel, `packs` packs of constraint rows from r on: eliminated from each other and from
// their ancestors, and scaled.
template <int packs, int N, class T>
TENON_INLINE void ltl_osim_panel(const PanelRows<N, const T>& L, int above, const T* root_d, int stride,
                                 int r, T* Z, const ModelData& m) {
  Lanes<T> z[N][packs];
  const auto place = [&](int k, int b) { return Z + static_cast<std::int64_t>(k) * stride + r + 4 * b; };
  for (int t = 0; t < N; ++t)
    for (int b = 0; b < packs; ++b) z[t][b] = Lanes<T>::load(place(L.first + t, b));
  unroll<N>([&](auto step) {
    constexpr int t = N - 1 - step.value;
    unroll<step.value>([&](auto i) {
      const Lanes<T> l(L.at(N - 1 - i.value, t));
      for (int b = 0; b < packs; ++b) z[t][b] = z[t][b] - l * z[N - 1 - i.value][b];
    });
  });
  for (int i = above, j = L.depth - 1; i >= 0; i = m.v_parent[i], --j) {
    Lanes<T> sum[packs];
    for (int b = 0; b < packs; ++b) sum[b] = Lanes<T>::load(place(i, b));
    for (int t = 0; t < N; ++t) {
      const Lanes<T> l(L.row[t][j]);
      for (int b = 0; b < packs; ++b) sum[b] = sum[b] - l * z[t][b];
    }
    for (int b = 0; b < packs; ++b) sum[b].store(place(i, b));
  }
  for (int t = 0; t < N; ++t)
    for (int b = 0; b < packs; ++b) (Lanes<T>(root_d[L.first + t]) * z[t][b]).store(place(L.first + t, b));
}

// Z := D^-1/2 L^-T Z with L and 1 / D of ltl_factor. root_d: sqrt(1 / D), written.
template <class T>
inline void ltl_osim_rows(const ModelData& m, const ConstraintData& c, const T* L, const T* inv_d, T* root_d,
                          T* Z, const WorkspaceData<T>& w) {
  using std::sqrt;
  const int stride = whole_packs(c.row_count);
  for (int k = 0; k < m.nv; ++k) root_d[k] = sqrt(inv_d[k]);
  for (int p = w.panel_count - 1; p >= 0; --p) {
    // The coordinates of a panel have the same descendants, but not always the same rows: a link between them
    // may carry some.
    for (int end = w.panels[p].end, first; end > w.panels[p].first; end = first) {
      const RowRange rows = rows_of_subtree(m, c, end - 1);
      for (first = end - 1; first > w.panels[p].first; --first) {
        const RowRange other = rows_of_subtree(m, c, first - 1);
        if (other.begin != rows.begin || other.end != rows.end) break;
      }
      const DofPanel part = {first, end, -1};
      with_panel_size(part, [&](auto size) {
        const PanelRows<size.value, const T> l(L, part, w);
        const int above = m.v_parent[first];
        int r = rows.pack();
        for (; r + 4 < rows.end; r += 8) ltl_osim_panel<2>(l, above, root_d, stride, r, Z, m);
        if (r < rows.end) ltl_osim_panel<1>(l, above, root_d, stride, r, Z, m);
      });
    }
  }
}

// Rows i to i + 3 of the Gram matrix, `packs` packs of columns from j on: the products of coordinates [first, last).
template <class L, int packs, class T>
TENON_INLINE void add_gram_tile(const T* Z, int first, int last, int stride, int i, int j, T* gram) {
  L sum[4][packs];
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < packs; ++b) sum[a][b] = L::load(gram + (i + a) * stride + j + L::count * b);
  for (int k = first; k < last; ++k) {
    const T* z = Z + static_cast<std::int64_t>(k) * stride;
    L right[packs];
    for (int b = 0; b < packs; ++b) right[b] = L::load(z + j + L::count * b);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < packs; ++b) sum[a][b] = sum[a][b] + L(z[i + a]) * right[b];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < packs; ++b) sum[a][b].store(gram + (i + a) * stride + j + L::count * b);
}

// delassus := Z Z^T, both triangles, exactly symmetric; whole_packs(rows) squared.
template <class T>
inline void ltl_osim_gram(const ModelData& m, const ConstraintData& c, const T* Z, T* delassus) {
  const int stride = whole_packs(c.row_count);
  for (int i = 0; i < stride; ++i)  // as clear_lower
    for (int j = 0; j <= i; j += 4) Lanes<T>(T(0)).store(delassus + i * stride + j);
  for (int first = 0, last; first < m.nv; first = last) {
    last = end_of_same_rows(m, c, first);
    const RowRange rows = rows_of_subtree(m, c, first);
    for (int i = rows.pack(); i < rows.end; i += 4) {
      int j = rows.pack();
      if (fills_wide_lanes<T>(stride))
        for (; j + 12 <= i; j += 16) add_gram_tile<Wide<T>, 2>(Z, first, last, stride, i, j, delassus);
      for (; j < i; j += 8) add_gram_tile<Lanes<T>, 2>(Z, first, last, stride, i, j, delassus);
      if (j == i) add_gram_tile<Lanes<T>, 1>(Z, first, last, stride, i, j, delassus);
    }
  }
  for (int i = 0; i < stride; i += 4)
    for (int j = 0; j < i; j += 4) {
      Lanes<T> x[4];
      for (int a = 0; a < 4; ++a) x[a] = Lanes<T>::load(delassus + (i + a) * stride + j);
      transpose(x[0], x[1], x[2], x[3]);
      for (int a = 0; a < 4; ++a) x[a].store(delassus + (j + a) * stride + i);
    }
}

TENON_ISA_END
}  // namespace tenon
