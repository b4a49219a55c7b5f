// Algorithms for one robot as C functions.
#pragma once

#include <tenonx.h>

#include <string>

namespace client {

// The text of tenonx_generate_c; throws what it says where it cannot. An algorithm that is unknown is a usage failure.
std::string generate_code(const tenon_model* model, const tenon_constraints* constraints,
                          const char* algorithm, const tenonx_trace_options& options);

}  // namespace client
