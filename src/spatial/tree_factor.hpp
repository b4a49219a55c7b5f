// L of A = L^T L, A symmetric positive definite and sparse along a tree: row k has entries at k, parent[k] < k, and so on
// to the root, none else, and so has L ([RBDA] table 6.3). Cost: O(n d^2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "spatial/rotation.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A := L; the lower triangle row by row, without gaps. False if a pivot is not positive: row k is then no number.
template <class T>
bool factor_along_tree(int n, const std::int32_t* parent, T* A) {
  const auto row = [A](int i) { return A + std::ptrdiff_t{i} * (i + 1) / 2; };
  bool positive = true;
  for (int k = n - 1; k >= 0; --k) {
    T* const L = row(k);
    positive = positive && L[k] > T(0);
    const T scale = T(1) / square_root(L[k]);
    for (int i = k; i >= 0; i = parent[i]) L[i] = L[i] * scale;
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      T* const M = row(i);
      const T x = L[i];
      for (int j = i; j >= 0; j = parent[j]) M[j] = M[j] - x * L[j];
    }
  }
  return positive;
}

TENON_ISA_END
}  // namespace tenon
