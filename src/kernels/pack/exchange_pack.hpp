// Numbers of W states from and to arrays in which each state has its own contiguous numbers. W numbers of W states
// are a square matrix, which is transposed in registers: at distance s = W / 2, ..., 1 rows i and i + s exchange the
// lanes that differ in bit s (J. Eklundh, A fast computer method for matrix transposing, 1972).
#pragma once

#include <cstddef>
#include <cstring>

#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <int s, class Vector, int W>
TENON_INLINE void transpose_by(Vector (&x)[W]) {
  for (int i = 0; i < W; ++i)
    if ((i & s) == 0) exchange_lanes<s>(x[i], x[i + s], std::make_integer_sequence<int, W>{});
  if constexpr (s > 1) transpose_by<s / 2>(x);
}

// to[i][l] := from[l][i], and its reverse, for the first `count` numbers, whole multiples of W. The lines `ahead`
// numbers further, where the next pack's are, are fetched meanwhile: rows of eight states are no stream that the
// processor foresees.
template <class N, int W>
void gather_states(const N* const* from, int count, std::ptrdiff_t ahead, Pack<N, W>* to) {
  for (int begin = 0; begin < count; begin += W) {
    typename Pack<N, W>::Vector x[W];
    for (int l = 0; l < W; ++l) {
      std::memcpy(static_cast<void*>(&x[l]), from[l] + begin, sizeof x[l]);
      fetch_line<false>(from[l] + begin + ahead);
    }
    transpose_by<W / 2>(x);
    for (int i = 0; i < W; ++i) to[begin + i].x = x[i];
  }
}
template <class N, int W>
void scatter_states(const Pack<N, W>* from, int count, std::ptrdiff_t ahead, N* const* to) {
  for (int begin = 0; begin < count; begin += W) {
    typename Pack<N, W>::Vector x[W];
    for (int i = 0; i < W; ++i) x[i] = from[begin + i].x;
    transpose_by<W / 2>(x);
    for (int l = 0; l < W; ++l) {
      std::memcpy(static_cast<void*>(to[l] + begin), &x[l], sizeof x[l]);
      fetch_line<true>(to[l] + begin + ahead);
    }
  }
}

// finite[l] := whether lane l has neither infinities nor NaN, by their bits: these kernels are compiled for finite
// numbers.
template <class N, int W>
void find_finite(const Pack<N, W>* x, int count, bool* finite) {
  using Bits = typename Pack<N, W>::Bits;
  using Integer = typename Pack<N, W>::Integer;
  constexpr Integer exponent = sizeof(N) == sizeof(double) ? static_cast<Integer>(0x7ff0000000000000)
                                                           : static_cast<Integer>(0x7f800000);
  Bits found = Bits{};
  for (int i = 0; i < count; ++i) found |= (Bits)((x[i].bits() & exponent) == exponent);
  for (int l = 0; l < W; ++l) finite[l] = found[l] == 0;
}

TENON_ISA_END
}  // namespace tenon
