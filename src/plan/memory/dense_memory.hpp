// Memory of method dense (solve/dense.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "plan/row_factor.hpp"

namespace tenon {

// Sized once.
struct DenseMemory {
  // coordinates: those of M. room: room_size numbers, used only during a solve.
  DenseMemory(const ConstraintData* constraints, int coordinates, double* room);
  static std::size_t room_size(const ConstraintData* constraints, int coordinates);
  std::size_t bytes() const;

  RowFactor factor;
  std::vector<double> b, unreachable, slack, y;
};

}  // namespace tenon
