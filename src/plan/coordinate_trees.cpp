#include "plan/coordinate_trees.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/body_poses.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

namespace {

using List = std::vector<std::int32_t>;

// The coordinates that the rows of each inter-body item move, in ascending order, and where each item begins.
struct Paths {
  List begin{0}, coordinates;
};
Paths collect_paths(const ModelData& m, const ConstraintData& c) {
  std::vector<List> of_node(index(m.node_count));
  for (std::int32_t k = 0; k < m.nv; ++k) of_node[index(m.v_node[k])].push_back(k);
  Paths paths;
  List& path = paths.coordinates;
  for (std::int32_t j = 0; j < c.inter_body_count; ++j) {
    const ConstraintItem& item = c.items[c.inter_body[j]];
    for (std::int32_t i : {item.first, item.second})
      for (; i != item.meet; i = m.nodes[i].parent)
        path.insert(path.end(), of_node[index(i)].begin(), of_node[index(i)].end());
    std::sort(path.begin() + paths.begin.back(), path.end());
    paths.begin.push_back(count_of(path));
  }
  return paths;
}

// Parents, in the original numbers of coordinates: the last coordinate before k with which k is coupled after
// all later ones are eliminated. All other couplings of k pass to its parent.
//
// By the algorithm of Liu (The role of elimination trees in sparse factorization, 1990), from the last coordinate
// to the first. A coordinate is coupled with all before it on its path to the root or on the path of an item;
// the next of each path is enough, for the others are then its ancestors.
List parents_of(const ModelData& m, const Paths& paths) {
  const std::size_t n = index(m.nv);
  std::vector<List> later(n);  // coupled with k
  for (std::int32_t k = 0; k < m.nv; ++k)
    if (m.v_parent[k] >= 0) later[index(m.v_parent[k])].push_back(k);
  for (std::size_t b = 0; b + 1 < paths.begin.size(); ++b)
    for (std::size_t x = index(paths.begin[b]) + 1; x < index(paths.begin[b + 1]); ++x)
      later[index(paths.coordinates[x - 1])].push_back(paths.coordinates[x]);
  // root: the first coordinate known so far on the path from k, by steps that are shortened as they are gone.
  List parent(n, -1), root(n, -1);
  for (std::int32_t k = m.nv - 1; k >= 0; --k) {
    for (std::int32_t i : later[index(k)]) {
      while (i != k) {
        const std::int32_t next = root[index(i)];
        root[index(i)] = k;
        if (next < 0) parent[index(i)] = k;
        i = next < 0 ? k : next;
      }
    }
  }
  return parent;
}

struct Range {
  std::int32_t begin, end;
  bool empty() const { return begin == end; }
  void take_in(const Range& other) {
    if (other.empty()) return;
    *this = empty() ? other : Range{std::min(begin, other.begin), std::max(end, other.end)};
  }
};

}  // namespace

EliminationTree::EliminationTree(const ModelData& m, const ConstraintData* constraints,
                                 const WorkspaceData<double>& w) {
  if (!constraints || constraints->inter_body_count == 0) return;
  Paths paths = collect_paths(m, *constraints);
  const List parent = parents_of(m, paths);
  List coordinate = depth_first(parent), number(parent.size()), v_parent;
  for (std::int32_t k = 0; k < m.nv; ++k) number[index(coordinate[index(k)])] = k;
  for (const std::int32_t k : coordinate)
    v_parent.push_back(parent[index(k)] < 0 ? -1 : number[index(parent[index(k)])]);
  List& path = paths.coordinates;
  for (std::int32_t& k : path) k = number[index(k)];
  for (std::size_t i = 0; i + 1 < paths.begin.size(); ++i)
    std::sort(path.begin() + paths.begin[i], path.begin() + paths.begin[i + 1]);
  make_tables(v_parent.data(), m.nv, *this, paths_);
  List place(index(w.row_first[m.nv - 1] + w.dof_depth[m.nv - 1] + 1), 0);
  for (std::int32_t k = 0; k < m.nv; ++k) {
    std::int32_t i = k;
    for (std::int32_t depth = w.dof_depth[k]; depth >= 0; --depth, i = m.v_parent[i])
      place[index(w.row_first[k] + depth)] =
          paths_.row_first[number[index(k)]] + paths_.dof_depth[number[index(i)]];
  }
  data_.tree.nv = m.nv;
  data_.tree.v_parent = keep(std::move(v_parent));
  data_.number = keep(std::move(number));
  data_.coordinate = keep(std::move(coordinate));
  data_.place = keep(std::move(place));
  data_.path_begin = keep(std::move(paths.begin));
  data_.path = keep(std::move(path));
  const std::size_t entries = index(paths_.entry_count), padded = index(whole_packs(m.nv));
  cut<double>({{&data_.rows, entries}, {&data_.inv_d, padded}, {&data_.x, padded}});
  follow(w);
}

void EliminationTree::follow(const WorkspaceData<double>& w) {
  if (is_empty()) return;
  data_.w = w;
  data_.w.elimination_tree = nullptr;
  static_cast<PathTables&>(data_.w) = paths_;
}

IndependentSpace::IndependentSpace(const ModelData& m, const ConstraintData* constraints,
                                   const WorkspaceData<double>& w) {
  std::vector<std::int32_t> last, v_parent = independent_tree(m, last), node(v_parent.size());
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
std::vector<std::int32_t> independent_tree(const ModelData& m, std::vector<std::int32_t>& last) {
  std::vector<std::int32_t> v_parent;
  last.assign(index(m.node_count), -1);
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
