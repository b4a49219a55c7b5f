// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/cluster/independent_space_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const IndependentSpaceKernels<double>& independent_space_kernels<double>();
template const IndependentSpaceKernels<float>& independent_space_kernels<float>();

TENON_ISA_END
}  // namespace tenon
