// Compiles PackDerivativeKernels (derivative_pack_table.hpp) in double precision.
#include "kernels/pack/derivative_pack_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN
template const PackDerivativeKernels<double, TENON_PACK_BYTES / static_cast<int>(sizeof(double))>&
pack_derivative_kernels<double>();
TENON_ISA_END
}  // namespace tenon
