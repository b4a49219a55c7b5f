// DelassusKernels for any scalar: instantiate_delassus.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/delassus/efpa.hpp"
#include "kernels/delassus/kjr.hpp"
#include "kernels/delassus/ltl_delassus.hpp"
#include "kernels/delassus/pv_osim.hpp"
#include "kernels/delassus/pv_osimr.hpp"
#include "kernels/delassus/symmetric_to_user.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/tree/inverse_mass.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const DelassusKernels<T>& delassus_kernels() {
  static constexpr DelassusKernels<T> table = [] {
    DelassusKernels<T> t{};
    t.ltl_osim = ltl_delassus<T>;
    t.kjr = kjr<T>;
    t.efpa = efpa<T>;
    t.pv_osim = pv_osim<T>;
    t.pv_osimr = pv_osimr<T>;
    t.sweep_inertias = sweep_inertias<T>;
    t.inverse_mass_times = inverse_mass_times<T>;
    t.symmetric_to_user = symmetric_to_user<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
