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

namespace tenon {
TENON_ISA_BEGIN

// Jw: the six rows of S in world axes about the reference point, user sign; Rw, pw.
template <class T>
inline void sweep_world_subspaces(const ModelData& m, const T* q, WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  const T o(0), e(1);
  store(w.Rw - 9, Mat3<T>{e, o, o, o, e, o, o, o, e});
  store(w.pw - 3, Vec3<T>{o, o, o});
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      const auto X = J::load(n, i, w);
      const Mat3<T> Rp = load_mat3<T>(w.Rw + 9 * n.parent);
      const Mat3<T> R = compose(Rp, X.R);
      // Nothing in M depends on where the root is; about its own origin no digits are lost far from the
      // world's.
      const Vec3<T> p = n.parent < 0 ? Vec3<T>{o, o, o} : load_vec3<T>(w.pw + 3 * n.parent) + Rp * X.p;
      store(w.Rw + 9 * i, R);
      store(w.pw + 3 * i, p);
      for_each_axis<J>([&](auto d, auto axis) {
        constexpr int A = axis.value, K = A % 3;
        const int k = n.v_index + d.value;
        const T s = T(m.v_sign[k]);
        const Vec3<T> z = {s * at<0, K>(R), s * at<1, K>(R), s * at<2, K>(R)};
        const Vec3<T> lin = A < 3 ? cross(p, z) : z;
        w.Jw[k] = A < 3 ? z.x : o;
        w.Jw[k + m.nv] = A < 3 ? z.y : o;
        w.Jw[k + 2 * m.nv] = A < 3 ? z.z : o;
        w.Jw[k + 3 * m.nv] = lin.x;
        w.Jw[k + 4 * m.nv] = lin.y;
        w.Jw[k + 5 * m.nv] = lin.z;
      });
    });
  }
}

// Lower rows of M: row k holds M_ki for i = k and its ancestors, in rows of length stride; other entries
// untouched.
template <class T>
inline void crba_rows(const ModelData& m, T* rows, int stride, WorkspaceData<T>& w) {
  for (int i = 0; i < m.node_count; ++i) {
    const Transform<Rot3<T>, T> X = {{load_mat3<T>(w.Rw + 9 * i)}, load_vec3<T>(w.pw + 3 * i)};
    const RigidInertia<T> I = inertia_to_parent(X, load_rigid<T>(m.nodes[i]));
    T* c = w.Ic + 10 * i;
    c[0] = I.m, c[1] = I.h.x, c[2] = I.h.y, c[3] = I.h.z;
    c[4] = I.I.xx, c[5] = I.I.xy, c[6] = I.I.xz, c[7] = I.I.yy, c[8] = I.I.yz, c[9] = I.I.zz;
  }
  const int nv = m.nv;
  const T* S = w.Jw;
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const T* c = w.Ic + 10 * i;
    if (n.parent >= 0)
      for (int e = 0; e < 10; ++e) w.Ic[10 * n.parent + e] = w.Ic[10 * n.parent + e] + c[e];
    const RigidInertia<T> I = {c[0], load_vec3<T>(c + 1), {c[4], c[5], c[6], c[7], c[8], c[9]}};
    const int end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : nv;
    for (int k = n.v_index; k < end; ++k) {
      const Force<T> F =
          I * Motion<T>{{S[k], S[k + nv], S[k + 2 * nv]}, {S[k + 3 * nv], S[k + 4 * nv], S[k + 5 * nv]}};
      T* row = rows + static_cast<long>(k) * stride;
      for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r) {
        const int begin = w.path_runs[2 * r], stop = w.path_runs[2 * r + 1];
        for (int j = begin; j < stop; ++j)
          row[j] = S[j] * F.n.x + S[j + nv] * F.n.y + S[j + 2 * nv] * F.n.z + S[j + 3 * nv] * F.f.x +
                   S[j + 4 * nv] * F.f.y + S[j + 5 * nv] * F.f.z;
      }
      row[k] = S[k] * F.n.x + S[k + nv] * F.n.y + S[k + 2 * nv] * F.n.z + S[k + 3 * nv] * F.f.x +
               S[k + 4 * nv] * F.f.y + S[k + 5 * nv] * F.f.z + T(m.armature[k]);
    }
  }
}

// M, column-major with leading dimension ld, both triangles, zeros where branches do not meet.
template <class T>
void crba(const ModelData& m, const T* q, T* M, int ld, WorkspaceData<T>& w) {
  sweep_world_subspaces(m, q, w);
  for (int j = 0; j < m.nv; ++j)
    for (int i = 0; i < m.nv; ++i) M[i + static_cast<long>(j) * ld] = T(0);
  crba_rows(m, M, ld, w);
  // Mirrored in strips of coordinates that follow each other along one chain and so share their ancestors:
  // writes stay within cache lines.
  constexpr int strip = 8;
  for (int k = 0; k < m.nv;) {
    int end = k + 1;
    while (end < m.nv && end < k + strip && m.v_parent[end] == end - 1) ++end;
    for (int r = w.path_first[k]; r < w.path_first[k + 1]; ++r)
      for (int j = w.path_runs[2 * r]; j < w.path_runs[2 * r + 1]; ++j)
        for (int l = k; l < end; ++l) M[l + static_cast<long>(j) * ld] = M[j + static_cast<long>(l) * ld];
    for (int j = k; j < end; ++j)
      for (int l = j + 1; l < end; ++l) M[l + static_cast<long>(j) * ld] = M[j + static_cast<long>(l) * ld];
    k = end;
  }
}

TENON_ISA_END
}  // namespace tenon
