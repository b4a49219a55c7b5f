// Tables and memory of pv_osimf (kernels/delassus/pv_osimf_data.hpp), made once for a model and its
// constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/delassus/pv_osimf_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

// The tables, of memory for any number.
class PvOsimfPlan {
 public:
  // constraints may be null. Makes nothing for inter-body rows.
  PvOsimfPlan(const ModelData& m, const ConstraintData* constraints);

 protected:
  std::size_t bytes() const;

  PvOsimfTables tables_{};
  std::size_t matrix_size_ = 0;

 private:
  void find_blocks(const ModelData& m, const ConstraintData& c);
  void add_block(std::int32_t begin, std::int32_t end);

  std::vector<PvOsimfBlock> blocks_;
};

template <class T>
class PvOsimfMemory : public PvOsimfPlan {
 public:
  PvOsimfMemory(const ModelData& m, const ConstraintData* constraints) : PvOsimfPlan(m, constraints) {
    static_cast<PvOsimfTables&>(data) = tables_;
    if (data.row_count == 0) return;
    const std::size_t slots = index(data.slot_count);
    memory_.cut({{&data.damping, slots},
                 {&data.A, matrix_size_},
                 {&data.F, matrix_size_},
                 {&data.N, matrix_size_},
                 {&data.inv_d, slots},
                 {&data.scaled, 4 * slots},
                 {&data.x, slots},
                 {&data.Y, 6 * slots},
                 {&data.Z, 6 * slots},
                 {&data.C, 36}});
  }

  std::size_t bytes() const { return PvOsimfPlan::bytes() + memory_.bytes(); }

  PvOsimfData<T> data{};

 private:
  MemoryBlock<T> memory_;
};

}  // namespace tenon
