// Which of the compiled kernels this machine runs. Looked up once per workspace.
#include "kernels/kernel_table.hpp"

namespace tenon {

// The functions that give the groups of one instruction set (kernels/instantiate_*.cpp), composed into a
// table. Called only where the machine has the set.
#define TENON_DECLARE_GROUP(type, function) \
  template <class T>                        \
  const type<T>& function();
#define TENON_TAKE_GROUP(type, function) function<T>(),
#define TENON_INSTRUCTION_SET(isa)                                                     \
  namespace isa {                                                                      \
  TENON_KERNEL_GROUPS(TENON_DECLARE_GROUP)                                             \
  template <class T>                                                                   \
  static const KernelTable<T>& table() {                                               \
    static const KernelTable<T> composed{TENON_KERNEL_GROUPS(TENON_TAKE_GROUP){#isa}}; \
    return composed;                                                                   \
  }                                                                                    \
  }

TENON_INSTRUCTION_SET(isa_baseline)
#ifdef TENON_DISPATCH_X86
TENON_INSTRUCTION_SET(isa_x86_64_v3)
#endif

// x86-64-v3 (AVX2, FMA, BMI2) or the baseline.
template <class T>
static const KernelTable<T>& pick() {
#ifdef TENON_DISPATCH_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return isa_x86_64_v3::table<T>();
#endif
  return isa_baseline::table<T>();
}

template <>
const KernelTable<double>& kernels<double>() {
  return pick<double>();
}
template <>
const KernelTable<float>& kernels<float>() {
  return pick<float>();
}

}  // namespace tenon
