// Random robots whose joints are tied together, and their dynamics by dense projection: the tree's M, c and
// rows, G and g, and a pseudo-inverse.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>

#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {

struct GearOptions {
  double geared = 0.7;         // probability that a hinge drives a rotor
  double symmetric = 0.6;      // that a rotor is symmetric about its axis
  double belt = 0.15;          // that a second hinge drives it too
  double parallel = 0.8;       // that its axis is parallel to the hinge's
  double on_parent = 0.85;     // that it lies on the hinge's parent, not on its child
  bool revolute_only = false;  // prismatic and screw joints drive none
};
// Gives hinges of a mechanism rotors, most on the hinge's parent.
void add_gears(Random& random, Mechanism& mechanism, const GearOptions& options = {});

// Sets the wrenches on links that are folded rotors to zero: six numbers a link.
void clear_rotor_wrenches(const Model& model, double* wrenches);

// qdd of a model with loops, with the rows of the workspace's constraint set (desired: user's order) or
// without. well_posed := false where rows are almost, but not quite, redundant.
Eigen::VectorXd dense_loop_dynamics(Workspace& workspace, const State& state, const double* wrenches,
                                    const double* desired, bool* well_posed = nullptr);

}  // namespace tenon::testing
