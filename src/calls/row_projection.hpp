// Least changes of motion that rows ask for, in the metric of the mass matrix: what projections and impacts
// are made of.
#pragma once

#include "plan/workspace_impl.hpp"

namespace tenon {

// Errors and velocities of all rows at a state, into WorkspaceData::row_error and row_velocity.
Status look_at_rows(WorkspaceImpl& w, const double* q, const double* v);
// The motion that the wanted change of each row (kernels' order) asks for, into WorkspaceData::qdd, and the
// multipliers that make it into WorkspaceImpl::lambda. After look_at_rows at q.
Status least_motion(WorkspaceImpl& w, const double* q, const double* wanted);
// Velocities (spanning, checked) after rows (kernels' order) have changed by wanted: v + M^-1 J^T lambda into
// WorkspaceData::qdd.
Status change_velocities(WorkspaceImpl& w, const double* q, const double* v, const double* wanted);

}  // namespace tenon
