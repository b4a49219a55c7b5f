#include "plan/memory/delassus_memory.hpp"

#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

// A path on which rows are propagated: that of an end or of a branch.
struct OsimrPath {
  bool branch;
  std::int32_t number;  // its index in ends_ or branches_
};

// Visits supporting nodes from the leaves inward; collects what arrives at each from its child nodes and
// clusters.
class DelassusPlan::BranchFinder {
 public:
  BranchFinder(const ModelData& m, const ConstraintData& c, DelassusPlan& to)
      : m_(m), c_(c), to_(to), arrivals_(index(m.node_count)), entering_(index(m.cluster_count)) {}

  void run() {
    for (std::int32_t s = c_.support_count; s-- > 0;) {
      const std::int32_t i = c_.support[s], cluster = m_.node_cluster[i];
      if (cluster >= 0)
        visit_body(i, cluster);
      else
        visit_node(i);
    }
    std::reverse(to_.ends_.begin(), to_.ends_.end());
    for (OsimrMeet& meet : to_.meets_) collect(meet);
  }

 private:
  struct Arrival {
    std::vector<OsimrPath> paths;
    std::int32_t row_begin, row_end;
  };

  std::int32_t own_rows(std::int32_t i) const { return c_.node_row_first[i + 1] - c_.node_row_first[i]; }

  OsimrPath add_end(std::int32_t node) {
    to_.ends_.push_back({node, -1, -1, c_.node_row_first[node], c_.node_row_first[node + 1]});
    return {false, count_of(to_.ends_) - 1};
  }
  OsimrPath add_branch(std::int32_t node, std::int32_t row_begin, std::int32_t row_end,
                       const std::vector<OsimrPath>& below) {
    const std::int32_t number = count_of(to_.branches_);
    to_.branches_.push_back({node, -1, -1, 0, row_begin, row_end, 0, 0, 0});
    for (const OsimrPath& path : below)
      (path.branch ? to_.branches_[index(path.number)].up : to_.ends_[index(path.number)].up) = number;
    return {true, number};
  }
  void leave(std::int32_t parent, Arrival arrival) {
    if (parent >= 0) arrivals_[index(parent)].push_back(std::move(arrival));
  }

  void visit_node(std::int32_t i) {
    std::vector<OsimrPath> paths;
    for (const Arrival& arrival : arrivals_[index(i)])
      paths.insert(paths.end(), arrival.paths.begin(), arrival.paths.end());
    const std::int32_t begin = c_.node_row_first[i], end = c_.subtree_row_end[i];
    if (paths.empty() && carries_rows(own_rows(i)))
      paths = {add_end(i)};
    else if (paths.size() != 1 || own_rows(i) > 0)
      paths = {add_branch(i, begin, end, paths)};
    leave(m_.nodes[i].parent, {paths, begin, end});
  }

  // Its own rows, and those of each child cluster or node, enter the cluster separately.
  void visit_body(std::int32_t i, std::int32_t cluster) {
    std::vector<OsimrPath>& entering = entering_[index(cluster)];
    if (!carries_rows(own_rows(i)))
      entering.push_back(add_branch(i, c_.node_row_first[i], c_.node_row_first[i + 1], {}));
    else if (own_rows(i) > 0)
      entering.push_back(add_end(i));
    for (const Arrival& arrival : arrivals_[index(i)])
      entering.push_back(arrival.paths.size() == 1
                             ? arrival.paths.front()
                             : add_branch(i, arrival.row_begin, arrival.row_end, arrival.paths));
    const ClusterData& c = m_.clusters[cluster];
    if (i > c.node_begin) return;
    const std::int32_t row_end = end_of_rows(m_, c_, c.node_begin);
    if (entering.size() > 1) add_meet(cluster, row_end, entering);
    leave(c.parent, {entering, c_.node_row_first[c.node_begin], row_end});
  }

  void add_meet(std::int32_t cluster, std::int32_t row_end, const std::vector<OsimrPath>& paths) {
    const ClusterData& c = m_.clusters[cluster];
    const std::int32_t number = count_of(to_.meets_);
    to_.meets_.push_back({cluster, c_.node_row_first[c.node_begin], row_end, 0, 0, 0});
    for (const OsimrPath& path : paths) {
      if (!path.branch) {
        to_.ends_[index(path.number)].meet = number;
        continue;
      }
      OsimrBranch& branch = to_.branches_[index(path.number)];
      branch.meet = number;
      branch.X_begin = to_.X_size_;
      to_.X_size_ += 8 * c.y_count;
    }
  }

  // The rows of each path into a cluster.
  void collect(OsimrMeet& meet) {
    const std::int32_t number = static_cast<std::int32_t>(&meet - to_.meets_.data());
    std::vector<OsimrGroup>& groups = to_.groups_;
    meet.group_begin = count_of(groups);
    for (const OsimrEnd& end : to_.ends_)
      if (end.meet == number) groups.push_back({end.row_begin, end.row_end, 0});
    for (const OsimrBranch& branch : to_.branches_)
      if (branch.meet == number) groups.push_back({branch.row_begin, branch.row_end, 1});
    meet.group_end = count_of(groups);
    std::sort(groups.begin() + meet.group_begin, groups.end(),
              [](const OsimrGroup& x, const OsimrGroup& y) { return x.row_begin < y.row_begin; });
  }

  const ModelData& m_;
  const ConstraintData& c_;
  DelassusPlan& to_;
  std::vector<std::vector<Arrival>> arrivals_;    // per node
  std::vector<std::vector<OsimrPath>> entering_;  // per cluster
};

DelassusPlan::DelassusPlan(const ModelData& m, const ConstraintData* constraints, const PvTables& pv) {
  for (std::int32_t r = 0; constraints && r < constraints->row_count; ++r)
    in_order = in_order && constraints->user_row[r] == r;
  // No tables for inter-body rows in models with clusters: only dense takes such rows.
  const bool rows = constraints && constraints->row_count > 0 &&
                    (m.cluster_count == 0 || constraints->inter_body_count == 0);
  if (rows) {
    BranchFinder(m, *constraints, *this).run();
    choose_what_is_propagated(m, *constraints, branches_);
    find_groups(*constraints);
    find_efpa_nodes(m, pv);
    find_packs(*constraints);
  }
  bind_tables(m, rows ? constraints->row_count : 0);
}

// Groups of a branch by the path of their rows: its own first, then those of ends and outer branches.
void DelassusPlan::find_groups(const ConstraintData& c) {
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    OsimrBranch& branch = branches_[b];
    branch.group_begin = count_of(groups_);
    const std::int32_t own_end = c.node_row_first[branch.node + 1];
    if (own_end > branch.row_begin) groups_.push_back({branch.row_begin, own_end, 0});
    const auto comes_here = [b](const auto& x) { return x.up == static_cast<std::int32_t>(b); };
    for (const OsimrEnd& end : ends_)
      if (comes_here(end)) groups_.push_back({end.row_begin, end.row_end, 0});
    for (const OsimrBranch& lower : branches_)
      if (comes_here(lower))
        groups_.push_back({lower.row_begin, lower.row_end, lower.propagates_rows ? 0 : 1});
    branch.group_end = count_of(groups_);
    std::sort(groups_.begin() + branch.group_begin, groups_.end(),
              [](const OsimrGroup& x, const OsimrGroup& y) { return x.row_begin < y.row_begin; });
  }
}

std::int32_t DelassusPlan::path_dofs(const ModelData& m, std::int32_t node, std::int32_t up) const {
  const std::int32_t to = up < 0 ? -1 : branches_[index(up)].node;
  std::int32_t dofs = 0;
  for_path(m, node, to, [&](std::int32_t, std::int32_t columns) { dofs += columns; });
  return std::max(dofs, 1);
}

// Returns the memory that the columns of the longest path need. Sets path_stride, for paths of branches.
std::size_t DelassusPlan::measure_paths(const ModelData& m) {
  std::int32_t most_rows = 0, size = 0;
  for (const OsimrBranch& b : branches_)
    if (b.propagates_rows) most_rows = std::max(most_rows, b.row_end - b.row_begin);
  osimr_.path_stride = whole_packs(most_rows);
  for (const OsimrEnd& e : ends_) size = std::max(size, 8 * path_dofs(m, e.node, e.up));
  for (const OsimrBranch& b : branches_)
    size = std::max(size, (b.propagates_rows ? osimr_.path_stride : 8) * path_dofs(m, b.node, b.up));
  return index(size + 3);  // a pack may begin at the last row
}

// Rows meet at a node with its own rows and at one with several supporting children.
void DelassusPlan::find_efpa_nodes(const ModelData& m, const PvTables& pv) {
  std::vector<std::int32_t> place(index(m.node_count), -1);
  for (std::int32_t i = 0; i < pv.node_count; ++i) {
    const PvNode& s = pv.nodes[i];
    const std::int32_t bodies = s.cluster < 0 ? 1 : m.clusters[s.cluster].node_count;
    std::fill_n(place.begin() + s.node, bodies, i);
  }
  std::vector<std::vector<std::int32_t>> ends_at(index(pv.node_count));  // of groups
  std::int32_t K = 0;
  for (std::int32_t i = 0; i < pv.node_count; ++i) {
    const PvNode& s = pv.nodes[i];
    const std::int32_t parent = m.nodes[s.node].parent;
    EfpaNode n{};
    n.parent = parent < 0 ? -1 : place[index(parent)];
    n.K_begin = K;
    K += 6 * (s.lane_end - s.lane_begin);
    n.has_rows = s.row_end > s.row_begin ? 1 : 0;
    if (n.parent >= 0) ends_at[index(n.parent)].push_back(s.lane_end);
    std::vector<std::int32_t>& ends = ends_at[index(i)];
    if (s.cluster >= 0) ends.clear();  // has PvGroup
    if (s.cluster < 0 && n.has_rows) ends.push_back(s.lane_begin + whole_packs(s.row_end - s.row_begin));
    std::sort(ends.begin(), ends.end());
    if (!n.has_rows && ends.size() < 2) ends.clear();
    n.group_begin = count_of(group_lane_end_);
    group_lane_end_.insert(group_lane_end_.end(), ends.begin(), ends.end());
    n.group_end = count_of(group_lane_end_);
    efpa_nodes_.push_back(n);
  }
  efpa_K_size_ = index(K);
  efpa_.nodes = efpa_nodes_.data();
  efpa_.group_lane_end = group_lane_end_.data();
}

void DelassusPlan::find_packs(const ConstraintData& c) {
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], end = c.node_row_first[i + 1];
    for (std::int32_t r = c.node_row_first[i]; r < end; r += 4)
      packs_.push_back({i, r, std::min(r + 4, end)});
  }
  pack_of_row_.assign(index(c.row_count) + 1, 0);
  for (std::size_t p = 0; p < packs_.size(); ++p)
    for (std::int32_t r = packs_[p].row_begin; r < packs_[p].row_end; ++r)
      pack_of_row_[index(r)] = static_cast<std::int32_t>(p);
  pack_of_row_.back() = kjr_.pack_count = count_of(packs_);
  kjr_.packs = packs_.data();
  kjr_.pack_of_row = pack_of_row_.data();
}

void DelassusPlan::bind_tables(const ModelData& m, int row_count) {
  osimr_.end_count = count_of(ends_);
  osimr_.branch_count = count_of(branches_);
  osimr_.meet_count = count_of(meets_);
  osimr_.meets = meets_.data();
  osimr_.ends = ends_.data();
  osimr_.branches = branches_.data();
  osimr_.groups = groups_.data();
  osimr_.row_stride = whole_packs(row_count + 7);  // the packs of an end may begin at the last row
  row_count_ = index(row_count);
  W_size_ = measure_paths(m);
  for (OsimrMeet& meet : meets_) {
    meet.x_begin = x_size_;
    x_size_ += m.clusters[meet.cluster].y_count * osimr_.row_stride;
  }
  for (std::int32_t i = 0; i < m.cluster_count; ++i) most_y_ = std::max(most_y_, m.clusters[i].y_count);
}

std::size_t DelassusPlan::bytes() const {
  return bytes_of(ends_, branches_, groups_, meets_, efpa_nodes_, group_lane_end_, packs_, pack_of_row_);
}

}  // namespace tenon
