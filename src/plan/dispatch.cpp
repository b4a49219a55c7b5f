// Chooses the compiled kernels that this machine can run. Called once per workspace.
#include "plan/dispatch.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "tenon/status.hpp"

#ifdef TENON_DISPATCH_X86
#include <cpuid.h>

#include "plan/x86_level.hpp"
#endif

namespace tenon {

TENON_INSTRUCTION_SET(isa_baseline, TENON_TAKE_GROUP)
#ifdef TENON_DISPATCH_X86
TENON_INSTRUCTION_SET(isa_x86_64_v3, TENON_TAKE_GROUP)

inline namespace isa_x86_64_v4 {
template <class T>
const DerivativeKernels<T>& derivative_kernels();
template <class T>
const DenseKernels<T>& dense_kernels();

// The table for x86_64_v3, with those kernels that gain from wider lanes: sweeps over single numbers do not.
static const KernelTable<double>& table_with_wide_lanes() {
  static const KernelTable<double> composed = [] {
    KernelTable<double> table = isa_x86_64_v3::table<double>();
    static_cast<DerivativeKernels<double>&>(table) = derivative_kernels<double>();
    static_cast<DenseKernels<double>&>(table) = dense_kernels<double>();
    table.of_derivatives = "x86_64_v4";
    return table;
  }();
  return composed;
}
}  // namespace isa_x86_64_v4
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

static bool supported(Instructions instructions) {
  switch (instructions) {
    case Instructions::automatic:
    case Instructions::baseline:
      return true;
#ifdef TENON_DISPATCH_X86
    case Instructions::x86_64_v3: {
      static const bool has = has_x86_64_v3(features_of_this_machine());
      return has;
    }
    case Instructions::x86_64_v4: {
      static const bool has = has_x86_64_v4(features_of_this_machine());
      return has;
    }
#endif
    default:
      return false;
  }
}

static const char* name_of(Instructions instructions) {
  constexpr const char* names[] = {"automatic", "baseline", "x86_64_v3", "x86_64_v4"};
  return names[static_cast<int>(instructions)];
}

constexpr Instructions all_instructions[] = {Instructions::x86_64_v4, Instructions::x86_64_v3,
                                             Instructions::baseline};

static Instructions best() {
  for (const Instructions instructions : all_instructions)
    if (supported(instructions)) return instructions;
  return Instructions::baseline;
}
const char* best_instructions() {
  return name_of(best());
}

static Instructions named_by_environment() {
  const char* name = std::getenv("TENON_INSTRUCTION_SET");
  if (!name || !*name || std::strcmp(name, "automatic") == 0) return Instructions::automatic;
  for (const Instructions instructions : all_instructions)
    if (std::strcmp(name, name_of(instructions)) == 0) return instructions;
  throw Error(Status::unsupported, "the environment variable TENON_INSTRUCTION_SET is '" + std::string(name) +
                                       "'; give baseline, x86_64_v3, x86_64_v4 or automatic");
}

Instructions resolve(Instructions instructions) {
  const bool free = instructions == Instructions::automatic;
  if (free) instructions = named_by_environment();
  if (!supported(instructions))
    throw Error(Status::unsupported,
                std::string(free ? "the environment variable TENON_INSTRUCTION_SET" : "instruction_set") +
                    " is " + name_of(instructions) +
                    ", which this machine or this build of Tenon does not have; leave the choice to Tenon or "
                    "take the baseline");
  return instructions != Instructions::automatic ? instructions : best();
}

const KernelTable<double>* kernels_of(Instructions instructions) {
  if (!supported(instructions)) return nullptr;
#ifdef TENON_DISPATCH_X86
  if (instructions == Instructions::automatic) instructions = best();
  if (instructions == Instructions::x86_64_v4) return &isa_x86_64_v4::table_with_wide_lanes();
  if (instructions == Instructions::x86_64_v3) return &isa_x86_64_v3::table<double>();
#endif
  return &isa_baseline::table<double>();
}

#define TENON_PACKS_OF(isa, bytes)                                                                \
  inline namespace isa {                                                                          \
  template <class N>                                                                              \
  const PackKernels<N, bytes / static_cast<int>(sizeof(N))>& pack_kernels();                      \
  template <class N>                                                                              \
  const PackDerivativeKernels<N, bytes / static_cast<int>(sizeof(N))>& pack_derivative_kernels(); \
  const BranchKernels<branch_width>& branch_kernels();                                            \
  }                                                                                               \
  TENON_PACK_TABLE(isa, bytes, double, PackKernels, pack_kernels)                                 \
  TENON_PACK_TABLE(isa, bytes, float, PackKernels, pack_kernels)                                  \
  TENON_PACK_TABLE(isa, bytes, double, PackDerivativeKernels, pack_derivative_kernels)            \
  TENON_PACK_TABLE(isa, bytes, float, PackDerivativeKernels, pack_derivative_kernels)
#define TENON_PACK_TABLE(isa, bytes, N, Table, kernels)                                          \
  template <>                                                                                    \
  const Table<N, bytes / static_cast<int>(sizeof(N))>* kernels##_of(Instructions instructions) { \
    return supported(instructions) ? &isa::kernels<N>() : nullptr;                               \
  }
#if defined(TENON_DISPATCH_X86)
TENON_PACKS_OF(isa_x86_64_v3, 32)
TENON_PACKS_OF(isa_x86_64_v4, 64)
#elif defined(TENON_BASELINE_PACKS)
TENON_PACKS_OF(isa_baseline, 16)
#endif

const BranchKernels<branch_width>* branch_kernels_of(Instructions instructions) {
  if (!supported(instructions)) return nullptr;
  switch (instructions) {
#if defined(TENON_DISPATCH_X86)
    case Instructions::x86_64_v4:
      return &isa_x86_64_v4::branch_kernels();
    case Instructions::x86_64_v3:
      return &isa_x86_64_v3::branch_kernels();
#elif defined(TENON_BASELINE_PACKS)
    case Instructions::baseline:
      return &isa_baseline::branch_kernels();
#endif
    default:
      return nullptr;
  }
}

template <>
const KernelTable<double>& kernels<double>() {
  return *kernels_of(Instructions::automatic);
}

}  // namespace tenon
