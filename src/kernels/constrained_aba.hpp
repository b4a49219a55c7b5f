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

// Alg. 2: row_force has changed by delta (rows). Forces in over the supporting nodes, then accelerations out;
// Ka and qdd of the supporting nodes are those of the new row_force. Returns the largest change of a joint
// acceleration.
template <class T>
T constrained_aba_iterate(const ModelData& m, const ConstraintData& c, const T* delta, const T* v, T* qdd,
                          WorkspaceData<T>& w) {
  const T o(0);
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    Force<T> f{{o, o, o}, {o, o, o}};
    for (int item = c.node_first[i]; item < c.node_first[i + 1]; ++item) {
      const int end = c.items[item].row_begin + c.items[item].row_count;
      for (int r = c.items[item].row_begin; r < end; ++r)
        f = f - scaled(delta[r], load_force<T>(w.K + 6 * r));
    }
    store(w.delta_pA + 6 * i, f);
  }
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      const T* U = w.U + 6 * n.v_index;
      const T* D = w.D + 6 * n.v_index;
      T* u = w.u + n.v_index;
      Force<T> f = load_force<T>(w.delta_pA + 6 * i);
      T x[J::nv];
      for_each_axis<J>([&](auto d, auto axis) {
        x[d.value] = -at<axis.value>(f);
        u[d.value] = u[d.value] + x[d.value];
      });
      if (n.parent < 0) return;
      if constexpr (J::one_dof) {
        f = f + scaled(D[0] * x[0], load_force<T>(U));
      } else {
        constexpr int N = J::nv;
        T d[N][N];
        for (int r = 0; r < N; ++r)
          for (int k = 0; k <= r; ++k) d[r][k] = D[6 * r + k];
        solve_ldl<N>(d, x);
        for (int r = 0; r < N; ++r) f = f + scaled(x[r], load_force<T>(U + 6 * r));
      }
      T* parent = w.delta_pA + 6 * n.parent;
      store(parent, load_force<T>(parent) + force_to_parent(J::load(n, i, w), f));
    });
  }
  T largest(0);
  for (int s = 0; s < c.support_count; ++s) {
    const int i = c.support[s];
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      T before[J::nv];
      for (int d = 0; d < J::nv; ++d) before[d] = qdd[n.v_index + d];
      T rate[J::nv];
      load_rate<J>(n, v, rate);
      Motion<T> a = motion_to_child(J::load(n, i, w), load_motion<T>(w.a + 6 * n.parent)) +
                    velocity_product_acceleration<J>(load_motion<T>(w.v + 6 * i), rate);
      solve_joint<J>(n, a, w, qdd);
      store(w.a + 6 * i, a);
      for (int d = 0; d < J::nv; ++d) {
        const T change = qdd[n.v_index + d] - before[d];
        largest = change > largest ? change : (-change > largest ? -change : largest);
      }
    });
  }
  constraint_accelerations(c, w);
  return largest;
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
