// Other independent coordinates for a cluster at and next to a dead centre of the model's own
// (plan/memory/loop_split.hpp).
#pragma once

#include "plan/workspace_impl.hpp"

namespace tenon {

// Chooses dependent coordinates of a cluster by its K at hand: column by column the one that stands out most
// from those chosen before, QR with column pivots (Golub and Van Loan, Matrix Computations, 5.4.2). False, and
// nothing changed, where K has fewer independent columns: then the mechanism itself is singular.
bool change_split(WorkspaceImpl& w, int cluster);

// Back to the model's coordinates in all clusters.
void restore_split(WorkspaceImpl& w);

// A cluster with the model's coordinates whose dependent joints move so much faster than these that
// G^T M G loses digits; -1 for none. After the kernel has filled G.
int steep_cluster(const WorkspaceImpl& w);

}  // namespace tenon
