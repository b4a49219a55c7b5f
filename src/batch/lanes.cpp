#include "batch/lanes.hpp"

#include <algorithm>

#include "scalar/index.hpp"
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

// forces += gains (targets - places), in all lanes.
template <class N>
static void add_springs(const N* gains, const N* targets, const N* places, int width, N* forces) {
  for (int l = 0; l < width; ++l) forces[l] += gains[l] * (targets[l] - places[l]);
}

template <class N>
void add_feedback(const std::vector<int>& position_of, int width, const FeedbackNumbers<N>& x, N* tau) {
  const std::size_t lanes = index(width);
  N forces[largest_width];
  for (std::size_t k = 0; k < position_of.size(); ++k) {
    const std::size_t at = k * lanes;
    std::fill_n(forces, lanes, N(0));
    add_springs(x.damping + at, x.v_target + at, x.v + at, width, forces);
    if (position_of[k] >= 0) {
      const std::size_t place = index(position_of[k]) * lanes;
      add_springs(x.stiffness + at, x.q_target + place, x.q + place, width, forces);
    }
    for (std::size_t l = 0; l < lanes; ++l) tau[at + l] += forces[l];
  }
}

#define TENON_LANES_OF(N)                                                                   \
  template void copy_lane(const N*, std::size_t, N*, int);                                  \
  template void fill_lane(const double*, std::size_t, N*, int);                             \
  template void add_friction(const N*, int, const N*, const N*, const N*, std::size_t, N*); \
  template void add_feedback(const std::vector<int>&, int, const FeedbackNumbers<N>&, N*)
TENON_LANES_OF(double);
TENON_LANES_OF(float);

}  // namespace tenon
