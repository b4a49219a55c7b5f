// How many random robots a test takes, where a search among all would never end.
#pragma once

#include <cstdlib>

namespace tenon::testing {

// The environment variable TENON_TEST_ROBOTS, or as many as the build says. With fewer than 60 some tests find too few robots
// of the kind that they look for.
inline int test_robots() {
  static const int count = [] {
    const char* given = std::getenv("TENON_TEST_ROBOTS");
    const int asked = given ? std::atoi(given) : 0;
    return asked > 0 ? asked : TENON_TEST_ROBOTS;
  }();
  return count;
}

}  // namespace tenon::testing
