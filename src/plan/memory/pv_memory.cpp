#include "plan/memory/pv_memory.hpp"

#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {


std::int32_t size_of(const PvBlock& b) {
  return whole_packs(b.row_count) * b.stride;
}

// Appends a block of rows [begin, end).
void add_block(std::vector<PvBlock>& blocks, std::int32_t begin, std::int32_t end, std::int32_t border) {
  if (begin == end) return;
  PvBlock block{begin, end - begin, 0, whole_packs(end - begin) + border, 0};
  if (!blocks.empty()) {
    const PvBlock& last = blocks.back();
    block.slot = last.slot + last.stride;
    block.begin = last.begin + size_of(last);
  }
  blocks.push_back(block);
}

// The end of the rows on the node alone: inter-body rows, numbered last, are on two other nodes.
std::int32_t end_of_own_rows(const ConstraintData& c, std::int32_t node) {
  std::int32_t end = c.node_row_first[node + 1];
  for (std::int32_t j = 0; j < c.inter_body_count; ++j) {
    const ConstraintItem& item = c.items[c.inter_body[j]];
    if (item.node == node) end = std::min(end, item.row_begin);
  }
  return end;
}

}  // namespace

PvPlan::PvPlan(const ModelData& m, const ConstraintData* constraints) {
  if (!constraints || constraints->row_count == 0) return;
  number_lanes(m, *constraints);
  plan_merges(m, *constraints);
  lay_out_columns(m);
  find_blocks(m, *constraints);
  bind_tables();
}

// Lanes for the inter-body rows that start on a body.
void PvPlan::enter_inter_body_rows(const ConstraintData& c, PvGroup& body, std::int32_t& lanes) {
  body.side_begin = count_of(sides_);
  for (std::int32_t j = 0; j < c.inter_body_count; ++j) {
    const ConstraintItem& item = c.items[c.inter_body[j]];
    if (item.first != body.node && item.second != body.node) continue;
    const bool second = item.second == body.node;
    for (std::int32_t r = 0; r < item.row_count; ++r) {
      const std::int32_t row = item.row_begin + r;
      (second ? second_lane_of_row_ : lane_of_row_)[index(row)] = lanes;
      sides_.push_back({row, lanes++, 12 * (item.side_row + r) + (second ? 6 : 0)});
    }
  }
  body.side_end = count_of(sides_);
}

// Where the two lanes of an inter-body row are added: where its sides meet, or beyond the cluster they meet
// in.
void PvPlan::plan_merges(const ModelData& m, const ConstraintData& c) {
  const auto place_of = [&](std::int32_t node) {
    while (node >= 0 && m.node_cluster[node] >= 0) node = m.clusters[m.node_cluster[node]].parent;
    return node;
  };
  const auto merges_at = [&](std::int32_t node) {
    for (std::int32_t j = 0; j < c.inter_body_count; ++j) {
      const ConstraintItem& item = c.items[c.inter_body[j]];
      if (place_of(item.meet) != node) continue;
      for (std::int32_t r = item.row_begin; r < item.row_begin + item.row_count; ++r) {
        const std::size_t row = index(r);
        merges_.push_back({lane_of_row_[row], second_lane_of_row_[row]});
      }
    }
    return count_of(merges_);
  };
  for (PvNode& n : nodes_) {
    n.merge_begin = count_of(merges_);
    n.merge_end = n.cluster < 0 ? merges_at(n.node) : n.merge_begin;
  }
  tables_.world_merge_begin = count_of(merges_);
  tables_.merge_count = merges_at(-1);
}

void PvPlan::number_lanes(const ModelData& m, const ConstraintData& c) {
  lane_of_row_.assign(index(c.row_count), 0);
  second_lane_of_row_.assign(index(c.row_count), -1);
  std::int32_t lanes = 0;
  std::vector<std::int32_t> place(index(m.node_count), -1);  // in nodes_
  std::vector<std::vector<PvGroup>> groups;                  // per place
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], cluster = m.node_cluster[i];
    PvGroup own{i, c.node_row_first[i], end_of_own_rows(c, i), lanes, lanes, 0, 0};
    for (std::int32_t r = own.row_begin; r < own.row_end; ++r) lane_of_row_[index(r)] = lanes++;
    enter_inter_body_rows(c, own, lanes);
    if (cluster < 0 || m.clusters[cluster].node_begin == i) {
      PvNode n{};
      n.node = i;
      n.cluster = cluster;
      n.row_begin = own.row_begin;
      n.lane_begin = own.lane_begin;
      if (cluster < 0) n.side_begin = own.side_begin, n.side_end = own.side_end;
      nodes_.push_back(n);
      groups.emplace_back();
    }
    own.lane_end = lanes = whole_packs(lanes);
    // The bodies of a cluster are consecutive, so it is the last place.
    const std::int32_t here = count_of(nodes_) - 1;
    place[index(i)] = here;
    nodes_.back().row_end = own.row_end;
    if (own.lane_end > own.lane_begin) groups.back().push_back(own);
    for (std::int32_t k = i; k >= 0; k = m.nodes[k].parent) nodes_[index(place[index(k)])].lane_end = lanes;
  }
  for (const PvNode& n : nodes_) {
    const std::int32_t parent = m.nodes[n.node].parent;
    if (parent < 0 || n.lane_end == n.lane_begin || m.node_cluster[parent] < 0) continue;
    const std::int32_t above = place[index(parent)];
    groups[index(above)].push_back({parent, 0, 0, n.lane_begin, n.lane_end, 0, 0});
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].group_begin = count_of(groups_);
    if (nodes_[i].cluster >= 0) groups_.insert(groups_.end(), groups[i].begin(), groups[i].end());
    nodes_[i].group_end = count_of(groups_);
  }
  std::reverse(nodes_.begin(), nodes_.end());
  tables_.lane_count = lanes;
  tables_.world_rows = c.node_row_first[0];
}

void PvPlan::lay_out_columns(const ModelData& m) {
  std::int32_t columns = 0, W = 0, since_sum = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PvNode& n = nodes_[i];
    const std::int32_t dofs = columns_of(m, n.node);
    n.column_begin = columns;
    n.W_begin = W;
    columns += dofs;
    W += dofs * (n.lane_end - n.lane_begin);
    since_sum += dofs;
    const bool last = i + 1 == nodes_.size();
    if (last || nodes_[i + 1].lane_begin != n.lane_begin || nodes_[i + 1].lane_end != n.lane_end) {
      n.sum_columns = since_sum;
      since_sum = 0;
    }
  }
  column_count_ = index(columns);
  W_size_ = index(W);
}

void PvPlan::find_blocks(const ModelData& m, const ConstraintData& c) {
  bool couples_trees = false;
  for (std::int32_t j = 0; j < c.inter_body_count; ++j)
    couples_trees = couples_trees || c.items[c.inter_body[j]].meet < 0;
  if (couples_trees) {
    add_block(whole_, c.node_row_first[0], c.row_count, 0);
    return;
  }
  const std::vector<UnitRows> roots = units_behind(m, c, -1);
  for (const UnitRows& unit : roots) add_block(whole_, unit.row_begin, unit.row_end, 0);
  if (roots.size() != 1 || m.node_cluster[roots.front().node] >= 0) return;
  const std::int32_t root = roots.front().node;
  for (std::int32_t j = 0; j < c.inter_body_count; ++j)
    if (c.items[c.inter_body[j]].meet == root) return;  // more than the root couples the branches
  std::vector<PvBlock> branches;
  add_block(branches, c.node_row_first[root], c.node_row_first[root + 1], pv_border);
  const bool rows_on_root = !branches.empty();
  for (const UnitRows& unit : units_behind(m, c, root))
    add_block(branches, unit.row_begin, unit.row_end, pv_border);
  // Rows on the root body have no dual Hessian without the root joint; a split needs two other branches.
  if (branches.size() < (rows_on_root ? 3u : 2u)) return;
  split_ = branches;
  split_pays_ = split_saves(whole_.front().row_count, split_);
}

void PvPlan::bind_tables() {
  std::int32_t numbers = 0;
  for (const auto* blocks : {&whole_, &split_}) {
    if (blocks->empty()) continue;
    const PvBlock& last = blocks->back();
    tables_.slot_count = std::max(tables_.slot_count, last.slot + last.stride);
    numbers = std::max(numbers, last.begin + size_of(last));
  }
  matrix_size_ = index(numbers);
  tables_.node_count = count_of(nodes_);
  tables_.nodes = nodes_.data();
  tables_.groups = groups_.data();
  tables_.lane_of_row = lane_of_row_.data();
  tables_.side_count = count_of(sides_);
  tables_.sides = sides_.data();
  tables_.merges = merges_.data();
  tables_.whole = {count_of(whole_), whole_.data()};
  tables_.split = {count_of(split_), split_.data()};
}

std::size_t PvPlan::bytes() const {
  return bytes_of(nodes_, groups_, lane_of_row_, second_lane_of_row_, sides_, merges_, whole_, split_);
}

}  // namespace tenon
