// The damped inverse of the Delassus matrix by early elimination at a branching base (PV-OSIMf, [CABA] VI-B,
// VIII-C): below the root joint the rows of different branches are not coupled. With A_b the dual Hessian of
// a branch there, and Y, D of the root joint ([OSIMR] Alg. 1),
//
//   Lambda^-1 + E = diag(A_b + E_b) + Y D^-1 Y^T,
//   (Lambda^-1 + E)^-1 = diag((A_b + E_b)^-1) - Z (D + Y^T Z)^-1 Z^T,   Z = diag((A_b + E_b)^-1) Y,
//
// the matrix inversion lemma ([CABA] Eq. 43). O(n + m^2 d), and O(sum of m_b^3) instead of O(m^3) for the
// factors.
#pragma once

#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/delassus/dense_inverse.hpp"
#include "kernels/delassus/pv_osim.hpp"
#include "kernels/tree/rank_six_columns.hpp"

namespace tenon {
TENON_ISA_BEGIN

// C := factor of D + Y^T Z for the root joint.
template <class T>
inline void factor_root_joint(const T* root_inv_d, PvOsimfData<T>& d) {
  T C[6][6];
  for (int r = 0; r < 6; ++r) {
    for (int e = 0; e <= r; ++e) {
      C[r][e] = T(r == e ? 1 : 0);
      if (r >= d.root_columns) continue;
      Lanes<T> sum(T(0));
      for (int i = 0; i < d.slot_count; i += 4)
        sum = sum + Lanes<T>::load(d.Y + r * d.slot_count + i) * Lanes<T>::load(d.Z + e * d.slot_count + i);
      C[r][e] = r == e ? sum.sum() + T(1) / root_inv_d[r] : sum.sum();
    }
  }
  keep_root_factor(C, d.C);
}

// damping: E of the rows. form: F holds inverses, for pv_osimf_form, and not factors. After sweep_inertias.
template <class T>
void pv_osimf_factor(const ModelData& m, const ConstraintData& c, const T* damping, bool form, PvData<T>& pv,
                     PvOsimfData<T>& d, WorkspaceData<T>& w) {
  place_rows(m, c, w);
  const T* unread = nullptr;
  carry_all_rows<false>(m, d.root_columns > 0, unread, pv, w);
  for (int block = 0; block < d.block_count; ++block) {
    const PvBlock& b = d.blocks[block];
    gather_block(b, d.root_columns, pv, d.A, d.Y, d.slot_count);
    for (int i = 0; i < b.row_count; ++i) d.damping[b.slot + i] = damping[b.row_begin + i];
    T* F = d.F + b.begin;
    if (form)
      invert_dense(d.A + b.begin, d.damping + b.slot, b.row_count, b.stride, F, d.scratch);
    else
      factor_dense(d.A + b.begin, d.damping + b.slot, b.row_count, b.stride, F, d.inv_d + b.slot, d.scratch);
    for (int e = 0; e < d.root_columns; ++e) {
      const T* Y = d.Y + e * d.slot_count + b.slot;
      T* Z = d.Z + e * d.slot_count + b.slot;
      if (form) {
        multiply_symmetric(F, b.stride, Y, Z);
        continue;
      }
      for (int i = 0; i < b.stride; ++i) Z[i] = Y[i];
      solve_dense(F, d.inv_d + b.slot, b.stride, Z);
    }
  }
  if (d.root_columns > 0) factor_root_joint(pv.d_inv + pv.nodes[pv.node_count - 1].column_begin, d);
}

// x := (Lambda^-1 + E)^-1 b, rows in the kernels' order.
template <class T>
void pv_osimf_apply(const T* b, const T* damping, T* x, PvOsimfData<T>& d) {
  for (int r = 0; r < d.world_rows; ++r) x[r] = b[r] / damping[r];
  T force[6] = {};
  for (int block = 0; block < d.block_count; ++block) {
    const PvBlock& B = d.blocks[block];
    T* y = d.x + B.slot;
    for (int i = 0; i < B.stride; ++i) y[i] = i < B.row_count ? b[B.row_begin + i] : T(0);
    for (int e = 0; e < d.root_columns; ++e) {
      Lanes<T> sum(T(0));
      for (int i = 0; i < B.stride; i += 4)
        sum = sum + Lanes<T>::load(d.Z + e * d.slot_count + B.slot + i) * Lanes<T>::load(y + i);
      force[e] = force[e] + sum.sum();
    }
    solve_dense(d.F + B.begin, d.inv_d + B.slot, B.stride, y);
  }
  solve_root_joint(d.C, force);
  for (int block = 0; block < d.block_count; ++block) {
    const PvBlock& B = d.blocks[block];
    for (int i = 0; i < B.row_count; ++i) {
      const int slot = B.slot + i;
      T sum = d.x[slot];
      for (int e = 0; e < d.root_columns; ++e) sum = sum - d.Z[e * d.slot_count + slot] * force[e];
      x[B.row_begin + i] = sum;
    }
  }
}

// The upper triangle of the damped inverse, rows in the kernels' order.
template <class T>
void pv_osimf_form(const T* damping, T* inverse, PvOsimfData<T>& d) {
  for (int block = 0; block < d.block_count; ++block) {
    const PvBlock& b = d.blocks[block];
    const T* X = d.F + b.begin;
    for (int j = 0; j < b.row_count; ++j) {
      T* column = inverse + (b.row_begin + j) * d.stride;
      T h[1][8] = {};
      if (d.root_columns > 0) {
        T g[6] = {};
        for (int e = 0; e < d.root_columns; ++e) g[e] = d.Z[e * d.slot_count + b.slot + j];
        solve_root_joint(d.C, g);
        for (int e = 0; e < 6; ++e) h[0][e] = g[e];
        for (int other = block; other >= 0; --other) {
          const PvBlock& o = d.blocks[other];
          rank_six_columns<1>(d.Z + o.slot - o.row_begin, d.slot_count, o.row_begin,
                              o.row_begin + o.row_count, h, d.stride, column);
        }
      } else {
        for (int i = 0; i < b.row_begin + b.row_count; ++i) column[i] = T(0);
      }
      for (int i = 0; i <= j; ++i) column[b.row_begin + i] = column[b.row_begin + i] + X[i * b.stride + j];
      for (int i = 0; i < d.world_rows; ++i) column[i] = T(0);
    }
  }
  for (int j = 0; j < d.world_rows; ++j) {
    for (int i = 0; i < j; ++i) inverse[j * d.stride + i] = T(0);
    inverse[j * d.stride + j] = T(1) / damping[j];
  }
}

TENON_ISA_END
}  // namespace tenon
