// Compiles BranchKernels (branch_data.hpp).
#include "kernels/branches/constrained_aba_branches.hpp"
#include "kernels/branches/constrained_derivative_branches.hpp"
#include "kernels/branches/crba_branches.hpp"
#include "kernels/branches/inertia_branches.hpp"
#include "kernels/branches/osimr_branches.hpp"
#include "kernels/branches/product_branches.hpp"
#include "kernels/branches/pv_early_branches.hpp"
#include "kernels/branches/rnea_branches.hpp"

namespace tenon {
TENON_ISA_BEGIN

#define TENON_KERNEL_ON_BRANCHES(result, name, ...) name##_of_branches,

#define TENON_KERNEL_OF_WHOLE(result, name, ...) name##_of_branches<Pack<double, branch_width>>,

const BranchKernels<branch_width>& branch_kernels() {
  static constexpr BranchKernels<branch_width> kernels = {
      TENON_BRANCH_KERNELS(TENON_KERNEL_ON_BRANCHES){TENON_ROW_SWEEP_KERNELS(TENON_KERNEL_OF_WHOLE)},
      {TENON_PV_EARLY_KERNELS(TENON_KERNEL_OF_WHOLE)}};
  return kernels;
}

TENON_ISA_END
}  // namespace tenon
