// Which of the compiled kernel tables this machine runs. Looked up once per workspace.
#include "kernels/kernel_table.hpp"

namespace tenon {

#define TENON_DECLARE_TABLES(isa)                \
  namespace isa {                                \
  extern const KernelTable<double> table_double; \
  extern const KernelTable<float> table_float;   \
  }

TENON_DECLARE_TABLES(isa_baseline)
#ifdef TENON_DISPATCH_X86
TENON_DECLARE_TABLES(isa_x86_64_v3)
#endif

// The x86-64-v3 set (AVX2, FMA, BMI2) or the baseline.
template <class T>
static const KernelTable<T>& pick(const KernelTable<T>& baseline, const KernelTable<T>& v3) {
#ifdef TENON_DISPATCH_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return v3;
#else
  (void)v3;
#endif
  return baseline;
}

#ifdef TENON_DISPATCH_X86
#define TENON_TABLES(name) isa_baseline::name, isa_x86_64_v3::name
#else
#define TENON_TABLES(name) isa_baseline::name, isa_baseline::name
#endif

template <>
const KernelTable<double>& kernels<double>() {
  return pick<double>(TENON_TABLES(table_double));
}
template <>
const KernelTable<float>& kernels<float>() {
  return pick<float>(TENON_TABLES(table_float));
}

}  // namespace tenon
