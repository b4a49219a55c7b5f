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
#include "kernels/constrained/proximal_point.hpp"
#include "kernels/constrained/pv_early_refine.hpp"
#include "kernels/constrained/supporting_bodies.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
void constraint_state(const ModelData& m, const ConstraintData& c, const Inputs<T>& in, WorkspaceData<T>& w) {
  sweep_velocities(m, in, false, w);
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

// Inward sweep of Alg. 1. flags: WorkspaceData::support_flags, or node_flags for a sweep without rows.
template <bool loops, class T, class Model, class Rows>
inline bool sweep_augmented_inertia(const Model& m, const Rows& c, const std::int32_t* flags,
                                    const Inputs<T>& in, WorkspaceData<T>& w) {
  const T *const v = in.v, *const tau = in.tau;
  return sweep_supports_inwards<loops>(
      m, flags, w, [&](int i, ParentShare<T>& h, auto inside, bool supports) TENON_INLINE_LAMBDA {
        const bool early = refines_early<T> && w.early;
        if (supports && !early) add_constraint_rows(c, i, h, w);
        const bool positive = eliminate_node<loops, inside.value>(m, i, v, tau, h, w);
        if constexpr (refines_early<T>) {
          if (supports && early) finish_refined(m, i, v, h, w);
        }
        return positive;
      });
}

// The accelerations of the supporting nodes. Writes Ka.
template <bool loops, class T, class Model, class Rows>
inline void roll_out_supports(const Model& m, const Rows& c, const Inputs<T>& in, T* qdd,
                              WorkspaceData<T>& w) {
  const T* const v = in.v;
  for (int s = 0; s < c.support_count; ++s) {
    if constexpr (refines_early<T>) {
      if (w.early) add_multipliers(m, c.support[s], w);
    }
    roll_out_node<loops>(m, c.support[s], v, qdd, w);
  }
  constraint_accelerations(c, w);
  for (int r = 0; r < c.row_count; ++r) w.row_lambda[r] = w.row_force[r] - w.mu_row[r] * w.Ka[r];
}

// Alg. 2: the centre has moved, and row_force changes by delta (rows). Only changes are swept: forces inward over the
// supporting nodes, accelerations outward; velocities are not needed. Ka, qdd and a of the supporting nodes are then
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
// The residual tells whether that was enough: relative to the terms of a joint's equation it is the error of the inertias
// there, and so is what the correction leaves of it.
template <bool refine, class T, class Rows>
inline void clear_changes(const Rows& c, WorkspaceData<T>& w) {
  for (int s = 0; s < c.support_count; ++s) store(w.delta_pA + 6 * c.support[s], Force<T>{});
  for (int s = 0; refine && s < c.support_count; ++s) store(w.f + 6 * c.support[s], Force<T>{});
}
// Inward, after clear_changes.
template <bool refine, bool loops, class T, class Model, class Rows>
inline void sweep_force_changes(const Model& m, const Rows& c, const T* delta, const Inputs<T>& in, T* qdd,
                                WorkspaceData<T>& w) {
  const T* const tau = in.tau;
  if constexpr (refine && loops)
    add_rotor_residuals(
        m, qdd, [&](int i) { return (w.support_flags[i] & node_supports) != 0; }, w);
  MotionError<T, loops> error;
  Force<T> carried{}, carried_rest{};
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const auto& n = m.nodes[i];
    Force<T> f = load_force<T>(w.delta_pA + 6 * i);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
      f = f - scaled(delta[r], load_force<T>(w.K + 6 * r));
    const bool carries = s + 1 < c.support_count && m.nodes[c.support[s + 1]].parent == i;
    if (carries) f = f + carried;
    ForceResidual<T> rest;
    if constexpr (refine) {
      rest = force_residual<loops>(m, c, i, w.row_lambda, w);
      if (carries) rest.sum = rest.sum + carried_rest;
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      T crossing[J::nv];
      for_each_column<J, T>(n, [&](auto d, auto S) {
        crossing[d.value] = -dot(S, f);
        if constexpr (refine)
          crossing[d.value] =
              crossing[d.value] + error.template of_joint<J>(m, c, i, d.value, S, rest, tau, qdd, w);
      });
      if constexpr (loops) {
        if (const ClusterData* cluster = cluster_of(m, i)) {
          take_work_in<J>(*cluster, n, i, crossing, w);
          const auto X = J::load(n, i, w);
          carried = force_to_parent(X, f);
          if (refine) carried_rest = force_to_parent(X, rest.sum);
          if (i != cluster->node_begin) return;
          add_cluster_reaction(*cluster, carried, w);
          if constexpr (refine) error.of_cluster(*cluster, w);
          return;
        }
      }
      for (int d = 0; d < J::nv; ++d) w.delta_u[n.v_index + d] = crossing[d];
      if (n.parent < 0) return;
      T y[J::nv];
      solve_joint_factor<J>(w.D + 6 * n.v_index, crossing, y);
      for (int r = 0; r < J::nv; ++r) f = f + scaled(y[r], load_force<T>(w.U + 6 * (n.v_index + r)));
      const auto X = J::load(n, i, w);
      carried = force_to_parent(X, f);
      if (refine) carried_rest = force_to_parent(X, rest.sum);
    });
    if (n.parent < 0 || (s > 0 && c.support[s - 1] == n.parent)) continue;
    T* parent = w.delta_pA + 6 * n.parent;
    store(parent, load_force<T>(parent) + carried);
    if constexpr (refine) {
      T* parent_rest = w.f + 6 * n.parent;
      store(parent_rest, load_force<T>(parent_rest) + carried_rest);
    }
  }
  if (refine) w.motion_error = error.largest();
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
      if constexpr (loops) {
        if (const ClusterData* cluster = cluster_of(m, i)) {
          if (i == cluster->node_begin) solve_cluster_change(*cluster, previous, qdd, w);
          T rate[J::nv];
          load_rate<J>(n, w.delta_u, rate);
          add_motion<J>(n, a, rate);
          previous = a;
          return;
        }
      }
      solve_joint<J, true>(n, a, w.delta_u + n.v_index, w, qdd);
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

// Alg. 3, lines 8 to 10: the nodes that support no constraint.
template <bool loops, class T, class Model, class Rows>
inline void roll_out_others(const Model& m, const Rows& c, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  const T* const v = in.v;
  int s = 0;
  for (int i = Model::first_body; i < m.node_count; ++i) {
    if (s < c.support_count && c.support[s] == i)
      ++s;
    else
      roll_out_node<loops>(m, i, v, qdd, w);
  }
}

// ---- the kernels: these sweeps, which the trunk of branch lanes takes one by one

template <class T, class Rows>
bool augmented_inertia(const ModelData& m, const Rows& c, const Inputs<T>& in, WorkspaceData<T>& w) {
  return with_loops<T>(
      m, [&](auto loops) { return sweep_augmented_inertia<loops.value>(m, c, w.support_flags, in, w); });
}
template <class T, class Rows>
void support_accelerations(const ModelData& m, const Rows& c, const Inputs<T>& in, T* qdd,
                           WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { roll_out_supports<loops.value>(m, c, in, qdd, w); });
}
// Alg. 1 up to the accelerations of the supporting nodes, at the centre of the point, with new 1 / mu. Rows must have been
// evaluated, and pA must hold the bias forces of sweep_velocities. False when the mass matrix is not positive definite.
template <class T, class Rows>
bool constrained_aba_start(const ModelData& m, const Rows& c, const Inputs<T>& in, T* qdd,
                           ProximalPoint<T>& x, WorkspaceData<T>& w) {
  return evaluate_by_sweep<true>(c, x, w, [&](const T*) {
    if (!augmented_inertia(m, c, in, w)) return false;
    support_accelerations(m, c, in, qdd, w);
    return true;
  });
}

// Packs of states refine always.
template <class T, class Rows>
void force_changes(const ModelData& m, const Rows& c, const T* delta, bool refine, const Inputs<T>& in,
                   T* qdd, WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) {
    if (is_pack<T> || refine)
      sweep_force_changes<true, loops.value>(m, c, delta, in, qdd, w);
    else if constexpr (!is_pack<T>)
      sweep_force_changes<false, loops.value>(m, c, delta, in, qdd, w);
  });
}
template <class T, class Rows>
void motion_changes(const ModelData& m, const Rows& c, const T* delta, T* qdd, WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { sweep_motion_changes<loops.value>(m, c, delta, qdd, w); });
}
template <class T, class Rows>
void constrained_aba_iterate(const ModelData& m, const Rows& c, bool refine, const Inputs<T>& in, T* qdd,
                             ProximalPoint<T>& x, WorkspaceData<T>& w) {
  evaluate_by_sweep<false>(c, x, w, [&](const T* delta) {
    if (refine)
      clear_changes<true>(c, w);
    else
      clear_changes<false>(c, w);
    force_changes(m, c, delta, refine, in, qdd, w);
    motion_changes(m, c, delta, qdd, w);
    return true;
  });
}

template <class T, class Rows>
void constrained_aba_finish(const ModelData& m, const Rows& c, const Inputs<T>& in, T* qdd,
                            WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { roll_out_others<loops.value>(m, c, in, qdd, w); });
}

TENON_ISA_END
}  // namespace tenon
