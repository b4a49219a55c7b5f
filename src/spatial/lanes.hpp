// Four numbers side by side as one scalar, or eight: the T of spatial algebra over as many constraint rows, bodies or
// coordinates at a time. Uses vector extensions of the compiler, so that each instruction set uses its own registers without
// intrinsics. Compilers without such extensions use plain numbers.
#pragma once

#include <cstring>
#include <type_traits>

#if defined(__GNUC__) && defined(__AVX512VL__)
#include <immintrin.h>  // masked stores
#endif

#include "spatial/spatial.hpp"

namespace tenon {
template <class N, int W>
struct Pack;  // spatial/pack.hpp

TENON_ISA_BEGIN

// W numbers of any scalar.
template <class T, int W>
struct Numbers {
  T x[W];
  TENON_SMALL T& operator[](int i) { return x[i]; }
  TENON_SMALL const T& operator[](int i) const { return x[i]; }
};
template <class T, int W, class Operation>
TENON_SMALL Numbers<T, W> each_number(const Operation& operation) {
  if constexpr (W == 1)
    return {{operation(0)}};
  else if constexpr (W == 4)
    return {{operation(0), operation(1), operation(2), operation(3)}};
  else
    return {{operation(0), operation(1), operation(2), operation(3), operation(4), operation(5), operation(6),
             operation(7)}};
}
template <class T, int W>
TENON_SMALL Numbers<T, W> operator+(const Numbers<T, W>& a, const Numbers<T, W>& b) {
  return each_number<T, W>([&](int i) { return a.x[i] + b.x[i]; });
}
template <class T, int W>
TENON_SMALL Numbers<T, W> operator-(const Numbers<T, W>& a, const Numbers<T, W>& b) {
  return each_number<T, W>([&](int i) { return a.x[i] - b.x[i]; });
}
template <class T, int W>
TENON_SMALL Numbers<T, W> operator-(const Numbers<T, W>& a) {
  return each_number<T, W>([&](int i) { return -a.x[i]; });
}
template <class T, int W>
TENON_SMALL Numbers<T, W> operator*(const Numbers<T, W>& a, const Numbers<T, W>& b) {
  return each_number<T, W>([&](int i) { return a.x[i] * b.x[i]; });
}

// lanes: those of a and b, one after the other.
template <class T, int W>
struct VectorOf {
  using type = Numbers<T, W>;
  template <int... lanes>
  TENON_SMALL static void shuffle(const type& a, const type& b, type& out) {
    const auto lane = [&](int place) { return place < W ? a.x[place] : b.x[place - W]; };
    out = {{lane(lanes)...}};
  }
  template <int first>
  TENON_SMALL static void half(const type& a, Numbers<T, W / 2>& out) {
    for (int i = 0; i < W / 2; ++i) out.x[i] = a.x[first + i];
  }
  template <int...>
  TENON_SMALL static void join(const Numbers<T, W / 2>& a, const Numbers<T, W / 2>& b, type& out) {
    for (int i = 0; i < W / 2; ++i) out.x[i] = a.x[i], out.x[W / 2 + i] = b.x[i];
  }
};
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
template <int W>
struct VectorOf<double, W> {
  typedef double type __attribute__((vector_size(8 * W)));
  typedef double Half __attribute__((vector_size(4 * W)));
  template <int... lanes>
  TENON_SMALL static void shuffle(const type& a, const type& b, type& out) {
    out = __builtin_shufflevector(a, b, lanes...);
  }
  template <int first>  // of eight
  TENON_SMALL static void half(const type& a, Half& out) {
    out = __builtin_shufflevector(a, a, first, first + 1, first + 2, first + 3);
  }
  template <int... lanes>  // all, from 0 on
  TENON_SMALL static void join(const Half& a, const Half& b, type& out) {
    out = __builtin_shufflevector(a, b, lanes...);
  }
};
#endif

template <class T, int W = 4>
struct Lanes {
  using Number = T;
  static constexpr int count = W;
  using Vector = typename VectorOf<T, W>::type;
  Vector x;

  Lanes() = default;
  TENON_SMALL explicit Lanes(const T& s) {
    if constexpr (W == 1)
      x = Vector{{s}};
    else if constexpr (W == 4)
      x = Vector{s, s, s, s};
    else
      x = Vector{s, s, s, s, s, s, s, s};
  }
  template <class S, std::enable_if_t<std::is_same_v<S, double> && !std::is_same_v<T, double>, int> = 0>
  TENON_SMALL explicit Lanes(S s) : Lanes(T(s)) {}
  TENON_SMALL explicit Lanes(const Vector& v) : x(v) {}
  TENON_SMALL Lanes(const T& a, const T& b, const T& c, const T& d) : x{a, b, c, d} {}
  TENON_SMALL static Lanes load(const T* p) {
    Lanes l;
    std::memcpy(static_cast<void*>(&l.x), p, sizeof l.x);
    return l;
  }
  TENON_SMALL void store(T* p) const { std::memcpy(static_cast<void*>(p), &x, sizeof x); }
  TENON_SMALL T sum() const { return (x[0] + x[2]) + (x[1] + x[3]); }  // of four
};

// As many as a register holds, for kernels that may work on any number of things at a time.
#ifdef __AVX512F__
template <class T>
inline constexpr int wide_count = std::is_same_v<T, double> ? 8 : 4;
#else
template <class T>
inline constexpr int wide_count = 4;
#endif
// Those of several states fill registers by themselves.
template <class N, int W>
inline constexpr int wide_count<Pack<N, W>> = 1;
template <class T>
using Wide = Lanes<T, wide_count<T>>;

template <class T, int W>
TENON_SMALL Lanes<T, W> operator+(const Lanes<T, W>& a, const Lanes<T, W>& b) {
  return Lanes<T, W>(a.x + b.x);
}
template <class T, int W>
TENON_SMALL Lanes<T, W> operator-(const Lanes<T, W>& a, const Lanes<T, W>& b) {
  return Lanes<T, W>(a.x - b.x);
}
template <class T, int W>
TENON_SMALL Lanes<T, W> operator-(const Lanes<T, W>& a) {
  return Lanes<T, W>(-a.x);
}
template <class T, int W>
TENON_SMALL Lanes<T, W> operator*(const Lanes<T, W>& a, const Lanes<T, W>& b) {
  return Lanes<T, W>(a.x * b.x);
}

// Four lanes of eight, the first or the second; and eight of two times four.
template <int half, class T>
TENON_SMALL Lanes<T> half_of(const Lanes<T, 8>& a) {
  Lanes<T> out;
  VectorOf<T, 8>::template half<4 * half>(a.x, out.x);
  return out;
}
template <class T>
TENON_SMALL Lanes<T, 8> join(const Lanes<T>& a, const Lanes<T>& b) {
  Lanes<T, 8> out;
  VectorOf<T, 8>::template join<0, 1, 2, 3, 4, 5, 6, 7>(a.x, b.x, out.x);
  return out;
}

// Lanes i, j, k, l of the eight lanes of a and b; of eight lanes each, the same in both halves.
template <int i, int j, int k, int l, class T>
TENON_SMALL Lanes<T> shuffle(const Lanes<T>& a, const Lanes<T>& b) {
  Lanes<T> out;
  VectorOf<T, 4>::template shuffle<i, j, k, l>(a.x, b.x, out.x);
  return out;
}
template <int i, int j, int k, int l, class T>
TENON_SMALL Lanes<T, 8> shuffle(const Lanes<T, 8>& a, const Lanes<T, 8>& b) {
  constexpr auto place = [](int lane) { return lane < 4 ? lane : lane + 4; };
  Lanes<T, 8> out;
  VectorOf<T, 8>::template shuffle<place(i), place(j), place(k), place(l), place(i) + 4, place(j) + 4,
                                   place(k) + 4, place(l) + 4>(a.x, b.x, out.x);
  return out;
}
// The first `count` lanes of b, at most four, then those of a.
template <int count, class T>
TENON_SMALL Lanes<T> replace_first(const Lanes<T>& a, const Lanes<T>& b) {
  return shuffle<(count > 0 ? 4 : 0), (count > 1 ? 5 : 1), (count > 2 ? 6 : 2), (count > 3 ? 7 : 3)>(a, b);
}
template <int count, class T>
TENON_SMALL Lanes<T, 8> replace_first(const Lanes<T, 8>& a, const Lanes<T, 8>& b) {
  Lanes<T, 8> out;
  VectorOf<T, 8>::template shuffle<(count > 0 ? 8 : 0), (count > 1 ? 9 : 1), (count > 2 ? 10 : 2),
                                   (count > 3 ? 11 : 3), 4, 5, 6, 7>(a.x, b.x, out.x);
  return out;
}
// The matrix with rows a, b, c, d becomes its transpose; of eight lanes, both halves for themselves.
template <class T, int W>
TENON_SMALL void transpose(Lanes<T, W>& a, Lanes<T, W>& b, Lanes<T, W>& c, Lanes<T, W>& d) {
  const Lanes<T, W> even_ab = shuffle<0, 4, 2, 6>(a, b), odd_ab = shuffle<1, 5, 3, 7>(a, b);
  const Lanes<T, W> even_cd = shuffle<0, 4, 2, 6>(c, d), odd_cd = shuffle<1, 5, 3, 7>(c, d);
  a = shuffle<0, 1, 4, 5>(even_ab, even_cd), b = shuffle<0, 1, 4, 5>(odd_ab, odd_cd);
  c = shuffle<2, 3, 6, 7>(even_ab, even_cd), d = shuffle<2, 3, 6, 7>(odd_ab, odd_cd);
}
// Packs of four numbers of W things: out[e] holds number e of all. at(l): the pack of thing l.
template <int W, class T, class At>
TENON_SMALL void gather_packs(const At& at, Lanes<T, W> (&out)[4]) {
  if constexpr (W == 1) {
    const Lanes<T> pack = at(0);
    for (int e = 0; e < 4; ++e) out[e] = Lanes<T, 1>(pack.x[e]);
  } else if constexpr (W == 4) {
    for (int l = 0; l < 4; ++l) out[l] = at(l);
  } else {
    for (int l = 0; l < 4; ++l) out[l] = join(at(l), at(l + 4));
  }
  if constexpr (W > 1) transpose(out[0], out[1], out[2], out[3]);
}
// The inverse: calls store(l, the pack of thing l). Overwrites x.
template <class T, int W, class Store>
TENON_SMALL void scatter_packs(Lanes<T, W> (&x)[4], const Store& store) {
  if constexpr (W > 1) transpose(x[0], x[1], x[2], x[3]);
  if constexpr (W == 1) {
    store(0, Lanes<T>(x[0].x[0], x[1].x[0], x[2].x[0], x[3].x[0]));
  } else if constexpr (W == 4) {
    for (int l = 0; l < 4; ++l) store(l, x[l]);
  } else {
    for (int l = 0; l < 4; ++l) store(l, half_of<0>(x[l])), store(l + 4, half_of<1>(x[l]));
  }
}
// Stores the first n lanes, 1 <= n <= 4.
template <class T>
TENON_SMALL void store_first(const Lanes<T>& x, int n, T* p) {
  if (n == 4) return x.store(p);
  if (n == 1) {
    p[0] = x.x[0];
    return;
  }
  std::memcpy(static_cast<void*>(p), &x.x, 2 * sizeof(T));
  if (n == 3) p[2] = x.x[2];
}
// The same of eight.
template <class T>
TENON_SMALL void store_first(const Lanes<T, 8>& x, int n, T* p) {
  if (n == 8) return x.store(p);
  if (n <= 4) return store_first(half_of<0>(x), n, p);
  half_of<0>(x).store(p);
  store_first(half_of<1>(x), n - 4, p + 4);
}
#if defined(__GNUC__) && defined(__AVX512VL__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
TENON_SMALL void store_first(const Lanes<double>& x, int n, double* p) {
  _mm256_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), (__m256d)x.x);
}
TENON_SMALL void store_first(const Lanes<double, 8>& x, int n, double* p) {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), (__m512d)x.x);
}
inline constexpr bool stores_by_mask = true;  // store_first with n = 0 stores nothing
#else
inline constexpr bool stores_by_mask = false;
#endif
// Stores the first n lanes, none for n = 0. Where stores take a mask, without a branch.
template <class T, int W>
TENON_SMALL void store_some(const Lanes<T, W>& x, int n, T* p) {
  if (stores_by_mask || n > 0) store_first(x, n, p);
}

// x, of which the compiler knows nothing any more: it does not make a call of memset of a loop that stores zeros.
template <class L>
TENON_SMALL L hidden(L x) {
#if defined(__GNUC__) && defined(__AVX__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
  if constexpr (std::is_same_v<typename L::Number, double>) __asm__("" : "+v"(x.x));
#endif
  return x;
}

// Cross product of vectors with components in lanes x, y, z and zero in the last lane.
template <class T>
TENON_SMALL Lanes<T> cross_components(const Lanes<T>& a, const Lanes<T>& b) {
  const Lanes<T> c = a * shuffle<1, 2, 0, 3>(b, b) - shuffle<1, 2, 0, 3>(a, a) * b;
  return shuffle<1, 2, 0, 3>(c, c);
}

// f(0), ..., f(n - 1) with compile-time values.
template <int n, class F>
TENON_SMALL void unroll(F&& f) {
  if constexpr (n > 0) {
    unroll<n - 1>(f);
    f(std::integral_constant<int, n - 1>{});
  }
}

// Calls f with n, at least one and at most `most`, as a compile-time value.
template <int most, class F>
TENON_SMALL void with_size(int n, F&& f) {
  if constexpr (most > 1)
    if (n < most) return with_size<most - 1>(n, f);
  f(std::integral_constant<int, most>{});
}

// n rounded up to whole packs, and to whole packs of the widest lanes.
constexpr int whole_packs(int n) {
  return (n + 3) / 4 * 4;
}
constexpr int whole_eights(int n) {
  return (n + 7) / 8 * 8;
}

// The same value in every lane.
template <int W = 4, class T>
TENON_SMALL Vec3<Lanes<T, W>> spread(const Vec3<T>& a) {
  using L = Lanes<T, W>;
  return {L(a.x), L(a.y), L(a.z)};
}
template <int W = 4, class T>
TENON_SMALL Motion<Lanes<T, W>> spread(const Motion<T>& a) {
  return {spread<W>(a.w), spread<W>(a.v)};
}
template <int W = 4, class T>
TENON_SMALL Force<Lanes<T, W>> spread(const Force<T>& a) {
  return {spread<W>(a.n), spread<W>(a.f)};
}
template <class T>
TENON_SMALL Transform<RotIdentity, Lanes<T>> spread(const Transform<RotIdentity, T>& X) {
  return {{}, spread(X.p)};
}
template <int K, class T>
TENON_SMALL Transform<RotAxis<K, Lanes<T>>, Lanes<T>> spread(const Transform<RotAxis<K, T>, T>& X) {
  return {{Lanes<T>(X.R.c), Lanes<T>(X.R.s)}, spread(X.p)};
}
template <class T>
TENON_SMALL Transform<Rot3<Lanes<T>>, Lanes<T>> spread(const Transform<Rot3<T>, T>& X) {
  const Mat3<T>& R = X.R.R;
  using L = Lanes<T>;
  return {{{L(R.xx), L(R.xy), L(R.xz), L(R.yx), L(R.yy), L(R.yz), L(R.zx), L(R.zy), L(R.zz)}}, spread(X.p)};
}

// For algorithms on the numbers V of four things side by side, Lanes<T>, or of one, T.
template <class V>
inline constexpr bool is_lanes = false;
template <class T, int W>
inline constexpr bool is_lanes<Lanes<T, W>> = true;
template <class V, class T>
TENON_SMALL V load_number(const T* p) {
  if constexpr (is_lanes<V>)
    return V::load(p);
  else
    return *p;
}
template <class V, class T>
TENON_SMALL void store_number(const V& x, T* p) {
  if constexpr (is_lanes<V>)
    x.store(p);
  else
    *p = x;
}
template <class V, class X>
TENON_SMALL auto spread_to(const X& x) {
  if constexpr (is_lanes<V>)
    return spread(x);
  else
    return x;
}

// Six numbers of each lane, one component every `stride` numbers.
template <int W = 4, class T>
TENON_SMALL Force<Lanes<T, W>> load_rows(const T* K, int stride) {
  const auto load = [&](int e) { return Lanes<T, W>::load(K + e * stride); };
  return {{load(0), load(1), load(2)}, {load(3), load(4), load(5)}};
}
template <int W = 4, class T>
TENON_SMALL Motion<Lanes<T, W>> load_motions(const T* a, int stride) {
  const Force<Lanes<T, W>> x = load_rows<W>(a, stride);
  return {x.n, x.f};
}
template <class T, int W>
TENON_SMALL void store_lanes(T* a, int stride, const Vec3<Lanes<T, W>>& v) {
  v.x.store(a), v.y.store(a + stride), v.z.store(a + 2 * stride);
}
template <class T, int W>
TENON_SMALL void store_rows(T* K, int stride, const Force<Lanes<T, W>>& f) {
  store_lanes(K, stride, f.n);
  store_lanes(K + 3 * stride, stride, f.f);
}
template <class T, int W>
TENON_SMALL void store_motions(T* a, int stride, const Motion<Lanes<T, W>>& m) {
  store_rows(a, stride, Force<Lanes<T, W>>{m.w, m.v});
}

TENON_ISA_END
}  // namespace tenon
