// Constrained dynamics for use in other calls.
#pragma once

#include "state/workspace_impl.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

Status check_options(WorkspaceImpl& w, const SolveOptions& options);

// The result of constrained_dynamics: accelerations in w.w().qdd and, where there are rows, multipliers in
// w.user_lambda, in the user's order; all are finite. in: as map_in_forward leaves it. start:
// multipliers to start from, or null.
Status constrained_motion(WorkspaceImpl& w, const SolveOptions& options, const Inputs<double>& in,
                          const double* start);
// The same without the friction of joints: of the robot at rest without gravity, the least motion with the desired changes of
// rows (row_projection.hpp).
Status motion_without_friction(WorkspaceImpl& w, const SolveOptions& options, const Inputs<double>& in,
                               const double* start);

}  // namespace tenon
