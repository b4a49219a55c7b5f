// Which files of the golden data are there (data/README.md).
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon_golden {

inline bool has_loops(const nlohmann::json& robot) {
  return robot.at("loops") != 0 || robot.at("couplings") != 0;
}

// What a file says of its robot: all that stands before the line "cases". Every run of a test program reads it in all files, for
// the names of its tests; to parse them whole took 0.3 s of each of a thousand runs.
inline nlohmann::json robot_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string head, line;
  while (std::getline(file, line) && line.rfind("\"cases\"", 0) != 0) head += line;
  return nlohmann::json::parse(head + "\"cases\": []}");
}

enum class Robots { all, with_loops, without_loops };

// The names of the files of such robots, without ".json".
inline std::vector<std::string> names(Robots wanted) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TENON_GOLDEN_DIR)) {
    if (entry.path().extension() != ".json") continue;
    if (wanted == Robots::all || has_loops(robot_of(entry.path())) == (wanted == Robots::with_loops))
      found.push_back(entry.path().stem().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tenon_golden
