// Compiles IndependentSpaceKernels (kernels/kernel_table.hpp).
#include "kernels/cluster/independent_space.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(IndependentSpaceKernels, independent_space_kernels, TENON_INDEPENDENT_SPACE_KERNELS)
