// A long function as several: the time of compilers grows with the square of a function's length, and more.
#pragma once

#include <string>

namespace tenon::trace {

// The definition of a C function with this prototype, "void f(const double *q, double *x)", and this body, a statement on
// each line. Bodies of many lines are cut into static functions of some hundred, which hand on what later ones need in an
// array. A variable is t and a number, and is defined on a line of its own: "  const double t7 = ...;".
std::string definition_in_parts(const std::string& prototype, const std::string& body);

}  // namespace tenon::trace
