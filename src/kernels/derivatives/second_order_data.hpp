// Memory of the kernel of second derivatives: plain arrays (see data/model_data.hpp).
#pragma once

#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "spatial/changes.hpp"

namespace tenon {

// The state, the multipliers and what acts, without changes; and results. Vectors over coordinates and rows have whole packs,
// rows are in the kernels' order.
struct SecondOrderData {
  DerivativeData<Changes> products;  // what products need
  RowDerivativeData<Changes> rows;   // the same
  const double* q;
  const Changes *v, *qdd, *y;         // y: multiplies the equations of motion
  const Changes *lambda, *b;          // the forces of rows; what multiplies rows
  const Changes* wrenches;            // 6 a body: external ones
  Changes *q_moved, *v_moved, *step;  // whole packs
  Changes* wrench;                    // 6 a body: with the forces of rows
  Changes *by_q, *by_v, *by_a, *by_lambda;
};

}  // namespace tenon
