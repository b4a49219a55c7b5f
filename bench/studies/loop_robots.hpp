// Robots with kinematic loops for the studies: those of the papers, each exact and as the tree that rotors
// make when they are armature.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator.hpp"
#include "tenon/constraints.hpp"
#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"

namespace bench {

struct LoopRobot {
  std::string name;
  std::shared_ptr<const tenon::Model> exact;
  // The spanning tree and the loops as constraint rows between two links, two a revolute loop whose axis is
  // an axis of its frames. Null where there are gears or functions, which are no such rows.
  std::shared_ptr<const tenon::Model> open;
  std::vector<tenon::ConstraintSpec> closures;
  // Links that are called rotors are fixed to their carriers, and their inertia, by the square of the ratio,
  // is armature of the joints that turn them. Null where there are none.
  std::shared_ptr<const tenon::Model> approximate;
  std::vector<std::string> ends;  // end effectors, the first one for studies of one
};

LoopRobot make_loop_robot(const tenon::Mechanism& mechanism, bool floating, std::vector<std::string> ends);
// models/<name>.urdf; tello with its differentials.
LoopRobot loop_robot(const std::string& name);
LoopRobot chain_robot(client::CellKind kind, int count, int branches = 1);
LoopRobot tied_branches_robot(client::TieKind kind, int depth, int at);

}  // namespace bench
