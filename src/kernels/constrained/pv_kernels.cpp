// Compiles PvKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/pv.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(PvKernels, pv_kernels, TENON_PV_KERNELS)
