#pragma once

#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Bodies, joints, frames and loop constraints of a description with every loop embedded, or none if options say
// open. Returns, per velocity coordinate, whether it is declared dependent; empty without loops. Model::compile
// completes the model. Throws Error where the description is wrong.
std::vector<char> compile_description(const Mechanism& mechanism, const CompileOptions& options,
                                      Model& model);

// Inertias of the bodies := the sums of those of their links.
void lump_inertias(const std::vector<Model::Link>& links, std::vector<NodeData>& nodes);

}  // namespace tenon
