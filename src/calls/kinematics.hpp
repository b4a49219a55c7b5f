// What the queries after kinematics() share.
#pragma once

#include "data/centroidal_numbers.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

// Fails where the link does not exist or the last kinematics() did not compute `order`: 0 poses, 1
// velocities, 2 accelerations.
Status check_link(WorkspaceImpl& w, int link, int order);

// Computes the total mass of the moving bodies and its centre. Fails if no moving body has mass.
Status find_center_of_mass(WorkspaceImpl& w, double& mass, double* com);

// The numbers of the whole robot, centroidal_room of them, of which these parts are asked for: where one of them is of motion
// all are, and where only energies are, the others are zero. Fails as the two above.
Status find_centroidal_state(WorkspaceImpl& w, const CentroidalParts& parts, double* state);

// Where to write a Jacobian of nv columns (user null: not wanted), and the function that copies it to the
// user in the coordinates of the workspace.
double* jacobian_room(WorkspaceImpl& w, const double* user);
[[nodiscard]] Status give_jacobian(WorkspaceImpl& w, const double* J, int rows, double* user, int ld);

}  // namespace tenon
