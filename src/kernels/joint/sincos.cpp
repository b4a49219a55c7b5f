#include "kernels/joint/sincos.hpp"

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace tenon {
TENON_ISA_BEGIN

namespace {

// Up to here xsimd subtracts multiples of pi / 2 in parts, with errors of about one unit in the last place.
// Beyond 262144 pi, where it reduces angles lane by lane, its results are wrong (xsimd 8.1: 1e73 for a sine).
constexpr double largest_angle = 8e5;

using Pack = xsimd::batch<double>;
constexpr int width = static_cast<int>(Pack::size);

TENON_INLINE void sin_cos_of_pack(const double* angle, double* sine, double* cosine) {
  const auto [s, c] = xsimd::sincos(Pack::load_unaligned(angle));
  s.store_unaligned(sine);
  c.store_unaligned(cosine);
}

// The standard library reduces by as many digits of pi as the angle needs (M. Payne and R. Hanek, Radian
// reduction for trigonometric functions, 1983).
TENON_NOINLINE void sin_cos_of_any(const double* angle, double* sine, double* cosine, int count) {
  for (int i = 0; i < count; i += width) {
    if (!xsimd::any(xsimd::abs(Pack::load_unaligned(angle + i)) > Pack(largest_angle)))
      sin_cos_of_pack(angle + i, sine + i, cosine + i);
    else
      for (int k = i; k < i + width; ++k) sine[k] = std::sin(angle[k]), cosine[k] = std::cos(angle[k]);
  }
}

}  // namespace

// Angles so large are rare: the sines of all are computed while it is found out whether there are any. So sine and
// cosine must be other arrays than angle.
void sin_cos(const double* angle, double* sine, double* cosine, int count) {
  Pack most(0.0);
  for (int i = 0; i < count; i += width) {
    most = xsimd::max(most, xsimd::abs(Pack::load_unaligned(angle + i)));
    sin_cos_of_pack(angle + i, sine + i, cosine + i);
  }
  if (xsimd::any(most > Pack(largest_angle))) sin_cos_of_any(angle, sine, cosine, count);
}

TENON_ISA_END
}  // namespace tenon
