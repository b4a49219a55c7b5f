// Compiles ConstrainedAbaKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(ConstrainedAbaKernels, constrained_kernels, TENON_CONSTRAINED_ABA_KERNELS)
