// Memory of the damped inverse of the Delassus matrix, sized once.
#pragma once

#include <cstddef>
#include <vector>

#include "tenon/delassus.hpp"

namespace tenon {

struct DampedInverseMemory {
  explicit DampedInverseMemory(int rows);
  std::size_t bytes() const { return (factor.size() + vector.size()) * sizeof(double); }

  // What apply_damped_delassus_inverse finds: the method that factored, automatic for none.
  DampedInverseMethod factored = DampedInverseMethod::automatic;
  std::vector<double> factor;  // dense: lower triangle of the Cholesky factor, column-major, rows x rows
  std::vector<double> vector;  // one vector in the kernels' order of rows
};

}  // namespace tenon
