// The namespace of all code that is compiled more than once for different instruction sets.
//
// The linker merges a template that two translation units with different -m flags share, and the copy that is
// kept may use instructions that the machine lacks. So all spatial algebra and all kernels are in an inline
// namespace named after the instruction set of the translation unit: their symbols differ and are not merged.
// All other code writes tenon::Vec3<double> and gets the baseline copy.
#pragma once

#ifndef TENON_ISA
#define TENON_ISA isa_baseline
#endif

#define TENON_ISA_BEGIN inline namespace TENON_ISA {
#define TENON_ISA_END }

// Forces inlining, so that a whole sweep is one function. Kernels for recorders do not need it. And forbids
// it, for code whose values would take registers from a sweep.
#if defined(__GNUC__)
#define TENON_NOINLINE __attribute__((noinline))
#ifndef TENON_INLINE
#define TENON_INLINE inline __attribute__((always_inline))
#define TENON_INLINE_LAMBDA __attribute__((always_inline))
#endif
#else
#define TENON_NOINLINE
#define TENON_INLINE inline
#endif
#ifndef TENON_INLINE_LAMBDA
#define TENON_INLINE_LAMBDA
#endif
// Of functions so small that the compiler inlines them by itself. What is forced is inlined before anything is simplified: in
// sweeps of packs, which are long, clang 19 then takes 1.3 to 2 times as long, and a gigabyte (src/CMakeLists.txt).
#ifndef TENON_SMALL
#define TENON_SMALL TENON_INLINE
#endif
