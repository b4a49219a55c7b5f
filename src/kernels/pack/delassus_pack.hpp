// The Delassus matrix of packs by PV-OSIM ([OSIMR] Alg. 1 without its forces): each row is propagated to the root
// on its own, and every coordinate k on its path adds x_k D_k^-1 x_k^T for the rows of its subtree, with
//
//   x = K S L^-T,   K := (K - K S D^-1 U^T) X,   D = L diag L^T,
//
// the rows and coordinates of a cluster as in kernels/cluster/cluster_rows.hpp. Cost: O(n + m d + sum of m_k^2
// over the coordinates). kernels/delassus/pv_osimr.hpp, for one state, has rows in lanes; here lanes are states.
#pragma once

#include "kernels/pack/constrained_pack.hpp"
#include "spatial/small_ldl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The joint of node i: writes x of row r, and moves K to the parent.
template <class T>
inline void carry_row_past_joint(const NodeData& n, int i, int r, Force<T>& K, PackedDelassus<T>& d,
                                 const WorkspaceData<T>& w) {
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    constexpr int N = J::nv;
    const T* D = w.D + 6 * n.v_index;
    T x[N];
    for_each_axis<J>([&](auto e, auto axis) { x[e.value] = at<axis.value>(K); });
    for (int e = 0; e < N; ++e) {
      for (int z = 0; z < e; ++z) x[e] = x[e] - D[6 * e + z] * x[z];
      d.x[(n.v_index + e) * d.rows + r] = x[e];
      d.inverse[n.v_index + e] = D[7 * e];
    }
    if (n.parent < 0) return;
    for (int e = N - 1; e >= 0; --e) {
      x[e] = x[e] * D[7 * e];
      for (int z = e + 1; z < N; ++z) x[e] = x[e] - D[6 * z + e] * x[z];
      K = K - scaled(x[e], load_force<T>(w.U + 6 * (n.v_index + e)));
    }
    K = force_to_parent(J::load(n, i, w), K);
  });
}

// The cluster c that row r enters at body i.
template <class T>
inline void carry_row_past_cluster(const ModelData& m, const ClusterData& c, int i, int r, Force<T>& K,
                                   PackedDelassus<T>& d, const WorkspaceData<T>& w) {
  T* x = d.x + c.v_begin * d.rows + r;
  for (int y = 0; y < c.y_count; ++y) x[y * d.rows] = T(0);
  for (; i != c.parent; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      for (int y = 0; y < c.y_count; ++y) {
        T G[J::nv];
        load_G<J>(c, n, y, w, G);
        for_each_axis<J>(
            [&](auto e, auto axis) { x[y * d.rows] = x[y * d.rows] + G[e.value] * at<axis.value>(K); });
      }
      K = force_to_parent(J::load(n, i, w), K);
    });
  }
  for (int y = 0; y < c.y_count; ++y) {
    const T* row = w.cluster_D + c.G_begin + y * c.y_count;
    T sum = x[y * d.rows];
    for (int z = 0; z < y; ++z) sum = sum - row[z] * x[z * d.rows];
    x[y * d.rows] = sum;
    d.inverse[c.v_begin + y] = row[y];
    K = K - scaled(row[y] * sum, load_force<T>(w.U + 6 * (c.v_begin + y)));
  }
}

// A: rows x rows in the kernels' order, row-major, the lower triangle. False when the mass matrix of a state is
// not positive definite.
template <class T>
bool delassus_of_states(const ModelData& m, const ConstraintData& c, const T* q, PackedDelassus<T>& d, T* A,
                        WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k) d.zeros[k] = T(0);
  if (m.varying_clusters == 0) joint_angles(m, q, w);
  sweep_velocities_at_angles(m, q, d.zeros, false, w);
  if (!sweep_inertias_without_rows(m, d.zeros, d.zeros, w)) return false;
  const RowsOfStates<T> rows(c, d.settings);
  place_rows(m, rows, w);
  leave_rows_out<false>(rows, w);
  for (std::ptrdiff_t e = 0; e < d.rows * d.rows; ++e) A[e] = T(0);
  for (int index = 0; index < c.item_count; ++index) {
    const ConstraintItem& item = c.items[index];
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
      Force<T> K = load_force<T>(w.K + 6 * r);
      for (int i = item.node; i >= 0;) {
        const ClusterData* cluster = takes_loops<T> ? cluster_of(m, i) : nullptr;
        if (cluster) {
          carry_row_past_cluster(m, *cluster, i, r, K, d, w);
          i = cluster->parent;
        } else {
          carry_row_past_joint(m.nodes[i], i, r, K, d, w);
          i = m.nodes[i].parent;
        }
      }
    }
  }
  for (int k = 0; k < m.nv; ++k) {
    const T* x = d.x + k * d.rows;
    for (int i = d.first[k]; i < d.end[k]; ++i) {
      const T share = d.inverse[k] * x[i];
      T* row = A + i * d.rows;
      for (int j = d.first[k]; j <= i; ++j) row[j] = row[j] + share * x[j];
    }
  }
  return true;
}

// X := (A + damping)^-1 X, `columns` columns of `rows` numbers; A is overwritten by its factor. False when a
// pivot is not positive.
template <class T>
bool solve_damped(int rows, const double* damping, T* A, T* X, int columns) {
  for (int r = 0; r < rows; ++r) A[r * (rows + 1)] = A[r * (rows + 1)] + T(damping[r]);
  if (!factor_ldl(rows, rows, A)) return false;
  for (int j = 0; j < columns; ++j) solve_ldl(rows, rows, A, X + std::ptrdiff_t{j} * rows);
  return true;
}

TENON_ISA_END
}  // namespace tenon
