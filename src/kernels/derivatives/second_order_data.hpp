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
  DerivativeData<T> products;  // what products need
  RowDerivativeData<T> rows;   // the same
  const double* q;
  const T *v, *qdd, *y;         // y: multiplies the equations of motion
  const T *lambda, *b;          // the forces of rows; what multiplies rows
  const T* wrenches;            // 6 a body: external ones
  T *q_moved, *v_moved, *step;  // whole packs
  T* wrench;                    // 6 a body: with the forces of rows
  T *by_q, *by_v, *by_a, *by_lambda;
};

}  // namespace tenon
