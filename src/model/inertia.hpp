// Checks masses and inertias of a compiled model.
#pragma once

#include <string>
#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Adds a warning for every link with an inertia that no real body has but dynamics can use. Throws Error
// (invalid_inertia) for a moving body of indefinite inertia (a warning where options accept it), and for
// joints that move no inertia.
void check_inertias(const Mechanism& mechanism, const CompileOptions& options, Model& model);

// Of a model with the inertias of these nodes and these armatures: the first body of indefinite inertia, or joint that
// moves no inertia, and what is wrong; "" where nothing is.
std::string wrong_inertia(const Model& model, const std::vector<NodeData>& nodes,
                          const std::vector<double>& armature);

}  // namespace tenon
