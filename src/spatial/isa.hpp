// The namespace of everything that is compiled more than once with different instruction sets.
//
// A template shared by two translation units with different -m flags is merged by the linker, and the copy
// that survives may use instructions the machine lacks. So all spatial algebra and all kernels live in an
// inline namespace named after the instruction set of the translation unit: the symbols differ and never
// merge. Code off the hot path just says tenon::Vec3<double> and gets the baseline copy.
#pragma once

#ifndef TENON_ISA
#define TENON_ISA isa_baseline
#endif

#define TENON_ISA_BEGIN inline namespace TENON_ISA {
#define TENON_ISA_END }

// A sweep must be one piece of code. Kernels for recorders have no such need.
#ifndef TENON_INLINE
#if defined(__GNUC__)
#define TENON_INLINE inline __attribute__((always_inline))
#define TENON_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TENON_INLINE inline
#endif
#endif
#ifndef TENON_INLINE_LAMBDA
#define TENON_INLINE_LAMBDA
#endif
