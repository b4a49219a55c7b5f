// Random numbers that are the same on every machine: the distributions of the standard library differ between
// implementations.
#pragma once

#include <cstdint>

namespace tenon {

// Mixes the bits of x (finaliser of SplitMix64).
inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// SplitMix64 (Steele, Lea, Flood 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(mixed(state_ += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tenon
