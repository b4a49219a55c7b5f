#include "plan/memory/kernel_memory.hpp"

#include <algorithm>
#include <utility>

#include "kernels/branches/branch_data.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/units.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

// The units (plan/units.hpp) that rows pass.
template <class Model, class Rows>
class EarlyPlan {
 public:
  EarlyPlan(const Model& model, const Rows& rows, bool carries_limbs) : m(model), c(rows) {
    tables_.node_of_row.resize(index(c.row_count));
    for (auto* list : {&tables_.segment_of, &tables_.dof_of}) list->assign(index(m.node_count), -1);
    passed_.assign(index(m.node_count), 0), begins_ = passed_;
    find_units();
    for (std::int32_t unit = m.node_count; unit-- > 0;)
      if (begins_[index(unit)]) add_segment(unit);
    for (EarlySegment& s : tables_.segments)
      s.up = s.parent >= Model::first_body ? tables_.segment_of[index(unit_of(m, s.parent))]
             : Model::first_body > 0       ? at_limb_parents
                                           : at_world;
    find_inner(carries_limbs);
  }
  EarlyTables take() { return std::move(tables_); }

 private:
  std::int32_t bodies_of(std::int32_t unit) const {
    return m.node_cluster[unit] < 0 ? 1 : m.clusters[m.node_cluster[unit]].node_count;
  }

  // A segment begins where rows are, or enter by several ways.
  void find_units() {
    std::vector<int> ways(index(m.node_count), 0);
    for (int s = 0; s < c.support_count; ++s) passed_[index(unit_of(m, c.support[s]))] = 1;
    for (std::int32_t unit = Model::first_body; unit < m.node_count; ++unit) {
      if (!passed_[index(unit)]) continue;
      if (parent_of(m, unit) >= Model::first_body) ++ways[index(unit_of(m, parent_of(m, unit)))];
      begins_[index(unit)] = rows_end(unit) > c.node_row_first[unit];
    }
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (ways[i] > 1) begins_[i] = 1;
    for (std::int32_t i = Model::first_body; i < m.node_count; ++i)
      std::fill(tables_.node_of_row.begin() + c.node_row_first[i],
                tables_.node_of_row.begin() + c.node_row_first[i + 1], i);
  }
  std::int32_t rows_end(std::int32_t unit) const { return c.node_row_first[unit + bodies_of(unit)]; }

  // The unit inward of this one in the same segment; -1: the segment ends.
  std::int32_t next(std::int32_t unit) const {
    const std::int32_t parent = parent_of(m, unit);
    if (parent < Model::first_body) return -1;
    const std::int32_t inward = unit_of(m, parent);
    return begins_[index(inward)] ? -1 : inward;
  }

  void add_segment(std::int32_t unit) {
    EarlySegment s{};
    s.first = unit;
    s.row_begin = c.node_row_first[unit], s.row_count = rows_end(unit) - s.row_begin;
    s.dof_begin = dofs_;
    for (;; unit = next(unit)) {
      tables_.segment_of[index(unit)] = count_of(tables_.segments);
      tables_.dof_of[index(unit)] = dofs_;
      dofs_ += columns_of(m, unit);
      if (next(unit) < 0) break;
      if (ends_segment(dofs_ - s.dof_begin, bodies_left(unit))) begins_[index(next(unit))] = 1;
      if (next(unit) < 0) break;
    }
    s.last = unit, s.parent = parent_of(m, unit);
    s.dof_count = dofs_ - s.dof_begin;
    tables_.segments.push_back(s);
  }
  void find_inner(bool all) {
    std::vector<char> inner(index(m.node_count), 0);
    for (int s = 0; all && s < c.support_count; ++s) inner[index(c.support[s])] = 1;
    for (const EarlySegment& s : tables_.segments) {
      // Several bodies of a cluster may give their shares to the parent.
      const bool several = s.up != at_world && m.node_cluster[s.last] >= 0;
      for (std::int32_t i = several ? s.first : s.parent; i >= Model::first_body;
           i = parent_of(m, unit_of(m, i)))
        std::fill_n(inner.begin() + unit_of(m, i), bodies_of(unit_of(m, i)), char{1});
    }
    for (std::int32_t i = 0; i < m.node_count; ++i)
      if (inner[index(i)]) tables_.inner.push_back(i);
  }
  int bodies_left(std::int32_t unit) const {
    int count = 0;
    for (unit = next(unit); unit >= 0; unit = next(unit)) ++count;
    return count;
  }

  const Model& m;
  const Rows& c;
  EarlyTables tables_;
  std::vector<char> passed_, begins_;
  std::int32_t dofs_ = 0;
};

}  // namespace

template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c) {
  EarlyWork work;
  const EarlyTables tables = EarlyPlan(m, c, false).take();
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

template <class Model, class Rows>
EarlyTables early_tables(const Model& m, const Rows& c, bool carries_limbs) {
  return EarlyPlan(m, c, carries_limbs).take();
}

template EarlyWork early_work(const ModelData&, const ConstraintData&);
template EarlyTables early_tables(const ModelData&, const ConstraintData&, bool);
using Limbs = Pack<double, branch_width>;
template EarlyWork early_work(const ModelDataOf<Limbs>&, const ConstraintDataOf<Limbs>&);
template EarlyTables early_tables(const ModelDataOf<Limbs>&, const ConstraintDataOf<Limbs>&, bool);

}  // namespace tenon
