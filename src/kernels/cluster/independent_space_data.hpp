// What the kernels in independent coordinates see of their tables and memory (model/model_data.hpp says why):
// methods in joint space on models with embedded loops.
//
// H = G^T M G has the sparsity of the tree of clusters: all coordinates of a cluster meet, and those on the
// way from its parent to the root. So the independent coordinates, numbered depth first as their clusters
// are, form a tree themselves, a chain for each cluster, and what is written for coordinates of a tree
// (kernels/tree/ltl.hpp, kernels/delassus/ltl_osim.hpp) serves as it is.
#pragma once

#include "kernels/workspace_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

template <class T>
struct IndependentSpaceData {
  ModelData tree;       // nv: independent coordinates; v_parent; v_node: a node for each
  ConstraintData rows;  // that of the workspace, but moved_begin and moved_end of these nodes
  // That of the workspace, but dof_depth, row_first and panels of this tree, and places of its own for H,
  // H_L, H_inv_d, L, L_inv_d and joint_force.
  WorkspaceData<T> w;
  T* motion;  // per body of a cluster and coordinate six numbers: its motion for yddot = 1, frame of
              // root_frame.hpp
  T* yddot;
};

}  // namespace tenon
