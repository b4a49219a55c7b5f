// Whether numbers are finite, a register at a time: scalar/finite.hpp compiled for each instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// Whether all numbers that it has seen are finite, by their bits: kernels are compiled as if no NaN occurred.
class FiniteNumbers {
 public:
  static constexpr int width = wide_count<double>;  // of a pack

  TENON_INLINE void see_pack(const double* x) {
    Bits bits;
    std::memcpy(static_cast<void*>(&bits), x, sizeof bits);
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
    seen_ |= (bits & ~sign) + above;
#else
    for (int i = 0; i < width; ++i) seen_[i] |= (bits[i] & ~sign) + above;
#endif
  }
  // The first n of a pack, n < width; all of it is read.
  TENON_INLINE void see_first(const double* x, int n) {
    static constexpr std::uint64_t all = ~std::uint64_t{0};
    static constexpr std::uint64_t taken[16] = {all, all, all, all, all, all, all, all};
    Bits bits, mask;
    std::memcpy(static_cast<void*>(&bits), x, sizeof bits);
    std::memcpy(static_cast<void*>(&mask), taken + 8 - n, sizeof mask);
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
    seen_ |= ((bits & ~sign) + above) & mask;
#else
    for (int i = 0; i < width; ++i) seen_[i] |= ((bits[i] & ~sign) + above) & mask[i];
#endif
  }
  TENON_INLINE void see(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    seen_[0] |= (bits & ~sign) + above;
  }
  TENON_INLINE bool all() const {
    std::uint64_t any = 0;
    for (int i = 0; i < width; ++i) any |= seen_[i];
    return (any & sign) == 0;
  }

 private:
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63, above = sign - 0x7ff0000000000000u;
#if defined(__GNUC__) && !defined(TENON_NO_VECTOR_EXTENSIONS)
  typedef std::uint64_t Bits __attribute__((vector_size(8 * width)));
#else
  typedef std::uint64_t Bits[width];
#endif
  Bits seen_ = {};
};

TENON_ISA_END
}  // namespace tenon
