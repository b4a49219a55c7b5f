// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/delassus/delassus_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const DelassusKernels<double>& delassus_kernels<double>();
template const DelassusKernels<float>& delassus_kernels<float>();

TENON_ISA_END
}  // namespace tenon
