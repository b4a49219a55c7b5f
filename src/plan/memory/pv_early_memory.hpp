// Tables and memory of pv_early for one model and constraint set (kernels/constrained/pv_early_data.hpp),
// sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/pv_early_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

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
class PvEarlyMemory {
 public:
  // constraints: null for none. carries_limbs: on branch lanes, the model is what carries limbs, perhaps with rows.
  template <class Model, class Rows>
  PvEarlyMemory(const Model& m, const Rows* constraints, bool carries_limbs = false) {
    if (!constraints) return;
    tables_ = early_tables(m, *constraints, carries_limbs);
    sets_.resize(tables_.segments.size());
    crossings_.resize(index(m.nv));
    data.segment_count = count_of(tables_.segments);
    data.world_rows = constraints->node_row_first[0];  // none in a bundle
    data.segments = tables_.segments.data();
    data.segment_of_node = tables_.segment_of.data();
    data.dof_of_node = tables_.dof_of.data();
    data.node_of_row = tables_.node_of_row.data();
    data.inner_count = count_of(tables_.inner);
    data.inner = tables_.inner.data();
    data.sets = sets_.data();
    data.crossings = crossings_.data();
    takes_rows_ = early_work(m, *constraints).possible;
  }
  PvEarlyMemory(const PvEarlyMemory&) = delete;
  PvEarlyMemory& operator=(const PvEarlyMemory&) = delete;

  bool takes_rows() const { return takes_rows_; }  // early_work
  std::size_t bytes() const {
    return bytes_of(tables_.segments, tables_.segment_of, tables_.dof_of, tables_.node_of_row, tables_.inner,
                    sets_, crossings_);
  }

  PvEarlyData<T> data{};

 private:
  EarlyTables tables_;
  std::vector<EarlySet<T>> sets_;
  std::vector<EarlyCrossing<T>> crossings_;
  bool takes_rows_ = false;
};

}  // namespace tenon
