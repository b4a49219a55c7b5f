// The searching half of campaign.cpp: climbs from many seeds (tests/support/campaign/search.hpp), and the worst robot of each
// class.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/workspace.hpp"

namespace tenon::testing {

struct SearchProgram {
  std::string only;  // a class; all where empty
  Method method = Method::automatic;
  std::uint64_t first = 0;
  double seconds = 60;  // for all classes together
  int changes = 200, threads = 1;
  std::string path;  // this robot alone
};
// Prints what it finds; 1 where a motion is wrong.
int run_search(const SearchProgram& program);

}  // namespace tenon::testing
