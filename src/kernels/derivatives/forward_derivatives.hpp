// First derivatives of forward dynamics of a tree, and of dynamics with constraint rows. With ID(q, v, qdd) = tau,
// dqdd/dx = - M^-1 dID/dx for x = q, v and dqdd/dtau = M^-1. The factor that the columns need gives qdd too.
//
// The right-hand sides have the sparsity of the tree. Where they have few numbers, products with M^-1, or with the responses of
// motions and forces of rows, cost less than solves (responses_pay of plan/choice), and leave columns as users want them.
#pragma once

#include <algorithm>

#include "kernels/derivatives/block_product.hpp"
#include "kernels/derivatives/chain_columns.hpp"
#include "kernels/derivatives/results.hpp"
#include "kernels/derivatives/rnea_products.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/tree/ltl_inverse.hpp"

namespace tenon {
TENON_ISA_BEGIN

// tau - c, into w.joint_force, and F of coordinates, with inertias and forces summed over subtrees. After place_body_forces.
template <class T>
inline void place_coordinate_forces(const ModelData& m, const T* tau, WorkspaceData<T>& w) {
  sum_over_subtrees<2, 3>(m, w.fw, w.Ic);
  const int stride = dof_stride(m);
  for_packs<T>(m.nv, [&](auto lanes, int k) TENON_INLINE_LAMBDA {
    constexpr int W = lanes;
    with_bodies_of_dofs<W>(m, k, w, [&](auto, const auto& body_of) TENON_INLINE_LAMBDA {
      const Motion<Lanes<T, W>> S = load_motions<W>(w.S_root + k, stride),
                                f = gather_of_bodies<W>(w.fw, body_of);
      store_rows(w.F_root + k, stride, gather_inertias<W>(w, body_of) * S);
      store_some(dot(S, Force<Lanes<T, W>>{f.w, f.v}), m.nv - k < W ? m.nv - k : W, w.joint_force + k);
    });
  });
  for (int k = 0; k < m.nv; ++k) w.joint_force[k] = tau[k] - w.joint_force[k];
}

// y := A x for a square matrix, column-major, with room to whole packs of rows.
template <class T>
TENON_INLINE void multiply_square(int n, const T* A, int ld, const T* x, T* y) {
  using L = Wide<T>;
  for (int i = 0; i < n; i += L::count) {
    L sum[2] = {L(T(0)), L(T(0))};
    for (int k = 0; k < n; ++k) sum[k % 2] = sum[k % 2] + L(x[k]) * L::load(A + std::int64_t{k} * ld + i);
    store_some(sum[0] + sum[1], n - i < L::count ? n - i : L::count, y + i);
  }
}

// inverse := M^-1, symmetric to the last bit, with leading dimension ld, whole eights. After chain_factor.
template <class T>
inline void invert_by_chains(const ModelData& m, T* inverse, int ld, DerivativeData<T>& d) {
  constexpr MatrixOrder order = MatrixOrder::rows;
  solve_by_chains(m, RightSide::unit_lower, m.nv, T(1), inverse, static_cast<T*>(nullptr), ld, order, d);
  mirror_lower_half<order>(m.nv, inverse, ld);
}

// qdd of forward dynamics, and the motion of all bodies there as after sweep_motion. With d.by_inverse, inverse := M^-1 likewise; else
// there is the factor of chains (chain_columns.hpp), for solves. False when the mass matrix is not positive definite.
template <class T>
bool forward_motion(const ModelData& m, const Inputs<T>& in, T* qdd, T* inverse, int ld, DerivativeData<T>& d,
                    WorkspaceData<T>& w) {
  sweep_motion(m, in.q, in.v, static_cast<const T*>(nullptr), w);
  place_body_forces(m, in.wrenches, w);
  if (d.by_inverse && d.inverse_by_paths) {
    place_coordinate_forces(m, in.tau, w);
    project_rows(m, w.H_L, w);
    if (!ltl_factor(m, w.H_L, w.H_inv_d, w)) return false;
    place_lower_inverse(m, w.H_L, w.H_inv_d, d.columns, inverse, ld, d, w);
    mirror_lower_half<MatrixOrder::columns>(m.nv, inverse, ld);
  } else {
    sweep_joint_forces(m, in.tau, w);
    if (!chain_factor(m, d, w)) return false;
    if (d.by_inverse) invert_by_chains(m, inverse, ld, d);
  }
  if (d.by_inverse) {
    multiply_square(m.nv, inverse, ld, w.joint_force, qdd);
  } else {
    const ChainColumns<T, RowsOfOneColumn<T>> factor{d};
    for (int k = 0; k < m.nv; ++k) qdd[k] = w.joint_force[k];
    if (m.nv > 0) factor.inward({qdd}, 0, m.nv);
    factor.outward({qdd}, T(1), 0);
  }
  add_accelerations(m, qdd, d, w);
  return true;
}

// inverse := M^-1, where forward_motion did not. Whether its numbers are moderate.
template <class T>
bool place_inverse(const ModelData& m, T* inverse, int ld, DerivativeData<T>& d) {
  if (!d.by_inverse) invert_by_chains(m, inverse, ld, d);
  return is_moderate_matrix(inverse, m.nv, m.nv, ld);
}

// dq, dv: from derivatives of inverse dynamics to those of forward dynamics, row-major with leading dimension ld, whole
// eights; null: not wanted. After forward_motion and rnea_derivatives.
template <class T>
void solve_derivatives(const ModelData& m, T* dq, T* dv, int ld, DerivativeData<T>& d) {
  solve_by_chains(m, RightSide::tree, m.nv, T(-1), dq, dv, ld, MatrixOrder::rows, d);
}

// The rows that a block of columns has.
TENON_INLINE CoordinateRange rows_of_block(const ModelData& m, const ConstraintData& c,
                                           const ColumnBlock& block) {
  CoordinateRange rows = {c.row_count, 0};
  for (int k = block.first; k < block.first + block.count; ++k) {
    const RowRange of_k = rows_of_subtree(m, c, k);
    if (of_k.begin == of_k.end) continue;
    rows = {std::min(rows.first, of_k.begin), std::max(rows.end, of_k.end)};
  }
  return rows.first < rows.end ? rows : CoordinateRange{0, 0};
}

// The matrices of `which`, one or both.
template <int matrices, class T>
TENON_INLINE void multiply_sides(const ModelData& m, const ConstraintData* c, const Responses<T>& responses,
                                 const ResponseSides<T>& sides, const int (&which)[matrices], T* room,
                                 const DerivativeData<T>& d) {
  const FourColumns<matrices, T> columns = {room};
  const T *D[matrices], *G[matrices];
  ProductColumns<matrices, T> X = {{}, sides.ld_X, m.nv}, Y = {{}, sides.ld_Y, responses.rows};
  bool forces = false;
  for (int i = 0; i < matrices; ++i) {
    const ResponseSide<T>& side = sides.of[which[i]];
    D[i] = side.D, G[i] = side.G, X.C[i] = side.X, Y.C[i] = side.Y;
    forces = forces || side.Y;
  }
  for (int b = 0; b < d.block_count; ++b) {
    const ColumnBlock& block = d.blocks[b];
    SparseRows inner = {d.block_rows + block.ranges_begin, D[0] ? block.range_count : 0, {0, 0}};
    columns.gather(D, sides.ld, block.first, block.count, inner.ranges, inner.count);
    if (responses.rows > 0) {
      const CoordinateRange rows = rows_of_block(m, *c, block);
      columns.gather_rows(G, sides.ld, block.first, rows, m.nv);
      inner.behind = {m.nv + rows.first, m.nv + rows.end};
    }
    multiply_sparse(X, block.first, block.count, responses.columns, responses.ld, columns, inner);
    if (forces)
      multiply_sparse(Y, block.first, block.count, responses.columns + m.nv, responses.ld, columns, inner);
  }
}

// [X; Y] := - responses [D; G]. c: null without rows. room: 8 numbers a coordinate, a row, and three more of them. Only X and Y are
// written, Y of both or of none.
template <class T>
void multiply_by_responses(const ModelData& m, const ConstraintData* c, const Responses<T>& responses,
                           const ResponseSides<T>& sides, T* room, const DerivativeData<T>& d) {
  if (sides.of[0].X && sides.of[1].X)
    multiply_sides<2>(m, c, responses, sides, {0, 1}, room, d);
  else if (sides.of[0].X || sides.of[1].X)
    multiply_sides<1>(m, c, responses, sides, {sides.of[0].X ? 0 : 1}, room, d);
}

TENON_ISA_END
}  // namespace tenon
