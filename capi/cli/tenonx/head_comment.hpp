// What generated C says of itself: the arrays that its head comment names, and its function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace client {

struct GeneratedArray {
  std::string name;
  std::size_t rows, columns;
  std::size_t count() const { return rows * columns; }
};

// The arrays of a role: "in", "out", or "jac" for entries of derivatives. A square matrix says that it has triangles.
std::vector<GeneratedArray> arrays_of(const std::string& generated, const std::string& role);

// X of "void X(" at the start of a line; empty where there is none.
std::string function_of(const std::string& generated);

}  // namespace client
