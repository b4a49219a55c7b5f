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

// Zero on and below the diagonal, padding included.
template <class T>
inline void clear_lower(int stride, T* matrix) {
  for (int j = 0; j < stride; ++j)
    for (int i = j / 4 * 4; i < stride; i += 4) Lanes<T>(T(0)).store(matrix + j * stride + i);
}

// The factor of one 4 x 4 tile on the diagonal: l[j][i] = L_ij and dl[j][i] = L_ij d_j, i > j.
template <class T>
struct DiagonalTile {
  T l[4][4] = {}, dl[4][4] = {};
};

// Factors a (column-major, earlier columns already subtracted); original: its diagonal before. Keeps in
// `smallest` the smallest ratio of a pivot to its original.
template <class T>
TENON_INLINE DiagonalTile<T> factor_tile(const T (&a)[4][4], const T* original, int columns, T* inv_d,
                                         T& smallest) {
  DiagonalTile<T> t;
  for (int j = 0; j < 4; ++j) {
    inv_d[j] = T(0);
    if (j >= columns) continue;
    T d = a[j][j];
    for (int k = 0; k < j; ++k) d = d - t.l[k][j] * t.dl[k][j];
    smallest = d < smallest * original[j] ? d / original[j] : smallest;
    // The return value reports a vanished pivot; what is computed after it must only stay finite.
    inv_d[j] = d > T(0) ? T(1) / d : T(0);
    for (int i = j + 1; i < columns; ++i) {
      T x = a[j][i];
      for (int k = 0; k < j; ++k) x = x - t.l[k][i] * t.dl[k][j];
      t.dl[j][i] = x;
      t.l[j][i] = x * inv_d[j];
    }
  }
  return t;
}

// A + diag(damping) = L D L^T. F: L below its diagonal, zeros elsewhere in the diagonal tiles. scaled: 4 s
// numbers of scratch. Returns the smallest ratio of a pivot to its diagonal element: how near to singular the
// matrix is.
template <class T>
inline T factor_dense(const T* A, const T* damping, int n, int s, T* F, T* inv_d, T* scaled) {
  T smallest(1);
  for (int first = 0; first < n; first += 4) {
    const int columns = n - first < 4 ? n - first : 4;
    for (int k = 0; k < first; ++k) {
      const T d = inv_d[k] > T(0) ? T(1) / inv_d[k] : T(0);
      (Lanes<T>::load(F + k * s + first) * Lanes<T>(d)).store(scaled + 4 * k);
    }
    DiagonalTile<T> t;
    for (int row = first; row < s; row += 4) {
      Lanes<T> tile[4];
      for (int j = 0; j < 4; ++j) tile[j] = Lanes<T>::load(A + (first + j) * s + row);
      for (int k = 0; k < first; ++k) {
        const Lanes<T> x = Lanes<T>::load(F + k * s + row);
        for (int j = 0; j < 4; ++j) tile[j] = tile[j] - x * Lanes<T>(scaled[4 * k + j]);
      }
      if (row == first) {
        T a[4][4], original[4];
        for (int j = 0; j < 4; ++j) {
          tile[j].store(a[j]);
          a[j][j] = a[j][j] + damping[first + j];
          original[j] = A[(first + j) * s + first + j] + damping[first + j];
        }
        t = factor_tile(a, original, columns, inv_d + first, smallest);
        for (int j = 0; j < 4; ++j) Lanes<T>::load(t.l[j]).store(F + (first + j) * s + first);
        continue;
      }
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < j; ++k) tile[j] = tile[j] - tile[k] * Lanes<T>(t.l[k][j]);
        (tile[j] * Lanes<T>(inv_d[first + j])).store(F + (first + j) * s + row);
      }
    }
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
