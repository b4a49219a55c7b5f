// The x86-64 level of a processor, from the words of its CPUID instruction and from XGETBV.
//
// Code compiled for x86-64-v3 may use every instruction of that level, so every feature of it is tested. A
// virtual machine may hide some: with LZCNT hidden, code that uses it still runs, but as BSR with other
// results. The system must also save the wide registers (OSXSAVE, XCR0).
#pragma once

#include <cstdint>

namespace tenon {

// CPUID by leaf; a leaf that the processor lacks is zero.
struct X86Features {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;  // subleaf 0
  std::uint32_t leaf80000001_ecx = 0;
  std::uint32_t xcr0 = 0;  // low word; 0 where OSXSAVE is not set
};

namespace x86 {

constexpr std::uint32_t bit(int number) {
  return std::uint32_t{1} << number;
}

// From the x86-64 psABI, table of micro-architecture levels. All x86-64 processors have v1.
constexpr std::uint32_t v2_leaf1_ecx = bit(0) | bit(9) | bit(13) | bit(19) | bit(20) | bit(23);
//                                     SSE3     SSSE3    CMPXCHG16B  SSE4.1   SSE4.2    POPCNT
constexpr std::uint32_t v2_leaf80000001_ecx = bit(0);  // LAHF
constexpr std::uint32_t osxsave = bit(27);
constexpr std::uint32_t v3_leaf1_ecx = bit(12) | bit(22) | osxsave | bit(28) | bit(29);
//                                     FMA       MOVBE               AVX       F16C
constexpr std::uint32_t v3_leaf7_ebx = bit(3) | bit(5) | bit(8);
//                                     BMI1     AVX2     BMI2
constexpr std::uint32_t v3_leaf80000001_ecx = bit(5);  // LZCNT
constexpr std::uint32_t v3_xcr0 = bit(1) | bit(2);     // the system keeps the XMM and the YMM registers
constexpr std::uint32_t v4_leaf7_ebx = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
//                                     AVX512F   DQ        CD        BW        VL
constexpr std::uint32_t v4_xcr0 = bit(5) | bit(6) | bit(7);  // masks, and the ZMM registers

}  // namespace x86

constexpr bool has_all(std::uint32_t word, std::uint32_t bits) {
  return (word & bits) == bits;
}

// Whether code compiled for x86-64-v3 runs on a processor with these features.
constexpr bool has_x86_64_v3(const X86Features& f) {
  return has_all(f.leaf1_ecx, x86::v2_leaf1_ecx | x86::v3_leaf1_ecx) &&
         has_all(f.leaf7_ebx, x86::v3_leaf7_ebx) &&
         has_all(f.leaf80000001_ecx, x86::v2_leaf80000001_ecx | x86::v3_leaf80000001_ecx) &&
         has_all(f.xcr0, x86::v3_xcr0);
}

// The same for x86-64-v4, the level of AVX-512.
constexpr bool has_x86_64_v4(const X86Features& f) {
  return has_x86_64_v3(f) && has_all(f.leaf7_ebx, x86::v4_leaf7_ebx) && has_all(f.xcr0, x86::v4_xcr0);
}

}  // namespace tenon
