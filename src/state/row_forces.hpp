// Forces of constraint rows on bodies.
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

// Adds those of lambda (kernels' order) to WorkspaceData::wrench. After a kernel that evaluates rows.
inline void add_row_forces(WorkspaceImpl& w, const double* lambda) {
  const ConstraintData& c = *w.cd();
  const auto push = [&](int body, const double* K, double force) {
    double* wrench = w.w().wrench + 6 * body;
    for (int e = 0; body >= 0 && e < 6; ++e) wrench[e] += K[e] * force;
  };
  for (int i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    for (int j = 0; j < item.row_count; ++j) {
      const double force = lambda[item.row_begin + j];
      if (item.side_row < 0) {
        push(item.node, w.w().K + 6 * (item.row_begin + j), force);
        continue;
      }
      const double* sides = w.w().side_K + 12 * (item.side_row + j);
      push(item.first, sides, force);
      push(item.second, sides + 6, force);
    }
  }
}

}  // namespace tenon
