// Compiles RowSweepKernels and ConstraintRowKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(RowSweepKernels, row_sweep_kernels, TENON_ROW_SWEEP_KERNELS)
TENON_KERNEL_GROUP(ConstraintRowKernels, constraint_row_kernels, TENON_CONSTRAINT_ROW_KERNELS)
