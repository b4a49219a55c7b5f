#include "batch/lanes.hpp"

namespace tenon {

template <class N>
void copy_lane(const N* from, std::size_t count, N* to, int width) {
  for (std::size_t i = 0; i < count; ++i, from += width, to += width) *to = *from;
}

template <class N>
void fill_lane(const double* from, std::size_t count, N* to, int width) {
  for (std::size_t i = 0; i < count; ++i, to += width) *to = static_cast<N>(from[i]);
}

#define TENON_LANES_OF(N)                                  \
  template void copy_lane(const N*, std::size_t, N*, int); \
  template void fill_lane(const double*, std::size_t, N*, int)
TENON_LANES_OF(double);
TENON_LANES_OF(float);

}  // namespace tenon
