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

  // Rows scaled to unit Delassus diagonal: the best for rounding.
  void scale_by_delassus() { data.row_scale = delassus_scale_.data(); }
  // Rows scaled by the square roots of their weights: what is redundant is then the least-squares residual.
  void scale_by_weight() { data.row_scale = weight_scale_.data(); }
  std::size_t bytes() const;

  PvEarlyData<T> data{};

 private:
  void find_nodes(const ModelData& m, const ConstraintData& c);
  void sort_rows(const ConstraintData& c);
  void plan_joins();
  void scale_rows(const ConstraintData& c);

  std::vector<EarlyNode> nodes_;
  std::vector<EarlyJoin> joins_;
  std::vector<std::int32_t> hard_rows_, soft_rows_, hard_begin_;  // hard_begin_: per node, and the end
  std::vector<T> delassus_scale_, weight_scale_, compliance_, lambda_out_;
  std::vector<EarlySet<T>> sets_;
  std::vector<EarlyPassed> passed_;
  std::vector<EarlyJoined> joined_;
  std::vector<EarlyColumn<T>> columns_;
  std::vector<EarlySqueeze<T>> squeezes_;
  std::int32_t squeeze_count_ = 0;
};

}  // namespace tenon
