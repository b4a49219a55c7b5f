// Tables and memory of the methods in joint space on models with embedded loops, in independent coordinates:
// plain arrays (see data/model_data.hpp).
//
// H = G^T M G has the sparsity of the tree of clusters: the coordinates of a cluster are coupled with each
// other and with those on the path from its parent to the root. So the independent coordinates, numbered
// depth first as their clusters are, form a tree themselves, with a chain for each cluster, and kernels for
// coordinates of a tree (kernels/tree/ltl.hpp, kernels/delassus/ltl_osim.hpp) are used unchanged.
#pragma once

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "data/workspace_data.hpp"

namespace tenon {

template <class T>
struct IndependentSpaceData {
  ModelData tree;       // nv: independent coordinates; v_parent; v_node: a node for each
  ConstraintData rows;  // the workspace's, with moved_begin and moved_end of these nodes
  // The workspace's, with dof_depth, row_first and panels of this tree and its own H, H_L, H_inv_d, L,
  // L_inv_d and joint_force.
  WorkspaceData<T> w;
  T* motion;  // per body of a cluster and coordinate six numbers: its motion for yddot = 1,
              // root frame
  T* yddot;
};

}  // namespace tenon
