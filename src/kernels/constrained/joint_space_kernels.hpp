// JointSpaceKernels for any scalar: instantiate_joint_space.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/constrained/prox_ltl.hpp"
#include "kernels/constrained/prox_ltls.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const JointSpaceKernels<T>& joint_space_kernels() {
  static constexpr JointSpaceKernels<T> table = [] {
    JointSpaceKernels<T> t{};
    t.prox_ltl_start = prox_ltl_start<T>;
    t.prox_ltl_factor = prox_ltl_factor<T>;
    t.prox_ltl_step = prox_ltl_step<T>;
    t.prox_ltl_motion = prox_ltl_motion<T>;
    t.prox_ltl_finish = prox_ltl_finish<T>;
    t.prox_ltls_start = prox_ltls_start<T>;
    t.prox_ltls_factor = prox_ltls_factor<T>;
    t.prox_ltls_step = prox_ltls_step<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
