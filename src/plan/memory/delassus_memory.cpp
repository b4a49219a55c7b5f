// Tables of the methods for the Delassus matrix and its damped inverse.
#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/units.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

namespace {

// The rows of a limb that arrive at its parent by branch lanes.
struct OsimrLimb {
  std::int32_t parent;
  std::int32_t row_begin, row_end;
};

// The lists of OsimrTables, as they are made.
struct OsimrLists {
  std::vector<OsimrLimb> limbs;
  std::vector<OsimrEnd> ends;
  std::vector<OsimrBranch> branches;
  std::vector<OsimrMeet> meets;
  std::vector<OsimrGroup> groups;
  std::int32_t X_size = 0;
};

// A path on which rows are propagated: that of an end or of a branch.
struct OsimrPath {
  bool branch;
  std::int32_t number;  // its index in ends or branches
};

// Visits supporting nodes from the leaves inward; collects what arrives at each from its child nodes and
// clusters.
class BranchFinder {
 public:
  BranchFinder(const ModelData& m, const ConstraintData& c, const OsimrTrunk* trunk, OsimrLists& to)
      : m_(m),
        c_(c),
        trunk_(trunk),
        to_(to),
        arrivals_(index(m.node_count)),
        entering_(index(m.cluster_count)) {}

  void run() {
    for (std::int32_t s = c_.support_count; s-- > 0;) {
      const std::int32_t i = c_.support[s], cluster = m_.node_cluster[i];
      if (cluster >= 0)
        visit_body(i, cluster);
      else if (on_limb(i))
        visit_limb(i);
      else
        visit_node(i);
    }
    std::reverse(to_.ends.begin(), to_.ends.end());
    for (OsimrMeet& meet : to_.meets) collect(meet);
  }

 private:
  struct Arrival {
    std::vector<OsimrPath> paths;
    std::int32_t row_begin, row_end;
  };

  bool on_limb(std::int32_t i) const { return trunk_ && i >= 0 && trunk_->node_of[i] < 0; }
  std::int32_t own_rows(std::int32_t i) const { return c_.node_row_first[i + 1] - c_.node_row_first[i]; }

  OsimrPath add_end(std::int32_t node) {
    const std::int32_t begin = c_.node_row_first[node];
    to_.ends.push_back({node, -1, -1, begin, c_.node_row_first[node + 1], begin});
    return {false, count_of(to_.ends) - 1};
  }
  OsimrPath add_branch(std::int32_t node, std::int32_t row_begin, std::int32_t row_end,
                       const std::vector<OsimrPath>& below) {
    const std::int32_t number = count_of(to_.branches);
    const std::int32_t own_count = std::max(c_.node_row_first[node + 1] - row_begin, 0);
    to_.branches.push_back({node, -1, -1, 0, row_begin, row_end, row_begin, own_count, 0, 0, 0});
    for (const OsimrPath& path : below)
      (path.branch ? to_.branches[index(path.number)].up : to_.ends[index(path.number)].up) = number;
    return {true, number};
  }
  void leave(std::int32_t parent, Arrival arrival) {
    if (parent >= 0) arrivals_[index(parent)].push_back(std::move(arrival));
  }

  // The first body stands for the limb.
  void visit_limb(std::int32_t i) {
    const std::int32_t parent = m_.nodes[i].parent;
    if (!on_limb(parent)) to_.limbs.push_back({parent, c_.node_row_first[i], c_.subtree_row_end[i]});
  }

  void visit_node(std::int32_t i) {
    const bool has_limbs = std::any_of(to_.limbs.begin(), to_.limbs.end(),
                                       [i](const OsimrLimb& limb) { return limb.parent == i; });
    std::vector<OsimrPath> paths;
    for (const Arrival& arrival : arrivals_[index(i)])
      paths.insert(paths.end(), arrival.paths.begin(), arrival.paths.end());
    const std::int32_t begin = c_.node_row_first[i], end = c_.subtree_row_end[i];
    if (paths.empty() && !has_limbs && carries_rows(own_rows(i)))
      paths = {add_end(i)};
    else if (paths.size() != 1 || has_limbs || own_rows(i) > 0)
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
    const std::int32_t number = count_of(to_.meets);
    to_.meets.push_back({cluster, c_.node_row_first[c.node_begin], row_end, 0, 0, 0});
    for (const OsimrPath& path : paths) {
      if (!path.branch) {
        to_.ends[index(path.number)].meet = number;
        continue;
      }
      OsimrBranch& branch = to_.branches[index(path.number)];
      branch.meet = number;
      branch.X_begin = to_.X_size;
      to_.X_size += 8 * c.y_count;
    }
  }

  // The rows of each path into a cluster.
  void collect(OsimrMeet& meet) {
    const std::int32_t number = static_cast<std::int32_t>(&meet - to_.meets.data());
    std::vector<OsimrGroup>& groups = to_.groups;
    meet.group_begin = count_of(groups);
    for (const OsimrEnd& end : to_.ends)
      if (end.meet == number) groups.push_back({end.row_begin, end.row_end, 0});
    for (const OsimrBranch& branch : to_.branches)
      if (branch.meet == number) groups.push_back({branch.row_begin, branch.row_end, 1});
    meet.group_end = count_of(groups);
    std::sort(groups.begin() + meet.group_begin, groups.end(),
              [](const OsimrGroup& x, const OsimrGroup& y) { return x.row_begin < y.row_begin; });
  }

  const ModelData& m_;
  const ConstraintData& c_;
  const OsimrTrunk* trunk_;
  OsimrLists& to_;
  std::vector<std::vector<Arrival>> arrivals_;    // per node
  std::vector<std::vector<OsimrPath>> entering_;  // per cluster
};

// Groups of a branch by the path of their rows: its own first, then those of limbs, ends and outer branches.
void find_groups(OsimrLists& t) {
  for (std::size_t b = 0; b < t.branches.size(); ++b) {
    OsimrBranch& branch = t.branches[b];
    branch.group_begin = count_of(t.groups);
    if (branch.own_count > 0) t.groups.push_back({branch.row_begin, branch.row_begin + branch.own_count, 0});
    for (const OsimrLimb& limb : t.limbs)
      if (limb.parent == branch.node) t.groups.push_back({limb.row_begin, limb.row_end, 0});
    const auto comes_here = [b](const auto& x) { return x.up == static_cast<std::int32_t>(b); };
    for (const OsimrEnd& end : t.ends)
      if (comes_here(end)) t.groups.push_back({end.row_begin, end.row_end, 0});
    for (const OsimrBranch& lower : t.branches)
      if (comes_here(lower))
        t.groups.push_back({lower.row_begin, lower.row_end, lower.propagates_rows ? 0 : 1});
    branch.group_end = count_of(t.groups);
    std::sort(t.groups.begin() + branch.group_begin, t.groups.end(),
              [](const OsimrGroup& x, const OsimrGroup& y) { return x.row_begin < y.row_begin; });
  }
}

std::int32_t path_dofs(const ModelData& m, std::int32_t node, std::int32_t up, const OsimrLists& t) {
  const std::int32_t to = up < 0 ? -1 : t.branches[index(up)].node;
  std::int32_t dofs = 0;
  for_path(m, node, to, [&](std::int32_t, std::int32_t columns) { dofs += columns; });
  return std::max(dofs, 1);
}

// The memory that the columns of the longest path need, and path_stride, for paths of branches.
void measure_paths(const ModelData& m, const OsimrLists& t, OsimrTables& to) {
  std::int32_t most_rows = 0, size = 0;
  for (const OsimrBranch& b : t.branches)
    if (b.propagates_rows) most_rows = std::max(most_rows, b.row_end - b.row_begin);
  to.path_stride = whole_packs(most_rows);
  for (const OsimrEnd& e : t.ends) size = std::max(size, 8 * path_dofs(m, e.node, e.up, t));
  for (const OsimrBranch& b : t.branches)
    size = std::max(size, (b.propagates_rows ? to.path_stride : 8) * path_dofs(m, b.node, b.up, t));
  to.W_size = size + 3;  // a pack may begin at the last row
}

// Whether rows enter a cluster through more than one body: rows on the body, or on its subtree outside the
// cluster.
bool rows_meet_in_a_cluster(const ModelData& m, const ConstraintData& c) {
  std::vector<std::int32_t> entries(index(m.cluster_count), -1);
  const auto one_more = [&](std::int32_t i) {
    std::int32_t& entry = entries[index(m.node_cluster[i])];
    const bool other = entry >= 0 && entry != i;
    entry = i;
    return other;
  };
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], parent = m.nodes[i].parent, cluster = m.node_cluster[i];
    if (cluster >= 0 && c.node_row_first[i] < c.node_row_first[i + 1] && one_more(i)) return true;
    if (parent >= 0 && m.node_cluster[parent] >= 0 && m.node_cluster[parent] != cluster && one_more(parent))
      return true;
  }
  return false;
}

// Nodes, and rows that are the nodes' own, get their numbers in the trunk.
void number_as_in(const OsimrTrunk& trunk, OsimrLists& t) {
  const auto number = [&trunk](auto& x) {
    x.node = trunk.node_of[x.node];
    x.own_begin = trunk.node_row_first[x.node];
  };
  for (OsimrEnd& end : t.ends) number(end);
  for (OsimrBranch& branch : t.branches) number(branch);
}

}  // namespace

void make_tables(const ModelData& m, const ConstraintData& c, const OsimrTrunk* trunk, Memory& memory,
                 OsimrTables& to) {
  OsimrLists t;
  BranchFinder(m, c, trunk, t).run();
  choose_what_is_propagated(m, t.branches);
  find_groups(t);
  to.matrix_stride = whole_packs(c.row_count);
  to.row_stride = whole_packs(c.row_count + 7);  // the packs of an end may begin at the last row
  for (OsimrMeet& meet : t.meets) {
    meet.x_begin = to.x_size;
    to.x_size += m.clusters[meet.cluster].y_count * to.row_stride;
  }
  to.X_size = t.X_size;
  measure_paths(m, t, to);
  if (trunk) number_as_in(*trunk, t);
  memory.keep(std::move(t.ends), to.ends, to.end_count);
  memory.keep(std::move(t.branches), to.branches, to.branch_count);
  memory.keep(std::move(t.meets), to.meets, to.meet_count);
  to.groups = memory.keep(std::move(t.groups));
}

// Rows meet at a node with its own rows and at one with several supporting children.
void make_tables(const ModelData& m, const PvTables& pv, Memory& memory, EfpaTables& to) {
  std::vector<EfpaNode> nodes;
  std::vector<std::int32_t> group_lane_end;
  std::vector<std::int32_t> place(index(m.node_count), -1);
  for (std::int32_t i = 0; i < pv.node_count; ++i) {
    const PvNode& s = pv.nodes[i];
    const std::int32_t bodies = s.cluster < 0 ? 1 : m.clusters[s.cluster].node_count;
    std::fill_n(place.begin() + s.node, bodies, i);
  }
  std::vector<std::vector<std::int32_t>> ends_at(index(pv.node_count));  // of groups
  for (std::int32_t i = 0; i < pv.node_count; ++i) {
    const PvNode& s = pv.nodes[i];
    const std::int32_t parent = m.nodes[s.node].parent;
    EfpaNode n{};
    n.parent = parent < 0 ? -1 : place[index(parent)];
    n.K_begin = to.K_size;
    to.K_size += 6 * (s.lane_end - s.lane_begin);
    n.has_rows = s.row_end > s.row_begin ? 1 : 0;
    if (n.parent >= 0) ends_at[index(n.parent)].push_back(s.lane_end);
    std::vector<std::int32_t>& ends = ends_at[index(i)];
    if (s.cluster >= 0) ends.clear();  // has PvGroup
    if (s.cluster < 0 && n.has_rows) ends.push_back(s.lane_begin + whole_packs(s.row_end - s.row_begin));
    std::sort(ends.begin(), ends.end());
    if (!n.has_rows && ends.size() < 2) ends.clear();
    n.group_begin = count_of(group_lane_end);
    group_lane_end.insert(group_lane_end.end(), ends.begin(), ends.end());
    n.group_end = count_of(group_lane_end);
    nodes.push_back(n);
  }
  to.nodes = memory.keep(std::move(nodes));
  to.group_lane_end = memory.keep(std::move(group_lane_end));
}

void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, KjrTables& to) {
  std::vector<KjrPack> packs;
  std::vector<std::int32_t> pack_of_row(index(c.row_count) + 1, 0);
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], end = c.node_row_first[i + 1];
    for (std::int32_t r = c.node_row_first[i]; r < end; r += 4) packs.push_back({i, r, std::min(r + 4, end)});
  }
  for (std::size_t p = 0; p < packs.size(); ++p)
    for (std::int32_t r = packs[p].row_begin; r < packs[p].row_end; ++r)
      pack_of_row[index(r)] = static_cast<std::int32_t>(p);
  pack_of_row.back() = count_of(packs);
  memory.keep(std::move(packs), to.packs, to.pack_count);
  to.pack_of_row = memory.keep(std::move(pack_of_row));
  for (std::int32_t i = 0; i < m.cluster_count; ++i) to.most_y = std::max(to.most_y, m.clusters[i].y_count);
}

// ---- caba_osim and caba_osimf

void make_tables(const ModelData& m, const ConstraintData& c, Memory& memory, CabaOsimTables& to) {
  to.row_count = c.row_count;
  to.world_rows = c.node_row_first[0];
  to.stride = whole_packs(to.row_count + 3);  // at least three places after the rows
  to.rows_meet_in_cluster = rows_meet_in_a_cluster(m, c);
  if (to.rows_meet_in_cluster) return;
  std::vector<OsimLink> links;
  std::vector<std::int32_t> segment_of_node(index(m.node_count), -1), link_at_node = segment_of_node;
  std::vector<std::int32_t> sides(index(m.node_count), 0);
  for (std::int32_t s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s], parent = m.nodes[i].parent;
    // All bodies of a cluster support its rows, but it is one side of its parent.
    if (parent >= 0 && i == unit_of(m, i)) ++sides[index(parent)];
  }
  for (std::int32_t s = c.support_count - 1; s >= 0; --s) {
    const std::int32_t i = c.support[s];
    OsimLink link{};
    link.row_begin = c.node_row_first[i], link.row_end = c.node_row_first[i + 1];
    const std::int32_t own = link.row_end - link.row_begin;
    if (own == 0 && sides[index(i)] < 2) continue;
    link.node = i;
    link.parent = link.next = -1;
    link.subtree_row_end = c.subtree_row_end[i];
    link.inner = sides[index(i)] > 0;
    link.propagates_rows = !link.inner && carries_rows(own);
    link.width = std::max(8, (own + 7) / 8 * 8);
    link.place = to.places;
    link.own_begin = to.own_size;
    to.places += link.width;
    to.own_size += own * link.width;
    to.most_rows = std::max(to.most_rows, link.width);
    link_at_node[index(i)] = count_of(links);
    links.push_back(link);
  }
  std::vector<std::int32_t> last_child(links.size(), -1);
  for (std::size_t l = 0; l < links.size(); ++l) {
    std::int32_t i = links[l].node, coordinates = 0;
    do {
      segment_of_node[index(i)] = static_cast<std::int32_t>(l);
      coordinates += columns_of(m, i);
      i = parent_of(m, i);
    } while (i >= 0 && link_at_node[index(i)] < 0);
    to.more_rows_than_joints =
        to.more_rows_than_joints || links[l].row_end - links[l].row_begin > std::min(coordinates, 6);
    if (i < 0) continue;
    links[l].parent = link_at_node[index(i)];
    std::int32_t& last = last_child[index(links[l].parent)];
    links[l].next = last;
    last = static_cast<std::int32_t>(l);
  }
  memory.keep(std::move(links), to.links, to.link_count);
  to.segment_of_node = memory.keep(std::move(segment_of_node));
  to.link_at_node = memory.keep(std::move(link_at_node));
}

}  // namespace tenon
