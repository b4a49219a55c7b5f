// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/constrained/constrained_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const ConstrainedAbaKernels<double>& constrained_kernels<double>();
template const ConstrainedAbaKernels<float>& constrained_kernels<float>();

TENON_ISA_END
}  // namespace tenon
