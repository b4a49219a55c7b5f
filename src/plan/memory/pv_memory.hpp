// Tables and memory of pv and prox_pv for one model and constraint set (kernels/constrained/pv_data.hpp),
// sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/pv_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

template <class T>
class PvMemory {
 public:
  // constraints: null for none.
  PvMemory(const ModelData& m, const ConstraintData* constraints);

  // Whether PvData::split saves more products than its border costs.
  bool split_pays() const { return split_pays_; }
  std::size_t bytes() const;

  PvData<T> data{};

 private:
  void enter_inter_body_rows(const ConstraintData& c, PvGroup& body, std::int32_t& lanes);
  void plan_merges(const ModelData& m, const ConstraintData& c);
  void number_lanes(const ModelData& m, const ConstraintData& c);
  void lay_out_columns(const ModelData& m);
  void find_blocks(const ModelData& m, const ConstraintData& c);
  void allocate(int rows);

  std::vector<PvNode> nodes_;
  std::vector<PvGroup> groups_;
  std::vector<std::int32_t> lane_of_row_, second_lane_of_row_;
  std::vector<PvSide> sides_;
  std::vector<PvMerge> merges_;
  std::vector<PvBlock> whole_, split_;
  MemoryBlock<T> memory_;
  std::size_t column_count_ = 0, W_size_ = 0;
  bool split_pays_ = false;
};

}  // namespace tenon
