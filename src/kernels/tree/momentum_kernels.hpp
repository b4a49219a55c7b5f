// MomentumKernels for any scalar: instantiate_momentum.cpp compiles it for each instruction set.
#pragma once

#include "kernels/kernel_table.hpp"
#include "kernels/tree/centroidal.hpp"
#include "kernels/tree/coriolis.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const MomentumKernels<T>& momentum_kernels() {
  static constexpr MomentumKernels<T> table = [] {
    MomentumKernels<T> t{};
    t.coriolis = coriolis<T>;
    t.bias_acceleration = bias_acceleration<T>;
    t.centroidal_matrix = centroidal_matrix<T>;
    t.centroidal_bias = centroidal_bias<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
