// Tables of prox_ltls for inter-body rows: plain arrays (see data/model_data.hpp).
//
// An inter-body row couples the coordinates of its two paths, so that elimination of M + J^T mu J makes
// fill-in between the branches. The sparsity is no longer that of the tree but that of another tree, the
// elimination tree of the pattern (J. W. H. Liu, The role of elimination trees in sparse factorization,
// 1990), in which one path continues the other. Coordinates are renumbered depth first in that tree, and
// kernels/tree/ltl.hpp is used unchanged.
#pragma once

#include "data/model_data.hpp"
#include "data/workspace_data.hpp"

namespace tenon {

template <class T>
struct EliminationTreeData {
  ModelData tree;                  // nv and v_parent, in the new numbers
  WorkspaceData<T> w;              // the workspace's, with dof_depth, row_first and panels of this tree
  const std::int32_t* number;      // per coordinate: its new number
  const std::int32_t* coordinate;  // the inverse of number
  const std::int32_t* place;       // per entry of the path rows of M: its entry here
  const std::int32_t* path_begin;  // inter-body item i: its coordinates start at path[path_begin[i]]
  const std::int32_t* path;        // by new number, ascending
  T* rows;                         // path rows of M + J^T mu J, then of its factor
  T* inv_d;
  T* x;  // a vector in new numbers
};

}  // namespace tenon
