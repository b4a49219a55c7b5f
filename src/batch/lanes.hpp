// Numbers of packs lane by lane, for packs of any width: number i of a lane is width numbers after number i - 1.
#pragma once

#include <cstddef>
#include <vector>

#include "spatial/pack.hpp"

namespace tenon {

inline constexpr int largest_width = 16;

// Null of a list of none.
template <class N, int W>
N* lane_of(std::vector<Pack<N, W>>& list, int lane) {
  return list.empty() ? nullptr : reinterpret_cast<N*>(list.data()) + lane;
}
template <class N, int W>
const N* lane_of(const std::vector<Pack<N, W>>& list, int lane) {
  return list.empty() ? nullptr : reinterpret_cast<const N*>(list.data()) + lane;
}

template <class N>
void copy_lane(const N* from, std::size_t count, N* to, int width);
// From numbers in a row.
template <class N>
void fill_lane(const double* from, std::size_t count, N* to, int width);
// out := tau + sign times the friction of joints, in all lanes; count: of all numbers.
template <class N>
void add_friction(const N* tau, int sign, const N* damping, const N* dry, const N* v, std::size_t count,
                  N* out);

// Numbers of the torques of a controller, width states side by side.
template <class N>
struct FeedbackNumbers {
  const N *stiffness, *damping, *q_target, *v_target, *q, *v;
};
// tau := tau + stiffness (q_target - q) + damping (v_target - v). position_of: of each velocity coordinate; -1 where a
// joint has several coordinates, which have no stiffness.
template <class N>
void add_feedback(const std::vector<int>& position_of, int width, const FeedbackNumbers<N>& x, N* tau);

}  // namespace tenon
