// DampedInverseKernels for any scalar: instantiate_damped_inverse.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/delassus/caba_osimf.hpp"
#include "kernels/delassus/dense_inverse.hpp"
#include "kernels/delassus/pv_osimf.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const DampedInverseKernels<T>& damped_inverse_kernels() {
  static constexpr DampedInverseKernels<T> table = [] {
    DampedInverseKernels<T> t{};
    t.caba_osim_factor = caba_osim_factor<T>;
    t.caba_osim_form = caba_osim_form<T>;
    t.caba_osimf_apply = caba_osimf_apply<T>;
    t.pv_osimf_factor = pv_osimf_factor<T>;
    t.pv_osimf_apply = pv_osimf_apply<T>;
    t.pv_osimf_form = pv_osimf_form<T>;
    t.dense_factor = factor_dense<T>;
    t.dense_solve = solve_dense<T>;
    t.dense_inverse = invert_dense<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
