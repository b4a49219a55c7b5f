// Configurations of embedded loops at which the dependent velocities do not follow from the independent ones.
#pragma once

#include <vector>

#include "support/random_mechanism.hpp"
#include "tenon.h"

namespace tenon::testing::history {

// Moves q along its loops until it is at a dead centre, v a velocity there that keeps the loops closed. False where none
// was met. q: closed.
bool find_dead_centre(tenon_workspace* workspace, const tenon_model* model, Random& random,
                      std::vector<double>& q, std::vector<double>& v);

}  // namespace tenon::testing::history
