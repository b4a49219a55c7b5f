// Inverse of a dense positive definite matrix by symmetric Gauss-Jordan elimination in tiles of four (Bauer, Reinsch,
// Handbook for Automatic Computation II, I/3). Each step takes the first tile P = L D L^T on the diagonal and, for
// all other rows i, the tiles p_i below it:
//
//   W_i = p_i L^-T,   A_ij := A_ij - W_i D^-1 W_j^T,   A_Pi := -(W_i D^-1 L^-1)^T,   A_PP := -P^-1
//
// and moves the rows of P behind all others, so that all steps are alike; after the last one the order is the old
// one, and what is left is -A^-1. The products are those of L D L^T, of N = L^-1 and of N^T D^-1 N, a step of each
// at a time: as accurate, and the many products of a step hide the divisions of the next. Tiles enter by L and not
// by P^-1, which would square the condition of nearly dependent rows. n^3 / 2 products.
#pragma once

#include <cstddef>

#include "kernels/constrained/dense_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Four columns of four numbers.
template <class T>
using Tile = Lanes<T>[4];

template <class T>
TENON_INLINE void load_tile(const T* p, std::ptrdiff_t s, Tile<T>& x) {
  for (int j = 0; j < 4; ++j) x[j] = Lanes<T>::load(p + j * s);
}
template <class T>
TENON_INLINE void store_tile(const Tile<T>& x, T* p, std::ptrdiff_t s) {
  for (int j = 0; j < 4; ++j) x[j].store(p + j * s);
}
// 1
template <class T>
TENON_INLINE void unit_tile(Tile<T>& x) {
  const T o(0), e(1);
  x[0] = {e, o, o, o}, x[1] = {o, e, o, o}, x[2] = {o, o, e, o}, x[3] = {o, o, o, e};
}

// p: the tile of a pivot, its lower triangle. Keeps the smallest element of D.
template <class T>
TENON_INLINE void factor_pivot(const Tile<T>& p, Pivot<T>& t, T& smallest) {
  T a[4][4];
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) a[j][i] = p[j].x[i];
  factor_pivot(a, t);
  for (int j = 0; j < 4; ++j) smallest = t.d[j] < smallest ? t.d[j] : smallest;
}

// The pivot in all lanes.
template <class T>
struct PivotLanes {
  Lanes<T> l[4][4], minus_inv_d[4];

  TENON_INLINE explicit PivotLanes(const Pivot<T>& t) {
    for (int j = 0; j < 4; ++j) {
      minus_inv_d[j] = -Lanes<T>(t.inv_d[j]);
      for (int i = j + 1; i < 4; ++i) l[j][i] = Lanes<T>(t.l[j][i]);
    }
  }
  // x := x L^-T.
  TENON_INLINE void times_inverse_transposed(Tile<T>& x) const {
    for (int j = 1; j < 4; ++j)
      for (int k = 0; k < j; ++k) x[j] = x[j] - x[k] * l[k][j];
  }
  // x := -x D^-1.
  TENON_INLINE void divide_columns(Tile<T>& x) const {
    for (int j = 0; j < 4; ++j) x[j] = x[j] * minus_inv_d[j];
  }
  // x := x L^-1.
  TENON_INLINE void times_inverse(Tile<T>& x) const {
    for (int j = 2; j >= 0; --j)
      for (int k = j + 1; k < 4; ++k) x[j] = x[j] - x[k] * l[j][k];
  }
};

// The matrix during the steps: m columns of m tiles, in each those from the diagonal on. The columns of a step begin
// with its pivot's and go round. W, W_d: W_i and -W_i D^-1 of the step.
template <class T>
struct SweptMatrix {
  T *tiles, *W, *W_d;
  std::ptrdiff_t m;
  TENON_INLINE T* after(T* column) const {
    column += 16 * m;
    return column == tiles + 16 * m * m ? tiles : column;
  }
};

// Computes W and the rows of the pivot, which become the last ones.
template <class T>
TENON_INLINE void sweep_pivot_rows(const Pivot<T>& t, T* pivot, const SweptMatrix<T>& X) {
  const PivotLanes<T> lanes(t);
  T* column = pivot;
  Tile<T> x;
  for (std::ptrdiff_t e = 16; e < 16 * X.m; e += 16) {
    load_tile(pivot + e, 4, x);
    lanes.times_inverse_transposed(x);
    store_tile(x, X.W + e, 4);
    lanes.divide_columns(x);
    store_tile(x, X.W_d + e, 4);
    lanes.times_inverse(x);
    transpose(x[0], x[1], x[2], x[3]);
    column = X.after(column);
    store_tile(x, column + 16 * X.m - e, 4);
  }
  unit_tile(x);
  lanes.times_inverse_transposed(x);
  lanes.divide_columns(x);
  lanes.times_inverse(x);
  store_tile(x, pivot, 4);
}

// Finds the next pivot; its tile is not needed any more. Waits for the last division of this one as late as possible.
template <class T>
TENON_INLINE void find_next_pivot(const Pivot<T>& t, T* tile, const SweptMatrix<T>& X, Pivot<T>& next,
                                  T& smallest) {
  Tile<T> p;
  load_tile(tile, 4, p);
  const T *W = X.W + 16, *W_d = X.W_d + 16;
  for (int k = 0; k < 3; ++k) {
    const Lanes<T> w = Lanes<T>::load(W + 4 * k);
    for (int j = 0; j < 4; ++j) p[j] = p[j] + w * Lanes<T>(W_d[4 * k + j]);
  }
  const Lanes<T> w = Lanes<T>::load(W + 12), inv_d(t.inv_d[3]);
  for (int j = 0; j < 4; ++j) p[j] = p[j] - (w * Lanes<T>(W[12 + j])) * inv_d;
  factor_pivot(p, next, smallest);
}

// Subtracts W_i D^-1 W_j^T from tiles of column j. W: of the first row.
template <int tiles, class T>
TENON_INLINE void sweep_tiles(const T* W, const T* W_d, T* x) {
  Tile<T> sum[tiles];
  for (int t = 0; t < tiles; ++t) load_tile(x + 16 * t, 4, sum[t]);
  for (int k = 0; k < 4; ++k) {
    Lanes<T> w[tiles];
    for (int t = 0; t < tiles; ++t) w[t] = Lanes<T>::load(W + 16 * t + 4 * k);
    for (int j = 0; j < 4; ++j) {
      const Lanes<T> w_d(W_d[4 * k + j]);
      for (int t = 0; t < tiles; ++t) sum[t][j] = sum[t][j] + w[t] * w_d;
    }
  }
  for (int t = 0; t < tiles; ++t) store_tile(sum[t], x + 16 * t, 4);
}

// All other columns; done: tiles of the first that are not needed.
template <class T>
TENON_NOINLINE void sweep_other_columns(T* pivot, const SweptMatrix<T>& X, int done) {
  const T *end = X.W + 16 * X.m, *W_d = X.W_d;
  T* column = pivot;
  for (const T* first = X.W + 16; first != end; first += 16, done = 0) {
    column = X.after(column), W_d += 16;
    const T* W = first + 16 * done;
    T* x = column + 16 * done;
    for (; end - W > 32; W += 48, x += 48) sweep_tiles<3>(W, W_d, x);
    if (end - W > 16) sweep_tiles<2>(W, W_d, x), W += 32, x += 32;
    if (W != end) sweep_tiles<1>(W, W_d, x);
  }
}

// x := the tile of A + diag(damping) on the diagonal from row j on, with 1 in place of the padding's diagonal.
template <class T>
TENON_INLINE void load_damped(const T* A, const T* damping, int n, int s, int j, Tile<T>& x) {
  const auto added = [&](int i) { return i < n ? damping[i] : T(1); };
  const Lanes<T> d =
      j + 4 <= n ? Lanes<T>::load(damping + j) : Lanes<T>(added(j), added(j + 1), added(j + 2), added(j + 3));
  Tile<T> unit;
  unit_tile(unit);
  load_tile(A + j * (s + 1), s, x);
  for (int k = 0; k < 4; ++k) x[k] = x[k] + d * unit[k];
}

// All tiles but the first pivot, which no step reads.
template <class T>
TENON_INLINE void copy_in(const T* A, const T* damping, int n, int s, const SweptMatrix<T>& X) {
  T* column = X.tiles;
  for (int j = 0; j < s; j += 4, column += 4 * s) {
    Tile<T> x;
    if (j > 0) {
      load_damped(A, damping, n, s, j, x);
      store_tile(x, column, 4);
    }
    T* to = column;
    const T* from = A + j * (s + 1);
    for (const T* end = from + s - j; (from += 4) != end;) {
      load_tile(from, s, x);
      store_tile(x, to += 16, 4);
    }
  }
}

template <class T>
TENON_INLINE void copy_negative_out(const SweptMatrix<T>& X, int s, T* to) {
  const T* column = X.tiles;
  for (int j = 0; j < s; j += 4, column += 4 * s, to += 4 * (s + 1)) {
    const T* from = column;
    T* place = to;
    for (const T* end = to + s - j; place != end; place += 4, from += 16) {
      Tile<T> x;
      load_tile(from, 4, x);
      for (int k = 0; k < 4; ++k) x[k] = -x[k];
      store_tile(x, place, s);
    }
  }
}

// X := (A + diag(damping))^-1, its lower triangle, in whole tiles. A: lower triangle. Both are column-major with
// stride s, n rounded up to whole packs; the padding of A is zero. scratch: s (s + 8) numbers. Returns whether all
// pivots are positive; else X holds nothing.
template <class T>
inline bool invert_dense(const T* A, const T* damping, int n, int s, T* X, T* scratch) {
  const SweptMatrix<T> swept = {scratch + 8 * s, scratch, scratch + 4 * s, s / 4};
  Tile<T> first;
  load_damped(A, damping, n, s, 0, first);
  Pivot<T> pivots[2];  // of this step and of the next
  T smallest(1);
  factor_pivot(first, pivots[0], smallest);
  copy_in(A, damping, n, s, swept);
  T* pivot = swept.tiles;
  for (int step = 0; step < s; step += 4) {
    const Pivot<T>& t = pivots[step / 4 % 2];
    sweep_pivot_rows(t, pivot, swept);
    T* const next = swept.after(pivot);
    const bool last = step + 4 == s;
    if (!last) find_next_pivot(t, next, swept, pivots[(step / 4 + 1) % 2], smallest);
    sweep_other_columns(pivot, swept, last ? 0 : 1);
    pivot = next;
  }
  copy_negative_out(swept, s, X);
  return smallest > T(0);
}

// y := X x, whole packs. X: its lower triangle, in whole tiles.
template <class T>
inline void multiply_symmetric(const T* X, int s, const T* x, T* y) {
  for (int i = 0; i < s; i += 4) Lanes<T>(T(0)).store(y + i);
  for (int j = 0; j < s; j += 4) {
    const Lanes<T> xj = Lanes<T>::load(x + j);
    Tile<T> tile, sum;
    load_tile(X + j * (s + 1), s, tile);
    for (int e = 0; e < 4; ++e) sum[e] = tile[e] * xj;
    for (int i = j + 4; i < s; i += 4) {
      const Lanes<T> xi = Lanes<T>::load(x + i);
      Lanes<T> yi = Lanes<T>::load(y + i);
      load_tile(X + j * s + i, s, tile);
      for (int e = 0; e < 4; ++e) {
        sum[e] = sum[e] + tile[e] * xi;
        yi = yi + tile[e] * Lanes<T>(x[j + e]);
      }
      yi.store(y + i);
    }
    transpose(sum[0], sum[1], sum[2], sum[3]);
    (Lanes<T>::load(y + j) + ((sum[0] + sum[1]) + (sum[2] + sum[3]))).store(y + j);
  }
}

TENON_ISA_END
}  // namespace tenon
