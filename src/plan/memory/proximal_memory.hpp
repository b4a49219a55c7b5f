// Memory of the proximal iteration (solve/proximal.hpp).
#pragma once

#include <vector>

namespace tenon {

inline constexpr int proximal_window = 12;  // combined steps remembered

// Sized once, with the workspace.
struct ProximalScratch {
  explicit ProximalScratch(int rows);
  std::vector<double> f, r, start, inv_mu, best, unit, residual, unreachable;
  std::vector<double> steps,
      images;  // window x rows: p_j and B p_j, the latter orthonormal in the metric of 1 / mu
};

}  // namespace tenon
