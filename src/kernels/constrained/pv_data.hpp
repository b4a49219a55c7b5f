// What the kernels of pv and prox_pv see of their tables and memory: plain arrays (model/model_data.hpp says
// why).
//
// Lanes. While rows are carried to the root they stand four and four side by side (spatial/lanes.hpp). The
// rows of each constrained node begin at a multiple of four lanes, what is left over holds zeros; so the
// lanes of every subtree are whole packs, and contiguous as its rows are.
//
// inter-body rows start on two bodies and have a lane on each. Where the two ways meet, what the second lane
// carries is added to the first, which goes on alone; what the two have gathered in L adds up at the end.
// Ways that meet inside a cluster cross it apart, in the groups of their bodies, and are added beyond it.
#pragma once

#include <cstdint>

namespace tenon {

// One side of a inter-body row on its body.
struct PvSide {
  std::int32_t row, lane;
  std::int32_t K;  // its place in WorkspaceData::side_K
};
// Two lanes become one.
struct PvMerge {
  std::int32_t into, from;
};

// Rows that enter a cluster together: those on one of its bodies, or what hangs on that body.
struct PvGroup {
  std::int32_t node;                // the body
  std::int32_t row_begin, row_end;  // rows on it; none where they come from what hangs on it
  std::int32_t lane_begin, lane_end;
  std::int32_t side_begin, side_end;  // inter-body rows that start on it
};

// A node that carries rows, or a cluster that does. In the order of the sweep: leaves first.
struct PvNode {
  std::int32_t node;                    // the first of a cluster
  std::int32_t cluster;                 // or -1
  std::int32_t group_begin, group_end;  // of a cluster
  std::int32_t row_begin, row_end;      // rows on the node itself, inter-body ones not among them
  std::int32_t lane_begin, lane_end;    // lanes of its subtree
  std::int32_t column_begin;            // its first column in d_inv
  std::int32_t W_begin;                 // and in W: lane_end - lane_begin numbers a column
  // Where the next node has other lanes, L takes up the columns since the last such place.
  std::int32_t sum_columns;
  std::int32_t side_begin, side_end;    // inter-body rows that start here; none of a cluster
  std::int32_t merge_begin, merge_end;  // and that meet here
};

// Rows that no other row is coupled with: one dense symmetric matrix.
struct PvBlock {
  std::int32_t row_begin, row_count;
  std::int32_t slot;    // first place in the padded vectors; a multiple of four
  std::int32_t stride;  // row_count rounded up to whole packs, and pv_border where the root joint stays apart
  std::int32_t begin;   // first number of A and of F
};

inline constexpr int pv_border = 8;  // at most six dofs of a root joint, in whole packs

struct PvBlocks {
  std::int32_t count;
  const PvBlock* block;
};

template <class T>
struct PvData {
  std::int32_t node_count, lane_count, slot_count;
  std::int32_t world_rows;  // rows on the world: the first ones, coupled with nothing
  const PvNode* nodes;
  const PvGroup* groups;
  const std::int32_t* lane_of_row;
  std::int32_t side_count;
  const PvSide* sides;
  const PvMerge* merges;  // those that meet in the world only come last
  std::int32_t merge_count, world_merge_begin;
  PvBlocks whole;  // one block a tree
  PvBlocks split;  // one block a branch of the root, its joint left for the matrix inversion lemma; or empty

  T* K;            // six arrays of lane_count: the rows as carried so far
  T* k;            // lane_count: their right-hand sides
  T* W;            // per dof the column K S of its lanes (several dofs: K S L^-T, with D = L diag L^T)
  T* d_inv;        // per column 1 / D
  T* scaled;       // four numbers a column: scratch of the sums
  T* L;            // lane_count x lane_count, lower tiles: dual Hessian L^A
  T* b;            // rows: k - J a_free
  T* row_damping;  // rows: what is added to the diagonal of L
  T* residual;     // rows: b - (L + R) lambda
  T* A;            // blocks of L, both triangles, stride of the block
  T* F;            // blocks of the factor of A + damping: unit lower triangle
  T* F_inv_d;      // slots: one over its diagonal
  T* damping;      // slots
  T* x;            // slots, and room for one pack
  T* Y;            // six arrays of slots: root columns of W
  T* C;            // 36: factor of D + Y^T (A + damping)^-1 Y
};

}  // namespace tenon
