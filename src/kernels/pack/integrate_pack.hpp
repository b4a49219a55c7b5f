// Integration along velocities and the brackets of Runge-Kutta steps on packs: model/joint_motion.cpp and
// calls/steps.cpp without branches on numbers.
#pragma once

#include "kernels/pack/pack_sincos.hpp"
#include "model/model_data.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// A closed form where t is above a limit, a series below, where the closed form cancels.
template <class T>
TENON_INLINE T above_or(const T& t, double limit, const T& closed, const T& series) {
  return select(lanes_above(t, T(limit)), closed, series);
}

// Coefficients of the exponential on SO(3) and SE(3) as functions of the squared angle.
template <class T>
struct ExponentialOf {
  T half_sinc, cosine, b, c;
  TENON_INLINE explicit ExponentialOf(const Vec3<T>& phi) {
    // In single precision closed forms cancel earlier.
    constexpr double limit = sizeof(typename T::Number) == sizeof(double) ? 1e-4 : 0.05;
    const T a2 = dot(phi, phi);
    const T safe = larger(a2, T(limit)), a = square_root(safe), inverse = T(1) / safe;
    T s, co, sine, cos_full, half_s, half_c;
    sin_cos(T(0.5) * square_root(a2), s, co);
    cosine = co;
    sin_cos(T(0.5) * a, half_s, half_c);
    sin_cos(a, sine, cos_full);
    half_sinc = above_or(a2, limit, half_s / a, T(0.5) - a2 * T(1.0 / 48) + a2 * a2 * T(1.0 / 3840));
    b = T(2) * half_sinc * half_sinc;
    c = above_or(a2, limit, (a - sine) * inverse / a,
                 T(1.0 / 6) - a2 * T(1.0 / 120) + a2 * a2 * T(1.0 / 5040));
  }
};

// q := normalized q times the quaternion of phi.
template <class T>
inline void turn_quaternion(T* q, const ExponentialOf<T>& e, const Vec3<T>& phi) {
  const T r[4] = {e.half_sinc * phi.x, e.half_sinc * phi.y, e.half_sinc * phi.z, e.cosine};
  const T x = q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1];
  const T y = q[3] * r[1] + q[1] * r[3] + q[2] * r[0] - q[0] * r[2];
  const T z = q[3] * r[2] + q[2] * r[3] + q[0] * r[1] - q[1] * r[0];
  const T w = q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2];
  const T s = T(1) / square_root(x * x + y * y + z * z + w * w);
  q[0] = s * x, q[1] = s * y, q[2] = s * z, q[3] = s * w;
}

template <class T>
inline void integrate_planar(T* q, const T* v, const T& dt) {
  constexpr double limit = sizeof(typename T::Number) == sizeof(double) ? 1e-2 : 0.2;
  const T a = dt * v[0], a2 = a * a;
  const T size = larger(magnitude_of(a), T(limit));
  T half_s, half_c, st, ct;
  sin_cos(T(0.5) * size, half_s, half_c);
  // Both are even in a but for the sign of c.
  const T sign = select(lanes_above(T(0), a), T(-1), T(1));
  const T s = above_or(magnitude_of(a), limit, T(2) * half_s * half_c / size,
                       T(1) - a2 * T(1.0 / 6) + a2 * a2 * T(1.0 / 120));
  const T c = above_or(magnitude_of(a), limit, sign * (T(2) * half_s * half_s / size),
                       a * (T(0.5) - a2 * T(1.0 / 24) + a2 * a2 * T(1.0 / 720)));
  const T x = dt * (s * v[1] - c * v[2]), y = dt * (c * v[1] + s * v[2]);
  sin_cos(q[2], st, ct);
  q[0] = q[0] + (ct * x - st * y);
  q[1] = q[1] + (st * x + ct * y);
  q[2] = q[2] + a;
}

template <class T>
void integrate(const ModelData& m, const T* v_all, double time, T* q_all) {
  const T dt(time);
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const T* v = v_all + n.v_index;
    T* q = q_all + n.q_index;
    if (n.kind == joint_spherical || n.kind == joint_floating) {
      const Vec3<T> phi = dt * load_vec3<T>(v);
      const ExponentialOf<T> e(phi);
      T* quaternion = q;
      if (n.kind == joint_floating) {
        quaternion = q + 3;
        const Vec3<T> linear = dt * load_vec3<T>(v + 3), t = cross(phi, linear);
        const Vec3<T> moved = linear + e.b * t + e.c * cross(phi, t);
        const Vec3<T> u = load_vec3<T>(quaternion), turned = T(2) * cross(u, moved);
        store(q, load_vec3<T>(q) + (moved + quaternion[3] * turned + cross(u, turned)));
      }
      turn_quaternion(quaternion, e, phi);
    } else if (n.kind == joint_planar) {
      integrate_planar(q, v, dt);
    } else {
      q[0] = q[0] + dt * v[0];
    }
  }
}

template <class T>
inline void bracket_of(std::int32_t kind, const T* u, const T* v, T* out) {
  if (kind == joint_spherical) {
    store(out, cross(load_vec3<T>(u), load_vec3<T>(v)));
  } else if (kind == joint_planar) {
    out[0] = T(0);
    out[1] = v[0] * u[2] - u[0] * v[2];
    out[2] = u[0] * v[1] - v[0] * u[1];
  } else {
    store(out, cross(load_motion<T>(u), load_motion<T>(v)));
  }
}

template <class T>
void add_brackets(const ModelData& m, const T* u_of_one, double h, T* v) {
  for (int i = 0; i < m.node_count; ++i) {
    const NodeData& n = m.nodes[i];
    const int nv = n.kind == joint_floating ? 6 : n.kind >= joint_spherical ? 3 : 1;
    if (nv == 1) continue;
    T u[6], once[6], twice[6];
    T* x = v + n.v_index;
    for (int e = 0; e < nv; ++e) u[e] = T(h) * u_of_one[n.v_index + e];
    bracket_of(n.kind, u, x, once);
    bracket_of(n.kind, u, once, twice);
    for (int e = 0; e < nv; ++e) x[e] = x[e] + (T(0.5) * once[e] + twice[e] * T(1.0 / 12));
  }
}

TENON_ISA_END
}  // namespace tenon
