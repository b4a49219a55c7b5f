// Numbers of W states from and to arrays in which each state has its own contiguous numbers. K numbers of W states, K
// a power of two, are W / K square matrices side by side in K registers. These are transposed there: at distance s = K /
// 2, ..., 1 rows i and i + s exchange the lanes that differ in bit s (J. Eklundh, A fast computer method for matrix
// transposing, 1972).
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>

#include "kernels/pack/pack_table.hpp"
#include "spatial/pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <int s, int W, class Vector, int K>
TENON_INLINE void transpose_by(Vector (&x)[K]) {
  if constexpr (s > 0) {
    for (int i = 0; i < K; ++i)
      if ((i & s) == 0) exchange_lanes<s>(x[i], x[i + s], std::make_integer_sequence<int, W>{});
    transpose_by<s / 2, W>(x);
  }
}

// The register whose lanes are K numbers of from[0], K of from[K], ..., each from `begin` on; and its reverse.
template <int K, class N, int W>
TENON_INLINE void load_row(const N* const* from, std::ptrdiff_t begin, typename Pack<N, W>::Vector& x) {
  if constexpr (K == W) {
    std::memcpy(static_cast<void*>(&x), from[0] + begin, sizeof x);
  } else {
    typename Pack<N, W / 2>::Vector low, high;
    load_row<K, N, W / 2>(from, begin, low);
    load_row<K, N, W / 2>(from + W / 2, begin, high);
    x = join_lanes(low, high, std::make_integer_sequence<int, W>{});
  }
}
template <int K, class N, int W>
TENON_INLINE void store_row(const typename Pack<N, W>::Vector& x, std::ptrdiff_t begin, N* const* to) {
  if constexpr (K == W) {
    std::memcpy(to[0] + begin, &x, sizeof x);
  } else {
    constexpr auto half = std::make_integer_sequence<int, W / 2>{};
    store_row<K, N, W / 2>(lanes_from<0>(x, half), begin, to);
    store_row<K, N, W / 2>(lanes_from<W / 2>(x, half), begin, to + W / 2);
  }
}

// Whether the end of a list, `left` numbers, fewer than K, goes as a block of its last K numbers, of which the first went before:
// from more than half of K on that costs less than blocks of fewer numbers.
template <int K>
TENON_INLINE bool ends_with_block(std::ptrdiff_t left, std::ptrdiff_t count) {
  return 2 * left > K && count >= K;
}

// Lanes of `beyond` := not zero where a number of x is none, or beyond the bits of `limit`: by their bits, because these
// kernels are compiled for finite numbers.
template <class Io, int W>
TENON_INLINE void find_beyond(const Pack<Io, W>& x, typename Pack<Io, W>::Integer limit,
                              typename Pack<Io, W>::Bits& beyond) {
  using Bits = typename Pack<Io, W>::Bits;
  constexpr auto magnitude = std::numeric_limits<typename Pack<Io, W>::Integer>::max();
  beyond |= (Bits)((x.bits() & magnitude) > limit);
}
template <class Io, int W>
TENON_INLINE typename Pack<Io, W>::Integer bits_of(Io x) {
  typename Pack<Io, W>::Integer bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// to[i][l] := from[l][i], and its reverse, for i from `begin` to `count`: K numbers at a time, then the rest. The
// lines `ahead` numbers further, where the next pack's are, are fetched meanwhile: rows of eight states are no stream
// that the processor foresees. Io: the type of the numbers in the arrays.
template <int K, class Io, class N, int W>
TENON_INLINE void gather_block(const Io* const* from, std::ptrdiff_t begin,
                               typename Pack<Io, W>::Bits& beyond, Pack<N, W>* to) {
  constexpr auto limit = std::numeric_limits<Io>::max();
  typename Pack<Io, W>::Vector x[K];
  for (int i = 0; i < K; ++i) load_row<K, Io, W>(from + i, begin, x[i]);
  transpose_by<K / 2, W>(x);
  for (int i = 0; i < K; ++i) {
    find_beyond<Io, W>(Pack<Io, W>(x[i]), bits_of<Io, W>(limit), beyond);
    to[begin + i] = convert_lanes<Pack<N, W>>(Pack<Io, W>(x[i]));
  }
}
template <int K, class Io, class N, int W>
TENON_INLINE void gather_states(const Io* const* from, std::ptrdiff_t begin, std::ptrdiff_t count,
                                std::ptrdiff_t ahead, typename Pack<Io, W>::Bits& beyond, Pack<N, W>* to) {
  for (; begin + K <= count; begin += K) {
    gather_block<K>(from, begin, beyond, to);
    for (int l = 0; K == W && ahead != 0 && l < W; ++l) fetch_line<false>(from[l] + begin + ahead);
  }
  if constexpr (K > 1) {
    if (ends_with_block<K>(count - begin, count))
      gather_block<K>(from, count - K, beyond, to);
    else
      gather_states<K / 2>(from, begin, count, ahead, beyond, to);
  }
}
template <int K, class Io, class N, int W>
TENON_INLINE void scatter_block(const Pack<N, W>* from, std::ptrdiff_t begin, bool zero, Io* const* to) {
  typename Pack<Io, W>::Vector x[K];
  if (zero) {
    for (int i = 0; i < K; ++i) x[i] = typename Pack<Io, W>::Vector{};
  } else {
    for (int i = 0; i < K; ++i) x[i] = convert_lanes<Pack<Io, W>>(from[begin + i]).x;
    transpose_by<K / 2, W>(x);
  }
  for (int i = 0; i < K; ++i) store_row<K, Io, W>(x[i], begin, to + i);
}
template <int K, class Io, class N, int W>
TENON_INLINE void scatter_states(const Pack<N, W>* from, std::ptrdiff_t begin, std::ptrdiff_t count,
                                 std::ptrdiff_t ahead, const char* zeros, Io* const* to) {
  for (; begin + K <= count; begin += K) {
    scatter_block<K>(from, begin, K == W && zeros && zeros[begin / W], to);
    for (int l = 0; K == W && ahead != 0 && l < W; ++l) fetch_line<true>(to[l] + begin + ahead);
  }
  if constexpr (K > 1) {
    // Where some are zeros that are not there, the last K may be among these.
    if (!zeros && ends_with_block<K>(count - begin, count))
      scatter_block<K>(from, count - K, false, to);
    else
      scatter_states<K / 2>(from, begin, count, ahead, zeros, to);
  }
}

// Where the states in the lanes have their numbers of a list. Fetches the last line of those of the next pack.
template <bool to_write, class Io, class N, int W>
struct PlacesOfStates {
  PlacesOfStates(const StateList<Io, Pack<N, W>>& list, const std::size_t* state) {
    const std::ptrdiff_t last = list.ahead + list.count - 1;
    for (int l = 0; l < W; ++l) {
      of[l] = list.array + static_cast<std::ptrdiff_t>(state[l]) * list.stride;
      fetch_line<to_write>(of[l] + last);
    }
  }
  Io* of[W];
};

// All lists of a call in one call of a kernel: those of small robots are shorter than what a call takes.
template <class Io, class N, int W>
void gather_states(const StateList<Io, Pack<N, W>>* lists, std::size_t list_count, const std::size_t* state,
                   Pack<Io, W>* beyond) {
  auto found = beyond->bits();
  for (const auto* list = lists; list != lists + list_count; ++list) {
    const PlacesOfStates<false, Io, N, W> from(*list, state);
    gather_states<W>(from.of, 0, list->count, list->ahead, found, list->packs);
  }
  *beyond = Pack<Io, W>::of_bits(found);
}
template <class Io, class N, int W>
void scatter_states(const StateList<Io, Pack<N, W>>* lists, std::size_t list_count,
                    const std::size_t* state) {
  for (const auto* list = lists; list != lists + list_count; ++list) {
    const PlacesOfStates<true, Io, N, W> to(*list, state);
    const char* const no_zeros = nullptr;
    scatter_states<W>(list->packs, 0, list->count, list->ahead, no_zeros, to.of);
  }
}
template <class Io, class N, int W>
void scatter_lines(const Pack<N, W>* from, std::ptrdiff_t count, const char* zeros, Io* const* to) {
  constexpr std::ptrdiff_t nothing_ahead = 0;
  scatter_states<W>(from, 0, count, nothing_ahead, zeros, to);
}

// The same of numbers in lanes, as Io, and of those beyond `largest` too.
template <class Io, class N, int W>
void find_beyond(const StateList<Io, Pack<N, W>>* lists, std::size_t list_count, Io largest,
                 Pack<Io, W>* beyond) {
  const auto limit = bits_of<Io, W>(largest);
  auto found = beyond->bits();
  for (const auto* list = lists; list != lists + list_count; ++list) {
    const Pack<N, W>* const x = list->packs;
    const std::ptrdiff_t count = list->count;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      find_beyond<Io, W>(convert_lanes<Pack<Io, W>>(x[i]), limit, found);
  }
  *beyond = Pack<Io, W>::of_bits(found);
}

TENON_ISA_END
}  // namespace tenon
