// Tables of caba_osim and caba_osimf.
#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/units.hpp"

namespace tenon {
namespace {

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

}  // namespace

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
