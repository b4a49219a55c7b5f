// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/kernel_table.hpp"
#include "kernels/pv_osimr.hpp"

namespace tenon {
TENON_ISA_BEGIN

template <class T>
const DelassusKernels<T>& delassus_kernels() {
  static constexpr DelassusKernels<T> table = [] {
    DelassusKernels<T> t{};
    t.pv_osimr = pv_osimr<T>;
    return t;
  }();
  return table;
}

template const DelassusKernels<double>& delassus_kernels<double>();
template const DelassusKernels<float>& delassus_kernels<float>();

TENON_ISA_END
}  // namespace tenon
