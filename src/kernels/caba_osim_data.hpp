// What the kernels of caba_osim and caba_osimf see of their tables and memory: plain arrays
// (model/model_data.hpp says why).
#pragma once

#include <cstdint>

namespace tenon {

// A link of N ([OSIMR] I-C): constrained, or with constraints on more than one side below it. The joints from
// it to the next such link towards the world are its segment. Six numbers a vector, columns padded to eight.
struct OsimLink {
  std::int32_t node;
  std::int32_t parent;              // the link where its segment ends, -1: the world
  std::int32_t row_begin, row_end;  // rows on the link itself
  std::int32_t subtree_row_end;     // rows on it and below: [row_begin, .)
  std::int32_t inner;               // it has rows below it, on other links
  std::int32_t compressed;          // more than six rows: six combinations of them stand for all
  std::int32_t carries_rows;        // its rows travel along the segment; else the identity does
  std::int32_t next;                // with the same parent, rows behind its own; -1: none
};

// Strides: row arrays hold six arrays of `stride` numbers with four places of slack in front; matrices of the
// rows are stride x stride, likewise. Small matrices are 6 x 8, row by row.
template <class T>
struct CabaOsimData {
  std::int32_t link_count, row_count, world_rows, stride;
  const OsimLink* links;                // descendants first; the link before one with rows below is the
                                        // first of its children
  const std::int32_t* segment_of_node;  // per node: the link whose segment its joint belongs to, or -1
  const std::int32_t* link_at_node;     // per node: the link that it is, or -1

  // Of the segment in work.
  T* carried;        // 6 x 8: what is carried, a column for each row of K or of the identity
  T* segment_W;      // 8 for each velocity coordinate: carried S L^-T, with D = L diag L^T
  T* segment_inv_d;  // and its 1 / D

  T* damping;      // rows: E = R + 1 / mu
  T* Phi;          // 21 a link: inertia that the constraints at the other ends of its segments lend it
  T* axes;         // 6 x 8 a link: C; motions of the link stand as C^T a, forces as C^-1 F
  T* propagate;    // 6 x 8 a link, transposed: a = propagate a_parent + ..., its own rows at work
  T* omega;        // 6 x 8 a link: response of a to a force on the link, its parent held still
  T* psi;          // 6 x 8 a link: the same with the whole robot moving
  T* own;          // 6 x 8 a link: A^-1 of its own rows, or 1 - A^-1 of the six that stand for them
  T* gain;         // 6 x 8 a link, transposed: lambda = ... - gain a_parent, of its own rows or those six
  T* drive;        // 6 x 8 a link, transposed: A^-1 K omega, what a force on the link does to the same
  T* basis;        // row array: combinations that stand for the rows of compressed links
  T* gain_up;      // row array: gain of all rows of a subtree
  T* drive_up;     // row array: response of the acceleration of a link to its own rows, whole robot moving
  T* householder;  // row array: reflections that found the basis
  T* matrix;       // stride x stride: the damped inverse, upper triangle, rows in the kernels' order
  T* force;        // 8 a link: scratch of apply
  T* motion;       // 8 a link
  T* own_b;        // 8 a link
};

}  // namespace tenon
