// The Coriolis matrix C(q, v): C v are the velocity terms of the bias force, and dM/dt = C + C^T, so that
// dM/dt - 2 C is skew-symmetric.
//
// A particle that moves with velocity J v has M = m J^T J and C = m J^T dJ/dt: for coordinates whose rates
// are v these are the Christoffel symbols of M times v. The sum over the particles of a rigid body with
// velocity [w; u] and momentum [.; f] is
//
//   C = J^T (I Jdot + B J),   B = [T 0; -f x 0],   T = -w x Sigma - h x (u x),   Sigma = tr(I) / 2 - I
//
// (I the rotational inertia, h the first moment, about the origin), and over the tree
//
//   C_jk = S_j^T (Ic_k Sdot_k + Bc_k S_k),   C_kj = Sdot_j^T Ic_k S_k + S_j^T Bc_k^T S_k
//
// for j on the path from k to the root, with Ic and Bc summed over the subtree of k, and Sdot = v x S (S.
// Echeandia and P. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
// rigid-body systems, 2021, Algorithm 1). Computed in a fixed frame that now coincides with the root frame
// (root_frame_poses.hpp). Cost O(n d).
#pragma once

#include "kernels/tree/crba.hpp"
#include "kernels/tree/joint_space.hpp"
#include "kernels/tree/momentum_data.hpp"

namespace tenon {
TENON_ISA_BEGIN

// T and f of B.
template <class T>
struct VelocityInertia {
  Mat3<T> rotation;
  Vec3<T> momentum;
};

template <class T>
TENON_INLINE VelocityInertia<T> velocity_inertia(const RigidInertia<T>& a, const Motion<T>& v) {
  const Sym3<T>& I = a.I;
  const Vec3<T>&w = v.w, &u = v.v, &h = a.h;
  const T half = T(0.5) * (I.xx + I.yy + I.zz);
  const Sym3<T> E = {I.xx - half, I.xy, I.xz, I.yy - half, I.yz, I.zz - half};  // -Sigma
  // w x E column by column, and -h x (u x) = (h . u) 1 - u h^T.
  const Vec3<T> x = cross(w, Vec3<T>{E.xx, E.xy, E.xz}), y = cross(w, Vec3<T>{E.xy, E.yy, E.yz}),
                z = cross(w, Vec3<T>{E.xz, E.yz, E.zz});
  const T hu = dot(h, u);
  return {{x.x - u.x * h.x + hu, y.x - u.x * h.y, z.x - u.x * h.z, x.y - u.y * h.x, y.y - u.y * h.y + hu,
           z.y - u.y * h.z, x.z - u.z * h.x, y.z - u.z * h.y, z.z - u.z * h.z + hu},
          a.m * u + cross(w, h)};
}
template <class T>
TENON_INLINE VelocityInertia<T> twice(const VelocityInertia<T>& B) {
  return {B.rotation + B.rotation, B.momentum + B.momentum};
}
// B S.
template <class T>
TENON_INLINE Force<T> operator*(const VelocityInertia<T>& B, const Motion<T>& S) {
  return {B.rotation * S.w, cross(S.w, B.momentum)};
}
// The moment of B^T S.
template <class T>
TENON_INLINE Vec3<T> transposed_moment(const VelocityInertia<T>& B, const Motion<T>& S) {
  return transpose_times(B.rotation, S.w) + cross(B.momentum, S.v);
}

// store: of bodies i to i + W - 1, three packs a body; load: of the bodies of coordinates k to k + W - 1.
template <class T, int W>
TENON_INLINE void store_velocity_inertias(int i, const VelocityInertia<Lanes<T, W>>& B, T* field) {
  const Mat3<Lanes<T, W>>& R = B.rotation;
  Lanes<T, W> rows[3][4] = {
      {R.xx, R.xy, R.xz, B.momentum.x}, {R.yx, R.yy, R.yz, B.momentum.y}, {R.zx, R.zy, R.zz, B.momentum.z}};
  for (int e = 0; e < 3; ++e)
    scatter_packs(rows[e], [&](int l, const Lanes<T>& x) { x.store(field + 12 * (i + l) + 4 * e); });
}
template <int W, class T, class BodyOf>
TENON_INLINE VelocityInertia<Lanes<T, W>> gather_velocity_inertias(const T* field, const BodyOf& body_of) {
  Lanes<T, W> x[3][4];
  for (int e = 0; e < 3; ++e)
    gather_packs<W>([&](int l) { return Lanes<T>::load(field + 12 * body_of(l) + 4 * e); }, x[e]);
  return {{x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2], x[2][0], x[2][1], x[2][2]},
          {x[0][3], x[1][3], x[2][3]}};
}
template <int W = 4, class T>
TENON_INLINE VelocityInertia<Lanes<T, W>> load_velocity_inertias(int k, const T* field,
                                                                 const WorkspaceData<T>& w) {
  return gather_velocity_inertias<W>(field, [&](int l) { return body_of_dof(k + l, w); });
}

// Velocities of all bodies. After place_bodies.
template <class T>
inline void place_velocities(const ModelData& m, const T* v, WorkspaceData<T>& w) {
  const Lanes<T> zero(T(0));
  store_packed(w.vw, -1, {zero, zero});
  for (int i = 0; i < m.node_count; ++i) {
    const PackedMotion<T> parent = load_packed(w.vw, m.nodes[i].parent), rate = joint_velocity(m, i, v, w);
    store_packed(w.vw, i, {parent.w + rate.w, parent.v + rate.v});
  }
}
// S, Sdot and the forces of every coordinate.
template <class T>
inline void coriolis_forces(const ModelData& m, const T* q, const T* v, CoriolisData<T>& d,
                            WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  place_bodies(m, q, w);
  place_subspaces(m, w);
  place_velocities(m, v, w);
  for (int i = 0; i < m.node_count; i += 4) {
    const RigidInertia<Lanes<T>> I = body_inertias(i, w);
    store_inertias(i, I, w);
    store_velocity_inertias(i, velocity_inertia(I, gather_motion(w.vw, i)), d.B);
  }
  sum_over_subtrees<3>(m, d.B);
  composite_forces(m, w);
  const int stride = dof_stride(m);
  for (int k = 0; k < m.nv; k += 4) {
    const Motion<Lanes<T>> S = load_motions(w.S_root + k, stride);
    const Motion<Lanes<T>> S_dot = cross(gather_of_dofs(w.vw, k, w), S);
    const VelocityInertia<Lanes<T>> B = load_velocity_inertias(k, d.B, w);
    const Force<Lanes<T>> F = load_inertias(k, w) * S_dot + B * S;
    store_motions(d.S_dot + k, stride, S_dot);
    store_rows(d.F + k, stride, F);
    store_lanes(d.N + k, stride, transposed_moment(B, S));
  }
}

// C, nv x nv, column-major with leading dimension ld.
template <class T>
void coriolis(const ModelData& m, const T* q, const T* v, T* C, int ld, CoriolisData<T>& d,
              WorkspaceData<T>& w) {
  coriolis_forces(m, q, v, d, w);
  for (int k = 0; k < m.nv; ++k)
    for (int i = 0; i < m.nv; ++i) C[i + static_cast<std::int64_t>(k) * ld] = T(0);
  const int stride = whole_packs(m.nv), dofs = dof_stride(m);
  clear_packs(w.S_path, 6 * stride);
  clear_packs(d.S_dot_path, 6 * stride);
  for (int k = 0; k < m.nv; ++k) {
    const int depth = w.dof_depth[k];
    // Bodies of a cluster are numbered before the branches that hang on them, so the path may be another
    // body's.
    if (m.cluster_count > 0)
      for (int i = m.v_parent[k], place = depth - 1; i >= 0; i = m.v_parent[i], --place)
        for (int e = 0; e < 6; ++e) {
          w.S_path[e * stride + place] = w.S_root[e * dofs + i];
          d.S_dot_path[e * stride + place] = d.S_dot[e * dofs + i];
        }
    put_on_path(w.S_path, stride, depth, load_dof_motion(w.S_root + k, dofs));
    put_on_path(d.S_dot_path, stride, depth, load_dof_motion(d.S_dot + k, dofs));
    const Force<Lanes<T>> F = spread(load_dof_force(d.F + k, dofs)),
                          IS = spread(load_dof_force(w.F_root + k, dofs));
    const Vec3<Lanes<T>> N = spread(Vec3<T>{d.N[k], d.N[dofs + k], d.N[2 * dofs + k]});
    for (int j = 0; j <= depth; j += 4) {
      const auto S = [&](int e) { return Lanes<T>::load(w.S_path + e * stride + j); };
      project_on_path(w.S_path, stride, j, F).store(d.column + j);
      (project_on_path(d.S_dot_path, stride, j, IS) + (S(0) * N.x + S(1) * N.y + S(2) * N.z))
          .store(d.row + j);
    }
    for (int i = k, place = depth; i >= 0; i = m.v_parent[i], --place) {
      C[k + static_cast<std::int64_t>(i) * ld] = d.row[place];
      C[i + static_cast<std::int64_t>(k) * ld] = d.column[place];
    }
  }
}

TENON_ISA_END
}  // namespace tenon
