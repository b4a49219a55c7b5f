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

  // To be called after a change of compliance. Allocates nothing.
  void update_rows(const ConstraintData& c);
  std::size_t bytes() const;

  PvEarlyData<T> data{};

 private:
  void find_nodes(const ModelData& m, const ConstraintData& c);
  void sort_rows(const ConstraintData& c, const double* compliance);
  void plan_joins();

  std::vector<EarlyNode> nodes_;
  std::vector<EarlyJoin> joins_;
  std::vector<std::int32_t> hard_rows_, soft_rows_, hard_begin_;  // hard_begin_: per node, and the end
  std::vector<std::int32_t> most_;                                // per node: most rows that it propagates
  std::vector<T> row_scale_, compliance_, lambda_out_;
  std::vector<EarlySet<T>> sets_;
  std::vector<EarlyPassed> passed_;
  std::vector<EarlyJoined> joined_;
  std::vector<EarlyColumn<T>> columns_;
  std::vector<EarlySqueeze<T>> squeezes_;
  std::int32_t squeeze_count_ = 0;
};

}  // namespace tenon
