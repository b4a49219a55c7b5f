// Linear equations of dynamics with constraint rows,
//
//   M x - J^T y = f,   J x + R y = g
//
// for as many right-hand sides as there are coordinates; for one: solve_constrained_column of constrained/row_factor.hpp,
// whose notation this is, and which says what becomes of rows that depend on each other. With the factor of the rows
// H P = Q R and U = L^-1 D^-1/2 of M^-1 = U U^T, a basis of what forces do, spelled out once,
//
//   V = U Q1,  F = P S R11^-1      (Q1: the first columns of Q, as many as the rank, without rows of compliance)
//
// makes each solve a correction of the free one: as R11^-T S Z = Q1^T,
//
//   E = F^T g - V^T f,   x = M^-1 f + V E,   y = F E.
//
// These are products of blocks: a column costs n r multiply-adds at the full speed of a core, and no sweep over the factor.
// V has orthonormal columns in the metric of M, so that the condition of the rows does not come in by x. The free solve and U
// are those of chains (chain_columns.hpp), or of paths (by_chains): O(n r^2) or O(n r (d + r)) once, then O((n + m) r) or
// O(n d + (n + m) r) a column, r the rank.
#pragma once

#include "kernels/derivatives/block_product.hpp"
#include "kernels/derivatives/chain_columns.hpp"
#include "kernels/derivatives/ltl_columns.hpp"
#include "kernels/derivatives/results.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/tree/joint_space.hpp"
#include "kernels/tree/ltl_inverse.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Row i of x.
template <class T>
TENON_INLINE RowOfColumns<T> row_of_columns(const T* x, int i) {
  return RowOfColumns<T>::load(x + RowOfColumns<T>::width * i);
}
template <class T>
TENON_INLINE void put_row(const RowOfColumns<T>& row, T* x, int i) {
  row.store(x + RowOfColumns<T>::width * i);
}

// Forces x := root F F^T root^-1 x. Overwrites d.z, d.x.
template <class T>
inline void project_columns(const RowFactorData& f, T* x, RowDerivativeData<T>& d) {
  for (int r = 0; r < f.rows; ++r) {
    put_row(T(1) / T(f.root[r]) * row_of_columns(x, r), d.x, r);
    put_row(RowOfColumns<T>::zero(), x, r);
  }
  for (int i = 0; i < f.rank; ++i) {
    const double* basis = f.range + static_cast<std::int64_t>(i) * whole_packs(f.rows);
    RowOfColumns<T> sum = RowOfColumns<T>::zero();
    for (int r = 0; r < f.rows; ++r) sum.add(T(basis[r]), row_of_columns(d.x, r));
    for (int r = 0; r < f.rows; ++r) {
      RowOfColumns<T> at = row_of_columns(x, r);
      at.add(T(basis[r]), sum);
      put_row(at, x, r);
    }
  }
  for (int r = 0; r < f.rows; ++r) put_row(T(f.root[r]) * row_of_columns(x, r), x, r);
}

// Column of the factor at a place.
TENON_INLINE const double* factor_column(const RowFactorData& f, int place) {
  return f.columns + f.order[place] * f.stride;
}
// d.y := Q z for z with zeros from place `end` on.
template <class T>
inline void reflect_columns(const RowFactorData& f, int end, RowDerivativeData<T>& d) {
  for (int i = 0; i < f.length; ++i)
    put_row(i < end ? row_of_columns(d.z, i) : RowOfColumns<T>::zero(), d.y, i);
  for (int step = end - 1; step >= 0; --step) {
    const double* v = factor_column(f, step);
    RowOfColumns<T> sum = RowOfColumns<T>::zero();
    for (int i = step; i < f.length; ++i) sum.add(T(v[i]), row_of_columns(d.y, i));
    sum = T(1 / (f.diagonal[step] * v[step])) * sum;
    for (int i = step; i < f.length; ++i) {
      RowOfColumns<T> at = row_of_columns(d.y, i);
      at.add(T(v[i]), sum);
      put_row(at, d.y, i);
    }
  }
}
// d.b := P S R11^-1 z, the forces, for the same z. Overwrites d.z.
template <class T>
inline void substitute_backward(const RowFactorData& f, int end, RowDerivativeData<T>& d) {
  for (int r = 0; r < f.rows; ++r) put_row(RowOfColumns<T>::zero(), d.b, r);
  for (int k = end - 1; k >= 0; --k) {
    const RowOfColumns<T> x = T(1 / f.diagonal[k]) * row_of_columns(d.z, k);
    for (int j = 0; j < k; ++j) {
      RowOfColumns<T> at = row_of_columns(d.z, j);
      at.subtract(T(factor_column(f, k)[j]), x);
      put_row(at, d.z, j);
    }
    put_row(T(f.scale[f.order[k]]) * x, d.b, f.order[k]);
  }
  if (f.rank < f.rows) project_columns(f, d.b, d);
}
// The same of A = C D C^T itself (RowFactorData::gram): the columns from `first` to `end` of F = C^-T D^-1/2 in d.b, and of
// Z^T F in d.y, for the coordinates that rows may move.
template <class T>
inline void place_gram_columns(const ModelData& m, const ConstraintData& c, const RowFactorData& f, int first,
                               int end, RowDerivativeData<T>& d, const WorkspaceData<T>& w) {
  using std::sqrt;
  const int stride = whole_packs(f.rows);
  for (int r = 0; r < f.rows; ++r) put_row(RowOfColumns<T>::zero(), d.b, r);
  for (int i = first; i < end; ++i) d.b[RowOfColumns<T>::width * i + i - first] = sqrt(T(f.gram_inv_d[i]));
  for (int k = end - 1; k > 0; --k) {
    const RowOfColumns<T> x = row_of_columns(d.b, k);
    for (int j = 0; j < k; ++j) {
      RowOfColumns<T> at = row_of_columns(d.b, j);
      at.subtract(T(f.gram[j * stride + k]), x);
      put_row(at, d.b, j);
    }
  }
  for_moved_coordinates(m, c, [&](int i, int k) {
    const RowRange rows = rows_of_subtree(m, c, k);
    const T* Z = w.ZT + static_cast<std::int64_t>(k) * stride;
    RowOfColumns<T> sum = RowOfColumns<T>::zero();
    for (int r = rows.begin; r < rows.end && r < end; ++r) sum.add(Z[r], row_of_columns(d.b, r));
    put_row(sum, d.y, i);
  });
}

// After prox_ltl_start, or by chains chain_rows_start.
template <class T>
void place_row_basis(const ModelData& m, const ConstraintData& c, const RowFactorData& f, bool by_chains,
                     int ld, RowBasisData<T>& to, DerivativeData<T>& x, RowDerivativeData<T>& d,
                     const WorkspaceData<T>& w) {
  using Row = RowOfColumns<T>;
  constexpr int W = Row::Part::count;
  const int stride = whole_packs(f.rows);
  for (int first = 0; first < f.rank; first += Row::width) {
    const int end = first + Row::width < f.rank ? first + Row::width : f.rank,
              parts = first + W < end ? 2 : 1;
    if (f.gram) {
      place_gram_columns(m, c, f, first, end, d, w);
    } else {
      for (int i = 0; i < end; ++i) put_row(Row::zero(), d.z, i);
      for (int i = first; i < end; ++i) d.z[Row::width * i + i - first] = T(1);
      reflect_columns(f, end, d);
      substitute_backward(f, end, d);
    }
    for (int k = 0; k < whole_packs(m.nv); ++k) put_row(Row::zero(), x.columns, k);
    for_moved_coordinates(m, c, [&](int i, int k) { put_row(row_of_columns(d.y, i), x.columns, k); });
    const ColumnRows<T> columns(x.columns);
    if (by_chains) half_outward_by_chains(columns, x);
    for (int p = 0; !by_chains && p < w.panel_count; ++p)
      with_panel_size(w.panels[p], [&](auto size) {
        solve_panel_outward(PanelRows<size.value, const T>(w.H_L, w.panels[p], w), w.H_root_d, T(1), columns,
                            x.path);
      });
    for (int r = f.rows; r < stride; ++r) put_row(Row::zero(), d.b, r);
    for (int p = 0; p < parts; ++p) {
      const int at = first + W * p;
      for (int k = 0; k < m.nv; ++k) row_of_columns(x.columns, k).part[p].store(to.VT + k * to.ranks + at);
      for (int r = 0; r < f.rows; ++r) row_of_columns(d.b, r).part[p].store(to.FT + r * to.ranks + at);
    }
    const auto one = [&](T* A) -> ColumnPack<T> { return {A, first}; };
    const auto second = [&](T* A) -> ColumnPack<T> { return {parts > 1 ? A : nullptr, first + W}; };
    for (int k = 0; k < m.nv; k += 4) store_columns(x.columns, k, {one(to.V), second(to.V)}, ld);
    for (int r = 0; r < stride; r += 4) store_columns(d.b, r, {one(to.F), second(to.F)}, stride);
  }
}

// A block of the basis and its transpose, both column-major.
template <class T>
struct BasisBlock {
  const T* A;
  std::int64_t ld;
  const T* transposed;
  std::int64_t transposed_ld;
  int rows, columns;

  BasisBlock transpose() const { return {transposed, transposed_ld, A, ld, columns, rows}; }
};

// C := scale A B, or C + that, for right-hand sides of `count` columns. Whichever is contiguous of them, columns or rows,
// is in lanes.
template <class T>
TENON_INLINE void multiply_by(const BasisBlock<T>& a, const T* B, std::int64_t ldb, int count,
                              MatrixOrder order, T* C, std::int64_t ldc, T scale, bool adds) {
  if (order == MatrixOrder::columns)
    multiply({C, ldc, whole_packs(a.rows), scale, adds}, count, a.A, a.ld, B, ldb, a.columns);
  else
    multiply({C, ldc, whole_eights(count), scale, adds}, a.rows, B, ldb, a.transposed, a.transposed_ld,
             a.columns);
}

// E := - V^T X.
template <class T>
TENON_INLINE void place_in_basis(const ModelData& m, const BasisBlock<T>& V, RightSide right, int count,
                                 const T* X, std::int64_t ld, MatrixOrder order, T* E, std::int64_t lde,
                                 const DerivativeData<T>& x, const WorkspaceData<T>& w) {
  const bool by_rows = order == MatrixOrder::rows;
  const int rank = V.columns;
  switch (right) {
    case RightSide::tree:  // each run overwrites what the one before left behind its last column
      for (int r = 0; r < w.run_count; ++r) {
        const int first = w.runs[r].first, end = w.runs[r].end, begin = x.related_begin[r];
        const CoordinateRange* inner = x.related + begin;
        const int ranges = x.related_begin[r + 1] - begin;
        if (by_rows)
          multiply({E + first, lde, whole_packs(end - first), T(-1), false}, 0, rank, X + first, ld, V.A,
                   V.ld, inner, ranges);
        else
          multiply({E, lde, whole_packs(rank), T(-1), false}, first, end, V.transposed, V.transposed_ld, X,
                   ld, inner, ranges);
      }
      break;
    case RightSide::full:
      multiply_by(V.transpose(), X, ld, count, order, E, lde, T(-1), false);
      break;
    case RightSide::unit: {
      const int lines = by_rows ? rank : count, length = by_rows ? m.nv : rank;
      for (int i = 0; i < lines; ++i)
        for (int e = 0; e < length; e += 4)
          (-Lanes<T>::load(by_rows ? V.A + i * V.ld + e : V.transposed + i * V.transposed_ld + e))
              .store(E + i * lde + e);
      break;
    }
    case RightSide::unit_lower:  // of trees without rows
    case RightSide::zero:
      clear_packs(E, static_cast<int>((by_rows ? whole_packs(rank) : count) * lde));
      break;
  }
}

// X := sign x and, if wanted, G := sign y, for f = X, that of `right`, and g = G; with the identity G is not read. count
// columns, with room to whole eights, of whole packs of rows. After place_row_basis.
template <class T>
void solve_with_row_basis(const ModelData& m, const RowFactorData& f, bool by_chains, RightSide right,
                          int count, T sign, const RowRightSides<T>& sides, const RowBasisData<T>& basis,
                          DerivativeData<T>& x, const WorkspaceData<T>& w) {
  const MatrixOrder order = sides.order;
  const bool by_rows = order == MatrixOrder::rows;
  const std::int64_t ld = sides.ld, stride = whole_packs(f.rows), ldg = by_rows ? ld : stride,
                     lde = by_rows ? whole_eights(count + 3) : basis.ranks;
  const BasisBlock<T> V = {basis.V, ld, basis.VT, basis.ranks, m.nv, f.rank},
                      F = {basis.F, stride, basis.FT, basis.ranks, f.rows, f.rank};
  for (int i = 0; i < 2; ++i) {
    const RowRightSide<T>& side = sides.of[i];
    if (!side.X) continue;
    place_in_basis(m, V, right, count, side.X, ld, order, basis.E[i], lde, x, w);
    if (right != RightSide::unit)
      multiply_by(F.transpose(), side.G, ldg, count, order, basis.E[i], lde, T(1), true);
    if (right == RightSide::zero) clear_packs(side.X, static_cast<int>((by_rows ? m.nv : count) * ld));
  }
  if (right != RightSide::zero && by_chains)
    solve_by_chains(m, right, count, sign, sides.of[0].X, sides.of[1].X, ld, order, x);
  else if (right != RightSide::zero)
    solve_by_ltl(m, right, count, sign, sides.of[0].X, sides.of[1].X, ld, order, x, w);
  for (int i = 0; i < 2; ++i) {
    const RowRightSide<T>& side = sides.of[i];
    if (!side.X) continue;
    multiply_by(V, basis.E[i], lde, count, order, side.X, ld, sign, true);
    if (side.wants_forces) multiply_by(F, basis.E[i], lde, count, order, side.G, ldg, sign, false);
  }
}

// Responses with rows, spelled out: with x = (M^-1 - V V^T) f + V F^T g and y = F F^T g - F V^T f, solutions for sparse
// right-hand sides are products with them (forward_derivatives.hpp). ld: of V. After place_row_basis. Whether their numbers
// are moderate. O(n^2 (d + r)).
template <class T>
bool place_responses(const ModelData& m, const RowFactorData& f, bool by_chains, int ld,
                     const RowBasisData<T>& basis, const Responses<T>& to, DerivativeData<T>& x,
                     const WorkspaceData<T>& w) {
  const int n = m.nv, rows = f.rows;
  const std::int64_t stride = whole_packs(rows);
  const MatrixOrder order = MatrixOrder::rows;  // M^-1 is the same in both
  T *const none = nullptr, *const of_rows = to.columns + to.ld * n;
  if (by_chains)
    solve_by_chains(m, RightSide::unit, n, T(1), to.columns, none, to.ld, order, x);
  else
    place_lower_inverse(m, w.H_L, w.H_inv_d, x.columns, to.columns, to.ld, x, w);
  // What is overwritten behind a block belongs to one that follows.
  for (int c = 0; c < n; c += 4)
    multiply({to.columns + (to.ld + 1) * c, to.ld, whole_packs(n) - c, T(-1), true}, 4, basis.V + c, ld,
             basis.VT + c * basis.ranks, basis.ranks, f.rank);
  mirror_lower_half<MatrixOrder::columns>(n, to.columns, to.ld);
  const auto fill = [&](T* C, int height, const T* A, std::int64_t lda, T scale, int columns, const T* B) {
    multiply({C, to.ld, height, scale, false}, columns, A, lda, B, basis.ranks, f.rank);
  };
  fill(to.columns + n, whole_packs(rows), basis.F, stride, T(-1), n, basis.VT);
  fill(of_rows, whole_packs(n), basis.V, ld, T(1), rows, basis.FT);
  fill(of_rows + n, whole_packs(rows), basis.F, stride, T(1), rows, basis.FT);
  return is_moderate_matrix(to.columns, n + rows, n + rows, to.ld);
}

TENON_ISA_END
}  // namespace tenon
