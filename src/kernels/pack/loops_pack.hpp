// Loop constraints of packs: G and g of the clusters as in kernels/cluster/cluster_constraints.hpp, for W states
// at a time. The scalar kernel has choices that depend on numbers; here
//
//   rotations between the ends of a loop, which have several formulas, are computed lane by lane,
//   K_d is factored by reflections, which need no pivots, and
//   lanes next to a dead centre, which the single call sweeps with other coordinates, are reported.
#pragma once

#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/joint/integrate.hpp"
#include "kernels/pack/single_lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class N, int W>
inline LoopTurn<Pack<N, W>> loop_turn(unsigned rows, const LoopEnds<Pack<N, W>>& ends,
                                      const LoopEndVelocities<Pack<N, W>>& v) {
  LoopTurn<Pack<N, W>> all;
  for (int i = 0; i < W; ++i) {
    const LoopTurn<double> one =
        loop_turn(rows,
                  LoopEnds<double>{lane_of(ends.predecessor_R, i), lane_of(ends.successor_R, i),
                                   lane_of(ends.predecessor_p, i), lane_of(ends.successor_p, i)},
                  LoopEndVelocities<double>{lane_of(v.predecessor, i), lane_of(v.successor, i)});
    for (int row = 0; row < 3; ++row) {
      all.phi[row].x[i] = static_cast<N>(one.phi[row]);
      set_lane(one.n[row], i, all.n[row]);
      set_lane(one.ndot[row], i, all.ndot[row]);
    }
  }
  return all;
}

// split_solve (kernels/joint/small_split.hpp) in all lanes. Returns the smallest pivot as a share of the largest
// entry; where it is zero the solution is finite and wrong.
template <class T>
inline T split_lanes(T* A, int rows, int n, int columns) {
  const T o(0), one(1);
  if (n == 0) return one;
  const auto nonzero = [&](const T& x) { return select(lanes_above(magnitude_of(x), o), x, one); };
  T largest = o;
  for (int e = 0; e < rows * n; ++e) largest = larger(largest, magnitude_of(A[e]));
  const T inverse = one / nonzero(largest);
  if (rows == n && n == 2) {
    const T determinant = A[0] * A[3] - A[1] * A[2];
    solve_two_by(nonzero(determinant), A, columns);
    return magnitude_of(determinant) * inverse * inverse;
  }
  T smallest = largest;
  for (int j = 0; j < n; ++j) {
    T* a = A + j * rows;
    T squares = o;
    for (int i = j; i < rows; ++i) squares = squares + a[i] * a[i];
    const T found = square_root(squares), length = nonzero(found);
    smallest = -larger(-smallest, -found);
    const T alpha = select(lanes_above(a[j], o), -length, length);
    a[j] = a[j] - alpha;
    reflect_columns(A, rows, j, columns, one / (alpha * a[j]));
    a[j] = alpha;
  }
  substitute_back(A, rows, n, columns);
  return smallest * inverse;
}

// largest := 1e30 in lanes where the dependent coordinates of the cluster do not follow from the independent ones.
template <class T>
inline void split_cluster_of_states(const ModelData& m, const ClusterData& c, LoopTerms terms, T& largest,
                                    WorkspaceData<T>& w) {
  split_cluster_by(
      [&](T* A, int rows, int n, int columns) {
        const T share = split_lanes(A, rows, n, columns);
        largest = select(lanes_above(share, T(singular_split)), largest, T(1e30));
        return true;
      },
      m, c, terms, w);
}

// G and g of all clusters; v null: at rest. Returns the largest entry of G in each lane, and 1e30 in lanes where the
// dependent coordinates of a cluster do not follow from the independent ones.
template <class T>
T cluster_constraints_of_states(const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
  const LoopTerms terms = {true, v != nullptr};
  joint_angles(m, q, w);
  T largest(0);
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    if (c.constant_G) continue;
    evaluate_cluster(m, c, q, v, terms, w);
    split_cluster_of_states(m, c, terms, largest, w);
    for (int e = 0; e < c.v_count * c.y_count; ++e)
      largest = larger(largest, magnitude_of(w.G[c.G_begin + e]));
  }
  return largest;
}

// Moves dependent coordinates until loops that turn are closed, from the end of a step, whose gaps are small: by Newton's
// method, three times. Then G and the gap are those of the end.
template <class T>
void close_clusters_of_states(const ModelData& m, T* q, T& largest, T& gap, WorkspaceData<T>& w) {
  largest = gap = T(0);
  for (int step = 0; step < 3; ++step) {
    joint_angles(m, q, w);
    for (int i = 0; i < m.cluster_count; ++i) {
      const ClusterData& c = m.clusters[i];
      if (c.constant_G) continue;
      evaluate_cluster(m, c, static_cast<const T*>(q), static_cast<const T*>(nullptr), {true, false}, w);
      for (int r = c.row_begin; r < c.row_begin + c.row_count; ++r) w.loop_k[r] = -w.loop_phi[r];
      split_cluster_of_states(m, c, {false, true}, largest, w);
    }
    integrate_joints(m, static_cast<const T*>(w.g), 1.0, q);
  }
  largest = larger(
      largest, cluster_constraints_of_states(m, static_cast<const T*>(q), static_cast<const T*>(nullptr), w));
  for (int i = 0; i < m.cluster_count; ++i) {
    const ClusterData& c = m.clusters[i];
    for (int r = c.row_begin; !c.constant_G && r < c.row_begin + c.row_count; ++r)
      gap = larger(gap, magnitude_of(w.loop_phi[r]));
  }
}

TENON_ISA_END
}  // namespace tenon
