// Clusters: bodies tied together by kinematic loops or couplings, eliminated at once ([LOOPS1] Alg. 1).
//
// The joints of a cluster move by qdd = G ydd + g. The articulated inertia of its bodies is block diagonal,
// so a cluster needs only what CRBA does for a tree, with articulated inertias. Inward, body by body, the
// inertia is added to the body's parent as if its joint were locked. So is, for each independent coordinate
// y, the force F_y that moves the subtree by ydd = 1. At the joint of body k,
//
//   u_y  = u_y + G_ky (tau_k - S^T pA_k - armature_k g_k) - F'_y c_k,   c_k = v_k x S qd_k + S g_k,
//   F'_y = F_y + IA_k S G_ky,
//   D_yz = D_yz + G_kz S^T F'_y + G_ky S^T F_z + G_ky armature_k G_kz,
//
// and F' is propagated. After the cluster's last joint it is U, and the parent node gets IA - U D^-1 U^T and
// pA + U D^-1 u as from any joint. Outward, ydd = D^-1 (u - U^T a_parent), qdd = G ydd + g, and then joint by
// joint as in a tree. No matrix over all bodies is formed, and planar rotations stay planar.
//
// U and u are stored as L^-1 U^T and L^-1 u with D = L diag L^T.
#pragma once

#include "kernels/joint/joint_elimination.hpp"
#include "kernels/joint/sincos.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Whether the kernels on this scalar are compiled for models with loops (packs of states: kernels/pack).
template <class T>
inline constexpr bool takes_loops = true;

// Whether sweeps over plain trees have code of their own, which does not ask each body for clusters and folded rotors: a
// few per cent faster, and as much code again.
#ifndef TENON_TREES_APART
#define TENON_TREES_APART true
#endif
// The code of limbs with rows is large, and no slower where it asks each body for loops. That of aba is slower
// (kernels/branches/aba_branches.hpp).
template <class N>
inline constexpr bool trees_apart = TENON_TREES_APART && !is_pack<N>;

// f(Int<1>) for sweeps that ask each body for loops, f(Int<0>) for those over plain trees.
template <class T, bool apart, class Model, class F>
TENON_INLINE auto with_loops(const Model& m, const F& f) {
  if constexpr (!takes_loops<T>)
    return f(Int<0>{});
  else if constexpr (!apart)
    return f(Int<1>{});
  else
    return m.cluster_count > 0 || m.rotor_count > 0 ? f(Int<1>{}) : f(Int<0>{});
}
template <class T, class N, class F>
TENON_INLINE auto with_loops(const ModelDataOf<N>& m, const F& f) {
  return with_loops<T, trees_apart<N>>(m, f);
}

template <class T, class S>
TENON_INLINE Sym3<T> load_sym3(const S* a) {
  return {T(a[0]), T(a[1]), T(a[2]), T(a[3]), T(a[4]), T(a[5])};
}
template <class T>
TENON_INLINE Sym3<T> operator*(const T& s, const Sym3<T>& m) {
  return {s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
}
template <class T>
TENON_INLINE void store(T* a, const Sym3<T>& m) {
  a[0] = m.xx, a[1] = m.xy, a[2] = m.xz, a[3] = m.yy, a[4] = m.yz, a[5] = m.zz;
}

template <class Model>
TENON_INLINE const ClusterData* cluster_of(const Model& m, int i) {
  const std::int32_t cluster = m.node_cluster[i];
  return cluster < 0 ? nullptr : m.clusters + cluster;
}

// Forces on body i and its subtree in the cluster for ydd = 1: six numbers a coordinate. Of the cluster's
// parent: U.
template <class T>
TENON_INLINE T* cluster_forces(const ClusterData& c, int i, WorkspaceData<T>& w) {
  return i == c.parent ? w.U + 6 * c.v_begin : w.cluster_F + 6 * (c.G_begin + (i - c.node_begin) * c.y_count);
}
// Row of D, or of its factor: columns up to the diagonal.
template <class T>
TENON_INLINE T* cluster_D(const ClusterData& c, WorkspaceData<T>& w, int row) {
  return w.cluster_D + c.G_begin + row * c.y_count;
}

// Column y of the rows of G of one joint, in the sign of its body frame.
template <class J, class T, class Node>
TENON_INLINE void load_G(const ClusterData& c, const Node& n, int y, const WorkspaceData<T>& w,
                         T (&G)[J::nv]) {
  const T* column = w.G + c.G_begin + y * c.v_count + (n.v_index - c.v_begin);
  for (int d = 0; d < J::nv; ++d) G[d] = J::one_dof ? T(n.sign) * column[d] : column[d];
}

// c = v x S qd + S g: the acceleration that a joint of a cluster adds at yddot = 0.
template <class J, class T, class Node>
TENON_INLINE Motion<T> cluster_joint_bias(const Node& n, int i, const T* v, const WorkspaceData<T>& w) {
  T rate[J::nv];
  load_rate<J>(n, v, rate);
  Motion<T> bias = velocity_product_acceleration<J>(n, load_motion<T>(w.v + 6 * i), rate);
  load_rate<J>(n, w.g, rate);
  add_motion<J>(n, bias, rate);
  return bias;
}

// Initial F, U, D and u of a cluster: zero, and the terms of folded rotors.
template <class T, class Model>
inline void start_cluster(const Model& m, const ClusterData& c, WorkspaceData<T>& w) {
  const bool rotors = m.rotor_count > 0;
  for (int e = 6 * c.G_begin; e < 6 * (c.G_begin + c.node_count * c.y_count); ++e)
    w.cluster_F[e] = rotors ? T(m.cluster_F_initial[e]) : T(0);
  for (int e = 6 * c.v_begin; e < 6 * (c.v_begin + c.y_count); ++e)
    w.U[e] = rotors ? T(m.cluster_U_initial[e]) : T(0);
  for (int e = c.G_begin; e < c.G_begin + c.y_count * c.y_count; ++e)
    w.cluster_D[e] = rotors ? T(m.cluster_D_initial[e]) : T(0);
  for (int y = 0; y < c.y_count; ++y) w.u[c.v_begin + y] = T(0);
}

// Whether kernels on this scalar are compiled apart for clusters of one and of two independent coordinates.
template <class T>
inline constexpr bool counts_coordinates = true;

// Calls f with the number of independent coordinates as a compile-time value if it is 1 or 2, else 0.
template <class T, class F>
TENON_INLINE void with_coordinates(int count, F&& f) {
  if constexpr (counts_coordinates<T>) {
    if (count == 1) return f(Int<1>{});
    if (count == 2) return f(Int<2>{});
  }
  f(Int<0>{});
}

// The independent coordinate of the cluster that the joint is: its row of G is then a unit row and its g is
// zero. Else -1.
template <class J, class Model, class Node>
TENON_INLINE int own_coordinate(const Model& m, const ClusterData& c, const Node& n) {
  if constexpr (J::one_dof) {
    const std::int32_t y = m.y_index[n.v_index];
    return y < 0 ? -1 : y - c.y_begin;
  } else {
    return -1;
  }
}

// Adds a joint's terms for coordinate y of its cluster: Fy becomes F'_y; row y of D and, with forces, u.
template <class J, bool forces, class T, class Node>
TENON_INLINE void add_joint_column(const ClusterData& c, const Node& n, int y, const T* F,
                                   const Force<T> (&column_of)[J::nv], const T (&rest)[J::nv],
                                   const T (&armature)[J::nv], Force<T>& Fy, WorkspaceData<T>& w) {
  T Gy[J::nv], Gz[J::nv];
  load_G<J>(c, n, y, w, Gy);
  T* u = w.u + c.v_begin;
  for (int d = 0; d < J::nv; ++d) {
    Fy = Fy + scaled(Gy[d], column_of[d]);
    if constexpr (forces) u[y] = u[y] + Gy[d] * rest[d];
  }
  T* D = cluster_D(c, w, y);
  for (int z = 0; z <= y; ++z) {
    load_G<J>(c, n, z, w, Gz);
    for_each_column<J, T>(n, [&](auto d, auto S) {
      constexpr int k = d.value;
      D[z] = D[z] + Gz[k] * (dot(S, Fy) + Gy[k] * armature[k]) + Gy[k] * dot(S, load_force<T>(F + 6 * z));
    });
  }
}
// The same for a joint that is itself coordinate `own`.
template <class J, bool forces, class T, class Node>
TENON_INLINE void add_own_column(const ClusterData& c, const Node& n, int own, int y, const T* F,
                                 const Force<T>& column_of, const T& rest, const T& armature, Force<T>& Fy,
                                 WorkspaceData<T>& w) {
  const auto S = J::template column<0, T>(n);
  if (y < own) return;
  const T sign = T(n.sign);
  T* D = cluster_D(c, w, y);
  if (y > own) {
    D[own] = D[own] + sign * dot(S, Fy);
    return;
  }
  T* u = w.u + c.v_begin;
  if constexpr (forces) u[y] = u[y] + sign * rest;
  for (int z = 0; z < y; ++z) D[z] = D[z] + sign * dot(S, load_force<T>(F + 6 * z));
  const T before = dot(S, load_force<T>(F + 6 * y));
  D[y] = D[y] + (sign * (before + before) + dot(S, column_of) + armature);
  Fy = Fy + scaled(sign, column_of);
}

// The joint of body i: adds its terms to D, u and F, then moves all to the parent's frame. Y: the number of
// independent coordinates, 0 for any. Without forces only D, F and IA are computed; v and tau are not read.
template <class J, int Y, bool forces, class T, class Model>
TENON_INLINE void cross_cluster_joint(const Model& m, const ClusterData& c, int i, const T* v, const T* tau,
                                      ParentShare<T>& h, WorkspaceData<T>& w) {
  constexpr int N = J::nv;
  const auto& n = m.nodes[i];
  const int count = Y > 0 ? Y : c.y_count, own = own_coordinate<J>(m, c, n);
  T rest[N] = {}, armature[N];
  Force<T> column_of[N];
  for_each_column<J, T>(n, [&](auto d, auto S) {
    column_of[d.value] = h.IA * S;
    armature[d.value] = load_armature(m, n.v_index + d.value, w);
  });
  Motion<T> bias{};
  if constexpr (forces) {
    bias = cluster_joint_bias<J>(n, i, v, w);
    T g[N], drive_bias[N];
    load_rate<J>(n, w.drive_bias, drive_bias);
    load_rate<J>(n, w.g, g);
    load_rate<J>(n, tau, rest);
    for_each_column<J, T>(n, [&](auto d, auto S) {
      rest[d.value] = rest[d.value] - dot(S, h.pA);
      rest[d.value] = rest[d.value] - armature[d.value] * g[d.value] - drive_bias[d.value];
    });
  }
  const auto X = J::load(n, i, w);
  const T* F = cluster_forces(c, i, w);
  T* F_parent = cluster_forces(c, n.parent, w);
  T* u = w.u + c.v_begin;
  for (int y = 0; y < count; ++y) {
    Force<T> Fy = load_force<T>(F + 6 * y);
    bool is_own = false;
    if constexpr (J::one_dof) {
      is_own = own >= 0;
      if (is_own) add_own_column<J, forces>(c, n, own, y, F, column_of[0], rest[0], armature[0], Fy, w);
    }
    if (!is_own) add_joint_column<J, forces>(c, n, y, F, column_of, rest, armature, Fy, w);
    if constexpr (forces) u[y] = u[y] - dot(bias, Fy);
    store(F_parent + 6 * y, load_force<T>(F_parent + 6 * y) + force_to_parent(X, Fy));
  }
  if (n.parent < 0) return;
  if constexpr (forces) assign(h.pA, force_to_parent(X, h.pA + h.IA * bias));
  assign(h.IA, inertia_to_parent(X, h.IA));
}

// Factors D, multiplies U and u by L^-1; (IA, pA) of the cluster's first body becomes what the parent sees.
template <bool forces, class T>
inline bool eliminate_cluster(const ClusterData& c, ParentShare<T>& h, WorkspaceData<T>& w) {
  bool positive = true;
  T* U = w.U + 6 * c.v_begin;
  T* u = w.u + c.v_begin;
  for (int y = 0; y < c.y_count; ++y) {
    T* row = cluster_D(c, w, y);
    for (int z = 0; z < y; ++z)
      for (int x = 0; x < z; ++x) row[z] = row[z] - row[x] * cluster_D(c, w, z)[x];
    Force<T> Uy = load_force<T>(U + 6 * y);
    T uy = forces ? u[y] : T(0), d = row[y];
    for (int z = 0; z < y; ++z) {
      const T l = row[z] * cluster_D(c, w, z)[z];
      d = d - row[z] * l;
      row[z] = l;
      Uy = Uy - scaled(l, load_force<T>(U + 6 * z));
      if constexpr (forces) uy = uy - l * u[z];
    }
    positive = positive && d > T(0);
    row[y] = T(1) / d;
    store(U + 6 * y, Uy);
    if constexpr (forces) u[y] = uy;
    if (c.parent < 0) continue;
    subtract_outer(h.IA, Uy, scaled(row[y], Uy));
    if constexpr (forces) assign(h.pA, h.pA + scaled(row[y] * uy, Uy));
  }
  return positive;
}

// Propagates body i of cluster c. Bodies are visited from last to first; at the first one, the joints of the
// whole cluster are eliminated.
template <bool forces = true, class T, class Model>
inline bool propagate_in_cluster(const Model& m, const ClusterData& c, int i, const T* v, const T* tau,
                                 ParentShare<T>& h, WorkspaceData<T>& w) {
  if (i == c.node_begin + c.node_count - 1) start_cluster(m, c, w);
  with_joint(m.nodes[i], [&](auto joint) {
    with_coordinates<T>(decltype(joint)::one_dof ? c.y_count : 0, [&](auto count) {
      cross_cluster_joint<decltype(joint), count.value, forces>(m, c, i, v, tau, h, w);
    });
  });
  return i != c.node_begin || eliminate_cluster<forces>(c, h, w);
}

// w.yddot := D^-1 (u - U^T a), with a the acceleration of the parent node and u, U as eliminate_cluster
// stores them.
template <class T>
inline void solve_cluster(const ClusterData& c, const Motion<T>& a, const T* u, WorkspaceData<T>& w) {
  T* ydd = w.yddot + c.v_begin;
  for (int y = c.y_count - 1; y >= 0; --y) {
    const int k = c.v_begin + y;
    T x = cluster_D(c, w, y)[y] * (u[k] - dot(a, load_force<T>(w.U + 6 * k)));
    for (int z = y + 1; z < c.y_count; ++z) x = x - cluster_D(c, w, z)[y] * ydd[z];
    ydd[y] = x;
  }
}
// Row k of G times ydd; k counts from the cluster's first joint coordinate.
template <class T>
TENON_INLINE T spanning_acceleration(const ClusterData& c, int k, const WorkspaceData<T>& w) {
  T x(0);
  for (int y = 0; y < c.y_count; ++y) x = x + w.G[c.G_begin + y * c.v_count + k] * w.yddot[c.v_begin + y];
  return x;
}

// Outward step of body i.
template <class T, class Model>
inline void roll_out_in_cluster(const Model& m, const ClusterData& c, int i, const T* v, T* qdd,
                                WorkspaceData<T>& w) {
  if (i == c.node_begin) {
    solve_cluster(c, load_motion<T>(w.a + 6 * c.parent), w.u, w);
    for (int k = 0; k < c.v_count; ++k)
      qdd[c.v_begin + k] = w.g[c.v_begin + k] + spanning_acceleration(c, k, w);
  }
  const auto& n = m.nodes[i];
  with_joint(n, [&](auto joint) {
    using J = decltype(joint);
    Motion<T> a = parent_acceleration<J>(n, i, v, w);
    T rate[J::nv];
    load_rate<J>(n, qdd, rate);
    add_motion<J>(n, a, rate);
    store(w.a + 6 * i, a);
  });
}

// ---- changes of force alone

// When only forces change: adds the work on the joints of body i to the independent coordinates in delta_u;
// after the cluster's last body in the sweep, delta_u is multiplied by L^-1, and U D^-1 times it is added to
// f.
template <class J, class T, class Node>
inline void take_work_in(const ClusterData& c, const Node& n, int i, const T (&work)[J::nv],
                         WorkspaceData<T>& w) {
  T* x = w.delta_u + c.v_begin;
  if (i == c.node_begin + c.node_count - 1)
    for (int y = 0; y < c.y_count; ++y) x[y] = T(0);
  for (int y = 0; y < c.y_count; ++y) {
    T G[J::nv];
    load_G<J>(c, n, y, w, G);
    for (int d = 0; d < J::nv; ++d) x[y] = x[y] + G[d] * work[d];
  }
}
template <class T>
inline void add_cluster_reaction(const ClusterData& c, Force<T>& f, WorkspaceData<T>& w) {
  T* x = w.delta_u + c.v_begin;
  for (int y = 0; y < c.y_count; ++y) {
    const T* row = cluster_D(c, w, y);
    for (int z = 0; z < y; ++z) x[y] = x[y] - row[z] * x[z];
    f = f + scaled(row[y] * x[y], load_force<T>(w.U + 6 * (c.v_begin + y)));
  }
}
// delta_u := change of the accelerations of the cluster's joints; a: change of the parent node's
// acceleration.
template <class T>
inline void solve_cluster_change(const ClusterData& c, const Motion<T>& a, T* qdd, WorkspaceData<T>& w) {
  solve_cluster(c, a, w.delta_u, w);
  for (int k = 0; k < c.v_count; ++k) {
    const T x = spanning_acceleration(c, k, w);
    w.delta_u[c.v_begin + k] = x;
    qdd[c.v_begin + k] = qdd[c.v_begin + k] + x;
  }
}

// ---- folded rotors

// The difference between the inertia of a wobbling rotor at its present angle and a symmetric inertia, delta.
template <class T, class Rotor>
TENON_INLINE Sym3<T> deviating_inertia(const Rotor& rotor, int r, const WorkspaceData<T>& w) {
  const T c = w.rotor_cos[r], s = w.rotor_sin[r];
  const T cos2 = c * c - s * s, sin2 = (s + s) * c;
  const T a = T(rotor.a) * cos2 - T(rotor.b) * sin2, b = T(rotor.a) * sin2 + T(rotor.b) * cos2;
  return a * load_sym3<T>(rotor.wobble[0]) + b * load_sym3<T>(rotor.wobble[1]);
}

// The moment that moves delta, with the rotor's spin s and the carrier's angular velocity w and acceleration:
//   delta (alpha + w x s) + (w + s) x delta w.
// Its part along the axis, that of w x delta w, acts on the rotor's joint.
template <class T>
TENON_INLINE Vec3<T> wobble_moment(const Sym3<T>& delta, const Vec3<T>& alpha, const Vec3<T>& omega,
                                   const Vec3<T>& spin) {
  return delta * (alpha + cross(omega, spin)) + cross(omega + spin, delta * omega);
}

// Adds delta to the carrier, and the work of its motion to the bias of the joints that drive the rotor.
// Returns the moment on the carrier.
template <class T, class Model, class Rotor>
inline Vec3<T> add_wobble(const Model& m, const Rotor& rotor, int r, const Vec3<T>& spin,
                          WorkspaceData<T>& w) {
  const Sym3<T> delta = deviating_inertia(rotor, r, w);
  T* sum = w.wobble + 6 * rotor.carrier;
  store(sum, load_sym3<T>(sum) + delta);
  const Vec3<T> omega = load_vec3<T>(w.v + 6 * rotor.carrier);
  const Vec3<T> moment = wobble_moment(delta, Vec3<T>{}, omega, spin);
  const T work = dot(load_vec3<T>(rotor.axis), moment);
  for (int e = rotor.drive_begin; e < rotor.drive_end; ++e) {
    T& bias = w.drive_bias[m.rotor_drives[e].v_index];
    bias = bias + T(m.rotor_drives[e].ratio) * work;
  }
  return moment;
}

// Adds the gyroscopic moment of a symmetric rotor to the force on its carrier.
template <class T, class Rotor>
TENON_INLINE void add_gyroscopic_moment(const Rotor& rotor, const T& rate, T* force,
                                        const WorkspaceData<T>& w) {
  const Vec3<T> momentum = rate * load_vec3<T>(rotor.momentum);
  T* n = force + 6 * rotor.carrier;
  store(n, load_vec3<T>(n) + cross(load_vec3<T>(w.v + 6 * rotor.carrier), momentum));
}

// Adds gyroscopic moments to the carriers, and the terms of wobbling rotors, which come first in the list.
// Needs the velocities and bias forces of the carriers.
template <class T, class Model>
inline void add_rotor_moments(const Model& m, T* force, WorkspaceData<T>& w) {
  if (m.rotor_count == 0) return;
  if (m.wobbling_rotors > 0) {
    sin_cos(w.rotor_angle, w.rotor_sin, w.rotor_cos, m.wobbling_rotors);
    for (int e = 0; e < 6 * m.node_count; ++e) w.wobble[e] = T(0);
    for (int k = 0; k < m.nv; ++k) w.drive_bias[k] = T(0);
  }
  for (int r = 0; r < m.rotor_count; ++r) {
    const auto& rotor = m.rotors[r];
    if (rotor.carrier < 0) continue;
    add_gyroscopic_moment(rotor, w.rotor_rate[r], force, w);
    if (!rotor.wobbles) continue;
    T* n = force + 6 * rotor.carrier;
    store(n, load_vec3<T>(n) + add_wobble(m, rotor, r, w.rotor_rate[r] * load_vec3<T>(rotor.axis), w));
  }
}

// Adds wobbling rotors to the inertia of their carriers, for sweeps without velocities.
template <class T>
inline void place_wobbling_inertias(const ModelData& m, WorkspaceData<T>& w) {
  if (m.wobbling_rotors == 0) return;
  sin_cos(w.rotor_angle, w.rotor_sin, w.rotor_cos, m.wobbling_rotors);
  for (int e = 0; e < 6 * m.node_count; ++e) w.wobble[e] = T(0);
  for (int r = 0; r < m.wobbling_rotors; ++r) {
    const RotorData& rotor = m.rotors[r];
    if (rotor.carrier < 0) continue;
    T* sum = w.wobble + 6 * rotor.carrier;
    store(sum, load_sym3<T>(sum) + deviating_inertia(rotor, r, w));
  }
}

// Inertia of body i, with the wobbling part of its folded rotors.
template <bool loops, class T, class Model>
TENON_INLINE RigidInertia<T> load_body(const Model& m, int i, const WorkspaceData<T>& w) {
  RigidInertia<T> body = load_rigid(m, i, w);
  if constexpr (loops)
    if (m.wobbling_rotors > 0) body.I = body.I + load_sym3<T>(w.wobble + 6 * i);
  return body;
}

// The residual of the equation of motion of a rotor with this acceleration: that on its carrier is added to
// w.f, that on its own joint returned.
template <class T, class Rotor>
TENON_INLINE T add_rotor_residual(const Rotor& rotor, const T& acceleration, WorkspaceData<T>& w) {
  const Vec3<T> momentum = load_vec3<T>(rotor.momentum);
  T* n = w.f + 6 * rotor.carrier;
  store(n, load_vec3<T>(n) + acceleration * momentum);
  return -(T(rotor.inertia) * acceleration) - dot(momentum, load_vec3<T>(w.a + 6 * rotor.carrier));
}

// Adds the residuals of rotors whose first driving joint is that of a node taken(i), with rotor_work at the joints that
// drive them.
template <class T, class Model, class Taken>
inline void add_rotor_residuals(const Model& m, const T* qdd, const Taken& taken, WorkspaceData<T>& w) {
  if (m.rotor_count == 0) return;
  for (int k = 0; k < m.nv; ++k) w.rotor_work[k] = -w.drive_bias[k];
  for (int r = 0; r < m.rotor_count; ++r) {
    const auto& rotor = m.rotors[r];
    if (rotor.drive_begin == rotor.drive_end || !taken(m.v_node[m.rotor_drives[rotor.drive_begin].v_index]))
      continue;
    T acceleration(0);
    for (int e = rotor.drive_begin; e < rotor.drive_end; ++e)
      acceleration = acceleration + T(m.rotor_drives[e].ratio) * qdd[m.rotor_drives[e].v_index];
    const T work =
        rotor.carrier < 0 ? -(T(rotor.inertia) * acceleration) : add_rotor_residual(rotor, acceleration, w);
    for (int e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      T& at_drive = w.rotor_work[m.rotor_drives[e].v_index];
      at_drive = at_drive + T(m.rotor_drives[e].ratio) * work;
    }
  }
}

TENON_ISA_END
}  // namespace tenon
