// Numbers in text: the reader for C++ libraries without std::from_chars for doubles reads what the other one does.
#include "mechanism/urdf/decimal.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <random>

namespace tenon {
namespace {

TEST(Decimal, ByStreamAsByFromChars) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1.5",
                           ".5",
                           "-.5",
                           "7.",
                           "1e3",
                           "1E-3",
                           "1.5e+10",
                           "0x10",
                           "1e",
                           "1e+",
                           "e5",
                           ".",
                           "-",
                           "",
                           "+1",
                           "--1",
                           "1.2.3",
                           "1,5",
                           " 1",
                           "1 ",
                           "inf",
                           "nan",
                           "infinity",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e-400",
                           "4.9e-324",
                           "1e-310",
                           "1.7976931348623157e308",
                           "1_0",
                           "1f",
                           "0.1",
                           "123456789012345678901234567890"}) {
    const auto expected = parse_decimal(text), found = parse_decimal_by_stream(text);
    ASSERT_EQ(found.has_value(), expected.has_value()) << text;
    if (found) {
      EXPECT_EQ(*found, *expected) << text;
      EXPECT_EQ(std::signbit(*found), std::signbit(*expected)) << text;
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    ASSERT_TRUE(parse_decimal_by_stream(text)) << text;
    EXPECT_EQ(*parse_decimal_by_stream(text), value) << text;
  }
}

}  // namespace
}  // namespace tenon
