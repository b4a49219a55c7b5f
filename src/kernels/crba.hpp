// Composite-rigid-body algorithm: the joint-space inertia matrix M (Featherstone, RBDA 6.2), M_ij = S_i^T
// Ic_j S_j for i on the way from j to the root.
//
// Done in world axes about the root body's origin, unlike the other sweeps: there S_i of all ancestors stand
// side by side in memory, so a column of M is six multiply-adds over contiguous runs of coordinates, which
// the compiler turns into packs; walking up the tree in body frames costs a planar rotation and a jump per
// pair. Cost O(n d).
#pragma once

#include "kernels/angles.hpp"
#include "kernels/joint.hpp"
#include "kernels/ltl.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Numbers of bodies in world axes stand in lanes, those of four bodies side by side, so that what does not
// depend on other bodies is done for four at once. The world has the first place.
template <int size, class T>
TENON_INLINE T* lane_of(T* field, int i) {
  return field + (i + 1) / 4 * 4 * size + (i + 1) % 4;
}
template <class T>
TENON_INLINE Vec3<T> load_lane_vec3(const T* a) {
  return {a[0], a[4], a[8]};
}
template <class T>
TENON_INLINE Motion<T> load_lane_motion(const T* a) {
  return {load_lane_vec3(a), load_lane_vec3(a + 12)};
}
template <class T>
TENON_INLINE Force<T> load_lane_force(const T* a) {
  return {load_lane_vec3(a), load_lane_vec3(a + 12)};
}
template <class T>
TENON_INLINE Mat3<T> load_lane_mat3(const T* a) {
  return {a[0], a[4], a[8], a[12], a[16], a[20], a[24], a[28], a[32]};
}
template <class T>
TENON_INLINE void store_lane(T* a, const Vec3<T>& v) {
  a[0] = v.x, a[4] = v.y, a[8] = v.z;
}
template <class T>
TENON_INLINE void store_lane(T* a, const Motion<T>& m) {
  store_lane(a, m.w), store_lane(a + 12, m.v);
}
template <class T>
TENON_INLINE void store_lane(T* a, const Force<T>& m) {
  store_lane(a, m.n), store_lane(a + 12, m.f);
}
template <class T>
TENON_INLINE void store_lane(T* a, const Mat3<T>& m) {
  a[0] = m.xx, a[4] = m.xy, a[8] = m.xz, a[12] = m.yx, a[16] = m.yy, a[20] = m.yz, a[24] = m.zx, a[28] = m.zy,
  a[32] = m.zz;
}
// All four of a group.
template <class T>
TENON_INLINE Vec3<Lanes<T>> load_lanes_vec3(const T* a) {
  return {Lanes<T>::load(a), Lanes<T>::load(a + 4), Lanes<T>::load(a + 8)};
}
template <class T>
TENON_INLINE Motion<Lanes<T>> load_lanes_motion(const T* a) {
  return {load_lanes_vec3(a), load_lanes_vec3(a + 12)};
}
template <class T>
TENON_INLINE void store_lanes(T* a, const Vec3<Lanes<T>>& v) {
  v.x.store(a), v.y.store(a + 4), v.z.store(a + 8);
}

template <class T>
TENON_INLINE Transform<Rot3<T>, T> world_pose(const WorkspaceData<T>& w, int i) {
  return {{load_lane_mat3<T>(lane_of<9>(w.Rw, i))}, load_lane_vec3<T>(lane_of<3>(w.pw, i))};
}
template <class T>
TENON_INLINE void set_world_pose(WorkspaceData<T>& w) {
  const T o(0), e(1);
  store_lane(lane_of<9>(w.Rw, -1), Mat3<T>{e, o, o, o, e, o, o, o, e});
  store_lane(lane_of<3>(w.pw, -1), Vec3<T>{o, o, o});
}

// World axes: pose of body i about the root body's origin, and the columns of S: column(k, S_k) for each
// coordinate k, in the user's sign.
template <class J, class T, class Column>
TENON_INLINE void place_in_world(const ModelData& m, int i, const T* q, WorkspaceData<T>& w,
                                 Column&& column) {
  const NodeData& n = m.nodes[i];
  J::update(n, i, q, w);
  const auto X = J::load(n, i, w);
  const T o(0);
  const Transform<Rot3<T>, T> parent = world_pose(w, n.parent);
  const Mat3<T> R = compose(parent.R.R, X.R);
  // Nothing in M depends on where the root is; about its own origin no digits are lost far from the world's.
  const Vec3<T> p = n.parent < 0 ? Vec3<T>{o, o, o} : parent.p + parent.R.R * X.p;
  store_lane(lane_of<9>(w.Rw, i), R);
  store_lane(lane_of<3>(w.pw, i), p);
  for_each_axis<J>([&](auto d, auto axis) {
    constexpr int A = axis.value, K = A % 3;
    const int k = n.v_index + d.value;
    const T s = T(m.v_sign[k]);
    const Vec3<T> z = {s * at<0, K>(R), s * at<1, K>(R), s * at<2, K>(R)};
    const Motion<T> S = A < 3 ? Motion<T>{z, cross(p, z)} : Motion<T>{{o, o, o}, z};
    store(w.Sw + 6 * k, S);
    column(k, S);
  });
}

// Inertias of four bodies in world axes about the root body's origin, the first terms of their composite
// inertias.
template <class T>
TENON_INLINE RigidInertia<Lanes<T>> place_inertias(int group, WorkspaceData<T>& w) {
  const T *R = w.Rw + 36 * group, *b = w.body_inertia + 40 * group;
  const auto at = [](const T* a, int e) { return Lanes<T>::load(a + 4 * e); };
  const Transform<Rot3<Lanes<T>>, Lanes<T>> X = {
      {{at(R, 0), at(R, 1), at(R, 2), at(R, 3), at(R, 4), at(R, 5), at(R, 6), at(R, 7), at(R, 8)}},
      load_lanes_vec3(w.pw + 12 * group)};
  const RigidInertia<Lanes<T>> I = inertia_to_parent(
      X, RigidInertia<Lanes<T>>{
             at(b, 0), load_lanes_vec3(b + 4), {at(b, 4), at(b, 5), at(b, 6), at(b, 7), at(b, 8), at(b, 9)}});
  T* c = w.Ic + 40 * group;
  I.m.store(c);
  store_lanes(c + 4, I.h);
  store_lanes(c + 16, Vec3<Lanes<T>>{I.I.xx, I.I.xy, I.I.xz});
  store_lanes(c + 28, Vec3<Lanes<T>>{I.I.yy, I.I.yz, I.I.zz});
  return I;
}

// S of the present coordinate and its ancestors, six path vectors (ltl.hpp).
template <class T>
TENON_INLINE void put_on_path(WorkspaceData<T>& w, int stride, int depth, const Motion<T>& S) {
  T* path = w.S_path;
  put_last(path, depth, S.w.x), put_last(path + stride, depth, S.w.y),
      put_last(path + 2 * stride, depth, S.w.z);
  path += 3 * stride;
  put_last(path, depth, S.v.x), put_last(path + stride, depth, S.v.y),
      put_last(path + 2 * stride, depth, S.v.z);
}
// S^T F of the path from place j on.
template <class T>
TENON_INLINE Lanes<T> project_on_path(const WorkspaceData<T>& w, int stride, int j,
                                      const Force<Lanes<T>>& F) {
  const auto S = [&](int e) { return Lanes<T>::load(w.S_path + e * stride + j); };
  return S(0) * F.n.x + S(1) * F.n.y + S(2) * F.n.z + S(3) * F.f.x + S(4) * F.f.y + S(5) * F.f.z;
}

// Path rows of M. Ic must hold the inertias of the bodies and becomes the composite ones.
template <class T>
inline void crba_rows(const ModelData& m, T* rows, WorkspaceData<T>& w) {
  for (int i = m.node_count - 1; i >= 0; --i) {
    const int parent = m.nodes[i].parent;
    if (parent < 0) continue;
    const T* c = lane_of<10>(w.Ic, i);
    T* sum = lane_of<10>(w.Ic, parent);
    for (int e = 0; e < 40; e += 4) sum[e] = sum[e] + c[e];
  }
  const int stride = whole_packs(m.nv);
  clear_packs(w.S_path, 6 * stride);
  for (int k = 0; k < m.nv; ++k) {
    const T* c = lane_of<10>(w.Ic, m.v_node[k]);
    const RigidInertia<T> I = {c[0], load_lane_vec3(c + 4), {c[16], c[20], c[24], c[28], c[32], c[36]}};
    const Motion<T> S = load_motion<T>(w.Sw + 6 * k);
    const Force<Lanes<T>> F = spread(I * S);
    const int depth = w.dof_depth[k];
    put_on_path(w, stride, depth, S);
    T* row = rows + w.row_first[k];
    for (int j = 0; j <= depth; j += 4) project_on_path(w, stride, j, F).store(row + j);
    row[depth] = row[depth] + T(m.armature[k]);
  }
}

// The same from q alone.
template <class T>
inline void crba_rows(const ModelData& m, const T* q, T* rows, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  set_world_pose(w);
  for (int i = 0; i < m.node_count; ++i)
    with_joint(m.nodes[i].kind, [&](auto joint) {
      place_in_world<decltype(joint)>(m, i, q, w, [](int, const Motion<T>&) {});
    });
  for (int group = 0; 4 * group <= m.node_count; ++group) place_inertias(group, w);
  crba_rows(m, rows, w);
}

// M, column-major with leading dimension ld, both triangles, zeros where branches do not meet.
template <class T>
void crba(const ModelData& m, const T* q, T* M, int ld, WorkspaceData<T>& w) {
  crba_rows(m, q, w.H, w);
  for (int j = 0; j < m.nv; ++j)
    for (int i = 0; i < m.nv; ++i) M[i + static_cast<long>(j) * ld] = T(0);
  for (int k = 0; k < m.nv; ++k) {
    const T* row = w.H + w.row_first[k];
    T* column = M + static_cast<long>(k) * ld;
    for (int i = k, place = w.dof_depth[k]; place >= 0; i = m.v_parent[i], --place) column[i] = row[place];
  }
  // In strips of coordinates that follow each other along one chain and so share their ancestors: writes to
  // the other triangle stay within cache lines.
  constexpr int strip = 8;
  for (int k = 0; k < m.nv;) {
    int end = k + 1;
    while (end < m.nv && end < k + strip && m.v_parent[end] == end - 1) ++end;
    for (int i = m.v_parent[k], place = w.dof_depth[k] - 1; place >= 0; i = m.v_parent[i], --place)
      for (int l = k; l < end; ++l) M[l + static_cast<long>(i) * ld] = w.H[w.row_first[l] + place];
    for (int l = k; l < end; ++l)
      for (int j = k; j < l; ++j) M[l + static_cast<long>(j) * ld] = M[j + static_cast<long>(l) * ld];
    k = end;
  }
}

TENON_ISA_END
}  // namespace tenon
