// The sweeps of the articulated-body method (Featherstone, RBDA Table 7.1), shared by aba, constrained_aba
// and the PV family. In body frames:
//
//   out:   v_i = X v_p + S qd,  c_i = v_i x S qd,  pA_i = v_i x* I_i v_i - f_ext
//   in:    U = IA S,  D = S^T U + armature,  u = tau - S^T pA,
//          added to the parent: Ia = IA - U D^-1 U^T,  pa = pA + Ia c + U D^-1 u
//   out:   a' = X a_p + c,  qdd = D^-1 (u - U^T a'),  a_i = a' + S qdd,  with a_0 = -gravity
//
// What goes to the next node of the sweep stays in registers (node_carries); only branches go through memory.
#pragma once

#include "kernels/cluster/cluster.hpp"
#include "kernels/joint/angles.hpp"
#include "kernels/joint/joint_elimination.hpp"
#include "model/constraint_data.hpp"

namespace tenon {
TENON_ISA_BEGIN

// ---- sweeps

// World motion: zero velocity, upward acceleration in place of gravity on each body (RBDA 5.3).
template <class T>
TENON_INLINE void set_world_motion(WorkspaceData<T>& w) {
  const T o(0);
  store(w.v - 6, Motion<T>{});
  store(w.a - 6, Motion<T>{{o, o, o}, {-w.gravity[0], -w.gravity[1], -w.gravity[2]}});
}

// Joint transforms, velocities, bias forces. After joint_angles.
template <class T>
inline void sweep_velocities_at_angles(const ModelData& m, const T* q, const T* v, bool has_wrenches,
                                       WorkspaceData<T>& w) {
  set_world_motion(w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      Motion<T> vi = motion_to_child(J::load(n, i, w), load_motion<T>(w.v + 6 * n.parent));
      T rate[J::nv];
      load_rate<J>(n, v, rate);
      add_motion<J>(vi, rate);
      store(w.v + 6 * i, vi);
      Force<T> p = velocity_product(load_rigid<T>(n), vi);
      if (has_wrenches) p = p - load_force<T>(w.wrench + 6 * i);
      store(w.pA + 6 * i, p);
    });
  }
  if (m.rotor_count > 0) add_rotor_moments(m, w.pA, w);
}

template <class T>
inline void sweep_velocities(const ModelData& m, const T* q, const T* v, bool has_wrenches,
                             WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  sweep_velocities_at_angles(m, q, v, has_wrenches, w);
}

// Inward sweep of articulated inertias and bias forces; pA must hold the bias forces of sweep_velocities and
// is overwritten. False when some D is not positive definite.
template <bool loops, class T>
inline bool sweep_articulated_inertia_of(const ModelData& m, const T* v, const T* tau, WorkspaceData<T>& w) {
  return sweep_inwards<loops, true>(m, w, [&](int i, HandedUp<T>& h) TENON_INLINE_LAMBDA {
    return eliminate_node<loops>(m, i, v, tau, h, w);
  });
}
template <class T>
inline bool sweep_articulated_inertia(const ModelData& m, const T* v, const T* tau, WorkspaceData<T>& w) {
  return has_loops(m) ? sweep_articulated_inertia_of<true>(m, v, tau, w)
                      : sweep_articulated_inertia_of<false>(m, v, tau, w);
}

// Joint and body accelerations of one node.
template <bool loops = false, class T>
TENON_INLINE void roll_out_node(const ModelData& m, int i, const T* v, T* qdd, WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  if constexpr (loops) {
    if (const ClusterData* c = cluster_of(m, i)) return roll_out_in_cluster(m, *c, i, v, qdd, w);
  }
  with_joint(n.kind, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = parent_acceleration<J>(n, i, v, w);
    solve_joint<J>(n, a, w, qdd);
    store(w.a + 6 * i, a);
  });
}
template <class T>
inline void sweep_accelerations(const ModelData& m, const T* v, T* qdd, WorkspaceData<T>& w) {
  if (has_loops(m))
    for (int i = 0; i < m.node_count; ++i) roll_out_node<true>(m, i, v, qdd, w);
  else
    for (int i = 0; i < m.node_count; ++i) roll_out_node<false>(m, i, v, qdd, w);
}

TENON_ISA_END
}  // namespace tenon
