// constrainedABA ([CABA] Alg. 1 to 3): the augmented Lagrangian of Gauss' principle solved by the sweeps of
// ABA, in O(n + m). A constraint row K a = k with penalty mu and multiplier estimate lambda only adds K^T mu
// K to the inertia of its own body and K^T (mu k + lambda) to the force on it (Eq. 31, 32; lambda here is the
// force on the robot, the paper's has the other sign).
//
// This file holds the sweeps; the iteration over lambda is solve/proximal.hpp. Three sweeps start a solve
// (Alg. 1). Later iterations change forces only, so they repeat only forces inward and accelerations outward,
// over the nodes that carry constraints (Alg. 2). The other nodes are swept once, at the end (Alg. 3, lines 8
// to 10).
//
// A row with compliance R keeps its term R lambda: its penalty is 1 / (R + 1 / mu).
#pragma once

#include "kernels/constrained/constraint_rows.hpp"
#include "spatial/ordered.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
void constraint_state(const ModelData& m, const ConstraintData& c, const T* q, const T* v, bool has_wrenches,
                      WorkspaceData<T>& w) {
  sweep_velocities(m, q, v, has_wrenches, w);
  evaluate_constraint_rows(m, c, w);
}

// Adds the constraint rows of node i to its articulated inertia and bias force: IA += K^T mu K,
// pA -= K^T row_force.
template <class T, class Rows>
TENON_INLINE void add_constraint_rows(const Rows& c, int i, ParentShare<T>& h, const WorkspaceData<T>& w) {
  for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r) {
    const Force<T> K = load_force<T>(w.K + 6 * r);
    subtract_outer(h.IA, K, scaled(-w.mu_row[r], K));
    h.pA = h.pA - scaled(w.row_force[r], K);
  }
}

// Inward sweep of Alg. 1. A supporting node stores its base separately, in IB and pA: its own inertia and
// bias force with those of all non-supporting children, without constraints. What supporting children add is
// kept in registers or goes through IA and pS, which must start at zero.
template <class T, class Rows>
inline void clear_support_forces(const Rows& c, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) store(w.pS + 6 * c.support[s], Force<T>{});
}
template <bool loops, class T, class Model, class Rows>
inline bool sweep_augmented_inertia(const Model& m, const Rows& c, const T* v, const T* tau,
                                    WorkspaceData<T>& w) {
  return visit_inwards<loops, T>(m, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    const auto& n = m.nodes[i];
    const std::int32_t flags = w.support_flags[i];
    ParentShare<T> base = {articulated(load_body<loops>(m, i, w)), load_force<T>(w.pA + 6 * i)};
    if (flags & node_has_base) base.IA = load_articulated(w.IB + 21 * i) + load_body<loops>(m, i, w);
    if (flags & node_supports) {
      store(w.IB + 21 * i, base.IA);
      base.pA = base.pA + load_force<T>(w.pS + 6 * i);
    }
    assign(h.IA, flags & node_carries ? h.IA + base.IA : base.IA);
    assign(h.pA, flags & node_carries ? h.pA + base.pA : base.pA);
    if (flags & node_collects) assign(h.IA, h.IA + load_articulated(w.IA + 21 * i));
    if (flags & node_supports) add_constraint_rows(c, i, h, w);
    const bool positive = eliminate_node<loops, inside.value>(m, i, v, tau, h, w);
    if (n.parent < 0 || !(flags & node_adds_to_memory)) return positive;
    const bool first = flags & node_first_to_store;
    const bool to_base = (w.support_flags[n.parent] & node_supports) && !(flags & node_supports);
    if (to_base)
      add_to_memory(h, first, w.IB + 21 * n.parent, w.pA + 6 * n.parent);
    else
      add_to_memory(h, first, w.IA + 21 * n.parent, (flags & node_supports ? w.pS : w.pA) + 6 * n.parent);
    return positive;
  });
}

// Alg. 1 up to the accelerations of the supporting nodes. The caller sets mu_row and row_force = mu_row
// (k + lambda / mu); rows must have been evaluated and pA must hold the bias forces of sweep_velocities.
// Writes Ka.
template <bool loops, class T, class Model, class Rows>
inline void roll_out_supports(const Model& m, const Rows& c, const T* v, T* qdd, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) roll_out_node<loops>(m, c.support[s], v, qdd, w);
  constraint_accelerations(c, w);
  for (int r = 0; r < c.row_count; ++r) w.row_lambda[r] = w.row_force[r] - w.mu_row[r] * w.Ka[r];
}
template <bool loops, class T>
inline bool start_sweeps(const ModelData& m, const ConstraintData& c, const T* v, const T* tau, T* qdd,
                         WorkspaceData<T>& w) {
  clear_support_forces(c, w);
  if (!sweep_augmented_inertia<loops>(m, c, v, tau, w)) return false;
  roll_out_supports<loops>(m, c, v, qdd, w);
  return true;
}
template <class T>
bool constrained_aba_start(const ModelData& m, const ConstraintData& c, const T* v, const T* tau, T* qdd,
                           WorkspaceData<T>& w) {
  return has_loops<T>(m) ? start_sweeps<true>(m, c, v, tau, qdd, w)
                         : start_sweeps<false>(m, c, v, tau, qdd, w);
}

// Alg. 2: row_force has changed by delta (rows). Only changes are swept: forces inward over the supporting
// nodes, accelerations outward; velocities are not needed. Ka, qdd and a of the supporting nodes are then
// those of the new row_force. A node whose neighbour in the sweep is its child or parent gets its vector in
// registers: on a chain, latency and not work limits the sweep.
//
// refine: iterative refinement. The augmented inertias are rounded sums of I and K^T mu K; the larger mu, the
// fewer digits of I they hold, and Alg. 2 does not notice. A refining sweep propagates a second force with
// the first: the residual of the equation of motion of each body, from its base inertia without constraints,
// its acceleration and the active multipliers. The component along each joint is added to the change of u and
// so corrected. The error of qdd drops from (rounding times mu) to its square, at about 1.6 times the cost of
// a plain sweep.
//
// The residual tells whether that was enough: no residual of a row shows an error of a joint that rows do not move.
// Relative to the terms of the joint's equation it is the error of the inertias there, and so is what the correction
// leaves of it. A joint that rests may have no terms but rounding errors: what moves it by this (rad/s^2, m/s^2) counts
// as a term. Joints of clusters have no equation of their own.
constexpr double at_rest = 1e-5;

template <bool refine, class T, class Rows>
inline void clear_changes(const Rows& c, WorkspaceData<T>& w) {
  const Force<T> none{};
  for (int s = 0; s < c.support_count; ++s) {
    store(w.delta_pA + 6 * c.support[s], none);
    if (refine) store(w.f + 6 * c.support[s], none);
  }
}
// Inward, after clear_changes.
template <bool refine, bool loops, class T, class Model, class Rows>
inline void sweep_force_changes(const Model& m, const Rows& c, const T* delta, const T* tau, T* qdd,
                                WorkspaceData<T>& w) {
  const Force<T> none{};
  constexpr bool measures = refine && is_ordered<T>;
  if constexpr (refine && loops) add_rotor_residuals(m, qdd, w);
  Force<T> carried = none, carried_rest = none;
  T worst(0);
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    Force<T> f = load_force<T>(w.delta_pA + 6 * i);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
      f = f - scaled(delta[r], load_force<T>(w.K + 6 * r));
    const bool carries = s + 1 < c.support_count && m.nodes[c.support[s + 1]].parent == i;
    if (carries) f = f + carried;
    Force<T> rest = none, of_body = none;
    if constexpr (refine) {
      of_body = load_articulated(w.IB + 21 * i) * load_motion<T>(w.a + 6 * i) + load_force<T>(w.pA + 6 * i);
      rest = of_body + load_force<T>(w.f + 6 * i);
      for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
        rest = rest - scaled(w.row_lambda[r], load_force<T>(w.K + 6 * r));
      if (carries) rest = rest + carried_rest;
    }
    [[maybe_unused]] const bool in_cluster = loops && cluster_of(m, i) != nullptr;
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const T* U = w.U + 6 * n.v_index;
      const T* D = w.D + 6 * n.v_index;
      T* x = w.delta_u + n.v_index;
      T crossing[J::nv];
      for_each_axis<J>([&](auto d, auto axis) {
        crossing[d.value] = -at<axis.value>(f);
        if constexpr (refine) {
          const int k = n.v_index + d.value;
          const T sign = J::one_dof ? T(n.sign) : T(1);
          T applied = tau[k] - T(m.armature[k]) * qdd[k];
          if constexpr (loops) applied = applied + w.rotor_work[k];
          const T residual = sign * applied - at<axis.value>(rest);
          crossing[d.value] = crossing[d.value] + residual;
          if constexpr (measures) {
            const T own = at<axis.value>(of_body);
            const T terms =
                magnitude_of(applied) + magnitude_of(own) + magnitude_of(at<axis.value>(rest) - own);
            const T inertia = magnitude_of(U[6 * d.value + axis.value]);
            const T error = magnitude_of(residual) / (terms + T(at_rest) * inertia);
            if (!in_cluster) worst = larger(worst, error);
          }
        }
      });
      if constexpr (loops) {
        if (const ClusterData* cluster = cluster_of(m, i)) {
          take_work_in<J>(*cluster, n, i, crossing, w);
          const auto X = J::load(n, i, w);
          carried = force_to_parent(X, f);
          if (refine) carried_rest = force_to_parent(X, rest);
          if (i == cluster->node_begin) add_cluster_reaction(*cluster, carried, w);
          return;
        }
      }
      for (int d = 0; d < J::nv; ++d) x[d] = crossing[d];
      if (n.parent < 0) return;
      if constexpr (J::one_dof) {
        f = f + scaled(D[0] * x[0], load_force<T>(U));
      } else {
        T y[J::nv];
        solve_joint_factor<J>(D, x, y);
        for (int r = 0; r < J::nv; ++r) f = f + scaled(y[r], load_force<T>(U + 6 * r));
      }
      const auto X = J::load(n, i, w);
      carried = force_to_parent(X, f);
      if (refine) carried_rest = force_to_parent(X, rest);
    });
    if (n.parent < 0 || (s > 0 && c.support[s - 1] == n.parent)) continue;
    T* parent = w.delta_pA + 6 * n.parent;
    store(parent, load_force<T>(parent) + carried);
    if constexpr (refine) {
      T* parent_rest = w.f + 6 * n.parent;
      store(parent_rest, load_force<T>(parent_rest) + carried_rest);
    }
  }
  if constexpr (measures) w.motion_error = worst;
}
// Outward.
template <bool loops, class T, class Model, class Rows>
inline void sweep_motion_changes(const Model& m, const Rows& c, const T* delta, T* qdd, WorkspaceData<T>& w) {
  const Motion<T> rest_motion{};
  Motion<T> previous = rest_motion;
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    if (n.parent < 0)
      previous = rest_motion;
    else if (s == 0 || c.support[s - 1] != n.parent)
      previous = load_motion<T>(w.delta_a + 6 * n.parent);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      Motion<T> a = motion_to_child(J::load(n, i, w), previous);
      const T* U = w.U + 6 * n.v_index;
      T x[J::nv], y[J::nv];
      if constexpr (loops) {
        if (const ClusterData* cluster = cluster_of(m, i)) {
          if (i == cluster->node_begin) solve_cluster_change(*cluster, previous, qdd, w);
          load_rate<J>(n, w.delta_u, y);
          add_motion<J>(a, y);
          previous = a;
          return;
        }
      }
      for (int d = 0; d < J::nv; ++d) x[d] = w.delta_u[n.v_index + d] - dot(a, load_force<T>(U + 6 * d));
      if constexpr (J::one_dof) {
        y[0] = w.D[6 * n.v_index] * x[0];
        qdd[n.v_index] = qdd[n.v_index] + T(n.sign) * y[0];
      } else {
        solve_joint_factor<J>(w.D + 6 * n.v_index, x, y);
        for (int d = 0; d < J::nv; ++d) qdd[n.v_index + d] = qdd[n.v_index + d] + y[d];
      }
      add_motion<J>(a, y);
      previous = a;
    });
    store(w.delta_a + 6 * i, previous);
    store(w.a + 6 * i, load_motion<T>(w.a + 6 * i) + previous);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r) {
      const T change = dot(previous, load_force<T>(w.K + 6 * r));
      w.Ka[r] = w.Ka[r] + change;
      w.row_lambda[r] = w.row_lambda[r] + (delta[r] - w.mu_row[r] * change);
    }
  }
}

template <bool refine, bool loops, class T>
inline void sweep_changes(const ModelData& m, const ConstraintData& c, const T* delta, const T* tau, T* qdd,
                          WorkspaceData<T>& w) {
  clear_changes<refine>(c, w);
  sweep_force_changes<refine, loops>(m, c, delta, tau, qdd, w);
  sweep_motion_changes<loops>(m, c, delta, qdd, w);
}

template <class T>
void constrained_aba_iterate(const ModelData& m, const ConstraintData& c, const T* delta, bool refine,
                             const T* tau, T* qdd, WorkspaceData<T>& w) {
  if (has_loops<T>(m)) {
    if (refine)
      sweep_changes<true, true>(m, c, delta, tau, qdd, w);
    else
      sweep_changes<false, true>(m, c, delta, tau, qdd, w);
  } else {
    if (refine)
      sweep_changes<true, false>(m, c, delta, tau, qdd, w);
    else
      sweep_changes<false, false>(m, c, delta, tau, qdd, w);
  }
}

// Alg. 3, lines 8 to 10: the nodes that support no constraint.
template <bool loops, class T, class Model, class Rows>
inline void roll_out_others(const Model& m, const Rows& c, const T* v, T* qdd, WorkspaceData<T>& w) {
  int s = 0;
  for (int i = first_body(m); i < m.node_count; ++i) {
    if (s < c.support_count && c.support[s] == i)
      ++s;
    else
      roll_out_node<loops>(m, i, v, qdd, w);
  }
}

// The sweeps above one by one, for the trunk of branch lanes.
template <class T, class F>
TENON_INLINE auto with_loops(const ModelData& m, const F& f) {
  return has_loops<T>(m) ? f(Int<1>{}) : f(Int<0>{});
}
template <class T>
bool augmented_inertia_of_trunk(const ModelData& m, const ConstraintData& c, const T* v, const T* tau,
                                WorkspaceData<T>& w) {
  return with_loops<T>(m, [&](auto loops) { return sweep_augmented_inertia<loops.value>(m, c, v, tau, w); });
}
template <class T>
void roll_out_trunk(const ModelData& m, const ConstraintData& c, const T* v, T* qdd, WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { roll_out_supports<loops.value>(m, c, v, qdd, w); });
}
template <bool refine, class T>
void force_changes_of_trunk(const ModelData& m, const ConstraintData& c, const T* delta, const T* tau, T* qdd,
                            WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { sweep_force_changes<refine, loops.value>(m, c, delta, tau, qdd, w); });
}
template <class T>
void motion_changes_of_trunk(const ModelData& m, const ConstraintData& c, const T* delta, T* qdd,
                             WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { sweep_motion_changes<loops.value>(m, c, delta, qdd, w); });
}

template <class T>
void constrained_aba_finish(const ModelData& m, const ConstraintData& c, const T* v, T* qdd,
                            WorkspaceData<T>& w) {
  has_loops<T>(m) ? roll_out_others<true>(m, c, v, qdd, w) : roll_out_others<false>(m, c, v, qdd, w);
}

TENON_ISA_END
}  // namespace tenon
