// Joints as compile-time values: the columns of the motion subspace S, and how the joint transform is stored.
// Sweeps are written once for a generic joint and dispatched by one switch per node.
#pragma once

#include <limits>

#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/joint/subspace.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// S selects axes 0..5 of the body frame: 0..2 angular, 3..5 linear.
template <int... Axes>
struct Axes_ {
  static constexpr int nv = sizeof...(Axes);
  static constexpr bool one_dof = nv == 1;
  static constexpr int axis[nv] = {Axes...};
  template <int D, class T, class Node>
  TENON_INLINE static UnitColumn<axis[D]> column(const Node&) {
    return {};
  }
};

template <int K>
struct RevoluteJoint : Axes_<K> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node&, int, const T*, WorkspaceData<T>&) {}
  template <class T, class Node>
  TENON_INLINE static Transform<RotAxis<K, T>, T> load(const Node& n, int i, const WorkspaceData<T>& w) {
    return {{w.cos_q[i], w.sin_q[i]}, load_vec3<T>(n.p)};
  }
};

template <int K>
struct PrismaticJoint : Axes_<3 + K> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    Vec3<T> p = load_vec3<T>(n.p);
    at<K>(p) = at<K>(p) + T(n.sign) * q[n.q_index];
    store(w.X + 12 * i + 9, p);
  }
  template <class T, class Node>
  TENON_INLINE static Transform<RotIdentity, T> load(const Node&, int i, const WorkspaceData<T>& w) {
    return {{}, load_vec3<T>(w.X + 12 * i + 9)};
  }
};

// Joints whose whole transform is stored.
template <int... Axes>
struct GeneralJoint : Axes_<Axes...> {
  template <class T, class Node>
  TENON_INLINE static Transform<Rot3<T>, T> load(const Node&, int i, const WorkspaceData<T>& w) {
    return {{load_mat3<T>(w.X + 12 * i)}, load_vec3<T>(w.X + 12 * i + 9)};
  }
};
template <class T>
TENON_INLINE void store_general(int i, const Mat3<T>& R, const Vec3<T>& p, WorkspaceData<T>& w) {
  store(w.X + 12 * i, R);
  store(w.X + 12 * i + 9, p);
}
// R Rz(angle).
template <class T>
TENON_INLINE Mat3<T> turned_about_z(const Mat3<T>& R, const T& c, const T& s) {
  return {c * R.xx + s * R.xy, c * R.xy - s * R.xx, R.xz, c * R.yx + s * R.yy, c * R.yy - s * R.yx, R.yz,
          c * R.zx + s * R.zy, c * R.zy - s * R.zx, R.zz};
}

struct RevoluteObliqueJoint : GeneralJoint<2> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T*, WorkspaceData<T>& w) {
    store_general(i, turned_about_z(load_mat3<T>(n.R), w.cos_q[i], w.sin_q[i]), load_vec3<T>(n.p), w);
  }
};

struct PrismaticObliqueJoint : GeneralJoint<5> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    const Mat3<T> R = load_mat3<T>(n.R);
    const T d = T(n.sign) * q[n.q_index];
    store_general(i, R, load_vec3<T>(n.p) + Vec3<T>{R.xz * d, R.yz * d, R.zz * d}, w);
  }
};

// But for limbs, oblique prismatic joints are screws that do not turn: both are rare, and a kind of joint takes 6 % of the
// kernels' code.
struct ScrewJoint : GeneralJoint<2> {
  template <int, class T, class Node>
  TENON_INLINE static ScrewColumn<T> column(const Node& n) {
    const bool turns = n.kind == joint_screw;
    return {T(turns ? 1 : 0), turns ? T(n.pitch) : T(1)};
  }
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    const Mat3<T> R = load_mat3<T>(n.R);
    const T d = column<0, T>(n).slide * (T(n.sign) * q[n.q_index]);
    store_general(i, turned_about_z(R, w.cos_q[i], w.sin_q[i]),
                  load_vec3<T>(n.p) + Vec3<T>{R.xz * d, R.yz * d, R.zz * d}, w);
  }
};

// Rotation of a unit quaternion x y z w.
template <class T>
TENON_INLINE Mat3<T> rotation_of_quaternion(const T* q) {
  const T x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
  const T xx = x2 * q[0], yy = y2 * q[1], zz = z2 * q[2];
  const T xy = x2 * q[1], xz = x2 * q[2], yz = y2 * q[2];
  const T wx = x2 * q[3], wy = y2 * q[3], wz = z2 * q[3];
  const T one(1);
  return {one - (yy + zz), xy - wz, xz + wy, xy + wz,        one - (xx + zz),
          yz - wx,         xz - wy, yz + wx, one - (xx + yy)};
}

struct SphericalJoint : GeneralJoint<0, 1, 2> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    store_general(i, load_mat3<T>(n.R) * rotation_of_quaternion(q + n.q_index), load_vec3<T>(n.p), w);
  }
};

struct PlanarJoint : GeneralJoint<2, 3, 4> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    const Mat3<T> R = load_mat3<T>(n.R);
    const T x = q[n.q_index], y = q[n.q_index + 1];
    store_general(i, turned_about_z(R, w.cos_q[i], w.sin_q[i]),
                  load_vec3<T>(n.p) + Vec3<T>{R.xx * x + R.xy * y, R.yx * x + R.yy * y, R.zx * x + R.zy * y},
                  w);
  }
};

struct FloatingJoint : GeneralJoint<0, 1, 2, 3, 4, 5> {
  template <class T, class Node>
  TENON_INLINE static void update(const Node& n, int i, const T* q, WorkspaceData<T>& w) {
    const Mat3<T> R = load_mat3<T>(n.R);
    const T* qi = q + n.q_index;
    store_general(i, R * rotation_of_quaternion(qi + 3), load_vec3<T>(n.p) + R * load_vec3<T>(qi), w);
  }
};

// The only switch over joint kinds: calls f with the joint of a node as a compile-time value. On limbs only hinges and
// prismatic joints occur, and f is compiled for no others, which would cost their sweeps registers.
template <class N, class F>
TENON_INLINE void with_joint(const NodeDataOf<N>& n, F&& f) {
  constexpr bool of_limbs = is_pack<N>;
  switch (n.kind) {
    case joint_revolute_x:
      return f(RevoluteJoint<0>{});
    case joint_revolute_y:
      return f(RevoluteJoint<1>{});
    case joint_revolute_z:
      return f(RevoluteJoint<2>{});
    case joint_prismatic_x:
      return f(PrismaticJoint<0>{});
    case joint_prismatic_y:
      return f(PrismaticJoint<1>{});
    case joint_prismatic_z:
      return f(PrismaticJoint<2>{});
    case joint_revolute_oblique:
      return f(RevoluteObliqueJoint{});
    case joint_prismatic_oblique:
      if constexpr (of_limbs) return f(PrismaticObliqueJoint{});
      [[fallthrough]];
    case joint_screw:
      if constexpr (!of_limbs) f(ScrewJoint{});
      return;
    case joint_spherical:
      if constexpr (!of_limbs) f(SphericalJoint{});
      return;
    case joint_planar:
      if constexpr (!of_limbs) f(PlanarJoint{});
      return;
    case joint_floating:
      if constexpr (!of_limbs) f(FloatingJoint{});
      return;
  }
}

// In some lane; of states side by side: in some state of the batch.
template <class N>
TENON_INLINE bool has_armature(const ModelDataOf<N>& m, const NodeDataOf<N>& n) {
  if constexpr (is_pack<N>)
    return !(N(std::numeric_limits<double>::min()) > m.armature[n.v_index]);
  else
    return m.armature[n.v_index] != 0;
}

// Compile-time loop over the dofs of a joint: f(d, S) with d as integral constant and column d of S.
template <int V>
struct Int {
  static constexpr int value = V;
};
template <class J, class T, int D = 0, class Node, class F>
TENON_INLINE void for_each_column(const Node& n, F&& f) {
  if constexpr (D < J::nv) {
    f(Int<D>{}, J::template column<D, T>(n));
    for_each_column<J, T, D + 1>(n, static_cast<F&&>(f));
  }
}

// m += S x.
template <class J, class T, class Node>
TENON_INLINE void add_motion(const Node& n, Motion<T>& m, const T* x) {
  for_each_column<J, T>(n, [&](auto d, auto S) { add(m, S, x[d.value]); });
}

// Rate of the joint of node n in the sign of the body frame.
template <class J, class T, class Node>
TENON_INLINE void load_rate(const Node& n, const T* v, T* rate) {
  if constexpr (J::one_dof) {
    rate[0] = T(n.sign) * v[n.v_index];
  } else {
    for (int d = 0; d < J::nv; ++d) rate[d] = v[n.v_index + d];
  }
}

// c = v x (S rate), the velocity-product acceleration; S is constant in the body frame, so c has no other
// term (Featherstone Eq. 7.38).
template <class J, class T, class Node>
TENON_INLINE Motion<T> velocity_product_acceleration(const Node& n, const Motion<T>& v, const T* rate) {
  if constexpr (J::one_dof) {
    return cross(v, J::template column<0, T>(n), rate[0]);
  } else {
    Motion<T> s{};
    add_motion<J>(n, s, rate);
    return cross(v, s);
  }
}

template <class T, class Node>
TENON_INLINE RigidInertia<T> load_rigid(const Node& n) {
  return {T(n.mass), load_vec3<T>(n.h), {T(n.I[0]), T(n.I[1]), T(n.I[2]), T(n.I[3]), T(n.I[4]), T(n.I[5])}};
}

// Whether T is the numbers of several states of one model. Each state then has inertias and armatures of its own, which
// are in the workspace.
template <class T, class N>
inline constexpr bool is_of_states = is_pack<T> && !is_pack<N>;

// Inertia of body i alone.
template <class T, class N>
TENON_INLINE RigidInertia<T> load_rigid(const ModelDataOf<N>& m, int i, const WorkspaceData<T>& w) {
  if constexpr (is_of_states<T, N>)
    return load_inertia<T>(w.body_inertia + 10 * i);
  else
    return load_rigid<T>(m.nodes[i]);
}
template <class T, class N>
TENON_INLINE T load_armature(const ModelDataOf<N>& m, int k, const WorkspaceData<T>& w) {
  if constexpr (is_of_states<T, N>)
    return w.armature[k];
  else
    return T(m.armature[k]);
}

// What a joint takes of a force on its body, in the user's sign, and its armature times a, null: zero.
template <class J, class T, class N>
TENON_INLINE void project_on_joint(const ModelDataOf<N>& m, const NodeDataOf<N>& n, const Force<T>& f,
                                   const T* a, T* out, const WorkspaceData<T>& w) {
  for_each_column<J, T>(n, [&](auto d, auto S) {
    const int k = n.v_index + d.value;
    T x = dot(S, f);
    if constexpr (J::one_dof) x = T(n.sign) * x;
    if (a) x = x + load_armature(m, k, w) * a[k];
    out[k] = x;
  });
}

template <class T>
TENON_INLINE void clear_world(T* field) {
  store(field - 6, Motion<T>{});
}

TENON_ISA_END
}  // namespace tenon
