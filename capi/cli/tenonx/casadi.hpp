// CasADi's interface to functions in C (its documentation: "External functions", API 3) for what tenonx_generate_c
// writes.
#pragma once

#include <string>

namespace client {

// The functions that casadi.external looks for, by the name of the generated function and "_casadi"; to be put behind
// its text. Arguments, their sizes and matrices are those that the head comment of the text names.
std::string casadi_wrapper(const std::string& generated);

}  // namespace client
