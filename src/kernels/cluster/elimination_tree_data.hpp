// What the kernels of prox_ltls see of their tables where rows stand between two branches: plain arrays
// (model/model_data.hpp says why).
//
// J^T mu J of a inter-body row ties the coordinates of its two ways together, so M + J^T mu J has no longer the
// sparsity of the tree: elimination fills in between the branches. It has that of another tree, though, the
// elimination tree of the pattern (J. W. H. Liu, The role of elimination trees in sparse factorization,
// 1990), in which one way hangs on the end of the other. Coordinates are numbered anew, depth first in that
// tree, and the factorisation of kernels/tree/ltl.hpp serves there as it is.
#pragma once

#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

template <class T>
struct EliminationTreeData {
  ModelData tree;      // nv and v_parent, in the new numbers
  WorkspaceData<T> w;  // that of the workspace, but dof_depth, row_first and panels of this tree
  std::int32_t entry_count;
  const std::int32_t* number;      // per coordinate: its new number
  const std::int32_t* coordinate;  // the other way round
  const std::int32_t* place;       // per entry of the path rows of M: its entry here
  const std::int32_t* way_begin;   // per inter-body item: its coordinates are way[way_begin[i]] to ...[i + 1]
  const std::int32_t* way;         // by new number, ascending
  T* rows;                         // path rows of M + J^T mu J, then of its factor
  T* inv_d;
  T* x;  // a vector in new numbers
};

}  // namespace tenon
