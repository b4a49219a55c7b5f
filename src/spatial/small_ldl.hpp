// L D L^T of a small symmetric positive definite matrix, row-major: n rows of ld numbers. Only the lower
// triangle is read.
#pragma once

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A = L D L^T in place, unit L below the diagonal, 1 / D on it. see(j, d): sees each pivot, and may change it.
template <class T, class See>
TENON_INLINE void factor_ldl(int n, int ld, T* A, const See& see) {
  for (int j = 0; j < n; ++j) {
    T* a = A + ld * j;
    T d = a[j];
    for (int k = 0; k < j; ++k) {
      const T x = a[k];            // still L_jk d_k
      a[k] = x * A[(ld + 1) * k];  // 1 / d_k
      d = d - a[k] * x;
    }
    see(j, d);
    for (int i = j + 1; i < n; ++i) {
      T x = A[ld * i + j];
      for (int k = 0; k < j; ++k) x = x - A[ld * i + k] * a[k];
      A[ld * i + j] = x;
    }
    a[j] = T(1) / d;
  }
}
// Returns false if a pivot is not positive.
template <class T>
TENON_INLINE bool factor_ldl(int n, int ld, T* A) {
  bool positive = true;
  factor_ldl(n, ld, A, [&](int, const T& d) { positive = positive && d > T(0); });
  return positive;
}
// x := (L D L^T)^-1 x.
template <class T>
TENON_INLINE void solve_ldl(int n, int ld, const T* A, T* x) {
  for (int i = 0; i < n; ++i) {
    T rest = x[i];  // in a register: a sum in memory would wait for each store
    for (int k = 0; k < i; ++k) rest = rest - A[ld * i + k] * x[k];
    x[i] = rest;
  }
  for (int i = n - 1; i >= 0; --i) {
    T rest = x[i] * A[(ld + 1) * i];
    for (int k = n - 1; k > i; --k) rest = rest - A[ld * k + i] * x[k];
    x[i] = rest;
  }
}

// The same for a size known to the compiler, as straight code: one pivot waits for the other, and in loops each
// would wait for memory too. The first J columns are done.
template <int N, int J = 0, class T>
TENON_INLINE bool factor_ldl(T (&A)[N][N]) {
  if constexpr (J < N) {
    const bool positive = A[J][J] > T(0);
    A[J][J] = T(1) / A[J][J];
#pragma GCC unroll 8
    for (int i = N - 1; i > J; --i) {
      const T L = A[i][J] * A[J][J];
#pragma GCC unroll 8
      for (int k = J + 1; k < N; ++k)
        if (k <= i) A[i][k] = A[i][k] - L * A[k][J];  // still L_kJ d_J
      A[i][J] = L;
    }
    return factor_ldl<N, J + 1>(A) && positive;
  } else {
    return true;
  }
}
template <int N, class T>
TENON_INLINE void solve_ldl(const T (&A)[N][N], T (&x)[N]) {
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k)
#pragma GCC unroll 8
    for (int i = 1; i < N; ++i)
      if (i > k) x[i] = x[i] - A[i][k] * x[k];
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) x[i] = x[i] * A[i][i];
#pragma GCC unroll 8
  for (int k = N - 1; k > 0; --k)
#pragma GCC unroll 8
    for (int i = 0; i < N - 1; ++i)
      if (i < k) x[i] = x[i] - A[k][i] * x[k];
}

TENON_ISA_END
}  // namespace tenon
