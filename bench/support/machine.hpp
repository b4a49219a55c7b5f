// What a benchmark ran on.
#pragma once

#include <string>

namespace bench {

// The model name of the processor.
std::string cpu_model();
// The compiler of the benches, and so of the core they link.
std::string compiler();

}  // namespace bench
