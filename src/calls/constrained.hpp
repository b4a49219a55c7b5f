// Constrained dynamics for use in other calls.
#pragma once

#include "state/workspace_impl.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

Status check_options(WorkspaceImpl& w, const SolveOptions& options);

// A state in the spanning tree's coordinates, checked, with its wrenches loaded; rows in the user's order.
struct CheckedInputs {
  const SolveOptions& options;
  const double *q, *v, *tau, *wrenches, *desired, *warm_start;
};

// The result of constrained_dynamics: accelerations in w.w().qdd and, where there are rows, multipliers in
// w.user_rows, in the user's order. Does not check that they are finite.
Status constrained_motion(WorkspaceImpl& w, const CheckedInputs& in);

}  // namespace tenon
