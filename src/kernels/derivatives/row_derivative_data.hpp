// Memory of the kernels of derivatives with constraint rows: plain arrays (see data/model_data.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "data/constraint_data.hpp"
#include "kernels/constrained/row_factor_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// Packs of states have settings in each lane.
template <class T>
using RowsFor = ConstraintDataOf<double, std::conditional_t<is_pack<T>, T, double>>;

// The factor spelled out, for solves of many columns (row_basis.hpp). ranks: whole eights of the number of rows.
template <class T>
struct RowBasisData {
  std::int64_t ranks;  // the distance between columns of VT, FT and E
  T* V;                // motions of a basis of forces: columns of whole packs of coordinates, ranks of them
  T* VT;               // V^T: a column a coordinate, to whole eights of them
  T* F;                // the forces: columns of whole packs of rows, ranks of them
  T* FT;               // F^T: a column a row
  T* E[2];  // what right-hand sides are in that basis, in their order: their columns to whole eights and eight more
};

// Right-hand sides [X; G] of the equations of row_basis.hpp, which become solutions.
template <class T>
struct RowRightSide {
  T *X, *G;           // X null: none
  bool wants_forces;  // whether G is written
};
// Two of them, which a solve takes side by side.
template <class T>
struct RowRightSides {
  RowRightSide<T> of[2];
  int ld;  // of X, and of G in rows. In columns that of G is whole packs of rows
  MatrixOrder order;
};

// Motions, and forces of constraint rows below them, that answer to a force of one on each coordinate, and behind these columns to a
// change of one of each row: M^-1 without rows. Columns of whole packs.
template <class T>
struct Responses {
  T* columns;
  std::int64_t ld;
  int rows;  // of constraints
};
// A right-hand side [D; G], D column-major with the sparsity of the tree, G row-major, and where the motions X and, if they are
// wanted, the forces Y go, column-major. X may be D. D null, of one side alone: zero.
template <class T>
struct ResponseSide {
  const T *D, *G;
  T *X, *Y;
};
template <class T>
struct ResponseSides {
  ResponseSide<T> of[2];  // X null: none
  int ld, ld_X, ld_Y;     // ld: of D and G
};

// rows: whole packs of the number of rows. Rows in the kernels' order.
template <class T>
struct RowDerivativeData {
  T* N;        // 6, rows: six arrays, as WorkspaceData::Kw
  T* P;        // 6, rows: the same
  T* side_N;   // 12, inter-body rows: as WorkspaceData::side_Kw
  T* side_P;   // 12, inter-body rows: the same
  T* turning;  // 8, node_packs: vjp: force that counts for the turns of the subtree; two packs
  T* theta;    // 8, node_packs: jvp: how a body has moved; two packs
  T* b;        // 16, rows: columns in solves, row by row (DerivativeData)
  T* z;        // 16, rows: the same, by places
  T* x;        // 16, rows: the same, of projections
  T* y;        // 16, dof and rows: the same, in the coordinates of the factor
  // 9, rows: n_theta (loop_turn_gradients.hpp) of the angular rows of embedded loops; null: there are none.
  T* bent = nullptr;
};

// Rows that take part in products with derivatives: those of constraints, and those that close embedded loops. Kernels'
// order. Of limbs: those of their bundle.
template <class T, class Rows = RowsFor<T>>
struct ActingRows {
  const Rows* rows;
  const T *Kw, *side_Kw;          // as in WorkspaceData; not of rows without d on bodies alone
  const RowDerivativeData<T>* d;  // N, P; null: products have no need of them row by row
  const T* lambda;                // the forces at the solution
  const T* b;                     // vjp: multipliers of s
  T* ds;                          // jvp: the change of s
};
// All of them, and memory of one for what they add to bodies.
template <class T, class Rows = RowsFor<T>>
struct ProductRows {
  ActingRows<T, Rows> of[2];
  std::int32_t count;
  T *turning, *theta;
};

// Which loop rows take part in products: those of clusters whose G varies, or of all, as if it varied.
enum class LoopRows { varying, all };

// Row-major matrices, ld numbers a row: dr/dq and dr/dv, and ds/dq and ds/dv of `rows` constraint rows (null: none); M and J
// of these where the G of loops varies.
template <class T>
struct TreeMatrices {
  T *by_q, *by_v, *rows_q, *rows_v;
  const T *M, *J;
  std::int32_t rows, ld;
};

// Embedded loops in products (loop_products.hpp).
template <class T>
struct LoopDerivativeData {
  // The geometric loops as closures, numbered as loop rows; the rows of couplings belong to no item.
  ConstraintData rows{};
  RowDerivativeData<T> of_velocities{}, of_accelerations{};
  T *Q, *R;            // K_d = Q R of the clusters, in blocks as those of loop_K
  T *mu, *b, *ds;      // loop rows: forces, multipliers, changes
  T *turning, *theta;  // as in RowDerivativeData
  T *rest, *column;    // coordinates: what loops balance; those of a cluster
};
// The same in matrices, row-major with leading dimension TreeMatrices::ld.
template <class T>
struct LoopMatrixData {
  T* h;  // of coordinates: room
  // Where the G of loops varies. Of loop rows: ds/dq, ds/dv, d(K v)/dq; of coordinates: how velocities turn with q, and how
  // accelerations change with q and with v, to keep loops closed.
  T *s_q, *s_v, *velocity_q, *turned, *h_q, *h_v;
};

}  // namespace tenon
