// L of A = L^T L, A symmetric positive definite and sparse along a tree: row k has entries at k, parent[k] < k, and so on
// to the root, none else, and so has L ([RBDA] table 6.3). Cost: O(n d^2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "spatial/rotation.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Calls each(j, C) for the numbers j, j - 1, ..., j - C + 1 of a path, from j on: those of a chain together, so that each does not
// wait for the parent of the last one.
template <class Each>
TENON_INLINE void for_path(const std::int32_t* parent, int j, const Each& each) {
  while (j >= 0) {
    if (j >= 3 && parent[j] == j - 1 && parent[j - 1] == j - 2 && parent[j - 2] == j - 3) {
      each(j, std::integral_constant<int, 4>{});
      j = parent[j - 3];
    } else {
      each(j, std::integral_constant<int, 1>{});
      j = parent[j];
    }
  }
}

// A := L; the lower triangle row by row, without gaps. False if a pivot is not positive: row k is then no number.
template <class T>
bool factor_along_tree(int n, const std::int32_t* parent, T* A) {
  const auto row = [A](int i) { return A + std::ptrdiff_t{i} * (i + 1) / 2; };
  bool positive = true;
  for (int k = n - 1; k >= 0; --k) {
    T* const L = row(k);
    positive = positive && L[k] > T(0);
    const T scale = T(1) / square_root(L[k]);
    for_path(parent, k, [&](int i, auto count) TENON_INLINE_LAMBDA {
      for (int c = 0; c < count; ++c) L[i - c] = L[i - c] * scale;
    });
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      T* const M = row(i);
      const T x = L[i];
      for_path(parent, i, [&](int j, auto count) TENON_INLINE_LAMBDA {
        for (int c = 0; c < count; ++c) M[j - c] = M[j - c] - x * L[j - c];
      });
    }
  }
  return positive;
}

// X := A^-1, n x n with both triangles, from its L, which becomes L^-1: that has the same entries, and a number of
// A^-1 = L^-1 L^-T is a sum over the common ancestors of its row and its column. subtree_end: of k, past the last one
// below it; the numbers below one are contiguous. Cost: O(n d^2 + n^2 d).
// X is room too.
template <class T>
void invert_along_tree(int n, const std::int32_t* parent, const std::int32_t* subtree_end, T* L, T* X) {
  constexpr int at_once = 4;  // sums that do not wait for each other
  const auto row = [L](int i) { return L + std::ptrdiff_t{i} * (i + 1) / 2; };
  for (int k = 0; k < n; ++k) {
    T *const K = row(k), *const result = X;  // K is read to the end
    const T inverse = T(1) / K[k];
    // Numbers j of the path, its next ones above it: those i of it that all share, then the others.
    const auto sum_up = [&](const int(&j)[at_once], auto count) {
      constexpr int C = decltype(count)::value;
      T sum[C] = {};
      int i = parent[k];
      const auto add = [&](int from) {
        for (int c = from; c < C; ++c) sum[c] = sum[c] + K[i] * row(i)[j[c]];
      };
      for (; i > j[0]; i = parent[i]) add(0);
      for (int from = 0; from < C; ++from, i = parent[i]) add(from);
      for (int c = 0; c < C; ++c) result[j[c]] = -inverse * sum[c];
    };
    for (int first = parent[k]; first >= 0;) {
      int j[at_once], count = 0;
      for (; first >= 0 && count < at_once; first = parent[first]) j[count++] = first;
      if (count == at_once)
        sum_up(j, std::integral_constant<int, at_once>{});
      else
        for (int c = 0; c < count; ++c) sum_up({j[c]}, std::integral_constant<int, 1>{});
    }
    for (int j = parent[k]; j >= 0; j = parent[j]) K[j] = result[j];
    K[k] = inverse;
  }
  for (int i = 0; i < n; ++i) {
    const T* const K = row(i);
    int common = i;
    // Numbers j, j - 1, ..: over what they have in common with i, and each of a chain of them over those of them above it too.
    const auto sum_up = [&](int j, int above, auto count, bool chain) {
      constexpr int C = decltype(count)::value;
      T sum[C] = {};
      for (int k = above; k >= 0; k = parent[k])
        for (int c = 0; c < C; ++c) sum[c] = sum[c] + K[k] * row(j - c)[k];
      for (int c = 0; chain && c < C; ++c)
        for (int e = 0; e <= c; ++e) sum[e] = sum[e] + K[j - c] * row(j - e)[j - c];
      for (std::ptrdiff_t c = 0; c < C; ++c) X[i + (j - c) * n] = X[j - c + std::ptrdiff_t{i} * n] = sum[c];
    };
    constexpr std::integral_constant<int, at_once> several{};
    for (int j = i; j >= 0;) {
      while (common >= 0 && (common > j || subtree_end[common] <= j)) common = parent[common];
      const int last = j - at_once + 1;
      bool chain = common == j && last >= 0;
      for (int e = j; chain && e > last; --e) chain = parent[e] == e - 1;
      if (chain) {
        sum_up(j, parent[last], several, true);
        j = last - 1;
      } else if (last > common) {
        sum_up(j, common, several, false);
        j = last - 1;
      } else {
        sum_up(j--, common, std::integral_constant<int, 1>{}, false);
      }
    }
  }
}

TENON_ISA_END
}  // namespace tenon
