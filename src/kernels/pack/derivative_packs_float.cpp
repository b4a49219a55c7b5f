// Compiles PackDerivativeKernels (derivative_pack_table.hpp) in single precision.
#include "kernels/pack/derivative_pack_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN
template const PackDerivativeKernels<float, TENON_PACK_BYTES / static_cast<int>(sizeof(float))>&
pack_derivative_kernels<float>();
TENON_ISA_END
}  // namespace tenon
