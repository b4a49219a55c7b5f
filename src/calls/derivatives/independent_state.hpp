// How a state of the tree, q, v = G ydot, qdd = G yddot + g, changes with one in independent coordinates where G varies.
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

// Whether that is so in this workspace.
inline bool map_varies(const WorkspaceImpl& w) {
  return w.coordinates.independent_v && w.md().varying_clusters > 0;
}

// Writes to the memory of derivatives of kinematics the changes of v and qdd by positions and of qdd by velocities, nv x ny
// each, at the state of the last kinematics(); without `accelerations` that of v alone. unsupported: a function of the user
// closes a loop. O(n ny).
Status find_state_changes(WorkspaceImpl& w, bool accelerations);

}  // namespace tenon
