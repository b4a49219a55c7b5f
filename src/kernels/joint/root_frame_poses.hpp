// Poses of all bodies in one frame for the whole robot, the root frame, in which vectors of different bodies
// add up without transforms. Its origin is that of the root body, so that no digits are lost far from the
// world's origin. Its axes are those of the root body if that floats, so that the root's motion subspace is
// the identity and M does not depend on its pose; otherwise they are the world's.
//
// A pose is four packs, the columns of the rotation and the position with components in lanes: to pass one
// joint takes as many instructions as one component would. Vectors of single bodies or coordinates are then
// transposed to lanes of four bodies or coordinates and computed four at a time.
#pragma once

#include "kernels/joint/angles.hpp"
#include "kernels/joint/joint.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct PackedPose {
  Lanes<T> x, y, z, p;
};
template <class T>
TENON_INLINE PackedPose<T> load_pose(const WorkspaceData<T>& w, int i) {
  const T* a = w.pose + 16 * i;
  return {Lanes<T>::load(a), Lanes<T>::load(a + 4), Lanes<T>::load(a + 8), Lanes<T>::load(a + 12)};
}
template <class T>
TENON_INLINE void store_pose(WorkspaceData<T>& w, int i, const PackedPose<T>& X) {
  T* a = w.pose + 16 * i;
  X.x.store(a), X.y.store(a + 4), X.z.store(a + 8), X.p.store(a + 12);
}
template <class T>
TENON_INLINE PackedPose<T> identity_pose() {
  const T o(0), e(1);
  return {Lanes<T>(e, o, o, o), Lanes<T>(o, e, o, o), Lanes<T>(o, o, e, o), Lanes<T>(o, o, o, o)};
}
// The same in scalars.
template <class T>
TENON_INLINE Transform<Rot3<T>, T> root_pose(const WorkspaceData<T>& w, int i) {
  const T* a = w.pose + 16 * i;
  return {{{a[0], a[4], a[8], a[1], a[5], a[9], a[2], a[6], a[10]}}, load_vec3<T>(a + 12)};
}

// R v
template <class T>
TENON_INLINE Lanes<T> rotate(const PackedPose<T>& X, const Vec3<T>& v) {
  return X.x * Lanes<T>(v.x) + X.y * Lanes<T>(v.y) + X.z * Lanes<T>(v.z);
}

template <int K, class T>
TENON_INLINE Lanes<T>& column(PackedPose<T>& X) {
  if constexpr (K == 0)
    return X.x;
  else if constexpr (K == 1)
    return X.y;
  else
    return X.z;
}
// Turns X by the rotation of its child.
template <class T>
TENON_INLINE void turn(PackedPose<T>&, RotIdentity) {}
template <int K, class T>
TENON_INLINE void turn(PackedPose<T>& X, const RotAxis<K, T>& r) {
  Lanes<T>&a = column<RotAxis<K, T>::I>(X), &b = column<RotAxis<K, T>::J>(X);
  const Lanes<T> c(r.c), s(r.s), turned = c * a + s * b;
  b = c * b - s * a;
  a = turned;
}
template <class T>
TENON_INLINE void turn(PackedPose<T>& X, const Rot3<T>& r) {
  const Mat3<T>& R = r.R;
  const Lanes<T> x = rotate(X, {R.xx, R.yx, R.zx}), y = rotate(X, {R.xy, R.yy, R.zy});
  X.z = rotate(X, {R.xz, R.yz, R.zz});
  X.x = x, X.y = y;
}

// Poses of all bodies, from their joint angles.
template <class T>
inline void place_bodies(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  PackedPose<T> X = identity_pose<T>();  // along a chain it stays in registers
  store_pose(w, -1, X);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.parent != i - 1) X = load_pose(w, n.parent);
    with_joint(n, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      const auto child = J::load(n, i, w);
      if (n.parent >= 0) X.p = X.p + rotate(X, child.p);
      if (n.parent >= 0 || n.kind != joint_floating) turn(X, child.R);
      store_pose(w, i, X);
    });
  }
}

// The end of the velocity coordinates of node i.
TENON_INLINE int end_of_dofs(const ModelData& m, int i) {
  return i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
}
// The distance between components of the fields over coordinates in lanes (S, F). It leaves room for packs
// that begin at any coordinate.
TENON_INLINE int dof_stride(const ModelData& m) {
  return whole_packs(m.nv + 3);
}
// The first coordinates if they are those of a floating root: their columns of S are constant.
TENON_INLINE int dofs_of_floating_root(const ModelData& m) {
  return m.node_count > 0 && m.nodes[0].kind == joint_floating ? 6 : 0;
}
// Column k.
template <class T>
TENON_INLINE Motion<T> load_dof_motion(const T* a, int stride) {
  return {{a[0], a[stride], a[2 * stride]}, {a[3 * stride], a[4 * stride], a[5 * stride]}};
}
template <class T>
TENON_INLINE Force<T> load_dof_force(const T* a, int stride) {
  return {{a[0], a[stride], a[2 * stride]}, {a[3 * stride], a[4 * stride], a[5 * stride]}};
}

// Transposes four vectors with components in lanes to one vector over four lanes.
template <class T>
TENON_INLINE Vec3<Lanes<T>> gather(const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c,
                                   const Lanes<T>& d) {
  Vec3<Lanes<T>> v = {a, b, c};
  Lanes<T> rest = d;
  transpose(v.x, v.y, v.z, rest);
  return v;
}
// The inverse of gather.
template <class T, class Store>
TENON_INLINE void scatter(const Vec3<Lanes<T>>& v, Store&& store) {
  Lanes<T> a = v.x, b = v.y, c = v.z, d(T(0));
  transpose(a, b, c, d);
  store(0, a), store(1, b), store(2, c), store(3, d);
}

// Columns of S in the user's sign. The axis of a coordinate is a column of its body's rotation: [z; p x z]
// for a rotation about it, [0; z] for a translation along it.
template <class T>
inline void place_subspaces(const ModelData& m, WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  for (int k = dofs_of_floating_root(m); k < m.nv; k += 4) {
    const auto axis = [&](int l) { return Lanes<T>::load(w.pose + w.axis_place[k + l]); };
    const auto position = [&](int l) { return Lanes<T>::load(w.pose + w.axis_place[k + l] / 16 * 16 + 12); };
    const Vec3<Lanes<T>> z = gather(axis(0), axis(1), axis(2), axis(3));
    const Vec3<Lanes<T>> p = gather(position(0), position(1), position(2), position(3));
    const Vec3<Lanes<T>> turning = Lanes<T>::load(w.angular_sign + k) * z;
    store_motions(w.S_root + k, stride,
                  Motion<Lanes<T>>{turning, cross(p, turning) + Lanes<T>::load(w.linear_sign + k) * z});
  }
}

// Inertias of bodies i to i + 3.
template <class T>
TENON_INLINE RigidInertia<Lanes<T>> body_inertias(int i, const WorkspaceData<T>& w) {
  const PackedPose<T> a = load_pose(w, i), b = load_pose(w, i + 1), c = load_pose(w, i + 2),
                      d = load_pose(w, i + 3);
  const Vec3<Lanes<T>> x = gather(a.x, b.x, c.x, d.x), y = gather(a.y, b.y, c.y, d.y),
                       z = gather(a.z, b.z, c.z, d.z), p = gather(a.p, b.p, c.p, d.p);
  const auto at = [&](int e) { return Lanes<T>::load(w.body_inertia + 10 * i + 4 * e); };
  const Transform<Rot3<Lanes<T>>, Lanes<T>> X = {{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}, p};
  return inertia_to_parent(
      X, RigidInertia<Lanes<T>>{at(0), {at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7), at(8), at(9)}});
}

// A rigid inertia in three packs: xx xy xz hx, yy yz zz hy, hz m.
template <class T>
TENON_INLINE void store_inertias(int i, const RigidInertia<Lanes<T>>& I, WorkspaceData<T>& w) {
  Lanes<T> a[4] = {I.I.xx, I.I.xy, I.I.xz, I.h.x}, b[4] = {I.I.yy, I.I.yz, I.I.zz, I.h.y};
  Lanes<T> c[4] = {I.h.z, I.m, Lanes<T>(T(0)), Lanes<T>(T(0))};
  transpose(a[0], a[1], a[2], a[3]);
  transpose(b[0], b[1], b[2], b[3]);
  transpose(c[0], c[1], c[2], c[3]);
  for (int l = 0; l < 4; ++l) {
    T* place = w.Ic + 12 * (i + l);
    a[l].store(place), b[l].store(place + 4), c[l].store(place + 8);
  }
}
// The same of the bodies body_of(0) to body_of(3).
template <class T, class BodyOf>
TENON_INLINE RigidInertia<Lanes<T>> gather_inertias(const WorkspaceData<T>& w, const BodyOf& body_of) {
  Lanes<T> a[4], b[4], c[4];
  for (int l = 0; l < 4; ++l) {
    const T* place = w.Ic + 12 * body_of(l);
    a[l] = Lanes<T>::load(place), b[l] = Lanes<T>::load(place + 4), c[l] = Lanes<T>::load(place + 8);
  }
  transpose(a[0], a[1], a[2], a[3]);
  transpose(b[0], b[1], b[2], b[3]);
  transpose(c[0], c[1], c[2], c[3]);
  return {c[1], {a[3], b[3], c[0]}, {a[0], a[1], a[2], b[0], b[1], b[2]}};
}
// Those of coordinates k to k + 3.
template <class T>
TENON_INLINE RigidInertia<Lanes<T>> load_inertias(int k, const WorkspaceData<T>& w) {
  return gather_inertias(w, [&](int l) { return w.axis_place[k + l] / 16; });
}

// field[i] += the sum over all descendants of i; `packs` packs a body. Sums along a chain stay in registers.
template <int packs, class T>
inline void sum_over_subtrees(const ModelData& m, T* field) {
  Lanes<T> sum[packs];
  for (int e = 0; e < packs; ++e) sum[e] = Lanes<T>(T(0));
  for (int i = m.node_count - 1; i >= 0; --i) {
    T* own = field + 4 * packs * i;
    for (int e = 0; e < packs; ++e) sum[e] = sum[e] + Lanes<T>::load(own + 4 * e);
    for (int e = 0; e < packs; ++e) sum[e].store(own + 4 * e);
    const int parent = m.nodes[i].parent;
    if (parent == i - 1) continue;
    if (parent >= 0) {
      T* above = field + 4 * packs * parent;
      for (int e = 0; e < packs; ++e) (sum[e] + Lanes<T>::load(above + 4 * e)).store(above + 4 * e);
    }
    for (int e = 0; e < packs; ++e) sum[e] = Lanes<T>(T(0));
  }
}

TENON_ISA_END
}  // namespace tenon
