// Memory of a workspace for the Coriolis matrix (kernels/tree/coriolis.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tree/momentum_data.hpp"
#include "model/model_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"

namespace tenon {

struct CoriolisMemory {
  explicit CoriolisMemory(const ModelData& m) {
    const std::size_t nv = index(m.nv);
    const std::size_t nodes = index(whole_packs(m.node_count));
    const std::size_t dofs = index(whole_packs(m.nv + 3));
    const std::size_t path = index(whole_packs(m.nv));
    memory.cut({{&data.B, 12 * nodes},
                {&data.S_dot, 6 * dofs},
                {&data.F, 6 * dofs},
                {&data.N, 3 * dofs},
                {&data.S_dot_path, 6 * path},
                {&data.column, path},
                {&data.row, path}});
    C.assign(nv * nv, 0.0);
    if (m.cluster_count > 0) G_dot.assign(nv * index(m.ny), 0.0);
  }
  std::size_t bytes() const { return bytes_of(memory, C, G_dot); }

  MemoryBlock<double> memory;
  CoriolisData<double> data{};
  std::vector<double> C;      // of the spanning tree
  std::vector<double> G_dot;  // nv x ny: the rate of G, with embedded loops
};

}  // namespace tenon
