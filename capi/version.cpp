// Version and build.
#include <cstdio>

#include "plan/dispatch.hpp"
#include "support/object.hpp"

static_assert(TENON_VERSION_MAJOR == TENON_PROJECT_VERSION_MAJOR &&
                  TENON_VERSION_MINOR == TENON_PROJECT_VERSION_MINOR &&
                  TENON_VERSION_PATCH == TENON_PROJECT_VERSION_PATCH &&
                  TENON_VERSION ==
                      TENON_VERSION_MAJOR * 10000 + TENON_VERSION_MINOR * 100 + TENON_VERSION_PATCH,
              "tenon.h and the project disagree about the version");

#define TENON_TEXT_OF(number) #number
#define TENON_TEXT(number) TENON_TEXT_OF(number)
#if defined(__clang__)
#define TENON_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define TENON_COMPILER "gcc " __VERSION__
#elif defined(_MSC_FULL_VER)
#define TENON_COMPILER "msvc " TENON_TEXT(_MSC_FULL_VER)
#else
#define TENON_COMPILER "an unknown compiler"
#endif

namespace {

struct BuildInfo {
  char text[256];
  BuildInfo() {
    std::snprintf(text, sizeof text, "tenon %s, %s, %s, kernels %s, batches %s", TENON_PROJECT_VERSION,
                  TENON_COMPILER, TENON_BUILD_TYPE, tenon::kernels<double>().instruction_set,
                  tenon::best_instructions());
  }
};

}  // namespace

int32_t tenon_version(void) {
  return TENON_VERSION;
}

const char* tenon_version_string(void) {
  return TENON_PROJECT_VERSION;
}

const char* tenon_build_info(void) {
  static const BuildInfo info;
  return info.text;
}
