// Memory of the solvers of constraint rows, sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/proximal_point.hpp"
#include "plan/row_factor.hpp"

namespace tenon {

inline constexpr int proximal_window = 12;  // combined steps remembered

// Of the proximal iteration (solve/proximal.hpp).
struct ProximalScratch : Memory {
  explicit ProximalScratch(int row_count) {
    const std::size_t rows = index(row_count), window = rows * proximal_window;
    cut<double>({{&x.f, rows},
                 {&x.step, rows},
                 {&x.inv_mu, rows},
                 {&best, rows},
                 {&steps, window},
                 {&images, window}});
  }

  ProximalPoint<double> x;
  double* best;
  // window x rows: p_j and B p_j, the latter orthonormal in the metric of 1 / mu
  double *steps, *images;
};

// Of method dense (solve/dense.cpp).
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

// Of inverse dynamics of robots with fewer motors than coordinates (calls/underactuated_inverse.cpp), for any set of
// motors.
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
