// Compiles SecondOrderKernels (kernels/kernel_table.hpp).
#include "kernels/derivatives/second_order.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(SecondOrderKernels, second_order_kernels, TENON_SECOND_ORDER_KERNELS)
