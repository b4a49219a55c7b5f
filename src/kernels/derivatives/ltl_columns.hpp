// X = - M^-1 B and M^-1 for many columns, by the sparse factor M = L^T D L (tree/ltl.hpp): eight columns at a time in
// lanes, four rows of L a pass. B has the sparsity of the tree: the inward solve passes only rows that a column
// reaches, those of its subtree and of its ancestors. Cost O(n d) a column.
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/tree/crba.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A row of eight columns.
template <class T>
struct RowOfColumns {
  Lanes<T> a, b;
  TENON_INLINE static RowOfColumns load(const T* p) { return {Lanes<T>::load(p), Lanes<T>::load(p + 4)}; }
  TENON_INLINE void store(T* p) const { a.store(p), b.store(p + 4); }
  // this += s x.
  TENON_INLINE void add(const Lanes<T>& s, const RowOfColumns& x) { a = a + s * x.a, b = b + s * x.b; }
};

// x := L^-T x for the rows of a panel; what they take from their ancestors goes to `below`.
template <int N, class T>
TENON_INLINE void solve_panel_inward(const PanelRows<N, const T>& L, T* x, T* below) {
  RowOfColumns<T> y[N];
  const Lanes<T> zero(T(0));
  unroll<N>([&](auto step) {
    constexpr int t = N - 1 - step.value;
    T* const sum = below + 8 * (L.depth + t);
    y[t] = RowOfColumns<T>::load(x + 8 * (L.first + t));
    y[t].add(Lanes<T>(T(-1)), RowOfColumns<T>::load(sum));
    RowOfColumns<T>{zero, zero}.store(sum);
    unroll<step.value>([&](auto i) {
      constexpr int r = N - 1 - i.value;
      y[t].add(Lanes<T>(-L.at(r, t)), y[r]);
    });
    y[t].store(x + 8 * (L.first + t));
  });
  for (int j = 0; j < L.depth; ++j) {
    RowOfColumns<T> sum = RowOfColumns<T>::load(below + 8 * j);
    unroll<N>([&](auto r) { sum.add(Lanes<T>(L.row[r.value][j]), y[r.value]); });
    sum.store(below + 8 * j);
  }
}

// x := L^-1 (scale x) for the rows of a panel, with those of its ancestors in `path`.
template <int N, class T>
TENON_INLINE void solve_panel_outward(const PanelRows<N, const T>& L, const T* inv_d, const T& sign, T* x,
                                      T* path) {
  RowOfColumns<T> y[N];
  unroll<N>([&](auto r) {
    const Lanes<T> scale(sign * inv_d[L.first + r.value]);
    y[r.value] = RowOfColumns<T>::load(x + 8 * (L.first + r.value));
    y[r.value] = {scale * y[r.value].a, scale * y[r.value].b};
  });
  for (int j = 0; j < L.depth; ++j) {
    const RowOfColumns<T> above = RowOfColumns<T>::load(path + 8 * j);
    unroll<N>([&](auto r) { y[r.value].add(Lanes<T>(-L.row[r.value][j]), above); });
  }
  unroll<N>([&](auto r) {
    unroll<r.value>([&](auto t) { y[r.value].add(Lanes<T>(-L.at(r.value, t.value)), y[t.value]); });
    y[r.value].store(x + 8 * (L.first + r.value));
    y[r.value].store(path + 8 * (L.depth + r.value));
  });
}

// Transposes rows `first` to `first` + 3 of eight columns of A, ld numbers apart, and puts them into x.
template <class T>
TENON_INLINE void load_columns(const T* A, long ld, int first, T* x) {
  for (int half = 0; half < 8; half += 4) {
    const auto column = [&](int l) { return Lanes<T>::load(A + first + (half + l) * ld); };
    Lanes<T> a = column(0), b = column(1), c = column(2), d = column(3);
    transpose(a, b, c, d);
    T* to = x + 8 * first + half;
    a.store(to), b.store(to + 8), c.store(to + 16), d.store(to + 24);
  }
}
template <class T>
TENON_INLINE void store_columns(const T* x, int first, T* A, long ld) {
  for (int half = 0; half < 8; half += 4) {
    const auto row = [&](int r) { return Lanes<T>::load(x + 8 * (first + r) + half); };
    Lanes<T> a = row(0), b = row(1), c = row(2), d = row(3);
    transpose(a, b, c, d);
    T* to = A + first + half * ld;
    a.store(to), b.store(to + ld), c.store(to + 2 * ld), d.store(to + 3 * ld);
  }
}

// A := sign M^-1 A for `count` columns. between(c): called for columns c to c + 7 when x = d.columns holds L^-T A; it may
// add to x. A: rows to whole packs and columns to whole eights, of which those behind are not used.
template <class T, class Between>
inline void solve_columns(const ModelData& m, RightSide right, int count, T sign, const T* rows,
                          const T* inv_d, T* A, long ld, DerivativeData<T>& d, const WorkspaceData<T>& w,
                          const Between& between) {
  T* const x = d.columns;
  const bool given = right == RightSide::tree || right == RightSide::full;
  const auto inward = [&](int p) {
    with_panel_size(w.panels[p], [&](auto size) {
      solve_panel_inward(PanelRows<size.value, const T>(rows, w.panels[p], w), x, d.below);
    });
  };
  for (int c = 0; c < count; c += 8) {
    const int last = c + 8 < count ? c + 8 : count;
    int end = right == RightSide::full   ? m.nv
              : right == RightSide::zero ? 0
                                         : last;  // of the rows that these columns reach
    for (int k = c; right == RightSide::tree && k < last; ++k)
      end = d.subtree_end[k] > end ? d.subtree_end[k] : end;
    for (int k = 0; k < m.nv; k += 4) {
      if (given && k < end) {
        load_columns(A + c * ld, ld, k, x);
        continue;
      }
      for (int e = 8 * k; e < 8 * (k + 4); e += 4) Lanes<T>(T(0)).store(x + e);
    }
    for (int k = c; right == RightSide::unit && k < last; ++k) x[8 * k + k - c] = T(1);
    if (end > 0) {
      const int first_panel = right == RightSide::full ? 0 : d.panel_of[c];
      for (int p = d.panel_of[end - 1]; p >= first_panel; --p) inward(p);
      for (int p = w.panels[first_panel].above; p >= 0; p = w.panels[p].above) inward(p);
    }
    between(c);
    for (int p = 0; p < w.panel_count; ++p)
      with_panel_size(w.panels[p], [&](auto size) {
        solve_panel_outward(PanelRows<size.value, const T>(rows, w.panels[p], w), inv_d, sign, x, d.path);
      });
    for (int k = 0; k < m.nv; k += 4) store_columns(x, k, A + c * ld, ld);
  }
}

template <class T>
void solve_mass_columns(const ModelData& m, RightSide right, int count, T sign, T* X, int ld,
                        DerivativeData<T>& d, const WorkspaceData<T>& w) {
  solve_columns(m, right, count, sign, w.H_L, w.H_inv_d, X, ld, d, w, [](int) {});
}

// dq, dv: from derivatives of inverse dynamics to those of forward dynamics; inverse := M^-1. Null: not wanted. After
// rnea_derivatives; ld: whole packs. False when the mass matrix is not positive definite.
template <class T>
bool forward_derivatives(const ModelData& m, T* dq, T* dv, T* inverse, int ld, DerivativeData<T>& d,
                         WorkspaceData<T>& w) {
  project_rows(m, w.H_L, w);
  if (!ltl_factor(m, w.H_L, w.H_inv_d, w)) return false;
  const auto solve = [&](RightSide right, T sign, T* A) {
    if (A) solve_mass_columns(m, right, m.nv, sign, A, ld, d, w);
  };
  solve(RightSide::tree, T(-1), dq), solve(RightSide::tree, T(-1), dv), solve(RightSide::unit, T(1), inverse);
  return true;
}

TENON_ISA_END
}  // namespace tenon
