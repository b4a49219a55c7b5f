// Compiles MomentumKernels (kernels/kernel_table.hpp).
#include "kernels/kernel_group.hpp"
#include "kernels/tree/centroidal.hpp"
#include "kernels/tree/coriolis.hpp"

TENON_KERNEL_GROUP(MomentumKernels, momentum_kernels, coriolis<T>, bias_acceleration<T>, centroidal_matrix<T>,
                   centroidal_bias<T>)
