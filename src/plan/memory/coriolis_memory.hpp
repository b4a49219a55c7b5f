// Memory of a workspace for the Coriolis matrix (kernels/tree/coriolis.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tree/momentum_data.hpp"
#include "model/model_data.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

struct CoriolisMemory {
  explicit CoriolisMemory(const ModelData& m) {
    const std::size_t nv = static_cast<std::size_t>(m.nv);
    const std::size_t nodes = static_cast<std::size_t>(whole_packs(m.node_count));
    const std::size_t dofs = static_cast<std::size_t>(whole_packs(m.nv + 3));
    const std::size_t path = static_cast<std::size_t>(whole_packs(m.nv));
    numbers.assign(12 * nodes + 15 * dofs + 8 * path, 0.0);
    double* next = numbers.data();
    const auto take = [&](std::size_t count) {
      double* begin = next;
      next += count;
      return begin;
    };
    data = {take(12 * nodes), take(6 * dofs), take(6 * dofs), take(3 * dofs),
            take(6 * path),   take(path),     take(path)};
    C.assign(nv * nv, 0.0);
    if (m.cluster_count > 0) G_dot.assign(nv * static_cast<std::size_t>(m.ny), 0.0);
  }
  std::size_t bytes() const { return (numbers.size() + C.size() + G_dot.size()) * sizeof(double); }

  std::vector<double> numbers;
  CoriolisData<double> data{};
  std::vector<double> C;      // of the spanning tree
  std::vector<double> G_dot;  // nv x ny: the rate of G, with embedded loops
};

}  // namespace tenon
