// Compiles TreeKernels (kernels/kernel_table.hpp).
#include "kernels/kernel_group.hpp"
#include "kernels/tree/aba.hpp"
#include "kernels/tree/crba.hpp"
#include "kernels/tree/kinematics.hpp"
#include "kernels/tree/ltl.hpp"
#include "kernels/tree/rnea.hpp"

TENON_KERNEL_GROUP(TreeKernels, tree_kernels, TENON_TREE_KERNELS)
