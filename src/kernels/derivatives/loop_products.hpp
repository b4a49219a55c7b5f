// Embedded loops in products with derivatives (row_products.hpp), for plain numbers and for those with their changes.
//
// Motions that keep loops closed are dq = G dy, dv = G dydot + D dq and dqdd = G dyddot + h. In gradients of y^T r - b^T s with
// y = G x, multipliers of the rows K of loops take the place of h and D: b_a with K^T b_a = M y - J^T b - w on dependent
// coordinates, w the gradient by qdd, and b_v with K^T b_v = g_v there. The forces of loops are K^T mu = r there, all that
// others leave. So, with all three, g_y = G^T g_q and g_ydot = G^T g_v. calls/derivatives/embedded_loops.hpp has the equations.
// K_d, the columns of dependent coordinates, is factored once for all of them (cluster/loop_factor.hpp). O(n + d^2) a cluster.
#pragma once

#include <algorithm>

#include "kernels/cluster/explicit_form.hpp"
#include "kernels/cluster/loop_factor.hpp"
#include "kernels/derivatives/row_products.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The factor of K_d in the memory of loops.
template <class T>
TENON_INLINE LoopFactor<T> loop_factor(LoopRows which, const LoopDerivativeData<T>& d) {
  return {d.Q, d.R, d.column, which == LoopRows::all};
}
template <class T>
void factor_loop_rows(const ModelData& m, LoopRows which, const LoopDerivativeData<T>& d,
                      const WorkspaceData<T>& w) {
  factor_dependent(m, static_cast<const T*>(w.loop_K), loop_factor(which, d));
}
// x := the motion of dependent coordinates with K x = - ds. K of the workspace has the opposite sign of K of closures.
template <class T>
void close_loops(const ModelData& m, LoopRows which, const T* ds, T* x, const LoopDerivativeData<T>& d) {
  close_by_dependent(m, loop_factor(which, d), ds, x);
}
// b := forces with K^T b = x on dependent coordinates.
template <class T>
void balance_loops(const ModelData& m, LoopRows which, const T* x, T* b, const LoopDerivativeData<T>& d) {
  balance_dependent(m, loop_factor(which, d), x, b);
  for (int r = 0; r < m.loop_row_count; ++r) b[r] = -b[r];
}

// The rows as parts of products: mu, b and ds; of velocities: K and dK v.
template <class T>
ActingRows<T> loop_rows(const LoopDerivativeData<T>& d) {
  return {&d.rows, d.of_velocities.N, d.of_velocities.side_N, &d.of_accelerations, d.mu, d.b, d.ds};
}
template <class T>
ActingRows<T> loop_rows_of_velocities(const LoopDerivativeData<T>& d) {
  return {&d.rows, d.of_velocities.N, d.of_velocities.side_N, &d.of_velocities, d.mu, d.b, d.ds};
}

// Adds the forces mu to those on bodies, `wrench`. After row_gradients of velocities.
template <class T>
void add_loop_forces(const LoopDerivativeData<T>& d, T* wrench, const WorkspaceData<T>& w) {
  for_row_sides(loop_rows(d),
                [&](int r, const RowSide& side, const Force<T>& K, const Force<T>&, const Force<T>&) {
                  T* at = wrench + 6 * side.body;
                  store(at, load_force<T>(at) + d.mu[r] * force_to_child(root_pose(w, side.body), K));
                });
}

// The rows of loops in the matrices of LoopMatrixData. entries(rows, put): calls put as for_entries_of_rows.
template <class T, class Entries>
inline void fill_loop_rows(const ModelData& m, const ActingRows<T>& of_accelerations,
                           const ActingRows<T>& of_velocities, const LoopMatrixData<T>& to, std::int64_t ld,
                           const Entries& entries) {
  for (T* rows : {to.s_q, to.s_v, to.velocity_q}) std::fill_n(rows, m.loop_row_count * ld, T(0));
  entries(of_accelerations, [&](int r, int k, const DofMotions<T>& of_k, const Force<T>& K, const Force<T>& N,
                                const Force<T>& P) {
    to.s_q[r * ld + k] = row_by_q(of_k, K, N, P);
    to.s_v[r * ld + k] = row_by_v(of_k, K, N);
  });
  entries(of_velocities,
          [&](int r, int k, const DofMotions<T>& of_k, const Force<T>&, const Force<T>& N,
              const Force<T>& P) { to.velocity_q[r * ld + k] = dot(of_k.psi_dot, N) + dot(of_k.S, P); });
}
// Matrices of the rows of loops, row-major with leading dimension ld: ds/dq, ds/dv, and d(K v)/dq. dq: dr/dq, which lacks the
// changes of the forces of loops. After rnea_derivatives in rows and row_gradients.
template <class T>
void loop_row_matrices(const ModelData& m, const LoopDerivativeData<T>& d, const LoopMatrixData<T>& to, T* dq,
                       int ld, const DerivativeData<T>& x, WorkspaceData<T>& w) {
  fill_loop_rows<T>(
      m, loop_rows(d), loop_rows_of_velocities(d), to, ld,
      [&](const ActingRows<T>& rows, const auto& put) { for_entries_of_rows(m, rows, x, w, put); });
  for_bent_forces(m, loop_rows(d), w,
                  [&](const BentForce<T>& b) { subtract_bent_force(m, b, dq, ld, MatrixOrder::rows, w); });
}
// X := G^T X, of nv rows; X := X G; X := G X, of ny rows. Whole packs of columns.
template <class T>
void project_rows(const ModelData& m, const T* G, T* X, int columns, int ld, T* room) {
  explicit_transposed_times(m, G, X, columns, ld, room);
  std::copy_n(room, static_cast<std::int64_t>(m.ny) * ld, X);
}
template <class T>
void project_columns(const ModelData& m, const T* G, T* X, int rows, int ld, T* room) {
  for (int first = 0; first < rows; first += m.nv, X += static_cast<std::int64_t>(m.nv) * ld) {
    const int count = rows - first < m.nv ? rows - first : m.nv;
    times_explicit_rows(m, G, X, count, ld, room);
    std::copy_n(room, static_cast<std::int64_t>(count) * ld, X);
  }
}
template <class T>
void give_rows(const ModelData& m, const T* G, T* X, int columns, int ld, T* room) {
  explicit_times(m, G, X, columns, ld, room);
  std::copy_n(room, static_cast<std::int64_t>(m.nv) * ld, X);
}
// In all lanes, of a pack.
template <class T>
TENON_INLINE bool is_zero(const T& x) {
  if constexpr (is_pack<T>) {
    bool zero = true;
    for (int l = 0; l < T::width; ++l) zero = zero && lane_of(x, l) == 0;
    return zero;
  } else {
    return x == T(0);
  }
}
// C += A B, `rows` rows, for B with rows of the dependent coordinates of varying loops alone.
template <class T>
inline void add_dependent_products(const ModelData& m, const T* A, int rows, const T* B, int columns, int ld,
                                   T* C) {
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    for (int j = 0; j < (c.constant_G ? 0 : c.d_count); ++j) {
      const int k = m.dependent[c.d_begin + j];
      for (std::int64_t r = 0; r < rows; ++r)
        if (!is_zero(A[r * ld + k]))
          add_scaled_row(A[r * ld + k], B + static_cast<std::int64_t>(k) * ld, columns, C + r * ld);
    }
  }
}

// Derivatives of the tree become those along motions that keep loops closed, by independent coordinates or all: dr multiplied
// by G^T. Where q moves along dq = G dy, velocities turn by D dq, and qdd changes by h with
//
//   K D dq = - d(K v)/dq dq,   K h = - (ds/dq dq + ds/dv dv).
//
// After loop_row_matrices and factor_loop_rows, where the G of some loops varies.
template <class T>
void close_tree_matrices(const ModelData& m, const TreeMatrices<T>& x, bool independent,
                         const LoopFactor<T>& factor, const LoopMatrixData<T>& to,
                         const WorkspaceData<T>& w) {
  const bool vary = m.varying_clusters > 0;
  const int nv = m.nv, n = independent ? m.ny : nv, ld = x.ld, loop_rows = m.loop_row_count;
  struct Pair {
    T *by_q, *by_v;
    int rows;
    const T* by_a;
  };
  const Pair of_motion = {x.by_q, x.by_v, nv, x.M}, of_rows = {x.rows_q, x.rows_v, x.rows, x.J},
             of_loops = {vary ? to.s_q : nullptr, to.s_v, loop_rows, nullptr};
  if (vary && independent) {
    project_columns(m, w.G, to.velocity_q, loop_rows, ld, to.h);
    close_columns_by_dependent<T>(m, factor, to.velocity_q, n, ld, to.turned);
  }
  for (const Pair& p : {of_motion, of_rows, of_loops}) {
    if (!p.by_q || !independent) continue;
    project_columns(m, w.G, p.by_q, p.rows, ld, to.h);
    if (vary) add_dependent_products(m, p.by_v, p.rows, to.turned, n, ld, p.by_q);
    project_columns(m, w.G, p.by_v, p.rows, ld, to.h);
  }
  if (vary) {
    close_columns_by_dependent<T>(m, factor, to.s_q, n, ld, to.h_q);
    close_columns_by_dependent<T>(m, factor, to.s_v, n, ld, to.h_v);
    for (const Pair& p : {of_motion, of_rows}) {
      if (!p.by_q) continue;
      add_dependent_products(m, p.by_a, p.rows, to.h_q, n, ld, p.by_q);
      add_dependent_products(m, p.by_a, p.rows, to.h_v, n, ld, p.by_v);
    }
  }
  project_rows(m, w.G, x.by_q, n, ld, to.h), project_rows(m, w.G, x.by_v, n, ld, to.h);
}
// After rnea_derivatives in rows, row_derivatives and row_jacobian, and factor_loop_rows.
template <class T>
void close_matrices(const ModelData& m, const TreeMatrices<T>& x, bool independent,
                    const LoopDerivativeData<T>& d, const LoopMatrixData<T>& to,
                    const DerivativeData<T>& of_tree, WorkspaceData<T>& w) {
  if (m.varying_clusters > 0) loop_row_matrices(m, d, to, x.by_q, x.ld, of_tree, w);
  close_tree_matrices(m, x, independent, loop_factor(LoopRows::varying, d), to, w);
}

// C += A D, `rows` rows of changes along independent coordinates, with D as above. After row_gradients of velocities of the loops
// at those of the last sweep_motion, and factor_loop_rows.
template <class T>
void add_turned_by_loops(const ModelData& m, const T* A, int rows, T* C, int ld,
                         const LoopDerivativeData<T>& d, const LoopMatrixData<T>& to,
                         const WorkspaceData<T>& w) {
  std::fill_n(to.velocity_q, static_cast<std::int64_t>(m.loop_row_count) * ld, T(0));
  for_velocity_entries(m, loop_rows_of_velocities(d), w,
                       [&](int r, int k, const T& turned, const T& moved, const Motion<T>&, const Force<T>&) {
                         T& at = to.velocity_q[static_cast<std::int64_t>(r) * ld + k];
                         at = at + (turned + moved);
                       });
  project_columns(m, w.G, to.velocity_q, m.loop_row_count, ld, to.h);
  close_columns_by_dependent<T>(m, loop_factor(LoopRows::varying, d), to.velocity_q, m.ny, ld, to.turned);
  add_dependent_products(m, A, rows, to.turned, m.ny, ld, C);
}

// y^T dr/d(q, v) - b^T ds/d(q, v), and M y - J^T b into g_a (null: not wanted), where loops, among the rows, hold what is left
// of a gradient `by_a` of qdd (null: zero). After row_gradients and factor_loop_rows.
template <class T>
void held_vjp(const ModelData& m, const ProductRows<T>& rows, LoopRows which, const T* wrenches, const T* y,
              const T* by_a, T* g_q, T* g_v, T* g_a, LoopDerivativeData<T>& loops, DerivativeData<T>& x,
              WorkspaceData<T>& w) {
  for (int r = 0; r < m.loop_row_count; ++r) loops.b[r] = T(0);
  constrained_vjp(m, rows, wrenches, y, g_q, g_v, loops.rest, x, w);
  for (int k = 0; by_a && k < m.nv; ++k) loops.rest[k] = loops.rest[k] - by_a[k];
  balance_loops(m, which, loops.rest, loops.b, loops);
  constrained_vjp(m, rows, wrenches, y, g_q, g_v, g_a, x, w);
}

// g_q becomes the gradient where v turns with q as loops make it turn.
template <class T>
void hold_velocities(const ModelData& m, LoopRows which, const T* g_v, T* g_q, LoopDerivativeData<T>& loops,
                     const WorkspaceData<T>& w) {
  balance_loops(m, which, g_v, loops.b, loops);
  for (int r = 0; r < m.loop_row_count; ++r) loops.b[r] = -loops.b[r];
  row_velocity_vjp(m, loop_rows_of_velocities(loops), T(0), g_q, static_cast<T*>(nullptr), w);
}

TENON_ISA_END
}  // namespace tenon
