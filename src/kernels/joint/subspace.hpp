// Columns of the motion subspace S of a joint, in the frame of its body. Sweeps ask a column for what they need
// and name no axis, so that a column that is a coordinate axis costs no multiplication.
#pragma once

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Coordinate axis A of [angular x y z; linear x y z].
template <int A>
struct UnitColumn {
  static constexpr int axis = A % 3;  // of the body frame: what it turns about, or moves along
  static constexpr bool turns = A < 3;
};

// S^T f.
template <int A, class T>
TENON_INLINE T dot(UnitColumn<A>, const Force<T>& f) {
  return at<A>(f);
}
// m += S x.
template <int A, class T>
TENON_INLINE void add(Motion<T>& m, UnitColumn<A>, const T& x) {
  at<A>(m) = at<A>(m) + x;
}
template <int A, class T>
TENON_INLINE Force<T> operator*(const ArticulatedInertia<T>& IA, UnitColumn<A>) {
  return column<A>(IA);
}
// Where IA S is zero but for rounding errors: sets it to zero, which the compiler then knows.
template <int A, class T>
TENON_INLINE void clear(ArticulatedInertia<T>& IA, UnitColumn<A>) {
  const T o(0);
  at<A, 0>(IA) = o, at<A, 1>(IA) = o, at<A, 2>(IA) = o, at<A, 3>(IA) = o, at<A, 4>(IA) = o, at<A, 5>(IA) = o;
}

// v x S x.
template <int A, class T>
TENON_INLINE Motion<T> cross(const Motion<T>& v, UnitColumn<A>, const T& x) {
  constexpr int K = A % 3, I = (K + 1) % 3, L = (K + 2) % 3;
  Motion<T> c;
  at<K>(c.v) = T(0);
  at<I>(c.v) = at<L>(A < 3 ? v.v : v.w) * x;
  at<L>(c.v) = -(at<I>(A < 3 ? v.v : v.w) * x);
  at<K>(c.w) = T(0);
  if constexpr (A < 3) {
    at<I>(c.w) = at<L>(v.w) * x;
    at<L>(c.w) = -(at<I>(v.w) * x);
  } else {
    at<I>(c.w) = T(0);
    at<L>(c.w) = T(0);
  }
  return c;
}

// S^T I S.
template <class T, int A>
TENON_INLINE T own_inertia(UnitColumn<A>, const RigidInertia<T>& I) {
  if constexpr (A < 3)
    return A == 0 ? I.I.xx : A == 1 ? I.I.yy : I.I.zz;
  else
    return I.m;
}

// s times the axis of S in the outer frame, where R turns the body.
template <class S, class T>
TENON_INLINE Vec3<T> direction(const S&, const Mat3<T>& R, const T& s) {
  constexpr int K = S::axis;
  return {s * at<0, K>(R), s * at<1, K>(R), s * at<2, K>(R)};
}
// The angular part of such a column, z its direction.
template <int A, class T>
TENON_INLINE Vec3<T> turning(UnitColumn<A>, const Vec3<T>& z) {
  return z;
}
// The motion S s of a body that is placed by X, in the coordinates and about the origin of the outer frame.
template <int A, class T>
TENON_INLINE Motion<T> outer_motion(UnitColumn<A> S, const Transform<Rot3<T>, T>& X, const T& s) {
  const Vec3<T> z = direction(S, X.R.R, s);
  if constexpr (A < 3) return {z, cross(X.p, z)};
  return {{T(0), T(0), T(0)}, z};
}
// Momentum of `mass` at arm / mass from the origin of a body that moves by S, z its direction.
template <int A, class T>
TENON_INLINE Vec3<T> momentum_at(UnitColumn<A>, const Vec3<T>& z, const Vec3<T>& arm, const T& mass) {
  if constexpr (A < 3) return cross(z, arm);
  return mass * z;
}

// ---- a screw along coordinate axis z, for one radian `turn` and `slide`: 1 and its pitch, or of a prismatic joint 0 and 1

template <class N>
struct ScrewColumn {
  static constexpr int axis = 2;
  static constexpr bool turns = true;
  N turn, slide;
};
template <class N, class T>
TENON_INLINE T dot(const ScrewColumn<N>& S, const Force<T>& f) {
  return T(S.turn) * f.n.z + T(S.slide) * f.f.z;
}
template <class N, class T>
TENON_INLINE void add(Motion<T>& m, const ScrewColumn<N>& S, const T& x) {
  m.w.z = m.w.z + T(S.turn) * x;
  m.v.z = m.v.z + T(S.slide) * x;
}
template <class N, class T>
TENON_INLINE Force<T> operator*(const ArticulatedInertia<T>& IA, const ScrewColumn<N>& S) {
  const Force<T> turning = column<2>(IA), sliding = column<5>(IA);
  return {T(S.turn) * turning.n + T(S.slide) * sliding.n, T(S.turn) * turning.f + T(S.slide) * sliding.f};
}
template <class N, class T>
TENON_INLINE void clear(ArticulatedInertia<T>&, const ScrewColumn<N>&) {}  // no column is zero
template <class N, class T>
TENON_INLINE Motion<T> cross(const Motion<T>& v, const ScrewColumn<N>& S, const T& x) {
  Motion<T> m{};
  add(m, S, x);
  return cross(v, m);
}
template <class N, class T>
TENON_INLINE T own_inertia(const ScrewColumn<N>& S, const RigidInertia<T>& I) {
  return T(S.turn) * I.I.zz + T(S.slide) * T(S.slide) * I.m;
}
template <class N, class T>
TENON_INLINE Vec3<T> turning(const ScrewColumn<N>& S, const Vec3<T>& z) {
  return T(S.turn) * z;
}
template <class N, class T>
TENON_INLINE Motion<T> outer_motion(const ScrewColumn<N>& S, const Transform<Rot3<T>, T>& X, const T& s) {
  const Vec3<T> z = direction(S, X.R.R, s), w = turning(S, z);
  return {w, cross(X.p, w) + T(S.slide) * z};
}
template <class N, class T>
TENON_INLINE Vec3<T> momentum_at(const ScrewColumn<N>& S, const Vec3<T>& z, const Vec3<T>& arm,
                                 const T& mass) {
  return cross(turning(S, z), arm) + (T(S.slide) * mass) * z;
}

TENON_ISA_END
}  // namespace tenon
