// Compiles PackDerivativeKernels (derivative_pack_table.hpp) as pack_kernels.hpp compiles PackKernels.
#pragma once

#include "kernels/derivatives/kinematics_derivatives.hpp"
#include "kernels/joint/sincos.hpp"
#include "kernels/pack/constrained_product_pack.hpp"
#include "kernels/pack/derivative_pack.hpp"
#include "kernels/pack/loop_matrix_pack.hpp"
#include "kernels/pack/pack_loops.hpp"
#include "kernels/pack/row_matrix_pack.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class N>
const PackDerivativeKernels<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>& pack_derivative_kernels() {
  using T = Pack<N, TENON_PACK_BYTES / static_cast<int>(sizeof(N))>;
  static constexpr PackDerivativeKernels<N, T::width> table = {
      TENON_PACK_DERIVATIVE_KERNELS(TENON_KERNEL_NAME)};
  return table;
}

TENON_ISA_END
}  // namespace tenon
