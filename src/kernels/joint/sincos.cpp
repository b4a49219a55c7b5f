#include "kernels/joint/sincos.hpp"

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace tenon {
TENON_ISA_BEGIN

namespace {

// Up to here xsimd subtracts multiples of pi / 2 in parts, with errors of about one unit in the last place.
// Beyond 262144 pi, where it reduces angles lane by lane, its results are wrong (xsimd 8.1: 1e73 for a sine).
constexpr double largest_angle = 8e5;

// The standard library reduces by as many digits of pi as the angle needs (M. Payne and R. Hanek, Radian
// reduction for trigonometric functions, 1983).
TENON_NOINLINE void sin_cos_of_any(const double* angle, double* sine, double* cosine, int count) {
  for (int i = 0; i < count; ++i) sine[i] = std::sin(angle[i]), cosine[i] = std::cos(angle[i]);
}

}  // namespace

void sin_cos(const double* angle, double* sine, double* cosine, int count) {
  using Pack = xsimd::batch<double>;
  constexpr int width = static_cast<int>(Pack::size);
  const Pack largest(largest_angle);
  for (int i = 0; i < count; i += width) {
    const Pack x = Pack::load_unaligned(angle + i);
    if (xsimd::any(xsimd::abs(x) > largest)) {
      sin_cos_of_any(angle + i, sine + i, cosine + i, width);
      continue;
    }
    const auto [s, c] = xsimd::sincos(x);
    s.store_unaligned(sine + i);
    c.store_unaligned(cosine + i);
  }
}

TENON_ISA_END
}  // namespace tenon
