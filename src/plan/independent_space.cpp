#include "plan/independent_space.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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
  std::vector<std::int32_t> v_parent = make_tree(m), node(v_parent.size());
  std::iota(node.begin(), node.end(), 0);
  make_tables(v_parent.data(), m.ny, *this, paths_);
  data.tree.nv = m.ny;
  data.tree.v_parent = keep(std::move(v_parent));
  data.tree.v_node = keep(std::move(node));
  if (constraints) bound_rows(m, *constraints);
  const std::size_t entries = index(paths_.entry_count), padded = index(whole_packs(m.ny));
  cut<double>({{&data.w.H, entries},
               {&data.w.H_L, entries},
               {&data.w.H_inv_d, padded},
               {&data.w.L, entries},
               {&data.w.L_inv_d, padded},
               {&data.w.joint_force, padded},
               {&data.yddot, padded},
               {&data.motion, 6 * index(m.G_size)},
               {&G, index(m.G_size)}});
  follow(w);
}

void IndependentSpace::follow(const WorkspaceData<double>& w) {
  const WorkspaceData<double> own = std::exchange(data.w, w);
  data.w.elimination_tree = nullptr;
  static_cast<PathTables&>(data.w) = paths_;
  data.w.H = own.H, data.w.H_L = own.H_L, data.w.H_inv_d = own.H_inv_d;
  data.w.L = own.L, data.w.L_inv_d = own.L_inv_d;
  data.w.joint_force = own.joint_force;
}

// A chain for each cluster, on the last coordinate of the node or cluster that it hangs on.
std::vector<std::int32_t> IndependentSpace::make_tree(const ModelData& m) {
  std::vector<std::int32_t> v_parent;
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
      v_parent.push_back(above);
      above = count_of(v_parent) - 1;
    }
    last[index(i)] = above;
  }
  return v_parent;
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
  std::vector<std::int32_t> begin, end;
  for (std::int32_t y = 0; y < m.ny; ++y) {
    const Range& range = moved[index(unit_of(m, m.v_node[m.independent[y]]))];
    begin.push_back(range.begin);
    end.push_back(range.end);
  }
  data.rows = c;
  data.rows.moved_begin = keep(std::move(begin));
  data.rows.moved_end = keep(std::move(end));
}

}  // namespace tenon
