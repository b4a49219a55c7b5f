// Compiles RowFactorKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/row_factor.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(RowFactorKernels, row_factor_kernels, TENON_ROW_FACTOR_KERNELS)
