// Solves X := sign M^-1 X of many columns, by any factor of M: two packs of columns at a time in lanes, a row of them a step.
// X has the sparsity of the tree: the inward sweep passes only rows that a column reaches, those of its subtree and of its
// ancestors. Row-major matrices are solved where they lie.
//
// A factor has
//   inward(x, first, end)   of the rows that coordinates first to end - 1 and their ancestors have, from the leaves
//   outward(x, sign, first) of all rows, from the root; of those before row `first` only what others need
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A row of two packs of columns, so that sums of one row do not wait for each other.
template <class T>
struct RowOfColumns {
  using Part = Wide<T>;
  static constexpr int parts = 2, width = parts * Part::count;
  Part part[parts];
  template <class Of>
  TENON_INLINE static RowOfColumns of(const Of& each) {
    return {{each(0), each(1)}};
  }
  TENON_INLINE static RowOfColumns load(const T* p) {
    return of([&](int i) { return Part::load(p + Part::count * i); });
  }
  TENON_INLINE static RowOfColumns zero() {
    return of([](int) { return Part(T(0)); });
  }
  TENON_INLINE void store(T* p) const {
    for (int i = 0; i < parts; ++i) part[i].store(p + Part::count * i);
  }
  // this += s x, and -=.
  TENON_INLINE void add(const T& s, const RowOfColumns& x) {
    const Part factor(s);
    for (int i = 0; i < parts; ++i) part[i] = part[i] + factor * x.part[i];
  }
  TENON_INLINE void subtract(const T& s, const RowOfColumns& x) {
    const Part factor(s);
    for (int i = 0; i < parts; ++i) part[i] = part[i] - factor * x.part[i];
  }
  TENON_INLINE friend RowOfColumns operator*(const T& s, const RowOfColumns& x) {
    const Part factor(s);
    return of([&](int i) { return factor * x.part[i]; });
  }
};

// Rows of two packs of columns: row i of pack p begins at part[p] + i * stride[p].
template <class T>
struct ColumnRows {
  using Row = RowOfColumns<T>;
  T* part[2];
  std::int64_t stride[2];

  TENON_INLINE explicit ColumnRows(T* x) : part{x, x + Row::Part::count}, stride{Row::width, Row::width} {}
  TENON_INLINE ColumnRows(T* one, std::int64_t one_stride, T* two, std::int64_t two_stride)
      : part{one, two}, stride{one_stride, two_stride} {}
  TENON_INLINE T* at(int p, int i) const { return part[p] + i * stride[p]; }
  TENON_INLINE Row load(int i) const {
    return Row::of([&](int p) { return Row::Part::load(at(p, i)); });
  }
  TENON_INLINE void store(int i, const Row& x) const {
    for (int p = 0; p < Row::parts; ++p) x.part[p].store(at(p, i));
  }
};

// A row of one column, and these rows one after the other.
template <class T>
struct OneColumn {
  static constexpr int width = 1;
  T x;
  TENON_INLINE static OneColumn load(const T* p) { return {*p}; }
  TENON_INLINE static OneColumn zero() { return {T(0)}; }
  TENON_INLINE void store(T* p) const { *p = x; }
  TENON_INLINE void add(const T& s, const OneColumn& y) { x = x + s * y.x; }
  TENON_INLINE void subtract(const T& s, const OneColumn& y) { x = x - s * y.x; }
  TENON_INLINE friend OneColumn operator*(const T& s, const OneColumn& y) { return {s * y.x}; }
};
template <class T>
struct RowsOfOneColumn {
  using Row = OneColumn<T>;
  T* x;
  TENON_INLINE Row load(int i) const { return {x[i]}; }
  TENON_INLINE void store(int i, const Row& row) const { x[i] = row.x; }
};

// A pack of columns of a matrix, from `first` on. A null: none, zeros.
template <class T>
struct ColumnPack {
  T* A;
  int first;
};

// Transposes rows r to r + 3 of two packs of columns, ld numbers apart, and puts them into x; and the reverse.
template <class T>
TENON_INLINE void load_columns(const ColumnPack<T> (&packs)[2], std::int64_t ld, int r, T* x) {
  using L = Wide<T>;
  for (int p = 0; p < 2; ++p) {
    L row[4] = {L(T(0)), L(T(0)), L(T(0)), L(T(0))};
    if (packs[p].A) {
      const T* A = packs[p].A + packs[p].first * ld + r;
      gather_packs<L::count>([&](int l) { return Lanes<T>::load(A + l * ld); }, row);
    }
    for (int e = 0; e < 4; ++e) row[e].store(x + RowOfColumns<T>::width * (r + e) + L::count * p);
  }
}
template <class T>
TENON_INLINE void store_columns(const T* x, int r, const ColumnPack<T> (&packs)[2], std::int64_t ld) {
  using L = Wide<T>;
  for (int p = 0; p < 2; ++p) {
    if (!packs[p].A) continue;
    L row[4];
    for (int e = 0; e < 4; ++e) row[e] = L::load(x + RowOfColumns<T>::width * (r + e) + L::count * p);
    T* A = packs[p].A + packs[p].first * ld + r;
    scatter_packs(row, [&](int l, const Lanes<T>& pack) { pack.store(A + l * ld); });
  }
}

// Where the rows of two packs of columns are during a solve: those of column-major matrices in d.columns.
template <class T>
TENON_INLINE ColumnRows<T> rows_in_solve(const ColumnPack<T> (&packs)[2], std::int64_t ld, MatrixOrder order,
                                         const DerivativeData<T>& d) {
  if (order == MatrixOrder::columns) return ColumnRows<T>(d.columns);
  T* const one = packs[0].A + packs[0].first;
  if (packs[1].A) return {one, ld, packs[1].A + packs[1].first, ld};
  Wide<T>(T(0)).store(d.columns);  // one row for all: zeros stay zero
  return {one, ld, d.columns, 0};
}

// What solve_column_packs begins with: the rows from `end` on become zero.
template <class T>
TENON_INLINE void place_right_side(const ModelData& m, RightSide right, const ColumnPack<T> (&packs)[2],
                                   int count, std::int64_t ld, MatrixOrder order, int end,
                                   const ColumnRows<T>& x) {
  using Row = RowOfColumns<T>;
  constexpr int W = Row::Part::count;
  const bool given = right == RightSide::tree || right == RightSide::full;
  if (order == MatrixOrder::columns) {
    for (int k = 0; k < m.nv; k += 4) {
      if (given && k < end) {
        load_columns(packs, ld, k, x.part[0]);
        continue;
      }
      for (int r = 0; r < 4; ++r) x.store(k + r, Row::zero());
    }
  } else if (!given) {
    for (int k = 0; k < m.nv; ++k) x.store(k, Row::zero());
  }
  for (int p = 0; (right == RightSide::unit || right == RightSide::unit_lower) && p < 2; ++p)
    for (int l = 0; packs[p].A && l < W && packs[p].first + l < count; ++l)
      x.at(p, packs[p].first + l)[l] = T(1);
}

// Two packs of columns of solve_columns.
template <class T, class Factor>
TENON_INLINE void solve_column_packs(const ModelData& m, RightSide right, const ColumnPack<T> (&packs)[2],
                                     int count, T sign, std::int64_t ld, MatrixOrder order,
                                     const Factor& factor, DerivativeData<T>& d) {
  constexpr int W = RowOfColumns<T>::Part::count;
  const int first = packs[0].first;
  int end = right == RightSide::full ? m.nv : 0;  // of the rows that these columns reach
  for (const ColumnPack<T>& pack : packs) {
    if (!pack.A || right == RightSide::full || right == RightSide::zero) continue;
    const int last = pack.first + W < count ? pack.first + W : count;  // columns of coordinates
    end = last > end ? last : end;
    for (int k = pack.first; right == RightSide::tree && k < last; ++k)
      end = d.subtree_end[k] > end ? d.subtree_end[k] : end;
  }
  const ColumnRows<T> x = rows_in_solve(packs, ld, order, d);
  place_right_side(m, right, packs, count, ld, order, end, x);
  if (end > 0) factor.inward(x, right == RightSide::full ? 0 : first, end);
  factor.outward(x, sign, right == RightSide::unit_lower ? first : 0);
  for (int k = 0; order == MatrixOrder::columns && k < m.nv; k += 4) store_columns(d.columns, k, packs, ld);
}

// A := sign M^-1 A, and B alike (null: none), for `count` columns. A, B: rows to whole packs and columns to whole eights, of
// which those behind are not used.
template <class T, class Factor>
TENON_INLINE void solve_columns(const ModelData& m, RightSide right, int count, T sign, T* A, T* B,
                                std::int64_t ld, MatrixOrder order, const Factor& factor,
                                DerivativeData<T>& d) {
  constexpr int W = RowOfColumns<T>::Part::count;
  const auto solve = [&](const ColumnPack<T>& one, const ColumnPack<T>& two) {
    solve_column_packs(m, right, {one, two}, count, sign, ld, order, factor, d);
  };
  if (A && B)
    for (int c = 0; c < count; c += W) solve({A, c}, {B, c});
  else if (T* const one = A ? A : B)
    for (int c = 0; c < count; c += 2 * W) solve({one, c}, {c + W < count ? one : nullptr, c + W});
}

TENON_ISA_END
}  // namespace tenon
