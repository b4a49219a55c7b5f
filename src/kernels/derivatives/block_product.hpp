// Products of blocks, all column-major, with the rows of C in lanes and four columns at a time; cost rows x inner x columns. multiply:
// C := s A B or C := C + s A B with few rows or columns. Rows: whole packs; columns: with room to whole fours from the first one
// on, of which those behind are overwritten by what is of no meaning. subtract_products: C := - A B for sparse B, which may
// be where C is, and nothing beside C is written.
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// C, of `rows` rows, s, and whether the product is added to C.
template <class T>
struct ProductTarget {
  T* C;
  std::int64_t ld;
  int rows;
  T scale;
  bool adds;
};

template <class L, int packs, class T>
TENON_INLINE void multiply_rows(const ProductTarget<T>& to, int row, int column, const T* A, std::int64_t lda,
                                const T* B, std::int64_t ldb, const CoordinateRange* inner, int ranges) {
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
TENON_INLINE void multiply(const ProductTarget<T>& to, int first, int end, const T* A, std::int64_t lda,
                           const T* B, std::int64_t ldb, const CoordinateRange* inner, int ranges) {
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
TENON_INLINE void multiply(const ProductTarget<T>& to, int columns, const T* A, std::int64_t lda, const T* B,
                           std::int64_t ldb, int inner) {
  const CoordinateRange all = {0, inner};
  multiply(to, 0, columns, A, lda, B, ldb, &all, 1);
}

// ---- products with sparse columns

// Where the rows of sparse columns are that are not zero: ranges, and one more of others behind.
struct SparseRows {
  const CoordinateRange* ranges;
  int count;
  CoordinateRange behind;

  template <class Each>
  TENON_INLINE void for_ranges(const Each& each) const {
    for (int r = 0; r < count; ++r) each(ranges[r]);
    each(behind);
  }
};

// Four columns of one matrix or of two, side by side, with the sign changed: number k of column c of matrix i at
// x[width k + 4 i + c].
template <int matrices, class T>
struct FourColumns {
  static constexpr int width = 4 * matrices;
  T* x;

  // Columns `first` to `first` + count - 1, of columns ld apart, and to four the last one again. What is behind a range is read,
  // to whole packs.
  TENON_INLINE void gather(const T* const (&A)[matrices], std::int64_t ld, int first, int count,
                           const CoordinateRange* rows, int ranges) const {
    for (int r = 0; r < ranges; ++r)
      for (int k = rows[r].first; k < rows[r].end; k += 4)
        for (int i = 0; i < matrices; ++i) {
          Lanes<T> column[4];
          for (int c = 0; c < 4; ++c)
            column[c] = -Lanes<T>::load(A[i] + (first + (c < count ? c : count - 1)) * ld + k);
          transpose(column[0], column[1], column[2], column[3]);
          for (int e = 0; e < 4; ++e) column[e].store(x + width * (k + e) + 4 * i);
        }
  }
  // The same of rows ld apart, which become those from `to` on.
  TENON_INLINE void gather_rows(const T* const (&A)[matrices], std::int64_t ld, int first,
                                const CoordinateRange& rows, int to) const {
    for (int r = rows.first; r < rows.end; ++r)
      for (int i = 0; i < matrices; ++i)
        (-Lanes<T>::load(A[i] + r * ld + first)).store(x + width * (to + r) + 4 * i);
  }
};

// Where products go, column-major. rows: all that is written.
template <int matrices, class T>
struct ProductColumns {
  T* C[matrices];
  std::int64_t ld;
  int rows;
};

// Rows from `row` on of four columns of `taken` matrices, of which the first `count` are stored. A pack counts whole but where there are
// less rows in all.
template <class L, int packs, int taken, int matrices, class T>
TENON_INLINE void multiply_sparse_rows(const ProductColumns<matrices, T>& to, int row, int first, int count,
                                       const T* A, std::int64_t lda, const FourColumns<matrices, T>& B,
                                       int matrix, const SparseRows& inner) {
  constexpr int columns = 4 * taken;
  L sum[columns][packs];
  for (int c = 0; c < columns; ++c)
    for (int p = 0; p < packs; ++p) sum[c][p] = L(T(0));
  inner.for_ranges([&](const CoordinateRange& range) TENON_INLINE_LAMBDA {
    const T* numbers = B.x + B.width * range.first + 4 * matrix;
    const T* a_k = A + range.first * lda + row;
    for (int k = range.first; k < range.end; ++k, numbers += B.width, a_k += lda) {
      L a[packs];
      for (int p = 0; p < packs; ++p) a[p] = L::load(a_k + L::count * p);
      for (int c = 0; c < columns; ++c) {
        const L b(numbers[c]);
        for (int p = 0; p < packs; ++p) sum[c][p] = sum[c][p] + a[p] * b;
      }
    }
  });
  unroll<columns>([&](auto c) TENON_INLINE_LAMBDA {
    if (c.value % 4 >= count) return;
    T* const C = to.C[matrix + c.value / 4] + (first + c.value % 4) * to.ld + row;
    if (to.rows < L::count)
      store_some(sum[c.value][0], to.rows, C);
    else
      for (int p = 0; p < packs; ++p) sum[c.value][p].store(C + L::count * p);
  });
}

// C := A B for columns `first` to `first` + count - 1, at most four. A: with room to whole packs of rows. Nothing beside C is
// written: the last pack of rows goes over the end of the one before.
template <int matrices, class T>
TENON_INLINE void multiply_sparse(const ProductColumns<matrices, T>& to, int first, int count, const T* A,
                                  std::int64_t lda, const FourColumns<matrices, T>& B,
                                  const SparseRows& inner) {
  using L = Wide<T>;
  constexpr int W = L::count, taken = W > 4 ? matrices : 1;  // as many sums as there are registers
  for (int matrix = 0; matrix < matrices; matrix += taken) {
    int row = 0;
    const auto take = [&](auto lanes, auto packs, int at) TENON_INLINE_LAMBDA {
      multiply_sparse_rows<decltype(lanes), packs.value, taken>(to, at, first, count, A, lda, B, matrix,
                                                                inner);
    };
    for (; row + 3 * W <= to.rows; row += 3 * W) take(L{}, std::integral_constant<int, 3>{}, row);
    if (row + 2 * W <= to.rows) take(L{}, std::integral_constant<int, 2>{}, row), row += 2 * W;
    if (row + W <= to.rows) take(L{}, std::integral_constant<int, 1>{}, row), row += W;
    if (row == to.rows) continue;
    if (W > 4 && to.rows - row > 4 && to.rows >= W)
      take(L{}, std::integral_constant<int, 1>{}, to.rows - W);
    else
      for (; row < to.rows; row += 4)
        take(Lanes<T>{}, std::integral_constant<int, 1>{},
             row + 4 > to.rows && to.rows > 4 ? to.rows - 4 : row);
  }
}

TENON_ISA_END
}  // namespace tenon
