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

#include "data/constraint_data.hpp"
#include "data/inputs.hpp"
#include "kernels/cluster/cluster.hpp"
#include "kernels/joint/angles.hpp"
#include "kernels/joint/joint_elimination.hpp"

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

// Joint transforms, velocities, bias forces. has_angles: the workspace holds the sines and cosines at in.q.
template <class T, class Model>
inline void sweep_velocities(const Model& m, const Inputs<T>& in, bool has_angles, WorkspaceData<T>& w) {
  if (!has_angles) joint_angles(m, in.q, w);
  set_world_motion(w);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, in.q, w);
      Motion<T> vi = motion_to_child(J::load(n, i, w), load_motion<T>(w.v + 6 * n.parent));
      T rate[J::nv];
      load_rate<J>(n, in.v, rate);
      add_motion<J>(n, vi, rate);
      store(w.v + 6 * i, vi);
      Force<T> p = velocity_product(load_rigid(m, i, w), vi);
      if (in.wrenches) p = p - load_force<T>(in.wrenches + 6 * i);
      store(w.pA + 6 * i, p);
    });
  }
  add_rotor_moments(m, w.pA, w);
}

template <class J, bool loops, bool forces, class T, class Model>
TENON_INLINE bool eliminate_at_once(const Model& m, int i, const T* v, const T* tau, ParentShare<T>& h,
                                    WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  bool positive = true;
  Motion<T> c{};
  if constexpr (forces) {
    T rate[J::nv];
    load_rate<J>(n, v, rate);
    c = velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * i), rate);
  } else if (v) {
    J::update(n, i, v, w);
  }
  const auto X = J::load(n, i, w);
  const auto eliminate = [&](auto armature) TENON_INLINE_LAMBDA {
    positive = eliminate_joint<J, armature.value, loops, forces>(m, i, c, tau, h, w);
    if (n.parent < 0) return;
    h.IA = inertia_to_parent(X, h.IA);
    if constexpr (forces) h.pA = force_to_parent(X, h.pA);
  };
  // Without armature an eliminated axis is exactly zero, and the transform skips these zeros.
  if (!J::one_dof || has_armature(m, n))
    eliminate(Int<1>{});
  else
    eliminate(Int<0>{});
  return positive;
}
// A separate function for joints of several degrees of freedom, which are rare and have much code. It gets a
// copy of the share: if the address of h left the sweep, the compiler would keep h in memory for all joints.
template <class J, bool loops, bool forces, class T>
TENON_NOINLINE bool eliminate_apart(const ModelData& m, int i, const T* v, const T* tau, ParentShare<T>& h,
                                    WorkspaceData<T>& w) {
  return eliminate_at_once<J, loops, forces>(m, i, v, tau, h, w);
}

// Eliminates the joint of node i, or its part of a cluster, and expresses the share of the parent in the
// parent's frame. forces: see eliminate_joint. Without forces, v is null or q; if q, the joint transform is
// computed here too: a separate sweep took 50 ns for a floating base; here other work hides the time.
template <bool loops, bool in_cluster, bool forces = true, class T, class Model>
TENON_INLINE bool eliminate_node(const Model& m, int i, const T* v, const T* tau, ParentShare<T>& h,
                                 WorkspaceData<T>& w) {
  if constexpr (in_cluster) {
    if (!forces && v) with_joint(m.nodes[i], [&](auto joint) { joint.update(m.nodes[i], i, v, w); });
    return propagate_in_cluster<forces>(m, *cluster_of(m, i), i, v, tau, h, w);
  }
  bool positive = true;
  with_joint(m.nodes[i], [&](auto joint) TENON_INLINE_LAMBDA {
    using J = decltype(joint);
    if constexpr (J::one_dof)
      positive = eliminate_at_once<J, loops, forces>(m, i, v, tau, h, w);
    else {
      ParentShare<T> copy = h;
      positive = eliminate_apart<J, false, forces>(m, i, v, tau, copy, w);  // rotors turn with hinges only
      h = copy;
    }
  });
  return positive;
}

// The part of an inward sweep in one cluster, see visit_inwards. Apart, so that only here the address of h
// is given away.
template <class T, class Visit>
TENON_NOINLINE bool visit_cluster_inwards(const ClusterData& c, const Visit& visit) {
  bool positive = true;
  ParentShare<T> h;
  for (int i = c.node_begin + c.node_count - 1; i >= c.node_begin; --i)
    positive = visit(i, h, Int<1>{}) && positive;
  return positive;
}
// Calls visit(i, h, in_cluster) for all nodes from leaves to root; h is what the node after i shares with its
// parent, and becomes the share of i. A cluster and the nodes outside share through memory, never through h
// (node_carries). False if visit returned false for a node.
template <bool loops, class T, class Model, class Visit>
TENON_INLINE bool visit_inwards(const Model& m, const Visit& visit) {
  bool positive = true;
  ParentShare<T> h{};
  for (int i = m.node_count - 1; i >= Model::first_body; --i) {
    if constexpr (loops) {
      if (const ClusterData* c = cluster_of(m, i)) {
        positive = visit_cluster_inwards<T>(*c, visit) && positive;
        i = c->node_begin;
        continue;
      }
    }
    positive = visit(i, h, Int<0>{}) && positive;
  }
  return positive;
}

// The inward sweep: sums articulated inertias, and with forces also bias forces (pA), from leaves to root.
// pass(i, h, inside) turns the sums of node i into the share of its parent. False if pass returned false
// for a node.
template <bool loops, bool forces, class T, class Model, class Pass>
TENON_INLINE bool sweep_inwards(const Model& m, WorkspaceData<T>& w, const Pass& pass) {
  return visit_inwards<loops, T>(m, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    const auto& n = m.nodes[i];
    const std::int32_t flags = w.node_flags[i];
    const RigidInertia<T> body = load_body<loops>(m, i, w);
    if (flags & node_carries) {
      assign(h.IA, h.IA + body);
      if constexpr (forces) assign(h.pA, h.pA + load_force<T>(w.pA + 6 * i));
    } else {
      assign(h.IA, articulated(body));
      if constexpr (forces) assign(h.pA, load_force<T>(w.pA + 6 * i));
    }
    if (flags & node_collects) assign(h.IA, h.IA + load_articulated(w.IA + 21 * i));
    const bool positive = pass(i, h, inside);
    if (n.parent >= 0 && (flags & node_adds_to_memory))
      add_to_memory<forces>(h, flags & node_first_to_store, w.IA + 21 * n.parent, w.pA + 6 * n.parent);
    return positive;
  });
}

// Inward sweep of articulated inertias and bias forces; pA must hold the bias forces of sweep_velocities and
// is overwritten. False when some D is not positive definite.
template <bool loops, class T, class Model>
inline bool sweep_articulated_inertia_of(const Model& m, const Inputs<T>& in, WorkspaceData<T>& w) {
  const T *const v = in.v, *const tau = in.tau;
  return sweep_inwards<loops, true>(m, w, [&](int i, ParentShare<T>& h, auto inside) TENON_INLINE_LAMBDA {
    return eliminate_node<loops, inside.value>(m, i, v, tau, h, w);
  });
}
template <class T>
inline bool sweep_articulated_inertia(const ModelData& m, const Inputs<T>& in, WorkspaceData<T>& w) {
  return with_loops<T>(m, [&](auto loops) { return sweep_articulated_inertia_of<loops.value>(m, in, w); });
}

// Joint and body accelerations of one node.
template <bool loops = false, class T, class Model>
TENON_INLINE void roll_out_node(const Model& m, int i, const T* v, T* qdd, WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  if constexpr (loops) {
    if (const ClusterData* c = cluster_of(m, i)) return roll_out_in_cluster(m, *c, i, v, qdd, w);
  }
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = parent_acceleration<J>(n, i, v, w);
    solve_joint<J>(n, a, w.u + n.v_index, w, qdd);
    store(w.a + 6 * i, a);
  });
}
template <bool loops, class T, class Model>
inline void sweep_accelerations_of(const Model& m, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  const T* const v = in.v;
  for (int i = Model::first_body; i < m.node_count; ++i) roll_out_node<loops>(m, i, v, qdd, w);
}
template <class T>
inline void sweep_accelerations(const ModelData& m, const Inputs<T>& in, T* qdd, WorkspaceData<T>& w) {
  with_loops<T>(m, [&](auto loops) { sweep_accelerations_of<loops.value>(m, in, qdd, w); });
}

TENON_ISA_END
}  // namespace tenon
