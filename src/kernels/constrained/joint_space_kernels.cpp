// Compiles JointSpaceKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/constrained/prox_ltls.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(JointSpaceKernels, joint_space_kernels, prox_ltl_start<T>, prox_ltl_factor<T>,
                   prox_ltl_step<T>, prox_ltl_motion<T>, prox_ltl_finish<T>, prox_ltls_start<T>,
                   prox_ltls_factor<T>, prox_ltls_step<T>)
