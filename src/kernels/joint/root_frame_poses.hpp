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
// that begin at any coordinate, and those that begin at a multiple of eight are cache lines.
TENON_INLINE int dof_stride(const ModelData& m) {
  return whole_eights(m.nv + 7);
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

// W vectors with components in lanes as one vector over W lanes. at(l): the pack of vector l.
template <int W = 4, class At>
TENON_INLINE auto gather(const At& at) {
  Lanes<typename std::decay_t<decltype(at(0))>::Number, W> x[4];
  gather_packs<W>(at, x);
  return Vec3<std::decay_t<decltype(x[0])>>{x[0], x[1], x[2]};
}
// The inverse of gather.
template <class T, int W, class Store>
TENON_INLINE void scatter(const Vec3<Lanes<T, W>>& v, const Store& store) {
  Lanes<T, W> x[4] = {v.x, v.y, v.z, Lanes<T, W>(T(0))};
  scatter_packs(x, store);
}

// Columns of S in the user's sign. The axis of a coordinate is a column of its body's rotation: [z; p x z]
// for a rotation about it, [0; z] for a translation along it.
template <class T>
inline void place_subspaces(const ModelData& m, WorkspaceData<T>& w) {
  const int stride = dof_stride(m);
  using L = Wide<T>;
  constexpr int W = L::count;
  for (int k = dofs_of_floating_root(m); k < m.nv; k += W) {
    const auto place = [&](int l) { return static_cast<unsigned>(w.axis_place[k + l]); };
    const Vec3<L> z = gather<W>([&](int l) { return Lanes<T>::load(w.pose + place(l)); });
    const Vec3<L> p = gather<W>([&](int l) { return Lanes<T>::load(w.pose + (place(l) | 15u) - 3); });
    const Vec3<L> turning = L::load(w.angular_sign + k) * z;
    store_motions(w.S_root + k, stride,
                  Motion<L>{turning, cross(p, turning) + L::load(w.linear_sign + k) * z});
  }
}

// Inertias of bodies i to i + W - 1.
template <int W = 4, class T>
TENON_INLINE RigidInertia<Lanes<T, W>> body_inertias(int i, const WorkspaceData<T>& w) {
  using L = Lanes<T, W>;
  const auto packs = [&](int column) {
    return gather<W>([&](int l) { return Lanes<T>::load(w.pose + 16 * (i + l) + 4 * column); });
  };
  const Vec3<L> x = packs(0), y = packs(1), z = packs(2), p = packs(3);
  const auto at = [&](int e) {
    const T* place = w.body_inertia + 10 * i + 4 * e;
    if constexpr (W == 1)
      return L(place[-9 * (i % 4)]);
    else if constexpr (W == 4)
      return L::load(place);
    else
      return join(Lanes<T>::load(place), Lanes<T>::load(place + 40));
  };
  const Transform<Rot3<L>, L> X = {{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}, p};
  return inertia_to_parent(
      X, RigidInertia<L>{at(0), {at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7), at(8), at(9)}});
}

// A rigid inertia in three packs: xx xy xz hx, yy yz zz hy, hz m.
template <class T, int W>
TENON_INLINE void store_inertias(int i, const RigidInertia<Lanes<T, W>>& I, WorkspaceData<T>& w) {
  using L = Lanes<T, W>;
  L a[4] = {I.I.xx, I.I.xy, I.I.xz, I.h.x}, b[4] = {I.I.yy, I.I.yz, I.I.zz, I.h.y};
  L c[4] = {I.h.z, I.m, L(T(0)), L(T(0))};
  const auto store_at = [&](int place) {
    return [&w, i, place](int l, const Lanes<T>& x) { x.store(w.Ic + 12 * (i + l) + place); };
  };
  scatter_packs(a, store_at(0)), scatter_packs(b, store_at(4)), scatter_packs(c, store_at(8));
}
// The same of the bodies body_of(0) to body_of(W - 1).
template <int W = 4, class T, class BodyOf>
TENON_INLINE RigidInertia<Lanes<T, W>> gather_inertias(const WorkspaceData<T>& w, const BodyOf& body_of) {
  Lanes<T, W> a[4], b[4], c[4];
  const auto at = [&](int place) {
    return [&w, &body_of, place](int l) { return Lanes<T>::load(w.Ic + 12 * body_of(l) + place); };
  };
  gather_packs<W>(at(0), a), gather_packs<W>(at(4), b), gather_packs<W>(at(8), c);
  return {c[1], {a[3], b[3], c[0]}, {a[0], a[1], a[2], b[0], b[1], b[2]}};
}
// Those of coordinates k to k + W - 1.
template <int W = 4, class T>
TENON_INLINE RigidInertia<Lanes<T, W>> load_inertias(int k, const WorkspaceData<T>& w) {
  return gather_inertias<W>(w, [&](int l) { return w.axis_place[k + l] / 16; });
}

// Of one field, `packs` packs a body: the sum over a body and those inward of it that are gone through.
template <int packs, class T>
struct SubtreeSum {
  T* field;
  Lanes<T> sum[packs];

  TENON_INLINE void clear() {
    for (Lanes<T>& x : sum) x = Lanes<T>(T(0));
  }
  TENON_INLINE void add(int i) {
    T* own = field + 4 * packs * i;
    for (int e = 0; e < packs; ++e) sum[e] = sum[e] + Lanes<T>::load(own + 4 * e);
    for (int e = 0; e < packs; ++e) sum[e].store(own + 4 * e);
  }
  TENON_INLINE void pass_to(int parent) {
    T* above = field + 4 * packs * parent;
    for (int e = 0; e < packs; ++e) (sum[e] + Lanes<T>::load(above + 4 * e)).store(above + 4 * e);
  }
};
template <class... Sums>
TENON_INLINE void sum_fields_over_subtrees(const ModelData& m, Sums... sums) {
  (sums.clear(), ...);
  for (int i = m.node_count - 1; i >= 0; --i) {
    (sums.add(i), ...);
    const int parent = m.nodes[i].parent;
    if (parent == i - 1) continue;
    if (parent >= 0) (sums.pass_to(parent), ...);
    (sums.clear(), ...);
  }
}
// field[i] += the sum over all descendants of i, for some fields; `packs` packs a body. Sums along a chain stay in registers.
template <int... packs, class... T>
inline void sum_over_subtrees(const ModelData& m, T*... fields) {
  sum_fields_over_subtrees(m, SubtreeSum<packs, T>{fields, {}}...);
}

TENON_ISA_END
}  // namespace tenon
