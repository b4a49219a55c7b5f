// Compiles PackKernels (pack_table.hpp) in single precision.
#include "kernels/pack/pack_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN
template const PackKernels<float, TENON_PACK_BYTES / static_cast<int>(sizeof(float))>& pack_kernels<float>();
TENON_ISA_END
}  // namespace tenon
