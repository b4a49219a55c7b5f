// The numbers of W states side by side: the T of kernels that work on W states at a time, and their memory as all other
// code sees it. Operations are lane by lane, so that the result of a lane does not depend on the others. A comparison is
// true if it is true in all lanes; only those exist that kernels without branches on numbers need.
//
// One type for all instruction sets, where functions differ: so all of its functions are inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "spatial/ordered.hpp"

#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
#define TENON_PACKS 1
#if defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define TENON_SQUARE_ROOT_OF_VECTORS 1
#endif
#endif
#endif

namespace tenon {

#ifdef TENON_PACKS
template <class N, int W>
struct alignas(sizeof(N) * W) Pack {  // some targets align long vectors less
  using Number = N;
  using Integer = std::conditional_t<sizeof(N) == sizeof(double), std::int64_t, std::int32_t>;
  static constexpr int width = W;
  typedef N Vector __attribute__((vector_size(sizeof(N) * W), may_alias));
  typedef Integer Bits __attribute__((vector_size(sizeof(N) * W), may_alias));
  Vector x;

  Pack() = default;
  TENON_SMALL explicit Pack(double s) : x(Vector{} + static_cast<N>(s)) {}
  TENON_SMALL explicit Pack(const Vector& v) : x(v) {}
  TENON_SMALL static Pack of_bits(const Bits& b) { return Pack((Vector)b); }
  TENON_SMALL Bits bits() const { return (Bits)x; }
  TENON_SMALL N& operator[](int lane) { return reinterpret_cast<N*>(&x)[lane]; }
  TENON_SMALL const N& operator[](int lane) const { return reinterpret_cast<const N*>(&x)[lane]; }

  TENON_SMALL friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.x + b.x); }
  TENON_SMALL friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.x - b.x); }
  TENON_SMALL friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.x * b.x); }
  TENON_SMALL friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.x / b.x); }
  TENON_SMALL friend Pack operator-(const Pack& a) { return Pack(-a.x); }
  TENON_SMALL friend bool operator>(const Pack& a, const Pack& b) {
    const Bits less = (Bits)(a.x > b.x);
    Integer all = -1;
    for (int i = 0; i < W; ++i) all &= less[i];
    return all != 0;
  }
};
#else
// Without kernels: what is done between sweeps.
template <class N, int W>
struct alignas(sizeof(N) * W) Pack {
  using Number = N;
  static constexpr int width = W;
  N x[W];

  Pack() = default;
  explicit Pack(double s) {
    for (N& e : x) e = static_cast<N>(s);
  }
  N& operator[](int lane) { return x[lane]; }
  const N& operator[](int lane) const { return x[lane]; }

  friend Pack operator+(const Pack& a, const Pack& b) {
    Pack sum;
    for (int i = 0; i < W; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    Pack product;
    for (int i = 0; i < W; ++i) product.x[i] = a.x[i] * b.x[i];
    return product;
  }
};
#endif

template <class T>
inline constexpr bool is_pack = false;
template <class N, int W>
inline constexpr bool is_pack<Pack<N, W>> = true;
// A number is a pack of one lane.
template <class T>
inline constexpr int lanes_in = 1;
template <class N, int W>
inline constexpr int lanes_in<Pack<N, W>> = W;

#ifdef TENON_PACKS
TENON_ISA_BEGIN

template <class N, int W>
inline constexpr bool is_ordered<Pack<N, W>> = true;

// a in the lanes where the bits of mask are set, b in the others.
template <class N, int W>
TENON_SMALL Pack<N, W> select(const typename Pack<N, W>::Bits& mask, const Pack<N, W>& a,
                              const Pack<N, W>& b) {
#ifdef __AVX__  // has an instruction that looks at the first bit of each lane
  return Pack<N, W>(mask < 0 ? a.x : b.x);
#else
  return Pack<N, W>::of_bits((mask & a.bits()) | (~mask & b.bits()));
#endif
}
template <class N, int W>
TENON_SMALL typename Pack<N, W>::Bits lanes_above(const Pack<N, W>& a, const Pack<N, W>& b) {
  return (typename Pack<N, W>::Bits)(a.x > b.x);
}
template <class Bits>
TENON_SMALL std::int32_t bits_of_others(const Bits& chosen) {
  std::int32_t bits = 0;
  for (int i = 0; i < static_cast<int>(sizeof chosen / sizeof chosen[0]); ++i)
    bits |= (chosen[i] == 0 ? 1 : 0) << i;
  return bits;
}
template <class N, int W>
TENON_SMALL Pack<N, W> larger(const Pack<N, W>& a, const Pack<N, W>& b) {
  return select<N, W>(lanes_above(a, b), a, b);
}
template <class N, int W>
TENON_SMALL Pack<N, W> magnitude_of(const Pack<N, W>& a) {
  return Pack<N, W>::of_bits(a.bits() & std::numeric_limits<typename Pack<N, W>::Integer>::max());
}
template <class N, int W>
TENON_SMALL Pack<N, W> square_root(const Pack<N, W>& a) {
#ifdef TENON_SQUARE_ROOT_OF_VECTORS
  return Pack<N, W>(__builtin_elementwise_sqrt(a.x));
#else
  Pack<N, W> r;
  for (int i = 0; i < W; ++i) {
    if constexpr (sizeof(N) == sizeof(double))
      r.x[i] = __builtin_sqrt(a.x[i]);
    else
      r.x[i] = __builtin_sqrtf(a.x[i]);
  }
  return r;
#endif
}

// The lanes of b without bit s and the lanes of a with it change places, s apart.
template <int s, class Vector, int... lane>
TENON_SMALL void exchange_lanes(Vector& a, Vector& b, std::integer_sequence<int, lane...>) {
  constexpr int W = sizeof...(lane);
  const Vector low = __builtin_shufflevector(a, b, ((lane & s) != 0 ? W + lane - s : lane)...);
  b = __builtin_shufflevector(a, b, ((lane & s) != 0 ? W + lane : lane + s)...);
  a = low;
}

// The lanes of a, then those of b; and as many lanes of a as there are numbers in `lane`, from `first` on.
template <class Vector, int... lane>
TENON_SMALL auto join_lanes(const Vector& a, const Vector& b, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, b, lane...);
}
template <int first, class Vector, int... lane>
TENON_SMALL auto lanes_from(const Vector& a, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, a, (first + lane)...);
}

// The same numbers as those of another type.
template <class To, class From>
TENON_SMALL To convert_lanes(const From& a) {
  return To(__builtin_convertvector(a.x, typename To::Vector));
}

// Asks for the cache line of an address that is read or written soon; it need not be valid.
template <bool writes>
TENON_SMALL void fetch_line(const void* address) {
  __builtin_prefetch(address, writes ? 1 : 0);
}

TENON_ISA_END
#endif

TENON_ISA_BEGIN
TENON_SMALL double lane_of(double a, int) {
  return a;
}
template <class N, int W>
TENON_SMALL N lane_of(const Pack<N, W>& a, int lane) {
  return a.x[lane];
}
TENON_SMALL void set_lane(double& a, int, double to) {
  a = to;
}
template <class N, int W>
TENON_SMALL void set_lane(Pack<N, W>& a, int lane, N to) {
  a.x[lane] = to;
}
template <class T, std::size_t size>
TENON_SMALL void set_lanes(T (&a)[size], int lane, const double (&to)[size]) {
  for (std::size_t i = 0; i < size; ++i) set_lane(a[i], lane, to[i]);
}
TENON_ISA_END
}  // namespace tenon
