#include "plan/independent_space.hpp"

#include <algorithm>
#include <numeric>

#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

struct Range {
  std::int32_t begin, end;
  bool empty() const { return begin == end; }
  void take_in(const Range& other) {
    if (other.empty()) return;
    *this = empty() ? other : Range{std::min(begin, other.begin), std::max(end, other.end)};
  }
};

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
  G.assign(index(m.G_size), 0.0);
  const std::size_t entries = paths_.entry_count(), padded = index(whole_packs(m.ny));
  memory_.cut({{&H_, entries},
               {&H_L_, entries},
               {&H_inv_d_, padded},
               {&L_, entries},
               {&L_inv_d_, padded},
               {&joint_force_, padded},
               {&data.yddot, padded},
               {&data.motion, 6 * index(m.G_size)}});
  follow(w);
}

void IndependentSpace::follow(const WorkspaceData<double>& w) {
  data.w = w;
  data.w.elimination_tree = nullptr;
  paths_.bind(data.w);
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
    const std::int32_t parent = m.nodes[i].parent;
    std::int32_t above = parent < 0 ? -1 : last[index(parent)];
    for (std::int32_t count = columns_of(m, i); count > 0; --count) {
      v_parent_.push_back(above);
      above = count_of(v_parent_) - 1;
    }
    last[index(i)] = above;
  }
  node_.resize(v_parent_.size());
  std::iota(node_.begin(), node_.end(), 0);
  paths_ = PathLayout(v_parent_.data(), count_of(v_parent_));
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
  return bytes_of(v_parent_, node_, moved_begin_, moved_end_, paths_, memory_, G);
}

}  // namespace tenon
