// A step of iterative refinement of pv_early (pv_early.hpp), for packs of seven digits: the residuals of rows and joints are
// right-hand sides of the same equations, and their sweep reuses all factors. With f the force that bodies lack and r the
// residuals of rows:
//
//   in:    f = I a + p - K^T lambda + f of children,   du = tau - armature qdd - S^T f,   r := r - Y du,
//          f + U D^-1 du to the parent, and past a segment, whose rows are eliminated, less K^T L^-1 r
//   out:   dlambda = L^-1 (r - K da),   dqdd = D^-1 (du + W^T dlambda - U^T da'),   da = da' + S dqdd
//
// I and p are the base of a supporting body (supporting_bodies.hpp), which the inward sweep keeps apart for it. How large
// the corrections of joints are, before them, is WorkspaceData::motion_error: what is left is about its square.
#pragma once

#include "kernels/constrained/pv_early_rows.hpp"
#include "kernels/constrained/row_residual.hpp"
#include "kernels/constrained/supporting_bodies.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The residuals of the rows of a segment, at its first body, to set.K[6].
template <class T>
inline void enter_row_residuals(const ConstraintData& c, const EarlySegment& s, EarlySet<T>& set,
                                const WorkspaceData<T>& w) {
  for (int i = 0; i < s.row_count; ++i) {
    const int r = s.row_begin + i;
    set.K[6][i] = row_residual(c, r, w.row_lambda, w);
  }
}
// L^-1 r by the factor that eliminate_all kept, to set.lambda.
template <class T>
inline void solve_rows_of_segment(EarlySet<T>& set) {
  T* x = set.lambda;
  for (int i = 0; i < set.count; ++i) {
    x[i] = set.K[6][i];
    for (int j = 0; j < i; ++j) x[i] = x[i] - set.couple[i][j] * x[j];
  }
  for (int i = set.count - 1; i >= 0; --i) {
    x[i] = x[i] * set.couple[i][i];
    for (int j = i + 1; j < set.count; ++j) x[i] = x[i] - set.couple[j][i] * x[j];
  }
}

template <class T, class Model, class Rows>
inline void sweep_residuals_inwards(const Model& m, const Rows& c, const Inputs<T>& in, const T* qdd,
                                    PvEarlyData<T>& d, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) store(w.f + 6 * c.support[s], Force<T>{});
  MotionError<T, false> error;
  Force<T> carried{};
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    ForceResidual<T> rest = force_residual<false>(m, c, i, w.row_lambda, w);
    if (s + 1 < c.support_count && m.nodes[c.support[s + 1]].parent == i) rest.sum = rest.sum + carried;
    const std::int32_t number = d.segment_of_node[i];
    EarlySet<T>* set = number < 0 || d.sets[number].count == 0 ? nullptr : &d.sets[number];
    const EarlyCrossing<T>* crossing = d.crossings + d.dof_of_node[i];
    if (set && i == d.segments[number].first) enter_row_residuals(c, d.segments[number], *set, w);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      T* x = w.delta_u + n.v_index;
      for_each_column<J, T>(n, [&](auto k, auto S) {
        x[k.value] = error.template of_joint<J>(m, i, k.value, S, rest, in.tau, qdd, w);
      });
      for (int k = 0; set && k < J::nv; ++k)
        for (int r = 0; r < set->count; ++r) set->K[6][r] = set->K[6][r] - crossing[k].Y[r] * x[k];
      if (n.parent < 0) return;
      T y[J::nv];
      if constexpr (J::one_dof)
        y[0] = w.D[6 * n.v_index] * x[0];
      else
        solve_joint_factor<J>(w.D + 6 * n.v_index, x, y);
      Force<T> f = rest.sum;
      for (int k = 0; k < J::nv; ++k) f = f + scaled(y[k], load_force<T>(w.U + 6 * (n.v_index + k)));
      carried = force_to_parent(J::load(n, i, w), f);
    });
    if (set && i == d.segments[number].last) {
      for (int r = 0; n.parent >= 0 && r < set->count; ++r)
        carried = carried - scaled(set->K[6][r], load_force<T>(set->Z[r]));
      solve_rows_of_segment(*set);
    }
    if (n.parent < 0 || (s > 0 && c.support[s - 1] == n.parent)) continue;
    T* parent = w.f + 6 * n.parent;
    store(parent, load_force<T>(parent) + carried);
  }
  w.motion_error = error.largest();
}

template <class T, class Model, class Rows>
inline void sweep_corrections_outwards(const Model& m, const Rows& c, T* row_lambda, T* qdd,
                                       PvEarlyData<T>& d, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    const Motion<T> of_parent = n.parent < 0 ? Motion<T>{} : load_motion<T>(w.delta_a + 6 * n.parent);
    const std::int32_t number = d.segment_of_node[i];
    EarlySet<T>* set = number < 0 || d.sets[number].count == 0 ? nullptr : &d.sets[number];
    const EarlyCrossing<T>* crossing = d.crossings + d.dof_of_node[i];
    if (set && i == d.segments[number].last) {
      const EarlySegment& segment = d.segments[number];
      for (int r = 0; r < set->count; ++r) {
        if (n.parent >= 0) set->lambda[r] = set->lambda[r] - dot(of_parent, load_force<T>(set->Z[r]));
        T& lambda = row_lambda[segment.row_begin + r];
        lambda = lambda + set->lambda[r];
      }
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      Motion<T> a = motion_to_child(J::load(n, i, w), of_parent);
      const T* U = w.U + 6 * n.v_index;
      T x[J::nv], y[J::nv];
      for (int k = 0; k < J::nv; ++k) {
        x[k] = w.delta_u[n.v_index + k] - dot(a, load_force<T>(U + 6 * k));
        for (int r = 0; set && r < set->count; ++r) x[k] = x[k] + crossing[k].W[r] * set->lambda[r];
      }
      if constexpr (J::one_dof) {
        y[0] = w.D[6 * n.v_index] * x[0];
        qdd[n.v_index] = qdd[n.v_index] + T(n.sign) * y[0];
      } else {
        solve_joint_factor<J>(w.D + 6 * n.v_index, x, y);
        for (int k = 0; k < J::nv; ++k) qdd[n.v_index + k] = qdd[n.v_index + k] + y[k];
      }
      add_motion<J>(n, a, y);
      store(w.delta_a + 6 * i, a);
      store(w.a + 6 * i, load_motion<T>(w.a + 6 * i) + a);
      for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
        w.Ka[r] = w.Ka[r] + dot(a, load_force<T>(w.K + 6 * r));
    });
  }
}

TENON_ISA_END
}  // namespace tenon
