// The C text of what a generated function for several states needs besides its operations: a vector type, its
// loads and stores, and functions of all its lanes.
#pragma once

#include <string>

namespace tenon::trace {

// name: what the helpers' names begin with.
std::string lane_helpers(const std::string& name, int lanes);

}  // namespace tenon::trace
