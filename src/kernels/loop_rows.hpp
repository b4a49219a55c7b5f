// One row of a geometric loop constraint. The ends of the loop are two frames, the predecessor's P and the
// successor's S, z along the axis of the joint that would connect them; both are given in one frame that
// counts as fixed, with spatial vectors about its origin. Every row asks a number to be zero whose rate is
// f . V, V the velocity of S's body minus that of P's:
//
//   linear     phi = e . (x_S - x_P),   f = [x_S x e; e],   e an axis of P
//   angular    phi = a . b,             f = [b x a; 0],     a an axis of P, b one of S, normal to each other
//
// so that K qdd = k with K = f^T S over the joints between and -k = fdot . V + f . A, A the acceleration at
// qdd = 0. These are the exact derivatives of phi, also where the loop is open.
#pragma once

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct LoopEnds {
  Mat3<T> predecessor_R, successor_R;
  Vec3<T> predecessor_p, successor_p;
};
// Velocities of the bodies of the ends.
template <class T>
struct LoopEndVelocities {
  Motion<T> predecessor, successor;
};
template <class T>
struct LoopRow {
  T phi;
  Force<T> f, fdot;
};

template <int K, class T>
TENON_INLINE Vec3<T> axis_of(const Mat3<T>& R) {
  return {at<0, K>(R), at<1, K>(R), at<2, K>(R)};
}

template <int K, class T>
TENON_INLINE LoopRow<T> linear_loop_row(const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  const Vec3<T> e = axis_of<K>(ends.predecessor_R), &x = ends.successor_p;
  const Vec3<T> edot = cross(v.predecessor.w, e);
  const Vec3<T> xdot = v.successor.v + cross(v.successor.w, x);
  return {dot(e, x - ends.predecessor_p), {cross(x, e), e}, {cross(xdot, e) + cross(x, edot), edot}};
}

// sign: the turn of S about the axis that the row forbids counts as positive.
template <int A, int B, class T>
TENON_INLINE LoopRow<T> angular_loop_row(const LoopEnds<T>& ends, const LoopEndVelocities<T>& v,
                                         const T& sign) {
  const Vec3<T> a = sign * axis_of<A>(ends.predecessor_R), b = axis_of<B>(ends.successor_R);
  const Vec3<T> adot = cross(v.predecessor.w, a), bdot = cross(v.successor.w, b), none{T(0), T(0), T(0)};
  return {dot(a, b), {cross(b, a), none}, {cross(bdot, a) + cross(b, adot), none}};
}

// bit: 0 to 2 angular x y z, 3 to 5 linear. With angular x and y both S may still turn about z by any angle.
template <class T>
inline LoopRow<T> loop_row(int bit, const LoopEnds<T>& ends, const LoopEndVelocities<T>& v) {
  switch (bit) {
    case 0:
      return angular_loop_row<1, 2>(ends, v, T(-1));
    case 1:
      return angular_loop_row<0, 2>(ends, v, T(1));
    case 2:
      return angular_loop_row<1, 0>(ends, v, T(1));
    case 3:
      return linear_loop_row<0>(ends, v);
    case 4:
      return linear_loop_row<1>(ends, v);
    default:
      return linear_loop_row<2>(ends, v);
  }
}

TENON_ISA_END
}  // namespace tenon
