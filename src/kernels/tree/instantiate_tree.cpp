// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/tree/tree_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const TreeKernels<double>& tree_kernels<double>();
template const TreeKernels<float>& tree_kernels<float>();

TENON_ISA_END
}  // namespace tenon
