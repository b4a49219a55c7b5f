#include "plan/memory/pv_osimf_memory.hpp"

#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

PvOsimfPlan::PvOsimfPlan(const ModelData& m, const ConstraintData* constraints) {
  if (!constraints || constraints->row_count == 0 || constraints->inter_body_count > 0) return;
  find_blocks(m, *constraints);
  tables_.block_count = count_of(blocks_);
  tables_.row_count = constraints->row_count;
  tables_.world_rows = constraints->node_row_first[0];
  tables_.stride = whole_packs(constraints->row_count + 3);
  tables_.blocks = blocks_.data();
}

void PvOsimfPlan::add_block(std::int32_t begin, std::int32_t end) {
  if (begin == end) return;
  const std::int32_t stride = whole_packs(end - begin);
  blocks_.push_back({begin, end, tables_.slot_count, static_cast<std::int32_t>(matrix_size_)});
  tables_.slot_count += stride;
  matrix_size_ += index(stride) * index(stride);
}

void PvOsimfPlan::find_blocks(const ModelData& m, const ConstraintData& c) {
  const std::vector<UnitRows> roots = units_behind(m, c, -1);
  const bool apart = roots.size() == 1 && m.node_cluster[roots.front().node] < 0;
  const std::int32_t root = apart ? roots.front().node : -1;
  const std::vector<UnitRows> sides = apart ? units_behind(m, c, root) : std::vector<UnitRows>();
  const bool rows_on_root = root >= 0 && c.node_row_first[root] < c.node_row_first[root + 1];
  if (sides.size() + (rows_on_root ? 1u : 0u) < 2) {
    for (const UnitRows& unit : roots) add_block(unit.row_begin, unit.row_end);
    return;
  }
  tables_.root_columns = dofs_of(m, root);
  add_block(c.node_row_first[root], c.node_row_first[root + 1]);
  for (const UnitRows& unit : sides) add_block(unit.row_begin, unit.row_end);
}

std::size_t PvOsimfPlan::bytes() const {
  return bytes_of(blocks_);
}

}  // namespace tenon
