// pv_early (pv_early.hpp) of packs of seven digits, with one step of iterative refinement.
//
// Its sweeps are those of constrained_aba, which keep the inertias without rows apart (supporting_bodies.hpp), with
// WorkspaceData::early: rows are eliminated at the end of their segment instead of adding penalties. The residuals of
// rows and joints are then right-hand sides of the same equations, and a sweep with all factors gives the corrections.
// With f the force that bodies lack, I and p those of their base, and r the residuals of rows:
//
//   in:    f = I a + p - K^T lambda + f of children,   du = tau - armature qdd - S^T f,   r := r - Y du,
//          f + U D^-1 du to the parent, and past a segment, whose rows are eliminated, less K^T L^-1 r
//   out:   dlambda = L^-1 (r - K da),   dqdd = D^-1 (du + W^T dlambda - U^T da'),   da = da' + S dqdd
//
// How large the corrections of joints are is WorkspaceData::motion_error: what is left is about its square.
#pragma once

#include "kernels/constrained/pv_early_rows.hpp"
#include "kernels/constrained/row_residual.hpp"
#include "kernels/constrained/supporting_bodies.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The rows that pass node i; null: none do.
template <class T>
TENON_INLINE EarlySet<T>* rows_past(int i, const PvEarlyData<T>& d) {
  const std::int32_t number = d.segment_of_node[i];
  return number < 0 || d.sets[number].count == 0 ? nullptr : &d.sets[number];
}
template <class T>
TENON_INLINE bool ends_its_segment(int i, const PvEarlyData<T>& d) {
  return i == d.segments[d.segment_of_node[i]].last;
}

// K of a row at the end of its segment.
template <class T>
TENON_INLINE Force<T> row_at_end(const EarlySet<T>& set, int r) {
  return {{set.K[0][r], set.K[1][r], set.K[2][r]}, {set.K[3][r], set.K[4][r], set.K[5][r]}};
}

// The rows of a segment past its joints, and their elimination: the factor of L goes to set.couple. A lane in which a
// pivot is too small goes on without the row, and has no answer. added: K^T L^-1 K and -K^T L^-1 k, for the parent.
template <class T, class Model>
TENON_NOINLINE void finish_refined_segment(const Model& m, const EarlySegment& s, const T* v,
                                           ParentShare<T>& added, EarlySet<T>& set, PvEarlyData<T>& d,
                                           const WorkspaceData<T>& w) {
  pass_segment(m, s, v, set, d, w);
  const int rows = set.count;
  T(*A)[EarlySet<T>::most] = set.couple;
  const EarlyCrossing<T>* crossing = d.crossings + s.dof_begin;
  Force<T> K[EarlySet<T>::most];
  T k[EarlySet<T>::most];
  for (int r = 0; r < rows; ++r) {
    K[r] = row_at_end(set, r), k[r] = set.K[6][r];
    for (int c = 0; c <= r; ++c) {
      A[r][c] = set.L[r][c];
      for (int j = 0; j < s.dof_count; ++j) A[r][c] = A[r][c] + crossing[j].W[r] * crossing[j].Y[c];
    }
  }
  added = {};
  Lanewise<T> good = lanes_above(T(1), T(0));
  for (int j = 0; j < rows; ++j) {
    const Lanewise<T> accepted = lanes_above(A[j][j], T(refined_pivot) * set.scale[j]);
    good = good & accepted;
    const T inverse = select(accepted, T(1) / A[j][j], T(0));
    const Force<T> minus = scaled(-inverse, K[j]);
    for (int i = j + 1; i < rows; ++i) {
      const T l = A[i][j] * inverse;
      for (int c = j + 1; c <= i; ++c) A[i][c] = A[i][c] - l * A[c][j];
      K[i] = K[i] - scaled(l, K[j]), k[i] = k[i] - l * k[j];
    }
    for (int i = j + 1; i < rows; ++i) A[i][j] = A[i][j] * inverse;
    A[j][j] = inverse;
    subtract_outer(added.IA, K[j], minus);
    added.pA = added.pA + scaled(k[j], minus);
  }
  d.left_over |= bits_of_others(good);
}
template <class T, class Model>
TENON_INLINE void finish_refined(const Model& m, int i, const T* v, ParentShare<T>& h,
                                 const WorkspaceData<T>& w) {
  PvEarlyData<T>& d = *w.early;
  EarlySet<T>* set = rows_past(i, d);
  if (!set || !ends_its_segment(i, d)) return;
  ParentShare<T> added;
  finish_refined_segment(m, d.segments[d.segment_of_node[i]], v, added, *set, d, w);
  assign(h.IA, h.IA + added.IA);
  assign(h.pA, h.pA + added.pA);
}

// x := L^-1 x by this factor.
template <class T>
inline void solve_rows_of_segment(const EarlySet<T>& set, T* x) {
  for (int i = 0; i < set.count; ++i)
    for (int j = 0; j < i; ++j) x[i] = x[i] - set.couple[i][j] * x[j];
  for (int i = set.count - 1; i >= 0; --i) {
    x[i] = x[i] * set.couple[i][i];
    for (int j = i + 1; j < set.count; ++j) x[i] = x[i] - set.couple[j][i] * x[j];
  }
}
// u := u + W^T lambda at the joint of node i; u: of its coordinates.
template <class T, class Node>
inline void add_forces_of_rows(const Node& n, const EarlySet<T>& set, const EarlyCrossing<T>* crossing,
                               T* u) {
  int count = 0;
  with_joint(n, [&](auto joint) { count = decltype(joint)::nv; });
  for (int k = 0; k < count; ++k)
    for (int r = 0; r < set.count; ++r) u[k] = u[k] + crossing[k].W[r] * set.lambda[r];
}

// Before the acceleration of node i: lambda of a segment that ends there, from the acceleration of the parent.
template <class T, class Model>
TENON_NOINLINE void add_multipliers(const Model& m, int i, WorkspaceData<T>& w) {
  const PvEarlyData<T>& d = *w.early;
  EarlySet<T>* set = rows_past(i, d);
  if (!set) return;
  const auto& n = m.nodes[i];
  if (ends_its_segment(i, d)) {
    const Motion<T> a = load_motion<T>(w.a + 6 * n.parent);
    for (int r = 0; r < set->count; ++r) set->lambda[r] = set->K[6][r] - dot(a, row_at_end(*set, r));
    solve_rows_of_segment(*set, set->lambda);
  }
  add_forces_of_rows(n, *set, d.crossings + d.dof_of_node[i], w.u + n.v_index);
}

// lambda of the rows of all segments: set, or changed by these.
template <bool change, class T>
inline void take_multipliers(T* row_lambda, const PvEarlyData<T>& d) {
  for (int number = 0; number < d.segment_count; ++number) {
    const EarlySegment& s = d.segments[number];
    for (int i = 0; i < s.row_count; ++i) {
      T& lambda = row_lambda[s.row_begin + i];
      lambda = change ? lambda + d.sets[number].lambda[i] : d.sets[number].lambda[i];
    }
  }
}

template <class T, class Rows>
inline void sweep_residuals_inwards(const ModelData& m, const Rows& c, const Inputs<T>& in, const T* qdd,
                                    PvEarlyData<T>& d, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) store(w.f + 6 * c.support[s], Force<T>{});
  MotionError<T, false> error;
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    const ForceResidual<T> rest = force_residual<false>(m, c, i, w.row_lambda, w);
    EarlySet<T>* set = rows_past(i, d);
    T* x = w.delta_u + n.v_index;
    Force<T> f = rest.sum;
    int count = 0;
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      count = J::nv;
      for_each_column<J, T>(n, [&](auto k, auto S) {
        x[k.value] = error.template of_joint<J>(m, c, i, k.value, S, rest, in.tau, qdd, w);
      });
      T y[J::nv];
      solve_joint_factor<J>(w.D + 6 * n.v_index, x, y);
      for (int k = 0; k < J::nv; ++k) f = f + scaled(y[k], load_force<T>(w.U + 6 * (n.v_index + k)));
      f = force_to_parent(J::load(n, i, w), f);
    });
    if (set) {
      const EarlySegment& segment = d.segments[d.segment_of_node[i]];
      const EarlyCrossing<T>* crossing = d.crossings + d.dof_of_node[i];
      for (int r = 0; i == segment.first && r < segment.row_count; ++r)
        set->lambda[r] = row_residual(c, segment.row_begin + r, w.row_lambda, w);
      for (int k = 0; k < count; ++k)
        for (int r = 0; r < set->count; ++r) set->lambda[r] = set->lambda[r] - crossing[k].Y[r] * x[k];
      if (i == segment.last) {
        solve_rows_of_segment(*set, set->lambda);
        for (int r = 0; r < set->count; ++r) f = f - scaled(set->lambda[r], row_at_end(*set, r));
      }
    }
    if (n.parent >= 0) store(w.f + 6 * n.parent, load_force<T>(w.f + 6 * n.parent) + f);
  }
  w.motion_error = error.largest();
}

template <class T, class Rows>
inline void sweep_corrections_outwards(const ModelData& m, const Rows& c, T* qdd, PvEarlyData<T>& d,
                                       WorkspaceData<T>& w) {
  store(w.delta_a - 6, Motion<T>{});
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    const Motion<T> of_parent = load_motion<T>(w.delta_a + 6 * n.parent);
    if (EarlySet<T>* set = rows_past(i, d)) {
      if (ends_its_segment(i, d)) {
        T x[EarlySet<T>::most];
        for (int r = 0; r < set->count; ++r) x[r] = dot(of_parent, row_at_end(*set, r));
        solve_rows_of_segment(*set, x);
        for (int r = 0; r < set->count; ++r) set->lambda[r] = set->lambda[r] - x[r];
      }
      add_forces_of_rows(n, *set, d.crossings + d.dof_of_node[i], w.delta_u + n.v_index);
    }
    Motion<T> a{};
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      a = motion_to_child(J::load(n, i, w), of_parent);
      solve_joint<J, true>(n, a, w.delta_u + n.v_index, w, qdd);
    });
    store(w.delta_a + 6 * i, a);
    store(w.a + 6 * i, load_motion<T>(w.a + 6 * i) + a);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
      w.Ka[r] = w.Ka[r] + dot(a, load_force<T>(w.K + 6 * r));
  }
}

// After the sweeps: the multipliers, and a step of refinement of all supporting bodies.
template <class T, class Rows>
inline void refine_early(const ModelData& m, const Rows& c, const Inputs<T>& in, T* row_lambda, T* qdd,
                         PvEarlyData<T>& d, WorkspaceData<T>& w) {
  take_multipliers<false>(row_lambda, d);
  sweep_residuals_inwards(m, c, in, qdd, d, w);
  sweep_corrections_outwards(m, c, qdd, d, w);
  take_multipliers<true>(row_lambda, d);
}

TENON_ISA_END
}  // namespace tenon
