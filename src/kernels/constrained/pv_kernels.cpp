// Compiles PvKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/pv.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(PvKernels, pv_kernels, pv_reduce<T>, pv_factor<T>, pv_step<T>, pv_dual_hessian<T>,
                   pv_roll_out<T>, pv_early_reduce<T>, pv_early_roll_out<T>, pv_early_measure<T>)
