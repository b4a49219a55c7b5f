// Tables and memory of caba_osim and caba_osimf: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// A link of N ([OSIMR] I-C): it has constraint rows, or it is a branching link with constraints on more than
// one side. The joints from it inward to the next such link are its segment.
struct OsimLink {
  std::int32_t node;
  std::int32_t parent;              // the link where its segment ends, -1: the world
  std::int32_t row_begin, row_end;  // rows on the link itself
  std::int32_t subtree_row_end;     // rows in its subtree: [row_begin, .)
  std::int32_t inner;               // it has rows on descendants
  std::int32_t propagates_rows;     // its rows are propagated along the segment; else its axes are
  std::int32_t next;                // the sibling with the next rows; -1: none
  std::int32_t width;               // its own rows in whole eights, eight at least
  std::int32_t place;               // place of its blocks in arrays of `width` places a link
  std::int32_t own_begin;           // first number of its block of CabaOsimData::own
};

struct CabaOsimTables {
  std::int32_t link_count, row_count, world_rows, stride;
  const OsimLink* links;                     // descendants first; the link before one with rows below is the
                                             // first of its children
  const std::int32_t* segment_of_node;       // per node: the link whose segment its joint belongs to, or -1
  const std::int32_t* link_at_node;          // per node: the link that it is, or -1
  std::int32_t places, own_size, most_rows;  // of all links: widths; numbers of `own`; the largest width
  bool more_rows_than_joints;  // some link has more rows than its segment has velocity coordinates
  // Rows enter a cluster through several of its bodies: no links are made, the methods cannot be used.
  bool rows_meet_in_cluster;
};

// 6 x 8: row by row, eight places a row. For the rows of a link, 6 x width: six arrays, one after the other.
// Row arrays hold six arrays of `stride` numbers; they and the matrix, stride x stride, have four unused
// places in front.
template <class T>
struct CabaOsimData : CabaOsimTables {
  // Of the current segment.
  T* carried;        // 6 x 8: propagated columns, one for each row of K or for each axis
  T* segment_W;      // 8 for each velocity coordinate: carried S L^-T, with D = L diag L^T
  T* segment_inv_d;  // 8 for each velocity coordinate: 1 / D
  // Of the current link, for its own rows; sized for the largest width.
  T* own_K;     // 8 a row: K in the axes of the link
  T* own_KT;    // 6 x width: the same; then scratch
  T* response;  // 8 a row: K omega
  T* own_A;     // width a row: A, then its factor
  T* stack;     // 16 + width a row: right-hand sides for the factor

  T* damping;    // rows: E = R + 1 / mu
  T* Phi;        // 21 a link: inertia that constraints at the outer ends of its segments add
  T* axes;       // 6 x 8 a link: C; motions of the link are stored as C^T a, forces as C^-1 F
  T* propagate;  // 6 x 8 a link, transposed: a = propagate a_parent + ..., own rows active
  T* omega;      // 6 x 8 a link: response of a to a force on the link, its parent at rest
  T* psi;        // 6 x 8 a link: the same with the whole robot moving
  T* own;        // width a row: A^-1 of the own rows of each link
  T* gain;       // 6 x width a link: lambda = ... - gain a_parent, of its own rows
  T* drive;      // 6 x width a link: A^-1 K omega, from a force on the link to its own rows
  T* gain_up;    // row array: gain of all rows of a subtree
  T* drive_up;   // row array: from forces on the link's own rows to its acceleration, all moving
  T* matrix;     // stride x stride: the damped inverse, upper triangle, rows in the kernels' order
  T* force;      // 8 a link: scratch of apply
  T* motion;     // 8 a link
  T* own_b;      // width a link
};

}  // namespace tenon
