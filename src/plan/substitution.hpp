// Clusters that couplings close one joint after the other: each row gives the position of one dependent joint
// from those that are known by then.
#pragma once

#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Coefficient of the dependent joint times its position = offset - sum of the other entries.
struct Substitution {
  std::int32_t entry_begin, entry_end;  // in Model::Loops::coupling_entries
  std::int32_t solved;                  // the entry of the dependent joint
};

// The rows of a cluster in an order in which each has one declared dependent joint that no earlier row gave;
// empty where that does not come out even. declared: per velocity coordinate. least_share: of the largest
// coefficient of a row, for that of its dependent joint.
std::vector<Substitution> find_substitutions(const Model::Loops& loops, const ClusterData& c,
                                             const std::vector<char>& declared, double least_share);

// loops.closed: dependent positions from neutral independent ones.
void close_by_substitution(const std::vector<Substitution>& rows, Model::Loops& loops);
// loops.G_initial: rows of dependent coordinates; those of independent ones are in place.
void fill_G_by_substitution(const std::vector<Substitution>& rows, const ClusterData& c, Model::Loops& loops);

}  // namespace tenon
