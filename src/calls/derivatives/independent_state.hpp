// How a state of the tree, q, v = G ydot, qdd = G yddot + g, changes with one in independent coordinates where G varies.
#pragma once

#include "calls/derivatives/embedded_loops.hpp"
#include "state/workspace_impl.hpp"

namespace tenon {

// Whether that is so in this workspace.
inline bool map_varies(const WorkspaceImpl& w) {
  return w.coordinates.independent_v && w.md().varying_clusters > 0;
}

// What changes of v = G ydot need, after this: DerivativeProducts::spanning and to_user. At the state of the last
// kinematics(), accelerations null: without these. unsupported: a function of the user closes a loop.
Status place_state(WorkspaceImpl& w, EmbeddedLoops& loops, const double* accelerations);

// Writes to the memory of derivatives of kinematics the changes of v and qdd by positions and of qdd by velocities, nv x ny
// each, at the state of the last kinematics(); without `accelerations` that of v alone. unsupported: as place_state.
// O(n ny).
Status find_state_changes(WorkspaceImpl& w, bool accelerations);

}  // namespace tenon
