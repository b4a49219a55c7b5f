// Memory of the kernels of the Coriolis matrix: plain arrays (see data/model_data.hpp).
#pragma once

namespace tenon {

// Sizes as in TENON_WORKSPACE_FIELDS (data/workspace_data.hpp).
template <class T>
struct CoriolisData {
  T* B;      // 12, node_packs: T and f of the body, then of its subtree; three packs. No slot for the world
  T* S_dot;  // 6, dof_lanes: v x S, the rates of the motion subspaces, root frame; six arrays
  T* F;      // 6, dof_lanes: Ic S_dot + B S; six arrays
  T* N;      // 3, dof_lanes: moment of B^T S (its force is zero); three arrays
  T* S_dot_path;  // 6, dof_columns: S_dot of a coordinate and its ancestors; six path vectors
  T* column;      // 1, dof_columns: path vector, C of a coordinate and its ancestors
  T* row;         // 1, dof_columns: path vector, C of the ancestors and the coordinate
};

}  // namespace tenon
