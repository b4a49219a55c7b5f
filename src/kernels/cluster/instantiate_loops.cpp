// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/cluster/cluster_constraints.hpp"
#include "kernels/kernel_table.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const LoopKernels<T>& loop_kernels() {
  static constexpr LoopKernels<T> table = [] {
    LoopKernels<T> t{};
    t.loop_constraints = loop_constraints<T>;
    t.cluster_constraints = [](const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
      joint_angles(m, q, w);
      return cluster_constraints(m, q, v, w);
    };
    return t;
  }();
  return table;
}

template const LoopKernels<double>& loop_kernels<double>();
template const LoopKernels<float>& loop_kernels<float>();

TENON_ISA_END
}  // namespace tenon
