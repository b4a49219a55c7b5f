// Text with numbers of the C locale, whatever locale the process has: 1.5, and neither 1,5 nor 1.000 for a thousand.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <sstream>
#include <string>

namespace tenon {

class ClassicText : public std::ostringstream {
 public:
  ClassicText() {
    imbue(std::locale::classic());
    exceptions(std::ios::badbit);  // else a stream without memory goes on in silence
  }
};

// All parts as one text.
template <class... Parts>
std::string text_of(const Parts&... parts) {
  ClassicText text;
  (text << ... << parts);
  return text.str();
}

// A number that %g wrote in any locale.
inline void use_point(char* number) noexcept {
  char* into = number;
  for (const char* from = number; *from != '\0';) {
    const std::size_t length = std::strspn(from, "+-0123456789einfa");
    std::memmove(into, from, length);
    into += length, from += length;
    const std::size_t foreign = std::strcspn(from, "+-0123456789einfa");
    if (foreign > 0) *into++ = '.';
    from += foreign;
  }
  *into = '\0';
}

// vsnprintf of %s, %d, %zu, and %g with or without a precision; the locale matters to other conversions and what follows.
inline int print_classic(char* text, std::size_t size, const char* format, std::va_list arguments) noexcept {
  std::size_t length = 0;
  const auto put = [&](const char* piece, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++length)
      if (length + 1 < size) text[length] = piece[i];
    if (size > 0) text[length < size ? length : size - 1] = '\0';
  };
  put("", 0);
  while (*format != '\0') {
    const std::size_t plain = std::strcspn(format, "%");
    put(format, plain);
    format += plain;
    if (*format == '\0') break;
    const char* after = format + 1 + std::strspn(format + 1, ".0123456789");
    char number[64];
    if (after == format + 1 && *after == 's') {
      const char* string = va_arg(arguments, const char*);
      put(string, std::strlen(string));
    } else if (after == format + 1 && *after == 'd') {
      put(number,
          static_cast<std::size_t>(std::snprintf(number, sizeof number, "%d", va_arg(arguments, int))));
    } else if (after == format + 1 && *after == 'z' && after[1] == 'u') {
      put(number, static_cast<std::size_t>(
                      std::snprintf(number, sizeof number, "%zu", va_arg(arguments, std::size_t))));
      ++after;
    } else if (*after == 'g' && (after == format + 1 || format[1] == '.')) {
      const int digits = after == format + 1 ? 6 : std::atoi(format + 2);
      std::snprintf(number, sizeof number, "%.*g", digits, va_arg(arguments, double));
      use_point(number);
      put(number, std::strlen(number));
    } else {
      const std::size_t used = length < size ? length : size;
      const int more = std::vsnprintf(size > used ? text + used : nullptr, size - used, format, arguments);
      return more < 0 ? more : static_cast<int>(length) + more;
    }
    format = after + 1;
  }
  return static_cast<int>(length);
}

}  // namespace tenon
