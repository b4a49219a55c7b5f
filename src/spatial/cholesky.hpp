// Solves small dense systems of run-time size where speed does not matter: A x = b with A = L L^T symmetric
// positive definite, n x n, lower triangle by columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tenon {

// A := L. Pivots are raised to `floor`. Returns false if a pivot is not positive.
inline bool factor_positive(double* A, int n, double floor = 0) {
  for (int j = 0; j < n; ++j) {
    double* a = A + std::ptrdiff_t{j} * n;
    for (int k = 0; k < j; ++k) {
      const double* l = A + std::ptrdiff_t{k} * n;
      for (int i = j; i < n; ++i) a[i] -= l[i] * l[j];
    }
    a[j] = std::max(a[j], floor);
    if (!(a[j] > 0)) return false;
    const double root = std::sqrt(a[j]);
    for (int i = j; i < n; ++i) a[i] /= root;
  }
  return true;
}

// x := L^-1 x.
inline void solve_lower(const double* L, int n, double* x) {
  for (int j = 0; j < n; ++j) {
    x[j] /= L[std::ptrdiff_t{j} * n + j];
    for (int i = j + 1; i < n; ++i) x[i] -= L[std::ptrdiff_t{j} * n + i] * x[j];
  }
}
// x := L^-T x.
inline void solve_upper(const double* L, int n, double* x) {
  for (int j = n - 1; j >= 0; --j) {
    for (int i = j + 1; i < n; ++i) x[j] -= L[std::ptrdiff_t{j} * n + i] * x[i];
    x[j] /= L[std::ptrdiff_t{j} * n + j];
  }
}
// x: b on entry, the solution on return.
inline void solve_with_factor(const double* L, int n, double* x) {
  solve_lower(L, n, x);
  solve_upper(L, n, x);
}

}  // namespace tenon
