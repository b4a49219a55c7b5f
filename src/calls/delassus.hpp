// What the methods for the Delassus matrix and for its damped inverse share.
#pragma once

#include "plan/workspace_impl.hpp"
#include "state/projection.hpp"
#include "tenon/delassus.hpp"

namespace tenon {

// WorkspaceData::delassus := J M^-1 J^T, rows in the kernels' order, leading dimension whole_packs(rows): the
// lower triangle, column-major, and zeros below its last row. q is checked. Says what is wrong on failure.
Status fill_delassus(WorkspaceImpl& w, DelassusMethod method, const double* q, SplitFor split);

// Whether a method sweeps over the tree of clusters, so that it works on the folded form of a model
// (model/fold_rotors.hpp); the others need all bodies.
bool crosses_clusters(DelassusMethod method);

// A symmetric matrix laid out like that, to the user's order of rows and both triangles.
void symmetric_to_user(const WorkspaceImpl& w, const double* lower, double* out, int ld);

}  // namespace tenon
