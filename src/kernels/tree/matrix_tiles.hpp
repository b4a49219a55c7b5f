// The matrices of derivatives/rnea_derivatives.hpp from the fields over coordinates, in tiles: some columns of a run and a pack of rows of
// their subtree, and the same mirrored at the diagonal. Coordinates of each subtree are numbered one after the other.
//
// All that a tile computes it may write: where rows do not fill packs, the last pack goes back over rows of the one before,
// with the same bits. So masks are needed only near the leaves. Cost O(n d), and O(n^2) for the zeros.
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The matrices that one pass over pairs of coordinates writes. What they share is loaded once.
template <bool by_q_, bool by_v_, bool mass_>
struct MatrixSet {
  static constexpr bool by_q = by_q_, by_v = by_v_, mass = mass_;
};
template <class T>
struct Matrices {
  T *by_q, *by_v, *mass;
  std::int64_t ld;
};

// The entries of one matrix for some coordinates j and those of their subtree in lanes, k: (k, j) and (j, k).
template <class L, int columns>
struct PairEntries {
  L lower[columns], upper[columns];
};
template <class L, int columns>
struct PairsOfMatrices {
  PairEntries<L, columns> by_q, by_v, mass;
};

// Stores the first n lanes; without a mask but of three.
template <int n, class T>
TENON_INLINE void store_columns(const Lanes<T>& x, T* to) {
  if constexpr (n == 3)
    store_first(x, n, to);
  else
    std::memcpy(static_cast<void*>(to), &x.x, n * sizeof(T));
}

// Of four columns at most, after a transpose: what lane `row` of each was.
template <int row, class T, int W>
TENON_INLINE Lanes<T> row_of(const Lanes<T, W> (&x)[4]) {
  if constexpr (W == 4)
    return x[row];
  else
    return half_of<row / 4>(x[row % 4]);
}
template <int columns, class L>
TENON_INLINE void transpose_columns(const L (&x)[columns], L (&out)[4]) {
  for (int c = 0; c < 4; ++c) out[c] = x[c < columns ? c : 0];
  transpose(out[0], out[1], out[2], out[3]);
}

// Stores them: columns i to i + columns - 1, rows k to k + W - 1 of A, and the transpose. Row-major exchanges what is
// stored as it is and what is transposed.
template <MatrixOrder order, int columns, class L, class T>
TENON_INLINE void store_pairs(const PairEntries<L, columns>& x, int i, int k, T* A, std::int64_t ld) {
  const L(&along)[columns] = order == MatrixOrder::rows ? x.upper : x.lower;
  const L(&across)[columns] = order == MatrixOrder::rows ? x.lower : x.upper;
  T *const below = A + k + i * ld, *const beside = A + i + k * ld;
  for (int c = 0; c < columns; ++c) along[c].store(below + c * ld);
  L rows[4];
  transpose_columns(across, rows);
  unroll<L::count>([&](auto r)
                       TENON_INLINE_LAMBDA { store_columns<columns>(row_of<r>(rows), beside + r * ld); });
}
// The same where k = i, of `count` rows. What is above the diagonal is taken from `upper`, the diagonal itself from `lower`,
// for the same bits in both orders.
template <MatrixOrder order, int columns, class L, class T>
TENON_INLINE void store_square(const PairEntries<L, columns>& x, int i, int count, T* A, std::int64_t ld) {
  const L(&along)[columns] = order == MatrixOrder::rows ? x.upper : x.lower;
  const L(&across)[columns] = order == MatrixOrder::rows ? x.lower : x.upper;
  T* const corner = A + i + i * ld;
  L rows[4];
  transpose_columns(across, rows);
  unroll<columns>([&](auto c) TENON_INLINE_LAMBDA {
    constexpr int taken = c.value + (order == MatrixOrder::rows ? 1 : 0);
    const L column = replace_first<taken>(along[c], rows[c]);
    store_first(column, count, corner + c * ld);
  });
  unroll<L::count>([&](auto r) TENON_INLINE_LAMBDA {
    if constexpr (r >= columns)
      if (r < count) store_columns<columns>(row_of<r>(rows), corner + r * ld);
  });
}

// Of coordinates i to i + columns - 1 with those from k on.
template <class Set, int columns, class L, class T>
TENON_INLINE void pair_entries(std::int64_t stride, int i, int k, PairsOfMatrices<L, columns>& x,
                               const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  // sum[c] += the numbers of the columns times that of the pack.
  const auto add = [&](auto first, L(&sum)[columns], const T* numbers, const L& pack) TENON_INLINE_LAMBDA {
    for (int c = 0; c < columns; ++c) {
      const L product = L(numbers[c]) * pack;
      sum[c] = first ? product : sum[c] + product;
    }
  };
  unroll<6>([&](auto e) TENON_INLINE_LAMBDA {
    constexpr std::bool_constant<e.value == 0> first{};
    const std::int64_t component = e * stride;
    const L F = L::load(w.F_root + component + k);
    const T* const S = w.S_root + component + i;
    if constexpr (Set::by_q) add(first, x.by_q.upper, S, L::load(d.F_q + component + k));
    if constexpr (Set::by_v) add(first, x.by_v.upper, S, L::load(d.F_v + component + k));
    if constexpr (Set::mass) add(first, x.mass.lower, S, F);
    if constexpr (Set::by_q) add(first, x.by_q.lower, d.psi_ddot + component + i, F);
    if constexpr (Set::by_v) add(first, x.by_v.lower, d.S_rate + component + i, F);
  });
  unroll<Set::by_q || Set::by_v ? 3 : 0>([&](auto e) TENON_INLINE_LAMBDA {
    const L N = L::load(d.N + e * stride + k);
    if constexpr (Set::by_q) add(std::false_type{}, x.by_q.lower, d.psi_dot + e * stride + i, N);
    if constexpr (Set::by_v) add(std::false_type{}, x.by_v.lower, w.S_root + e * stride + i, N);
  });
  if constexpr (Set::mass)
    for (int c = 0; c < columns; ++c) x.mass.upper[c] = x.mass.lower[c];
}
// Calls each(entries, matrix) for those of a set.
template <class Set, class X, class T, class Each>
TENON_INLINE void for_matrices(const X& x, const Matrices<T>& to, const Each& each) {
  if constexpr (Set::by_q) each(x.by_q, to.by_q);
  if constexpr (Set::by_v) each(x.by_v, to.by_v);
  if constexpr (Set::mass) each(x.mass, to.mass);
}

// Columns i to i + columns - 1 of one run, from the diagonal to the end of their subtree, and the same rows.
template <class Set, MatrixOrder order, int columns, class T>
TENON_NOINLINE void fill_pairs(std::int64_t stride, int i, int end, const Matrices<T>& to,
                               const DerivativeData<T>& d, const WorkspaceData<T>& w) {
  using L = Wide<T>;
  constexpr int W = L::count;
  const auto fill_square = [&](auto lanes, int rows) TENON_INLINE_LAMBDA {
    PairsOfMatrices<Lanes<T, lanes>, columns> x;
    pair_entries<Set>(stride, i, i, x, d, w);
    for_matrices<Set>(x, to, [&](const auto& entries, T* A) TENON_INLINE_LAMBDA {
      store_square<order>(entries, i, rows, A, to.ld);
    });
  };
  const int rows = end - i;
  if (rows == columns) return fill_square(std::integral_constant<int, 4>{}, columns);
  // The last pack ends with the subtree. What it writes of the square is written again.
  for (int k = i + W; k < end; k += W) {
    const int at = k + W < end ? k : end - W;
    PairsOfMatrices<L, columns> x;
    pair_entries<Set>(stride, i, at, x, d, w);
    for_matrices<Set>(x, to, [&](const auto& entries, T* A) TENON_INLINE_LAMBDA {
      store_pairs<order>(entries, i, at, A, to.ld);
    });
  }
  fill_square(std::integral_constant<int, W>{}, rows < W ? rows : W);
}
// Zeros for pairs on different branches, of all matrices of a set.
template <class Set, class T>
TENON_INLINE void clear_gaps(const DofRun& run, const Matrices<T>& to) {
  if constexpr (Set::by_q && Set::by_v && Set::mass)
    clear_gaps(run, to.ld, to.by_q, to.by_v, to.mass);
  else if constexpr (Set::by_q && Set::by_v)
    clear_gaps(run, to.ld, to.by_q, to.by_v);
  else
    clear_gaps(run, to.ld, Set::by_q ? to.by_q : Set::by_v ? to.by_v : to.mass);
}

// The columns of a floating root and the same rows, in packs of W rows. Their columns of S are those of the identity, what they
// hang on rests: psi_dot is zero, and of psi_ddot = [0; a x S.w] and S_rate = v x S what is not zero is known.
template <class Set, MatrixOrder order, int W, class T>
TENON_NOINLINE void fill_root(std::int64_t stride, int end, const Matrices<T>& to, const DerivativeData<T>& d,
                              const WorkspaceData<T>& w) {
  using L = Lanes<T, W>;
  constexpr bool in_rows = order == MatrixOrder::rows;
  const auto store_along = [&](const L(&x)[6], int k, T* A) TENON_INLINE_LAMBDA {
    for (int c = 0; c < 6; ++c) x[c].store(A + k + c * to.ld);
  };
  const auto store_across = [&](const L(&x)[6], int k, T* A) TENON_INLINE_LAMBDA {
    const L first[4] = {x[0], x[1], x[2], x[3]}, last[2] = {x[4], x[5]};
    L of_first[4], of_last[4];
    transpose_columns(first, of_first), transpose_columns(last, of_last);
    unroll<W>([&](auto r) TENON_INLINE_LAMBDA {
      T* const row = A + (k + r) * to.ld;
      row_of<r>(of_first).store(row), store_columns<2>(row_of<r>(of_last), row + 4);
    });
  };
  const auto store_lower = [&](const L(&x)[6], int k, T* A) TENON_INLINE_LAMBDA {
    in_rows ? store_across(x, k, A) : store_along(x, k, A);
  };
  const auto store_upper = [&](const L(&x)[6], int k, T* A) TENON_INLINE_LAMBDA {
    in_rows ? store_along(x, k, A) : store_across(x, k, A);
  };
  // Of coordinates k to k + W - 1. Within the root the formula for what is below the diagonal holds for all pairs, so it is
  // stored last.
  const auto fill_rows = [&](auto with_upper, int k) TENON_INLINE_LAMBDA {
    const auto load = [&](const T* field, L(&x)[6]) TENON_INLINE_LAMBDA {
      for (int e = 0; e < 6; ++e) x[e] = L::load(field + e * stride + k);
    };
    L F[6], upper[6];
    load(w.F_root, F);
    if constexpr (Set::by_q) {
      L lower[6];
      unroll<3>([&](auto c) TENON_INLINE_LAMBDA {
        constexpr int a = (c + 1) % 3 + 3, b = (c + 2) % 3 + 3;
        lower[c] = L(d.psi_ddot[a * stride + c]) * F[a] + L(d.psi_ddot[b * stride + c]) * F[b];
        lower[c + 3] = L(T(0));
      });
      if constexpr (with_upper) load(d.F_q, upper), store_upper(upper, k, to.by_q);
      store_lower(lower, k, to.by_q);
    }
    if constexpr (Set::by_v) {
      L lower[6];
      unroll<3>([&](auto c) TENON_INLINE_LAMBDA {
        constexpr int a = (c + 1) % 3, b = (c + 2) % 3;
        const auto rate = [&](int e, int column) { return L(d.S_rate[e * stride + column]); };
        lower[c] = L::load(d.N + c * stride + k) + rate(a, c) * F[a] + rate(b, c) * F[b] +
                   rate(a + 3, c) * F[a + 3] + rate(b + 3, c) * F[b + 3];
        lower[c + 3] = rate(a + 3, c + 3) * F[a + 3] + rate(b + 3, c + 3) * F[b + 3];
      });
      if constexpr (with_upper) load(d.F_v, upper), store_upper(upper, k, to.by_v);
      store_lower(lower, k, to.by_v);
    }
    if constexpr (Set::mass) {
      if constexpr (with_upper) store_upper(F, k, to.mass);
      store_lower(F, k, to.mass);
    }
  };
  // The last pack ends with the robot.
  if (end % W) fill_rows(std::true_type{}, end - W);
  for (int k = end / W * W - W; k >= 0; k -= W) fill_rows(std::true_type{}, k);
  if constexpr (W < 6) fill_rows(std::false_type{}, end < 2 * W ? end - W : W);
  if constexpr (Set::mass)
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < c; ++r) to.mass[r + c * to.ld] = to.mass[c + r * to.ld];
}

template <class Set, MatrixOrder order, class T>
TENON_NOINLINE void fill_matrices(const ModelData& m, const Matrices<T>& to, const DerivativeData<T>& d,
                                  const WorkspaceData<T>& w) {
  const int stride = dof_stride(m), root = dofs_of_floating_root(m);
  // From the leaves to the root: each run writes its zeros first, then ancestors overwrite some of them.
  for (int r = w.run_count - 1; r >= 0; --r) {
    const DofRun& run = w.runs[r];
    clear_gaps<Set>(run, to);
    int i = run.first;
    if (i < root) {
      const auto fill = [&](auto lanes) { fill_root<Set, order, lanes>(stride, run.subtree_end, to, d, w); };
      if (run.subtree_end < wide_count<T>)
        fill(std::integral_constant<int, 4>{});
      else
        fill(std::integral_constant<int, wide_count<T>>{});
      i = root;
    }
    // What is left of fours comes first, where columns are longest.
    while (i < run.end) {
      const auto fill = [&](auto columns) {
        fill_pairs<Set, order, columns>(stride, i, run.subtree_end, to, d, w);
        i += columns;
      };
      switch ((run.end - i) % 4) {
        case 0:
          fill(std::integral_constant<int, 4>{});
          break;
        case 1:
          fill(std::integral_constant<int, 1>{});
          break;
        case 2:
          fill(std::integral_constant<int, 2>{});
          break;
        case 3:
          fill(std::integral_constant<int, 3>{});
      }
    }
  }
}

// The matrices that are wanted. With eight lanes a register holds, one pass has the registers for all of them.
template <MatrixOrder order, class T>
void fill_wanted(const ModelData& m, const Matrices<T>& to, const DerivativeData<T>& d,
                 const WorkspaceData<T>& w) {
  const auto fill = [&](auto set) { fill_matrices<decltype(set), order>(m, to, d, w); };
  bool mass = to.mass, done = false;
  if constexpr (wide_count<T> == 8) {
    if ((done = to.by_q && to.by_v))
      mass ? fill(MatrixSet<true, true, true>{}) : fill(MatrixSet<true, true, false>{});
    mass = mass && !done;
  }
  if (to.by_q && !done) fill(MatrixSet<true, false, false>{});
  if (to.by_v && !done) fill(MatrixSet<false, true, false>{});
  if (mass) fill(MatrixSet<false, false, true>{});
}

TENON_ISA_END
}  // namespace tenon
