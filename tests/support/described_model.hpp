// A compiled model against its description composed link by link: frames, lumping, numbering.
#pragma once

#include <Eigen/Geometry>

#include "tenon/model.hpp"

namespace tenon::testing {

Eigen::Isometry3d isometry(const Pose& pose);
// Of all bodies that move.
double moved_mass(const Model& model);
// Poses of links, mass, centre of mass and kinetic energy of bodies at random states; and the same numbers of
// coordinates everywhere in the model.
void expect_matches_description(const Mechanism& mechanism, const Model& model);

}  // namespace tenon::testing
