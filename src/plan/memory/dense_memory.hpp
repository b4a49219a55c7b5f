// Memory of method dense (solve/dense.cpp).
#pragma once

#include <cstddef>
#include <vector>

#include "plan/row_factor.hpp"

namespace tenon {

// Sized once.
struct DenseMemory {
  // coordinates: of M. room: of room_size numbers, used during a solve only.
  DenseMemory(const ConstraintData* constraints, int coordinates, double* room);
  static std::size_t room_size(const ConstraintData* constraints, int coordinates);
  std::size_t bytes() const;

  RowFactor factor;
  std::vector<double> b, unreachable, slack, y;
};

}  // namespace tenon
