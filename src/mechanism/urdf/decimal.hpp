// Reads decimal numbers in any locale: "-1.5e3", ".5", "7.". Other text is refused, also infinity and
// hexadecimal numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace tenon {

// For a C++ library that has no std::from_chars for doubles.
inline std::optional<double> parse_decimal_by_stream(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  std::size_t count = digits();
  if (at < text.size() && text[at] == '.') ++at, count += digits();
  if (count == 0) return std::nullopt;
  const std::string_view mantissa = text.substr(0, at);
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  double value = 0;
  if (!(stream >> value) || !std::isfinite(value)) return std::nullopt;
  // The number is too small for a double.
  if (value == 0 && mantissa.find_first_of("123456789") != std::string_view::npos) return std::nullopt;
  return value;
}

inline std::optional<double> parse_decimal(std::string_view text) {
#if defined(__cpp_lib_to_chars) && !defined(TENON_NO_FROM_CHARS)
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
#else
  return parse_decimal_by_stream(text);
#endif
}

}  // namespace tenon
