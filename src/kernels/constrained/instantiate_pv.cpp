// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/constrained/pv_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const PvKernels<double>& pv_kernels<double>();
template const PvKernels<float>& pv_kernels<float>();

TENON_ISA_END
}  // namespace tenon
