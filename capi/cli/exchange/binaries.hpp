// The binaries that go into a functional mock-up unit, one folder for each system.
#pragma once

#include <string>
#include <vector>

namespace client {

struct Binary {
  std::string system, name, bytes;  // system: the name of its folder in FMI 3.0, as x86_64-linux
};

// Those of all systems in `folder`, or where that is "", those that were installed with the library this program
// runs with: tenon/fmu beside the library. Throws where there are none.
std::vector<Binary> find_binaries(const std::string& folder);

// The whole file; throws a failure where it cannot be read. what: "the robot".
std::string read_file(const std::string& path, const char* what);

// The folder of a system in a unit of version 2 or 3.
std::string system_folder(const std::string& system, int version);

}  // namespace client
