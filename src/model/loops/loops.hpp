// Which bodies kinematic loops tie together, and the order of bodies that this requires ([LOOPS1] IV,
// [LOOPS2] II-D).
//
// A constraint ties the bodies whose joints it moves. Clusters are the smallest sets such that every
// constraint lies in one set and all bodies of a set whose parents lie outside of it have the same parent. So
// sets that share a body merge (nested and parallel loops), and a set with several parent bodies takes in the
// outermost of them, until nothing changes; where that body belongs to another set, the two merge.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanism/description.hpp"
#include "tenon/model.hpp"

namespace tenon {

// parent: per body, -1 for the world, smaller than the body's own number. tied: the bodies of each
// constraint. Returns for each body the number of its cluster, or -1; clusters are numbered by their first
// body.
std::vector<std::int32_t> form_clusters(const std::vector<std::int32_t>& parent,
                                        const std::vector<std::vector<std::int32_t>>& tied);

// The new number of each body. Trees without clusters keep their order. In trees with clusters the order is
// depth first over clusters and single bodies; the bodies of a cluster are contiguous, those with children
// outside the cluster last; all else keeps the old order.
std::vector<std::int32_t> number_by_cluster(const std::vector<std::int32_t>& parent,
                                            const std::vector<std::int32_t>& cluster);

// The clusters of a model whose bodies and joints are compiled: loop constraints in the frames of bodies and
// their rows; plan/compile/loop_analysis.hpp completes them. joint_node: per joint of the description the node it moves,
// -1 for fixed ones. Fills model.loops. Returns, per velocity coordinate, whether it is declared dependent.
std::vector<char> compile_loops(const Mechanism& mechanism, const Description& description,
                                const std::vector<int>& joint_node, Model& model);

// Which bodies (numbers by joint_body) each loop, coupling and implicit constraint of a description ties
// together, in this order.
std::vector<std::vector<std::int32_t>> tied_bodies(const Description& description,
                                                   const std::vector<int>& joint_body);

// The bodies that a constraint of a compiled model ties together, each body once.
std::vector<std::int32_t> tied_bodies(const Model& model, const LoopConstraintData& c);

}  // namespace tenon
