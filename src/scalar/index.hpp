// Converts indices and counts of bodies, coordinates and rows, std::int32_t in kernels, to the indices of
// standard containers, and back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon {

constexpr std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}
template <class List>
constexpr std::int32_t count_of(const List& list) {
  return static_cast<std::int32_t>(list.size());
}

}  // namespace tenon
