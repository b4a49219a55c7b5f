#include "kernels/joint/sincos.hpp"

#include <xsimd/xsimd.hpp>

namespace tenon {
TENON_ISA_BEGIN

namespace {
template <class T>
void in_packs(const T* angle, T* sine, T* cosine, int count) {
  using Pack = xsimd::batch<T>;
  for (int i = 0; i < count; i += static_cast<int>(Pack::size)) {
    const auto [s, c] = xsimd::sincos(Pack::load_unaligned(angle + i));
    s.store_unaligned(sine + i);
    c.store_unaligned(cosine + i);
  }
}
}  // namespace

void sin_cos(const double* angle, double* sine, double* cosine, int count) {
  in_packs(angle, sine, cosine, count);
}
void sin_cos(const float* angle, float* sine, float* cosine, int count) {
  in_packs(angle, sine, cosine, count);
}

TENON_ISA_END
}  // namespace tenon
