#include "kernels/joint/sincos.hpp"

#include <xsimd/xsimd.hpp>

namespace tenon {
TENON_ISA_BEGIN

void sin_cos(const double* angle, double* sine, double* cosine, int count) {
  using Pack = xsimd::batch<double>;
  for (int i = 0; i < count; i += static_cast<int>(Pack::size)) {
    const auto [s, c] = xsimd::sincos(Pack::load_unaligned(angle + i));
    s.store_unaligned(sine + i);
    c.store_unaligned(cosine + i);
  }
}

TENON_ISA_END
}  // namespace tenon
