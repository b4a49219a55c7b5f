// Sweeps in the frame of the root body of each tree, where motions and forces of different bodies add up without
// transforms; for matrices, whose coordinates meet all of their ancestors. Lanes are states (kernels/pack) or limbs
// (kernels/branches); of one state kernels/derivatives has bodies and coordinates in lanes. The notation of first derivatives
// is that of kernels/derivatives/rnea_derivatives.hpp.
#pragma once

#include "kernels/tree/articulated_body.hpp"
#include "kernels/tree/coriolis.hpp"
#include "kernels/tree/product_data.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Poses of bodies in the frame of their root, in R0 and p0; S of all coordinates, user sign, in U; inertias of
// the bodies in IA, ten numbers each. Of limbs the poses of their parents are there.
template <class T, class Model>
inline void place_in_root_frame(const Model& m, const T* q, WorkspaceData<T>& w) {
  using Placement = Transform<Rot3<T>, T>;
  const T o(0), e(1);
  const Mat3<T> unit{e, o, o, o, e, o, o, o, e};
  joint_angles(m, q, w);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      Placement X = {{unit}, {o, o, o}};
      if (n.parent >= 0)
        X = compose(Placement{{load_mat3<T>(w.R0 + 9 * n.parent)}, load_vec3<T>(w.p0 + 3 * n.parent)},
                    J::load(n, i, w));
      store(w.R0 + 9 * i, X.R.R);
      store(w.p0 + 3 * i, X.p);
      store(w.IA + 21 * i, inertia_to_parent(X, load_rigid(m, i, w)));
      for_each_column<J, T>(
          n, [&](auto d, auto S) { store(w.U + 6 * (n.v_index + d.value), outer_motion(S, X, T(n.sign))); });
    });
  }
}

template <class T>
TENON_INLINE Transform<Rot3<T>, T> pose_in_root_frame(int body, const WorkspaceData<T>& w) {
  return {{load_mat3<T>(w.R0 + 9 * body)}, load_vec3<T>(w.p0 + 3 * body)};
}

// ---- first derivatives of inverse dynamics

template <class T>
TENON_INLINE VelocityInertia<T> load_velocity_inertia(const T* a) {
  return {load_mat3<T>(a), load_vec3<T>(a + 9)};
}
template <class T>
TENON_INLINE void store(T* a, const VelocityInertia<T>& B) {
  store(a, B.rotation), store(a + 9, B.momentum);
}

// to[e] += from[e].
template <int count, class T>
TENON_INLINE void add_numbers(const T* from, T* to) {
  for (int e = 0; e < count; ++e) to[e] = to[e] + from[e];
}

// Outward: motions of bodies and of coordinates, and of each body the force and the velocity inertia. Of limbs the motions
// of their parents are there.
template <class T, class Model>
inline void sweep_derivative_motions(const Model& m, const Inputs<T>& in, const RootFrameMotions<T>& d,
                                     WorkspaceData<T>& w) {
  place_in_root_frame(m, in.q, w);
  if constexpr (Model::first_body == 0) set_world_motion(w);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    Motion<T> v = load_motion<T>(w.v + 6 * n.parent), a = load_motion<T>(w.a + 6 * n.parent);
    if (n.parent < 0) {
      with_joint(n, [&](auto joint) {
        using J = decltype(joint);
        a = motion_to_child(J::load(n, i, w), a);
      });
    }
    const Motion<T> v_p = v, a_p = a;
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    Motion<T> rate{}, acceleration{};
    for (int k = n.v_index; k < end; ++k) {
      const Motion<T> S = load_motion<T>(w.U + 6 * k);
      rate = rate + Motion<T>{in.v[k] * S.w, in.v[k] * S.v};
      acceleration = acceleration + Motion<T>{in.qdd[k] * S.w, in.qdd[k] * S.v};
    }
    v = v + rate;
    a = a + acceleration + cross(v, rate);
    for (int k = n.v_index; k < end; ++k) {
      const Motion<T> S = load_motion<T>(w.U + 6 * k), psi_dot = cross(v_p, S);
      store(d.psi_dot + 6 * k, psi_dot);
      store(d.psi_ddot + 6 * k, cross(a_p, S) + cross(v_p, psi_dot));
      store(d.S_rate + 6 * k, psi_dot + cross(v, S));
    }
    store(w.v + 6 * i, v), store(w.a + 6 * i, a);
    const RigidInertia<T> I = load_inertia<T>(w.IA + 21 * i);
    const VelocityInertia<T> B = velocity_inertia(I, v);
    Force<T> f = I * a + B * v;
    if (in.wrenches) {
      f = f - force_to_parent(pose_in_root_frame(i, w), load_force<T>(in.wrenches + 6 * i));
    }
    store(w.f + 6 * i, f);
    store(d.B + 12 * i, twice(B));
  }
}

// What a coordinate k shows to its ancestors j: entries above the diagonal, (j, k), by S_j, and below it, (k, j), by what
// moves j.
template <class T>
struct CoordinateForces {
  Force<T> F, F_v;
  Vec3<T> N;

  TENON_INLINE T below_q(const Motion<T>& psi_ddot, const Vec3<T>& psi_dot) const {
    return dot(psi_ddot, F) + dot(psi_dot, N);
  }
  TENON_INLINE T below_v(const Motion<T>& S_rate, const Motion<T>& S) const {
    return dot(S_rate, F) + dot(S.w, N);
  }
};
// Of coordinate k of body i, once I and B of the body are those of its subtree; and F_q, once f is.
template <class T>
TENON_INLINE CoordinateForces<T> forces_of_coordinate(int i, int k, const RootFrameMotions<T>& d,
                                                      const WorkspaceData<T>& w) {
  const RigidInertia<T> I = load_inertia<T>(w.IA + 21 * i);
  const VelocityInertia<T> B = load_velocity_inertia(d.B + 12 * i);
  const Motion<T> S = load_motion<T>(w.U + 6 * k);
  return {I * S, I * load_motion<T>(d.S_rate + 6 * k) + B * S, transposed_moment(B, S)};
}
template <class T>
TENON_INLINE Force<T> force_by_position(int i, int k, const RootFrameMotions<T>& d,
                                        const WorkspaceData<T>& w) {
  return load_inertia<T>(w.IA + 21 * i) * load_motion<T>(d.psi_ddot + 6 * k) +
         load_velocity_inertia(d.B + 12 * i) * load_motion<T>(d.psi_dot + 6 * k) +
         cross_force(load_motion<T>(w.U + 6 * k), load_force<T>(w.f + 6 * i));
}
// Adds I, B and f of a body to those of its parent.
template <class T>
TENON_INLINE void add_to_parent(int i, int parent, const RootFrameMotions<T>& d, const WorkspaceData<T>& w) {
  add_numbers<10>(w.IA + 21 * i, w.IA + 21 * parent);
  add_numbers<12>(d.B + 12 * i, d.B + 12 * parent);
  add_numbers<6>(w.f + 6 * i, w.f + 6 * parent);
}

TENON_ISA_END
}  // namespace tenon
