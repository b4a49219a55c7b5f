// Compiles PvKernels and PvEarlyKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/pv.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(PvKernels, pv_kernels, TENON_PV_KERNELS)
TENON_KERNEL_GROUP(PvEarlyKernels, pv_early_kernels, TENON_PV_EARLY_KERNELS)
