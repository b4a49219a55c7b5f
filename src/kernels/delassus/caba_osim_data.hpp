// What the kernels of caba_osim and caba_osimf see of their tables and memory: plain arrays
// (model/model_data.hpp says why).
#pragma once

#include <cstdint>

namespace tenon {

// A link of N ([OSIMR] I-C): constrained, or with constraints on more than one side below it. The joints from
// it to the next such link towards the world are its segment.
struct OsimLink {
  std::int32_t node;
  std::int32_t parent;              // the link where its segment ends, -1: the world
  std::int32_t row_begin, row_end;  // rows on the link itself
  std::int32_t subtree_row_end;     // rows on it and below: [row_begin, .)
  std::int32_t inner;               // it has rows below it, on other links
  std::int32_t carries_rows;        // its rows travel along the segment; else its axes do
  std::int32_t next;                // with the same parent, rows behind its own; -1: none
  std::int32_t width;               // its own rows in whole eights, eight at least
  std::int32_t place;               // its first place where links have `width` places each
  std::int32_t own_begin;           // first number of its block of CabaOsimData::own
};

// 6 x 8: row by row, in places of eight. Of the rows of a link, 6 x width: six arrays, one after the other.
// Row arrays hold six arrays of `stride` numbers; they and the matrix, stride x stride, have four places of
// slack in front.
template <class T>
struct CabaOsimData {
  std::int32_t link_count, row_count, world_rows, stride;
  const OsimLink* links;                // descendants first; the link before one with rows below is the
                                        // first of its children
  const std::int32_t* segment_of_node;  // per node: the link whose segment its joint belongs to, or -1
  const std::int32_t* link_at_node;     // per node: the link that it is, or -1

  // Of the segment in work.
  T* carried;        // 6 x 8: what is carried, a column for each row of K or for each axis
  T* segment_W;      // 8 for each velocity coordinate: carried S L^-T, with D = L diag L^T
  T* segment_inv_d;  // and its 1 / D
  // Of the link in work, for its own rows; the largest width.
  T* own_K;     // 8 a row: K in the axes of the link
  T* own_KT;    // 6 x width: the same; then scratch of the like
  T* response;  // 8 a row: K omega
  T* own_A;     // width a row: A, then its factor
  T* stack;     // 16 + width a row: what the factor is applied to

  T* damping;    // rows: E = R + 1 / mu
  T* Phi;        // 21 a link: inertia that the constraints at the other ends of its segments lend it
  T* axes;       // 6 x 8 a link: C; motions of the link stand as C^T a, forces as C^-1 F
  T* propagate;  // 6 x 8 a link, transposed: a = propagate a_parent + ..., its own rows at work
  T* omega;      // 6 x 8 a link: response of a to a force on the link, its parent held still
  T* psi;        // 6 x 8 a link: the same with the whole robot moving
  T* own;        // width a row: A^-1 of the own rows of each link
  T* gain;       // 6 x width a link: lambda = ... - gain a_parent, of its own rows
  T* drive;      // 6 x width a link: A^-1 K omega, what a force on the link does to its own rows
  T* gain_up;    // row array: gain of all rows of a subtree
  T* drive_up;   // row array: response of the acceleration of a link to its own rows, whole robot moving
  T* matrix;     // stride x stride: the damped inverse, upper triangle, rows in the kernels' order
  T* force;      // 8 a link: scratch of apply
  T* motion;     // 8 a link
  T* own_b;      // width a link
};

}  // namespace tenon
