// What kernels measure sizes with, for scalars that have an order: numbers here, packs of them in pack.hpp, lane by
// lane. A recorder of operations has none, and nothing is measured then.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
inline constexpr bool is_ordered = std::is_floating_point_v<T>;

TENON_SMALL double larger(double a, double b) {
  return a > b ? a : b;
}
TENON_SMALL double magnitude_of(double a) {
  return larger(a, -a);
}

// Where a > b, and a choice by that. A number is a pack of one lane.
template <class T>
TENON_SMALL bool lanes_above(const T& a, const T& b) {
  return a > b;
}
TENON_SMALL double select(bool chosen, double a, double b) {
  return chosen ? a : b;
}
template <class T>
using Lanewise = decltype(lanes_above(std::declval<T>(), std::declval<T>()));
// A bit for each lane that is not chosen; one number has the first.
TENON_SMALL std::int32_t bits_of_others(bool chosen) {
  return chosen ? 0 : 1;
}

TENON_ISA_END
}  // namespace tenon
