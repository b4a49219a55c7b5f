// L D L^T of a small dense positive definite matrix: left-looking in tiles of four columns, so that a tile
// stays in registers while all earlier columns are subtracted. n^3 / 6 products; a solve takes n^2.
//
// Matrices are column-major with stride s: n rounded up to whole packs, plus a border if there is one. Rows
// and columns from n to the next whole pack are zero, in the matrix, in its factor and in vectors. The rows B
// of the border, below the matrix, become B L^-T D^-1.
#pragma once

#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Zero on and below the diagonal, padding included. In tiles: compilers would call memset for each column.
template <class T>
inline void clear_lower(int stride, T* matrix) {
  for (int j = 0; j < stride; j += 4)
    for (int i = j; i < stride; i += 4)
      for (int e = 0; e < 4; ++e) Lanes<T>(T(0)).store(matrix + (j + e) * stride + i);
}

// P = L D L^T of a tile on the diagonal: l[j][i] = L_ij for i > j.
template <class T>
struct Pivot {
  T l[4][4], d[4], inv_d[4];
};

// a: the lower triangle of P, a[j][i] in row i; overwritten. What an element of D adds to later ones is multiplied
// while its division runs. 1 / D of an element that is not positive is zero: what is computed after it must only stay
// finite.
template <class T>
TENON_INLINE void factor_pivot(T (&a)[4][4], Pivot<T>& t) {
  unroll<4>([&](auto step) {
    constexpr int j = step.value;
    const T* column = a[j];
    t.d[j] = column[j];
    t.inv_d[j] = column[j] > T(0) ? T(1) / column[j] : T(0);
    for (int k = j + 1; k < 4; ++k) {
      for (int i = k; i < 4; ++i) a[k][i] = a[k][i] - (column[i] * column[k]) * t.inv_d[j];
      t.l[j][k] = column[k] * t.inv_d[j];
    }
  });
}

// Columns [first, first + 4) of A less what the columns before add, rows from `row` on, L::count of them a pack. scaled: those
// of L times D, in the rows of the columns. Several packs, because each number of them that is read then serves all.
template <int packs, class L, class T>
TENON_INLINE void reduce_tile(const T* A, const T* F, const T* scaled, int first, int row, int s,
                              L (&tile)[packs][4]) {
  for (int p = 0; p < packs; ++p)
    for (int j = 0; j < 4; ++j) tile[p][j] = L::load(A + (first + j) * s + row + L::count * p);
  for (int k = 0; k < first; k += 4) {
    const T *const column = F + k * s + row, *const shares = scaled + 4 * k;
    unroll<4>([&](auto i) {
      L x[packs];
      for (int p = 0; p < packs; ++p) x[p] = L::load(column + i.value * s + L::count * p);
      for (int j = 0; j < 4; ++j) {
        const L share(shares[4 * i.value + j]);
        for (int p = 0; p < packs; ++p) tile[p][j] = tile[p][j] - x[p] * share;
      }
    });
  }
}
// The same below the diagonal, of the factor.
template <class L, int packs, class T>
TENON_INLINE void factor_tile(const T* A, const Pivot<T>& t, const T* scaled, int first, int row, int s,
                              T* F) {
  L tile[packs][4];
  reduce_tile(A, F, scaled, first, row, s, tile);
  for (int j = 0; j < 4; ++j) {
    for (int p = 0; p < packs; ++p) {
      for (int k = 0; k < j; ++k) tile[p][j] = tile[p][j] - tile[p][k] * L(t.l[k][j]);
      (tile[p][j] * L(t.inv_d[j])).store(F + (first + j) * s + row + L::count * p);
    }
  }
}
// As often as rows from `row` on fill the packs. Returns the first row that is left.
template <class L, int packs, class T>
TENON_INLINE int factor_tiles(const T* A, const Pivot<T>& t, const T* scaled, int first, int row, int s,
                              T* F) {
  constexpr int rows = packs * L::count;
  for (; row + rows <= s; row += rows) factor_tile<L, packs>(A, t, scaled, first, row, s, F);
  return row;
}
// Whether a matrix fills registers of eight numbers, where there are such.
template <class T>
TENON_INLINE bool fills_wide_lanes(int s) {
  constexpr int least = 32;
  return Wide<T>::count > Lanes<T>::count && s >= least;
}

// A + diag(damping) = L D L^T. F: L below its diagonal, D on it, zeros above it in its tiles. scaled: 4 s
// numbers of scratch. Returns the smallest ratio of a pivot to its diagonal element: how near to singular the
// matrix is.
template <class T>
inline T factor_dense(const T* A, const T* damping, int n, int s, T* F, T* inv_d, T* scaled) {
  T smallest(1);
  for (int first = 0; first < n; first += 4) {
    for (int k = 0; k < first; ++k)
      (Lanes<T>::load(F + k * s + first) * Lanes<T>(F[k * (s + 1)])).store(scaled + 4 * k);
    Lanes<T> tile[1][4];
    reduce_tile(A, F, scaled, first, first, s, tile);
    T a[4][4];
    for (int j = 0; j < 4; ++j)
      for (int i = j; i < 4; ++i) a[j][i] = i == j ? tile[0][j].x[i] + damping[first + j] : tile[0][j].x[i];
    Pivot<T> t;
    factor_pivot(a, t);
    for (int j = 0; j < 4; ++j) {
      T* column = F + (first + j) * s + first;
      inv_d[first + j] = t.inv_d[j];
      for (int i = 0; i < 4; ++i) column[i] = i > j ? t.l[j][i] : T(0);
      column[j] = t.inv_d[j] > T(0) ? t.d[j] : T(0);
      const T original = A[(first + j) * (s + 1)] + damping[first + j];
      if (first + j < n && t.d[j] < smallest * original) smallest = t.d[j] / original;
    }
    int row = first + 4;
    if (fills_wide_lanes<T>(s)) row = factor_tiles<Wide<T>, 2>(A, t, scaled, first, row, s, F);
    row = factor_tiles<Lanes<T>, 2>(A, t, scaled, first, row, s, F);
    factor_tiles<Lanes<T>, 1>(A, t, scaled, first, row, s, F);
  }
  return smallest;
}

// y -= A x
template <class T>
inline void subtract_product(const T* A, int n, int s, const T* x, T* y) {
  for (int row = 0; row < s; row += 4) {
    Lanes<T> sum = Lanes<T>::load(y + row);
    for (int j = 0; j < n; ++j) sum = sum - Lanes<T>::load(A + j * s + row) * Lanes<T>(x[j]);
    sum.store(y + row);
  }
}

// First n numbers: x := L^-1 x; the others: x -= (their rows of F) x. Reads and writes whole packs, because a
// load that overlaps a smaller store stalls.
template <class T>
inline void solve_forward(const T* F, int n, int s, T* x) {
  for (int first = 0; first < n; first += 4) {
    const T* l = F + first * s + first;
    const Lanes<T> given = Lanes<T>::load(x + first);
    T y[4];
    unroll<4>([&](auto i) {
      y[i.value] = given.x[i.value];
      unroll<i.value>([&](auto j) { y[i.value] = y[i.value] - l[j.value * s + i.value] * y[j.value]; });
    });
    Lanes<T>(y[0], y[1], y[2], y[3]).store(x + first);
    for (int row = first + 4; row < s; row += 4) {
      Lanes<T> xr = Lanes<T>::load(x + row);
      for (int j = 0; j < 4; ++j) xr = xr - Lanes<T>::load(F + (first + j) * s + row) * Lanes<T>(y[j]);
      xr.store(x + row);
    }
  }
}

// x := L^-T (D^-1 x - (rows beyond n)^T x_beyond) of the first n numbers.
template <class T>
inline void solve_backward(const T* F, const T* inv_d, int n, int s, T* x) {
  for (int first = whole_packs(n) - 4; first >= 0; first -= 4) {
    const T* l = F + first * s + first;
    Lanes<T> sum[4] = {Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0)), Lanes<T>(T(0))};
    for (int row = first + 4; row < s; row += 4) {
      const Lanes<T> xr = Lanes<T>::load(x + row);
      for (int j = 0; j < 4; ++j) sum[j] = sum[j] + Lanes<T>::load(F + (first + j) * s + row) * xr;
    }
    transpose(sum[0], sum[1], sum[2], sum[3]);
    const Lanes<T> given =
        Lanes<T>::load(x + first) * Lanes<T>::load(inv_d + first) - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    T y[4];
    unroll<4>([&](auto step) {
      constexpr int j = 3 - step.value;
      y[j] = given.x[j];
      unroll<step.value>([&](auto i) { y[j] = y[j] - l[j * s + 3 - i.value] * y[3 - i.value]; });
    });
    Lanes<T>(y[0], y[1], y[2], y[3]).store(x + first);
  }
}

// x := (L D L^T)^-1 x.
template <class T>
inline void solve_dense(const T* F, const T* inv_d, int s, T* x) {
  solve_forward(F, s, s, x);
  solve_backward(F, inv_d, s, s, x);
}

TENON_ISA_END
}  // namespace tenon
