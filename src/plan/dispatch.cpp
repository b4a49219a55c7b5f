// Chooses the compiled kernels that this machine can run. Called once per workspace.
#include "plan/dispatch.hpp"

#include "scalar/recorded.hpp"

#ifdef TENON_DISPATCH_X86
#include <cpuid.h>

#include "plan/x86_level.hpp"
#endif

namespace tenon {

// The functions that return the groups of one instruction set (kernels/*/*_kernels.cpp), composed into a
// table. Called only on machines with that instruction set.
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
TENON_INSTRUCTION_SET(isa_recorded)
#ifdef TENON_DISPATCH_X86
TENON_INSTRUCTION_SET(isa_x86_64_v3)
#endif

#ifdef TENON_DISPATCH_X86
// Not __builtin_cpu_supports("x86-64-v3"): clang 14 does not know it, and tests could not change its answers.
static X86Features features_of_this_machine() {
  X86Features f;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) f.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) f.leaf7_ebx = b;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) f.leaf80000001_ecx = c;
  if (has_all(f.leaf1_ecx, x86::osxsave)) {
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    f.xcr0 = low;
  }
  return f;
}
#endif

// The table for x86-64-v3 or the baseline; null if this machine or this build does not support it.
const KernelTable<double>* kernels_of(Instructions instructions) {
#ifdef TENON_DISPATCH_X86
  static const bool wide = has_x86_64_v3(features_of_this_machine());
  if (wide && instructions != Instructions::baseline) return &isa_x86_64_v3::table<double>();
#endif
  return instructions == Instructions::x86_64_v3 ? nullptr : &isa_baseline::table<double>();
}
template <>
const KernelTable<double>& kernels<double>() {
  return *kernels_of(Instructions::automatic);
}
template <>
const KernelTable<trace::Recorded>& kernels<trace::Recorded>() {
  return isa_recorded::table<trace::Recorded>();
}

}  // namespace tenon
