// Memory of a workspace for inverse dynamics of robots with fewer motors than coordinates
// (calls/underactuated_inverse.cpp), sized for any set of motors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/row_factor.hpp"
#include "scalar/index.hpp"

namespace tenon {

struct UnderactuatedMemory {
  UnderactuatedMemory(int rows, int nv)
      : room(RowFactor::room_size(rows, nv), 0.0), factor(rows, nv, room.data()) {
    const std::size_t n = index(nv), m = index(rows);
    M.assign(n * n, 0.0), L = M;
    JLT.assign(m * n, 0.0);
    lambda.assign(m, 0.0);
    for (std::vector<double>* x : {&force, &missing, &size}) x->assign(n, 0.0);
    free.reserve(n);
  }
  std::size_t bytes() const { return bytes_of(room, factor, M, L, JLT, lambda, force, missing, size, free); }

  std::vector<double> room;
  RowFactor factor;
  std::vector<double> M, L;    // of all coordinates; the factor of those without motor
  std::vector<double> JLT;     // per row, kernels' order: nv numbers, J L^-T of the coordinates without motor
  std::vector<double> lambda;  // kernels' order
  std::vector<double> force, missing, size;  // of nv
  std::vector<std::int32_t> free;            // coordinates without motor
};

}  // namespace tenon
