// Compiles JointSpaceKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/constrained/prox_ltls.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(JointSpaceKernels, joint_space_kernels, TENON_JOINT_SPACE_KERNELS)
