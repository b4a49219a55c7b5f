#pragma once

#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Finds closed configurations, drops rows that constrain nothing, and chooses the independent coordinates of
// every cluster. dependent: per velocity coordinate, those declared dependent. Completes model.loops.
void analyse_loops(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model);

}  // namespace tenon
