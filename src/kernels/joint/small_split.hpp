// The split of loop constraints into dependent and independent coordinates: least squares with a matrix of a
// few rows and columns, and the decision whether its columns are independent.
#pragma once

#include <cmath>

#include "data/rank.hpp"
#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE T magnitude(const T& x) {
  return x < T(0) ? -x : x;
}

template <class T>
inline T largest_entry(const T* A, int count) {
  T largest(0);
  for (int i = 0; i < count; ++i) {
    const T x = magnitude(A[i]);
    if (x > largest) largest = x;
  }
  return largest;
}

template <class T>
inline void swap_rows(T* A, int rows, int columns, int i, int j) {
  for (int c = 0; c < columns; ++c) {
    const T x = A[c * rows + i];
    A[c * rows + i] = A[c * rows + j];
    A[c * rows + j] = x;
  }
}

// One or two rows and as many unknowns, as nearly all loops have: by the determinant, with one division and
// no search for pivots.
template <class T>
TENON_INLINE bool solve_one(T* A, int columns, const T& largest) {
  if (!(largest > T(0))) return false;
  const T inverse = T(1) / A[0];
  for (int c = 1; c < columns; ++c) A[c] = inverse * A[c];
  return true;
}
template <class T>
TENON_INLINE T determinant_of(const T* p, const T* q) {
  return p[0] * q[1] - p[1] * q[0];
}
// Whether a matrix of two rows and columns with this determinant and largest entry is not singular.
template <class T>
TENON_INLINE bool determines(const T& determinant, const T& largest) {
  return magnitude(determinant) > T(singular_split) * (largest * largest);
}
// The inverse of the matrix with columns p and q.
template <class T>
struct TwoByTwo {
  T a, b, c, d;

  TENON_INLINE TwoByTwo(const T* p, const T* q, const T& determinant) {
    const T inverse = T(1) / determinant;
    a = inverse * p[0], b = inverse * q[0], c = inverse * p[1], d = inverse * q[1];
  }
  TENON_INLINE T first(const T* x) const { return d * x[0] - b * x[1]; }
  TENON_INLINE T second(const T* x) const { return a * x[1] - c * x[0]; }
};
template <class T>
TENON_INLINE void solve_two_by(const T& determinant, T* A, int columns) {
  const TwoByTwo<T> inverse(A, A + 2, determinant);
  for (int k = 2; k < columns; ++k) {
    T* x = A + 2 * k;
    const T first = inverse.first(x);
    x[1] = inverse.second(x), x[0] = first;
  }
}
template <class T>
TENON_INLINE bool solve_two(T* A, int columns, const T& largest) {
  const T determinant = determinant_of(A, A + 2);
  if (!determines(determinant, largest)) return false;
  solve_two_by(determinant, A, columns);
  return true;
}

// As many rows as unknowns: elimination with row pivoting.
template <class T>
inline T eliminate_square(T* A, int n, int columns) {
  T smallest = magnitude(A[0]);
  for (int j = 0; j < n; ++j) {
    int pivot = j;
    for (int i = j + 1; i < n; ++i)
      if (magnitude(A[j * n + i]) > magnitude(A[j * n + pivot])) pivot = i;
    const T size = magnitude(A[j * n + pivot]);
    if (j == 0 || size < smallest) smallest = size;
    if (!(size > T(0))) return T(0);
    if (pivot != j) swap_rows(A + j * n, n, columns - j, j, pivot);
    const T inverse = T(1) / A[j * n + j];
    for (int i = j + 1; i < n; ++i) A[j * n + i] = A[j * n + i] * inverse;
    for (int c = j + 1; c < columns; ++c)
      for (int i = j + 1; i < n; ++i) A[c * n + i] = A[c * n + i] - A[j * n + i] * A[c * n + j];
  }
  return smallest;
}

// Columns after j: b := b + beta a (a^T b), a in place of column j, in the rows from j on.
template <class T>
TENON_INLINE void reflect_columns(T* A, int rows, int j, int columns, const T& beta) {
  const T* a = A + j * rows;
  for (int c = j + 1; c < columns; ++c) {
    T* b = A + c * rows;
    T sum(0);
    for (int i = j; i < rows; ++i) sum = sum + a[i] * b[i];
    sum = sum * beta;
    for (int i = j; i < rows; ++i) b[i] = b[i] + sum * a[i];
  }
}

// Right-hand sides of the triangle in the first n columns.
template <class T>
TENON_INLINE void substitute_back(T* A, int rows, int n, int columns) {
  for (int c = n; c < columns; ++c) {
    T* x = A + c * rows;
    for (int j = n - 1; j >= 0; --j) {
      for (int k = j + 1; k < n; ++k) x[j] = x[j] - A[k * rows + j] * x[k];
      x[j] = x[j] / A[j * rows + j];
    }
  }
}

// More rows than unknowns: Householder reflections.
template <class T>
inline T eliminate_tall(T* A, int rows, int n, int columns) {
  using std::sqrt;
  T smallest(0);
  for (int j = 0; j < n; ++j) {
    T* a = A + j * rows;
    T squares(0);
    for (int i = j; i < rows; ++i) squares = squares + a[i] * a[i];
    const T length = sqrt(squares);
    if (j == 0 || length < smallest) smallest = length;
    if (!(length > T(0))) return T(0);
    const T alpha = a[j] > T(0) ? -length : length;
    a[j] = a[j] - alpha;
    const T beta = T(1) / (alpha * a[j]);  // -2 / |reflection vector|^2
    reflect_columns(A, rows, j, columns, beta);
    a[j] = alpha;
  }
  return smallest;
}

// A: rows x columns, column-major. The first n <= rows columns are the matrix, the others right-hand sides,
// whose first n rows become the least-squares solutions. Returns false when the columns of the matrix are
// linearly dependent; A is then undefined.
template <class T>
inline bool split_solve(T* A, int rows, int n, int columns) {
  if (n == 0) return true;
  const T largest = largest_entry(A, rows * n);
  if (rows == n && n == 1) return solve_one(A, columns, largest);
  if (rows == n && n == 2) return solve_two(A, columns, largest);
  const T smallest = rows == n ? eliminate_square(A, n, columns) : eliminate_tall(A, rows, n, columns);
  if (!(smallest > T(singular_split) * largest)) return false;
  substitute_back(A, rows, n, columns);
  return true;
}

TENON_ISA_END
}  // namespace tenon
