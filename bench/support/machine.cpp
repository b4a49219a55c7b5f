#include "support/machine.hpp"

#include <cstdio>
#include <cstring>

namespace bench {

std::string cpu_model() {
  std::string model = "unknown";
  if (std::FILE* file = std::fopen("/proc/cpuinfo", "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, file)) {
      if (std::strncmp(line, "model name", 10) != 0) continue;
      model = std::strchr(line, ':') + 2;
      model.pop_back();
      break;
    }
    std::fclose(file);
  }
  return model;
}

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace bench
