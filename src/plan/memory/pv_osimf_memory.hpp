// Tables and memory of pv_osimf (kernels/delassus/pv_osimf_data.hpp), made once for a model and its
// constraints.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/delassus/pv_osimf_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"

namespace tenon {

template <class T>
class PvOsimfMemory {
 public:
  // constraints may be null. Makes nothing for inter-body rows.
  PvOsimfMemory(const ModelData& m, const ConstraintData* constraints);

  std::size_t bytes() const;

  PvOsimfData<T> data{};

 private:
  void find_blocks(const ModelData& m, const ConstraintData& c);
  void add_block(std::int32_t begin, std::int32_t end);

  std::vector<PvOsimfBlock> blocks_;
  std::size_t matrix_size_ = 0;
  MemoryBlock<T> memory_;
};

}  // namespace tenon
