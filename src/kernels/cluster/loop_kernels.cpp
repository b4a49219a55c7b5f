// Compiles LoopKernels (kernels/kernel_table.hpp).
#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(LoopKernels, loop_kernels, loop_constraints<T>, cluster_constraints<T>, cluster_bias<T>)
