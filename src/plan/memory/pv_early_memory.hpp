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
};
// Of a tree, or of the limbs of a bundle (kernels/branches/branch_data.hpp).
template <class Model, class Rows>
EarlyWork early_work(const Model& m, const Rows& c);

template <class T>
class PvEarlyMemory {
 public:
  // constraints: null for none. carries_limbs: on branch lanes, the model is what carries limbs, perhaps with rows.
  template <class Model, class Rows>
  PvEarlyMemory(const Model& m, const Rows* constraints, bool carries_limbs = false);
  PvEarlyMemory(const PvEarlyMemory&) = delete;
  PvEarlyMemory& operator=(const PvEarlyMemory&) = delete;

  bool takes_rows() const { return takes_rows_; }  // early_work
  std::size_t bytes() const {
    return bytes_of(segments_, segment_of_, dof_of_, node_of_row_, inner_, is_inner_, sets_, crossings_);
  }

  PvEarlyData<T> data{};

 private:
  std::vector<EarlySegment> segments_;
  std::vector<std::int32_t> segment_of_, dof_of_, node_of_row_, inner_;
  std::vector<char> is_inner_;
  std::vector<EarlySet<T>> sets_;
  std::vector<EarlyCrossing<T>> crossings_;
  bool takes_rows_ = false;
};

}  // namespace tenon
