// IndependentSpaceKernels for any scalar: instantiate_independent_space.cpp compiles it for each instruction
// set.
#pragma once

#include "kernels/cluster/independent_space.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const IndependentSpaceKernels<T>& independent_space_kernels() {
  static constexpr IndependentSpaceKernels<T> table = [] {
    IndependentSpaceKernels<T> t{};
    t.independent_mass_rows = independent_mass_rows<T>;
    t.independent_ltl_osim = independent_ltl_osim<T>;
    t.independent_prox_ltl_start = independent_prox_ltl_start<T>;
    t.independent_prox_ltls_start = independent_prox_ltls_start<T>;
    t.independent_prox_ltls_factor = independent_prox_ltls_factor<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
