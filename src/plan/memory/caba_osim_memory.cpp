#include "plan/memory/caba_osim_memory.hpp"

#include <algorithm>

#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

constexpr std::int32_t pack = 4;  // Lanes::count

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

CabaOsimPlan::CabaOsimPlan(const ModelData& m, const ConstraintData* constraints) {
  if (!constraints || constraints->row_count == 0 || constraints->inter_body_count > 0) return;
  rows_meet_in_cluster_ = rows_meet_in_a_cluster(m, *constraints);
  if (!rows_meet_in_cluster_) find_links(m, *constraints);
  tables_.row_count = constraints->row_count;
  tables_.world_rows = constraints->node_row_first[0];
  tables_.stride = (tables_.row_count + 2 * pack - 2) / pack * pack;  // at least three places after the rows
}

void CabaOsimPlan::find_links(const ModelData& m, const ConstraintData& c) {
  segment_of_node_.assign(index(m.node_count), -1);
  link_at_node_.assign(index(m.node_count), -1);
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
    link.place = places_;
    link.own_begin = own_size_;
    places_ += link.width;
    own_size_ += own * link.width;
    most_rows_ = std::max(most_rows_, link.width);
    link_at_node_[index(i)] = count_of(links_);
    links_.push_back(link);
  }
  std::vector<std::int32_t> last_child(links_.size(), -1);
  for (std::size_t l = 0; l < links_.size(); ++l) {
    std::int32_t i = links_[l].node, coordinates = 0;
    do {
      segment_of_node_[index(i)] = static_cast<std::int32_t>(l);
      coordinates += columns_of(m, i);
      i = parent_of(m, i);
    } while (i >= 0 && link_at_node_[index(i)] < 0);
    more_rows_than_joints_ =
        more_rows_than_joints_ || links_[l].row_end - links_[l].row_begin > std::min(coordinates, 6);
    if (i < 0) continue;
    links_[l].parent = link_at_node_[index(i)];
    std::int32_t& last = last_child[index(links_[l].parent)];
    links_[l].next = last;
    last = static_cast<std::int32_t>(l);
  }
  tables_.link_count = count_of(links_);
  tables_.links = links_.data();
  tables_.segment_of_node = segment_of_node_.data();
  tables_.link_at_node = link_at_node_.data();
}

std::size_t CabaOsimPlan::bytes() const {
  return bytes_of(links_, segment_of_node_, link_at_node_);
}

}  // namespace tenon
