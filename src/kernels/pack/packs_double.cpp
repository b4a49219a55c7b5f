// Compiles PackKernels (pack_table.hpp) in double precision.
#include "kernels/pack/pack_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN
template const PackKernels<double, TENON_PACK_BYTES / static_cast<int>(sizeof(double))>&
pack_kernels<double>();
TENON_ISA_END
}  // namespace tenon
