// M^-1 as a matrix, from the sparse factor M = L^T D L (ltl.hpp). X = L^-1 has the sparsity of L, and with the ancestors of i, i itself
// included,
//
//   X_ik = - sum of L_ij X_jk over ancestors j of i other than i,  X_ii = 1
//   (M^-1)_ij = sum of X_ik X_jk / D_k over the common ancestors k of i and j
//
// X lies where the result goes, column-major: the column of k has the subtree of k, so that rows are in lanes. The result takes
// its place from the last columns on, which read the ones before. As many coordinates of a run as there are lanes go at once. Cost
// O(n d^2) for X and O(n^2 d) for the products, with coordinates of each subtree numbered one after the other.
#pragma once

#include <algorithm>

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/ltl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Coordinates `first` to `first` + count - 1 of a run, and those from the root down to the last of them: ranges.
struct RunPart {
  int first, count;
  const CoordinateRange* ranges;
  int range_count;

  template <class T>
  RunPart(int run, int first_, int count_, const DerivativeData<T>& d)
      : first(first_),
        count(count_),
        ranges(d.related + d.related_begin[run]),
        range_count(d.related_begin[run + 1] - d.related_begin[run]) {}
  // Where range r of the coordinates before `end` ends.
  TENON_INLINE int end_of(int r, int end) const { return ranges[r].end < end ? ranges[r].end : end; }
};

// Minus the rows of L of a part, from the left times the inverse of its triangle: for each ancestor the rows in lanes, to `room`. That
// inverse goes to X.
template <int N, class T>
TENON_INLINE void place_run_part(const RunPart& part, const T* rows, T* room, T* X, std::int64_t ld,
                                 const WorkspaceData<T>& w) {
  using L = Wide<T>;
  static constexpr T unit[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  const int depth = w.dof_depth[part.first];
  const T* row[N];
  for (int r = 0; r < N; ++r) row[r] = rows + w.row_first[part.first + r];
  L U[N];
  unroll<N>([&](auto step) TENON_INLINE_LAMBDA {
    constexpr int t = N - 1 - step.value;
    U[t] = L::load(unit + 8 - t);
    unroll<step.value>([&](auto below) TENON_INLINE_LAMBDA {
      constexpr int s = N - 1 - below.value;
      U[t] = U[t] - L(row[s][depth + t]) * U[s];
    });
    store_some(U[t], N, X + (part.first + t) * ld + part.first);
  });
  for (int j = 0; j < depth; ++j) {
    L sum = -L(row[0][j]) * U[0];
    unroll<N - 1>([&](auto r) TENON_INLINE_LAMBDA { sum = sum - L(row[r + 1][j]) * U[r + 1]; });
    sum.store(room + L::count * j);
  }
}

// Columns k to k + columns - 1 of X, of range r, in the rows of a part. of_rows: what place_run_part placed for k and what follows.
template <int columns, class T>
TENON_INLINE void place_inverse_rows(const RunPart& part, int r, int k, const T* of_rows, T* X,
                                     std::int64_t ld) {
  using L = Wide<T>;
  L sum[columns];
  for (int c = 0; c < columns; ++c) sum[c] = L(T(0));
  const T* const column = X + k * ld;
  for (int j = k;; j = part.ranges[r].first) {
    for (const int end = part.end_of(r, part.first); j < end; ++j, of_rows += L::count) {
      const L x = L::load(of_rows);
      for (int c = 0; c < columns; ++c) sum[c] = sum[c] + L(column[c * ld + j]) * x;
    }
    if (++r == part.range_count) break;
  }
  for (int c = 0; c < columns; ++c) store_some(sum[c], part.count, X + (k + c) * ld + part.first);
}

// Rows `row` on, of packs, of X D^-1 X^T in the columns of a part, by coordinates up to `last`. scaled: rows of the part of X D^-1, a
// pack for each coordinate.
template <int N, int packs, class T>
TENON_INLINE void multiply_inverse_rows(const RunPart& part, int last, int row, const T* scaled, T* X,
                                        std::int64_t ld) {
  using L = Wide<T>;
  L sum[N][packs];
  for (int c = 0; c < N; ++c)
    for (int p = 0; p < packs; ++p) sum[c][p] = L(T(0));
  for (int r = 0; r < part.range_count; ++r) {
    int k = part.ranges[r].first;
    const T* x_k = X + k * ld + row;
    for (const int end = part.end_of(r, last + 1); k < end; ++k, scaled += L::count, x_k += ld) {
      L x[packs];
      for (int p = 0; p < packs; ++p) x[p] = L::load(x_k + L::count * p);
      for (int c = 0; c < N; ++c) {
        const L factor(scaled[c]);
        for (int p = 0; p < packs; ++p) sum[c][p] = sum[c][p] + factor * x[p];
      }
    }
  }
  for (int c = 0; c < N; ++c)
    for (int p = 0; p < packs; ++p) sum[c][p].store(X + (part.first + c) * ld + row + L::count * p);
}

// The lower half of M^-1, diagonal included; what is above it has no meaning. After ltl_factor. X: nv columns of leading
// dimension ld, with room to whole eights of rows and columns. room: eight numbers a coordinate, and eight more.
template <class T>
TENON_NOINLINE void place_lower_inverse(const ModelData& m, const T* rows, const T* inv_d, T* room, T* X,
                                        std::int64_t ld, const DerivativeData<T>& d,
                                        const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  for (int k = 0; k < m.nv; ++k)  // sums of four columns read three numbers above the diagonal
    for (int i = (k < 3 ? 0 : k - 3) / W * W; i < m.nv; i += W) L(T(0)).store(X + k * ld + i);
  for (int run = 0; run < w.run_count; ++run)
    for (int first = w.runs[run].first; first < w.runs[run].end; first += W) {
      const RunPart part(run, first, std::min(w.runs[run].end - first, W), d);
      with_size<W>(part.count,
                   [&](auto n) TENON_INLINE_LAMBDA { place_run_part<n>(part, rows, room, X, ld, w); });
      const T* of_rows = room;
      for (int r = 0; r < part.range_count; ++r)
        for (int k = part.ranges[r].first, end = part.end_of(r, first); k < end;) {
          const int columns = std::min(end - k, 4);
          with_size<4>(columns, [&](auto n) TENON_INLINE_LAMBDA {
            place_inverse_rows<n>(part, r, k, of_rows, X, ld);
          });
          k += columns, of_rows += W * columns;
        }
    }
  for (int run = w.run_count - 1; run >= 0; --run)
    for (int first = w.runs[run].first + (w.runs[run].end - w.runs[run].first - 1) / W * W;
         first >= w.runs[run].first; first -= W) {
      const RunPart part(run, first, std::min(w.runs[run].end - first, W), d);
      int last = first + part.count - 1;
      T* scaled = room;
      for (int r = 0; r < part.range_count; ++r)
        for (int k = part.ranges[r].first, end = part.end_of(r, last + 1); k < end; ++k, scaled += W)
          (L(inv_d[k]) * L::load(X + k * ld + first)).store(scaled);
      with_size<W>(part.count, [&](auto n) TENON_INLINE_LAMBDA {
        int row = first / W * W;
        const auto take = [&](auto packs) TENON_INLINE_LAMBDA {
          while (last >= 0 && d.subtree_end[last] <= row) last = m.v_parent[last];
          multiply_inverse_rows<n, packs>(part, last, row, room, X, ld);
          row += packs * W;
        };
        while (row + W < m.nv) take(std::integral_constant<int, 2>{});
        if (row < m.nv) take(std::integral_constant<int, 1>{});
      });
    }
}

TENON_ISA_END
}  // namespace tenon
