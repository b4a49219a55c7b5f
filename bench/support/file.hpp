// Where a study writes what it found.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

inline File create_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "w"));
  if (!file) throw std::runtime_error("cannot write " + path);
  return file;
}

}  // namespace bench
