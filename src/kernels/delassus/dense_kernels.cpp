// Compiles DenseKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/delassus/dense_inverse.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(DenseKernels, dense_kernels, TENON_DENSE_KERNELS)
