// ConstrainedAbaKernels for any scalar: instantiate_constrained.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const ConstrainedAbaKernels<T>& constrained_kernels() {
  static constexpr ConstrainedAbaKernels<T> table = [] {
    ConstrainedAbaKernels<T> t{};
    t.constraint_state = [](const ModelData& m, const ConstraintData& c, const T* q, const T* v,
                            bool has_wrenches, WorkspaceData<T>& w) {
      sweep_velocities(m, q, v, has_wrenches, w);
      evaluate_constraint_rows(m, c, w);
    };
    t.constraint_jacobian = constraint_jacobian<T>;
    t.constraint_right_hand_side = constraint_right_hand_side<T>;
    t.constrained_aba_start = constrained_aba_start<T>;
    t.constrained_aba_iterate = constrained_aba_iterate<T>;
    t.constrained_aba_finish = constrained_aba_finish<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
