// Products of blocks with few rows or columns, all column-major: C := s A B or C := C + s A B, with the rows of C in lanes and
// four columns at a time. Rows: whole packs; columns: with room to whole fours from the first one on, of which those behind
// are overwritten by what is of no meaning. Cost: rows x inner x columns.
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

template <class L, int packs, class T>
TENON_INLINE void multiply_rows(const ProductTarget<T>& to, int row, int column, const T* A, long lda,
                                const T* B, long ldb, const CoordinateRange* inner, int ranges) {
  constexpr int columns = 4;
  A += row, B += column * ldb;
  L sum[columns][packs];
  for (int c = 0; c < columns; ++c)
    for (int p = 0; p < packs; ++p) sum[c][p] = L(T(0));
  for (int r = 0; r < ranges; ++r) {
    for (int k = inner[r].first; k < inner[r].end; ++k) {
      L a[packs];
      for (int p = 0; p < packs; ++p) a[p] = L::load(A + k * lda + L::count * p);
      for (int c = 0; c < columns; ++c) {
        const L b(B[c * ldb + k]);
        for (int p = 0; p < packs; ++p) sum[c][p] = sum[c][p] + a[p] * b;
      }
    }
  }
  const L scale(to.scale);
  for (int c = 0; c < columns; ++c) {
    T* C = to.C + row + (column + c) * to.ld;
    for (int p = 0; p < packs; ++p, C += L::count)
      (to.adds ? L::load(C) + scale * sum[c][p] : scale * sum[c][p]).store(C);
  }
}

// For columns first to end - 1 of B and C. inner: the columns of A and rows of B that count.
template <class T>
TENON_INLINE void multiply(const ProductTarget<T>& to, int first, int end, const T* A, long lda, const T* B,
                           long ldb, const CoordinateRange* inner, int ranges) {
  using L = Wide<T>;
  constexpr int W = L::count;
  for (int c = first; c < end; c += 4) {
    int row = 0;
    const auto take = [&](auto lanes, auto packs) {
      using Taken = decltype(lanes);
      for (constexpr int height = packs * Taken::count; row + height <= to.rows; row += height)
        multiply_rows<Taken, packs>(to, row, c, A, lda, B, ldb, inner, ranges);
    };
    take(L{}, std::integral_constant<int, 3>{});
    take(L{}, std::integral_constant<int, 2>{});
    take(L{}, std::integral_constant<int, 1>{});
    if constexpr (W > 4) take(Lanes<T>{}, std::integral_constant<int, 1>{});
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
