// Products of packs with the derivatives of inverse dynamics, in the notation of kernels/derivatives/rnea_products.hpp,
// where bodies and coordinates of one state are in lanes; here lanes are states, so vectors stay in body frames, where
// S is a coordinate axis and costs nothing. With (a x S) . F = - S . (a x* F) all products with S come last:
//
//   vjp:  g_q = S . (v_p x* (v_p x* F - Q) - a_p x* F - Y_p x* f),   g_v = S . (Q - (v_p + v_i) x* F),   g_a = S . F
//
// with v_p, a_p, Y_p of the parent in the frame of the body. Both products O(n).
#pragma once

#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/parameter_product.hpp"
#include "kernels/derivatives/rnea_products.hpp"
#include "kernels/pack/derivative_pack_table.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/tree/articulated_inertia.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

// What a joint adds to the velocity of its body, S qd, and the motion of the parent in the body's frame.
template <class T>
struct MotionAcross {
  Motion<T> rate, v_p, a_p;
};
template <class J, class T>
TENON_INLINE MotionAcross<T> motion_across(const NodeData& n, int i, const Inputs<T>& in,
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
template <class T>
inline void place_motion_for(const ModelData& m, const T* y, T* field, const WorkspaceData<T>& w) {
  clear_world(field);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
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

// rows: as NoRows (kernels/derivatives/rnea_products.hpp). turning: forces that it adds, which count for turns of subtrees, 6 a
// body. With rows d.moment has whole forces, 6 a body.
template <class T, class Rows>
TENON_INLINE void rnea_vjp_of_states_with(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x,
                                          T* tau, T* turning, PackedDerivatives<T>& d, WorkspaceData<T>& w,
                                          const Rows& rows) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  constexpr int size = Rows::any ? 6 : 3;  // of d.moment for a body
  const auto moment_of = [&](int i) {
    if constexpr (Rows::any)
      return load_force<T>(d.moment + size * i);
    else
      return Force<T>{load_vec3<T>(d.moment + size * i), zero};
  };
  sweep_body_forces(m, in, w);
  place_motion_for(m, x.x, d.moved, w);
  for (int i = 0; i < m.node_count; ++i) {
    const RigidInertia<T> I = load_rigid(m, i, w);
    const Motion<T> Y = load_motion<T>(d.moved + 6 * i);
    const Vec3<T> half = transposed_moment(velocity_inertia(I, load_motion<T>(w.v + 6 * i)), Y);
    store(d.force + 6 * i, I * Y);
    store(d.moment + size * i, half + half);
    if constexpr (Rows::any) store(d.moment + size * i + 3, zero);
  }
  rows();
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const MotionAcross<T> across = motion_across<J>(n, i, in, w);
      const Force<T> f = load_force<T>(w.f + 6 * i), F = load_force<T>(d.force + 6 * i);
      const Force<T> Q = moment_of(i);
      T rate[J::nv];
      load_rate<J>(n, x.x, rate);
      Motion<T> own{};
      add_motion<J>(n, own, rate);
      const Motion<T> Y_p = load_motion<T>(d.moved + 6 * i) - own;
      Force<T> by_q = cross_force(across.v_p, cross_force(across.v_p, F) - Q) - cross_force(across.a_p, F) -
                      cross_force(Y_p, f),
               turns{};
      if constexpr (Rows::any) turns = load_force<T>(turning + 6 * i), by_q = by_q + turns;
      const Force<T> by_v = Q - cross_force(across.v_p + across.v_p + across.rate, F);
      const T* none = nullptr;
      project_on_joint<J>(m, n, f, in.qdd, tau, w);
      project_on_joint<J>(m, n, by_q, none, x.by_q, w);
      project_on_joint<J>(m, n, by_v, none, x.by_v, w);
      project_on_joint<J>(m, n, F, x.x, x.by_x, w);
      if (n.parent < 0) return;
      const auto X = J::load(n, i, w);
      const auto pass = [&](T* field, const Force<T>& force) {
        T* const to = field + 6 * n.parent;
        store(to, load_force<T>(to) + force_to_parent(X, force));
      };
      pass(w.f, f), pass(d.force, F);
      if constexpr (Rows::any) {
        pass(d.moment, Q), pass(turning, turns);
      } else {
        T* const to_Q = d.moment + size * n.parent;
        store(to_Q, load_vec3<T>(to_Q) + rotate(X.R, Q.n));
      }
    });
  }
}

// Adds sign w^T Y (kernels/derivatives/parameter_product.hpp) to by_inertia, 10 a link of the model. After
// rnea_vjp_of_states, which leaves the motion of bodies for the gradient w.
template <class T>
void add_parameter_products_of_states(const ParameterData<double>& links, double sign, T* by_inertia,
                                      const PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  for (int i = 0; i < links.count; ++i) {
    const double* const at = links.in_body + 48 * (i / 4) + i % 4;  // of four links side by side
    const auto own = [&](int e) { return T(at[4 * e]); };
    const Transform<Rot3<T>, T> X = {
        {{own(0), own(1), own(2), own(3), own(4), own(5), own(6), own(7), own(8)}},
        {own(9), own(10), own(11)}};
    const auto of_link = [&](const T* field) {
      return motion_to_child(X, load_motion<T>(field + 6 * links.body[i]));
    };
    T x[10];
    multiply_with_unit_forces(of_link(w.v), of_link(w.a), of_link(d.moved), x);
    T* const to = by_inertia + 10 * links.link[i];
    for (int c = 0; c < 10; ++c) to[c] = to[c] + T(sign) * x[c];
  }
}

template <class T>
void rnea_vjp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                        PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  rnea_vjp_of_states_with(m, in, x, tau, static_cast<T*>(nullptr), d, w, NoRows{});
}

template <class T, class Rows>
TENON_INLINE void rnea_jvp_of_states_with(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x,
                                          T* tau, PackedDerivatives<T>& d, WorkspaceData<T>& w,
                                          const Rows& rows) {
  sweep_body_forces(m, in, w);
  for (T* field : {d.dv_body, d.da_body}) clear_world(field);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const auto X = J::load(n, i, w);
      const MotionAcross<T> across = motion_across<J>(n, i, in, w);
      const Motion<T> v = load_motion<T>(w.v + 6 * i);
      T rate[J::nv];
      Motion<T> s{};
      if (x.q) {
        load_rate<J>(n, x.q, rate);
        add_motion<J>(n, s, rate);
      }
      Motion<T> change = motion_to_child(X, load_motion<T>(d.dv_body + 6 * n.parent)) + cross(across.v_p, s);
      Motion<T> faster = motion_to_child(X, load_motion<T>(d.da_body + 6 * n.parent)) + cross(across.a_p, s);
      if (x.v) {
        load_rate<J>(n, x.v, rate);
        add_motion<J>(n, change, rate);
        faster = faster + velocity_product_acceleration<J>(n, v, rate);
      }
      faster = faster + cross(change, across.rate);
      if (x.x) {
        load_rate<J>(n, x.x, rate);
        add_motion<J>(n, faster, rate);
      }
      const RigidInertia<T> I = load_rigid(m, i, w);
      store(d.moved + 6 * i, s), store(d.dv_body + 6 * i, change), store(d.da_body + 6 * i, faster);
      store(d.force + 6 * i, I * faster + cross_force(change, I * v) + cross_force(v, I * change));
    });
  }
  rows();
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const Force<T> f = load_force<T>(w.f + 6 * i), F = load_force<T>(d.force + 6 * i);
      project_on_joint<J>(m, n, f, in.qdd, tau, w);
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

template <class T>
void rnea_jvp_of_states(const ModelData& m, const Inputs<T>& in, const PackedProduct<T>& x, T* tau,
                        PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  rnea_jvp_of_states_with(m, in, x, tau, d, w, NoRows{});
}

// Body i of a cluster in these sweeps: inward, then outward.
template <class T>
inline void take_forces_in_cluster(const ModelData& m, const ClusterData& c, int i, const T* x, T* force,
                                   WorkspaceData<T>& w) {
  const NodeData& n = m.nodes[i];
  const auto add = [&](int body, const Force<T>& f) {
    T* const sum = force + 6 * body;
    if (body >= 0) store(sum, load_force<T>(sum) + f);
  };
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    const Force<T> p = load_force<T>(force + 6 * i);
    T work[J::nv];
    load_rate<J>(n, x, work);
    for_each_column<J, T>(n, [&](auto r, auto S) { work[r.value] = work[r.value] - dot(S, p); });
    take_work_in<J>(c, n, i, work, w);
    add(n.parent, force_to_parent(J::load(n, i, w), p));
  });
  if (i > c.node_begin) return;
  Force<T> reaction{};
  add_cluster_reaction(c, reaction, w);
  add(c.parent, reaction);
}
template <class T>
inline void move_body_of_cluster(const ModelData& m, const ClusterData& c, int i, T* x, T* motion,
                                 WorkspaceData<T>& w) {
  if (i == c.node_begin) {
    solve_cluster(c, load_motion<T>(motion + 6 * c.parent), w.delta_u, w);
    for (int k = 0; k < c.v_count; ++k) x[c.v_begin + k] = spanning_acceleration(c, k, w);
  }
  const NodeData& n = m.nodes[i];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = motion_to_child(J::load(n, i, w), load_motion<T>(motion + 6 * n.parent));
    T rate[J::nv];
    load_rate<J>(n, x, rate);
    add_motion<J>(n, a, rate);
    store(motion + 6 * i, a);
  });
}

// The two sweeps of kernels/tree/inverse_mass.hpp for one column of each state, with forces on bodies too: d.force, in the
// other sign. Leaves the motions of bodies in d.moved. With clusters x := G (G^T M G)^-1 G^T x.
template <class T>
inline void solve_for_forces(const ModelData& m, T* x, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  T *const force = d.force, *const motion = d.moved;
  const auto cluster = [&](int i) { return takes_loops<T> ? cluster_of(m, i) : nullptr; };
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    if (const ClusterData* c = cluster(i)) {
      take_forces_in_cluster(m, *c, i, x, force, w);
      continue;
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Force<T> p = load_force<T>(force + 6 * i);
      T u[J::nv];
      load_rate<J>(n, x, u);
      for_each_column<J, T>(n, [&](auto r, auto S) {
        u[r.value] = u[r.value] - dot(S, p);
        x[n.v_index + r.value] = u[r.value];
      });
      if (n.parent < 0) return;
      past.solve(u);
      for (int r = 0; r < J::nv; ++r) p = p + Force<T>{u[r] * past.U[r].n, u[r] * past.U[r].f};
      T* const sum = force + 6 * n.parent;
      store(sum, load_force<T>(sum) + force_to_parent(J::load(n, i, w), p));
    });
  }
  clear_world(motion);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (const ClusterData* c = cluster(i)) {
      move_body_of_cluster(m, *c, i, x, motion, w);
      continue;
    }
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      const RowJoint<J, T> past(n, w);
      Motion<T> a = motion_to_child(J::load(n, i, w), load_motion<T>(motion + 6 * n.parent));
      T u[J::nv];
      for (int r = 0; r < J::nv; ++r) u[r] = x[n.v_index + r] - dot(a, past.U[r]);
      past.solve(u);
      add_motion<J>(n, a, u);
      store(motion + 6 * i, a);
      for (int r = 0; r < J::nv; ++r) x[n.v_index + r] = J::one_dof ? T(n.sign) * u[r] : u[r];
    });
  }
}

template <class T>
void solve_by_inertias(const ModelData& m, T* x, PackedDerivatives<T>& d, WorkspaceData<T>& w) {
  for (int e = 0; e < 6 * m.node_count; ++e) d.force[e] = T(0);
  solve_for_forces(m, x, d, w);
}

TENON_ISA_END
}  // namespace tenon
