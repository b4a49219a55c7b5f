// Products of blocks with few rows or columns, all column-major: C := s A B or C := C + s A B, with the rows of C in lanes and
// four columns at a time. Rows: whole packs; columns: with room to whole fours, of which those behind are overwritten by
// what is of no meaning. Cost: rows x inner x columns.
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// C, of `rows` rows, s, and whether the product is added to C.
template <class T>
struct ProductTarget {
  T* C;
  long ld;
  int rows;
  T scale;
  bool adds;
};

template <int packs, class T>
TENON_INLINE void multiply_rows(const ProductTarget<T>& to, int row, int column, const T* A, long lda,
                                const T* B, long ldb, const CoordinateRange* inner, int ranges) {
  constexpr int columns = 4;
  A += row, B += column * ldb;
  Lanes<T> sum[columns][packs];
  for (int c = 0; c < columns; ++c)
    for (int p = 0; p < packs; ++p) sum[c][p] = Lanes<T>(T(0));
  for (int r = 0; r < ranges; ++r) {
    for (int k = inner[r].first; k < inner[r].end; ++k) {
      Lanes<T> a[packs];
      for (int p = 0; p < packs; ++p) a[p] = Lanes<T>::load(A + k * lda + 4 * p);
      for (int c = 0; c < columns; ++c) {
        const Lanes<T> b(B[c * ldb + k]);
        for (int p = 0; p < packs; ++p) sum[c][p] = sum[c][p] + a[p] * b;
      }
    }
  }
  const Lanes<T> scale(to.scale);
  for (int c = 0; c < columns; ++c) {
    T* C = to.C + row + (column + c) * to.ld;
    for (int p = 0; p < packs; ++p, C += 4)
      (to.adds ? Lanes<T>::load(C) + scale * sum[c][p] : scale * sum[c][p]).store(C);
  }
}

// For columns first to end - 1 of B and C. inner: the columns of A and rows of B that count.
template <class T>
TENON_INLINE void multiply(const ProductTarget<T>& to, int first, int end, const T* A, long lda, const T* B,
                           long ldb, const CoordinateRange* inner, int ranges) {
  for (int c = first; c < end; c += 4) {
    int row = 0;
    for (; row + 12 <= to.rows; row += 12) multiply_rows<3>(to, row, c, A, lda, B, ldb, inner, ranges);
    if (to.rows - row == 8) multiply_rows<2>(to, row, c, A, lda, B, ldb, inner, ranges);
    if (to.rows - row == 4) multiply_rows<1>(to, row, c, A, lda, B, ldb, inner, ranges);
  }
}
template <class T>
TENON_INLINE void multiply(const ProductTarget<T>& to, int columns, const T* A, long lda, const T* B,
                           long ldb, int inner) {
  const CoordinateRange all = {0, inner};
  multiply(to, 0, columns, A, lda, B, ldb, &all, 1);
}

TENON_ISA_END
}  // namespace tenon
