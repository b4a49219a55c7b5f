// Linear equations of dynamics with constraint rows, for many right-hand sides,
//
//   M x - J^T y = f,   J x + R y = g
//
// by the factors of M (tree/ltl.hpp) and of the rows (plan/row_factor.hpp, with its notation), eight columns in lanes:
// z = D^-1/2 L^-T f, b = g - Z z, y = P S R11^-1 R11^-T S b, x = L^-1 D^-1/2 (z + Q R11^-T S b). What forces cannot reach
// of b is left out, with the least sum of weight * square; y is the least change of forces in the same metric. Both are
// those of the transposed equations too. Cost O(n d + (n + m) r) a column, r the rank.
#pragma once

#include "kernels/derivatives/ltl_columns.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/tree/joint_space.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE RowOfColumns<T> row_of_columns(const T* x, int i) {
  return RowOfColumns<T>::load(x + 8L * i);
}
template <class T>
TENON_INLINE RowOfColumns<T> no_columns() {
  return {Lanes<T>(T(0)), Lanes<T>(T(0))};
}
template <class T>
TENON_INLINE RowOfColumns<T> scaled(const T& s, const RowOfColumns<T>& x) {
  return {Lanes<T>(s) * x.a, Lanes<T>(s) * x.b};
}

// x := root^p F F^T root^-p x, p = 1 for forces and -1 for accelerations. Overwrites d.z, d.x.
template <class T>
inline void project_columns(const RowFactorData& f, bool force, T* x, RowDerivativeData<T>& d) {
  for (int r = 0; r < f.rows; ++r) {
    scaled(force ? T(1) / T(f.root[r]) : T(f.root[r]), row_of_columns(x, r)).store(d.x + 8L * r);
    no_columns<T>().store(x + 8L * r);
  }
  for (int i = 0; i < f.rank; ++i) {
    const double* basis = f.range + static_cast<long>(i) * f.rows;
    RowOfColumns<T> sum = no_columns<T>();
    for (int r = 0; r < f.rows; ++r) sum.add(Lanes<T>(T(basis[r])), row_of_columns(d.x, r));
    for (int r = 0; r < f.rows; ++r) {
      RowOfColumns<T> at = row_of_columns(x, r);
      at.add(Lanes<T>(T(basis[r])), sum);
      at.store(x + 8L * r);
    }
  }
  for (int r = 0; r < f.rows; ++r)
    scaled(force ? T(f.root[r]) : T(1) / T(f.root[r]), row_of_columns(x, r)).store(x + 8L * r);
}

// Column of the factor at a place.
TENON_INLINE const double* factor_column(const RowFactorData& f, int place) {
  return f.columns + f.order[place] * f.stride;
}
// d.z := R11^-T S b.
template <class T>
inline void substitute_forward(const RowFactorData& f, RowDerivativeData<T>& d) {
  for (int k = 0; k < f.rank; ++k) {
    RowOfColumns<T> sum = scaled(T(f.scale[f.order[k]]), row_of_columns(d.b, f.order[k]));
    for (int j = 0; j < k; ++j) sum.add(Lanes<T>(T(-factor_column(f, k)[j])), row_of_columns(d.z, j));
    scaled(T(1 / f.diagonal[k]), sum).store(d.z + 8L * k);
  }
}
// d.y := Q z.
template <class T>
inline void reflect_columns(const RowFactorData& f, RowDerivativeData<T>& d) {
  for (int i = 0; i < f.length; ++i)
    (i < f.rank ? row_of_columns(d.z, i) : no_columns<T>()).store(d.y + 8L * i);
  for (int step = f.rank - 1; step >= 0; --step) {
    const double* v = factor_column(f, step);
    RowOfColumns<T> sum = no_columns<T>();
    for (int i = step; i < f.length; ++i) sum.add(Lanes<T>(T(v[i])), row_of_columns(d.y, i));
    sum = scaled(T(1 / (f.diagonal[step] * v[step])), sum);
    for (int i = step; i < f.length; ++i) {
      RowOfColumns<T> at = row_of_columns(d.y, i);
      at.add(Lanes<T>(T(v[i])), sum);
      at.store(d.y + 8L * i);
    }
  }
}
// d.b := P S R11^-1 z, the forces. Overwrites d.z.
template <class T>
inline void substitute_backward(const RowFactorData& f, RowDerivativeData<T>& d) {
  for (int r = 0; r < f.rows; ++r) no_columns<T>().store(d.b + 8L * r);
  for (int k = f.rank - 1; k >= 0; --k) {
    const RowOfColumns<T> x = scaled(T(1 / f.diagonal[k]), row_of_columns(d.z, k));
    for (int j = 0; j < k; ++j) {
      RowOfColumns<T> at = row_of_columns(d.z, j);
      at.add(Lanes<T>(T(-factor_column(f, k)[j])), x);
      at.store(d.z + 8L * j);
    }
    scaled(T(f.scale[f.order[k]]), x).store(d.b + 8L * f.order[k]);
  }
  if (f.rank < f.rows) project_columns(f, true, d.b, d);
}
// d.b := the forces for right-hand sides d.b, d.y := L^T of the motions that they add.
template <class T>
inline void solve_rows(const RowFactorData& f, RowDerivativeData<T>& d) {
  if (f.rank < f.rows) project_columns(f, false, d.b, d);
  substitute_forward(f, d);
  reflect_columns(f, d);
  substitute_backward(f, d);
}

// X := sign x and G := sign y for f = X, that of `right`, and g = G; G null: g = 0, and y is not wanted. count columns;
// X with room to whole eights of them and whole packs of rows, G with the stride of rows. After prox_ltl_start.
template <class T>
void solve_constrained_columns(const ModelData& m, const ConstraintData& c, const RowFactorData& f,
                               RightSide right, int count, T sign, T* X, int ld, T* G, DerivativeData<T>& x,
                               RowDerivativeData<T>& d, const WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  solve_columns(m, right, count, sign, w.H_L, w.H_inv_d, X, ld, x, w, [&](int first) {
    for (int r = 0; r < stride; r += 4) {
      if (G)
        load_columns(G + static_cast<long>(first) * stride, stride, r, d.b);
      else
        for (int l = 0; l < 4; ++l) no_columns<T>().store(d.b + 8L * (r + l));
    }
    for (int k = 0; k < m.nv; ++k) {
      const RowRange rows = rows_of_subtree(m, c, k);
      const RowOfColumns<T> z = scaled(T(-w.H_root_d[k]), row_of_columns(x.columns, k));
      for (int r = rows.begin; r < rows.end; ++r) {
        RowOfColumns<T> at = row_of_columns(d.b, r);
        at.add(Lanes<T>(w.ZT[static_cast<long>(k) * stride + r]), z);
        at.store(d.b + 8L * r);
      }
    }
    solve_rows(f, d);
    for (int k = 0; k < m.nv; ++k) {
      RowOfColumns<T> at = row_of_columns(x.columns, k);
      at.add(Lanes<T>(T(1) / w.H_root_d[k]), row_of_columns(d.y, k));
      at.store(x.columns + 8L * k);
    }
    if (!G) return;
    for (int r = 0; r < f.rows; ++r) scaled(sign, row_of_columns(d.b, r)).store(d.b + 8L * r);
    for (int r = 0; r < stride; r += 4) store_columns(d.b, r, G + static_cast<long>(first) * stride, stride);
  });
}

TENON_ISA_END
}  // namespace tenon
