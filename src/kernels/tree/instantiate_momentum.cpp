// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/tree/momentum_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const MomentumKernels<double>& momentum_kernels<double>();
template const MomentumKernels<float>& momentum_kernels<float>();

TENON_ISA_END
}  // namespace tenon
