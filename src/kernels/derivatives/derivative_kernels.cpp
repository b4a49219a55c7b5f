// Compiles DerivativeKernels (kernels/kernel_table.hpp).
#include "kernels/delassus/chain_rows.hpp"
#include "kernels/derivatives/forward_derivatives.hpp"
#include "kernels/derivatives/loop_products.hpp"
#include "kernels/derivatives/regressor.hpp"
#include "kernels/derivatives/results.hpp"
#include "kernels/derivatives/row_basis.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(DerivativeKernels, derivative_kernels, TENON_DERIVATIVE_KERNELS)
