// Sparse factorisation M = L^T D L of a joint-space inertia matrix (Featherstone, RBDA 6.5): L_ki is zero
// unless i is k or an ancestor of k, and elimination from the leaves to the root makes no fill-in. Factor O(n
// d^2), solve and product O(n d).
//
// Storage. Row k holds its entries for the ancestors of k from the root down, then the diagonal, then zeros
// to a whole pack (path rows). The row of an ancestor has the same ancestors in the same places, so that rows
// are combined from their start, in whole packs, whatever the branching. Solves and products keep a vector of
// the current coordinate and its ancestors in the same places (path vectors): coordinates are numbered depth
// first, so from one coordinate to the next only the end of the path changes.
//
// Up to four rows form a panel: consecutive coordinates of a chain that end in the same pack. One pass over
// the ancestors' rows eliminates the whole panel, so that the time goes to multiplications and not to loads
// and stores; within a panel there is a small dense triangle.
#pragma once

#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE void clear_packs(T* x, int n) {
  for (int j = 0; j < n; j += 4) Lanes<T>(T(0)).store(x + j);
}

// lanes_before: x before place j of its pack, zero from there on. unit_lane: one in the lane of place j, else
// zero.
template <class T>
TENON_INLINE Lanes<T> lanes_before(const Lanes<T>& x, int j) {
  static constexpr T keep[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}};
  return x * Lanes<T>::load(keep[j % 4]);
}
template <class T>
TENON_INLINE Lanes<T> unit_lane(int j) {
  static constexpr T unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  return Lanes<T>::load(unit[j % 4]);
}
// Puts a value at place j and zeros behind it in its pack. Writes the whole pack: to load it after a part was
// stored separately would stall.
template <class T>
TENON_INLINE void put_last(T* x, int j, const T& value) {
  T* pack = x + j / 4 * 4;
  (lanes_before(Lanes<T>::load(pack), j) + Lanes<T>(value) * unit_lane<T>(j)).store(pack);
}

// N rows of a panel; E: T or const T.
template <int N, class E>
struct PanelRows {
  E* row[N];
  int first;  // coordinate
  int depth;  // its place in path rows
  int pack;   // first place of the last pack of all rows

  template <class T>
  TENON_INLINE PanelRows(E* rows, const DofPanel& panel, const WorkspaceData<T>& w)
      : first(panel.first), depth(w.dof_depth[panel.first]), pack(depth / 4 * 4) {
    for (int r = 0; r < N; ++r) row[r] = rows + w.row_first[first + r];
  }
  // Entry of row r in the triangle on the diagonal.
  TENON_INLINE E& at(int r, int t) const { return row[r][depth + t]; }
};

// Calls f with the panel's number of rows as a compile-time value.
template <class F>
TENON_INLINE void with_panel_size(const DofPanel& panel, F&& f) {
  with_size<4>(panel.end - panel.first, f);
}

// ---- factorisation

// Eliminates the rows of a panel from each other, without scaling them; inverse: 1 / D.
template <int N, class T>
TENON_INLINE bool eliminate_within(const PanelRows<N, T>& y, T (&inverse)[N]) {
  T b[N][N], l[N][N];
  unroll<N>(
      [&](auto r) { unroll<r.value + 1>([&](auto t) { b[r.value][t.value] = y.at(r.value, t.value); }); });
  bool positive = true;
  unroll<N>([&](auto step) {
    constexpr int r = N - 1 - step.value;
    positive = positive && b[r][r] > T(0);
    inverse[r] = T(1) / b[r][r];
    unroll<r>([&](auto t) {
      l[r][t.value] = b[r][t.value] * inverse[r];
      // Not by l: that would add one product to the latency before the next pivot.
      unroll<t.value + 1>([&](auto u) {
        b[t.value][u.value] = b[t.value][u.value] - (b[r][t.value] * b[r][u.value]) * inverse[r];
      });
    });
  });
  for (int j = 0; N > 1 && j <= y.pack; j += 4) {
    Lanes<T> x[N];
    unroll<N>([&](auto step) {
      constexpr int t = N - 1 - step.value;
      x[t] = Lanes<T>::load(y.row[t] + j);
      unroll<step.value>([&](auto below) {
        constexpr int r = N - 1 - below.value;
        x[t] = x[t] - Lanes<T>(l[r][t]) * x[r];
      });
      if (step.value > 0) x[t].store(y.row[t] + j);
    });
  }
  return positive;
}

// Rows of coordinates i to i + R - 1, ancestors of the panel: M_ij -= L_ki M_kj for its rows k.
template <int R, int N, class T>
TENON_INLINE void eliminate_from(const PanelRows<N, T>& y, const T (&inverse)[N], int i, T* rows,
                                 const WorkspaceData<T>& w) {
  const int place = w.dof_depth[i];
  Lanes<T> factor[R][N];
  T* target[R];
  for (int a = 0; a < R; ++a) {
    target[a] = rows + w.row_first[i + a];
    for (int r = 0; r < N; ++r) factor[a][r] = Lanes<T>(-(y.row[r][place + a] * inverse[r]));
  }
  for (int j = 0; j <= place; j += 4) {
    Lanes<T> x[R];
    for (int a = 0; a < R; ++a) x[a] = Lanes<T>::load(target[a] + j);
    for (int r = 0; r < N; ++r) {
      const Lanes<T> source = Lanes<T>::load(y.row[r] + j);
      for (int a = 0; a < R; ++a) x[a] = x[a] + factor[a][r] * source;
    }
    for (int a = 0; a < R; ++a) x[a].store(target[a] + j);
  }
}

template <int N, class T>
TENON_INLINE bool factor_panel(const DofPanel& panel, T* rows, T* inv_d, const WorkspaceData<T>& w) {
  const PanelRows<N, T> y(rows, panel, w);
  T inverse[N];
  const bool positive = eliminate_within(y, inverse);
  for (int p = panel.above; p >= 0; p = w.panels[p].above) {
    int i = w.panels[p].first;
    const int end = w.panels[p].end;
    for (; i + 2 <= end; i += 2) eliminate_from<2>(y, inverse, i, rows, w);
    if (i < end) eliminate_from<1>(y, inverse, i, rows, w);
  }
  for (int r = 0; r < N; ++r) {
    inv_d[y.first + r] = inverse[r];
    const Lanes<T> scale(inverse[r]);
    for (int j = 0; j < y.pack; j += 4) (Lanes<T>::load(y.row[r] + j) * scale).store(y.row[r] + j);
    lanes_before(Lanes<T>::load(y.row[r] + y.pack) * scale, y.depth + r).store(y.row[r] + y.pack);
  }
  return positive;
}

// In: path rows of M. Out: path rows of L, zeros for its diagonal of ones, and 1 / D. False when M is not
// positive definite.
template <class T>
bool ltl_factor(const ModelData&, T* rows, T* inv_d, const WorkspaceData<T>& w) {
  bool positive = true;
  for (int p = w.panel_count - 1; p >= 0; --p)
    with_panel_size(w.panels[p], [&](auto size) {
      positive = factor_panel<size.value>(w.panels[p], rows, inv_d, w) && positive;
    });
  return positive;
}

// ---- solves and products

// below += A^T x of a panel, for the places before it; the panel's own places become zero.
template <int N, class T>
TENON_INLINE void add_to_ancestors(const PanelRows<N, const T>& A, const T (&x)[N], T* below) {
  Lanes<T> factor[N];
  for (int r = 0; r < N; ++r) factor[r] = Lanes<T>(x[r]);
  const auto sum = [&](int j) {
    Lanes<T> s = Lanes<T>::load(below + j);
    for (int r = 0; r < N; ++r) s = s + factor[r] * Lanes<T>::load(A.row[r] + j);
    return s;
  };
  for (int j = 0; j < A.pack; j += 4) sum(j).store(below + j);
  lanes_before(sum(A.pack), A.depth).store(below + A.pack);
}

// A x of a panel, for the places to the end of its pack; own: x in that pack.
template <int N, class T>
TENON_INLINE Lanes<T> product_with_path(const PanelRows<N, const T>& A, const T* path, const Lanes<T>& own) {
  Lanes<T> sum[4];
  for (int r = 0; r < 4; ++r)
    sum[r] = r < N ? Lanes<T>::load(A.row[r < N ? r : 0] + A.pack) * own : Lanes<T>(T(0));
  for (int j = 0; j < A.pack; j += 4) {
    const Lanes<T> x = Lanes<T>::load(path + j);
    for (int r = 0; r < N; ++r) sum[r] = sum[r] + Lanes<T>::load(A.row[r] + j) * x;
  }
  transpose(sum[0], sum[1], sum[2], sum[3]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Puts the panel's numbers on the path, behind the ancestors in its pack; returns the pack.
template <int N, class E, class T>
TENON_INLINE Lanes<T> put_panel_on_path(const PanelRows<N, E>& A, const T (&x)[N], T* path) {
  Lanes<T> pack = lanes_before(Lanes<T>::load(path + A.pack), A.depth);
  for (int r = 0; r < N; ++r) pack = pack + Lanes<T>(x[r]) * unit_lane<T>(A.depth + r);
  pack.store(path + A.pack);
  return pack;
}

// x := L^-T x, from the leaves to the root.
template <class T>
void ltl_solve_lt(const ModelData& m, const T* rows, T* x, WorkspaceData<T>& w) {
  T* below = w.path_vector;  // what descendants subtract from their ancestors
  clear_packs(below, m.nv);
  for (int p = w.panel_count - 1; p >= 0; --p)
    with_panel_size(w.panels[p], [&](auto size) {
      constexpr int N = size.value;
      const PanelRows<N, const T> L(rows, w.panels[p], w);
      T y[N];
      unroll<N>([&](auto step) {
        constexpr int t = N - 1 - step.value;
        y[t] = x[L.first + t] - below[L.depth + t];
        unroll<step.value>([&](auto i) { y[t] = y[t] - L.at(N - 1 - i.value, t) * y[N - 1 - i.value]; });
        x[L.first + t] = y[t];
      });
      add_to_ancestors(L, y, below);
    });
}
// x := L^-1 x, from the root to the leaves.
template <class T>
void ltl_solve_l(const ModelData& m, const T* rows, T* x, WorkspaceData<T>& w) {
  T* path = w.path_vector;
  clear_packs(path, m.nv);
  for (int p = 0; p < w.panel_count; ++p)
    with_panel_size(w.panels[p], [&](auto size) {
      constexpr int N = size.value;
      const PanelRows<N, const T> L(rows, w.panels[p], w);
      const Lanes<T> sum = product_with_path(L, path, lanes_before(Lanes<T>::load(path + L.pack), L.depth));
      T y[N];
      unroll<N>([&](auto r) {
        y[r.value] = x[L.first + r.value] - sum.x[r.value];
        unroll<r.value>([&](auto t) { y[r.value] = y[r.value] - L.at(r.value, t.value) * y[t.value]; });
        x[L.first + r.value] = y[r.value];
      });
      put_panel_on_path(L, y, path);
    });
}
// x := M^-1 x.
template <class T>
void ltl_solve(const ModelData& m, const T* rows, const T* inv_d, T* x, WorkspaceData<T>& w) {
  ltl_solve_lt(m, rows, x, w);
  for (int k = 0; k < m.nv; ++k) x[k] = x[k] * inv_d[k];
  ltl_solve_l(m, rows, x, w);
}
// y := M x from the path rows of M (not of the factor).
template <class T>
void ltl_multiply(const ModelData& m, const T* rows, const T* x, T* y, WorkspaceData<T>& w) {
  T* path = w.path_vector;
  clear_packs(path, m.nv);
  for (int p = 0; p < w.panel_count; ++p)
    with_panel_size(w.panels[p], [&](auto size) {
      constexpr int N = size.value;
      const PanelRows<N, const T> M(rows, w.panels[p], w);
      T own[N];
      for (int r = 0; r < N; ++r) own[r] = x[M.first + r];
      const Lanes<T> product = product_with_path(M, path, put_panel_on_path(M, own, path));
      for (int r = 0; r < N; ++r) y[M.first + r] = product.x[r];
    });
  T* below = w.path_vector;
  clear_packs(below, m.nv);
  for (int p = w.panel_count - 1; p >= 0; --p)
    with_panel_size(w.panels[p], [&](auto size) {
      constexpr int N = size.value;
      const PanelRows<N, const T> M(rows, w.panels[p], w);
      T own[N];
      unroll<N>([&](auto step) {
        constexpr int t = N - 1 - step.value;
        own[t] = x[M.first + t];
        T sum = y[M.first + t] + below[M.depth + t];
        unroll<step.value>([&](auto i) { sum = sum + M.at(N - 1 - i.value, t) * own[N - 1 - i.value]; });
        y[M.first + t] = sum;
      });
      add_to_ancestors(M, own, below);
    });
}

TENON_ISA_END
}  // namespace tenon
