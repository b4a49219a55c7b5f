// A locale with a decimal comma and with points between thousands, for C and for C++, while it lives. The build makes it
// (tests/CMakeLists.txt), since few machines have one.
#pragma once

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

namespace tenon::testing {

class DecimalComma {
 public:
  DecimalComma() {
#if defined(TENON_LOCALES_DIR) && !defined(_WIN32)
    ::setenv("LOCPATH", TENON_LOCALES_DIR, 1);
#endif
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
