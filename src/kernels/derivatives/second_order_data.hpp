// Memory of the kernel of second derivatives: plain arrays (see data/model_data.hpp).
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "spatial/changes.hpp"

namespace tenon {

// The state, the multipliers and what acts, without changes; and results. Vectors over coordinates and rows have whole packs,
// rows are in the kernels' order. T: numbers with their changes.
template <class T>
struct SecondOrderData {
  DerivativeData<T> products;   // what products need
  RowDerivativeData<T> rows;    // the same
  LoopDerivativeData<T> loops;  // the same, where G varies
  // Whether v, qdd, y, steps and results are in independent coordinates, as q follows them.
  bool independent;
  const double* q;       // of the tree
  const T *v, *qdd, *y;  // y: multiplies the equations of motion
  const T *lambda, *b;   // the forces of rows; what multiplies rows
  const T* wrenches;     // 6 a body: external ones
  const double *force,
      *damping;                 // on joints: what does not change, and that of their friction, null for none
  T *q_moved, *v_moved, *step;  // whole packs
  T *tree_step, *tree_v, *tree_qdd,
      *tree_y;           // the same in the coordinates of the tree, where they are others
  T *turned, *gathered;  // of gradients
  T* wrench;             // 6 a body: with the forces of rows and loops
  T *by_q, *by_v, *by_a, *by_lambda;
};

}  // namespace tenon
