#pragma once

#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Finds closed configurations, drops rows that constrain nothing, and chooses the independent coordinates of
// every cluster. dependent: per velocity coordinate, those declared dependent. Completes model.loops.
void analyse_loops(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model);

// Clusters whose couplings are solved one after the other: each row gives the position of one dependent joint
// from positions that are already known (substitution.cpp): the coefficient of
// the dependent joint times its position = offset - sum of the other entries.
struct Substitution {
  std::int32_t entry_begin, entry_end;  // in Model::Loops::coupling_entries
  std::int32_t solved;                  // the entry of the dependent joint
};

// Orders the rows of a cluster so that each row solves one dependent joint that no earlier row solved; empty
// if there is no such order. declared: per velocity coordinate, whether it was declared dependent. The
// coefficient of a dependent joint must exceed least_share times the largest of its row.
std::vector<Substitution> find_substitutions(const Model::Loops& loops, const ClusterData& c,
                                             const std::vector<char>& declared, double least_share);

// Sets the dependent positions in loops.closed from the neutral independent ones.
void close_by_substitution(const std::vector<Substitution>& rows, Model::Loops& loops);
// Fills the rows of dependent coordinates in loops.G_initial; those of independent ones must be set.
void fill_G_by_substitution(const std::vector<Substitution>& rows, const ClusterData& c, Model::Loops& loops);

}  // namespace tenon
