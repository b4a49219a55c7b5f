// Units: a sweep treats a single body, or all bodies of a cluster, as one. Model: a ModelDataOf.
#pragma once

#include <algorithm>
#include <vector>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "model/body_poses.hpp"

namespace tenon {

// The number of velocity coordinates of the joint of a node. Not from the next node: the trunk of branch lanes leaves out
// bodies, and has the model's coordinates.
template <class Model>
inline std::int32_t dofs_of(const Model& m, std::int32_t node) {
  return joint_subspace(m.nodes[node].kind).count;
}

// The first body of the unit of a node.
template <class Model>
inline std::int32_t unit_of(const Model& m, std::int32_t node) {
  const std::int32_t cluster = m.node_cluster[node];
  return cluster < 0 ? node : m.clusters[cluster].node_begin;
}

// The number of independent coordinates of the unit of a node.
template <class Model>
inline std::int32_t columns_of(const Model& m, std::int32_t node) {
  const std::int32_t cluster = m.node_cluster[node];
  return cluster < 0 ? dofs_of(m, node) : m.clusters[cluster].y_count;
}

// The parent of the unit of a node, -1 for the world.
template <class Model>
inline std::int32_t parent_of(const Model& m, std::int32_t node) {
  return m.nodes[unit_of(m, node)].parent;
}

// The end of the rows on a unit and its descendants. first: the unit's first body.
inline std::int32_t end_of_rows(const ModelData& m, const ConstraintData& c, std::int32_t first) {
  const std::int32_t cluster = m.node_cluster[first],
                     bodies = cluster < 0 ? 1 : m.clusters[cluster].node_count;
  return *std::max_element(c.subtree_row_end + first, c.subtree_row_end + first + bodies);
}

// The rows on a unit and its descendants.
struct UnitRows {
  std::int32_t node, row_begin, row_end;
};

// The rows of all units whose parent is the given node or the world (-1).
inline std::vector<UnitRows> units_behind(const ModelData& m, const ConstraintData& c, std::int32_t parent) {
  std::vector<UnitRows> units;
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s];
    if (m.nodes[i].parent == parent && unit_of(m, i) == i)
      units.push_back({i, c.node_row_first[i], end_of_rows(m, c, i)});
  }
  return units;
}

// Calls f for each joint, or cluster, on the path from `node` inward to `to`, with its parent and its
// columns.
template <class F>
void for_path(const ModelData& m, std::int32_t node, std::int32_t to, F&& f) {
  for (std::int32_t i = node; i != to; i = m.nodes[i].parent) {
    i = unit_of(m, i);
    f(m.nodes[i].parent, columns_of(m, i));
  }
}

}  // namespace tenon
