// Tables and memory of pv_early for one model and constraint set (kernels/constrained/pv_early_data.hpp),
// sized once.
#pragma once

#include <cstdint>
#include <vector>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

// What a solve has to do.
struct EarlyWork {
  // A segment has room for the rows that meet, whatever the state.
  bool possible = true;
  double passes = 0;  // rows past coordinates, four at a time
  double segments = 0;
  double surplus =
      0;  // rows that a segment cannot eliminate: they need pivoting, and go on or depend on others
  int rows_at_once = 0;  // the most that a segment eliminates
  // Packs have room too, and nothing has to go on.
  bool on_packs() const { return possible && surplus == 0 && rows_at_once <= unpivoted_rows; }
};
// Of a tree, or of the limbs of a bundle (kernels/branches/branch_data.hpp).
template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c);

struct EarlyTables {
  std::vector<EarlySegment> segments;
  std::vector<std::int32_t> segment_of, dof_of, node_of_row, inner;
};
template <class Model, class Rows>
EarlyTables early_tables(const Model& m, const Rows& c, bool carries_limbs);

template <class T>
struct PvEarlyMemory : Memory {
  // constraints: null for none. carries_limbs: on branch lanes, the model is what carries limbs, perhaps with rows.
  template <class Model, class Rows>
  PvEarlyMemory(const Model& m, const Rows* constraints, bool carries_limbs = false) {
    if (!constraints) return;
    EarlyTables tables = early_tables(m, *constraints, carries_limbs);
    data.sets = keep(std::vector<EarlySet<T>>(tables.segments.size()));
    data.crossings = keep(std::vector<EarlyCrossing<T>>(index(m.nv)));
    data.world_rows = constraints->node_row_first[0];  // none in a bundle
    keep(std::move(tables.segments), data.segments, data.segment_count);
    keep(std::move(tables.inner), data.inner, data.inner_count);
    data.segment_of_node = keep(std::move(tables.segment_of));
    data.dof_of_node = keep(std::move(tables.dof_of));
    data.node_of_row = keep(std::move(tables.node_of_row));
    takes_rows = early_work(m, *constraints).possible;
  }

  PvEarlyData<T> data{};
  bool takes_rows = false;  // EarlyWork::possible
};

}  // namespace tenon
