// A small number inside of a NaN: how the function of a constraint (MechanismImplicit::evaluate) says in phi[0] why it
// knows nothing. The NaN of arithmetic, and of other functions, has none.
#pragma once

#include <cstdint>
#include <cstring>

namespace tenon {

inline constexpr std::uint64_t nan_with_code = 0x7ff87e6e00000000u;

inline double nan_of(std::int32_t code) {
  const std::uint64_t bits = nan_with_code | static_cast<std::uint32_t>(code);
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
// fallback: of a number that has no code.
inline std::int32_t code_of(double x, std::int32_t fallback) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0xffffffff00000000u) != nan_with_code) return fallback;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

}  // namespace tenon
