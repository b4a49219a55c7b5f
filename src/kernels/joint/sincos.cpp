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

TENON_INLINE void sin_cos_of_pack(const Pack& angle, double* sine, double* cosine) {
  const auto [s, c] = xsimd::sincos(angle);
  s.store_unaligned(sine);
  c.store_unaligned(cosine);
}

// The standard library reduces by as many digits of pi as the angle needs (M. Payne and R. Hanek, Radian
// reduction for trigonometric functions, 1983).
TENON_NOINLINE void sin_cos_of_large(const double* angle, double* sine, double* cosine, int count) {
  for (int i = 0; i < count; ++i)
    if (std::abs(angle[i]) > largest_angle) sine[i] = std::sin(angle[i]), cosine[i] = std::cos(angle[i]);
}

}  // namespace

// Angles so large are rare: it is found out whether there are any while the sines of the others are computed. So sine and
// cosine must be other arrays than angle.
void sin_cos(const double* angle, double* sine, double* cosine, int count) {
  xsimd::batch_bool<double> any_large(false);
  for (int i = 0; i < count; i += width) {
    const Pack x = Pack::load_unaligned(angle + i);
    const auto large = xsimd::abs(x) > Pack(largest_angle);
    any_large = any_large | large;
    sin_cos_of_pack(xsimd::select(large, Pack(0.0), x), sine + i, cosine + i);
  }
  if (xsimd::any(any_large)) sin_cos_of_large(angle, sine, cosine, count);
}

TENON_ISA_END
}  // namespace tenon
