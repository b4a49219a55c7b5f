// pv_early ([CABA] VII-B): the Popov-Vereshchagin sweep with multipliers eliminated early, at the end of each segment
// of the tree, in O(n + m). No penalty, no iteration.
//
// lambda is the force on the robot: a body has f = IA a + pA - K^T lambda, and its rows K a + L lambda = k, at first with
// L = R, their compliance. Past a joint (U = IA S, D = S^T U + armature, u = tau - S^T pA, as in aba):
//
//   W = K S,   Y = W D^-1,   K := K - Y U^T,   k := k - Y u - K c,   L := L + W Y^T,   then K in the parent's frame.
//
// A segment is a path of bodies that ends where the parent has rows, branches, or is the world; long paths end earlier.
// There its rows are eliminated at once,
//
//   lambda = L^-1 (k - K a),   IA := IA + K^T L^-1 K,   pA := pA - K^T L^-1 k      (a, IA, pA of the parent),
//
// but those without a good pivot, which go on to the next segment with what is left of them ([CABA] eliminates a row at
// the first joint that moves it; such a pivot may be as small as one likes). Outward, lambda of a segment follows from
// the acceleration of its parent, then qdd = D^-1 (u + W^T lambda - U^T a') at each joint.
#pragma once

#include "data/rank.hpp"
#include "kernels/constrained/constraint_rows.hpp"
#include "kernels/constrained/pv_early_rows.hpp"
#include "kernels/tree/articulated_body.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

// L of a row at the start of its segment: its compliance. An inactive row is zero; its multiplier follows from an equation
// of its own.
template <class N, class S>
TENON_INLINE S own_dual_hessian(const ConstraintDataOf<N, S>& c, int r) {
  return select(lanes_above(c.active[r], S(0)), c.compliance[r], S(c.scale[r]));
}
// Of rows of packs: those of the lanes do not count.
template <class T, class N, class S>
TENON_INLINE int count_idle_rows(const ConstraintDataOf<N, S>& c, const PvEarlyData<T>& d) {
  int count = 0;
  if constexpr (!is_pack<T>)
    for (int r = 0; r < c.row_count; ++r) {
      const bool world = r < d.world_rows && !(c.compliance[r] > S(0));
      count += world || !is_active(c, r);
    }
  return count;
}

// After the inward sweep: where rows added more to an inner joint than hidden_share (data/rank.hpp), as left_over.
template <bool loops, class T, class Model>
inline std::int32_t hidden_inertias(const Model& m, const PvEarlyData<T>& d, const WorkspaceData<T>& w) {
  Lanewise<T> small = lanes_above(T(1), T(0));
  for (int s = 0; s < d.inner_count; ++s) {
    const int i = d.inner[s];
    if (loops && cluster_of(m, i)) continue;
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) TENON_INLINE_LAMBDA {
      using J = decltype(joint);
      for_each_column<J, T>(n, [&](auto e, auto S) {
        const int k = n.v_index + e.value;
        const T own = own_inertia(S, load_rigid(m, i, w)) + load_armature(m, k, w);
        const T most = select(lanes_above(own, T(0)), T(hidden_share) * own, T(1e30));  // or no terms
        small = small & lanes_above(most, dot(S, load_force<T>(w.U + 6 * k)));
      });
    });
  }
  return bits_of_others(small);
}

// The rows of all segments, as evaluated.
template <class T, class Rows>
inline void enter_rows(const Rows& c, PvEarlyData<T>& d, const WorkspaceData<T>& w) {
  d.left_over = 0;
  d.redundant = count_idle_rows(c, d);
  using At = RowsAtOnce<T>;
  constexpr int group = At::count;
  for (int number = 0; number < d.segment_count; ++number) {
    const EarlySegment& s = d.segments[number];
    EarlySet<T>& set = d.sets[number];
    set.count = s.row_count;
    for (int i = 0; i < s.row_count; ++i) {
      const int r = s.row_begin + i;
      for (int e = 0; e < 6; ++e) set.K[e][i] = w.K[6 * r + e];
      set.K[6][i] = w.k[r];
      for (int j = 0; j < whole_packs(s.row_count); j += group)
        At::store(typename At::Number(T(0)), set.L[i] + j);
      set.L[i][i] = T(own_dual_hessian(c, r));
      set.scale[i] = T(c.scale[r]), set.weight[i] = T(c.weight[r]);
      set.entry[i] = d.node_of_row[r];
    }
    for (int e = 0; group > 1 && e < 7; ++e)
      for (int i = s.row_count; i < whole_packs(s.row_count); ++i) set.K[e][i] = T(0);
  }
}

template <bool loops, class T, class Model, class Rows>
inline bool reduce_early(const Model& m, const Rows& c, const Inputs<T>& in, PvEarlyData<T>& d,
                         WorkspaceData<T>& w) {
  const T *const v = in.v, *const tau = in.tau;
  enter_rows(c, d, w);
  const bool positive_definite =
      sweep_inwards<loops, true>(m, w, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
        const bool positive = eliminate_node<loops, inside.value>(m, i, v, tau, h, w);
        const std::int32_t number = d.segment_of_node[i];
        if (number < 0 || i != d.segments[number].last || d.sets[number].count == 0) return positive;
        ParentShare<T> added;
        if (!finish_segment(m, d.segments[number], v, added, d.sets[number], d, w)) return positive;
        assign(h.IA, h.IA + added.IA);
        assign(h.pA, h.pA + added.pA);
        return positive;
      });
  if constexpr (is_ordered<T>) d.left_over |= hidden_inertias<loops>(m, d, w);
  return positive_definite;
}
// After constraint_state: the whole inward sweep. False when the mass matrix is not positive definite.
template <class T>
bool pv_early_reduce(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, PvEarlyData<T>& d,
                     WorkspaceData<T>& w) {
  return with_loops<T>(m, [&](auto loops) { return reduce_early<loops.value>(m, c, in, d, w); });
}

// Acceleration of node i, which rows with these multipliers pass.
template <class J, class T, class Node>
TENON_INLINE void solve_joint_with_rows(const Node& n, Motion<T>& a, int rows, const T* lambda,
                                        const EarlyCrossing<T>* crossing, const WorkspaceData<T>& w, T* qdd) {
  T u[J::nv];
  for (int k = 0; k < J::nv; ++k) {
    u[k] = w.u[n.v_index + k];
    for (int r = 0; r < rows; ++r) u[k] = u[k] + crossing[k].W[r] * lambda[r];
  }
  solve_joint<J>(n, a, u, w, qdd);
}

template <class T, class N, class S>
inline void solve_world_rows(const ConstraintDataOf<N, S>& c, T* row_lambda, const PvEarlyData<T>& d,
                             const WorkspaceData<T>& w) {
  for (int r = 0; r < d.world_rows; ++r) {
    const auto soft = lanes_above(c.compliance[r], S(0));
    const T rest = w.k[r] - w.Ka[r];
    if constexpr (is_pack<S>)
      row_lambda[r] = select(soft, rest / select(soft, c.compliance[r], S(1)), T(0));
    else
      row_lambda[r] = soft ? rest / T(c.compliance[r]) : T(0);
  }
}

// Accelerations, multipliers (rows), and K a of the rows.
template <bool loops, class T, class Model, class Rows>
inline void roll_out_early(const Model& m, const Rows& c, const Inputs<T>& in, T* row_lambda, T* qdd,
                           PvEarlyData<T>& d, WorkspaceData<T>& w) {
  const T* const v = in.v;
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const std::int32_t number = d.segment_of_node[i];
    if (number < 0 || d.sets[number].count == 0) {
      roll_out_node<loops>(m, i, v, qdd, w);
      continue;
    }
    const auto& n = m.nodes[i];
    EarlySet<T>& set = d.sets[number];
    if (i == d.segments[number].last) solve_segment(d.segments[number], w.a + 6 * n.parent, set, d);
    const EarlyCrossing<T>* crossing = d.crossings + d.dof_of_node[i];
    if constexpr (loops) {
      if (const ClusterData* cluster = cluster_of(m, i)) {
        push_cluster(*cluster, crossing, set, w);
        roll_out_in_cluster(m, *cluster, i, v, qdd, w);
        continue;
      }
    }
    with_joint(n, [&](auto joint) TENON_INLINE_LAMBDA {
      using J = decltype(joint);
      Motion<T> a = parent_acceleration<J>(n, i, v, w);
      if (set.count == 6)
        solve_joint_with_rows<J>(n, a, 6, set.lambda, crossing, w, qdd);
      else if (set.count == 3)
        solve_joint_with_rows<J>(n, a, 3, set.lambda, crossing, w, qdd);
      else
        solve_joint_with_rows<J>(n, a, set.count, set.lambda, crossing, w, qdd);
      store(w.a + 6 * i, a);
    });
  }
  constraint_accelerations(c, w);
  solve_world_rows(c, row_lambda, d, w);
  for (int number = 0; number < d.segment_count; ++number) {
    const EarlySegment& s = d.segments[number];
    for (int i = 0; i < s.row_count; ++i) row_lambda[s.row_begin + i] = d.sets[number].lambda[i];
  }
}
template <class T>
void pv_early_roll_out(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, T* row_lambda,
                       T* qdd, PvEarlyData<T>& d, WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { roll_out_early<loops.value>(m, c, in, row_lambda, qdd, d, w); });
}

TENON_ISA_END
}  // namespace tenon
