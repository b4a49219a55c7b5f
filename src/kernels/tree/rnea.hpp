// Recursive Newton-Euler algorithm: tau from (q, v, qdd) in O(n) (Featherstone, RBDA Table 5.1). Outward:
// velocities and accelerations, body force f = I a + v x* I v - f_ext. Inward: tau = S^T f + armature qdd,
// and f is added to the parent.
#pragma once

#include "kernels/tree/articulated_body.hpp"

namespace tenon {
TENON_ISA_BEGIN

// qdd null: zero acceleration; tau is then the bias force c(q, v) minus the external forces.
template <class T>
void rnea(const ModelData& m, const T* q, const T* v, const T* qdd, bool has_wrenches, T* tau,
          WorkspaceData<T>& w) {
  joint_angles(m, q, w);
  set_world_motion(w);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      J::update(n, i, q, w);
      const auto X = J::load(n, i, w);
      Motion<T> vi = motion_to_child(X, load_motion<T>(w.v + 6 * n.parent));
      T rate[J::nv];
      load_rate<J>(n, v, rate);
      add_motion<J>(vi, rate);
      Motion<T> a =
          motion_to_child(X, load_motion<T>(w.a + 6 * n.parent)) + velocity_product_acceleration<J>(vi, rate);
      if (qdd) {
        load_rate<J>(n, qdd, rate);
        add_motion<J>(a, rate);
      }
      store(w.v + 6 * i, vi);
      store(w.a + 6 * i, a);
      const RigidInertia<T> I = load_rigid<T>(n);
      Force<T> f = I * a + velocity_product(I, vi);
      if (has_wrenches) f = f - load_force<T>(w.wrench + 6 * i);
      store(w.f + 6 * i, f);
    });
  }
  Force<T> f{};
  for (int i = m.node_count - 1; i >= 0; --i) {
    const NodeData& n = m.nodes[i];
    const std::int32_t flags = w.node_flags[i];
    f = flags & node_carries ? f + load_force<T>(w.f + 6 * i) : load_force<T>(w.f + 6 * i);
    with_joint(n.kind, [&](auto joint) {
      using J = decltype(joint);
      for_each_axis<J>([&](auto d, auto axis) {
        const int k = n.v_index + d.value;
        T t = at<axis.value>(f);
        if constexpr (J::one_dof) t = T(n.sign) * t;
        if (qdd) t = t + T(m.armature[k]) * qdd[k];
        tau[k] = t;
      });
      f = force_to_parent(J::load(n, i, w), f);
    });
    if (n.parent >= 0 && (flags & node_adds_to_memory)) {
      T* fp = w.f + 6 * n.parent;
      store(fp, load_force<T>(fp) + f);
    }
  }
}

TENON_ISA_END
}  // namespace tenon
