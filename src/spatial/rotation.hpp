// Rotation vectors and unit quaternions (x y z w), for any number: double, or a pack (spatial/pack.hpp), whose lanes
// decide for themselves between a closed form and its series.
#pragma once

#include <cmath>

#include "spatial/ordered.hpp"
#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

TENON_SMALL double square_root(double a) {
  return std::sqrt(a);
}
TENON_SMALL void sin_cos(double angle, double& sine, double& cosine) {
  sine = std::sin(angle), cosine = std::cos(angle);
}

// Coefficients of the exponentials of SO(3) and SE(3) at the rotation vector phi of angle a. Near zero, where the
// closed forms divide zero by zero, series.
template <class T>
struct Exponential {
  T half_sinc;  // sin(a / 2) / a
  T cosine;     // cos(a / 2)
  T b;          // (1 - cos a) / a^2, from half the angle: 1 - cos a loses digits
  T c;          // (a - sin a) / a^3

  TENON_SMALL explicit Exponential(const Vec3<T>& phi) {
    const T limit(1e-4), a2 = dot(phi, phi), safe = larger(a2, limit), a = square_root(safe);
    T half_sine, half_cosine;
    sin_cos(T(0.5) * a, half_sine, half_cosine);
    const auto large = lanes_above(a2, limit);
    half_sinc = select(large, half_sine / a, T(0.5) - a2 * T(1.0 / 48) + a2 * a2 * T(1.0 / 3840));
    cosine = select(large, half_cosine, T(1) - a2 * T(1.0 / 8) + a2 * a2 * T(1.0 / 384));
    b = T(2) * half_sinc * half_sinc;
    c = select(large, (a - T(2) * half_sine * half_cosine) / (safe * a),
               T(1.0 / 6) - a2 * T(1.0 / 120) + a2 * a2 * T(1.0 / 5040));
  }
};

// The left Jacobian of SO(3) times x.
template <class T>
TENON_SMALL Vec3<T> left_jacobian(const Exponential<T>& e, const Vec3<T>& phi, const Vec3<T>& x) {
  const Vec3<T> t = cross(phi, x);
  return x + e.b * t + e.c * cross(phi, t);
}

// q := q r.
template <class T>
TENON_SMALL void multiply_quaternion(T* q, const T* r) {
  const T x = q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1];
  const T y = q[3] * r[1] + q[1] * r[3] + q[2] * r[0] - q[0] * r[2];
  const T z = q[3] * r[2] + q[2] * r[3] + q[0] * r[1] - q[1] * r[0];
  const T w = q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2];
  q[0] = x, q[1] = y, q[2] = z, q[3] = w;
}
template <class T>
TENON_SMALL void normalize_quaternion(T* q) {
  const T s = T(1) / square_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int e = 0; e < 4; ++e) q[e] = s * q[e];
}
template <class T>
TENON_SMALL Vec3<T> rotate_by(const T* q, const Vec3<T>& x) {
  const Vec3<T> u = load_vec3<T>(q), t = T(2) * cross(u, x);
  return x + q[3] * t + cross(u, t);
}
// q := q exp(phi).
template <class T>
TENON_SMALL void turn_quaternion(T* q, const Exponential<T>& e, const Vec3<T>& phi) {
  const T r[4] = {e.half_sinc * phi.x, e.half_sinc * phi.y, e.half_sinc * phi.z, e.cosine};
  multiply_quaternion(q, r);
  normalize_quaternion(q);
}

// sin(a) / a and (1 - cos a) / a, of the exponential of SE(2).
template <class T>
TENON_SMALL void planar_factors(const T& a, T& s, T& c) {
  const T limit(1e-4), a2 = a * a, size = magnitude_of(a), safe = larger(size, limit);
  T half_sine, half_cosine;
  sin_cos(T(0.5) * safe, half_sine, half_cosine);
  const auto large = lanes_above(size, limit);
  const T sign = select(lanes_above(T(0), a), T(-1), T(1));
  s = select(large, T(2) * half_sine * half_cosine / safe, T(1) - a2 * T(1.0 / 6));
  c = select(large, sign * (T(2) * half_sine * half_sine / safe), T(0.5) * a);
}

TENON_ISA_END
}  // namespace tenon
