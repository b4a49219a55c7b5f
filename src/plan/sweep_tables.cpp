// The tables of a workspace's sweeps (arena.hpp), made once for a model and its constraint set.
#include <algorithm>
#include <utility>

#include "kernels/branches/branch_data.hpp"
#include "model/body_poses.hpp"
#include "plan/arena.hpp"
#include "scalar/counted.hpp"
#include "scalar/index.hpp"

namespace tenon {

template <class N>
std::vector<std::int32_t> sweep_flags(const ModelDataOf<N>& m, const std::vector<bool>& supports) {
  const std::size_t nodes = index(m.node_count);
  std::vector<std::int32_t> all(nodes, 0);
  std::vector<bool> stored(nodes, false), base_stored(nodes, false);
  const auto supporting = [&](std::size_t i) { return !supports.empty() && supports[i]; };
  for (std::size_t i = nodes; i-- > 0;) {
    if (supporting(i)) all[i] |= node_supports;
    if (m.nodes[i].parent < 0) continue;
    const std::size_t parent = index(m.nodes[i].parent);
    const bool to_base = supporting(parent) && !supporting(i);
    if (parent + 1 == i && !to_base && m.node_cluster[parent] == m.node_cluster[i]) {
      all[parent] |= node_carries;
      continue;
    }
    std::vector<bool>& first = to_base ? base_stored : stored;
    all[i] |= node_adds_to_memory;
    if (!first[parent]) all[i] |= node_first_to_store;
    first[parent] = true;
    all[parent] |= to_base ? node_has_base : node_collects;
  }
  return all;
}
template std::vector<std::int32_t> sweep_flags(const ModelData&, const std::vector<bool>&);
template std::vector<std::int32_t> sweep_flags(const ModelDataOf<Pack<double, branch_width>>&,
                                               const std::vector<bool>&);

namespace {

std::vector<DofRun> runs_of(const ModelData& m) {
  std::vector<int> end(index(m.nv));  // of the subtree
  for (int k = m.nv - 1; k >= 0; --k) {
    int& own = end[index(k)];
    own = std::max(own, k + 1);
    if (m.v_parent[k] < 0) continue;
    int& above = end[index(m.v_parent[k])];
    above = std::max(above, own);
  }
  std::vector<DofRun> runs;
  for (int k = 0; k < m.nv; ++k) {
    const int subtree_end = end[index(k)];
    if (k > 0 && m.v_parent[k] == k - 1 && runs.back().subtree_end == subtree_end) {
      runs.back().end = k + 1;
      continue;
    }
    DofRun run = {k, k + 1, subtree_end, 0, 0};
    std::vector<bool> zero(index(m.nv), true);
    for (int i = m.v_parent[k]; i >= 0; i = m.v_parent[i]) zero[index(i)] = false;
    std::fill(zero.begin() + k, zero.begin() + subtree_end, false);
    const auto first = std::find(zero.begin(), zero.end(), true);
    if (first != zero.end()) {
      run.gap_begin = static_cast<int>(first - zero.begin());
      run.gap_end = m.nv - static_cast<int>(std::find(zero.rbegin(), zero.rend(), true) - zero.rbegin());
    }
    runs.push_back(run);
  }
  return runs;
}

std::vector<std::int32_t> rows_nodes_of(const ModelData& m, const ConstraintData& c) {
  std::vector<std::int32_t> nodes(index(m.node_count), 0);
  for (int s = c.support_count - 1; s >= 0; --s) {
    const int i = c.support[s];
    nodes[index(i)] = i;
    if (s + 1 == c.support_count) continue;
    // A child that supports the same rows as its parent is the next supporting node.
    const int next = c.support[s + 1];
    if (m.nodes[next].parent == i && c.node_row_first[next] == c.node_row_first[i] &&
        c.subtree_row_end[next] == c.subtree_row_end[i])
      nodes[index(i)] = nodes[index(next)];
  }
  return nodes;
}

}  // namespace

void make_tables(const std::int32_t* v_parent, std::int32_t nv, Memory& memory, PathTables& to) {
  std::vector<std::int32_t> dof_depth, row_first(1, 0), panel_of(index(nv)), children(index(nv));
  std::vector<DofPanel> panels;
  for (int k = 0; k < nv; ++k)
    if (v_parent[k] >= 0) ++children[index(v_parent[k])];
  for (int k = 0; k < nv; ++k) {
    const int parent = v_parent[k];
    dof_depth.push_back(parent < 0 ? 0 : dof_depth[index(parent)] + 1);
    const std::int64_t end = row_first.back() + std::int64_t{whole_packs(dof_depth.back() + 1)};
    row_first.push_back(counted(end, "the paths of its joints to the root"));
    const bool only_child = parent >= 0 && parent == k - 1 && children[index(parent)] == 1;
    if (only_child && dof_depth.back() % 4 != 0)
      panels.back().end = k + 1;
    else
      panels.push_back({k, k + 1, parent < 0 ? -1 : panel_of[index(parent)]});
    panel_of[index(k)] = count_of(panels) - 1;
  }
  to.entry_count = row_first.back();
  to.dof_depth = memory.keep(std::move(dof_depth));
  to.row_first = memory.keep(std::move(row_first));
  memory.keep(std::move(panels), to.panels, to.panel_count);
}

SweepMemory::SweepMemory(const ModelData& m, const ConstraintData* c) : SweepTables{} {
  make_tables(m.v_parent, m.nv, *this, *this);
  node_flags = keep(sweep_flags(m, {}));
  if (c) {
    std::vector<bool> supports(index(m.node_count), false);
    for (int s = 0; s < c->support_count; ++s) supports[index(c->support[s])] = true;
    support_flags = keep(sweep_flags(m, supports));
    rows_node = keep(rows_nodes_of(m, *c));
  }
  std::vector<std::int32_t> axes(index(dof_stride(m)), 0), roots;
  for (int k = 0; k < m.nv; ++k) {
    const NodeData& n = m.nodes[m.v_node[k]];
    axes[index(k)] = 16 * m.v_node[k] + 4 * ((joint_subspace(n.kind).first + k - n.v_index) % 3);
  }
  for (int i = 0; i < m.node_count; ++i) {
    const int parent = m.nodes[i].parent;
    roots.push_back(parent < 0 ? i : roots[index(parent)]);
  }
  axis_place = keep(std::move(axes));
  root_node = keep(std::move(roots));
  keep(runs_of(m), runs, run_count);
}

}  // namespace tenon
