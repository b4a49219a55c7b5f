// Compiles DampedInverseKernels (kernels/kernel_table.hpp).
#include "kernels/delassus/caba_osimf.hpp"
#include "kernels/delassus/pv_osimf.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(DampedInverseKernels, damped_inverse_kernels, TENON_DAMPED_INVERSE_KERNELS)
