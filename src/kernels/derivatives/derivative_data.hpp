// Memory of the kernels of derivatives: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// The velocity coordinates [first, end).
struct CoordinateRange {
  std::int32_t first, end;
};

// At most four columns next to each other of matrices with the sparsity of the tree: what rows they have, ranges of a list.
struct ColumnBlock {
  std::int32_t first, count;
  std::int32_t ranges_begin, range_count;
};

// Multiply-adds of matrices of a tree.
struct ResponseCosts {
  double entries = 0;  // numbers of matrices of inverse dynamics that are not zero
  double sweep = 0;    // of one column, by chains
};

// Which neighbours the numbers of a matrix have: column-major, or row-major. In rows, columns are in lanes as they lie.
enum class MatrixOrder { columns, rows };
inline std::int64_t place_of(MatrixOrder order, std::int64_t row, std::int64_t column, std::int64_t ld) {
  return order == MatrixOrder::rows ? row * ld + column : column * ld + row;
}

// Consecutive velocity coordinates without branches, at most `most_in_chain`.
struct DofChain {
  std::int32_t first, end;
  std::int32_t above;  // the chain that it hangs on, -1 for none
  bool carries;        // whether others hang on it
  bool is_root;        // the six of a floating root, whose S is the identity
};
inline constexpr int most_in_chain = 8;

// What a solve begins with: a matrix with the sparsity of the tree; any matrix; the identity or zero, for which A need not
// hold anything. Of unit_lower what is above the diagonal has no meaning.
enum class RightSide { tree, full, unit, unit_lower, zero };

// Sizes as in TENON_WORKSPACE_FIELDS (data/workspace_data.hpp).
template <class T>
struct DerivativeData {
  const std::int32_t* panel_of;  // per velocity coordinate: its panel (WorkspaceData::panels)
  const DofChain* chains;        // of all coordinates
  const std::int32_t* chain_of;  // per velocity coordinate
  bool subtrees_adjoin;          // the bodies of each are numbered one after the other
  std::int32_t chain_count;
  bool by_inverse;                    // matrices of forward dynamics: products with M^-1, not solves
  bool inverse_by_paths;              // M^-1 as a matrix: by the factor of paths, not by unit columns
  const std::int32_t* subtree_end;    // per velocity coordinate: the end of the coordinates of its subtree
  const std::int32_t* related_begin;  // run_count + 1: first of its ranges
  const CoordinateRange* related;     // ancestors and subtree of a run, ascending
  const ColumnBlock* blocks;          // of all coordinates, ascending
  const CoordinateRange* block_rows;  // ancestors and subtrees of a block, ascending
  std::int32_t block_count;
  T* B;  // 12, node_packs: twice the velocity inertia of the body, then of its subtree; three packs. No slot for the world
  T* psi_dot;   // 6, dof_lanes: v_p x S, p the parent of the coordinate's body; six arrays
  T* psi_ddot;  // 6, dof_lanes: a_p x S + v_p x psi_dot; six arrays
  T* S_rate;    // 6, dof_lanes: psi_dot + v x S; six arrays
  T* F_q;       // 6, dof_lanes: change of the subtree's force by q; six arrays
  T* F_v;       // 6, dof_lanes: the same by v; six arrays
  T* N;         // 3, dof_lanes: moment of 2 B^T S (its force is zero); three arrays
  T* moved;     // 8, node_packs: products: motion for the joint rates that are given, or for dq; packs w, v
  T* dv_body;   // 8, node_packs: jvp: change of velocity as the body sees it
  T* da_body;   // 8, node_packs: jvp: change of acceleration, the same
  T* force;     // 8, node_packs: products: force on the body, then on its subtree
  T* moment;  // 8, node_packs: vjp: moment of 2 B^T times `moved`, the same; packs of three numbers, zeros behind them;
      // with rows whole forces
  T* columns;  // 16, dof: columns in solves, row by row, as many as two registers hold, at most 16
  T* axis;     // 8, dof_lanes: S of a coordinate, as a PackedMotion (kernels/derivatives/chain_columns.hpp)
  T* articulated;   // 48, node_packs: inertia of a body, then with what its children pass
  T* pull;          // 8, dof: V, the force on what is above where a coordinate is pushed by one
  T* chain_L;       // 8, dof: entries of L within the chain
  T* chain_inv_d;   // 1, dof
  T* chain_root_d;  // 1, dof: square root of 1 / D, but at a floating root
  T* root_inverse;  // 48: of the articulated inertia of a floating root; rows of eight
  T* root_half;     // 48: W^T, W W^T = that inverse
  T* chain_force;   // 96, chain: p; zero between solves
  T* chain_motion;  // 96, chain: a
  T* below;         // 16, dof: what descendants subtract from the row of each place; zero between solves
  T* path;          // 16, dof: the rows of a coordinate and its ancestors, by places
};

}  // namespace tenon
