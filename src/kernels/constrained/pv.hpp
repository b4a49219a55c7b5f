// The Popov-Vereshchagin sweep ([CABA] II-F, Alg. 4). While ABA eliminates joints from the leaves to the
// root, the constraint rows K a' = k of the subtree are propagated, as conditions on the acceleration of the
// parent (lambda is the force on the robot, Alg. 4 has the other sign):
//
//   W = K S,   L := L + W D^-1 W^T,   k := k - W D^-1 u - K' c,   K' = K - W D^-1 U^T in the parent's frame
//
// At the root no joint is left: (L + R) lambda = k - K a_0 =: b, with L = J M^-1 J^T. Outward, the forces of
// the rows enter the joints by u := u + W^T lambda (line 18), and the rest is ABA. O(n + m^2 d), and O(m^3)
// for the dense solve. Below a root joint with several branches the solve is cheaper: only the few dofs of
// the root joint couple their rows, L = diag(L_b) + Y D^-1 Y^T, so that the blocks are factored one by one
// and the matrix inversion lemma adds the coupling ([CABA] VI-B, Eq. 43, 45).
//
// Along a chain whose joints have the same rows, L is summed once at its end, over all columns of W.
#pragma once

#include "data/rank.hpp"
#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/constrained/pv_data.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- inward: rows, then their dual Hessian

template <class T>
TENON_INLINE void enter_row(const T* K, const T& k, int lane, PvData<T>& d) {
  for (int e = 0; e < 6; ++e) d.K[e * d.lane_count + lane] = K[e];
  d.k[lane] = k;
}

// Puts the rows on the body into their lanes, then the inter-body rows that start on it; the right-hand side
// of the latter goes to their first side. Body: a node, or a group of a cluster.
template <class T, class Body>
inline void enter_rows(const Body& s, PvData<T>& d, const WorkspaceData<T>& w) {
  const T o(0), none[6] = {o, o, o, o, o, o};
  int lane = s.lane_begin;
  for (int r = s.row_begin; r < s.row_end; ++r) enter_row(w.K + 6 * r, w.k[r], lane++, d);
  for (int j = s.side_begin; j < s.side_end; ++j) {
    const PvSide& side = d.sides[j];
    enter_row(w.side_K + side.K, side.K % 12 == 0 ? w.k[side.row] : o, lane++, d);
  }
  for (; lane % 4 != 0; ++lane) enter_row(none, o, lane, d);
}

// Adds second lanes to first lanes where the two paths meet.
template <class T>
inline void merge_lanes(int begin, int end, PvData<T>& d) {
  for (int j = begin; j < end; ++j) {
    const PvMerge& m = d.merges[j];
    for (int e = 0; e < 7; ++e) {
      T* x = e < 6 ? d.K + e * d.lane_count : d.k;
      x[m.into] = x[m.into] + x[m.from];
      x[m.from] = T(0);
    }
  }
}

// Copies a node's own rows to their lanes, without right-hand sides.
template <class T>
TENON_INLINE void place_own_lanes(const PvNode& s, T* K, int stride, const WorkspaceData<T>& w) {
  for (int r = s.row_begin; r < s.row_end; r += 4, K += 4)
    store_rows(K, stride, gather_rows(r, s.row_end - r, w));
}
// Copies the rows on each body of a cluster to their lanes.
template <class T>
TENON_INLINE void place_cluster_lanes(const PvNode& s, const PvGroup* groups, T* K, int stride,
                                      const WorkspaceData<T>& w) {
  for (int g = s.group_begin; g < s.group_end; ++g) {
    const PvGroup& group = groups[g];
    T* place = K + (group.lane_begin - s.lane_begin);
    for (int r = group.row_begin; r < group.row_end; r += 4, place += 4)
      store_rows(place, stride, gather_rows(r, group.row_end - r, w));
  }
}

// Propagates the rows of a node to its parent, in place, and stores their columns K S L^-T in W. Without
// right_sides, only the Delassus matrix is computed: k and v are not read, and no row reaches the world.
template <bool right_sides, class J, class T>
TENON_INLINE void carry_rows(const NodeData& n, const PvNode& s, const T* v, PvData<T>& d,
                             const WorkspaceData<T>& w) {
  using V = Lanes<T>;
  constexpr int N = J::nv;
  const int lanes = s.lane_end - s.lane_begin;
  const RowJoint<J, T> past(n, w);
  for (int r = 0; r < N; ++r) d.d_inv[s.column_begin + r] = past.d_inv[r];
  Motion<V> c{};
  if constexpr (right_sides) {
    T rate[N];
    load_rate<J>(n, v, rate);
    c = spread(velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * s.node), rate));
  }
  const auto X = spread(J::load(n, s.node, w));
  for (int lane = 0; lane < lanes; lane += V::count) {
    T* place = d.K + s.lane_begin + lane;
    Force<V> K = load_rows(place, d.lane_count);
    V x[N];
    past.project(K, x);
    for (int r = 0; r < N; ++r) x[r].store(d.W + s.W_begin + r * lanes + lane);
    if (!right_sides && n.parent < 0) continue;
    K = past.pass(K, x);
    if constexpr (right_sides) {
      T* right = d.k + s.lane_begin + lane;
      V k = V::load(right);
      for (int r = N - 1; r >= 0; --r) k = k - x[r] * V(w.u[n.v_index + r]);
      (k - dot(c, K)).store(right);
    }
    store_rows(place, d.lane_count, force_to_parent(X, K));
  }
}

// Propagates the rows of a cluster to its parent likewise. Each group follows its own path inward; its
// columns for the independent coordinates, W = K S G, are stored as W L^-T with D = L diag L^T.
template <bool right_sides, class T>
inline void carry_cluster_rows(const ModelData& m, const PvNode& s, const T* v, PvData<T>& d,
                               const WorkspaceData<T>& w) {
  using V = Lanes<T>;
  const ClusterData& c = m.clusters[s.cluster];
  const int lanes = s.lane_end - s.lane_begin;
  T* d_inv = d.d_inv + s.column_begin;
  for (int y = 0; y < c.y_count; ++y) d_inv[y] = w.cluster_D[c.G_begin + y * c.y_count + y];
  if constexpr (!right_sides) place_cluster_lanes(s, d.groups, d.K + s.lane_begin, d.lane_count, w);
  for (int g = s.group_begin; g < s.group_end; ++g) {
    const PvGroup& group = d.groups[g];
    const bool from_below = group.row_begin == group.row_end && group.side_begin == group.side_end;
    if (right_sides && !from_below) enter_rows(group, d, w);
    for (int lane = group.lane_begin; lane < group.lane_end; lane += V::count) {
      Force<V> K = load_rows(d.K + lane, d.lane_count);
      V k = right_sides ? V::load(d.k + lane) : V(T(0));
      T* W = d.W + s.W_begin + (lane - s.lane_begin);
      carry_locked(m, c, group.node, K, W, lanes, w,
                   [&](auto joint, const NodeData& n, int i, const Force<V>& at_body) {
                     if constexpr (right_sides)
                       k = k - dot(spread(cluster_joint_bias<decltype(joint)>(n, i, v, w)), at_body);
                   });
      pass_cluster(c, K, W, lanes, w);
      store_rows(d.K + lane, d.lane_count, K);
      if constexpr (!right_sides) continue;
      for (int y = 0; y < c.y_count; ++y) k = k - V::load(W + y * lanes) * V(w.u[c.v_begin + y] * d_inv[y]);
      k.store(d.k + lane);
    }
  }
}

// L += W D^-1 W^T for the last columns, all of which have the lanes of node s.
template <class T>
inline void sum_dual_hessian(const PvNode& s, int columns, int end_column, const T* W, PvData<T>& d) {
  using V = Lanes<T>;
  const int lanes = s.lane_end - s.lane_begin;
  const T* d_inv = d.d_inv + end_column - columns;
  for (int left = 0; left < lanes; left += V::count) {
    for (int q = 0; q < columns; ++q)
      (V(d_inv[q]) * V::load(W + q * lanes + left)).store(d.scaled + V::count * q);
    for (int row = left; row < lanes; row += V::count) {
      T* L = d.L + (s.lane_begin + left) * d.lane_count + s.lane_begin + row;
      V tile[V::count];
      for (int j = 0; j < V::count; ++j) tile[j] = V::load(L + j * d.lane_count);
      for (int q = 0; q < columns; ++q) {
        const V x = V::load(W + q * lanes + row);
        for (int j = 0; j < V::count; ++j) tile[j] = tile[j] + x * V(d.scaled[V::count * q + j]);
      }
      for (int j = 0; j < V::count; ++j) tile[j].store(L + j * d.lane_count);
    }
  }
}

// ---- at the root

// A := the block of L of B; the columns of the root joint become its border, if it has one, and Y.
template <class T>
inline void gather_block(const PvBlock& B, int root_columns, const PvData<T>& d, T* A, T* Y, int slots) {
  const std::int32_t* lane = d.lane_of_row + B.row_begin;
  const int packs = whole_packs(B.row_count);
  const Lanes<T> zero(T(0));
  A += B.begin;
  for (int i = 0; i < packs * B.stride; i += 4) zero.store(A + i);
  for (int j = 0; j < B.row_count; ++j) {
    const T* L = d.L + lane[j] * d.lane_count;
    for (int i = j; i < B.row_count; ++i) A[j * B.stride + i] = A[i * B.stride + j] = L[lane[i]];
  }
  // With a single root, its lanes hold all rows.
  for (int e = 0; e < root_columns; ++e) {
    const T* W = d.W + d.nodes[d.node_count - 1].W_begin + e * d.lane_count;
    T* y = Y + e * slots + B.slot;
    for (int j = 0; j < packs; ++j) y[j] = j < B.row_count ? W[lane[j]] : T(0);
    for (int j = 0; B.stride > packs && j < B.row_count; ++j) A[j * B.stride + packs + e] = y[j];
  }
}

// Blocks of L, and b := k - K a_0.
template <class T>
inline void gather_blocks(const PvBlocks& blocks, int root_columns, PvData<T>& d, const WorkspaceData<T>& w) {
  const Motion<T> a_0 = load_motion<T>(w.a - 6);
  for (int r = 0; r < d.world_rows; ++r) d.b[r] = w.k[r] - dot(a_0, load_force<T>(w.K + 6 * r));
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    gather_block(B, root_columns, d, d.A, d.Y, d.slot_count);
    for (int r = B.row_begin; r < B.row_begin + B.row_count; ++r) {
      const int lane = d.lane_of_row[r];
      const T* K = d.K + lane;
      const Force<T> carried = {{K[0], K[d.lane_count], K[2 * d.lane_count]},
                                {K[3 * d.lane_count], K[4 * d.lane_count], K[5 * d.lane_count]}};
      d.b[r] = d.k[lane] - dot(a_0, carried);
    }
  }
}

// L := C L C^T, where C adds the two lanes of each inter-body row. Rows of first lanes are written to both
// triangles because lanes and rows have different orders.
template <class T>
inline void merge_dual_hessian(PvData<T>& d) {
  const int n = d.lane_count;
  const auto entry = [&](int x, int y) -> T& { return d.L[x < y ? x * n + y : y * n + x]; };
  for (int j = 0; j < d.merge_count; ++j) {
    const int a = d.merges[j].into, b = d.merges[j].from;
    entry(a, a) = entry(a, a) + entry(b, b) + T(2) * entry(a, b);
    for (int x = 0; x < n; ++x) {
      if (x == a || x == b) continue;
      const T sum = entry(a, x) + entry(b, x);
      d.L[a * n + x] = sum;
      d.L[x * n + a] = sum;
    }
  }
}

template <class T>
inline int root_columns(const ModelData& m, bool split, const PvData<T>& d) {
  if (!split || d.node_count == 0) return 0;
  const std::int32_t first = m.nodes[d.nodes[d.node_count - 1].node].v_index;
  int columns = 1;
  while (first + columns < m.nv && m.v_node[first + columns] == m.v_node[first]) ++columns;
  return columns;
}

// Adds the rows on a node or a cluster and propagates all its rows; returns the end of its columns.
template <bool right_sides, class T>
TENON_INLINE int carry_node(const ModelData& m, const PvNode& s, const T* v, PvData<T>& d,
                            const WorkspaceData<T>& w) {
  if (s.cluster < 0) {
    if constexpr (right_sides)
      enter_rows(s, d, w);
    else
      place_own_lanes(s, d.K + s.lane_begin, d.lane_count, w);
  }
  if constexpr (right_sides) merge_lanes(s.merge_begin, s.merge_end, d);
  if (s.cluster >= 0) {
    carry_cluster_rows<right_sides>(m, s, v, d, w);
    return s.column_begin + m.clusters[s.cluster].y_count;
  }
  int columns = 0;
  with_joint(m.nodes[s.node], [&](auto joint) {
    using J = decltype(joint);
    carry_rows<right_sides, J>(m.nodes[s.node], s, v, d, w);
    columns = J::nv;
  });
  return s.column_begin + columns;
}

// Propagates all rows to the root and sums the dual Hessian in d.L. below_root: the sum leaves out the root
// joint. The columns of K S remain in d.W.
template <bool right_sides, class T>
inline void carry_all_rows(const ModelData& m, bool below_root, const T* v, PvData<T>& d,
                           const WorkspaceData<T>& w) {
  clear_lower(d.lane_count, d.L);
  const T* W_of_sum = d.W;
  for (int index = 0; index < d.node_count; ++index) {
    const PvNode& s = d.nodes[index];
    const int end_column = carry_node<right_sides>(m, s, v, d, w);
    if (s.sum_columns == 0) continue;
    const bool last = index + 1 == d.node_count;
    if (!below_root || !last) sum_dual_hessian(s, s.sum_columns, end_column, W_of_sum, d);
    if (!last) W_of_sum = d.W + d.nodes[index + 1].W_begin;
  }
}

// The whole inward sweep; call constraint_state first. split: the root joint is kept separate. Returns false
// if the mass matrix is not positive definite.
template <class T>
bool pv_reduce(const ModelData& m, bool split, const Inputs<T>& in, PvData<T>& d, WorkspaceData<T>& w) {
  if (!sweep_articulated_inertia(m, in, w)) return false;
  carry_all_rows<true>(m, split, in.v, d, w);
  merge_lanes(d.world_merge_begin, d.merge_count, d);
  merge_dual_hessian(d);
  gather_blocks(split ? d.split : d.whole, root_columns(m, split, d), d, w);
  return true;
}

// The factor of the matrix of the root joint, kept in 36 numbers, and (that matrix)^-1 x.
template <class T>
TENON_INLINE void keep_root_factor(T (&C)[6][6], T* kept) {
  factor_ldl<6>(C);
  for (int r = 0; r < 6; ++r)
    for (int e = 0; e <= r; ++e) kept[6 * r + e] = C[r][e];
}
template <class T>
TENON_INLINE void solve_root_joint(const T* kept, T (&x)[6]) {
  T C[6][6];
  for (int r = 0; r < 6; ++r)
    for (int e = 0; e <= r; ++e) C[r][e] = kept[6 * r + e];
  solve_ldl<6>(C, x);
}

// C := the factor of D + Y^T (A + damping)^-1 Y, D of the root joint. The factored borders G give Y^T
// (A + damping)^-1 Y = sum of G diag G^T.
template <class T>
inline void factor_root(int columns, const PvBlocks& blocks, PvData<T>& d) {
  using V = Lanes<T>;
  V sum[6][2];
  for (int r = 0; r < 6; ++r) sum[r][0] = sum[r][1] = V(T(0));
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    for (int j = 0; j < B.row_count; ++j) {
      const T* G = d.F + B.begin + j * B.stride + whole_packs(B.row_count);
      const T inv_d = d.F_inv_d[B.slot + j], diagonal = inv_d > T(0) ? T(1) / inv_d : T(0);
      const V low = V::load(G), high = V::load(G + 4);
      for (int r = 0; r < columns; ++r) {
        const V share(diagonal * G[r]);
        sum[r][0] = sum[r][0] + share * low;
        sum[r][1] = sum[r][1] + share * high;
      }
    }
  }
  const T* root_inv_d = d.d_inv + d.nodes[d.node_count - 1].column_begin;
  T C[6][6];
  for (int r = 0; r < 6; ++r) {
    T row[8];
    sum[r][0].store(row), sum[r][1].store(row + 4);
    for (int e = 0; e < r; ++e) C[r][e] = row[e];
    C[r][r] = r < columns ? row[r] + T(1) / root_inv_d[r] : T(1);
  }
  keep_root_factor(C, d.C);
}

// Factors L + row_damping. Returns the smallest ratio of a pivot to its diagonal element, 0 where a diagonal
// is far below its typical size `scale`: how near the rows are to being redundant.
template <class T>
T pv_factor(const ModelData& m, bool split, const double* scale, PvData<T>& d) {
  const T* damping = d.row_damping;
  const PvBlocks& blocks = split ? d.split : d.whole;
  T smallest(1);
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    for (int i = 0; i < B.row_count; ++i) d.damping[B.slot + i] = damping[B.row_begin + i];
    const T ratio = factor_dense(d.A + B.begin, d.damping + B.slot, B.row_count, B.stride, d.F + B.begin,
                                 d.F_inv_d + B.slot, d.scaled);
    smallest = ratio < smallest ? ratio : smallest;
    for (int i = 0; i < B.row_count; ++i) {
      const T diagonal = d.A[B.begin + i * B.stride + i] + damping[B.row_begin + i];
      const T typical = T(unmoved_diagonal) * T(scale[B.row_begin + i]);
      if (!(diagonal > typical)) smallest = T(0);
    }
  }
  if (split) factor_root(root_columns(m, split, d), blocks, d);
  for (int r = 0; r < d.world_rows; ++r)
    if (!(damping[r] > T(0))) smallest = T(0);
  return smallest;
}

// x := b - (L + R) f of a block, without the root joint's part of L; the border of x becomes -Y^T f.
template <class T>
TENON_INLINE void block_residual(const PvBlock& B, const T* R, const T* f, T* x, const PvData<T>& d) {
  for (int i = 0; i < B.row_count; ++i) {
    const int r = B.row_begin + i;
    x[i] = d.b[r] - R[r] * f[r];
  }
  for (int i = B.row_count; i < B.stride; ++i) x[i] = T(0);
  subtract_product(d.A + B.begin, B.row_count, B.stride, f + B.row_begin, x);
}

// residual := b - (L + R) f, the violation at f; R: compliance of the rows. step := (L + row_damping)^-1
// residual, a step towards (L + R) lambda = b that keeps its digits however large f is.
template <class T>
void pv_step(const ModelData& m, bool split, const T* R, const T* f, T* step, PvData<T>& d) {
  using V = Lanes<T>;
  const PvBlocks& blocks = split ? d.split : d.whole;
  const int columns = root_columns(m, split, d);
  for (int r = 0; r < d.world_rows; ++r) {
    d.residual[r] = d.b[r] - R[r] * f[r];
    step[r] = d.residual[r] / d.row_damping[r];
  }
  T force[6] = {}, response[6] = {};
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    T* x = d.x + B.slot;
    block_residual(B, R, f, x, d);
    T* border = x + whole_packs(B.row_count);
    for (int e = 0; e < columns; ++e) force[e] = force[e] + border[e], border[e] = T(0);
  }
  for (int e = 0; e < columns; ++e) force[e] = force[e] * d.d_inv[d.nodes[d.node_count - 1].column_begin + e];
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    const int packs = whole_packs(B.row_count);
    T* x = d.x + B.slot;
    for (int e = 0; e < columns; ++e)
      for (int i = 0; i < packs; i += 4)
        (V::load(x + i) + V::load(d.Y + e * d.slot_count + B.slot + i) * V(force[e])).store(x + i);
    for (int i = 0; i < B.row_count; ++i) d.residual[B.row_begin + i] = x[i];
    solve_forward(d.F + B.begin, B.row_count, B.stride, x);
    for (int e = 0; e < columns; ++e) response[e] = response[e] - x[packs + e];
  }
  if (columns > 0) solve_root_joint(d.C, response);
  for (int block = 0; block < blocks.count; ++block) {
    const PvBlock& B = blocks.block[block];
    T* x = d.x + B.slot;
    for (int e = 0; e < columns; ++e) x[whole_packs(B.row_count) + e] = response[e];
    solve_backward(d.F + B.begin, d.F_inv_d + B.slot, B.row_count, B.stride, x);
    for (int i = 0; i < B.row_count; ++i) step[B.row_begin + i] = x[i];
  }
}

// ---- outward

// Adds the forces of the multipliers lambda (rows) to the joints and sweeps outward: accelerations, and K a
// of the rows.
template <class T>
void pv_roll_out(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, const T* lambda, T* qdd,
                 PvData<T>& d, WorkspaceData<T>& w) {
  using V = Lanes<T>;
  T* force = d.k;  // lanes; the right-hand sides are not needed any more
  for (int lane = 0; lane < d.lane_count; ++lane) force[lane] = T(0);
  for (int index = 0; index < d.node_count; ++index) {
    const PvNode& s = d.nodes[index];
    for (int r = s.row_begin; r < s.row_end; ++r) force[d.lane_of_row[r]] = lambda[r];
  }
  for (int j = 0; j < d.side_count; ++j) force[d.sides[j].lane] = lambda[d.sides[j].row];
  for (int index = 0; index < d.node_count; ++index) {
    const PvNode& s = d.nodes[index];
    const NodeData& n = m.nodes[s.node];
    const int lanes = s.lane_end - s.lane_begin;
    const auto work = [&](int column) {
      V sum(T(0));
      for (int lane = 0; lane < lanes; lane += V::count)
        sum = sum + V::load(d.W + s.W_begin + column * lanes + lane) * V::load(force + s.lane_begin + lane);
      return sum.sum();
    };
    if (s.cluster >= 0) {
      const ClusterData& cluster = m.clusters[s.cluster];
      for (int y = 0; y < cluster.y_count; ++y) w.u[cluster.v_begin + y] = w.u[cluster.v_begin + y] + work(y);
      continue;
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      T x[J::nv];
      for (int r = 0; r < J::nv; ++r) x[r] = work(r);
      T* u = w.u + n.v_index;
      for (int r = 0; r < J::nv; ++r) {
        T sum = x[r];
        for (int j = 0; j < r; ++j) sum = sum + w.D[6 * (n.v_index + r) + j] * x[j];
        u[r] = u[r] + sum;
      }
    });
  }
  sweep_accelerations(m, in, qdd, w);
  constraint_accelerations(c, w);
}

TENON_ISA_END
}  // namespace tenon
