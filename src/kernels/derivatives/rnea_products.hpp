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

// field[i] := the motion of body i for joint rates y. Calls each(i, that).
template <class T, class Each>
TENON_INLINE void place_motion_of(const ModelData& m, const T* y, T* field, const WorkspaceData<T>& w,
                                  const Each& each) {
  PackedMotion<T> x = {Lanes<T>(T(0)), Lanes<T>(T(0))};  // along a chain it stays in registers
  store_packed(field, -1, x);
  for (int i = 0; i < m.node_count; ++i) {
    if (m.nodes[i].parent != i - 1) x = load_packed(field, m.nodes[i].parent);
    x = x + joint_velocity(m, i, y, w);
    store_packed(field, i, x);
    each(i, x);
  }
}
template <class T>
inline void place_motion_of(const ModelData& m, const T* y, T* field, const WorkspaceData<T>& w) {
  place_motion_of(m, y, field, w, [](int, const PackedMotion<T>&) {});
}

// After sweep_motion: the motion where joints accelerate by a more.
template <class T>
void add_accelerations(const ModelData& m, const T* a, DerivativeData<T>& d, WorkspaceData<T>& w) {
  place_motion_of(m, a, d.moved, w,
                  [&](int i, const PackedMotion<T>& x) { store_packed(w.aw, i, load_packed(w.aw, i) + x); });
}

// What acts besides bodies in products: nothing here, constraint rows in row_products.hpp. Of vjp: adds to d.force, to
// d.moment and to forces that count for the turns of subtrees; of jvp: adds to d.force.
struct NoRows {
  static constexpr bool any = false;
  void operator()() const {}
};

// rnea_vjp. turning: where `rows` adds forces that count for turns, two packs a body. With rows, those of d.moment are whole
// forces, two packs a body.
template <class T, class Rows>
TENON_INLINE void rnea_vjp_with(const ModelData& m, const T* wrenches, const T* y, T* g_q, T* g_v, T* g_a,
                                T* turning, DerivativeData<T>& d, WorkspaceData<T>& w, const Rows& rows) {
  using L = Wide<T>;
  constexpr int W = L::count, size = Rows::any ? 8 : 4;  // of d.moment for a body
  const Lanes<T> zero(T(0));
  place_motion_of(m, y, d.moved, w);
  place_subtree_forces(m, wrenches, w, [&](int i, const RigidInertia<L>& I, const Motion<L>& v) {
    const Motion<L> Y = gather_motion<W>(d.moved, i);
    const Force<L> F = I * Y;
    const VelocityInertia<L> B = twice(velocity_inertia(I, v));
    scatter_motion(d.force, i, Motion<L>{F.n, F.f});
    scatter(transposed_moment(B, Y), [&](int l, const Lanes<T>& x) {
      T* const at = d.moment + size * (i + l);
      x.store(at);
      if (Rows::any) zero.store(at + 4);
    });
  });
  rows();
  sum_over_subtrees<2>(m, d.force);
  sum_over_subtrees<size / 4>(m, d.moment);
  if (Rows::any) sum_over_subtrees<2>(m, turning);
  for (int k = 0; k < m.nv; k += W) {
    const DofMotions<L> x = dof_motions<W>(m, k, w);
    const Force<L> F = forces_of_dofs<W>(d.force, k, w);
    const Motion<L> turned = cross(gather_of_parents<W>(m, d.moved, k, w), x.S);
    L by_q = dot(x.psi_ddot, F) + dot(turned, forces_of_dofs<W>(w.fw, k, w)), by_v = dot(x.S_rate, F);
    if constexpr (Rows::any) {
      const Force<L> Q = forces_of_dofs<W>(d.moment, k, w);
      by_q = by_q + dot(x.psi_dot, Q) + dot(x.S, forces_of_dofs<W>(turning, k, w));
      by_v = by_v + dot(x.S, Q);
    } else {
      const Vec3<L> Q =
          gather<W>([&](int l) { return Lanes<T>::load(d.moment + 4 * body_of_dof(k + l, w)); });
      by_q = by_q + dot(x.psi_dot.w, Q);
      by_v = by_v + dot(x.S.w, Q);
    }
    by_q.store(g_q + k), by_v.store(g_v + k);
    if (g_a) dot(x.S, F).store(g_a + k);
  }
  for (int k = 0; g_a && k < m.nv; ++k) g_a[k] = g_a[k] + T(m.armature[k]) * y[k];
}

// After sweep_motion at (q, v, a). g_q, g_v, g_a: whole packs; g_a null: not wanted.
template <class T>
void rnea_vjp(const ModelData& m, const T* wrenches, const T* y, T* g_q, T* g_v, T* g_a, DerivativeData<T>& d,
              WorkspaceData<T>& w) {
  rnea_vjp_with(m, wrenches, y, g_q, g_v, g_a, static_cast<T*>(nullptr), d, w, NoRows{});
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

// rnea_jvp.
template <class T, class Rows>
TENON_INLINE void rnea_jvp_with(const ModelData& m, const T* v, const T* wrenches, const T* dq, const T* dv,
                                const T* da, T* dtau, DerivativeData<T>& d, WorkspaceData<T>& w,
                                const Rows& rows) {
  sweep_motion_changes(m, v, dq, dv, da, d, w);
  using L = Wide<T>;
  constexpr int W = L::count;
  place_subtree_forces(m, wrenches, w, [&](int i, const RigidInertia<L>& I, const Motion<L>& v_i) {
    const Motion<L> change = gather_motion<W>(d.dv_body, i);
    const Force<L> f =
        I * gather_motion<W>(d.da_body, i) + cross_force(change, I * v_i) + cross_force(v_i, I * change);
    scatter_motion(d.force, i, Motion<L>{f.n, f.f});
  });
  rows();
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
    dot(load_motions(w.S_root + k, stride), forces_of_dofs<4>(d.force, k, w)).store(dtau + k);
  for (int k = 0; da && k < m.nv; ++k) dtau[k] = dtau[k] + T(m.armature[k]) * da[k];
}

// After sweep_motion at (q, v, a). dq, dv, da null: zero. dtau: whole packs.
template <class T>
void rnea_jvp(const ModelData& m, const T* v, const T* wrenches, const T* dq, const T* dv, const T* da,
              T* dtau, DerivativeData<T>& d, WorkspaceData<T>& w) {
  rnea_jvp_with(m, v, wrenches, dq, dv, da, dtau, d, w, NoRows{});
}

TENON_ISA_END
}  // namespace tenon
