// Tables and memory of pv and prox_pv for one model and constraint set (kernels/constrained/pv_data.hpp),
// sized once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/pv_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

// The tables, of memory for any number.
class PvPlan {
 public:
  // constraints: null for none.
  PvPlan(const ModelData& m, const ConstraintData* constraints);

  // Whether PvData::split saves more products than its border costs.
  bool split_pays() const { return split_pays_; }

 protected:
  std::size_t bytes() const;

  PvTables tables_{};
  std::size_t column_count_ = 0, W_size_ = 0, matrix_size_ = 0;

 private:
  void enter_inter_body_rows(const ConstraintData& c, PvGroup& body, std::int32_t& lanes);
  void plan_merges(const ModelData& m, const ConstraintData& c);
  void number_lanes(const ModelData& m, const ConstraintData& c);
  void lay_out_columns(const ModelData& m);
  void find_blocks(const ModelData& m, const ConstraintData& c);
  void bind_tables();

  std::vector<PvNode> nodes_;
  std::vector<PvGroup> groups_;
  std::vector<std::int32_t> lane_of_row_, second_lane_of_row_;
  std::vector<PvSide> sides_;
  std::vector<PvMerge> merges_;
  std::vector<PvBlock> whole_, split_;
  bool split_pays_ = false;
};

template <class T>
class PvMemory : public PvPlan {
 public:
  PvMemory(const ModelData& m, const ConstraintData* constraints) : PvPlan(m, constraints) {
    static_cast<PvTables&>(data) = tables_;
    if (!constraints || constraints->row_count == 0) return;
    const std::size_t rows = index(constraints->row_count), lanes = index(data.lane_count),
                      slots = index(data.slot_count);
    memory_.cut({{&data.K, 6 * lanes},
                 {&data.k, lanes},
                 {&data.W, W_size_},
                 {&data.d_inv, column_count_},
                 {&data.scaled, 4 * std::max(column_count_, slots)},
                 {&data.L, lanes * lanes},
                 {&data.b, rows},
                 {&data.row_damping, rows},
                 {&data.residual, rows},
                 {&data.A, matrix_size_},
                 {&data.F, matrix_size_},
                 {&data.F_inv_d, slots},
                 {&data.damping, slots},
                 {&data.x, slots},
                 {&data.Y, 6 * slots},
                 {&data.C, 36}});
  }

  std::size_t bytes() const { return PvPlan::bytes() + memory_.bytes(); }

  PvData<T> data{};

 private:
  MemoryBlock<T> memory_;
};

}  // namespace tenon
