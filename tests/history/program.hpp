// The search of history.hpp as a program.
#pragma once

#include <string>
#include <vector>

namespace tenon::testing::history {

extern const char* const usage;
// Exit status 1 where failures were found. models: the folder of robots.
int run_program(const std::vector<std::string>& arguments, const std::string& models);

}  // namespace tenon::testing::history
