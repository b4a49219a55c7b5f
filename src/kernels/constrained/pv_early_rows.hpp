// The rows of one segment of pv_early (kernels/constrained/pv_early.hpp): past its joints, and their elimination
// at its end.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/constrained/pv_early_cluster.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/joint/joint_elimination.hpp"
#include "model/rank.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The numbers [K k 0] of one row.
template <class T>
struct EarlyRow {
  Lanes<T> low, high;
  TENON_INLINE static EarlyRow load(const T* x) { return {Lanes<T>::load(x), Lanes<T>::load(x + 4)}; }
  TENON_INLINE void store(T* x) const { low.store(x), high.store(x + 4); }
  TENON_INLINE void subtract(const T& s, const EarlyRow& x) {
    const Lanes<T> share(s);
    low = low - share * x.low, high = high - share * x.high;
  }
  TENON_INLINE EarlyRow times(const T& s) const { return {Lanes<T>(s) * low, Lanes<T>(s) * high}; }
};

// ---- along the segment

// Rows past the joint of node i, after its elimination: K := K - W D^-1 U^T, k := k - W D^-1 u - K c, then K in
// the frame of the parent.
template <class J, class Rows, class T, class Node>
TENON_INLINE void pass_joint(const Node& n, int i, const T* v, Force<typename Rows::Number>& K,
                             typename Rows::Number& k, EarlyCrossing<T>* crossing, int lane,
                             const WorkspaceData<T>& w) {
  using P = typename Rows::Number;
  const T* U = w.U + 6 * n.v_index;
  const T* D = w.D + 6 * n.v_index;
  const T* u = w.u + n.v_index;
  P y[J::nv];
  for_each_column<J, T>(n, [&](auto d, auto S) {
    y[d.value] = dot(S, K);
    Rows::store(y[d.value], crossing[d.value].W + lane);
  });
  if constexpr (J::one_dof) {
    y[0] = P(D[0]) * y[0];
  } else {
    P factor[J::nv][J::nv];
    for (int r = 0; r < J::nv; ++r)
      for (int s = 0; s <= r; ++s) factor[r][s] = P(D[6 * r + s]);
    solve_ldl<J::nv>(factor, y);
  }
  for (int d = 0; d < J::nv; ++d) {
    Rows::store(y[d], crossing[d].Y + lane);
    const Force<P> column = Rows::spread(load_force<T>(U + 6 * d));
    K = K - scaled(y[d], column);
    k = k - y[d] * P(u[d]);
  }
  T rate[J::nv];
  load_rate<J>(n, v, rate);
  const Motion<P> c = Rows::spread(velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * i), rate));
  k = k - dot(c, K);
  K = force_to_parent(Rows::spread(J::load(n, i, w)), K);
}
// A joint of several coordinates, apart: its numbers would take registers from the loop.
template <class J, class Rows, class T, class Node>
TENON_NOINLINE void pass_joint_apart(const Node& n, int i, const T* v, Force<typename Rows::Number>& K,
                                     typename Rows::Number& k, EarlyCrossing<T>* crossing, int lane,
                                     const WorkspaceData<T>& w) {
  pass_joint<J, Rows>(n, i, v, K, k, crossing, lane, w);
}

// Rows of a set past the joints from body `first` to `last`. After the inertias of the segment and not with them: the code
// of both for each kind of joint would not stay in the instruction cache.
template <class T, class Model>
TENON_NOINLINE void pass_path(const Model& m, int first, int last, int lane, const T* v,
                              EarlyCrossing<T>* crossing, EarlySet<T>& set, const WorkspaceData<T>& w) {
  using Rows = RowsAtOnce<T>;
  using P = typename Rows::Number;
  Force<P> K = Rows::load_rows(set.K[0] + lane, set.most);
  P k = Rows::load(set.K[6] + lane);
  for (int i = first;; i = m.nodes[i].parent) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) TENON_INLINE_LAMBDA {
      using J = decltype(joint);
      if constexpr (J::one_dof) {
        pass_joint<J, Rows>(n, i, v, K, k, crossing, lane, w);
      } else {
        Force<P> K_there = K;
        P k_there = k;
        pass_joint_apart<J, Rows>(n, i, v, K_there, k_there, crossing, lane, w);
        K = K_there, k = k_there;
      }
      crossing += J::nv;
    });
    if (i == last) break;
  }
  Rows::store_rows(set.K[0] + lane, set.most, K);
  Rows::store(k, set.K[6] + lane);
}
// The same past all joints and clusters of a segment.
template <class T, class Model>
inline void pass_segment(const Model& m, const EarlySegment& s, const T* v, EarlySet<T>& set,
                         const PvEarlyData<T>& d, const WorkspaceData<T>& w) {
  const auto cluster_at = [&](int i) {
    return takes_loops<T> && m.cluster_count > 0 ? cluster_of(m, i) : nullptr;
  };
  for (int i = s.first, last = i;; i = m.nodes[last].parent) {
    last = i;
    if (const ClusterData* c = cluster_at(i)) {
      for (int r = 0; i != s.first && r < set.count; ++r) set.entry[r] = i;
      last = c->node_begin;
      if constexpr (takes_loops<T>) pass_cluster(m, *c, v, d.crossings + d.dof_of_node[last], set, w);
    } else {
      while (last != s.last && !cluster_at(m.nodes[last].parent)) last = m.nodes[last].parent;
      for (int lane = 0; lane < set.count; lane += RowsAtOnce<T>::count)
        pass_path(m, i, last, lane, v, d.crossings + d.dof_of_node[i], set, w);
    }
    if (last == s.last) return;
  }
}

// L of the first rows at the end of the segment: L + sum W Y^T. Whole rows of `lanes` numbers; of packs the lower
// triangle.
template <int rows, int lanes, class T>
TENON_INLINE void sum_dual_hessian(const EarlySegment& s, const EarlySet<T>& set, const PvEarlyData<T>& d,
                                   T (*out)[lanes]) {
  if constexpr (is_pack<T>) {
    const EarlyCrossing<T>* crossing = d.crossings + s.dof_begin;
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c <= r; ++c) out[r][c] = set.L[r][c];
    }
    for (int j = 0; j < s.dof_count; ++j) {
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const T W = crossing[j].W[r];
#pragma GCC unroll 8
        for (int c = 0; c <= r; ++c) out[r][c] = out[r][c] + W * crossing[j].Y[c];
      }
    }
    return;
  }
  for (int first = 0; first < lanes; first += 4) {
    Lanes<T> L[rows];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) L[r] = Lanes<T>::load(set.L[r] + first);
    const EarlyCrossing<T>* crossing = d.crossings + s.dof_begin;
    for (int j = 0; j < s.dof_count; ++j) {
      const Lanes<T> y = Lanes<T>::load(crossing[j].Y + first);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) L[r] = L[r] + Lanes<T>(crossing[j].W[r]) * y;
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) L[r].store(out[r] + first);
  }
}

// ---- elimination

// The rows, from components in lanes to the numbers of each row.
template <int rows, class T>
TENON_INLINE void rows_of_lanes(const EarlySet<T>& set, EarlyRow<T>* R) {
#pragma GCC unroll 4
  for (int r = 0; r < rows; r += 4) {
    Lanes<T> x[8];
#pragma GCC unroll 8
    for (int e = 0; e < 8; ++e) x[e] = Lanes<T>::load(set.K[e] + r);
    transpose(x[0], x[1], x[2], x[3]);
    transpose(x[4], x[5], x[6], x[7]);
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l)
      if (r + l < rows) R[r + l] = {x[l], x[4 + l]};
  }
}

// What rows whose L is diagonal add to the parent, K^T L^-1 K and -K^T L^-1 k: sums of scaled[r] row[r]^T, 1 / L times
// the row.
template <class T>
TENON_INLINE void sum_shares(int rows, const T (*scaled_rows)[8], const T (*row)[8], ParentShare<T>& added) {
  if constexpr (is_pack<T>) {
    added = {};
    for (int r = 0; r < rows; ++r) {
      const Force<T> minus = scaled(T(-1), load_force<T>(scaled_rows[r]));
      subtract_outer(added.IA, load_force<T>(row[r]), minus);
      added.pA = added.pA + scaled(row[r][6], minus);
    }
    return;
  }
  EarlyRow<T> sum[6];
#pragma GCC unroll 8
  for (int e = 0; e < 6; ++e) sum[e] = {Lanes<T>(T(0)), Lanes<T>(T(0))};
  for (int r = 0; r < rows; ++r) {
    const EarlyRow<T> x = EarlyRow<T>::load(row[r]);
#pragma GCC unroll 8
    for (int e = 0; e < 6; ++e) sum[e].subtract(-scaled_rows[r][e], x);
  }
  T g[6][8];
#pragma GCC unroll 8
  for (int e = 0; e < 6; ++e) sum[e].store(g[e]);
  added.IA = {{g[0][0], g[0][1], g[0][2], g[1][1], g[1][2], g[2][2]},
              {g[0][3], g[0][4], g[0][5], g[1][3], g[1][4], g[1][5], g[2][3], g[2][4], g[2][5]},
              {g[3][3], g[3][4], g[3][5], g[4][4], g[4][5], g[5][5]}};
  added.pA = {{-g[0][6], -g[1][6], -g[2][6]}, {-g[3][6], -g[4][6], -g[5][6]}};
}

// k - K a_0 of the first rows, at the world.
template <class T>
TENON_INLINE T rest_at_world(const EarlySet<T>& set, int r, const T* a_0) {
  T rest = set.K[6][r];
  for (int e = 0; e < 6; ++e) rest = rest - set.K[e][r] * a_0[e];
  return rest;
}

// Eliminates all rows of a segment, without pivoting. False where a pivot is too small; the set is then as before. In packs
// such a lane is marked, goes on without the row, and has no answer. At the world the multipliers are known at once.
template <int rows, bool known, class T>
TENON_INLINE bool eliminate_all(const EarlySegment& s, EarlySet<T>& set, PvEarlyData<T>& d,
                                ParentShare<T>& added, const WorkspaceData<T>& w) {
  constexpr int lanes = whole_packs(rows);
  T L[rows][lanes];
  sum_dual_hessian<rows>(s, set, d, L);
  EarlyRow<T> R[known ? 1 : rows];
  T b[rows], A[rows][rows], inverse[rows];
  if constexpr (known)
    for (int r = 0; r < rows; ++r) b[r] = rest_at_world(set, r, w.a - 6);
  else
    rows_of_lanes<rows>(set, R);
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < rows; ++c)
      if (c <= r) A[r][c] = L[r][c];
  Lanewise<T> good = lanes_above(T(1), T(0));
  const T least(known ? early_pivot_at_world : early_pivot);
#pragma GCC unroll 8
  for (int j = 0; j < rows; ++j) {
    const Lanewise<T> accepted = lanes_above(A[j][j], least * set.scale[j]);
    good = good & accepted;
    inverse[j] = T(1) / A[j][j];
    if constexpr (is_pack<T>) inverse[j] = select(accepted, inverse[j], T(0));
#pragma GCC unroll 8
    for (int i = rows - 1; i > 0; --i) {
      if (i <= j) continue;
      const T l = A[i][j] * inverse[j];
#pragma GCC unroll 8
      for (int c = 0; c < rows; ++c)
        if (c > j && c <= i) A[i][c] = A[i][c] - l * A[c][j];
      A[i][j] = l;
      if constexpr (known)
        b[i] = b[i] - l * b[j];
      else
        R[i].subtract(l, R[j]);
    }
  }
  if constexpr (is_pack<T>)
    d.left_over |= bits_of_others(good);
  else if (!good)
    return false;
  set.eliminated = rows, set.going_on = 0, set.pivoted = 0;
  if constexpr (known) {
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) b[r] = inverse[r] * b[r];
#pragma GCC unroll 8
    for (int c = rows - 1; c > 0; --c)
#pragma GCC unroll 8
      for (int r = rows - 1; r >= 0; --r)
        if (r < c) b[r] = b[r] - A[c][r] * b[c];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) set.lambda[r] = b[r];
  } else {
    T row[rows][8], scaled_rows[rows][8];
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      R[r].store(row[r]);
      R[r] = R[r].times(inverse[r]);
      R[r].store(scaled_rows[r]);
    }
    sum_shares(rows, scaled_rows, row, added);
#pragma GCC unroll 8
    for (int r = rows - 1; r >= 0; --r) {
#pragma GCC unroll 8
      for (int c = 0; c < rows; ++c)
        if (c > r) R[r].subtract(A[c][r], R[c]);
      R[r].store(set.Z[r]);
    }
  }
  return true;
}

// Rows that go on to the segment `up`: K, k and L after the elimination of the others. False: no room for them.
template <int most, class T>
inline bool hand_on(EarlySet<T>& set, const T (*L)[most], const T (*R)[8], std::int32_t entry,
                    EarlySet<T>& up) {
  const int begin = set.eliminated, count = set.going_on;
  set.up_lane = up.count;
  if (up.count + count > up.most) return false;
  for (int i = 0; i < count; ++i) {
    const int r = set.order[begin + i], lane = up.count + i;
    for (int e = 0; e < 7; ++e) up.K[e][lane] = R[r][e];
    for (int c = 0; c < up.most; ++c) up.L[lane][c] = up.L[c][lane] = T(0);
    for (int c = 0; c < count; ++c) up.L[lane][up.count + c] = L[r][set.order[begin + c]];
    up.scale[lane] = set.scale[r], up.weight[lane] = set.weight[r], up.entry[lane] = entry;
  }
  up.count += count;
  for (int e = 0; e < 7; ++e)
    for (int lane = up.count; lane < whole_packs(up.count); ++lane) up.K[e][lane] = T(0);
  return true;
}

// The same with pivoting: rows without a good pivot go on to the segment `up` with what is left of them, exactly, as
// delayed pivots do in multifrontal factorisation. Rows of which nothing is left depend on the eliminated ones. most: no fewer
// than the rows.
template <int most, class T>
inline TENON_NOINLINE void eliminate_some(const EarlySegment& s, EarlySet<T>& set, PvEarlyData<T>& d,
                                          ParentShare<T>& added) {
  const int count = set.count;
  T L[most][most], R[most][8], inverse[most];
  sum_dual_hessian<most>(s, set, d, L);
  for (int r = 0; r < count; ++r) {
    set.order[r] = r;
    for (int e = 0; e < 8; ++e) R[r][e] = set.K[e][r];
  }
  const T least(s.up < 0 ? early_pivot_at_world : early_pivot);
  std::int32_t* order = set.order;
  int good = 0;
  for (; good < count; ++good) {
    int best = good;
    for (int r = good + 1; r < count; ++r)
      if (L[order[r]][order[r]] * set.scale[order[best]] > L[order[best]][order[best]] * set.scale[order[r]])
        best = r;
    std::swap(order[good], order[best]);
    const int p = order[good];
    if (!(L[p][p] > least * set.scale[p])) break;
    inverse[good] = T(1) / L[p][p];
    for (int i = good + 1; i < count; ++i) {
      const int r = order[i];
      const T l = L[r][p] * inverse[good];
      for (int c = good + 1; c < count; ++c) L[r][order[c]] = L[r][order[c]] - l * L[p][order[c]];
      for (int e = 0; e < 7; ++e) R[r][e] = R[r][e] - l * R[p][e];
      L[r][p] = l;
    }
  }
  // Rows of which nothing is left come last.
  int end = count;
  for (int i = good; i < end;) {
    const int r = order[i];
    T left(0), before(0);
    for (int e = 0; e < 6; ++e) left = left + R[r][e] * R[r][e], before = before + set.K[e][r] * set.K[e][r];
    const bool moves = s.up >= 0 && left > T(early_dependent_K) * before;
    if (moves || L[r][r] > T(early_dependent) * set.scale[r])
      ++i;
    else
      std::swap(order[i], order[--end]);
  }
  set.eliminated = good, set.going_on = end - good, set.pivoted = 1;
  d.redundant += count - end;
  T row[most][8], scaled_rows[most][8];
  for (int i = 0; i < good; ++i)
    for (int e = 0; e < 8; ++e) row[i][e] = R[order[i]][e], scaled_rows[i][e] = inverse[i] * row[i][e];
  if (s.up >= 0) sum_shares(good, scaled_rows, row, added);
  for (int i = good - 1; i >= 0; --i) {
    const int p = order[i];
    for (int c = good; c < count; ++c) set.couple[i][c] = L[order[c]][p];
    for (int e = 0; e < 8; ++e) set.Z[i][e] = scaled_rows[i][e];
    for (int k = i + 1; k < good; ++k) {
      const T l = L[order[k]][p];
      for (int e = 0; e < 8; ++e) set.Z[i][e] = set.Z[i][e] - l * set.Z[k][e];
      for (int c = good; c < count; ++c) set.couple[i][c] = set.couple[i][c] - l * set.couple[k][c];
    }
  }
  if (set.going_on > 0 && (s.up < 0 || !hand_on(set, L, R, s.parent, d.sets[s.up])))
    d.left_over += set.going_on;
}

// The end of a segment: its rows past its joints, and their elimination. False: they add nothing to the parent; else
// they add `added`.
template <class T, class Model>
inline TENON_NOINLINE bool finish_segment(const Model& m, const EarlySegment& s, const T* v,
                                          ParentShare<T>& added, EarlySet<T>& set, PvEarlyData<T>& d,
                                          const WorkspaceData<T>& w) {
  pass_segment(m, s, v, set, d, w);
  const auto eliminate = [&](auto known) TENON_INLINE_LAMBDA {
    constexpr bool world = known.value;
    switch (set.count) {
      case 1:
        return eliminate_all<1, world>(s, set, d, added, w);
      case 2:
        return eliminate_all<2, world>(s, set, d, added, w);
      case 3:
        return eliminate_all<3, world>(s, set, d, added, w);
      case 4:
        return eliminate_all<4, world>(s, set, d, added, w);
      case 5:
        return eliminate_all<5, world>(s, set, d, added, w);
      case 6:
        return eliminate_all<6, world>(s, set, d, added, w);
      default:
        return false;
    }
  };
  if (s.up == at_world ? eliminate(std::true_type{}) : eliminate(std::false_type{})) return s.up != at_world;
  if constexpr (is_pack<T>)
    d.left_over = every_lane;
  else
    set.count <= 8 ? eliminate_some<8>(s, set, d, added) : eliminate_some<early_rows<T>>(s, set, d, added);
  return !is_pack<T> && s.up >= 0;
}

// Gives dependent rows their part of the multipliers x of the eliminated ones, so that the sum of lambda^2 / weight is
// least.
template <class T>
inline TENON_NOINLINE void share_with_dependent(EarlySet<T>& set, T* x) {
  const int good = set.eliminated, begin = good + set.going_on, count = set.count - begin;
  constexpr int most = early_rows<T>;
  T S[most * most], z[most];
  for (int i = 0; i < count; ++i) {
    z[i] = T(0);
    for (int j = 0; j <= i; ++j) S[most * i + j] = i == j ? T(1) / set.weight[set.order[begin + i]] : T(0);
    for (int r = 0; r < good; ++r) {
      const T share = set.couple[r][begin + i] / set.weight[set.order[r]];
      z[i] = z[i] + share * x[r];
      for (int j = 0; j <= i; ++j) S[most * i + j] = S[most * i + j] + share * set.couple[r][begin + j];
    }
  }
  factor_ldl(count, most, S);
  solve_ldl(count, most, S, z);
  for (int i = 0; i < count; ++i) {
    set.lambda[set.order[begin + i]] = z[i];
    for (int r = 0; r < good; ++r) x[r] = x[r] - set.couple[r][begin + i] * z[i];
  }
}

// Multipliers of a segment, from the acceleration a of the parent of its last body and those of rows that went on.
template <class T>
inline void solve_segment(const EarlySegment& s, const T* a, EarlySet<T>& set, const PvEarlyData<T>& d) {
  if (s.up == at_world && !set.pivoted) return;  // known
  const int good = set.eliminated, end = good + set.going_on;
  T x[early_rows<T>];
  for (int r = 0; r < good; ++r) {
    const T* Z = set.Z[r];
    x[r] = (Z[6] - Z[0] * a[0] - Z[1] * a[1] - Z[2] * a[2]) - (Z[3] * a[3] + Z[4] * a[4] + Z[5] * a[5]);
  }
  if (!set.pivoted) {
    for (int r = 0; r < good; ++r) set.lambda[r] = x[r];
    return;
  }
  if constexpr (!is_pack<T>) {
    for (int i = good; i < end; ++i) {
      const T lambda = s.up < 0 ? T(0) : d.sets[s.up].lambda[set.up_lane + i - good];
      for (int r = 0; r < good; ++r) x[r] = x[r] - set.couple[r][i] * lambda;
      set.lambda[set.order[i]] = lambda;
    }
    if (end < set.count) share_with_dependent(set, x);
    for (int r = 0; r < good; ++r) set.lambda[set.order[r]] = x[r];
  }
}

TENON_ISA_END
}  // namespace tenon
