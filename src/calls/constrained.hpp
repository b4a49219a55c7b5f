// Constrained dynamics inside other calls.
#pragma once

#include "plan/workspace_impl.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

Status check_options(WorkspaceImpl& w, const SolveOptions& options);

// A state in the spanning tree's coordinates, checked, its wrenches loaded; rows in the user's order.
struct CheckedInputs {
  const SolveOptions& options;
  const double *q, *v, *tau, *wrenches, *desired, *warm_start;
};

// What constrained_dynamics computes: accelerations in w.w().qdd and, where there are rows, multipliers in
// w.user_rows, in the user's order. Not checked whether they are finite.
Status constrained_motion(WorkspaceImpl& w, const CheckedInputs& in);

}  // namespace tenon
