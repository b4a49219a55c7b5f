// Tables and memory of pv, prox_pv and pv_osimf: plain arrays (see data/model_data.hpp).
//
// Lanes. While rows are propagated to the root, four stand side by side (spatial/lanes.hpp). The rows of each
// constrained node begin at a multiple of four lanes, unused lanes are zero; so the lanes of every subtree
// are whole packs, and contiguous as its rows are.
//
// Inter-body rows start on two bodies and have a lane on each. Where their two paths meet, the second lane is
// added to the first, which continues alone; the entries of both in L are added at the end. Paths that meet
// inside a cluster cross it separately, in the groups of their bodies, and are added beyond it.
#pragma once

#include <cstdint>

namespace tenon {

// One side of an inter-body row on its body.
struct PvSide {
  std::int32_t row, lane;
  std::int32_t K;  // its place in WorkspaceData::side_K
};
// Where two paths meet: lane `from` is added to lane `into`.
struct PvMerge {
  std::int32_t into, from;
};

// Rows that enter a cluster together: those on one of its bodies, or those of the subtree on that body.
struct PvGroup {
  std::int32_t node;                // the body
  std::int32_t row_begin, row_end;  // rows on it; none where they come from its subtree
  std::int32_t lane_begin, lane_end;
  std::int32_t side_begin, side_end;  // inter-body rows that start on it
};

// A node that carries rows, or a cluster that does. In the order of the sweep, leaves first.
struct PvNode {
  std::int32_t node;                    // the first of a cluster
  std::int32_t cluster;                 // or -1
  std::int32_t group_begin, group_end;  // of a cluster
  std::int32_t row_begin, row_end;      // rows on the node itself, without inter-body ones
  std::int32_t lane_begin, lane_end;    // lanes of its subtree
  std::int32_t column_begin;            // its first column in d_inv
  std::int32_t W_begin;                 // and in W: lane_end - lane_begin numbers a column
  // Nonzero where the next node has other lanes: the columns to add to L here, all since the last such node.
  std::int32_t sum_columns;
  std::int32_t side_begin, side_end;    // inter-body rows that start here; none of a cluster
  std::int32_t merge_begin, merge_end;  // and that meet here
};

// Rows that are coupled with no others, or only through the root joint: one dense symmetric matrix.
struct PvBlock {
  std::int32_t row_begin, row_count;
  std::int32_t slot;    // first place in the padded vectors; a multiple of four
  std::int32_t stride;  // row_count in whole packs, plus pv_border where the root joint is apart
  std::int32_t begin;   // first number of A and of F
};

inline constexpr int pv_border = 8;  // at most six dofs of a root joint, in whole packs

struct PvBlocks {
  std::int32_t count;
  const PvBlock* block;
};

struct PvTables {
  std::int32_t node_count, lane_count, slot_count;
  std::int32_t world_rows;  // rows on the world: the first ones, not coupled with any
  const PvNode* nodes;
  const PvGroup* groups;
  const std::int32_t* lane_of_row;
  std::int32_t side_count;
  const PvSide* sides;
  const PvMerge* merges;  // those that meet at the world come last
  std::int32_t merge_count, world_merge_begin;
  PvBlocks whole;   // one block a tree
  PvBlocks split;   // one block a branch of the root, whose joint is kept apart; or empty
  bool split_pays;  // it saves more products than its border costs
  std::int32_t column_count, W_size, matrix_size;  // of d_inv; numbers of W, of A and F
};

template <class T>
struct PvData : PvTables {
  T* K;            // six arrays of lane_count: the rows propagated so far
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
  T* F_inv_d;      // slots: 1 / D of the factor
  T* damping;      // slots
  T* x;            // slots, and room for one pack
  T* Y;            // six arrays of slots: root columns of W
  T* C;            // 36: factor of D + Y^T (A + damping)^-1 Y
};

// Of pv_osimf (kernels/delassus/pv_osimf.hpp). Row arrays and the matrix as in caba_osim_data.hpp: four unused places
// in front, three behind the rows.
struct PvOsimfTables {
  std::int32_t block_count, world_rows, slot_count;
  std::int32_t matrix_size;   // numbers of A and F
  std::int32_t stride;        // of the damped inverse
  std::int32_t root_columns;  // velocity coordinates of the root joint; 0: a block a tree, none apart
  const PvBlock* blocks;      // rows that are coupled with others through the root joint only
};

template <class T>
struct PvOsimfData : PvOsimfTables {
  T* damping;  // slots: E
  T* A;        // blocks: dual Hessian L^A below the root joint
  T* F;        // blocks: factor of A + E, or its inverse
  T* inv_d;    // slots: 1 / D of the factor
  T* scratch;  // of the factorisation or inverse of a block
  T* x;        // slots
  T* Y;        // six arrays of slots: K S L^-T of the root joint, with D = L diag L^T
  T* Z;        // six arrays of slots: (A + E)^-1 Y
  T* C;        // 6 x 6: factor of D + Y^T Z
};

}  // namespace tenon
