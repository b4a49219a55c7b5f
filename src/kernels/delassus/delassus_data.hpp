// Tables and memory of the kernels of the Delassus matrix: plain arrays (see data/model_data.hpp). Rows are
// numbered along the tree (data/constraint_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// Rows with the same path to the next branching link: those of a link, or all in the subtree of a branching
// link.
struct OsimrGroup {
  std::int32_t row_begin, row_end;
  std::int32_t complete;  // 1: the subtree of a branching link that has computed their blocks
};

// A branching link, where rows meet: of several children, its own and those of children, or more than six of
// its own ([OSIMR] list N). Descendants come before ancestors. On a body of a cluster: the rows of one
// cluster that hangs on the body, or its own rows.
struct OsimrBranch {
  std::int32_t node;
  std::int32_t up;       // index of the next branching link inward, -1 for the world
  std::int32_t meet;     // the cluster on the path where its rows meet others, index of OsimrMeet, or -1
  std::int32_t X_begin;  // in OsimrData::X, if there is a meet
  std::int32_t row_begin, row_end;
  std::int32_t own_begin, own_count;  // of these the first are its own, from this row of WorkspaceData::K on
  std::int32_t group_begin, group_end;
  std::int32_t propagates_rows;  // its rows are propagated to the next branching link; else its six
                                 // coordinates. If its rows are, so are those of its descendants
};

// A cluster that rows enter on several paths; it is the last unit before the next branching link.
struct OsimrMeet {
  std::int32_t cluster;
  std::int32_t row_begin, row_end;
  std::int32_t group_begin, group_end;  // of OsimrData::groups, one for each path
  std::int32_t x_begin;                 // in OsimrData::x
};

// Up to six rows on a link with no constrained descendants.
struct OsimrEnd {
  std::int32_t node;
  std::int32_t up, meet;  // as above
  std::int32_t row_begin, row_end;
  std::int32_t own_begin;
};

struct OsimrTables {
  std::int32_t end_count, branch_count, meet_count;
  const OsimrEnd* ends;
  const OsimrBranch* branches;
  const OsimrMeet* meets;
  const OsimrGroup* groups;
  std::int32_t matrix_stride;           // leading dimension of the matrix
  std::int32_t row_stride;              // of K and G: rows, and room for a pack that begins at the last one
  std::int32_t path_stride;             // of W for the rows of a branch
  std::int32_t W_size, x_size, X_size;  // numbers
};

template <class T>
struct OsimrData : OsimrTables {
  T* K;      // six arrays of row_stride: rows in the frame of the branching link reached
  T* G;      // the same: K times the inverse inertia of that link
  T* P;      // per branch six arrays of 8 (rows 0 to 5): its motion from that of the next one inward
  T* Omega;  // per branch 6 x 8: inverse inertia up to the next branch inward, then up to the world
  T* W;      // a column for each dof of a path between branches: of eight numbers, or of path_stride
  T* W_d;    // the same, times 1 / D
  T* x;      // per meet, arrays of row_stride: K S G L^-T of the cluster
  T* X;      // per branch with a meet, 8 numbers for each coordinate of the cluster: the same for unit rows
};

// A supporting node of efpa, in the order and with the lanes of PvData::nodes.
struct EfpaNode {
  std::int32_t parent;                  // among these, -1 for the world
  std::int32_t K_begin;                 // six arrays of as many numbers as the node has lanes
  std::int32_t group_begin, group_end;  // of group_lane_end: where rows meet; empty where none do
  std::int32_t has_rows;                // 1: the first group are the node's own rows
};

struct EfpaTables {
  const EfpaNode* nodes;
  const std::int32_t* group_lane_end;
  std::int32_t K_size;  // numbers
};

template <class T>
struct EfpaData : EfpaTables {
  T* K;  // per supporting node its rows; then the motion from each: inverse inertia times K^T
  T* Y;  // six arrays of PvData::lane_count
};

// Up to four rows of one node, in the order of rows.
struct KjrPack {
  std::int32_t node;
  std::int32_t row_begin, row_end;
};

struct KjrTables {
  std::int32_t pack_count;
  const KjrPack* packs;
  const std::int32_t* pack_of_row;  // rows + 1
  std::int32_t most_y;              // independent coordinates of a cluster
};

template <class T>
struct KjrData : KjrTables {
  T* Omega;  // per node 6 x 8: inverse inertia from the world, symmetric
  T *x, *y;  // scratch: packs of K S G L^-T of a cluster
};

// Scratch of M^-1 B, four columns side by side.
template <class T>
struct InverseMassData {
  T* body;  // per node 6 x 4: force, then acceleration
  T* u;     // per dof 4
  T* ydd;   // the same, from v_begin of a cluster on: its independent coordinates
};

}  // namespace tenon
