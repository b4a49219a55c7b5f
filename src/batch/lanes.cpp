#include "batch/lanes.hpp"

#include "state/joint_friction.hpp"

namespace tenon {

template <class N>
void copy_lane(const N* from, std::size_t count, N* to, int width) {
  for (std::size_t i = 0; i < count; ++i, from += width, to += width) *to = *from;
}

template <class N>
void fill_lane(const double* from, std::size_t count, N* to, int width) {
  for (std::size_t i = 0; i < count; ++i, to += width) *to = static_cast<N>(from[i]);
}

template <class N>
void add_friction(const N* tau, int sign, const N* damping, const N* dry, const N* v, std::size_t count,
                  N* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = tau[i] + static_cast<N>(sign) * friction_force(damping[i], dry[i], v[i]);
}

#define TENON_LANES_OF(N)                                       \
  template void copy_lane(const N*, std::size_t, N*, int);      \
  template void fill_lane(const double*, std::size_t, N*, int); \
  template void add_friction(const N*, int, const N*, const N*, const N*, std::size_t, N*)
TENON_LANES_OF(double);
TENON_LANES_OF(float);

}  // namespace tenon
