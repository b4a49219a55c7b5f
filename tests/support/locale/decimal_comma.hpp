// A locale with a decimal comma and with points between thousands, for C and for C++, while it lives. The build makes it
// (tests/CMakeLists.txt), since few machines have one.
#pragma once

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define TENON_LIBRARYS_OWN_LEAK const __lsan::ScopedDisabler of_libc
#endif
#endif
#ifndef TENON_LIBRARYS_OWN_LEAK
#define TENON_LIBRARYS_OWN_LEAK
#endif

namespace tenon::testing {

class DecimalComma {
 public:
  DecimalComma() {
#if defined(TENON_LOCALES_DIR) && !defined(_WIN32)
    ::setenv("LOCPATH", TENON_LOCALES_DIR, 1);
#endif
    TENON_LIBRARYS_OWN_LEAK;  // the C library never frees the path of a locale
    try {
      std::locale::global(std::locale("de_DE.UTF-8"));
    } catch (const std::runtime_error&) {
      return;
    }
    char text[8];
    std::snprintf(text, sizeof text, "%.1f", 1.5);
    here_ = std::string(text) == "1,5";
  }
  ~DecimalComma() {
    std::locale::global(std::locale::classic());
  }
  DecimalComma(const DecimalComma&) = delete;
  DecimalComma& operator=(const DecimalComma&) = delete;
  bool here() const {
    return here_;
  }

 private:
  bool here_ = false;
};

}  // namespace tenon::testing
