// PV-OSIMr ([OSIMR] Alg. 3): the Delassus matrix in O(n + m^2). PV propagates all rows of a subtree across
// every joint. Here at most six are propagated: the rows of one link, or, from a link where rows meet
// (branching link, list N of the paper), the six coordinates of that link's acceleration. A path leads from
// one of these to the next branching link inward:
//
//   P := P P_i^T,   Omega := Omega + (P S) D^-1 (P S)^T                      lines 9, 10, body frames
//
// starting with P = K, so that fewer than six rows are not padded, or with P = 1 at a branching link. Then
// over branching links only: outward, the inverse inertia up to the world, Omega_b := Omega_b + P Omega_up
// P^T (line 13); inward, with all rows of the subtree in the frame of the branching link,
//
//   L_ij = K_i Omega_b K_j^T for rows that meet at b (line 18),   K := K P to the next one (line 16).
//
// Where it is cheaper (few rows, or a short path, say across the floating joint only), a branching link
// propagates its rows and not its coordinates. Their blocks then grow as in PV,
//
//   L_ij := L_ij + K_i S D^-1 S^T K_j^T,
//
// and at the next branching link they count as rows of one link. Which links do so is decided when the
// workspace is made (plan/memory/delassus_memory.cpp).
#pragma once

#include <type_traits>

#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/constrained/rows_at_once.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "kernels/tree/packed_6x8.hpp"

namespace tenon {
TENON_ISA_BEGIN

TENON_INLINE int lanes_left(int from, int end) {
  return end - from < 4 ? end - from : 4;
}

// ---- paths

// Rows K in packs of those that are swept at once (RowsAtOnce), `step` from pack to pack, their six numbers `stride`
// apart. They are loaded and stored at each joint: as variables g++ 12 would copy them by halves of registers.
template <class T>
struct RowArrays {
  using At = RowsAtOnce<T>;
  T* K;
  int stride;
  int step = At::count;
  TENON_INLINE Force<typename At::Number> load(int p) const { return At::load_rows(K + step * p, stride); }
  TENON_INLINE void store(int p, const Force<typename At::Number>& rows) const {
    At::store_rows(K + step * p, stride, rows);
  }
};

// Propagates rows K on body i of a cluster across it; a column for each independent coordinate.
template <int packs, class T>
TENON_INLINE void carry_past_cluster(const ModelData& m, const ClusterData& c, int i, const RowArrays<T>& K,
                                     int stride, T* W, T* W_d, const WorkspaceData<T>& w) {
  for (int p = 0; p < packs; ++p) {
    Force<Lanes<T>> rows = K.load(p);
    carry_past_cluster(m, c, i, rows, W + 4 * p, stride, w);
    K.store(p, rows);
  }
  for (int y = 0; y < c.y_count; ++y) {
    const Lanes<T> d_inv(w.cluster_D[c.G_begin + y * c.y_count + y]);
    for (int p = 0; p < packs; ++p) {
      const int place = stride * y + 4 * p;
      (Lanes<T>::load(W + place) * d_inv).store(W_d + place);
    }
  }
}

// Propagates rows K (body frame of the node) across the joints up to node `end`. W, W_d: a column for each
// dof, `stride` apart. packs: of K, an integral constant or a number. Returns the number of columns.
template <bool loops, class Count, class Model, class T>
TENON_INLINE int carry_along_path(const Model& m, int node, int end, const RowArrays<T>& K, Count packs,
                                  int stride, T* W, T* W_d, const WorkspaceData<T>& w) {
  using At = RowsAtOnce<T>;
  using Number = typename At::Number;
  int columns = 0;
  for (int i = node; i != end; i = m.nodes[i].parent) {
    const auto& n = m.nodes[i];
    if constexpr (loops) {
      if (const ClusterData* c = cluster_of(m, i)) {
        carry_past_cluster<Count::value>(m, *c, i, K, stride, W + stride * columns, W_d + stride * columns,
                                         w);
        columns += c->y_count;
        i = c->node_begin;  // continues at the cluster's parent
        continue;
      }
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T, std::decay_t<decltype(n)>> past(n, w);
      const auto X = At::spread(J::load(n, i, w));
      const bool goes_on = n.parent >= 0;
      for (int p = 0; p < packs; ++p) {
        const Force<Number> rows = K.load(p);
        Number x[J::nv];
        past.project(rows, x);
        for (int r = 0; r < J::nv; ++r) {
          const int place = stride * (columns + r) + At::count * p;
          At::store(x[r], W + place);
          At::store(x[r] * Number(past.d_inv[r]), W_d + place);
        }
        if (goes_on) K.store(p, force_to_parent(X, past.pass(rows, x)));
      }
      columns += J::nv;
    });
  }
  return columns;
}
template <int packs>
using Packs = std::integral_constant<int, packs>;

// Omega = W D^-1 W^T: calls put(column, pack, numbers) for its first `rows` columns.
template <int packs, int rows, class T, class Put>
TENON_INLINE void sum_over_path(int columns, const T* W, const T* W_d, Put&& put) {
  using At = RowsAtOnce<T>;
  using Number = typename At::Number;
  constexpr int count = At::count;
  Number sum[rows][packs];
  for (int j = 0; j < rows; ++j)
    for (int p = 0; p < packs; ++p) sum[j][p] = Number(T(0));
  for (int q = 0; q < columns; ++q) {
    const T* x = W + count * packs * q;
    const T* xd = W_d + count * packs * q;
    for (int j = 0; j < rows; ++j)
      for (int p = j / count; p < packs; ++p) sum[j][p] = sum[j][p] + At::load(x + count * p) * Number(xd[j]);
  }
  for (int j = 0; j < rows; ++j)
    for (int p = j / count; p < packs; ++p) put(j, p, sum[j][p]);
}

// Keeps K S G L^-T of `count` rows, from `first` on, for the cluster where they meet others: the last columns
// of their path.
template <class T>
TENON_INLINE void keep_meet(const ModelData& m, const OsimrMeet& meet, int columns, int stride, int first,
                            int count, OsimrData<T>& d) {
  const int y_count = m.clusters[meet.cluster].y_count;
  for (int y = 0; y < y_count; ++y) {
    const T* W = d.W + stride * (columns - y_count + y);
    T* x = d.x + meet.x_begin + y * d.row_stride + first;
    for (int r = 0; r < count; ++r) x[r] = W[r];
  }
}

// Propagates the rows of an end to the next branching link, and computes their own block of the matrix.
template <bool loops, int packs, int rows, class T>
TENON_INLINE void carry_end(const ModelData& m, const OsimrEnd& end, OsimrData<T>& d, WorkspaceData<T>& w) {
  const int count = end.row_end - end.row_begin, stride = d.matrix_stride;
  // A pack may write past its rows; the ends follow in the order of rows, so the next one overwrites that.
  const RowArrays<T> K = {d.K + end.row_begin, d.row_stride};
  for (int p = 0; p < packs; ++p) K.store(p, gather_rows(end.own_begin + 4 * p, count - 4 * p, w));
  const int to = end.up < 0 ? -1 : d.branches[end.up].node;
  const int columns = carry_along_path<loops>(m, end.node, to, K, Packs<packs>(), 4 * packs, d.W, d.W_d, w);
  if constexpr (loops)
    if (end.meet >= 0) keep_meet(m, d.meets[end.meet], columns, 4 * packs, end.row_begin, count, d);
  T* block = w.delassus + end.row_begin * stride + end.row_begin;
  sum_over_path<packs, rows>(columns, d.W, d.W_d, [&](int j, int p, const Lanes<T>& x) {
    if (j < count && 4 * p < count) store_first(x, lanes_left(4 * p, count), block + j * stride + 4 * p);
  });
}

// P and Omega of the path from branch b to the next one inward.
template <bool loops, class T>
inline void carry_branch(const ModelData& m, int b, OsimrData<T>& d, const WorkspaceData<T>& w) {
  const OsimrBranch& branch = d.branches[b];
  const RowArrays<T> K = {d.P + 48 * b, 8};
  for (int p = 0; p < 2; ++p) K.store(p, unit_rows<T>(p));
  const int to = branch.up < 0 ? -1 : d.branches[branch.up].node;
  const int columns = carry_along_path<loops>(m, branch.node, to, K, Packs<2>(), 8, d.W, d.W_d, w);
  if constexpr (loops)
    if (branch.meet >= 0) {
      const int kept = 8 * m.clusters[d.meets[branch.meet].cluster].y_count;
      for (int e = 0; e < kept; ++e) d.X[branch.X_begin + e] = d.W[8 * columns - kept + e];
    }
  T* Omega = d.Omega + 48 * b;
  sum_over_path<2, 6>(columns, d.W, d.W_d,
                      [&](int j, int p, const Lanes<T>& x) { x.store(Omega + 8 * j + 4 * p); });
  for (int j = 4; j < 6; ++j)
    for (int i = 0; i < 4; ++i) Omega[8 * j + i] = Omega[8 * i + j];
}

// ---- branching links

// Extends Omega_b from the next branch to the world: Omega_b += P Omega_up P^T. P[8 g + e]: row e, column g.
template <class T>
inline void add_inertia_above(const T* P, const T* above, T* Omega) {
  for (int p = 0; p < 8; p += 4) {
    Lanes<T> x[6], y[6];
    load_six(P + p, 8, x);
    times_matrix(x, above, y);
    for (int f = 0; f < 6; ++f) {
      Lanes<T> sum = Lanes<T>::load(Omega + 8 * f + p);
      for (int e = 0; e < 6; ++e) sum = sum + y[e] * Lanes<T>(P[8 * e + f]);
      sum.store(Omega + 8 * f + p);
    }
  }
}

// Two factors of a block of the matrix: each `count` arrays, `stride` apart, with a place for each row.
template <class T>
struct PairFactors {
  const T* left;
  const T* right;
  int stride, count;
};

// Columns [r, r + columns), rows [i, i + 4 packs) of the matrix += left right^T; of the last pack the first `last`
// rows. Tiles of several columns, because each number that is read then serves all of them.
template <int columns, int packs, class T>
TENON_INLINE void add_tile(int r, int i, int last, const PairFactors<T>& f, int stride, T* matrix) {
  Lanes<T> sum[columns][packs];
  T* tile = matrix + r * stride + i;
  for (int j = 0; j < columns; ++j)
    for (int p = 0; p < packs; ++p) sum[j][p] = Lanes<T>::load(tile + j * stride + 4 * p);
  for (int e = 0; e < f.count; ++e) {
    Lanes<T> left[packs];
    for (int p = 0; p < packs; ++p) left[p] = Lanes<T>::load(f.left + e * f.stride + i + 4 * p);
    for (int j = 0; j < columns; ++j) {
      const Lanes<T> right(f.right[e * f.stride + r + j]);
      for (int p = 0; p < packs; ++p) sum[j][p] = sum[j][p] + left[p] * right;
    }
  }
  for (int j = 0; j < columns; ++j) {
    for (int p = 0; p + 1 < packs; ++p) sum[j][p].store(tile + j * stride + 4 * p);
    store_first(sum[j][packs - 1], last, tile + j * stride + 4 * (packs - 1));
  }
}

// Columns [r, r + columns), rows [begin, end).
template <int columns, class T>
inline void add_columns(int r, int begin, int end, const PairFactors<T>& f, int stride, T* matrix) {
  int i = begin;
  for (; end - i > 4; i += 8) add_tile<columns, 2>(r, i, lanes_left(i + 4, end), f, stride, matrix);
  if (i < end) add_tile<columns, 1>(r, i, end - i, f, stride, matrix);
}

// Columns [from, to), rows [begin, end); with triangle those on and below the diagonal, and some above, where
// the matrix holds nothing. Apart, since the tiles of its sizes are much code.
template <class T>
TENON_NOINLINE void add_pairs(int from, int to, int begin, int end, bool triangle, const PairFactors<T>& f,
                              int stride, T* matrix) {
  for (int r = from; r < to; r += 4) {
    const int first = triangle ? r : begin;
    switch (to - r) {
      case 1:
        return add_columns<1>(r, first, end, f, stride, matrix);
      case 2:
        return add_columns<2>(r, first, end, f, stride, matrix);
      case 3:
        return add_columns<3>(r, first, end, f, stride, matrix);
      default:
        add_columns<4>(r, first, end, f, stride, matrix);
    }
  }
}

// The blocks of all rows that meet at a branch, but those that are complete.
template <class T>
TENON_INLINE void pair_groups(const OsimrBranch& branch, const PairFactors<T>& factors, int stride,
                              const OsimrData<T>& d, T* matrix) {
  const int end = branch.row_end;
  int from = branch.row_begin;
  for (int g = branch.group_begin; g < branch.group_end; ++g) {
    const OsimrGroup& group = d.groups[g];
    if (!group.complete) continue;
    add_pairs(from, group.row_begin, from, end, true, factors, stride, matrix);
    add_pairs(group.row_begin, group.row_end, group.row_end, end, false, factors, stride, matrix);
    from = group.row_end;
  }
  add_pairs(from, end, from, end, true, factors, stride, matrix);
}

// Copies the rows on the branching link itself.
template <class T>
inline void enter_own_rows(const OsimrBranch& branch, OsimrData<T>& d, const WorkspaceData<T>& w) {
  for (int r = 0; r < branch.own_count; ++r)
    for (int e = 0; e < 6; ++e)
      d.K[e * d.row_stride + branch.row_begin + r] = w.K[6 * (branch.own_begin + r) + e];
}

// Propagates packs of a branch's rows, from `pack` on, along its path. Returns the number of columns.
template <bool loops, int packs, class T>
inline int carry_packs(const ModelData& m, const OsimrBranch& branch, int pack, OsimrData<T>& d,
                       const WorkspaceData<T>& w) {
  const int to = branch.up < 0 ? -1 : d.branches[branch.up].node, stride = d.path_stride;
  T scratch[24 * packs];
  const RowArrays<T> K = {scratch, 4 * packs}, kept = {d.K + branch.row_begin + 4 * pack, d.row_stride};
  for (int p = 0; p < packs; ++p) K.store(p, kept.load(p));
  const int columns = carry_along_path<loops>(m, branch.node, to, K, Packs<packs>(), stride, d.W + 4 * pack,
                                              d.W_d + 4 * pack, w);
  if (branch.up < 0) return columns;
  for (int p = 0; p < packs; ++p) {
    const int from = branch.row_begin + 4 * (pack + p);
    for (int e = 0; e < 6; ++e)
      store_first(Lanes<T>::load(scratch + 4 * (packs * e + p)), lanes_left(from, branch.row_end),
                  d.K + e * d.row_stride + from);
  }
  return columns;
}

// A branch whose rows are propagated: adds its path's part to their blocks and moves the rows to the next
// branch.
template <bool loops, class T>
inline void carry_rows_of_branch(const ModelData& m, int b, OsimrData<T>& d, WorkspaceData<T>& w) {
  const OsimrBranch& branch = d.branches[b];
  enter_own_rows(branch, d, w);
  const int packs = (branch.row_end - branch.row_begin + 3) / 4;
  int columns = 0;
  for (int pack = 0; pack + 1 < packs; pack += 2) columns = carry_packs<loops, 2>(m, branch, pack, d, w);
  if (packs % 2 == 1) columns = carry_packs<loops, 1>(m, branch, packs - 1, d, w);
  if constexpr (loops)
    if (branch.meet >= 0)
      keep_meet(m, d.meets[branch.meet], columns, d.path_stride, branch.row_begin,
                branch.row_end - branch.row_begin, d);
  if constexpr (loops) {
    // A cluster without coordinates: no joint on the path moves.
    for (int r = 0; columns == 0 && r < 4 * packs; ++r) d.W[r] = d.W_d[r] = T(0);
    columns = columns > 0 ? columns : 1;
  }
  const PairFactors<T> factors = {d.W - branch.row_begin, d.W_d - branch.row_begin, d.path_stride, columns};
  pair_groups(branch, factors, d.matrix_stride, d, w.delassus);
}

// Keeps K S G L^-T of a branch's rows for the cluster where they meet others, from that of its unit rows.
template <class T>
inline void keep_meet_of_branch(const ModelData& m, const OsimrBranch& branch, OsimrData<T>& d) {
  const OsimrMeet& meet = d.meets[branch.meet];
  for (int r = branch.row_begin; r < branch.row_end; r += 4) {
    Lanes<T> K[6];
    load_six(d.K + r, d.row_stride, K);
    for (int y = 0; y < m.clusters[meet.cluster].y_count; ++y) {
      const T* X = d.X + branch.X_begin + 8 * y;
      Lanes<T> sum = K[0] * Lanes<T>(X[0]);
      for (int e = 1; e < 6; ++e) sum = sum + K[e] * Lanes<T>(X[e]);
      store_first(sum, lanes_left(r, branch.row_end), d.x + meet.x_begin + y * d.row_stride + r);
    }
  }
}

// Adds x diag^-1 x^T, the coupling by the cluster's coordinates, for rows that enter a cluster on different
// paths. Their coupling by the cluster's parent is already there.
template <class T>
inline void add_meet(const ModelData& m, const OsimrMeet& meet, int stride, const OsimrData<T>& d, T* matrix,
                     const WorkspaceData<T>& w) {
  const ClusterData& c = m.clusters[meet.cluster];
  for (int g = meet.group_begin; g < meet.group_end; ++g) {
    const OsimrGroup& group = d.groups[g];
    for (int r = group.row_begin; r < group.row_end; ++r) {
      for (int y = 0; y < c.y_count; ++y) {
        const T* x = d.x + meet.x_begin + y * d.row_stride;
        const T share = w.cluster_D[c.G_begin + y * c.y_count + y] * x[r];
        T* column = matrix + r * stride;
        for (int i = group.row_end; i < meet.row_end; ++i) column[i] = column[i] + share * x[i];
      }
    }
  }
}

// Computes the blocks of all rows that meet at branch b, then moves these rows to the next branch.
template <bool loops, class T>
inline void assemble_branch(const ModelData& m, int b, OsimrData<T>& d, WorkspaceData<T>& w) {
  const OsimrBranch& branch = d.branches[b];
  enter_own_rows(branch, d, w);
  // No rows follow those of the last group.
  const OsimrGroup& last = d.groups[branch.group_end - 1];
  const int paired_end = last.complete ? last.row_begin : branch.row_end;
  for (int r = branch.row_begin; r < paired_end; r += 4) {
    Lanes<T> x[6], y[6];
    load_six(d.K + r, d.row_stride, x);
    times_matrix(x, d.Omega + 48 * b, y);
    for (int e = 0; e < 6; ++e) y[e].store(d.G + e * d.row_stride + r);
  }
  pair_groups(branch, {d.K, d.G, d.row_stride, 6}, d.matrix_stride, d, w.delassus);
  if constexpr (loops)
    if (branch.meet >= 0) keep_meet_of_branch(m, branch, d);
  if (branch.up < 0) return;
  for (int r = branch.row_begin; r < branch.row_end; r += 4) {
    Lanes<T> x[6], y[6];
    load_six(d.K + r, d.row_stride, x);
    times_transposed(x, d.P + 48 * b, y);
    for (int e = 0; e < 6; ++e) store_first(y[e], lanes_left(r, branch.row_end), d.K + e * d.row_stride + r);
  }
}

template <bool loops, class T>
inline void sweep_ends(const ModelData& m, OsimrData<T>& d, WorkspaceData<T>& w) {
  for (int e = 0; e < d.end_count; ++e) {
    const int rows = d.ends[e].row_end - d.ends[e].row_begin;
    if (rows <= 4)
      carry_end<loops, 1, 4>(m, d.ends[e], d, w);
    else
      carry_end<loops, 2, 6>(m, d.ends[e], d, w);
  }
}

template <bool loops, class T>
inline void sweep_branches(const ModelData& m, OsimrData<T>& d, WorkspaceData<T>& w) {
  for (int b = 0; b < d.branch_count; ++b)
    if (d.branches[b].propagates_rows) carry_rows_of_branch<loops>(m, b, d, w);
  for (int b = d.branch_count - 1; b >= 0; --b) {
    if (d.branches[b].propagates_rows) continue;
    carry_branch<loops>(m, b, d, w);
    const int up = d.branches[b].up;
    if (up >= 0) add_inertia_above(d.P + 48 * b, d.Omega + 48 * up, d.Omega + 48 * b);
  }
  for (int b = 0; b < d.branch_count; ++b)
    if (!d.branches[b].propagates_rows) assemble_branch<loops>(m, b, d, w);
  if constexpr (loops)
    for (int i = 0; i < d.meet_count; ++i) add_meet(m, d.meets[i], d.matrix_stride, d, w.delassus, w);
}

// WorkspaceData::delassus, lower triangle, column-major, in two steps: rows of ends to the branches, then the branches.
// Limbs bring theirs in between (kernels/branches/osimr_branches.hpp). After sweep_inertias and place_rows.
template <class T>
void osimr_ends(const ModelData& m, OsimrData<T>& d, WorkspaceData<T>& w) {
  clear_lower(d.matrix_stride, w.delassus);
  if (m.cluster_count > 0)
    sweep_ends<true>(m, d, w);
  else
    sweep_ends<false>(m, d, w);
}
template <class T>
void osimr_branches(const ModelData& m, OsimrData<T>& d, WorkspaceData<T>& w) {
  if (m.cluster_count > 0)
    sweep_branches<true>(m, d, w);
  else
    sweep_branches<false>(m, d, w);
}

TENON_ISA_END
}  // namespace tenon
