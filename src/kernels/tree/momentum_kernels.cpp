// Compiles MomentumKernels (kernels/kernel_table.hpp).
#include "kernels/derivatives/kinematics_derivatives.hpp"
#include "kernels/kernel_group.hpp"
#include "kernels/tree/centroidal.hpp"
#include "kernels/tree/coriolis.hpp"

TENON_KERNEL_GROUP(MomentumKernels, momentum_kernels, TENON_MOMENTUM_KERNELS)
