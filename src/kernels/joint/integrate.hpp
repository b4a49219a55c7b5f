// Motion along a velocity, joint by joint: on SO(3) and SE(3) by the exponential of the velocity in the child's axes, on
// SE(2) for planar joints. For any number: double, or a pack of states.
#pragma once

#include <cstdint>

#include "data/model_data.hpp"
#include "spatial/rotation.hpp"

namespace tenon {
TENON_ISA_BEGIN

// q := q exp(dt v), q and v of this joint alone.
template <class T>
void integrate_joint(std::int32_t kind, const T* v, const T& dt, T* q) {
  switch (kind) {
    case joint_spherical: {
      const Vec3<T> phi = dt * load_vec3<T>(v);
      turn_quaternion(q, Exponential<T>(phi), phi);
      return;
    }
    case joint_planar: {
      T s, c, sine, cosine;
      planar_factors(dt * v[0], s, c);
      sin_cos(q[2], sine, cosine);
      const T x = dt * (s * v[1] - c * v[2]), y = dt * (c * v[1] + s * v[2]);
      q[0] = q[0] + (cosine * x - sine * y);
      q[1] = q[1] + (sine * x + cosine * y);
      q[2] = q[2] + dt * v[0];
      return;
    }
    case joint_floating: {
      const Vec3<T> phi = dt * load_vec3<T>(v);
      const Exponential<T> e(phi);
      const Vec3<T> moved = left_jacobian(e, phi, dt * load_vec3<T>(v + 3));
      store(q, load_vec3<T>(q) + rotate_by(q + 3, moved));
      turn_quaternion(q + 3, e, phi);
      return;
    }
    default:
      q[0] = q[0] + dt * v[0];
  }
}
// The same for all joints: q and v of the model.
template <class T>
void integrate_joints(const ModelData& m, const T* v, double dt, T* q) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    integrate_joint(n.kind, v + n.v_index, T(dt), q + n.q_index);
  }
}

// [u, v] in the axes of the child; returns the number of coordinates.
template <class T>
inline int joint_bracket(std::int32_t kind, const T* u, const T* v, T* out) {
  switch (kind) {
    case joint_spherical:
      store(out, cross(load_vec3<T>(u), load_vec3<T>(v)));
      return 3;
    case joint_planar:
      out[0] = T(0);
      out[1] = v[0] * u[2] - u[0] * v[2];
      out[2] = u[0] * v[1] - v[0] * u[1];
      return 3;
    case joint_floating:
      store(out, cross(load_motion<T>(u), load_motion<T>(v)));
      return 6;
    default:  // of one coordinate, with itself
      out[0] = T(0);
      return 1;
  }
}
// v := v + [u, v] / 2 + [u, [u, v]] / 12 with u = h u_of_one: u' of u in q exp(u), to third order (calls/steps.cpp).
template <class T>
void add_brackets(const ModelData& m, const T* u_of_one, double h, T* v) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    if (n.kind < joint_spherical) continue;
    T u[6], once[6], twice[6], *x = v + n.v_index;
    for (int e = 0; e < (n.kind == joint_floating ? 6 : 3); ++e) u[e] = T(h) * u_of_one[n.v_index + e];
    joint_bracket(n.kind, u, x, once);
    const int count = joint_bracket(n.kind, u, once, twice);
    for (int e = 0; e < count; ++e) x[e] = x[e] + (T(0.5) * once[e] + twice[e] * T(1.0 / 12));
  }
}

TENON_ISA_END

}  // namespace tenon
