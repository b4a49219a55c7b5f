// Memory of method dense (solve/dense.cpp).
#pragma once

#include <cstddef>
#include <vector>

#include "plan/row_factor.hpp"
#include "scalar/index.hpp"

namespace tenon {

// Sized once.
struct DenseMemory {
  // c: may be null. coordinates: the size of M. room: room_size numbers, used only during a solve.
  DenseMemory(const ConstraintData* c, int coordinates, double* room)
      : factor(c ? c->row_count : 0, coordinates, room) {
    for (std::vector<double>* x : {&b, &unreachable, &slack}) x->assign(c ? index(c->row_count) : 0, 0.0);
    y.assign(index(factor.length()), 0.0);
  }
  static std::size_t room_size(const ConstraintData* c, int coordinates) {
    return c ? RowFactor::room_size(c->row_count, coordinates) : 0;
  }
  std::size_t bytes() const { return bytes_of(factor, b, unreachable, slack, y); }

  RowFactor factor;
  std::vector<double> b, unreachable, slack, y;
};

}  // namespace tenon
