// One block of memory for many arrays of zeros. Each begins on its own cache line, after an unused one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tenon {

template <class T>
struct Field {
  T** begin;
  std::size_t size;
};

template <class T>
void lay_out(std::initializer_list<Field<T>> fields, std::vector<T>& memory) {
  constexpr std::size_t line = 8;  // doubles in a cache line
  const auto whole_lines = [](std::size_t size) { return (size + line - 1) / line * line; };
  std::size_t used = line;
  for (const Field<T>& f : fields) used += whole_lines(f.size) + line;
  memory.assign(used, T(0));
  T* next = memory.data();
  while (reinterpret_cast<std::uintptr_t>(next) % (line * sizeof(double)) != 0) ++next;
  for (const Field<T>& f : fields) {
    *f.begin = next + line;
    next += whole_lines(f.size) + line;
  }
}

}  // namespace tenon
