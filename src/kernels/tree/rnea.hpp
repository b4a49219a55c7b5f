// Recursive Newton-Euler algorithm: tau from (q, v, qdd) in O(n) (Featherstone, RBDA Table 5.1). Outward:
// velocities and accelerations, body force f = I a + v x* I v - f_ext. Inward: tau = S^T f + armature qdd,
// and f is added to the parent.
//
// A folded rotor (Model::Folding::spanning) is part of its carrier's inertia as if it stood still there. Its
// own rate vr and acceleration ar, about the axis e with inertia J, where the carrier has the angular velocity
// w and the acceleration alpha, add the change of the momentum J e vr, by Euler's equation:
//
//   on the carrier   J e ar + w x J e vr,      on the rotor's joint   J (e . alpha + ar) + armature ar.
//
// [LOOPS1] sweeps such rotors as bodies. One that is not symmetric about its axis adds wobble_moment
// (kernels/cluster/cluster.hpp).
#pragma once

#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The force of rotor r on its carrier, added to w.f; returns that on its own joint.
template <class T, class Rotor>
TENON_INLINE T add_rotor_force(const Rotor& rotor, int r, const T& rate, const T& acceleration,
                               WorkspaceData<T>& w) {
  const Vec3<T> momentum = load_vec3<T>(rotor.momentum);
  const Vec3<T> omega = load_vec3<T>(w.v + 6 * rotor.carrier), alpha = load_vec3<T>(w.a + 6 * rotor.carrier);
  Vec3<T> moment = acceleration * momentum + cross(omega, rate * momentum);
  T torque = T(rotor.inertia) * acceleration + dot(momentum, alpha);
  if (rotor.wobbles) {
    const Vec3<T> axis = load_vec3<T>(rotor.axis);
    const Vec3<T> added = wobble_moment(deviating_inertia(rotor, r, w), alpha, omega, rate * axis);
    moment = moment + added;
    torque = torque + dot(axis, added);
  }
  T* n = w.f + 6 * rotor.carrier;
  store(n, load_vec3<T>(n) + moment);
  return torque;
}

// The forces of folded rotors on their carriers, added to w.f, and on their own joints.
template <class T>
inline void add_rotor_forces(const ModelData& m, const Inputs<T>& in, T* tau, WorkspaceData<T>& w) {
  if (m.wobbling_rotors > 0) {
    for (int r = 0; r < m.wobbling_rotors; ++r) w.rotor_angle[r] = in.q[m.rotors[r].q_index];
    sin_cos(w.rotor_angle, w.rotor_sin, w.rotor_cos, m.wobbling_rotors);
  }
  for (int r = 0; r < m.rotor_count; ++r) {
    const RotorData& rotor = m.rotors[r];
    const T rate = in.v[rotor.v_index], acceleration = in.qdd ? in.qdd[rotor.v_index] : T(0);
    if (rotor.carrier < 0) {
      tau[rotor.v_index] = T(rotor.inertia) * acceleration;
      continue;
    }
    tau[rotor.v_index] = add_rotor_force(rotor, r, rate, acceleration, w);
  }
}

// What the force that moves a body is made of.
template <class Placement, class T>
struct MovedBody {
  Placement X;  // of the body in its parent
  RigidInertia<T> I;
  Motion<T> v, a;
};
// The motion of body i. placed: its pose and velocity are there.
template <class J, class T, class Model>
TENON_INLINE auto place_motion_of_body(const Model& m, int i, const Inputs<T>& in, bool placed,
                                       bool accelerated, WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  if (!placed) J::update(n, i, in.q, w);
  const auto X = J::load(n, i, w);
  T rate[J::nv];
  load_rate<J>(n, in.v, rate);
  Motion<T> v;
  if (placed) {
    v = load_motion<T>(w.v + 6 * i);
  } else {
    v = motion_to_child(X, load_motion<T>(w.v + 6 * n.parent));
    add_motion<J>(n, v, rate);
    store(w.v + 6 * i, v);
  }
  Motion<T> a;
  if (accelerated) {
    a = load_motion<T>(w.a + 6 * i);
  } else {
    a = motion_to_child(X, load_motion<T>(w.a + 6 * n.parent)) + velocity_product_acceleration<J>(n, v, rate);
    if (in.qdd) {
      load_rate<J>(n, in.qdd, rate);
      add_motion<J>(n, a, rate);
    }
    store(w.a + 6 * i, a);
  }
  return MovedBody<std::decay_t<decltype(X)>, T>{X, load_rigid(m, i, w), v, a};
}
// f := the force that moves body i. bias: v x* I v.
template <class Placement, class T>
TENON_INLINE void place_body_force(int i, const MovedBody<Placement, T>& body, const Force<T>& bias,
                                   const Inputs<T>& in, WorkspaceData<T>& w) {
  Force<T> f = body.I * body.a + bias;
  if (in.wrenches) f = f - load_force<T>(in.wrenches + 6 * i);
  store(w.f + 6 * i, f);
}

// Outward: motions of bodies, and in f the forces that move them.
template <class T, class Model>
inline void sweep_body_forces(const Model& m, const Inputs<T>& in, WorkspaceData<T>& w) {
  joint_angles(m, in.q, w);
  set_world_motion(w);
  for (int i = Model::first_body; i < m.node_count; ++i)
    with_joint(m.nodes[i], [&](auto joint) {
      const auto body = place_motion_of_body<decltype(joint)>(m, i, in, false, false, w);
      place_body_force(i, body, velocity_product(body.I, body.v), in, w);
    });
}

// Inward: forces through joints.
template <class T, class Model>
inline void sweep_joint_forces(const Model& m, const Inputs<T>& in, T* tau, WorkspaceData<T>& w) {
  Force<T> f{};
  for (int i = m.node_count - 1; i >= Model::first_body; --i) {
    const auto& n = m.nodes[i];
    const std::int32_t flags = w.node_flags[i];
    f = flags & node_carries ? f + load_force<T>(w.f + 6 * i) : load_force<T>(w.f + 6 * i);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      for_each_column<J, T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        T t = dot(S, f);
        if constexpr (J::one_dof) t = T(n.sign) * t;
        if (in.qdd) t = t + load_armature(m, k, w) * in.qdd[k];
        tau[k] = t;
      });
      f = force_to_parent(J::load(n, i, w), f);
    });
    if (n.parent >= 0 && (flags & node_adds_to_memory)) {
      T* fp = w.f + 6 * n.parent;
      store(fp, load_force<T>(fp) + f);
    }
  }
}

// in.qdd null: zero acceleration; tau is then the bias force c(q, v) minus the external forces.
template <class T>
void rnea(const ModelData& m, const Inputs<T>& in, T* tau, WorkspaceData<T>& w) {
  sweep_body_forces(m, in, w);
  if constexpr (takes_loops<T>)
    if (m.rotor_count > 0) add_rotor_forces(m, in, tau, w);
  sweep_joint_forces(m, in, tau, w);
}

TENON_ISA_END
}  // namespace tenon
