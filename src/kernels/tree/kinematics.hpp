// Forward kinematics: world poses of all bodies, their velocities and accelerations in body frames, and
// results computed from them: Jacobians of any point, centre of mass, momentum, energy. All O(n), a Jacobian
// O(d).
#pragma once

#include "data/centroidal_numbers.hpp"
#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// v, a null: not computed. a is the true acceleration, without gravity.
template <class T>
void kinematics(const ModelData& m, const T* q, const T* v, const T* a, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  const T o(0), e(1);
  const Motion<T> rest{};
  store(w.R0 - 9, Mat3<T>{e, o, o, o, e, o, o, o, e});
  store(w.p0 - 3, Vec3<T>{o, o, o});
  store(w.v0 - 6, rest);
  store(w.a0 - 6, rest);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      const auto X = J::load(n, i, w);
      const Mat3<T> Rp = load_mat3<T>(w.R0 + 9 * n.parent);
      store(w.R0 + 9 * i, compose(Rp, X.R));
      store(w.p0 + 3 * i, load_vec3<T>(w.p0 + 3 * n.parent) + Rp * X.p);
      if (!v) return;
      T rate[J::nv];
      load_rate<J>(n, v, rate);
      Motion<T> vi = motion_to_child(X, load_motion<T>(w.v0 + 6 * n.parent));
      add_motion<J>(n, vi, rate);
      store(w.v0 + 6 * i, vi);
      if (!a) return;
      Motion<T> ai = motion_to_child(X, load_motion<T>(w.a0 + 6 * n.parent)) +
                     velocity_product_acceleration<J>(n, vi, rate);
      load_rate<J>(n, a, rate);
      add_motion<J>(n, ai, rate);
      store(w.a0 + 6 * i, ai);
    });
  }
}

// 6 x nv Jacobian of the frame with origin `point` (world) fixed to a node, along the axes that are the
// columns of E (world). Column-major, leading dimension ld; columns off the path are set to zero.
template <class T>
void frame_jacobian(const ModelData& m, int node, const T* point, const T* E, T* J, int ld,
                    const WorkspaceData<T>& w) {
  for (int k = 0; k < m.nv; ++k)
    for (int r = 0; r < 6; ++r) J[r + static_cast<std::int64_t>(k) * ld] = T(0);
  const Mat3<T> axes = load_mat3<T>(E);
  for (int i = node; i >= 0; i = m.nodes[i].parent) {
    const NodeData& n = m.nodes[i];
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * i);
    const Vec3<T> arm = load_vec3<T>(point) - load_vec3<T>(w.p0 + 3 * i);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        const Vec3<T> z = direction(S, R, T(m.v_sign[k]));
        T* column = J + static_cast<std::int64_t>(k) * ld;
        if constexpr (S.turns) {
          store(column, transpose_times(axes, turning(S, z)));
          store(column + 3, transpose_times(axes, momentum_at(S, z, arm, T(1))));
        } else {
          store(column + 3, transpose_times(axes, z));
        }
      });
    });
  }
}

// Centre of mass (world) and its 3 x nv Jacobian (column-major, ld; null: not wanted). After kinematics().
template <class T>
void center_of_mass(const ModelData& m, T* com, T* J, int ld, WorkspaceData<T>& w) {
  T total(0);
  Vec3<T> h{T(0), T(0), T(0)};
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const Vec3<T> hi =
        load_mat3<T>(w.R0 + 9 * i) * load_vec3<T>(n.h) + T(n.mass) * load_vec3<T>(w.p0 + 3 * i);
    w.subtree[4 * i] = T(n.mass);
    store(w.subtree + 4 * i + 1, hi);
    total = total + T(n.mass);
    h = h + hi;
  }
  const T inverse = T(1) / total;
  store(com, inverse * h);
  if (!J) return;
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const T mass = w.subtree[4 * i];
    const Vec3<T> hi = load_vec3<T>(w.subtree + 4 * i + 1);
    if (n.parent >= 0) {
      T* c = w.subtree + 4 * n.parent;
      c[0] = c[0] + mass;
      store(c + 1, load_vec3<T>(c + 1) + hi);
    }
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * i);
    const Vec3<T> arm = hi - mass * load_vec3<T>(w.p0 + 3 * i);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        const Vec3<T> z = direction(S, R, inverse * T(m.v_sign[k]));
        store(J + static_cast<std::int64_t>(k) * ld, momentum_at(S, z, arm, mass));
      });
    });
  }
}

// The numbers of the whole robot and its inverse mass (data/centroidal_numbers.hpp), armature included, potential energy zero
// where the centre of mass lies at the world origin. v null: at rest. center: not only energies; without it the others are
// zero, with it and without mass no numbers. Moments are about the first body: large positions cost no more digits than their
// own. After kinematics().
template <class T>
void centroidal_state(const ModelData& m, const T* v, bool center, T* state, const WorkspaceData<T>& w) {
  T mass(0), twice(0);
  Vec3<T> first{T(0), T(0), T(0)}, start = first;
  if (center && m.node_count > 0) start = load_vec3<T>(w.p0);
  Force<T> momentum{};
  for (int i = 0; i < m.node_count; ++i) {
    const RigidInertia<T> I = load_rigid(m, i, w);
    const Mat3<T> R = load_mat3<T>(w.R0 + 9 * i);
    const Vec3<T> at = load_vec3<T>(w.p0 + 3 * i) - start;
    mass = mass + I.m;
    first = first + (R * I.h + I.m * at);
    if (!v) continue;
    const Motion<T> vi = load_motion<T>(w.v0 + 6 * i);
    const Force<T> h = I * vi;
    twice = twice + dot(vi, h);
    if (!center) continue;
    const Vec3<T> linear = R * h.f;
    momentum = momentum + Force<T>{R * h.n + cross(at, linear), linear};
  }
  for (int k = 0; v && k < m.nv; ++k) twice = twice + load_armature(m, k, w) * v[k] * v[k];
  const T inverse = center ? T(1) / mass : T(0);
  const Vec3<T> arm = inverse * first;
  store(state, start + arm);
  store(state + 3, inverse * momentum.f);
  store(state + 6, Force<T>{momentum.n - cross(arm, momentum.f), momentum.f});
  state[12] = T(0.5) * twice;
  state[13] = -dot(load_vec3<T>(w.gravity), first + mass * start);
  state[inverse_mass_at] = inverse;
}

TENON_ISA_END
}  // namespace tenon
