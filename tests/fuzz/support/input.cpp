#include "support/input.hpp"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::fuzz {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), pi = 3.14159265358979323846;
constexpr double odd_numbers[] = {0,         -0.0,
                                  1,         -1,
                                  0.5,       pi,
                                  -pi,       pi / 2,
                                  2 * pi,    1e-16,
                                  1e-12,     1e-9,
                                  1e-6,      1e-3,
                                  1e3,       -1e3,
                                  1e6,       -1e6,
                                  1e9,       1e12,
                                  1e16,      9.1e15,
                                  1e100,     -1e100,
                                  1e-100,    1e154,
                                  -1e154,    1e155,
                                  1e300,     -1e300,
                                  1e-300,    1e-308,
                                  DBL_MAX,   -DBL_MAX,
                                  DBL_MIN,   823549,
                                  -823550,   4e8,
                                  1e-30,     -1e-8,
                                  1e8,       2.2e-16,
                                  4.9e-324,  infinity,
                                  -infinity, std::numeric_limits<double>::quiet_NaN()};

std::uint64_t mixed(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t Input::bits(int bytes) {
  std::uint64_t all = 0;
  for (int i = 0; i < bytes; ++i) all = all << 8 | byte();
  return all;
}

double Input::number() {
  const std::uint8_t kind = byte();
  if (kind < std::size(odd_numbers)) return odd_numbers[kind];
  if (kind < 128) return static_cast<double>(kind) - 88;
  if (kind < 192) return static_cast<double>(static_cast<std::int16_t>(bits(2))) / 4096;
  const std::uint64_t whole = bits(8);
  double x;
  std::memcpy(&x, &whole, sizeof x);
  return x;
}

std::int32_t Input::index(int count) {
  const std::uint8_t kind = byte();
  if (kind < 240 && count > 0) return kind % count;
  constexpr std::int32_t others[] = {-1, -2, INT32_MIN, INT32_MAX, 1 << 30, 256};
  return kind % 16 < 6 ? others[kind % 16] : count + kind % 16 - 6;
}

std::string Input::text(int most) {
  std::string all;
  for (int length = below(most + 1); length > 0 && !empty(); --length) all += static_cast<char>(byte());
  return all;
}

void Input::spoil(std::vector<double>& x) {
  const int kind = below(16);
  if (kind < 10 || x.empty()) return;
  if (kind < 14) return void(x[static_cast<std::size_t>(bits(2)) % x.size()] = number());
  const double factor = kind == 14 ? number() : 0;
  for (double& each : x) each *= factor;
}

std::vector<double> Input::numbers(std::size_t count, double scale) {
  std::uint64_t state = byte();
  std::vector<double> x(count);
  for (double& each : x) each = scale * (static_cast<double>(mixed(state) >> 11) * 0x1p-52 - 1);
  spoil(x);
  return x;
}

std::vector<double> Input::pose() {
  std::vector<double> x = numbers(7);
  const double length = std::hypot(std::hypot(x[3], x[4]), std::hypot(x[5], x[6]));
  for (std::size_t k = 3; k < 7; ++k) x[k] = length > 0 ? x[k] / length : k == 6;
  if (once_in(8)) spoil(x);
  return x;
}

}  // namespace tenon::fuzz
