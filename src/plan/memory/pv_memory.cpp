// Tables of pv, prox_pv, pv_osimf and pv_early.
#include <algorithm>
#include <utility>

#include "kernels/branches/branch_data.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

struct BlockList {
  std::vector<PvBlock> blocks;
  std::int32_t slots = 0, numbers = 0;  // that vectors and matrices need

  void add(std::int32_t row_begin, std::int32_t row_end, std::int32_t border) {
    if (row_begin == row_end) return;
    const std::int32_t packs = whole_packs(row_end - row_begin), stride = packs + border;
    blocks.push_back({row_begin, row_end - row_begin, slots, stride, numbers});
    slots += stride, numbers += packs * stride;
  }
  void add(const std::vector<UnitRows>& units, std::int32_t border) {
    for (const UnitRows& unit : units) add(unit.row_begin, unit.row_end, border);
  }
};

// The body that all rows are on or behind, no cluster; -1 if there is none.
std::int32_t only_root(const ModelData& m, const std::vector<UnitRows>& roots) {
  return roots.size() == 1 && m.node_cluster[roots.front().node] < 0 ? roots.front().node : -1;
}
// The rows on it, then those of each branch.
BlockList blocks_of_branches(const ModelData& m, const ConstraintData& c, std::int32_t root,
                             std::int32_t border) {
  BlockList blocks;
  blocks.add(c.node_row_first[root], c.node_row_first[root + 1], border);
  blocks.add(units_behind(m, c, root), border);
  return blocks;
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

class PvPlan {
 public:
  PvPlan(const ModelData& m, const ConstraintData& c, PvTables& to) : m_(m), c_(c), to_(to) {
    number_lanes();
    plan_merges();
    lay_out_columns();
    find_blocks();
  }
  // To be called once.
  void keep_lists(Memory& memory) {
    to_.slot_count = std::max(whole_.slots, split_.slots);
    to_.matrix_size = std::max(whole_.numbers, split_.numbers);
    memory.keep(std::move(nodes_), to_.nodes, to_.node_count);
    memory.keep(std::move(sides_), to_.sides, to_.side_count);
    memory.keep(std::move(whole_.blocks), to_.whole.block, to_.whole.count);
    memory.keep(std::move(split_.blocks), to_.split.block, to_.split.count);
    to_.groups = memory.keep(std::move(groups_));
    to_.lane_of_row = memory.keep(std::move(lane_of_row_));
    to_.merges = memory.keep(std::move(merges_));
  }

 private:
  // Lanes for the inter-body rows that start on a body.
  void enter_inter_body_rows(PvGroup& body, std::int32_t& lanes) {
    body.side_begin = count_of(sides_);
    for (std::int32_t j = 0; j < c_.inter_body_count; ++j) {
      const ConstraintItem& item = c_.items[c_.inter_body[j]];
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
  void plan_merges() {
    const auto place_of = [&](std::int32_t node) {
      while (node >= 0 && m_.node_cluster[node] >= 0) node = m_.clusters[m_.node_cluster[node]].parent;
      return node;
    };
    const auto merges_at = [&](std::int32_t node) {
      for (std::int32_t j = 0; j < c_.inter_body_count; ++j) {
        const ConstraintItem& item = c_.items[c_.inter_body[j]];
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
    to_.world_merge_begin = count_of(merges_);
    to_.merge_count = merges_at(-1);
  }

  void number_lanes() {
    lane_of_row_.assign(index(c_.row_count), 0);
    second_lane_of_row_.assign(index(c_.row_count), -1);
    std::int32_t lanes = 0;
    std::vector<std::int32_t> place(index(m_.node_count), -1);  // in nodes_
    std::vector<std::vector<PvGroup>> groups;                   // per place
    for (std::int32_t s = 0; s < c_.support_count; ++s) {
      const std::int32_t i = c_.support[s], cluster = m_.node_cluster[i];
      PvGroup own{i, c_.node_row_first[i], end_of_own_rows(c_, i), lanes, lanes, 0, 0};
      for (std::int32_t r = own.row_begin; r < own.row_end; ++r) lane_of_row_[index(r)] = lanes++;
      enter_inter_body_rows(own, lanes);
      if (cluster < 0 || m_.clusters[cluster].node_begin == i) {
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
      for (std::int32_t k = i; k >= 0; k = m_.nodes[k].parent)
        nodes_[index(place[index(k)])].lane_end = lanes;
    }
    for (const PvNode& n : nodes_) {
      const std::int32_t parent = m_.nodes[n.node].parent;
      if (parent < 0 || n.lane_end == n.lane_begin || m_.node_cluster[parent] < 0) continue;
      const std::int32_t above = place[index(parent)];
      groups[index(above)].push_back({parent, 0, 0, n.lane_begin, n.lane_end, 0, 0});
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].group_begin = count_of(groups_);
      if (nodes_[i].cluster >= 0) groups_.insert(groups_.end(), groups[i].begin(), groups[i].end());
      nodes_[i].group_end = count_of(groups_);
    }
    std::reverse(nodes_.begin(), nodes_.end());
    to_.lane_count = lanes;
    to_.world_rows = c_.node_row_first[0];
  }

  void lay_out_columns() {
    std::int32_t since_sum = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      PvNode& n = nodes_[i];
      const std::int32_t dofs = columns_of(m_, n.node);
      n.column_begin = to_.column_count;
      n.W_begin = to_.W_size;
      to_.column_count += dofs;
      to_.W_size += dofs * (n.lane_end - n.lane_begin);
      since_sum += dofs;
      const bool last = i + 1 == nodes_.size();
      if (last || nodes_[i + 1].lane_begin != n.lane_begin || nodes_[i + 1].lane_end != n.lane_end) {
        n.sum_columns = since_sum;
        since_sum = 0;
      }
    }
  }

  void find_blocks() {
    bool couples_trees = false;
    for (std::int32_t j = 0; j < c_.inter_body_count; ++j)
      couples_trees = couples_trees || c_.items[c_.inter_body[j]].meet < 0;
    if (couples_trees) {
      whole_.add(c_.node_row_first[0], c_.row_count, 0);
      return;
    }
    const std::vector<UnitRows> roots = units_behind(m_, c_, -1);
    whole_.add(roots, 0);
    const std::int32_t root = only_root(m_, roots);
    if (root < 0) return;
    for (std::int32_t j = 0; j < c_.inter_body_count; ++j)
      if (c_.items[c_.inter_body[j]].meet == root) return;  // more than the root couples the branches
    BlockList branches = blocks_of_branches(m_, c_, root, pv_border);
    const bool rows_on_root = c_.node_row_first[root] < c_.node_row_first[root + 1];
    // Rows on the root body have no dual Hessian without the root joint; a split needs two other branches.
    if (branches.blocks.size() < (rows_on_root ? 3u : 2u)) return;
    to_.split_pays = split_saves(whole_.blocks.front().row_count, branches.blocks);
    split_ = std::move(branches);
  }

  const ModelData& m_;
  const ConstraintData& c_;
  PvTables& to_;
  std::vector<PvNode> nodes_;
  std::vector<PvGroup> groups_;
  std::vector<std::int32_t> lane_of_row_, second_lane_of_row_;
  std::vector<PvSide> sides_;
  std::vector<PvMerge> merges_;
  BlockList whole_, split_;
};

// The units (plan/units.hpp) that rows pass.
template <class Model, class Rows>
class EarlyPlan {
 public:
  EarlyPlan(const Model& model, const Rows& rows, bool carries_limbs) : m(model), c(rows) {
    tables_.node_of_row.resize(index(c.row_count));
    for (auto* list : {&tables_.segment_of, &tables_.dof_of}) list->assign(index(m.node_count), -1);
    passed_.assign(index(m.node_count), 0), begins_ = passed_;
    find_units();
    for (std::int32_t unit = m.node_count; unit-- > 0;)
      if (begins_[index(unit)]) add_segment(unit);
    for (EarlySegment& s : tables_.segments)
      s.up = s.parent >= Model::first_body ? tables_.segment_of[index(unit_of(m, s.parent))]
             : Model::first_body > 0       ? at_limb_parents
                                           : at_world;
    find_inner(carries_limbs);
  }
  EarlyTables take() { return std::move(tables_); }

 private:
  std::int32_t bodies_of(std::int32_t unit) const {
    return m.node_cluster[unit] < 0 ? 1 : m.clusters[m.node_cluster[unit]].node_count;
  }

  // A segment begins where rows are, or enter by several ways.
  void find_units() {
    std::vector<int> ways(index(m.node_count), 0);
    for (int s = 0; s < c.support_count; ++s) passed_[index(unit_of(m, c.support[s]))] = 1;
    for (std::int32_t unit = Model::first_body; unit < m.node_count; ++unit) {
      if (!passed_[index(unit)]) continue;
      if (parent_of(m, unit) >= Model::first_body) ++ways[index(unit_of(m, parent_of(m, unit)))];
      begins_[index(unit)] = rows_end(unit) > c.node_row_first[unit];
    }
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (ways[i] > 1) begins_[i] = 1;
    for (std::int32_t i = Model::first_body; i < m.node_count; ++i)
      std::fill(tables_.node_of_row.begin() + c.node_row_first[i],
                tables_.node_of_row.begin() + c.node_row_first[i + 1], i);
  }
  std::int32_t rows_end(std::int32_t unit) const { return c.node_row_first[unit + bodies_of(unit)]; }

  // The unit inward of this one in the same segment; -1: the segment ends.
  std::int32_t next(std::int32_t unit) const {
    const std::int32_t parent = parent_of(m, unit);
    if (parent < Model::first_body) return -1;
    const std::int32_t inward = unit_of(m, parent);
    return begins_[index(inward)] ? -1 : inward;
  }

  void add_segment(std::int32_t unit) {
    EarlySegment s{};
    s.first = unit;
    s.row_begin = c.node_row_first[unit], s.row_count = rows_end(unit) - s.row_begin;
    s.dof_begin = dofs_;
    for (;; unit = next(unit)) {
      tables_.segment_of[index(unit)] = count_of(tables_.segments);
      tables_.dof_of[index(unit)] = dofs_;
      dofs_ += columns_of(m, unit);
      if (next(unit) < 0) break;
      if (ends_segment(dofs_ - s.dof_begin, bodies_left(unit))) begins_[index(next(unit))] = 1;
      if (next(unit) < 0) break;
    }
    s.last = unit, s.parent = parent_of(m, unit);
    s.dof_count = dofs_ - s.dof_begin;
    tables_.segments.push_back(s);
  }
  void find_inner(bool all) {
    std::vector<char> inner(index(m.node_count), 0);
    for (int s = 0; all && s < c.support_count; ++s) inner[index(c.support[s])] = 1;
    for (const EarlySegment& s : tables_.segments) {
      // Several bodies of a cluster may give their shares to the parent.
      const bool several = s.up != at_world && m.node_cluster[s.last] >= 0;
      for (std::int32_t i = several ? s.first : s.parent; i >= Model::first_body;
           i = parent_of(m, unit_of(m, i)))
        std::fill_n(inner.begin() + unit_of(m, i), bodies_of(unit_of(m, i)), char{1});
    }
    for (std::int32_t i = 0; i < m.node_count; ++i)
      if (inner[index(i)]) tables_.inner.push_back(i);
  }
  int bodies_left(std::int32_t unit) const {
    int count = 0;
    for (unit = next(unit); unit >= 0; unit = next(unit)) ++count;
    return count;
  }

  const Model& m;
  const Rows& c;
  EarlyTables tables_;
  std::vector<char> passed_, begins_;
  std::int32_t dofs_ = 0;
};

}  // namespace

void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, PvTables& to) {
  PvPlan(m, c, to).keep_lists(memory);
}

void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, PvOsimfTables& to) {
  const std::vector<UnitRows> roots = units_behind(m, c, -1);
  const std::int32_t root = only_root(m, roots);
  BlockList list;
  if (root >= 0) list = blocks_of_branches(m, c, root, 0);
  if (list.blocks.size() > 1) {
    to.root_columns = dofs_of(m, root);
  } else {
    list = {};
    list.add(roots, 0);
  }
  to.slot_count = list.slots, to.matrix_size = list.numbers;
  to.world_rows = c.node_row_first[0];
  to.stride = whole_packs(c.row_count + 3);
  memory.keep(std::move(list.blocks), to.blocks, to.block_count);
}

// ---- pv_early

template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c) {
  EarlyWork work;
  const EarlyTables tables = EarlyPlan(m, c, false).take();
  // That must meet: a segment's own, and what the coordinates outward of it cannot take.
  std::vector<int> rows(tables.segments.size(), 0);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const EarlySegment& g = tables.segments[s];
    rows[s] += g.row_count;
    if (rows[s] > early_rows<double>) work.possible = false;
    if (rows[s] == 0) continue;
    ++work.segments;
    work.rows_at_once = std::max(work.rows_at_once, rows[s]);
    work.surplus += std::max(0, rows[s] - std::min(g.dof_count, 6));
    work.passes += whole_packs(rows[s]) / 4 * g.dof_count;
    if (g.up >= 0) rows[index(g.up)] += std::max(0, rows[s] - g.dof_count);
  }
  return work;
}

template <class Model, class Rows>
EarlyTables early_tables(const Model& m, const Rows& c, bool carries_limbs) {
  return EarlyPlan(m, c, carries_limbs).take();
}

template EarlyWork early_work(const ModelData&, const ConstraintData&);
template EarlyTables early_tables(const ModelData&, const ConstraintData&, bool);
using Limbs = Pack<double, branch_width>;
template EarlyWork early_work(const ModelDataOf<Limbs>&, const ConstraintDataOf<Limbs>&);
template EarlyTables early_tables(const ModelDataOf<Limbs>&, const ConstraintDataOf<Limbs>&, bool);

}  // namespace tenon
