// Lists of numbers of kernels. Their bounds are arguments: packs may alias anything, so a loop over members of structures would
// read these again after each store.
#pragma once

#include <cstddef>

#include "spatial/hints.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
TENON_SMALL void clear_list(T* x, std::ptrdiff_t count) {
  for (std::ptrdiff_t e = 0; e < count; ++e) {
    stay_a_loop();  // lists are short, and a call of memset takes longer
    x[e] = T(0);
  }
}
// The same of forces of bodies, 6 numbers each.
template <class T>
TENON_SMALL void clear_forces(T* force, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    stay_a_loop();
    for (int e = 0; e < 6; ++e) force[6 * i + e] = T(0);
  }
}
template <class T>
TENON_SMALL void add_list(const T* x, std::ptrdiff_t count, T* sum) {
  for (std::ptrdiff_t e = 0; e < count; ++e) sum[e] = sum[e] + x[e];
}

TENON_ISA_END
}  // namespace tenon
