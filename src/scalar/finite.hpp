// Whether numbers are finite, tested on their bits: the kernels are compiled under the assumption that no NaN
// occurs, so their callers must test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon {

// Whether the magnitude of every number is below `bound`, a bit pattern. Bit patterns grow with the
// magnitude, and -ffast-math does not remove this test: a number at or above the bound carries into the sign
// bit. Three operations, which every processor has for packs.
inline bool all_below(const double* x, std::ptrdiff_t n, std::uint64_t bound) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  std::uint64_t seen = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    seen |= (bits & ~sign) + (sign - bound);
  }
  return (seen & sign) == 0;
}
inline bool all_finite(const double* x, std::ptrdiff_t n) {
  return all_below(x, n, 0x7ff0000000000000u);
}
template <class Numbers>
bool all_finite(const Numbers& numbers) {
  return all_finite(numbers.data(), static_cast<std::ptrdiff_t>(numbers.size()));
}
// Whether all magnitudes are below 2^230 (1.7e69). Products of two such numbers, and the mass matrix of
// ordinary bodies at such positions, are far below the overflow of doubles.
inline bool all_moderate(const double* x, std::ptrdiff_t n) {
  return all_below(x, n, std::uint64_t{1023 + 230} << 52);
}

}  // namespace tenon
