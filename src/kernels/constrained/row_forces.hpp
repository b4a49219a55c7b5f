// Forces of constraint rows on bodies.
#pragma once

#include "data/constraint_data.hpp"
#include "data/workspace_data.hpp"
#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

// wrench += K^T lambda, 6 a body, lambda in the kernels' order. After a kernel that evaluates rows.
template <class T>
inline void add_row_forces(const RowTables<double>& c, const T* lambda, T* wrench,
                           const WorkspaceData<T>& w) {
  const auto push = [&](int body, const T* K, const T& force) {
    T* on = wrench + 6 * body;
    for (int e = 0; body >= 0 && e < 6; ++e) on[e] = on[e] + K[e] * force;
  };
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    for (int j = 0; j < item.row_count; ++j) {
      const T force = lambda[item.row_begin + j];
      if (item.side_row < 0) {
        push(item.node, w.K + 6 * (item.row_begin + j), force);
        continue;
      }
      const T* sides = w.side_K + 12 * (item.side_row + j);
      push(item.first, sides, force);
      push(item.second, sides + 6, force);
    }
  }
}

TENON_ISA_END
}  // namespace tenon
