// What rows are asked for at an impact: its call and its derivatives use it.
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

// The user's numbers: one for all rows, or one for each; null: zero.
struct Restitution {
  const double* values;
  int count;

  Status check(WorkspaceImpl& w) const;
  // 1 + e of a row, kernels' order.
  double rebound(const WorkspaceImpl& w, int row) const {
    return 1 + (!values ? 0 : count == 1 ? values[0] : values[w.cd()->user_row[row]]);
  }
  // The wanted changes of all rows. After evaluate_rows.
  void place_changes(const WorkspaceImpl& w, double* wanted) const;
};

}  // namespace tenon
