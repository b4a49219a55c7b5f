// What the kernels of the Delassus matrix see of their tables and memory: plain arrays (model/model_data.hpp
// says why). Rows are numbered along the tree (model/constraint_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// Rows whose way to the next branch is one: those of a link, or all below a branch.
struct OsimrGroup {
  std::int32_t row_begin, row_end;
  std::int32_t complete;  // 1: below a branch that has the blocks of these rows already
};

// A link where rows meet: of several children, of its own and of children, or more than six of its own
// ([OSIMR] list N). Descendants come before ancestors. On a body of a cluster, the rows of one cluster that
// hangs there, or its own ones.
struct OsimrBranch {
  std::int32_t node;
  std::int32_t up;       // index of the next branch towards the root, -1 for the world
  std::int32_t meet;     // the cluster before that where its rows meet others, index of OsimrMeet, or -1
  std::int32_t X_begin;  // then its place in OsimrData::X
  std::int32_t row_begin, row_end;
  std::int32_t group_begin, group_end;
  std::int32_t carries_rows;  // its rows travel to the next branch; else its six coordinates do. Below one
                              // whose rows travel all do
};

// A cluster that rows enter by several ways, the last thing these pass before the next branch.
struct OsimrMeet {
  std::int32_t cluster;
  std::int32_t row_begin, row_end;
  std::int32_t group_begin, group_end;  // of OsimrData::groups, the ways
  std::int32_t x_begin;                 // in OsimrData::x
};

// Up to six rows on a link with no constrained descendants.
struct OsimrEnd {
  std::int32_t node;
  std::int32_t up, meet;  // as above
  std::int32_t row_begin, row_end;
};

template <class T>
struct OsimrData {
  std::int32_t end_count, branch_count, meet_count;
  const OsimrEnd* ends;
  const OsimrBranch* branches;
  const OsimrMeet* meets;
  const OsimrGroup* groups;
  std::int32_t row_stride;  // of K and G: rows, and room for a pack that begins at the last one
  std::int32_t way_stride;  // of W for the rows of a branch
  std::int32_t has_zeros;   // 1: rows on the world, or trees that share nothing

  T* K;      // six arrays of row_stride: rows in the frame of the branch they have come to
  T* G;      // the same: K times the inverse inertia of the branch
  T* P;      // per branch six arrays of 8 (rows 0 to 5): motion of the branch above -> motion of the branch
  T* Omega;  // per branch 6 x 8: inverse inertia up to the branch above, then up to the world
  T* W;      // a column for each dof of a way between branches: of eight numbers, or of way_stride
  T* W_d;    // the same, times 1 / D
  T* x;      // per meet, arrays of row_stride: what the rows feel of the cluster, K S G L^-T
  T* X;  // per branch with a meet, 8 numbers for each coordinate of the cluster: the same of its unit rows
};

// A supporting node of efpa, in the order of PvData::nodes, whose lanes it has.
struct EfpaNode {
  std::int32_t parent;                  // among these, -1 for the world
  std::int32_t K_begin;                 // six arrays of as many numbers as the node has lanes
  std::int32_t group_begin, group_end;  // of group_lane_end: where rows meet; empty where none do
  std::int32_t has_rows;                // 1: the first group are the node's own rows
};

template <class T>
struct EfpaData {
  const EfpaNode* nodes;
  const std::int32_t* group_lane_end;
  T* K;  // per supporting node its rows, then what they make it do: inverse inertia times K^T
  T* Y;  // six arrays of PvData::lane_count
};

// Up to four rows of one node, in the order of rows.
struct KjrPack {
  std::int32_t node;
  std::int32_t row_begin, row_end;
};

template <class T>
struct KjrData {
  std::int32_t pack_count;
  const KjrPack* packs;
  const std::int32_t* pack_of_row;  // rows + 1
  T* Omega;                         // per node 6 x 8: inverse inertia from the world, symmetric
  T *x, *y;                         // scratch: packs of what rows feel of a cluster
};

// Scratch of M^-1 B, four columns side by side.
template <class T>
struct InverseMassData {
  T* body;  // per node 6 x 4: force, then acceleration
  T* u;     // per dof 4
  T* ydd;   // the same, from v_begin of a cluster on: its independent coordinates
};

}  // namespace tenon
