// The clusters of a model whose bodies and joints are compiled: loop constraints in the frames of bodies and
// their rows. plan/compile/loop_analysis.hpp completes them.
#pragma once

#include <vector>

#include "mechanism/description.hpp"
#include "tenon/model.hpp"

namespace tenon {

// joint_node: per joint of the description the node it moves, -1 for fixed ones. Fills model.loops. Returns, per
// velocity coordinate, whether it is declared dependent.
std::vector<char> compile_loops(const Mechanism& mechanism, const Description& description,
                                const std::vector<int>& joint_node, Model& model);

// Which bodies (numbers by joint_body) each loop, coupling and implicit constraint of a description ties
// together, in this order.
std::vector<std::vector<std::int32_t>> tied_bodies(const Description& description,
                                                   const std::vector<int>& joint_body);

// The bodies that a constraint of a compiled model ties together, each body once.
std::vector<std::int32_t> tied_bodies(const Model& model, const LoopConstraintData& c);

}  // namespace tenon
