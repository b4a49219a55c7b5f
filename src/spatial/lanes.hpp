// Four numbers side by side as one scalar: the T of spatial algebra over four constraint rows at a time.
// Vector extensions of the compiler, so that each instruction set gets its own registers and none needs
// intrinsics.
#pragma once

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
struct FourOf;
template <>
struct FourOf<double> {
  typedef double type __attribute__((vector_size(32)));
};
template <>
struct FourOf<float> {
  typedef float type __attribute__((vector_size(16)));
};

template <class T>
struct Lanes {
  static constexpr int count = 4;
  using Vector = typename FourOf<T>::type;
  Vector x;

  Lanes() = default;
  TENON_INLINE explicit Lanes(const T& s) : x{s, s, s, s} {}
  TENON_INLINE explicit Lanes(const Vector& v) : x(v) {}
  TENON_INLINE static Lanes load(const T* p) {
    Lanes l;
    __builtin_memcpy(static_cast<void*>(&l.x), p, sizeof l.x);
    return l;
  }
  TENON_INLINE void store(T* p) const { __builtin_memcpy(static_cast<void*>(p), &x, sizeof x); }
  TENON_INLINE T sum() const { return (x[0] + x[2]) + (x[1] + x[3]); }
};

template <class T>
TENON_INLINE Lanes<T> operator+(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>(a.x + b.x);
}
template <class T>
TENON_INLINE Lanes<T> operator-(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>(a.x - b.x);
}
template <class T>
TENON_INLINE Lanes<T> operator-(const Lanes<T>& a) {
  return Lanes<T>(-a.x);
}
template <class T>
TENON_INLINE Lanes<T> operator*(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>(a.x * b.x);
}

// n rounded up to whole packs.
constexpr int whole_packs(int n) {
  return (n + 3) / 4 * 4;
}

// The same value in every lane.
template <class T>
TENON_INLINE Vec3<Lanes<T>> spread(const Vec3<T>& a) {
  return {Lanes<T>(a.x), Lanes<T>(a.y), Lanes<T>(a.z)};
}
template <class T>
TENON_INLINE Motion<Lanes<T>> spread(const Motion<T>& a) {
  return {spread(a.w), spread(a.v)};
}
template <class T>
TENON_INLINE Force<Lanes<T>> spread(const Force<T>& a) {
  return {spread(a.n), spread(a.f)};
}
template <class T>
TENON_INLINE Transform<RotIdentity, Lanes<T>> spread(const Transform<RotIdentity, T>& X) {
  return {{}, spread(X.p)};
}
template <int K, class T>
TENON_INLINE Transform<RotAxis<K, Lanes<T>>, Lanes<T>> spread(const Transform<RotAxis<K, T>, T>& X) {
  return {{Lanes<T>(X.R.c), Lanes<T>(X.R.s)}, spread(X.p)};
}
template <class T>
TENON_INLINE Transform<Rot3<Lanes<T>>, Lanes<T>> spread(const Transform<Rot3<T>, T>& X) {
  const Mat3<T>& R = X.R.R;
  using L = Lanes<T>;
  return {{{L(R.xx), L(R.xy), L(R.xz), L(R.yx), L(R.yy), L(R.yz), L(R.zx), L(R.zy), L(R.zz)}}, spread(X.p)};
}

TENON_ISA_END
}  // namespace tenon
