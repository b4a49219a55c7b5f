#include "plan/memory/pv_early_memory.hpp"

#include <algorithm>
#include <utility>

#include "kernels/branches/branch_data.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "scalar/recorded.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

// On a long path rows are eliminated after so many coordinates, if so many bodies are left: what a row costs at each
// joint is saved there.
constexpr int enough_coordinates = 8, enough_bodies = 6;

struct EarlyTables {
  std::vector<EarlySegment> segments;
  std::vector<std::int32_t> segment_of, dof_of;
};

// Node 0 of a bundle is no body: it stands for the parents of the limbs.
int first_body(const ModelData&) {
  return 0;
}
template <class N>
int first_body(const LaneModel<N>&) {
  return 1;
}
int coordinates_of(const ModelData& m, std::int32_t i) {
  return dofs_of(m, i);
}
template <class N>
int coordinates_of(const LaneModel<N>&, std::int32_t) {
  return 1;
}

template <class Model, class Rows>
EarlyTables find_segments(const Model& m, const Rows& c) {
  EarlyTables out;
  out.segment_of.assign(index(m.node_count), -1);
  out.dof_of = out.segment_of;
  std::vector<int> children(index(m.node_count), 0);  // that carry rows
  std::vector<char> begins(index(m.node_count), 0);
  const auto parent_of = [&](std::int32_t i) {
    return m.nodes[i].parent < first_body(m) ? -1 : m.nodes[i].parent;
  };
  for (int s = 0; s < c.support_count; ++s)
    if (parent_of(c.support[s]) >= 0) ++children[index(parent_of(c.support[s]))];
  for (int s = 0; s < c.support_count; ++s) {
    const std::int32_t i = c.support[s];
    begins[index(i)] = c.node_row_first[i + 1] > c.node_row_first[i] || children[index(i)] > 1;
  }
  const auto bodies_left = [&](std::int32_t i) {
    int count = 0;
    for (i = parent_of(i); i >= 0 && !begins[index(i)]; i = parent_of(i)) ++count;
    return count;
  };
  std::int32_t dofs = 0;
  for (int s = c.support_count - 1; s >= 0; --s) {
    std::int32_t i = c.support[s];
    if (!begins[index(i)]) continue;
    EarlySegment g{};
    g.first = i;
    g.row_begin = c.node_row_first[i], g.row_count = c.node_row_first[i + 1] - g.row_begin;
    g.dof_begin = dofs;
    for (;; i = parent_of(i)) {
      out.segment_of[index(i)] = count_of(out.segments);
      out.dof_of[index(i)] = dofs;
      dofs += coordinates_of(m, i);
      if (parent_of(i) < 0 || begins[index(parent_of(i))]) break;
      if (dofs - g.dof_begin >= enough_coordinates && bodies_left(i) >= enough_bodies) {
        begins[index(parent_of(i))] = 1;
        break;
      }
    }
    g.last = i;
    g.dof_count = dofs - g.dof_begin;
    out.segments.push_back(g);
  }
  for (EarlySegment& g : out.segments)
    g.up = parent_of(g.last) >= 0 ? out.segment_of[index(parent_of(g.last))]
           : first_body(m) > 0    ? at_limb_parents
                                  : at_world;
  return out;
}

}  // namespace

template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c) {
  EarlyWork work;
  for (int s = 0; s < c.support_count; ++s)
    if (m.cluster_count > 0 && m.node_cluster[c.support[s]] >= 0) work.possible = false;
  const EarlyTables tables = find_segments(m, c);
  // That must meet: a segment's own, and what the coordinates outward of it cannot take.
  std::vector<int> rows(tables.segments.size(), 0);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const EarlySegment& g = tables.segments[s];
    rows[s] += g.row_count;
    if (rows[s] > early_rows<double>) work.possible = false;
    if (rows[s] == 0) continue;
    ++work.segments;
    work.rows_at_once = std::max(work.rows_at_once, rows[s]);
    work.surplus += std::max(0, rows[s] - std::min(g.dof_count, 6));
    work.passes += whole_packs(rows[s]) / 4 * g.dof_count;
    if (g.up >= 0) rows[index(g.up)] += std::max(0, rows[s] - g.dof_count);
  }
  return work;
}

template <class T>
template <class Model, class Rows>
PvEarlyMemory<T>::PvEarlyMemory(const Model& m, const Rows* constraints) {
  if (!constraints || constraints->row_count == 0) return;
  EarlyTables tables = find_segments(m, *constraints);
  segments_ = std::move(tables.segments);
  segment_of_ = std::move(tables.segment_of), dof_of_ = std::move(tables.dof_of);
  sets_.resize(segments_.size());
  crossings_.resize(index(m.nv));
  data.segment_count = count_of(segments_);
  data.world_rows = constraints->node_row_first[0];  // none in a bundle
  data.segments = segments_.data();
  data.segment_of_node = segment_of_.data();
  data.dof_of_node = dof_of_.data();
  data.sets = sets_.data();
  data.crossings = crossings_.data();
  takes_rows_ = early_work(m, *constraints).possible;
}

template EarlyWork early_work(const ModelData&, const ConstraintData&);
template class PvEarlyMemory<double>;
template PvEarlyMemory<double>::PvEarlyMemory(const ModelData&, const ConstraintData*);
template class PvEarlyMemory<trace::Recorded>;
template PvEarlyMemory<trace::Recorded>::PvEarlyMemory(const ModelData&, const ConstraintData*);

using Limbs = Slots<double, branch_width>;
template EarlyWork early_work(const LaneModel<Limbs>&, const LaneRows<Limbs>&);
template class PvEarlyMemory<Limbs>;
template PvEarlyMemory<Limbs>::PvEarlyMemory(const LaneModel<Limbs>&, const LaneRows<Limbs>*);

}  // namespace tenon
