// The robots that are timed: models of models/, chains and binary trees made as URDF text, and Talos where
// the package example-robot-data is installed. Both libraries read the same text.
#pragma once

#include <string>
#include <vector>

#include "peer.hpp"

namespace bench {

struct Robot {
  std::string name;
  std::string urdf;
  bool floating_base = false;
  std::vector<ContactSpec> contacts;
};

// A chain of revolute links about x, y, z in turn, the tip welded.
Robot chain(int links);
// Branches of three links; each but the last generation carries two. The tips of all leaves are held at a
// point. generations: 2 to 6 give 9, 21, 45, 93, 189 links.
Robot binary_tree(int generations);

// All of the above. Throws std::runtime_error when a model file cannot be read.
std::vector<Robot> all_robots();

}  // namespace bench
