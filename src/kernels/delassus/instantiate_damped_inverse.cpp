// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/delassus/damped_inverse_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const DampedInverseKernels<double>& damped_inverse_kernels<double>();
template const DampedInverseKernels<float>& damped_inverse_kernels<float>();

TENON_ISA_END
}  // namespace tenon
