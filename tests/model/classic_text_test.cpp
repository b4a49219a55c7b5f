// Texts with numbers, as the C library makes them in the C locale.
#include "scalar/classic_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/locale/decimal_comma.hpp"

namespace tenon {
namespace {

struct Printed {
  std::string text;
  int length;
};

using Print = int (*)(char*, std::size_t, const char*, std::va_list);

Printed printed(Print print, std::size_t size, const char* format, ...) {
  std::string text(size + 1, '#');
  std::va_list arguments;
  va_start(arguments, format);
  const int length = print(&text[0], size, format, arguments);
  va_end(arguments);
  EXPECT_EQ(text[size], '#') << "written beyond the end";
  return {size > 0 ? text.c_str() : "", length};
}

template <class... Arguments>
std::vector<std::string> of_all_sizes(Print print, const char* format, Arguments... arguments) {
  std::vector<std::string> found;
  for (std::size_t size = 0; size < 60; ++size) {
    const Printed p = printed(print, size, format, arguments...);
    found.push_back(p.text + " " + std::to_string(p.length));
  }
  return found;
}

template <class... Arguments>
void expect_as_the_c_library(const char* format, Arguments... arguments) {
  const auto expected = of_all_sizes(std::vsnprintf, format, arguments...);
  EXPECT_EQ(of_all_sizes(print_classic, format, arguments...), expected) << format;
  const testing::DecimalComma locale;
  EXPECT_EQ(of_all_sizes(print_classic, format, arguments...), expected) << format << " in another locale";
}

TEST(ClassicText, IsThatOfTheCLibrary) {
  if (!testing::DecimalComma().here()) GTEST_SKIP() << "no locale with a decimal comma";
  expect_as_the_c_library("%s", "");
  expect_as_the_c_library("nothing, 100 %%");
  expect_as_the_c_library("%s, '%s': %d of %zu", "a name, with comma", "", -5, std::size_t{12345678});
  expect_as_the_c_library("%g m or %.3g rad or %.9g", 1234.5678, -1.0 / 3, 1e-7 / 3);
  expect_as_the_c_library("%g %g %g %g", std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0);
  expect_as_the_c_library("%d%d %.17g%s", 1, 2, 1e300, "end");
  expect_as_the_c_library("%s %5d, %x", "what is not known goes to the C library", 7, 255U);
  std::locale::global(std::locale::classic());
  const testing::DecimalComma locale;
  ClassicText text;
  text << 1.5 << " " << 123456;
  EXPECT_EQ(text.str(), "1.5 123456");
}

}  // namespace
}  // namespace tenon
