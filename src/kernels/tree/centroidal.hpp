// Bias accelerations of bodies about a fixed point, and the momentum of the whole robot about its centre of
// mass (D. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, 2013). From the results of
// kinematics(); world axes, spatial vectors about the point.
//
//   a_i = a_p + v_p x v_i         at qdd = 0: S is fixed in body i, and v_i x S qd = v_p x v_i
//   A_k = Ic_k S_k                Ic summed over the subtree of k, so that the momentum is A v
//   Adot v = sum_i (I_i a_i + v_i x* I_i v_i)
//
// The momentum about the moving centre of mass c has the same rate as that about the fixed point where c is
// now, because the velocity of c is parallel to the linear momentum. O(n); the acceleration of one point
// O(d).
#pragma once

#include "kernels/joint/joint.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_INLINE Transform<Rot3<T>, T> pose_about(const Vec3<T>& point, int node, const WorkspaceData<T>& w) {
  return {{load_mat3<T>(w.R0 + 9 * node)}, load_vec3<T>(w.p0 + 3 * node) - point};
}
template <class T>
TENON_INLINE Motion<T> velocity_about(const Vec3<T>& point, int node, const WorkspaceData<T>& w) {
  return motion_to_parent(pose_about(point, node, w), load_motion<T>(w.v0 + 6 * node));
}

// Spatial acceleration of the node at qdd = 0, about `point` (world).
template <class T>
void bias_acceleration(const ModelData& m, int node, const T* point, T* out, const WorkspaceData<T>& w) {
  const Vec3<T> origin = load_vec3<T>(point);
  Motion<T> a{}, v = velocity_about(origin, node, w);
  for (int i = node; i >= 0; i = m.nodes[i].parent) {
    const Motion<T> above = velocity_about(origin, m.nodes[i].parent, w);
    a = a + cross(above, v);
    v = above;
  }
  store(out, a);
}

// A, 6 x nv, column-major with leading dimension ld. com: 3. Ic: 10 numbers a node, scratch.
template <class T>
void centroidal_matrix(const ModelData& m, const T* com, T* A, int ld, T* Ic, const WorkspaceData<T>& w) {
  const Vec3<T> c = load_vec3<T>(com);
  const auto store_inertia = [&](int i, const RigidInertia<T>& a) {
    T* x = Ic + 10 * i;
    x[0] = a.m;
    store(x + 1, a.h);
    x[4] = a.I.xx, x[5] = a.I.xy, x[6] = a.I.xz, x[7] = a.I.yy, x[8] = a.I.yz, x[9] = a.I.zz;
  };
  const auto inertia = [&](int i) {
    const T* x = Ic + 10 * i;
    return RigidInertia<T>{x[0], load_vec3<T>(x + 1), {x[4], x[5], x[6], x[7], x[8], x[9]}};
  };
  for (int i = 0; i < m.node_count; ++i)
    store_inertia(i, inertia_to_parent(pose_about(c, i, w), load_rigid<T>(m.nodes[i])));
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const RigidInertia<T> I = inertia(i);
    if (n.parent >= 0) store_inertia(n.parent, inertia(n.parent) + I);
    const Transform<Rot3<T>, T> X = pose_about(c, i, w);
    with_joint(n, [&](auto joint) {
      for_each_column<decltype(joint), T>(n, [&](auto d, auto S) {
        const int k = n.v_index + d.value;
        store(A + static_cast<std::int64_t>(k) * ld, I * outer_motion(S, X, T(m.v_sign[k])));
      });
    });
  }
}

// Adot v. com: 3. a: 6 numbers a node, scratch.
template <class T>
void centroidal_bias(const ModelData& m, const T* com, T* out, T* a, const WorkspaceData<T>& w) {
  const Vec3<T> c = load_vec3<T>(com);
  Force<T> sum{};
  for (int i = 0; i < m.node_count; ++i) {
    const int parent = m.nodes[i].parent;
    const Motion<T> v = velocity_about(c, i, w);
    Motion<T> ai = cross(velocity_about(c, parent, w), v);
    if (parent >= 0) ai = ai + load_motion<T>(a + 6 * parent);
    store(a + 6 * i, ai);
    const RigidInertia<T> I = inertia_to_parent(pose_about(c, i, w), load_rigid<T>(m.nodes[i]));
    sum = sum + (I * ai + velocity_product(I, v));
  }
  store(out, sum);
}

TENON_ISA_END
}  // namespace tenon
