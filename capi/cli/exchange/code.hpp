// Algorithms for one robot as C functions.
#pragma once

#include <tenon.h>

#include <string>

namespace client {

// An algorithm without constraints as a C function of this name.
std::string generate_code(const tenon_model* model, const char* algorithm, const char* function);

}  // namespace client
