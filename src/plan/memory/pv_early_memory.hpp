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

template <class T>
class PvEarlyMemory {
 public:
  // constraints: null for none.
  PvEarlyMemory(const ModelData& m, const ConstraintData* constraints);
  PvEarlyMemory(const PvEarlyMemory&) = delete;
  PvEarlyMemory& operator=(const PvEarlyMemory&) = delete;

  // Scales rows to unit Delassus diagonal, which keeps rounding errors small.
  void scale_by_delassus() { data.row_scale = delassus_scale_.data(); }
  // Scales rows by the square roots of their weights; the residual of redundant rows is then that of least
  // squares.
  void scale_by_weight() { data.row_scale = weight_scale_.data(); }
  // To be called after a change of weights or compliance. Allocates nothing.
  void update_rows(const ConstraintData& c);
  std::size_t bytes() const;

  PvEarlyData<T> data{};

 private:
  void find_nodes(const ModelData& m, const ConstraintData& c);
  void sort_rows(const ConstraintData& c, const double* compliance);
  void plan_joins();
  void scale_rows(const ConstraintData& c);

  std::vector<EarlyNode> nodes_;
  std::vector<EarlyJoin> joins_;
  std::vector<std::int32_t> hard_rows_, soft_rows_, hard_begin_;  // hard_begin_: per node, and the end
  std::vector<std::int32_t> most_;                                // per node: most rows that it propagates
  std::vector<T> delassus_scale_, weight_scale_, compliance_, lambda_out_;
  std::vector<EarlySet<T>> sets_;
  std::vector<EarlyPassed> passed_;
  std::vector<EarlyJoined> joined_;
  std::vector<EarlyColumn<T>> columns_;
  std::vector<EarlySqueeze<T>> squeezes_;
  std::int32_t squeeze_count_ = 0;
};

}  // namespace tenon
