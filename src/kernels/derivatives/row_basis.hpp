// The equations of row_columns.hpp for as many right-hand sides as there are coordinates. With the factor of the rows
// H P = Q R and U = L^-1 D^-1/2 of M^-1 = U U^T, a basis of what forces do, spelled out once,
//
//   V = U Q1,  F = P S R11^-1      (Q1: the first columns of Q, as many as the rank, without rows of compliance)
//
// makes each solve a correction of the free one: as R11^-T S Z = Q1^T,
//
//   E = F^T g - V^T f,   x = M^-1 f + V E,   y = F E.
//
// These are products of blocks: a column costs n r multiply-adds at the full speed of a core, and no sweep over the factor.
// V has orthonormal columns in the metric of M, so that the condition of the rows does not come in by x. O(n r (d + r)) once,
// then O(n d + (n + m) r) a column, r the rank.
#pragma once

#include "kernels/derivatives/block_product.hpp"
#include "kernels/derivatives/row_columns.hpp"

namespace tenon {
TENON_ISA_BEGIN

// After prox_ltl_start.
template <class T>
void place_row_basis(const ModelData& m, const RowFactorData& f, int ld, RowBasisData<T>& to,
                     DerivativeData<T>& x, RowDerivativeData<T>& d, const WorkspaceData<T>& w) {
  using Row = RowOfColumns<T>;
  constexpr int W = Row::Part::count;
  const int stride = whole_packs(f.rows);
  for (int first = 0; first < f.rank; first += Row::width) {
    const int end = first + Row::width < f.rank ? first + Row::width : f.rank,
              parts = first + W < end ? 2 : 1;
    for (int i = 0; i < end; ++i) put_row(Row::zero(), d.z, i);
    for (int i = first; i < end; ++i) d.z[Row::width * i + i - first] = T(1);
    reflect_columns(f, end, d);
    substitute_backward(f, end, d);
    for (int k = 0; k < whole_packs(m.nv); ++k)
      put_row(k < m.nv ? row_of_columns(d.y, k) : Row::zero(), x.columns, k);
    for (int p = 0; p < w.panel_count; ++p)
      with_panel_size(w.panels[p], [&](auto size) {
        solve_panel_outward(PanelRows<size.value, const T>(w.H_L, w.panels[p], w), w.H_root_d, T(1),
                            x.columns, x.path);
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

// X := sign x and, if wanted, G := sign y, for f = X, that of `right`, and g = G; with the identity G is not read. count
// columns, with room to whole eights, of whole packs of rows. After place_row_basis.
template <class T>
void solve_with_row_basis(const ModelData& m, const RowFactorData& f, RightSide right, int count, T sign,
                          T* X, int ld, T* G, bool wants_forces, const RowBasisData<T>& basis,
                          DerivativeData<T>& x, const WorkspaceData<T>& w) {
  const int stride = whole_packs(f.rows), ranks = whole_packs(f.rank);
  const ProductTarget<T> minus = {basis.E, basis.ranks, ranks, T(-1), false};
  switch (right) {
    case RightSide::tree:  // each run overwrites what the one before left behind its last column
      for (int r = 0; r < w.run_count; ++r)
        multiply(minus, w.runs[r].first, w.runs[r].end, basis.VT, basis.ranks, X, ld,
                 x.related + x.related_begin[r], x.related_begin[r + 1] - x.related_begin[r]);
      break;
    case RightSide::full:
      multiply(minus, count, basis.VT, basis.ranks, X, ld, m.nv);
      break;
    case RightSide::unit:
      for (long e = 0; e < count * basis.ranks; e += 4) (-Lanes<T>::load(basis.VT + e)).store(basis.E + e);
      break;
    case RightSide::zero:
      clear_packs(basis.E, static_cast<int>(count * basis.ranks));
      break;
  }
  if (right != RightSide::unit)
    multiply({basis.E, basis.ranks, ranks, T(1), true}, count, basis.FT, basis.ranks, G, stride, f.rows);
  if (right == RightSide::zero)
    clear_packs(X, count * ld);
  else
    solve_mass_columns(m, right, count, sign, X, ld, x, w);
  multiply({X, ld, whole_packs(m.nv), sign, true}, count, basis.V, ld, basis.E, basis.ranks, f.rank);
  if (wants_forces)
    multiply({G, stride, stride, sign, false}, count, basis.F, stride, basis.E, basis.ranks, f.rank);
}

TENON_ISA_END
}  // namespace tenon
