// Matrices of first derivatives of packs with embedded loops, as of one state (calls/derivatives/constrained.cpp,
// inverse_with_loops.cpp): those of the tree with the forces of loops among the wrenches, closed all columns at once
// (kernels/derivatives/loop_products.hpp), and solved in independent coordinates as those of trees are
// (derivative_pack.hpp, row_matrix_pack.hpp). Cost O(n d + n^2 y_c), y_c of a cluster, and O(n y (d + m)) of the solution.
#pragma once

#include "kernels/derivatives/loop_products.hpp"
#include "kernels/pack/constrained_product_pack.hpp"
#include "kernels/pack/row_matrix_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// to := X, rows of motions of independent coordinates, as motions of the user, column by column; with h added, null: zero.
template <class T>
inline void give_motions(const ModelData& m, const PackedLoopMatrices<T>& x, const T* X, const T* h, T* to,
                         const WorkspaceData<T>& w) {
  const std::ptrdiff_t n = x.independent ? m.ny : m.nv, ld = m.nv;
  if (!x.independent) {
    explicit_times(m, w.G, X, m.nv, m.nv, x.room.h);
    X = x.room.h;
  }
  for (std::ptrdiff_t i = 0; i < n; ++i)
    for (std::ptrdiff_t j = 0; j < n; ++j) to[i + j * n] = h ? X[i * ld + j] + h[i * ld + j] : X[i * ld + j];
}
// to := G P G^T, for P, symmetric, of independent coordinates.
template <class T>
inline void expand_inverse(const ModelData& m, const PackedLoopMatrices<T>& x, const T* P, T* to,
                           const WorkspaceData<T>& w) {
  const std::ptrdiff_t nv = m.nv, ny = m.ny;
  explicit_times(m, w.G, P, m.ny, m.ny, x.room.h);
  for (std::ptrdiff_t k = 0; k < nv; ++k)
    for (std::ptrdiff_t j = 0; j < ny; ++j) x.M[j * nv + k] = x.room.h[k * ny + j];
  explicit_times(m, w.G, x.M, m.nv, m.nv, to);
}
// By tau and by desired accelerations, from p.motion. Null: not wanted.
template <class T>
inline void expand_motions_of_rows(const ModelData& m, const ConstraintData& c,
                                   const PackedRowMatrices<T>& to, const PackedRowDerivatives<T>& p,
                                   T* motion, const WorkspaceData<T>& w) {
  const std::ptrdiff_t nv = m.nv, n = c.row_count;
  const T* const none = nullptr;
  for (std::ptrdiff_t r = 0; r < n; ++r) {
    const std::ptrdiff_t user = c.user_row[r];
    times_explicit(m, w.G, p.motion + r * m.ny, none, motion);
    for (std::ptrdiff_t k = 0; k < nv; ++k) {
      if (to.lambda[2]) to.lambda[2][user + k * n] = -motion[k];
      if (to.by_desired) to.by_desired[k + user * nv] = motion[k];
    }
  }
}

// What x and the rows of p, if there are any, have of motions of the tree that keep loops closed, and in x.M the mass matrix of
// independent coordinates. In: without what loops add to it.
template <class T>
inline void close_matrices_of_states(const ActingInProduct<T, true>& acting, const Inputs<T>& in, T* tau,
                                     const PackedLoopMatrices<T>& x) {
  const ModelData& m = acting.m;
  WorkspaceData<T>& w = acting.w;
  PackedDerivatives<T>& d = acting.d;
  PackedRowDerivatives<T>* const p = acting.rows;
  const std::ptrdiff_t nv = m.nv;
  Inputs<T> at = in;
  sweep_body_forces(m, in, w);
  acting.place();
  if (acting.loops) {
    at.wrenches = x.wrench;
    for (int e = 0; e < 6 * m.node_count; ++e) x.wrench[e] = in.wrenches ? in.wrenches[e] : T(0);
    for_row_sides(acting.of_loops(),
                  [&](int r, const RowSide& side, const Force<T>& K, const Force<T>&, const Force<T>&) {
                    subtract_force(x.wrench, side.body, -acting.loops->mu[r] * K);
                  });
  }
  rnea_derivatives_of_states(m, false, at, {nullptr, nullptr, nullptr, x.by_q, x.by_v, x.M}, tau, d, w);
  TreeMatrices<T> tree = {x.by_q, x.by_v, nullptr, nullptr, x.M, nullptr, 0, m.nv};
  if (p) {
    fill_rows_of_states(m, acting.constraints, x.by_q, *p, d, w);
    tree.rows_q = p->by_q, tree.rows_v = p->by_v, tree.J = p->J, tree.rows = acting.constraints.row_count;
  }
  LoopFactor<T> factor{};
  if (acting.loops) {
    factor = acting.loops->factor;
    fill_loop_rows<T>(
        m, acting.of_loops(), rows_of_velocities(acting.closures, *acting.loops), x.room, nv,
        [&](const ActingRows<T>& rows, const auto& put) { for_entries_of_states(m, rows, d, w, put); });
    subtract_bent_forces_of_states(m, acting.of_loops(), x.by_q, d, w);
  }
  close_tree_matrices(m, tree, x.independent, factor, x.room, w);
  project_columns(m, w.G, x.M, m.nv, m.nv, x.room.h), project_rows(m, w.G, x.M, m.ny, m.nv, x.room.h);
  if (p) project_columns(m, w.G, p->J, tree.rows, m.nv, x.room.h);
}

template <class T>
bool loop_derivatives_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& to,
                                const PackedRowMatrices<T>& of_rows, T* tau, const PackedActing<T>& acting,
                                const PackedLoopMatrices<T>& x, PackedDerivatives<T>& d,
                                WorkspaceData<T>& w) {
  if constexpr (takes_loops<T>) {
    const ActingInProduct<T, true> at(m, in, to, acting, d, w);
    close_matrices_of_states(at, in, tau, x);
    const T* const none = nullptr;
    if (x.inverse) {
      if (to.by_q) give_motions(m, x, x.by_q, none, to.by_q, w);
      if (to.by_v) give_motions(m, x, x.by_v, none, to.by_v, w);
      if (to.by_x) give_motions(m, x, x.M, none, to.by_x, w);
      return true;
    }
    for (std::ptrdiff_t k = 0; k < m.ny; ++k)
      for (std::ptrdiff_t j = 0; j <= k; ++j) d.M[k * (k + 1) / 2 + j] = x.M[k * m.nv + j];
    T* const P = x.independent && to.by_x ? to.by_x : d.inverse;
    const PackedProduct<T> solved = {none, none, none, to.by_q ? x.by_q : nullptr, to.by_v ? x.by_v : nullptr,
                                     P};
    PackedRowMatrices<T> rows = of_rows;
    if (!x.independent) rows.lambda[2] = rows.by_desired = nullptr;
    if (acting.c ? !constrained_derivatives_of_states(*acting.c, solved, rows, *acting.rows, d)
                 : !forward_derivatives_of_states(solved, d))
      return false;
    const bool adds = at.loops && !x.independent;
    if (to.by_q) give_motions(m, x, x.by_q, adds ? x.room.h_q : none, to.by_q, w);
    if (to.by_v) give_motions(m, x, x.by_v, adds ? x.room.h_v : none, to.by_v, w);
    if (x.independent) return true;
    if (to.by_x) expand_inverse(m, x, P, to.by_x, w);
    if (of_rows.lambda[2] || of_rows.by_desired)
      expand_motions_of_rows(m, *acting.c, of_rows, *acting.rows, x.room.h, w);
    return true;
  }
  return false;
}

TENON_ISA_END
}  // namespace tenon
