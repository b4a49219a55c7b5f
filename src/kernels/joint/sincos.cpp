#include "kernels/joint/sincos.hpp"

#include <cstring>

namespace tenon {
TENON_ISA_BEGIN

void sin_cos(const double* angle, double* sine, double* cosine, int count) {
#ifdef TENON_PACKS
  using Four = Pack<double, 4>;
  for (int i = 0; i < count; i += Four::width) {
    Four x, s, c;
    std::memcpy(&x, angle + i, sizeof x);
    sin_cos(x, s, c);
    std::memcpy(sine + i, &s, sizeof s);
    std::memcpy(cosine + i, &c, sizeof c);
  }
#else
  for (int i = 0; i < count; ++i) sine[i] = std::sin(angle[i]), cosine[i] = std::cos(angle[i]);
#endif
}

TENON_ISA_END
}  // namespace tenon
