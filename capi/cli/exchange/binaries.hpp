// What of Tenon goes into a functional mock-up unit: its binary for each system, the text of the same code, licences.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace client {

// The systems that Tenon is released for, by the names of FMI 3.0: x86_64-linux, ...
const std::vector<std::string>& released_systems();

// By system, the bytes of the unit's binary. folders: Tenon's release trees, or folders with one for each system; what
// they lack is taken from what is installed with the library this program runs with. Throws where a folder holds none, or
// one of another version.
std::map<std::string, std::string> find_binaries(const std::vector<std::string>& folders);

// The same by the paths that they have in a unit of version 2 or 3: x86_64-linux/tenon_fmu.so, ... Version 2 has one
// folder for both processors of macOS: a universal binary.
std::map<std::string, std::string> place_binaries(const std::map<std::string, std::string>& binaries,
                                                  int version);

// By name, the files of the folder `name` beside the binaries: "sources", "licenses"; from where this program is
// installed, else from `folders`. Throws where there are none.
std::map<std::string, std::string> find_files(const std::vector<std::string>& folders, const char* name);

// The whole file; throws a failure where it cannot be read. what: "the robot".
std::string read_file(const std::string& path, const char* what);

}  // namespace client
