// The sweeps of products with the derivatives of inverse dynamics in body frames, in the notation of
// kernels/derivatives/rnea_products.hpp, where bodies and coordinates of one state are in lanes; here lanes are states
// (kernels/pack/product_pack.hpp) or limbs (kernels/branches/product_branches.hpp), so vectors stay in body frames, where S
// is a coordinate axis and costs nothing. With (a x S) . F = - S . (a x* F) all products with S come last:
//
//   vjp:  g_q = S . (v_p x* (v_p x* F - Q) - a_p x* F - Y_p x* f),   g_v = S . (Q - (v_p + v_i) x* F),   g_a = S . F
//
// with v_p, a_p, Y_p of the parent in the frame of the body. Both products O(n). So are the sweeps of x := M^-1 x by
// articulated inertias (kernels/tree/inverse_mass.hpp) for one column.
#pragma once

#include "kernels/tree/articulated_inertia.hpp"
#include "kernels/tree/coriolis.hpp"
#include "kernels/tree/product_data.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

// What a joint adds to the velocity of its body, S qd, and the motion of the parent in the body's frame.
template <class T>
struct MotionAcross {
  Motion<T> rate, v_p, a_p;
};
template <class J, class T, class Node>
TENON_INLINE MotionAcross<T> motion_across(const Node& n, int i, const Inputs<T>& in,
                                           const WorkspaceData<T>& w) {
  T rate[J::nv];
  load_rate<J>(n, in.v, rate);
  Motion<T> s{}, acceleration{};
  add_motion<J>(n, s, rate);
  const Motion<T> v = load_motion<T>(w.v + 6 * i);
  load_rate<J>(n, in.qdd, rate);
  add_motion<J>(n, acceleration, rate);
  return {s, v - s, load_motion<T>(w.a + 6 * i) - acceleration - cross(v, s)};
}

// field[i] := the motion of body i for joint rates y.
template <class T, class Model>
inline void place_motion_for(const Model& m, const T* y, T* field, const WorkspaceData<T>& w) {
  clear_world(field);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      T rate[J::nv];
      load_rate<J>(n, y, rate);
      Motion<T> Y = motion_to_child(J::load(n, i, w), load_motion<T>(field + 6 * n.parent));
      add_motion<J>(n, Y, rate);
      store(field + 6 * i, Y);
    });
  }
}

// ---- vjp

// with_rows: d.moment has whole forces, 6 a body.
template <bool with_rows, class T, class Model>
inline void sweep_vjp_outward(const Model& m, const Inputs<T>& in, const TreeProduct<T>& x,
                              ProductBodies<T>& d, WorkspaceData<T>& w) {
  constexpr int size = with_rows ? 6 : 3;
  if (!x.placed) joint_angles(m, in.q, w);
  set_world_motion(w);
  clear_world(d.moved);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const auto body = place_motion_of_body<J>(m, i, in, x.placed, x.accelerated, w);
      const VelocityInertia<T> B = velocity_inertia(body.I, body.v);
      place_body_force(i, body, B * body.v, in, w);
      Motion<T> Y;
      if (x.moved) {
        Y = load_motion<T>(d.moved + 6 * i);
      } else {
        T rate[J::nv];
        load_rate<J>(n, x.x, rate);
        Y = motion_to_child(body.X, load_motion<T>(d.moved + 6 * n.parent));
        add_motion<J>(n, Y, rate);
        store(d.moved + 6 * i, Y);
      }
      const Vec3<T> half = transposed_moment(B, Y);
      store(d.force + 6 * i, body.I * Y);
      store(d.moment + size * i, half + half);
      if constexpr (with_rows) store(d.moment + size * i + 3, Vec3<T>{});
    });
  }
}
// tau null: not wanted. turning: forces that rows add, which count for turns of subtrees, 6 a body. What goes to the next body
// of the sweep stays in registers (node_carries).
template <bool with_rows, class T, class Model>
inline void sweep_vjp_inward(const Model& m, const Inputs<T>& in, const TreeProduct<T>& x, T* tau, T* turning,
                             ProductBodies<T>& d, WorkspaceData<T>& w) {
  constexpr int size = with_rows ? 6 : 3;
  const auto moment_of = [&](int i) {
    if constexpr (with_rows)
      return load_force<T>(d.moment + size * i);
    else
      return Force<T>{load_vec3<T>(d.moment + size * i), Vec3<T>{}};
  };
  Force<T> f{}, F{}, Q{}, turns{};
  for (int i = m.node_count - 1; i >= Model::first_body; --i) {
    const auto& n = m.nodes[i];
    const std::int32_t flags = w.node_flags[i];
    if (flags & node_carries) {
      f = f + load_force<T>(w.f + 6 * i), F = F + load_force<T>(d.force + 6 * i), Q = Q + moment_of(i);
      if constexpr (with_rows) turns = turns + load_force<T>(turning + 6 * i);
    } else {
      f = load_force<T>(w.f + 6 * i), F = load_force<T>(d.force + 6 * i), Q = moment_of(i);
      if constexpr (with_rows) turns = load_force<T>(turning + 6 * i);
    }
    with_joint(n, [&](auto joint) TENON_INLINE_LAMBDA {
      using J = decltype(joint);
      const MotionAcross<T> across = motion_across<J>(n, i, in, w);
      T rate[J::nv];
      load_rate<J>(n, x.x, rate);
      Motion<T> own{};
      add_motion<J>(n, own, rate);
      const Motion<T> Y_p = load_motion<T>(d.moved + 6 * i) - own;
      Force<T> by_q = cross_force(across.v_p, cross_force(across.v_p, F) - Q) - cross_force(across.a_p, F) -
                      cross_force(Y_p, f);
      if constexpr (with_rows) by_q = by_q + turns;
      const Force<T> by_v = Q - cross_force(across.v_p + across.v_p + across.rate, F);
      const T* none = nullptr;
      if (tau) project_on_joint<J>(m, n, f, in.qdd, tau, w);
      project_on_joint<J>(m, n, by_q, none, x.by_q, w);
      project_on_joint<J>(m, n, by_v, none, x.by_v, w);
      if (x.by_x) project_on_joint<J>(m, n, F, x.x, x.by_x, w);
      if (n.parent < 0) return;
      const auto X = J::load(n, i, w);
      f = force_to_parent(X, f), F = force_to_parent(X, F);
      if constexpr (with_rows)
        Q = force_to_parent(X, Q), turns = force_to_parent(X, turns);
      else
        Q.n = rotate(X.R, Q.n);
    });
    if (n.parent < 0 || !(flags & node_adds_to_memory)) continue;
    const auto add = [&](T* field, const Force<T>& force) {
      T* const to = field + 6 * n.parent;
      store(to, load_force<T>(to) + force);
    };
    add(w.f, f), add(d.force, F);
    if constexpr (with_rows) {
      add(d.moment, Q), add(turning, turns);
    } else {
      T* const to = d.moment + size * n.parent;
      store(to, load_vec3<T>(to) + Q.n);
    }
  }
}

// ---- jvp

template <class T, class Model>
inline void sweep_jvp_outward(const Model& m, const Inputs<T>& in, const TreeProduct<T>& x,
                              ProductBodies<T>& d, WorkspaceData<T>& w) {
  if (!x.placed) joint_angles(m, in.q, w);
  set_world_motion(w);
  for (T* field : {d.dv_body, d.da_body}) clear_world(field);
  for (int i = Model::first_body; i < m.node_count; ++i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const auto body = place_motion_of_body<J>(m, i, in, x.placed, false, w);
      const Force<T> momentum = body.I * body.v;
      place_body_force(i, body, cross_force(body.v, momentum), in, w);
      const MotionAcross<T> across = motion_across<J>(n, i, in, w);
      T rate[J::nv];
      Motion<T> s{};
      if (x.q) {
        load_rate<J>(n, x.q, rate);
        add_motion<J>(n, s, rate);
      }
      Motion<T> change =
          motion_to_child(body.X, load_motion<T>(d.dv_body + 6 * n.parent)) + cross(across.v_p, s);
      Motion<T> faster =
          motion_to_child(body.X, load_motion<T>(d.da_body + 6 * n.parent)) + cross(across.a_p, s);
      if (x.v) {
        load_rate<J>(n, x.v, rate);
        add_motion<J>(n, change, rate);
        faster = faster + velocity_product_acceleration<J>(n, body.v, rate);
      }
      faster = faster + cross(change, across.rate);
      if (x.x) {
        load_rate<J>(n, x.x, rate);
        add_motion<J>(n, faster, rate);
      }
      store(d.moved + 6 * i, s), store(d.dv_body + 6 * i, change), store(d.da_body + 6 * i, faster);
      store(d.force + 6 * i,
            body.I * faster + cross_force(change, momentum) + cross_force(body.v, body.I * change));
    });
  }
}
// tau null: not wanted.
template <class T, class Model>
inline void sweep_jvp_inward(const Model& m, const Inputs<T>& in, const TreeProduct<T>& x, T* tau,
                             ProductBodies<T>& d, WorkspaceData<T>& w) {
  for (int i = m.node_count - 1; i >= Model::first_body; --i) {
    const auto& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const Force<T> f = load_force<T>(w.f + 6 * i), F = load_force<T>(d.force + 6 * i);
      if (tau) project_on_joint<J>(m, n, f, in.qdd, tau, w);
      project_on_joint<J>(m, n, F, x.x, x.by_q, w);
      if (n.parent < 0) return;
      const auto X = J::load(n, i, w);
      // What turns with the joint stays the same for the body and changes for the parent.
      const Force<T> turned = cross_force(load_motion<T>(d.moved + 6 * i), f);
      T *const to_f = w.f + 6 * n.parent, *const to_F = d.force + 6 * n.parent;
      store(to_f, load_force<T>(to_f) + force_to_parent(X, f));
      store(to_F, load_force<T>(to_F) + force_to_parent(X, F + turned));
    });
  }
}

// ---- x := M^-1 x, of trees and of bodies outside clusters

// Inward step of body i: x := u = x - S^T p, and p + U D^-1 u goes to the parent: p is in `force`, and what is in `carried` goes to
// the next body of the sweep (node_carries).
template <class T, class Model>
TENON_INLINE void take_force_in(const Model& m, int i, T* x, T* force, Force<T>& carried,
                                const WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  const std::int32_t flags = w.node_flags[i];
  Force<T> p = load_force<T>(force + 6 * i);
  if (flags & node_carries) p = p + carried;
  with_joint(n, [&](auto joint) TENON_INLINE_LAMBDA {
    using J = decltype(joint);
    const RowJoint<J, T, std::decay_t<decltype(n)>> past(n, w);
    T u[J::nv];
    load_rate<J>(n, x, u);
    for_each_column<J, T>(n, [&](auto r, auto S) {
      u[r.value] = u[r.value] - dot(S, p);
      x[n.v_index + r.value] = u[r.value];
    });
    if (n.parent < 0) return;
    past.solve(u);
    for (int r = 0; r < J::nv; ++r) p = p + Force<T>{u[r] * past.U[r].n, u[r] * past.U[r].f};
    p = force_to_parent(J::load(n, i, w), p);
  });
  carried = p;
  if (n.parent < 0 || !(flags & node_adds_to_memory)) return;
  T* const sum = force + 6 * n.parent;
  store(sum, load_force<T>(sum) + p);
}
// Outward step: x := D^-1 (u - U^T a), and `motion` of the body.
template <class T, class Model>
TENON_INLINE void move_out(const Model& m, int i, T* x, T* motion, const WorkspaceData<T>& w) {
  const auto& n = m.nodes[i];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const RowJoint<J, T, std::decay_t<decltype(n)>> past(n, w);
    Motion<T> a = motion_to_child(J::load(n, i, w), load_motion<T>(motion + 6 * n.parent));
    T u[J::nv];
    for (int r = 0; r < J::nv; ++r) u[r] = x[n.v_index + r] - dot(a, past.U[r]);
    past.solve(u);
    add_motion<J>(n, a, u);
    store(motion + 6 * i, a);
    for (int r = 0; r < J::nv; ++r) x[n.v_index + r] = J::one_dof ? T(n.sign) * u[r] : u[r];
  });
}

TENON_ISA_END
}  // namespace tenon
