// The difference of two orientations, for the position errors of constraint rows: rotation vectors, angle
// times axis, for every angle from 0 to pi. A half turn has an error of pi; its axis has two possible signs
// (between two directions: any axis normal to them is possible), and one axis is taken.
#pragma once

#include <cmath>

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Below this sine an angle equals its sine to rounding, or, near pi, its axis cannot be computed from the
// sine.
template <class T>
TENON_INLINE T negligible_sine() {
  return T(1e-8);
}

// Rotation vector of R for angles above 120 degrees, where the skew part of R loses the axis. With the
// quaternion [x y z w] of R and x the largest of x, y, z, the symmetric part of R has 4 x (x, y, z), the skew
// part 4 x w (S. Shepperd, Quaternion from rotation matrix, 1978).
template <class T>
inline Vec3<T> wide_rotation_vector(const Mat3<T>& R, const T& trace) {
  using std::atan2;
  using std::sqrt;
  const T one(1), two(2), rest = one - trace;
  const T xy = R.xy + R.yx, xz = R.xz + R.zx, yz = R.yz + R.zy;
  Vec3<T> v;
  T w;
  if (R.xx >= R.yy && R.xx >= R.zz) {
    v = {rest + two * R.xx, xy, xz}, w = R.zy - R.yz;
  } else if (R.yy >= R.zz) {
    v = {xy, rest + two * R.yy, yz}, w = R.xz - R.zx;
  } else {
    v = {xz, yz, rest + two * R.zz}, w = R.yx - R.xy;
  }
  const T length = sqrt(dot(v, v));
  const T factor = w < T(0) ? -(two * atan2(length, -w) / length) : two * atan2(length, w) / length;
  return factor * v;
}

// Rotation vector of R.
template <class T>
inline Vec3<T> rotation_vector(const Mat3<T>& R) {
  using std::atan2;
  using std::sqrt;
  const T trace = R.xx + R.yy + R.zz;
  if (trace < T(0)) return wide_rotation_vector(R, trace);
  const T half(0.5);
  const Vec3<T> s = {half * (R.zy - R.yz), half * (R.xz - R.zx), half * (R.yx - R.xy)};
  const T sine = sqrt(dot(s, s));
  const T factor = sine > negligible_sine<T>() ? atan2(sine, half * (trace - T(1))) / sine : T(1);
  return factor * s;
}

// Axis K of a frame.
template <int K, class T>
TENON_INLINE Vec3<T> axis_of(const Mat3<T>& R) {
  return {at<0, K>(R), at<1, K>(R), at<2, K>(R)};
}

// The shortest rotation that takes unit vector a to b. across: a unit vector normal to b, the axis where a is
// opposite to b.
template <class T>
inline Vec3<T> swing(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& across) {
  using std::atan2;
  using std::sqrt;
  const Vec3<T> s = cross(a, b);
  const T sine = sqrt(dot(s, s)), cosine = dot(a, b);
  if (sine > negligible_sine<T>()) return (atan2(sine, cosine) / sine) * s;
  return cosine < T(0) ? atan2(sine, cosine) * across : s;
}

TENON_ISA_END
}  // namespace tenon
