// Compiles DampedInverseKernels (kernels/kernel_table.hpp).
#include "kernels/delassus/caba_osimf.hpp"
#include "kernels/delassus/dense_inverse.hpp"
#include "kernels/delassus/pv_osimf.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(DampedInverseKernels, damped_inverse_kernels, caba_osim_factor<T>, caba_osim_form<T>,
                   caba_osimf_apply<T>, pv_osimf_factor<T>, pv_osimf_apply<T>, pv_osimf_form<T>,
                   factor_dense<T>, solve_dense<T>, invert_dense<T>)
