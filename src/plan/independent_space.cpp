#include "plan/independent_space.hpp"

#include <algorithm>
#include <numeric>

#include "plan/arena.hpp"
#include "plan/fields.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

std::size_t index(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

struct Range {
  std::int32_t begin, end;
  bool empty() const { return begin == end; }
  void take_in(const Range& other) {
    if (other.empty()) return;
    *this = empty() ? other : Range{std::min(begin, other.begin), std::max(end, other.end)};
  }
};

// The node itself, or the first node of its cluster.
std::int32_t unit_of(const ModelData& m, std::int32_t node) {
  const std::int32_t cluster = m.node_cluster[node];
  return cluster < 0 ? node : m.clusters[cluster].node_begin;
}

}  // namespace

IndependentSpace::IndependentSpace(const ModelData& m, const ConstraintData* constraints,
                                   const WorkspaceData<double>& w) {
  make_tree(m);
  data.tree.nv = m.ny;
  data.tree.v_parent = v_parent_.data();
  data.tree.v_node = node_.data();
  if (constraints) {
    data.rows = *constraints;
    bound_rows(m, *constraints);
    data.rows.moved_begin = moved_begin_.data();
    data.rows.moved_end = moved_end_.data();
  }
  panels_ = panels_of(data.tree, dof_depth_);
  G.assign(index(m.G_size), 0.0);
  const std::size_t entries = index(row_first_.back()), padded = index(whole_packs(m.ny));
  lay_out<double>({{&H_, entries},
                   {&H_L_, entries},
                   {&H_inv_d_, padded},
                   {&L_, entries},
                   {&L_inv_d_, padded},
                   {&joint_force_, padded},
                   {&data.yddot, padded},
                   {&data.motion, 6 * index(m.G_size)}},
                  memory_);
  follow(w);
}

void IndependentSpace::follow(const WorkspaceData<double>& w) {
  data.w = w;
  data.w.elimination_tree = nullptr;
  data.w.dof_depth = dof_depth_.data();
  data.w.row_first = row_first_.data();
  data.w.panel_count = static_cast<std::int32_t>(panels_.size());
  data.w.panels = panels_.data();
  data.w.H = H_, data.w.H_L = H_L_, data.w.H_inv_d = H_inv_d_;
  data.w.L = L_, data.w.L_inv_d = L_inv_d_;
  data.w.joint_force = joint_force_;
}

// A chain for each cluster, on the last coordinate of the node or cluster that it hangs on.
void IndependentSpace::make_tree(const ModelData& m) {
  std::vector<std::int32_t> last(index(m.node_count),
                                 -1);  // last coordinate on the path to a node, its own included
  for (std::int32_t i = 0; i < m.node_count; ++i) {
    const std::int32_t unit = unit_of(m, i);
    if (unit < i) {
      last[index(i)] = last[index(unit)];
      continue;
    }
    const std::int32_t parent = m.nodes[i].parent, cluster = m.node_cluster[i];
    std::int32_t above = parent < 0 ? -1 : last[index(parent)];
    const std::int32_t end = i + 1 < m.node_count ? m.nodes[i + 1].v_index : m.nv;
    std::int32_t count = cluster < 0 ? end - m.nodes[i].v_index : m.clusters[cluster].y_count;
    for (; count > 0; --count) {
      v_parent_.push_back(above);
      above = static_cast<std::int32_t>(v_parent_.size()) - 1;
    }
    last[index(i)] = above;
  }
  node_.resize(v_parent_.size());
  std::iota(node_.begin(), node_.end(), 0);
  row_first_.push_back(0);
  for (const std::int32_t parent : v_parent_) {
    dof_depth_.push_back(parent < 0 ? 0 : dof_depth_[index(parent)] + 1);
    row_first_.push_back(row_first_.back() + whole_packs(dof_depth_.back() + 1));
  }
}

// The rows that a joint or cluster moves, with its subtree.
void IndependentSpace::bound_rows(const ModelData& m, const ConstraintData& c) {
  std::vector<Range> moved(index(m.node_count), Range{0, 0});
  for (std::int32_t i = m.node_count; i-- > 0;) {
    const std::int32_t unit = unit_of(m, i);
    moved[index(unit)].take_in({c.moved_begin[i], c.moved_end[i]});
    const std::int32_t parent = m.nodes[unit].parent;
    if (i == unit && parent >= 0) moved[index(unit_of(m, parent))].take_in(moved[index(unit)]);
  }
  for (std::int32_t y = 0; y < m.ny; ++y) {
    const Range& range = moved[index(unit_of(m, m.v_node[m.independent[y]]))];
    moved_begin_.push_back(range.begin);
    moved_end_.push_back(range.end);
  }
}

std::size_t IndependentSpace::bytes() const {
  const std::size_t indices = v_parent_.size() + node_.size() + dof_depth_.size() + row_first_.size() +
                              moved_begin_.size() + moved_end_.size() +
                              sizeof(DofPanel) / sizeof(std::int32_t) * panels_.size();
  return indices * sizeof(std::int32_t) + (memory_.size() + G.size()) * sizeof(double);
}

}  // namespace tenon
