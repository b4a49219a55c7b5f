// Names that C functions can have.
#pragma once

#include <string>

namespace tenon::trace {

// The text with _ for what no identifier has; never one that belongs to the compiler or the C library.
std::string identifier(const std::string& text);

// Throws unless a function in C and C++ that includes <math.h> and <string.h> can have this name.
void check_function_name(const std::string& name);

}  // namespace tenon::trace
