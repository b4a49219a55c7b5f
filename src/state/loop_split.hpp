// Other independent coordinates for a cluster, at and next to a dead centre of the model's own
// (plan/memory/loop_split.hpp).
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

// Entries of G above this: G^T M G has their squares and loses six digits.
inline constexpr double steepest_G = 0x1p10;

// Chooses dependent coordinates of a cluster by its current K, by QR with column pivots (Golub and Van Loan,
// Matrix Computations, 5.4.2). Returns false and changes nothing where K has too few independent columns: the
// mechanism itself is singular then.
bool change_split(WorkspaceImpl& w, int cluster);

// Restores the model's coordinates in all clusters.
void restore_split(WorkspaceImpl& w);

// A cluster that uses the model's coordinates and whose dependent joints move so much faster than the
// independent ones that G^T M G loses digits; -1 for none. After the kernel has filled G.
int steep_cluster(const WorkspaceImpl& w);

}  // namespace tenon
