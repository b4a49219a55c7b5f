#include "support/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

namespace bench {

double thread_seconds() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<double> fastest_passes(const std::vector<std::function<void()>>& calls, int passes,
                                   double seconds) {
  std::vector<double> fastest(calls.size(), std::numeric_limits<double>::infinity());
  const double start = thread_seconds();
  for (int pass = 0; pass < passes || thread_seconds() - start < seconds; ++pass) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto begin = std::chrono::steady_clock::now();
      calls[k]();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      fastest[k] = std::min(fastest[k], took.count());
    }
  }
  return fastest;
}

double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sum_u = 0, sum_v = 0, uu = 0, uv = 0;
  const double count = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = std::log(x[i]), v = std::log(y[i]);
    sum_u += u, sum_v += v, uu += u * u, uv += u * v;
  }
  return (count * uv - sum_u * sum_v) / (count * uu - sum_u * sum_u);
}

}  // namespace bench
