// Memory of kernels/constrained/row_factor.hpp, which has the equations: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>

namespace tenon {

// What the basis of reachable forces is orthonormal in.
enum class RowMetric : std::int32_t { none, plain, weighted, scaled };

struct RowFactorData {
  std::int32_t rows, coordinates;  // coordinates: the size of M
  std::int32_t length;             // the coordinates that rows may move, and rows with compliance
  std::int32_t rank;
  std::int64_t stride;  // of columns: whole packs of the greatest length
  double* columns;      // a column a row: above its place R11, from its place on its reflection
  double* scale;        // S, by rows
  double* diagonal;     // of R11, by places
  std::int32_t* order;  // the row at each place
  // In place of all of this: A = L D L^T itself, where its pivots show that it has digits enough (constrained/dense_ldl.hpp,
  // WorkspaceData::dual_factor). Null: there are columns. Then rank = rows, as A has.
  const double *gram, *gram_inv_d;
  // An orthonormal basis of what forces can reach, times root: rank vectors of whole packs; root by rows. For `metric`.
  double *range, *root;
  RowMetric metric;

  // By rows: the squared length of what is left of a column, now and when it was summed; then scratch, whole packs.
  double *square, *reference;
  double* negligible;  // 1: the row holds rounding errors only
  double dropped;      // length of the longest scaled row counted as redundant, in the remainder
  double* z;           // the solution, R11^-T S b, by places
  bool started;        // z has a solution
  double* x;           // of rows, for a step
  double* y;  // the motion of the solution: L^T qdd of those, then sqrt(R) lambda of the rows with compliance
};

}  // namespace tenon
