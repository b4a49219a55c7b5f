// Sizes that kernels count with 32 bits.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tenon/status.hpp"

namespace tenon {

// The number, or an Error that says what there is too much of.
inline std::int32_t counted(std::int64_t number, const char* what) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  if (number <= most) return static_cast<std::int32_t>(number);
  throw Error(Status::unsupported, "the robot is too large: " + std::string(what) + " have " +
                                       std::to_string(number) + " numbers, and at most " +
                                       std::to_string(most) + " are supported; take a smaller part of it");
}

}  // namespace tenon
