// PvKernels for any scalar: instantiate_pv.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/constrained/pv.hpp"
#include "kernels/constrained/pv_early.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const PvKernels<T>& pv_kernels() {
  static constexpr PvKernels<T> table = [] {
    PvKernels<T> t{};
    t.pv_reduce = pv_reduce<T>;
    t.pv_factor = pv_factor<T>;
    t.pv_step = pv_step<T>;
    t.pv_dual_hessian = pv_dual_hessian<T>;
    t.pv_roll_out = pv_roll_out<T>;
    t.pv_early_reduce = pv_early_reduce<T>;
    t.pv_early_imbalance = pv_early_imbalance<T>;
    t.pv_early_roll_out = pv_early_roll_out<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
