// Four numbers side by side as one scalar: the T of spatial algebra over four constraint rows at a time. Uses
// vector extensions of the compiler, so that each instruction set uses its own registers without intrinsics.
// Compilers without such extensions use four plain numbers.
#pragma once

#include <cstring>
#include <type_traits>

#include "spatial/spatial.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Four numbers of any scalar.
template <class T>
struct FourNumbers {
  T x[4];
  TENON_INLINE T& operator[](int i) { return x[i]; }
  TENON_INLINE const T& operator[](int i) const { return x[i]; }
};
template <class T>
TENON_INLINE FourNumbers<T> operator+(const FourNumbers<T>& a, const FourNumbers<T>& b) {
  return {{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2], a.x[3] + b.x[3]}};
}
template <class T>
TENON_INLINE FourNumbers<T> operator-(const FourNumbers<T>& a, const FourNumbers<T>& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2], a.x[3] - b.x[3]}};
}
template <class T>
TENON_INLINE FourNumbers<T> operator-(const FourNumbers<T>& a) {
  return {{-a.x[0], -a.x[1], -a.x[2], -a.x[3]}};
}
template <class T>
TENON_INLINE FourNumbers<T> operator*(const FourNumbers<T>& a, const FourNumbers<T>& b) {
  return {{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2], a.x[3] * b.x[3]}};
}
template <class T>
struct FourOf {
  using type = FourNumbers<T>;
  template <int i, int j, int k, int l>
  TENON_INLINE static void shuffle(const type& a, const type& b, type& out) {
    const auto lane = [&](int place) { return place < 4 ? a.x[place] : b.x[place - 4]; };
    out = {{lane(i), lane(j), lane(k), lane(l)}};
  }
};
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
template <>
struct FourOf<double> {
  typedef double type __attribute__((vector_size(32)));
  template <int i, int j, int k, int l>
  TENON_INLINE static void shuffle(const type& a, const type& b, type& out) {
    out = __builtin_shufflevector(a, b, i, j, k, l);
  }
};
#endif

template <class T>
struct Lanes {
  static constexpr int count = 4;
  using Vector = typename FourOf<T>::type;
  Vector x;

  Lanes() = default;
  TENON_INLINE explicit Lanes(const T& s) : x{s, s, s, s} {}
  template <class S, std::enable_if_t<std::is_same_v<S, double> && !std::is_same_v<T, double>, int> = 0>
  TENON_INLINE explicit Lanes(S s) : Lanes(T(s)) {}
  TENON_INLINE explicit Lanes(const Vector& v) : x(v) {}
  TENON_INLINE Lanes(const T& a, const T& b, const T& c, const T& d) : x{a, b, c, d} {}
  TENON_INLINE static Lanes load(const T* p) {
    Lanes l;
    std::memcpy(static_cast<void*>(&l.x), p, sizeof l.x);
    return l;
  }
  TENON_INLINE void store(T* p) const { std::memcpy(static_cast<void*>(p), &x, sizeof x); }
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

// Lanes i, j, k, l of the eight lanes of a and b.
template <int i, int j, int k, int l, class T>
TENON_INLINE Lanes<T> shuffle(const Lanes<T>& a, const Lanes<T>& b) {
  Lanes<T> out;
  FourOf<T>::template shuffle<i, j, k, l>(a.x, b.x, out.x);
  return out;
}
// The matrix with rows a, b, c, d becomes its transpose.
template <class T>
TENON_INLINE void transpose(Lanes<T>& a, Lanes<T>& b, Lanes<T>& c, Lanes<T>& d) {
  const Lanes<T> even_ab = shuffle<0, 4, 2, 6>(a, b), odd_ab = shuffle<1, 5, 3, 7>(a, b);
  const Lanes<T> even_cd = shuffle<0, 4, 2, 6>(c, d), odd_cd = shuffle<1, 5, 3, 7>(c, d);
  a = shuffle<0, 1, 4, 5>(even_ab, even_cd), b = shuffle<0, 1, 4, 5>(odd_ab, odd_cd);
  c = shuffle<2, 3, 6, 7>(even_ab, even_cd), d = shuffle<2, 3, 6, 7>(odd_ab, odd_cd);
}
// Stores the first n lanes, 1 <= n <= 4.
template <class T>
TENON_INLINE void store_first(const Lanes<T>& x, int n, T* p) {
  if (n == 4) return x.store(p);
  if (n == 1) {
    p[0] = x.x[0];
    return;
  }
  std::memcpy(static_cast<void*>(p), &x.x, 2 * sizeof(T));
  if (n == 3) p[2] = x.x[2];
}

// Cross product of vectors with components in lanes x, y, z and zero in the last lane.
template <class T>
TENON_INLINE Lanes<T> cross_components(const Lanes<T>& a, const Lanes<T>& b) {
  const Lanes<T> c = a * shuffle<1, 2, 0, 3>(b, b) - shuffle<1, 2, 0, 3>(a, a) * b;
  return shuffle<1, 2, 0, 3>(c, c);
}

// f(0), ..., f(n - 1) with compile-time values.
template <int n, class F>
TENON_INLINE void unroll(F&& f) {
  if constexpr (n > 0) {
    unroll<n - 1>(f);
    f(std::integral_constant<int, n - 1>{});
  }
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

// For algorithms on the numbers V of four things side by side, Lanes<T>, or of one, T.
template <class V>
inline constexpr bool is_lanes = false;
template <class T>
inline constexpr bool is_lanes<Lanes<T>> = true;
template <class V, class T>
TENON_INLINE V load_number(const T* p) {
  if constexpr (is_lanes<V>)
    return V::load(p);
  else
    return *p;
}
template <class V, class T>
TENON_INLINE void store_number(const V& x, T* p) {
  if constexpr (is_lanes<V>)
    x.store(p);
  else
    *p = x;
}
template <class V, class X>
TENON_INLINE auto spread_to(const X& x) {
  if constexpr (is_lanes<V>)
    return spread(x);
  else
    return x;
}

// Six numbers of each lane, one component every `stride` numbers.
template <class T>
TENON_INLINE Force<Lanes<T>> load_rows(const T* K, int stride) {
  const auto load = [&](int e) { return Lanes<T>::load(K + e * stride); };
  return {{load(0), load(1), load(2)}, {load(3), load(4), load(5)}};
}
template <class T>
TENON_INLINE Motion<Lanes<T>> load_motions(const T* a, int stride) {
  const Force<Lanes<T>> x = load_rows(a, stride);
  return {x.n, x.f};
}
template <class T>
TENON_INLINE void store_lanes(T* a, int stride, const Vec3<Lanes<T>>& v) {
  v.x.store(a), v.y.store(a + stride), v.z.store(a + 2 * stride);
}
template <class T>
TENON_INLINE void store_rows(T* K, int stride, const Force<Lanes<T>>& f) {
  store_lanes(K, stride, f.n);
  store_lanes(K + 3 * stride, stride, f.f);
}
template <class T>
TENON_INLINE void store_motions(T* a, int stride, const Motion<Lanes<T>>& m) {
  store_rows(a, stride, Force<Lanes<T>>{m.w, m.v});
}

TENON_ISA_END
}  // namespace tenon
