// How far two orientations are apart, for the position errors of constraint rows.
#pragma once

#include <cmath>

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Angle times axis from their sine, s = sin(angle) axis, and the cosine.
template <class T>
TENON_INLINE Vec3<T> angle_times_axis(const Vec3<T>& s, const T& cosine) {
  using std::atan2;
  using std::sqrt;
  const T sine = sqrt(dot(s, s));
  const T tiny(1e-8);
  const T factor = sine > tiny ? atan2(sine, cosine) / sine : T(1);
  return factor * s;
}

// Rotation vector of R: angle times axis. Exact for every angle below pi.
template <class T>
inline Vec3<T> rotation_vector(const Mat3<T>& R) {
  const T half(0.5);
  const Vec3<T> s = {half * (R.zy - R.yz), half * (R.xz - R.zx), half * (R.yx - R.xy)};
  return angle_times_axis(s, half * (R.xx + R.yy + R.zz - T(1)));
}

// The shortest rotation that brings unit vector a to b.
template <class T>
inline Vec3<T> swing(const Vec3<T>& a, const Vec3<T>& b) {
  return angle_times_axis(cross(a, b), dot(a, b));
}

TENON_ISA_END
}  // namespace tenon
