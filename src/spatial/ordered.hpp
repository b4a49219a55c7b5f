// What kernels measure sizes with, for scalars that have an order: numbers here, packs of them in pack.hpp, lane by
// lane. A recorder of operations has none, and nothing is measured then.
#pragma once

#include <type_traits>

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
inline constexpr bool is_ordered = std::is_floating_point_v<T>;

TENON_INLINE double larger(double a, double b) {
  return a > b ? a : b;
}
TENON_INLINE double magnitude_of(double a) {
  return larger(a, -a);
}

TENON_ISA_END
}  // namespace tenon
