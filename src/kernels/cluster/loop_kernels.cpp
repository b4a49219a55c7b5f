// Compiles LoopKernels (kernels/kernel_table.hpp).
#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(LoopKernels, loop_kernels, TENON_LOOP_KERNELS)
