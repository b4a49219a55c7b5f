// Names that a function in C may have, and the text that one for several states needs besides its operations.
#pragma once

#include <string>

namespace tenon::trace {

// The text with _ for what no identifier has; never one that belongs to the compiler or the C library.
std::string identifier(const std::string& text);

// Throws unless a function in C and C++ that includes <math.h> and <string.h> can have this name.
void check_function_name(const std::string& name);

// A vector type, its loads and stores, and functions of all its lanes. name: what the helpers' names begin with.
std::string lane_helpers(const std::string& name, int lanes);

}  // namespace tenon::trace
