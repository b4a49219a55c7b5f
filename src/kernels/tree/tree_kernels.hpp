// TreeKernels for any scalar: instantiate_tree.cpp compiles it for each instruction set,
// trace/kernels.cpp for recorders.
#pragma once

#include "kernels/kernel_table.hpp"
#include "kernels/tree/aba.hpp"
#include "kernels/tree/crba.hpp"
#include "kernels/tree/kinematics.hpp"
#include "kernels/tree/ltl.hpp"
#include "kernels/tree/rnea.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const TreeKernels<T>& tree_kernels() {
  static constexpr TreeKernels<T> table = [] {
    TreeKernels<T> t{};
    t.kinematics = kinematics<T>;
    t.frame_jacobian = frame_jacobian<T>;
    t.center_of_mass = center_of_mass<T>;
    t.world_momentum = [](const ModelData& m, T* out, const WorkspaceData<T>& w) {
      store(out, world_momentum(m, w));
    };
    t.energy = energy<T>;
    t.rnea = rnea<T>;
    t.crba = crba<T>;
    t.crba_rows = crba_rows<T>;
    t.ltl_factor = ltl_factor<T>;
    t.ltl_solve = ltl_solve<T>;
    t.ltl_multiply = ltl_multiply<T>;
    t.aba = aba<T>;
    return t;
  }();
  return table;
}

TENON_ISA_END
}  // namespace tenon
