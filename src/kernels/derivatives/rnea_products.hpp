// Products with the derivatives of inverse dynamics, without a matrix, in the notation of rnea_derivatives.hpp.
//
// vjp, g = w^T dtau/d(q, v, a), backward. With y = w as joint rates, Y_i = Y_p + S y the motion of bodies, and F, Q, f
// the sums of I Y, of the moments of 2 B^T Y, and of forces over the subtree of the coordinate's body:
//
//   g_q = psi_ddot . F + psi_dot . Q + (Y_p x S) . f,   g_v = S_rate . F + S . Q,   g_a = S . F + armature y
//
// jvp, dtau along (dq, dv, da), forward. With s = S dq the changes that bodies see are
//
//   dv_i = dv_p + v_p x s + S dv
//   da_i = da_p + a_p x s + S da + dv_i x S v + v_i x S dv
//   df_i = I da_i + dv_i x* I v_i + v_i x* I dv_i
//
// and inward dF_i = df_i + sum over its children of (dF + s x* F), dtau = S . dF + armature da.  Both O(n).
#pragma once

#include "kernels/derivatives/rnea_derivatives.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE PackedMotion<T> operator+(const PackedMotion<T>& a, const PackedMotion<T>& b) {
  return {a.w + b.w, a.v + b.v};
}

// field[i] := the motion of body i for joint rates y.
template <class T>
inline void place_motion_of(const ModelData& m, const T* y, T* field, const WorkspaceData<T>& w) {
  const Lanes<T> zero(T(0));
  store_packed(field, -1, {zero, zero});
  for (int i = 0; i < m.node_count; ++i)
    store_packed(field, i, load_packed(field, m.nodes[i].parent) + joint_velocity(m, i, y, w));
}

// After sweep_motion at (q, v, a). g_q, g_v, g_a: whole packs.
template <class T>
void rnea_vjp(const ModelData& m, const T* wrenches, const T* y, T* g_q, T* g_v, T* g_a, DerivativeData<T>& d,
              WorkspaceData<T>& w) {
  place_subtree_forces(m, wrenches, w);
  place_motion_of(m, y, d.moved, w);
  for_bodies(m, w, [&](int i, const RigidInertia<Lanes<T>>& I) {
    const Motion<Lanes<T>> Y = gather_motion(d.moved, i);
    const Force<Lanes<T>> F = I * Y;
    const VelocityInertia<Lanes<T>> B = twice(velocity_inertia(I, gather_motion(w.vw, i)));
    scatter_motion(d.force, i, Motion<Lanes<T>>{F.n, F.f});
    scatter(transposed_moment(B, Y), [&](int l, const Lanes<T>& x) { x.store(d.moment + 4 * (i + l)); });
  });
  sum_over_subtrees<2>(m, d.force);
  sum_over_subtrees<1>(m, d.moment);
  for (int k = 0; k < m.nv; k += 4) {
    const DofMotions<T> x = dof_motions(m, k, w);
    const Force<Lanes<T>> F = forces_of_dofs(d.force, k, w);
    const auto moment = [&](int l) { return Lanes<T>::load(d.moment + 4 * body_of_dof(k + l, w)); };
    const Vec3<Lanes<T>> Q = gather(moment(0), moment(1), moment(2), moment(3));
    const Motion<Lanes<T>> turned = cross(gather_of_parents(m, d.moved, k, w), x.S);
    (dot(x.psi_ddot, F) + dot(x.psi_dot.w, Q) + dot(turned, forces_of_dofs(w.fw, k, w))).store(g_q + k);
    (dot(x.S_rate, F) + dot(x.S.w, Q)).store(g_v + k);
    dot(x.S, F).store(g_a + k);
  }
  for (int k = 0; k < m.nv; ++k) g_a[k] = g_a[k] + T(m.armature[k]) * y[k];
}

// Changes of the motion of bodies. dv, da null: zero.
template <class T>
inline void sweep_motion_changes(const ModelData& m, const T* v, const T* dq, const T* dv, const T* da,
                                 DerivativeData<T>& d, const WorkspaceData<T>& w) {
  const Lanes<T> zero(T(0));
  for (T* field : {d.dv_body, d.da_body}) store_packed(field, -1, {zero, zero});
  for (int i = 0; i < m.node_count; ++i) {
    const int parent = m.nodes[i].parent;
    PackedMotion<T> a_p = load_packed(w.aw, parent);
    if (parent < 0) a_p.v = packed_acceleration_at_rest(m, i, w);
    const PackedMotion<T> s = joint_velocity(m, i, dq, w);
    PackedMotion<T> change = load_packed(d.dv_body, parent) + cross_packed(load_packed(w.vw, parent), s);
    PackedMotion<T> faster = load_packed(d.da_body, parent) + cross_packed(a_p, s);
    if (dv) {
      const PackedMotion<T> rate = joint_velocity(m, i, dv, w);
      change = change + rate;
      faster = faster + cross_packed(load_packed(w.vw, i), rate);
    }
    faster = faster + cross_packed(change, joint_velocity(m, i, v, w));
    if (da) faster = faster + joint_velocity(m, i, da, w);
    store_packed(d.moved, i, s), store_packed(d.dv_body, i, change), store_packed(d.da_body, i, faster);
  }
}

// After sweep_motion at (q, v, a). dq, dv, da null: zero. dtau: whole packs.
template <class T>
void rnea_jvp(const ModelData& m, const T* v, const T* wrenches, const T* dq, const T* dv, const T* da,
              T* dtau, DerivativeData<T>& d, WorkspaceData<T>& w) {
  place_subtree_forces(m, wrenches, w);
  sweep_motion_changes(m, v, dq, dv, da, d, w);
  for_bodies(m, w, [&](int i, const RigidInertia<Lanes<T>>& I) {
    const Motion<Lanes<T>> v_i = gather_motion(w.vw, i), change = gather_motion(d.dv_body, i);
    const Force<Lanes<T>> f =
        I * gather_motion(d.da_body, i) + cross_force(change, I * v_i) + cross_force(v_i, I * change);
    scatter_motion(d.force, i, Motion<Lanes<T>>{f.n, f.f});
  });
  // What turns with a joint stays the same for its body and changes for the parent.
  for (int i = 0; i < m.node_count; ++i) {
    const int parent = m.nodes[i].parent;
    if (parent < 0) continue;
    const PackedMotion<T> s = load_packed(d.moved, i), F = load_packed(w.fw, i);
    const PackedMotion<T> turned = {cross_components(s.w, F.w) + cross_components(s.v, F.v),
                                    cross_components(s.w, F.v)};
    store_packed(d.force, parent, load_packed(d.force, parent) + turned);
  }
  sum_over_subtrees<2>(m, d.force);
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += 4)
    dot(load_motions(w.S_root + k, stride), forces_of_dofs(d.force, k, w)).store(dtau + k);
  for (int k = 0; da && k < m.nv; ++k) dtau[k] = dtau[k] + T(m.armature[k]) * da[k];
}

TENON_ISA_END
}  // namespace tenon
