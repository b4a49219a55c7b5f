// Linear equations of dynamics with constraint rows,
//
//   M x - J^T y = f,   J x + R y = g
//
// by the factors of M (tree/ltl.hpp) and of the rows (constrained/row_factor.hpp, with its notation), columns in lanes:
// z = D^-1/2 L^-T f, b = g - Z z, y = P S R11^-1 R11^-T S b, x = L^-1 D^-1/2 (z + Q R11^-T S b). What forces cannot reach
// of b is left out, with the least sum of weight * square; y is the least change of forces in the same metric. Both are
// those of the transposed equations too. Cost O(n d + (n + m) r), r the rank. For many columns: row_basis.hpp.
#pragma once

#include "kernels/derivatives/ltl_columns.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/tree/joint_space.hpp"

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

// x := root^p F F^T root^-p x, p = 1 for forces and -1 for accelerations. Overwrites d.z, d.x.
template <class T>
inline void project_columns(const RowFactorData& f, bool force, T* x, RowDerivativeData<T>& d) {
  for (int r = 0; r < f.rows; ++r) {
    put_row((force ? T(1) / T(f.root[r]) : T(f.root[r])) * row_of_columns(x, r), d.x, r);
    put_row(RowOfColumns<T>::zero(), x, r);
  }
  for (int i = 0; i < f.rank; ++i) {
    const double* basis = f.range + static_cast<long>(i) * f.rows;
    RowOfColumns<T> sum = RowOfColumns<T>::zero();
    for (int r = 0; r < f.rows; ++r) sum.add(T(basis[r]), row_of_columns(d.x, r));
    for (int r = 0; r < f.rows; ++r) {
      RowOfColumns<T> at = row_of_columns(x, r);
      at.add(T(basis[r]), sum);
      put_row(at, x, r);
    }
  }
  for (int r = 0; r < f.rows; ++r)
    put_row((force ? T(f.root[r]) : T(1) / T(f.root[r])) * row_of_columns(x, r), x, r);
}

// Column of the factor at a place.
TENON_INLINE const double* factor_column(const RowFactorData& f, int place) {
  return f.columns + f.order[place] * f.stride;
}
// d.z := R11^-T S b.
template <class T>
inline void substitute_forward(const RowFactorData& f, RowDerivativeData<T>& d) {
  for (int k = 0; k < f.rank; ++k) {
    RowOfColumns<T> sum = T(f.scale[f.order[k]]) * row_of_columns(d.b, f.order[k]);
    for (int j = 0; j < k; ++j) sum.subtract(T(factor_column(f, k)[j]), row_of_columns(d.z, j));
    put_row(T(1 / f.diagonal[k]) * sum, d.z, k);
  }
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
  if (f.rank < f.rows) project_columns(f, true, d.b, d);
}
// d.b := the forces for right-hand sides d.b, d.y := L^T of the motions that they add.
template <class T>
inline void solve_rows(const RowFactorData& f, RowDerivativeData<T>& d) {
  if (f.rank < f.rows) project_columns(f, false, d.b, d);
  substitute_forward(f, d);
  reflect_columns(f, f.rank, d);
  substitute_backward(f, f.rank, d);
}

// X := sign x and G := sign y for f = X and g = G, one column each, at the head of eight that are zero; G null: g = 0, and y
// is not wanted. After prox_ltl_start.
template <class T>
void solve_constrained_column(const ModelData& m, const ConstraintData& c, const RowFactorData& f, T sign,
                              T* X, int ld, T* G, DerivativeData<T>& x, RowDerivativeData<T>& d,
                              const WorkspaceData<T>& w) {
  const int stride = whole_packs(c.row_count);
  const ColumnPack<T> of_motion[2] = {{X, 0}, {nullptr, 0}}, of_rows[2] = {{G, 0}, {nullptr, 0}};
  const auto add_forces = [&] {
    for (int r = 0; r < stride; r += 4) load_columns(of_rows, stride, r, d.b);
    for (int k = 0; k < m.nv; ++k) {
      const RowRange rows = rows_of_subtree(m, c, k);
      const RowOfColumns<T> z = w.H_root_d[k] * row_of_columns(x.columns, k);
      for (int r = rows.begin; r < rows.end; ++r) {
        RowOfColumns<T> at = row_of_columns(d.b, r);
        at.subtract(w.ZT[static_cast<long>(k) * stride + r], z);
        put_row(at, d.b, r);
      }
    }
    solve_rows(f, d);
    for (int k = 0; k < m.nv; ++k) {
      RowOfColumns<T> at = row_of_columns(x.columns, k);
      at.add(T(1) / w.H_root_d[k], row_of_columns(d.y, k));
      put_row(at, x.columns, k);
    }
    for (int r = 0; r < f.rows; ++r) put_row(sign * row_of_columns(d.b, r), d.b, r);
    for (int r = 0; r < stride; r += 4) store_columns(d.b, r, of_rows, stride);
  };
  solve_column_packs(m, RightSide::full, of_motion, 1, sign, ld, MatrixOrder::columns, LtlColumns<T>(x, w), x,
                     add_forces);
}

TENON_ISA_END
}  // namespace tenon
