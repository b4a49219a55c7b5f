// Matrices of first derivatives of constrained dynamics of packs. With D = dr/dx and G = ds/dx for x = q, v
// (kernels/derivatives/row_derivatives.hpp), and the factors of M and of A = J M^-1 J^T + R (row_derivative_pack.hpp),
//
//   B = M^-1 J^T,  W = B A^-1,  P = M^-1 - W B^T
//   dqdd = - P D - W G,   dlambda = A^-1 (B^T D - G)
//   by tau: P and - W^T;  by desired accelerations: W and A^-1
//
// as products of blocks, in which D and G have the sparsity of the tree. Nothing is refined here, so lanes need the larger
// pivots of single calls (sure_pivot_of_derivatives). Cost O(n d^2 + n^2 d + n m (n + m)).
#pragma once

#include "kernels/derivatives/row_derivatives.hpp"
#include "kernels/pack/derivative_pack.hpp"
#include "kernels/pack/row_derivative_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// As for_entries_of_rows does of one state, of rows in body frames. After rnea_derivatives_of_states.
template <class T, class Put>
inline void for_entries_of_states(const ModelData& m, const ActingRows<T>& rows,
                                  const PackedDerivatives<T>& d, const WorkspaceData<T>& w, const Put& put) {
  for_row_sides(rows, [&](int r, const RowSide& side, const Force<T>& K, const Force<T>& N,
                          const Force<T>& P) {
    const Transform<Rot3<T>, T> X = pose_in_root_frame(side.body, w);
    const Force<T> K_0 = force_to_parent(X, K), N_0 = force_to_parent(X, N), P_0 = force_to_parent(X, P);
    for (int i = side.body; i != side.end && i >= 0; i = m.nodes[i].parent)
      for (int k = m.nodes[i].v_index; k < end_of_dofs(m, i); ++k) {
        const auto load = [&](const T* field) { return load_motion<T>(field + 6 * k); };
        put(r, k, DofMotions<T>{load(w.U), load(d.psi_dot), load(d.psi_ddot), load(d.S_rate)}, K_0, N_0, P_0);
      }
  });
}
// The changes of the forces of rows, subtracted from dr/dq; null: not wanted. After that too.
template <class T>
inline void subtract_bent_forces_of_states(const ModelData& m, const ActingRows<T>& rows, T* by_q,
                                           const PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  if (!by_q) return;
  for_bent_forces(m, rows, w, [&](BentForce<T> bent) {
    if (bent.first >= 0) bent.X_1 = pose_in_root_frame(bent.first, w);
    if (bent.second >= 0) bent.X_2 = pose_in_root_frame(bent.second, w);
    subtract_bent_force(m, bent, by_q, m.nv, d.space.order, w);
  });
}
// J, ds/dq and ds/dv of constraint rows, and what they change of dr/dq, likewise.
template <class T>
inline void fill_rows_of_states(const ModelData& m, const RowsOfStates<T>& rows, T* by_q,
                                PackedRowDerivatives<T>& p, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const std::ptrdiff_t nv = m.nv;
  const ActingRows<T> acting = {&rows, p.Kw, nullptr, &p.data, p.lambda, nullptr, nullptr};
  for (T* matrix : {p.J, p.by_q, p.by_v})
    for (std::ptrdiff_t e = 0; e < nv * rows.row_count; ++e) matrix[e] = T(0);
  for_entries_of_states(
      m, acting, d, w,
      [&](int r, int k, const DofMotions<T>& of_k, const Force<T>& K, const Force<T>& N, const Force<T>& P) {
        const std::ptrdiff_t at = r * nv + k;
        p.J[at] = dot(of_k.S, K);
        p.by_q[at] = row_by_q(of_k, K, N, P);
        p.by_v[at] = row_by_v(of_k, K, N);
      });
  subtract_bent_forces_of_states(m, acting, by_q, d, w);
}

template <class T>
void row_derivatives_of_states(const ModelData& m, const ConstraintData& c, const Inputs<T>& in,
                               const PackedProduct<T>& x, T* tau, PackedRowDerivatives<T>& p,
                               PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  const RowsOfStates<T> rows{c, p.delassus.settings};
  sweep_body_forces(m, in, w);
  row_gradients(m, rows, static_cast<RowDerivativeData<T>*>(nullptr), &p.data, false, w);
  rnea_derivatives_of_states(m, true, in, x, tau, d, w);
  fill_rows_of_states(m, rows, x.by_q, p, d, w);
}

// C columns of rows, y := A^-1 y; row r of column c at y[C r + c].
template <int C, class T>
inline void solve_row_columns(int n, const T* A, T* y) {
  const auto subtract = [&](int to, const T& share, int from) TENON_INLINE_LAMBDA {
    for (int c = 0; c < C; ++c) y[C * to + c] = y[C * to + c] - share * y[C * from + c];
  };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) subtract(i, A[n * i + k], k);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < C; ++c) y[C * i + c] = y[C * i + c] * A[(n + 1) * i];
  for (int i = n - 1; i >= 0; --i)
    for (int k = 0; k < i; ++k) subtract(k, A[n * i + k], i);
}

// p.response := B, for P = M^-1.
template <class T>
inline void place_responses(const ConstraintData& c, const T* P, PackedRowDerivatives<T>& p,
                            PackedDerivatives<T>& d) {
  const SolvedSpace& s = d.space;
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    int count = 0;
    for (int k = item.node < 0 ? -1 : s.last_row[item.node]; k >= 0; k = s.parent[k]) d.related[count++] = k;
    const auto place = [&](int r, auto columns) {
      constexpr int C = columns.value;
      for (int q = 0; q < count; ++q)
        for (int e = 0; e < C; ++e) d.tile[C * q + e] = p.J[(r + e) * s.ld + d.related[q]];
      for_row_blocks<T>(s.rows, [&](int i, auto rows) {
        T sum[rows.value][C] = {};
        add_products(
            PackedFactor<T>{P, 1, s.rows}, i, count, d.tile, [&](int q) { return d.related[q]; }, sum);
        for (int h = 0; h < rows.value; ++h)
          for (int e = 0; e < C; ++e) p.response[i + h + (r + e) * std::ptrdiff_t{s.rows}] = sum[h][e];
      });
    };
    int r = item.row_begin;
    const int end = item.row_begin + item.row_count;
    for (; r + 3 <= end; r += 3) place(r, std::integral_constant<int, 3>{});
    for (; r < end; ++r) place(r, std::integral_constant<int, 1>{});
  }
}

// p.motion := W = B A^-1, and P := M^-1 - W B^T.
template <class T>
inline void constrain_inverse(int n, T* P, PackedRowDerivatives<T>& p, const SolvedSpace& s) {
  const std::ptrdiff_t all = s.rows;
  for_column_blocks(s.rows, [&](int k, auto columns) {
    constexpr int C = columns.value;
    for (int r = 0; r < n; ++r)
      for (int e = 0; e < C; ++e) p.tile[C * r + e] = p.response[k + e + r * all];
    solve_row_columns<C>(n, p.A, p.tile);
    for (int r = 0; r < n; ++r)
      for (int e = 0; e < C; ++e) p.motion[k + e + r * all] = p.tile[C * r + e];
  });
  for_column_blocks(s.rows, [&](int j, auto columns) {
    constexpr int C = columns.value;
    for (int r = 0; r < n; ++r)
      for (int e = 0; e < C; ++e) p.tile[C * r + e] = p.response[j + e + r * all];
    // Symmetric: rows from j on.
    for_row_blocks<T>(s.rows - j, [&](int below, auto rows) {
      const int i = j + below;
      T sum[rows.value][C] = {};
      add_products(
          PackedFactor<T>{p.motion, 1, all}, i, n, p.tile, [](int r) { return r; }, sum);
      for (int h = 0; h < rows.value; ++h)
        for (int e = 0; e < C; ++e) {
          if (i + h < j + e) continue;
          T& at = P[i + h + (j + e) * all];
          P[j + e + (i + h) * all] = at = at - sum[h][e];
        }
    });
  });
}

// X := - P X - W G and lambda := A^-1 (B^T X - G), for D in X. lambda null: not wanted; in the user's rows.
template <class T>
inline void constrain_columns(const ConstraintData& c, const T* P, const T* G, T* X, T* lambda,
                              PackedRowDerivatives<T>& p, PackedDerivatives<T>& d) {
  const RowsOfStates<T> rows{c, p.delassus.settings};
  const SolvedSpace& s = d.space;
  const std::ptrdiff_t all = s.rows;
  const int n = c.row_count;
  for_column_blocks(s.columns, [&](int first, auto columns) {
    constexpr int C = columns.value;
    const int count = take_related<C>(X + place_in(s, 0, first), first, d);
    int begin = n, end = 0;
    for (int j = first; j < first + C; ++j)
      if (s.first[j] < s.end[j])
        begin = s.first[j] < begin ? s.first[j] : begin, end = s.end[j] > end ? s.end[j] : end;
    for (int r = begin; r < end; ++r)
      for (int e = 0; e < C; ++e) p.tile[C * (r - begin) + e] = G[r * s.ld + first + e];
    const auto coordinate = [&](int q) { return d.related[q]; };
    const auto row = [&](int q) { return begin + q; };
    for_row_blocks<T>(s.rows, [&](int i, auto height) {
      T sum[height.value][C] = {};
      add_products(PackedFactor<T>{P, 1, all}, i, count, d.tile, coordinate, sum);
      add_products(PackedFactor<T>{p.motion, 1, all}, i, end - begin, p.tile, row, sum);
      for (int h = 0; h < height.value; ++h)
        for (int e = 0; e < C; ++e) X[place_in(s, i + h, first + e)] = -sum[h][e];
    });
    if (!lambda) return;
    for_row_blocks<T>(n, [&](int r, auto height) {
      T sum[height.value][C] = {};
      add_products(PackedFactor<T>{p.response, all, 1}, r, count, d.tile, coordinate, sum);
      for (int h = 0; h < height.value; ++h) {
        const T acts = rows.some_inactive ? rows.active[r + h] : T(1);
        for (int e = 0; e < C; ++e)
          p.tile[C * (r + h) + e] = sum[h][e] - acts * G[(r + h) * s.ld + first + e];
      }
    });
    solve_row_columns<C>(n, p.A, p.tile);
    for (int r = 0; r < n; ++r)
      for (int e = 0; e < C; ++e)
        lambda[c.user_row[r] + (first + e) * static_cast<std::ptrdiff_t>(n)] = p.tile[C * r + e];
  });
}

template <class T>
bool constrained_derivatives_of_states(const ConstraintData& c, const PackedProduct<T>& x,
                                       const PackedRowMatrices<T>& to, PackedRowDerivatives<T>& p,
                                       PackedDerivatives<T>& d) {
  T* const P = x.by_x ? x.by_x : d.inverse;
  if (!invert_mass_matrix(P, d)) return false;
  p.trusted = p.trusted * p.all_sure;
  const RowsOfStates<T> rows{c, p.delassus.settings};
  const std::ptrdiff_t all = d.space.rows, n = c.row_count;
  place_responses(c, P, p, d);
  constrain_inverse(c.row_count, P, p, d.space);
  if (x.by_q) constrain_columns(c, P, p.by_q, x.by_q, to.lambda[0], p, d);
  if (x.by_v) constrain_columns(c, P, p.by_v, x.by_v, to.lambda[1], p, d);
  for (std::ptrdiff_t r = 0; r < n; ++r) {
    const std::ptrdiff_t user = c.user_row[r];
    for (std::ptrdiff_t k = 0; k < all; ++k) {
      const T& motion = p.motion[k + r * all];
      if (to.lambda[2]) to.lambda[2][user + k * n] = -motion;
      if (to.by_desired) to.by_desired[k + user * all] = motion;
    }
    if (!to.lambda_by_desired) continue;
    for (int s = 0; s < n; ++s) p.tile[s] = T(0);
    p.tile[r] = rows.some_inactive ? rows.active[r] : T(1);
    solve_row_columns<1>(c.row_count, p.A, p.tile);
    for (std::ptrdiff_t s = 0; s < n; ++s) to.lambda_by_desired[c.user_row[s] + user * n] = p.tile[s];
  }
  return true;
}

TENON_ISA_END
}  // namespace tenon
