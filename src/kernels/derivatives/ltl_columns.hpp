// Columns of M^-1 by the sparse factor M = L^T D L (tree/ltl.hpp), four rows of L a pass. Cost O(n d) a column.
#pragma once

#include "kernels/derivatives/column_packs.hpp"

namespace tenon {
TENON_ISA_BEGIN

// x := L^-T x for the rows of a panel; what they take from their ancestors goes to `below`.
template <int N, class T>
TENON_INLINE void solve_panel_inward(const PanelRows<N, const T>& L, const ColumnRows<T>& x, T* below) {
  constexpr int row = RowOfColumns<T>::width;
  RowOfColumns<T> y[N];
  unroll<N>([&](auto step) {
    constexpr int t = N - 1 - step.value;
    T* const sum = below + row * (L.depth + t);
    y[t] = x.load(L.first + t);
    y[t].subtract(T(1), RowOfColumns<T>::load(sum));
    RowOfColumns<T>::zero().store(sum);
    unroll<step.value>([&](auto i) {
      constexpr int r = N - 1 - i.value;
      y[t].subtract(L.at(r, t), y[r]);
    });
    x.store(L.first + t, y[t]);
  });
  for (int j = 0; j < L.depth; ++j) {
    RowOfColumns<T> sum = RowOfColumns<T>::load(below + row * j);
    unroll<N>([&](auto r) { sum.add(L.row[r.value][j], y[r.value]); });
    sum.store(below + row * j);
  }
}

// x := L^-1 (scale x) for the rows of a panel, with those of its ancestors in `path`.
template <int N, class T>
TENON_INLINE void solve_panel_outward(const PanelRows<N, const T>& L, const T* inv_d, const T& sign,
                                      const ColumnRows<T>& x, T* path) {
  constexpr int row = RowOfColumns<T>::width;
  RowOfColumns<T> y[N];
  unroll<N>([&](auto r) { y[r.value] = sign * inv_d[L.first + r.value] * x.load(L.first + r.value); });
  for (int j = 0; j < L.depth; ++j) {
    const RowOfColumns<T> above = RowOfColumns<T>::load(path + row * j);
    unroll<N>([&](auto r) { y[r.value].subtract(L.row[r.value][j], above); });
  }
  unroll<N>([&](auto r) {
    unroll<r.value>([&](auto t) { y[r.value].subtract(L.at(r.value, t.value), y[t.value]); });
    x.store(L.first + r.value, y[r.value]);
    y[r.value].store(path + row * (L.depth + r.value));
  });
}

// The factor, for column_packs.hpp: that of the tree, or that of independent coordinates.
template <class T>
struct LtlColumns {
  const T *rows, *inv_d;
  DerivativeData<T>& d;
  const WorkspaceData<T>& w;

  LtlColumns(DerivativeData<T>& d_, const WorkspaceData<T>& w_)
      : rows(w_.H_L), inv_d(w_.H_inv_d), d(d_), w(w_) {}
  TENON_INLINE void inward(const ColumnRows<T>& x, int first, int end) const {
    const auto solve = [&](int p) {
      with_panel_size(w.panels[p], [&](auto size) {
        solve_panel_inward(PanelRows<size.value, const T>(rows, w.panels[p], w), x, d.below);
      });
    };
    const int first_panel = d.panel_of[first];
    for (int p = d.panel_of[end - 1]; p >= first_panel; --p) solve(p);
    for (int p = w.panels[first_panel].above; p >= 0; p = w.panels[p].above) solve(p);
  }
  TENON_INLINE void outward(const ColumnRows<T>& x, const T& sign, int) const {
    for (int p = 0; p < w.panel_count; ++p)
      with_panel_size(w.panels[p], [&](auto size) {
        solve_panel_outward(PanelRows<size.value, const T>(rows, w.panels[p], w), inv_d, sign, x, d.path);
      });
  }
};

template <class T>
TENON_NOINLINE void solve_by_ltl(const ModelData& m, RightSide right, int count, T sign, T* A, T* B,
                                 std::int64_t ld, MatrixOrder order, DerivativeData<T>& d,
                                 const WorkspaceData<T>& w) {
  solve_columns(m, right, count, sign, A, B, ld, order, LtlColumns<T>(d, w), d);
}
template <class T>
void solve_mass_columns(const ModelData& m, RightSide right, int count, T sign, T* X, int ld,
                        MatrixOrder order, DerivativeData<T>& d, const WorkspaceData<T>& w) {
  solve_by_ltl(m, right, count, sign, X, static_cast<T*>(nullptr), ld, order, d, w);
}

TENON_ISA_END
}  // namespace tenon
