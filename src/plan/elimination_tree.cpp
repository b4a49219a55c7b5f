#include "plan/elimination_tree.hpp"

#include <algorithm>

#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

EliminationTree::EliminationTree(const ModelData& m, const ConstraintData* constraints,
                                 const WorkspaceData<double>& w) {
  if (!constraints || constraints->inter_body_count == 0) return;
  collect_paths(m, *constraints);
  number_depth_first(elimination_tree(m));
  lay_out_rows(m, w);
  for (std::int32_t& k : path_) k = number_[index(k)];
  for (std::size_t i = 0; i + 1 < path_begin_.size(); ++i)
    std::sort(path_.begin() + path_begin_[i], path_.begin() + path_begin_[i + 1]);

  data_.tree.nv = m.nv;
  data_.tree.v_parent = v_parent_.data();
  follow(w);
  data_.entry_count = paths_.row_first.back();
  data_.number = number_.data();
  data_.coordinate = coordinate_.data();
  data_.place = place_.data();
  data_.path_begin = path_begin_.data();
  data_.path = path_.data();
  const std::size_t entries = index(data_.entry_count), padded = index(whole_packs(m.nv));
  memory_.cut<double>({{&data_.rows, entries}, {&data_.inv_d, padded}, {&data_.x, padded}});
}

void EliminationTree::follow(const WorkspaceData<double>& w) {
  if (path_begin_.empty()) return;
  data_.w = w;
  data_.w.elimination_tree = nullptr;
  paths_.bind(data_.w);
}

// The coordinates that the rows of each inter-body item move, in ascending order.
void EliminationTree::collect_paths(const ModelData& m, const ConstraintData& c) {
  std::vector<std::vector<std::int32_t>> of_node(index(m.node_count));
  for (std::int32_t k = 0; k < m.nv; ++k) of_node[index(m.v_node[k])].push_back(k);
  path_begin_.push_back(0);
  for (std::int32_t j = 0; j < c.inter_body_count; ++j) {
    const ConstraintItem& item = c.items[c.inter_body[j]];
    for (std::int32_t i : {item.first, item.second})
      for (; i != item.meet; i = m.nodes[i].parent)
        path_.insert(path_.end(), of_node[index(i)].begin(), of_node[index(i)].end());
    std::sort(path_.begin() + path_begin_.back(), path_.end());
    path_begin_.push_back(count_of(path_));
  }
}

// Parents, in the original numbers of coordinates: the last coordinate before k with which k is coupled after
// all later ones are eliminated. All other couplings of k pass to its parent.
//
// By the algorithm of Liu (The role of elimination trees in sparse factorization, 1990), from the last coordinate
// to the first. A coordinate is coupled with all before it on its path to the root or on the path of an item;
// the next of each path is enough, for the others are then its ancestors.
std::vector<std::int32_t> EliminationTree::elimination_tree(const ModelData& m) const {
  const std::size_t n = index(m.nv);
  std::vector<std::vector<std::int32_t>> later(n);  // coupled with k
  for (std::int32_t k = 0; k < m.nv; ++k)
    if (m.v_parent[k] >= 0) later[index(m.v_parent[k])].push_back(k);
  for (std::size_t b = 0; b + 1 < path_begin_.size(); ++b)
    for (std::size_t x = index(path_begin_[b]) + 1; x < index(path_begin_[b + 1]); ++x)
      later[index(path_[x - 1])].push_back(path_[x]);
  // root: the first coordinate known so far on the path from k, by steps that are shortened as they are gone.
  std::vector<std::int32_t> parent(n, -1), root(n, -1);
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

// number_, and the tree in the new numbers.
void EliminationTree::number_depth_first(const std::vector<std::int32_t>& parent) {
  number_.assign(parent.size(), -1);
  std::vector<std::vector<std::int32_t>> children(parent.size() + 1);  // of k at k + 1, the last first
  for (std::size_t k = parent.size(); k-- > 0;)
    children[index(parent[k] + 1)].push_back(static_cast<std::int32_t>(k));
  std::vector<std::int32_t> waiting = children[0];
  while (!waiting.empty()) {
    const std::int32_t k = waiting.back();
    waiting.pop_back();
    number_[index(k)] = count_of(v_parent_);
    coordinate_.push_back(k);
    const std::int32_t p = parent[index(k)];
    v_parent_.push_back(p < 0 ? -1 : number_[index(p)]);
    const std::vector<std::int32_t>& next = children[index(k + 1)];
    waiting.insert(waiting.end(), next.begin(), next.end());
  }
}

void EliminationTree::lay_out_rows(const ModelData& m, const WorkspaceData<double>& w) {
  paths_ = PathLayout(v_parent_.data(), m.nv);
  place_.assign(index(w.row_first[m.nv - 1] + w.dof_depth[m.nv - 1] + 1), 0);
  for (std::int32_t k = 0; k < m.nv; ++k) {
    std::int32_t i = k;
    for (std::int32_t depth = w.dof_depth[k]; depth >= 0; --depth, i = m.v_parent[i])
      place_[index(w.row_first[k] + depth)] =
          paths_.row_first[index(number_[index(k)])] + paths_.dof_depth[index(number_[index(i)])];
  }
}

std::size_t EliminationTree::bytes() const {
  return bytes_of(number_, coordinate_, v_parent_, place_, path_begin_, path_, paths_, memory_);
}

}  // namespace tenon
