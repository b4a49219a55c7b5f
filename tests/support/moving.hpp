// Robots in motion, for tests of calls: a tree at a random state beside its oracle, and a mechanism whose
// closed loops move, in both kinds of coordinates.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/loop_scene.hpp"
#include "support/oracle.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

Eigen::VectorXd random_vector(Random& random, int n, double reach = 1);
int random_link(Random& random, const Model& model);
// A point on one of the links that move.
std::shared_ptr<const ConstraintSet> random_point(Random& random, const std::shared_ptr<const Model>& model);

// One of models/.
LoopScene model_scene(const std::string& name, bool floating = false);

// A random robot at a random state, what is tested and what it is measured against.
struct MovingTree {
  MovingTree(Robot robot_, int seed);
  MovingTree(int seed, int most_links)
      : MovingTree(random_robot(static_cast<std::uint64_t>(seed), most_links), seed) {}
  int nv() const { return robot.model->nv; }
  // Another workspace, of this instruction set; null where the machine lacks it.
  std::unique_ptr<Workspace> with(Instructions instructions) const;

  Robot robot;
  Random random;
  State s;
  Workspace w;
  Oracle oracle;
};

// Loops of a scene in motion, in both kinds of coordinates: v = G ydot, qdd = G yddot + g, tau_y = G^T tau.
struct MovingLoops {
  MovingLoops(const LoopScene& scene, Random& random,
              const std::shared_ptr<const ConstraintSet>& set = nullptr);
  MovingLoops(const LoopScene& scene, Random&& random) : MovingLoops(scene, random) {}
  // Not at a dead centre, where G has no bounds: |G| at most `most` times the root of its number of columns.
  bool regular(double most = 20) const;

  Workspace w;            // of the scene's model, in spanning coordinates
  Workspace independent;  // the same with velocities of the independent ones
  Eigen::VectorXd q, y, ydot, yddot, tau, v, qdd, g, tau_y;
  Eigen::MatrixXd G;
  std::vector<double> wrenches;

 private:
  bool closed_;
};

}  // namespace tenon::testing
