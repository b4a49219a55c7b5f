#include "plan/memory/dense_memory.hpp"

#include <algorithm>

namespace tenon {
DenseMemory::DenseMemory(const ConstraintData* constraints, int coordinates, double* room)
    : factor(constraints ? constraints->row_count : 0, coordinates, constraints ? constraints->row_count : 0,
             room) {
  const std::size_t rows = constraints ? static_cast<std::size_t>(constraints->row_count) : 0;
  for (std::vector<double>* x : {&b, &unreachable, &slack}) x->assign(rows, 0.0);
  y.assign(static_cast<std::size_t>(factor.length()), 0.0);
}

std::size_t DenseMemory::room_size(const ConstraintData* constraints, int coordinates) {
  return constraints ? RowFactor::room_size(constraints->row_count, coordinates, constraints->row_count) : 0;
}

std::size_t DenseMemory::bytes() const {
  return factor.bytes() + (3 * b.size() + y.size()) * sizeof(double);
}

}  // namespace tenon
