// Code for x86-64-v3 is chosen only where the processor has every feature of the level and the system keeps
// its registers: with any one bit away, the baseline runs. Tables tell for which instructions their functions are.
#include "plan/x86_level.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "plan/dispatch.hpp"

namespace tenon {
namespace {

X86Features level_3() {
  return {x86::v2_leaf1_ecx | x86::v3_leaf1_ecx, x86::v3_leaf7_ebx,
          x86::v2_leaf80000001_ecx | x86::v3_leaf80000001_ecx, x86::v3_xcr0};
}

TEST(X86Level, WholeLevelIsNeeded) {
  EXPECT_TRUE(has_x86_64_v3(level_3()));
  EXPECT_TRUE(has_x86_64_v3({~0U, ~0U, ~0U, ~0U}));
  EXPECT_FALSE(has_x86_64_v3({}));
}

TEST(X86Level, AnySingleFeatureMasked) {
  int features = 0;
  for (std::uint32_t X86Features::*word : {&X86Features::leaf1_ecx, &X86Features::leaf7_ebx,
                                           &X86Features::leaf80000001_ecx, &X86Features::xcr0}) {
    const std::uint32_t needed = level_3().*word;
    for (int bit = 0; bit < 32; ++bit) {
      X86Features masked{~0U, ~0U, ~0U, ~0U};
      masked.*word &= ~x86::bit(bit);
      const bool is_needed = (needed >> bit & 1U) != 0;
      features += is_needed ? 1 : 0;
      EXPECT_EQ(has_x86_64_v3(masked), !is_needed) << "bit " << bit;
    }
  }
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT, FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LAHF,
  // LZCNT; XMM and YMM state.
  EXPECT_EQ(features, 18);
}

// Each table has the functions of the sets that it names.
TEST(InstructionSets, TablesNameWhatTheyAreCompiledFor) {
  const auto table = [](Instructions set) { return kernels_of(set); };
  const KernelTable<double>*const base = table(Instructions::baseline),
                                  *const v3 = table(Instructions::x86_64_v3),
                                  *const v4 = table(Instructions::x86_64_v4);
  ASSERT_NE(base, nullptr);
  EXPECT_EQ(std::string(base->instruction_set), "baseline");
  EXPECT_EQ(std::string(base->of_derivatives), "baseline");
  if (v3) {
    EXPECT_EQ(std::string(v3->instruction_set), "x86_64_v3");
    EXPECT_EQ(std::string(v3->of_derivatives), "x86_64_v3");
    EXPECT_NE(v3->aba, base->aba);
    EXPECT_NE(v3->rnea_vjp, base->rnea_vjp);
  }
  if (v4) {
    ASSERT_NE(v3, nullptr);
    EXPECT_EQ(std::string(v4->instruction_set), "x86_64_v3");
    EXPECT_EQ(std::string(v4->of_derivatives), "x86_64_v4");
    EXPECT_EQ(v4->aba, v3->aba);
    EXPECT_NE(v4->rnea_vjp, v3->rnea_vjp);
    EXPECT_EQ(v4->gradient_change, v3->gradient_change);
  }
  EXPECT_EQ(&kernels<double>(), v4 ? v4 : v3 ? v3 : base);
}

// Bits as the manuals number them.
TEST(X86Level, BitsOfTheManuals) {
  EXPECT_EQ(x86::v3_leaf1_ecx, 0x38401000U);
  EXPECT_EQ(x86::v2_leaf1_ecx, 0x00982201U);
  EXPECT_EQ(x86::v3_leaf7_ebx, 0x00000128U);
  EXPECT_EQ(x86::v2_leaf80000001_ecx | x86::v3_leaf80000001_ecx, 0x00000021U);
  EXPECT_EQ(x86::v3_xcr0, 6U);
}

}  // namespace
}  // namespace tenon
