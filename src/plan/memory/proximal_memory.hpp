// Memory of the proximal iteration (solve/proximal.hpp).
#pragma once

#include <vector>

#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

inline constexpr int proximal_window = 12;  // combined steps remembered

// Sized once, with the workspace.
struct ProximalScratch {
  explicit ProximalScratch(int rows) {
    for (std::vector<double>* x : {&f, &r, &inv_mu, &best, &per_unit, &residual, &size})
      x->assign(index(rows), 0.0);
    for (std::vector<double>* x : {&steps, &images}) x->assign(index(rows) * proximal_window, 0.0);
  }
  std::size_t bytes() const { return bytes_of(f, r, inv_mu, best, per_unit, residual, size, steps, images); }

  std::vector<double> f, r, inv_mu, best, per_unit, residual;
  std::vector<double> size;  // of accelerations, to measure units (solve/row_residual.hpp)
  // window x rows: p_j and B p_j, the latter orthonormal in the metric of 1 / mu
  std::vector<double> steps, images;
};

}  // namespace tenon
