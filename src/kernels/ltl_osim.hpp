// Delassus matrix by the sparse factor of the mass matrix (LTL-OSIM, Featherstone, Exploiting sparsity in
// operational-space dynamics, 2010; [OSIMR] II-A): with M = L^T D L
//   J M^-1 J^T = Z Z^T,   Z^T = D^-1/2 L^-T J^T.
// L^-T keeps the sparsity of J^T: a row of Z ends at the ancestors of its link, so Z is stored and found in
// the place of J^T (joint_space.hpp), and two rows meet only at the ancestors they share. Cost O(m d^2 + m^2
// d).
#pragma once

#include <cmath>

#include "kernels/joint_space.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Z := D^-1/2 L^-T Z with L and 1 / D of ltl_factor. root_d: sqrt(1 / D), written.
template <class T>
inline void ltl_osim_rows(const ModelData& m, const ConstraintData& c, const T* L, const T* inv_d, T* root_d,
                          T* Z, const WorkspaceData<T>& w) {
  using std::sqrt;
  const int stride = whole_packs(c.row_count);
  for (int k = 0; k < m.nv; ++k) root_d[k] = sqrt(inv_d[k]);
  for (int k = m.nv - 1; k >= 0; --k) {
    const RowRange rows = rows_of_subtree(m, c, k);
    const T* l = L + w.row_first[k];
    const Lanes<T> root(root_d[k]);
    for (int r = rows.pack(); r < rows.end; r += 4) {
      T* column = Z + r;
      const Lanes<T> z = Lanes<T>::load(column + static_cast<long>(k) * stride);
      for (int i = m.v_parent[k], place = w.dof_depth[k] - 1; place >= 0; i = m.v_parent[i], --place) {
        T* target = column + static_cast<long>(i) * stride;
        (Lanes<T>::load(target) - Lanes<T>(l[place]) * z).store(target);
      }
      (root * z).store(column + static_cast<long>(k) * stride);
    }
  }
}

// Rows i to i + 3 of the Gram matrix, columns j to j + 4 packs - 1: the products of coordinates [first,
// last).
template <int packs, class T>
TENON_INLINE void add_gram_tile(const T* Z, int first, int last, int stride, int i, int j, T* gram) {
  Lanes<T> sum[4][packs];
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < packs; ++b) sum[a][b] = Lanes<T>::load(gram + (i + a) * stride + j + 4 * b);
  for (int k = first; k < last; ++k) {
    const T* z = Z + static_cast<long>(k) * stride;
    Lanes<T> right[packs];
    for (int b = 0; b < packs; ++b) right[b] = Lanes<T>::load(z + j + 4 * b);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < packs; ++b) sum[a][b] = sum[a][b] + Lanes<T>(z[i + a]) * right[b];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < packs; ++b) sum[a][b].store(gram + (i + a) * stride + j + 4 * b);
}

// delassus := Z Z^T, both triangles, symmetric to the last bit; whole_packs(rows) squared.
template <class T>
inline void ltl_osim_gram(const ModelData& m, const ConstraintData& c, const T* Z, T* delassus) {
  const int stride = whole_packs(c.row_count);
  for (int e = 0; e < stride * stride; ++e) delassus[e] = T(0);
  for (int first = 0, last; first < m.nv; first = last) {
    last = end_of_same_rows(m, c, first);
    const RowRange rows = rows_of_subtree(m, c, first);
    for (int i = rows.pack(); i < rows.end; i += 4) {
      int j = rows.pack();
      for (; j < i; j += 8) add_gram_tile<2>(Z, first, last, stride, i, j, delassus);
      if (j == i) add_gram_tile<1>(Z, first, last, stride, i, j, delassus);
    }
  }
  for (int i = 0; i < stride; ++i)
    for (int j = i + 1; j < stride; ++j) delassus[i * stride + j] = delassus[j * stride + i];
}

TENON_ISA_END
}  // namespace tenon
