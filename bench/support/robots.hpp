// The robots that are timed: models of models/, chains and binary trees made as URDF text, and Talos where
// the package example-robot-data is installed. Both libraries read the same text.
#pragma once

#include <string>
#include <vector>

#include "peer/peer.hpp"

namespace bench {

struct Robot {
  std::string name;
  std::string urdf;
  bool floating_base = false;
  std::vector<ContactSpec> contacts;
};

// The URDF text models/<name>.urdf. Throws std::runtime_error when it cannot be read.
std::string model_text(const std::string& name);
// Each of these links held at its origin.
std::vector<ContactSpec> hold(const std::vector<std::string>& links, int rows);
// The ten fingertips of atlas_shadow_hands, the left hand's first.
std::vector<std::string> fingertips();
// Each contact replaced by points at the four corners of a rectangle around it, half_x and half_y from it.
std::vector<ContactSpec> corners(const std::vector<ContactSpec>& contacts, double half_x = 0.1,
                                 double half_y = 0.05);

// A chain of revolute links about x, y, z in turn, the tip welded.
Robot chain(int links);
// The same of spherical joints, three coordinates a link.
Robot spherical_chain(int links);
// Branches of three links; each but the last generation carries two. The tips of all leaves are held at a
// point. generations: 2 to 6 give 9, 21, 45, 93, 189 links.
Robot binary_tree(int generations);

// All of the above. Throws std::runtime_error when a model file cannot be read.
std::vector<Robot> all_robots();
// These, a second quadruped, and what else stands in Tables II and III of [CABA]: robots with fewer rows, chains of
// spherical joints.
std::vector<Robot> compared_robots();
// The one of all_robots() with that name. Throws std::runtime_error when there is none.
Robot robot_named(const std::string& name);

}  // namespace bench
