// What the queries after kinematics() share, and how Jacobians get to the user.
#pragma once

#include "plan/workspace_impl.hpp"

namespace tenon {

// That the link exists and that the last kinematics() went so far: 0 poses, 1 velocities, 2 accelerations.
Status check_link(WorkspaceImpl& w, int link, int order);

// The mass of all moving bodies, and where its centre is; fails where there is none.
Status find_center_of_mass(WorkspaceImpl& w, double& mass, double* com);

// Where to write a Jacobian of nv columns (null: not wanted), and how it gets from there to the user, in the
// coordinates that the workspace is set to.
double* jacobian_room(WorkspaceImpl& w, const double* user);
[[nodiscard]] Status give_jacobian(WorkspaceImpl& w, const double* J, int rows, double* user, int ld);

}  // namespace tenon
