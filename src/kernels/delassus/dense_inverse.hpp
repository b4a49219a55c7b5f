// Inverse of a dense positive definite matrix from its factor A = L D L^T (dense_ldl.hpp), in tiles of four:
// N = L^-1 row by row, then A^-1 = N^T D^-1 N. n^3 / 3 products.
#pragma once

#include "kernels/constrained/dense_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Row i of N is at N + i s; zeros to the right of its diagonal up to the end of the pack.
template <class T>
inline void invert_unit_lower(const T* F, int n, int s, T* N) {
  using V = Lanes<T>;
  for (int row = 0; row < n; row += 4) {
    const int rows = n - row < 4 ? n - row : 4;
    for (int pack = 0; pack <= row; pack += 4) {
      V sum[4];
      for (int a = 0; a < 4; ++a) {
        T unit[4] = {};
        if (pack == row) unit[a] = T(1);
        sum[a] = V::load(unit);
      }
      for (int k = pack; k < row; ++k) {
        const V x = V::load(N + k * s + pack);
        for (int a = 0; a < 4; ++a) sum[a] = sum[a] - V(F[k * s + row + a]) * x;
      }
      for (int a = 0; a < rows; ++a) {
        for (int k = 0; k < a; ++k) sum[a] = sum[a] - V(F[(row + k) * s + row + a]) * sum[k];
        sum[a].store(N + (row + a) * s + pack);
      }
    }
  }
}

// X := A^-1: its lower triangle, column-major, in whole tiles. Overwrites F.
template <class T>
inline void invert_dense(T* F, const T* inv_d, int n, int s, T* N, T* X) {
  using V = Lanes<T>;
  invert_unit_lower(F, n, s, N);
  for (int k = 0; k < n; ++k)
    for (int pack = 0; pack <= k; pack += 4)
      (V(inv_d[k]) * V::load(N + k * s + pack)).store(F + k * s + pack);
  for (int column = 0; column < n; column += 4) {
    for (int row = column; row < n; row += 4) {
      V sum[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      for (int k = row; k < n; ++k) {
        const V x = V::load(N + k * s + row);
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] + x * V(F[k * s + column + j]);
      }
      for (int j = 0; j < 4; ++j) sum[j].store(X + (column + j) * s + row);
    }
  }
}

TENON_ISA_END
}  // namespace tenon
