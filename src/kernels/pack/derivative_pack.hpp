// Matrices of first derivatives of packs, in the notation of kernels/derivatives/rnea_derivatives.hpp, where
// coordinates of one state are in lanes; here lanes are states. All vectors are in the frame of the root body of each
// tree, so that a coordinate k meets its ancestors without transforms. Those of forward dynamics are - M^-1 times those
// of inverse dynamics: with M^-1 at hand (spatial/tree_factor.hpp) that is a product of blocks that stay in registers, where
// a solve would load and store each number again. Cost O(n d), then O(n d^2 + n^2 d).
#pragma once

#include "kernels/pack/crba_pack.hpp"
#include "kernels/pack/product_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Row i, column j of a matrix of solutions.
TENON_INLINE std::ptrdiff_t place_in(const SolvedSpace& s, std::ptrdiff_t i, std::ptrdiff_t j) {
  return s.order == MatrixOrder::rows ? i * s.ld + j : j * s.ld + i;
}

// Where coordinate k meets its ancestors j, itself the first.
template <class T>
inline void meet_ancestors(const ModelData& m, int i, int k, const PackedProduct<T>& x,
                           PackedDerivatives<T>& d, const WorkspaceData<T>& w) {
  const CoordinateForces<T> forces = forces_of_coordinate(i, k, d, w);
  const Force<T> F_q = force_by_position(i, k, d, w);
  const SolvedSpace& s = d.space;
  T* const row = d.M + std::ptrdiff_t{k} * (k + 1) / 2;
  for (int j = k; j >= 0; j = m.v_parent[j]) {
    const Motion<T> S_j = load_motion<T>(w.U + 6 * j);
    const T inertia = dot(S_j, forces.F);
    row[j] = inertia;
    if (x.by_x) x.by_x[place_in(s, j, k)] = x.by_x[place_in(s, k, j)] = inertia;
    if (x.by_q) {
      x.by_q[place_in(s, j, k)] = dot(S_j, F_q);
      x.by_q[place_in(s, k, j)] =
          forces.below_q(load_motion<T>(d.psi_ddot + 6 * j), load_vec3<T>(d.psi_dot + 6 * j));
    }
    if (x.by_v) {
      x.by_v[place_in(s, j, k)] = dot(S_j, forces.F_v);
      x.by_v[place_in(s, k, j)] = forces.below_v(load_motion<T>(d.S_rate + 6 * j), S_j);
    }
  }
  // A joint turns its own columns of S too.
  for (int j = m.nodes[i].v_index; x.by_q && j < k; ++j) {
    const Motion<T> S_j = load_motion<T>(w.U + 6 * j);
    const Vec3<T> N = transposed_moment(load_velocity_inertia(d.B + 12 * i), S_j);
    x.by_q[place_in(s, j, k)] =
        dot(load_motion<T>(d.psi_ddot + 6 * k), load_inertia<T>(w.IA + 21 * i) * S_j) +
        dot(load_vec3<T>(d.psi_dot + 6 * k), N);
  }
}

template <class T>
void rnea_derivatives_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                                PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  sweep_derivative_motions(m, in, d, w);
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    for (int k = n.v_index; k < end; ++k) {
      meet_ancestors(m, i, k, x, d, w);
      const T armature = load_armature(m, k, w);
      tau[k] = dot(load_motion<T>(w.U + 6 * k), load_force<T>(w.f + 6 * i)) + armature * in.qdd[k];
      const std::ptrdiff_t diagonal = k;
      d.M[diagonal * (diagonal + 3) / 2] = d.M[diagonal * (diagonal + 3) / 2] + armature;
      if (x.by_x) x.by_x[diagonal * (m.nv + 1)] = d.M[diagonal * (diagonal + 3) / 2];
    }
    if (n.parent < 0) continue;
    add_to_parent(i, n.parent, d, w);
  }
}

// ---- forward dynamics

// Rows of a product that are summed at a time, so that these and a row of columns stay in registers.
template <class T>
inline constexpr int rows_at_once = sizeof(T) == 64 ? 4 : 2;

// A matrix of any strides.
template <class T>
struct PackedFactor {
  const T* A;
  std::ptrdiff_t row, column;
};
// sum[h][c] += A[first + h, index(q)] B[q, c] over q; B row by row, C numbers each.
template <int R, int C, class T, class Index>
TENON_INLINE void add_products(const PackedFactor<T>& A, int first, int count, const T* B, const Index& index,
                               T (&sum)[R][C]) {
  for (int q = 0; q < count; ++q) {
    const T* const a = A.A + first * A.row + index(q) * A.column;
    for (int h = 0; h < R; ++h)
      for (int c = 0; c < C; ++c) sum[h][c] = sum[h][c] + a[h * A.row] * B[C * q + c];
  }
}
// Calls each(first, R) for rows first to first + R - 1 of all.
template <class T, class Each>
TENON_INLINE void for_row_blocks(int rows, const Each& each) {
  constexpr int R = rows_at_once<T>;
  int i = 0;
  for (; i + R <= rows; i += R) each(i, std::integral_constant<int, R>{});
  for (; i < rows; ++i) each(i, std::integral_constant<int, 1>{});
}

// Calls each(first, C) for columns first to first + C - 1 of all.
template <class Each>
TENON_INLINE void for_column_blocks(int columns, const Each& each) {
  int j = 0;
  for (; j + columns_at_once <= columns; j += columns_at_once)
    each(j, std::integral_constant<int, columns_at_once>{});
  for (; j < columns; ++j) each(j, std::integral_constant<int, 1>{});
}

// Copies what columns first to first + C - 1 of D have in the rows of their ancestors and subtrees to d.tile, row by row;
// other rows count as zero and are not read. Their numbers: d.related. Returns how many there are.
template <int C, class T>
inline int take_related(const T* D, int first, PackedDerivatives<T>& d) {
  const SolvedSpace& s = d.space;
  const auto meet = [&](int k, int column) {
    const int j = s.row_of[column];
    return j < 0 || (k <= j ? s.subtree_end[k] > j : k < s.subtree_end[j]);
  };
  int count = 0;
  for (int k = 0; k < s.rows; ++k) {
    bool some = false;
    T* const to = d.tile + C * count;
    for (int c = 0; c < C; ++c) {
      const bool own = meet(k, first + c);
      to[c] = own ? D[place_in(s, k, first + c)] : T(0);
      some = some || own;
    }
    if (some) d.related[count++] = k;
  }
  return count;
}

// d.M, the mass matrix, becomes its factor; P := M^-1. False as forward_derivatives_of_states.
template <class T>
inline bool invert_mass_matrix(T* P, PackedDerivatives<T>& d) {
  const SolvedSpace& s = d.space;
  if (!factor_along_tree(s.rows, s.parent, d.M)) return false;
  invert_along_tree(s.rows, s.parent, s.subtree_end, d.M, P);
  return true;
}

template <class T>
bool forward_derivatives_of_states(const PackedProduct<T>& x, PackedDerivatives<T>& d) {
  T* const P = x.by_x ? x.by_x : d.inverse;
  const SolvedSpace& s = d.space;
  if (!invert_mass_matrix(P, d)) return false;
  for (T* D : {x.by_q, x.by_v}) {
    if (!D) continue;
    for_column_blocks(s.columns, [&](int first, auto columns) {
      constexpr int C = columns.value;
      const int count = take_related<C>(D, first, d);
      for_row_blocks<T>(s.rows, [&](int i, auto rows) {
        T sum[rows.value][C] = {};
        add_products(
            PackedFactor<T>{P, 1, s.rows}, i, count, d.tile, [&](int q) { return d.related[q]; }, sum);
        for (int h = 0; h < rows.value; ++h)
          for (int c = 0; c < C; ++c) D[place_in(s, i + h, first + c)] = -sum[h][c];
      });
    });
  }
  return true;
}

TENON_ISA_END
}  // namespace tenon
