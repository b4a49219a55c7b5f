// Numbers of packs lane by lane, for packs of any width: number i of a lane is width numbers after number i - 1.
#pragma once

#include <cstddef>
#include <vector>

#include "spatial/pack.hpp"

namespace tenon {

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

}  // namespace tenon
