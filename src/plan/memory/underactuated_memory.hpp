// Memory of a workspace for inverse dynamics of robots with fewer motors than coordinates
// (calls/underactuated_inverse.cpp), sized for any set of motors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/row_factor.hpp"

namespace tenon {

struct UnderactuatedMemory {
  UnderactuatedMemory(int rows, int nv)
      : room(RowFactor::room_size(rows, nv, 0), 0.0), factor(rows, nv, 0, room.data()) {
    const std::size_t n = static_cast<std::size_t>(nv), m = static_cast<std::size_t>(rows);
    M.assign(n * n, 0.0), L = M;
    JLT.assign(m * n, 0.0);
    lambda.assign(m, 0.0);
    for (std::vector<double>* x : {&force, &missing, &size}) x->assign(n, 0.0);
    free.reserve(n);
  }
  std::size_t bytes() const {
    const std::size_t doubles = room.size() + M.size() + L.size() + JLT.size() + lambda.size() +
                                force.size() + missing.size() + size.size();
    return factor.bytes() + doubles * sizeof(double) + free.capacity() * sizeof(std::int32_t);
  }

  std::vector<double> room;
  RowFactor factor;
  std::vector<double> M, L;    // of all coordinates; the factor of those without motor
  std::vector<double> JLT;     // per row, kernels' order: nv numbers, J L^-T of the coordinates without motor
  std::vector<double> lambda;  // kernels' order
  std::vector<double> force, missing, size;  // of nv
  std::vector<std::int32_t> free;            // coordinates without motor
};

}  // namespace tenon
