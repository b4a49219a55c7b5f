// constrainedABA ([CABA] Alg. 1 to 3): the augmented Lagrangian of Gauss' principle solved by the sweeps of
// ABA, in O(n + m). A constraint row K a = k with penalty mu and multiplier estimate lambda adds K^T mu K to
// the inertia of its own body and K^T (mu k + lambda) to the force on it, nothing else (Eq. 31, 32; lambda
// here is the force on the robot, the paper's has the other sign).
//
// This file holds the sweeps; the iteration over lambda is solvers/proximal.hpp. Three sweeps start a solve
// (Alg. 1); every later iteration repeats only what a changed force can change: forces in, accelerations out,
// over the nodes that carry constraints (Alg. 2). The other nodes are swept once, at the end (Alg. 3, lines 8
// to 10).
//
// A row with compliance R keeps its term R lambda: its penalty is 1 / (R + 1 / mu).
#pragma once

#include "kernels/constraint_rows.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Alg. 1 up to the accelerations of the supporting nodes. mu_row and row_force = mu_row (k + lambda / mu)
// belong to the caller; rows must have been evaluated and pA must hold sweep_velocities' bias forces. Ka is
// written.
template <class T>
bool constrained_aba_start(const ModelData& m, const ConstraintData& c, const T* v, const T* tau, T* qdd,
                           WorkspaceData<T>& w) {
  if (!sweep_articulated_inertia<T>(m, &c, v, tau, w)) return false;
  for (int s = 0; s < c.support_count; ++s) roll_out_node(m, c.support[s], v, qdd, w);
  constraint_accelerations(c, w);
  return true;
}

// Alg. 2: row_force has changed by delta (rows). Only changes are swept: forces in over the supporting nodes,
// accelerations out, so velocities are not needed again. Ka, qdd and a of the supporting nodes are then those
// of the new row_force. A node whose neighbour in the sweep is its child or parent gets its vector in
// registers: along a chain the sweep is bound by latency, not by work.
template <class T>
void constrained_aba_iterate(const ModelData& m, const ConstraintData& c, const T* delta, T* qdd,
                             WorkspaceData<T>& w) {
  const T o(0);
  for (int s = 0; s < c.support_count; ++s)
    store(w.delta_pA + 6 * c.support[s], Force<T>{{o, o, o}, {o, o, o}});
  Force<T> carried{{o, o, o}, {o, o, o}};
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    Force<T> f = load_force<T>(w.delta_pA + 6 * i);
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
      f = f - scaled(delta[r], load_force<T>(w.K + 6 * r));
    if (s + 1 < c.support_count && m.nodes[c.support[s + 1]].parent == i) f = f + carried;
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      const T* U = w.U + 6 * n.v_index;
      const T* D = w.D + 6 * n.v_index;
      T* x = w.delta_u + n.v_index;
      for_each_axis<J>([&](auto d, auto axis) { x[d.value] = -at<axis.value>(f); });
      if (n.parent < 0) return;
      if constexpr (J::one_dof) {
        f = f + scaled(D[0] * x[0], load_force<T>(U));
      } else {
        T y[J::nv];
        solve_joint_factor<J>(D, x, y);
        for (int r = 0; r < J::nv; ++r) f = f + scaled(y[r], load_force<T>(U + 6 * r));
      }
      carried = force_to_parent(J::load(n, i, w), f);
    });
    if (n.parent < 0 || (s > 0 && c.support[s - 1] == n.parent)) continue;
    T* parent = w.delta_pA + 6 * n.parent;
    store(parent, load_force<T>(parent) + carried);
  }
  Motion<T> previous{{o, o, o}, {o, o, o}};
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    if (n.parent < 0)
      previous = {{o, o, o}, {o, o, o}};
    else if (c.support[s - 1] != n.parent)
      previous = load_motion<T>(w.delta_a + 6 * n.parent);
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      Motion<T> a = motion_to_child(J::load(n, i, w), previous);
      const T* U = w.U + 6 * n.v_index;
      T x[J::nv], y[J::nv];
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
    for (int r = c.node_row_first[i]; r < c.node_row_first[i + 1]; ++r)
      w.Ka[r] = w.Ka[r] + dot(previous, load_force<T>(w.K + 6 * r));
  }
}

// Alg. 3, lines 8 to 10: the nodes that carry no constraint.
template <class T>
void constrained_aba_finish(const ModelData& m, const ConstraintData& c, const T* v, T* qdd,
                            WorkspaceData<T>& w) {
  int s = 0;
  for (int i = 0; i < m.node_count; ++i) {
    if (s < c.support_count && c.support[s] == i) {
      ++s;
      continue;
    }
    roll_out_node(m, i, v, qdd, w);
  }
}

TENON_ISA_END
}  // namespace tenon
