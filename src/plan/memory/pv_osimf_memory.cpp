#include "plan/memory/pv_osimf_memory.hpp"

#include <algorithm>

#include "plan/fields.hpp"
#include "scalar/recorded.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

// A supporting node, or the first node of a supporting cluster, and the rows in its subtree.
struct Unit {
  std::int32_t node;
  bool cluster;
  std::int32_t row_begin, row_end;
};

// The child units of a node or of the world (-1).
std::vector<Unit> units_behind(const ModelData& m, const ConstraintData& c, std::int32_t parent) {
  std::vector<Unit> units;
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], cluster = m.cluster_count > 0 ? m.node_cluster[i] : -1;
    if (m.nodes[i].parent != parent || (cluster >= 0 && m.clusters[cluster].node_begin != i)) continue;
    Unit unit = {i, cluster >= 0, c.node_row_first[i], c.subtree_row_end[i]};
    const std::int32_t bodies = cluster >= 0 ? m.clusters[cluster].node_count : 1;
    for (std::int32_t k = i; k < i + bodies; ++k) unit.row_end = std::max(unit.row_end, c.subtree_row_end[k]);
    units.push_back(unit);
  }
  return units;
}

}  // namespace

template <class T>
PvOsimfMemory<T>::PvOsimfMemory(const ModelData& m, const ConstraintData* constraints) {
  if (!constraints || constraints->row_count == 0 || constraints->inter_body_count > 0) return;
  find_blocks(m, *constraints);
  data.block_count = static_cast<std::int32_t>(blocks_.size());
  data.row_count = constraints->row_count;
  data.world_rows = constraints->node_row_first[0];
  data.stride = whole_packs(constraints->row_count + 3);
  data.blocks = blocks_.data();
  const std::size_t slots = static_cast<std::size_t>(data.slot_count);
  lay_out<T>({{&data.damping, slots},
              {&data.A, matrix_size_},
              {&data.F, matrix_size_},
              {&data.N, matrix_size_},
              {&data.inv_d, slots},
              {&data.scaled, 4 * slots},
              {&data.x, slots},
              {&data.Y, 6 * slots},
              {&data.Z, 6 * slots},
              {&data.C, 36}},
             memory_);
}

template <class T>
void PvOsimfMemory<T>::add_block(std::int32_t begin, std::int32_t end) {
  if (begin == end) return;
  const std::int32_t stride = whole_packs(end - begin);
  blocks_.push_back({begin, end, data.slot_count, static_cast<std::int32_t>(matrix_size_)});
  data.slot_count += stride;
  matrix_size_ += static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride);
}

template <class T>
void PvOsimfMemory<T>::find_blocks(const ModelData& m, const ConstraintData& c) {
  const std::vector<Unit> roots = units_behind(m, c, -1);
  const bool apart = roots.size() == 1 && !roots.front().cluster;
  const std::int32_t root = apart ? roots.front().node : -1;
  const std::vector<Unit> sides = apart ? units_behind(m, c, root) : std::vector<Unit>();
  const bool rows_on_root = root >= 0 && c.node_row_first[root] < c.node_row_first[root + 1];
  if (sides.size() + (rows_on_root ? 1u : 0u) < 2) {
    for (const Unit& unit : roots) add_block(unit.row_begin, unit.row_end);
    return;
  }
  const std::int32_t first = m.nodes[root].v_index;
  while (first + data.root_columns < m.nv && m.v_node[first + data.root_columns] == root) ++data.root_columns;
  add_block(c.node_row_first[root], c.node_row_first[root + 1]);
  for (const Unit& unit : sides) add_block(unit.row_begin, unit.row_end);
}

template <class T>
std::size_t PvOsimfMemory<T>::bytes() const {
  return memory_.size() * sizeof(T) + blocks_.size() * sizeof(PvOsimfBlock);
}

template class PvOsimfMemory<double>;
template class PvOsimfMemory<trace::Recorded>;

}  // namespace tenon
