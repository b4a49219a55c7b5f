// L of A = L^T L, A symmetric positive definite and sparse along a tree: row k has entries at k, parent[k] < k, and so on
// to the root, none else, and so has L ([RBDA] table 6.3). Cost: O(n d^2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

// X := A^-1, n x n with both triangles, from its L, which becomes L^-1: that has the same entries, and a number of
// A^-1 = L^-1 L^-T is a sum over the common ancestors of its row and its column. subtree_end: of k, past the last one
// below it; the numbers below one are contiguous. Cost: O(n d^2 + n^2 d).
template <class T>
void invert_along_tree(int n, const std::int32_t* parent, const std::int32_t* subtree_end, T* L, T* X) {
  const auto row = [L](int i) { return L + std::ptrdiff_t{i} * (i + 1) / 2; };
  for (int k = 0; k < n; ++k) {
    T* const K = row(k);
    const T inverse = T(1) / K[k];
    for (int j = 0; j < k; ++j) {  // from the root, so that what is between j and k is still of L
      if (subtree_end[j] <= k) continue;
      T sum = K[parent[k]] * row(parent[k])[j];
      for (int i = parent[parent[k]]; i >= j; i = parent[i]) sum = sum + K[i] * row(i)[j];
      K[j] = -inverse * sum;
    }
    K[k] = inverse;
  }
  for (int i = 0; i < n; ++i) {
    const T* const K = row(i);
    int common = i;
    // Four numbers j, j - 1, .. at a time, where they have the same ancestors in common with i: sums that do not wait.
    const auto sum_up = [&](int j, auto count) {
      constexpr int C = decltype(count)::value;
      T sum[C] = {};
      for (int k = common; k >= 0; k = parent[k])
        for (int c = 0; c < C; ++c) sum[c] = sum[c] + K[k] * row(j - c)[k];
      for (std::ptrdiff_t c = 0; c < C; ++c) X[i + (j - c) * n] = X[j - c + std::ptrdiff_t{i} * n] = sum[c];
    };
    for (int j = i; j >= 0;) {
      while (common >= 0 && (common > j || subtree_end[common] <= j)) common = parent[common];
      constexpr int most = 4;
      if (j - most + 1 > common) {
        sum_up(j, std::integral_constant<int, most>{});
        j -= most;
      } else {
        sum_up(j--, std::integral_constant<int, 1>{});
      }
    }
  }
}

TENON_ISA_END
}  // namespace tenon
