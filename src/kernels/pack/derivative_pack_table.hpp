// The kernels of first derivatives on the numbers of several states at a time, with embedded loops, and with constraint rows
// on one body each. One table for each instruction set and precision, apart from that of dynamics (pack_table.hpp) because
// they take long to compile.
#pragma once

#include "kernels/cluster/loop_factor.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/kinematics_derivative_data.hpp"
#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/pack/pack_table.hpp"
#include "kernels/tree/product_data.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// Columns of matrices that are solved for at a time.
inline constexpr int columns_at_once = 4;

// The coordinates for which equations of motion are solved, as a tree, and how matrices of their solutions lie: on trees those
// of the tree, column by column; with embedded loops independent ones, of which those of a cluster are a chain, row by row.
struct SolvedSpace {
  std::int32_t rows, columns;  // what is solved for, and coordinates of the user
  std::ptrdiff_t ld;  // between the longer ones of these; of matrices of constraint rows, between rows
  MatrixOrder order;
  const std::int32_t* parent;       // per row
  const std::int32_t* subtree_end;  // per row: the end of the rows of its subtree
  const std::int32_t* row_of;       // per column: a row with at least its ancestors and subtree; -1: all have
  const std::int32_t* last_row;     // per body: the last of the rows that move it; -1: none
  const std::int32_t *first, *end;  // per column: the constraint rows that it moves, among others
};

// Their memory, with that of products (kernels/pack/product_pack.hpp). Arrays of bodies have a slot before the first, for the
// world, as those of the workspace do.
template <class T>
struct PackedDerivatives : ProductBodies<T>, RootFrameMotions<T> {
  T* x;  // nv: M^-1 times a vector
  // Matrices (kernels/pack/derivative_pack.hpp). Of a coordinate k the ranges of those below it, and of those that are neither
  // there nor its ancestors: from begin[k] to begin[k + 1].
  const std::int32_t *below_begin, *gaps_begin;
  const CoordinateRange *below, *gaps;
  T *F, *F_q, *F_v, *N;  // 6 a coordinate, 3 of N
  const T* damping;      // nv, of this call; null: none
  // Sums of squares of what entries are products of, damping and armature among forces, and of the diagonal of M^-1.
  T motion_squares, force_squares, inverse_squares;
  T* M;                   // nv x nv, the lower triangle row by row: mass matrix, then its factor
  T* inverse;             // nv x nv: M^-1, where the caller has no room for it
  T* tile;                // columns_at_once a coordinate: of a product
  T* columns;             // the same of two matrices: columns of dynamics, before they are solved for
  std::int32_t* related;  // nv: the coordinates of its rows
  SolvedSpace space;      // of this call
};

// The memory of derivatives with constraint rows (kernels/pack/row_derivative_pack.hpp). Rows in the kernels' order.
template <class T>
struct PackedRowDerivatives {
  PackedDelassus<T> delassus;
  T* A;                       // rows x rows: factor of the Delassus matrix with the compliance
  T* usual;                   // rows: the diagonal that counts as usual
  T* lambda;                  // rows: forces at the solution
  T* b;                       // rows: of a solve right-hand sides, then forces
  T* ds;                      // whole packs of rows: jvp: change of the rows
  T *rest, *step;             // rows: of a solve
  T* x;                       // nv: of a solve
  T* wrench;                  // 6 a body: forces on bodies at the solution, those of rows among them
  T* Kw;                      // 6, rows: as WorkspaceData::Kw, in body frames
  RowDerivativeData<T> data;  // N, P, turning and theta: in body frames, 6 a body
  // 1 in lanes where all solves since have had enough digits, else 0; and where matrices have, which are not refined.
  T trusted, all_sure;
  // Of matrices (kernels/pack/row_matrix_pack.hpp): J, ds/dq and ds/dv row by row; M^-1 J^T and that times A^-1, column by
  // column; columns_at_once a row: of a product.
  T *J, *by_q, *by_v, *response, *motion, *tile;
};

// Where matrices of constrained dynamics go, column by column, rows in the user's order; null: not wanted.
template <class T>
struct PackedRowMatrices {
  T* lambda[3];                       // dlambda / d(q, v, tau), rows x nv
  T *by_desired, *lambda_by_desired;  // dqdd / ddesired and dlambda / ddesired
};

// The memory of embedded loops in products with derivatives (kernels/pack/loop_derivative_pack.hpp).
// Rows are the geometric loops as closures, numbered as loop rows.
template <class T>
struct PackedLoops {
  const ConstraintData* rows;
  RowSettingsOf<T> settings;
  LoopFactor<T> factor;
  RowDerivativeData<T> of_velocities, of_accelerations;  // in body frames
  T *mu, *b, *ds;                                        // loop rows: forces, multipliers, changes
  T *turning, *theta;                                    // 6 a body: as in RowDerivativeData
  T* sum;                                                // 6 a body: forces on subtrees
  T *rest, *h;                                           // nv
  const T* gradient;                                     // vjp: by the accelerations; null: zero
};

// What acts in products with derivatives: constraint rows, and loops that turn. Null: there are none.
template <class T>
struct PackedActing {
  const ConstraintData* c;  // of rows
  PackedRowDerivatives<T>* rows;
  PackedLoops<T>* loops;
};

// The memory of matrices with embedded loops (kernels/pack/loop_matrix_pack.hpp), nv x nv row by row, and what they are of.
template <class T>
struct PackedLoopMatrices {
  T *by_q, *by_v, *M;  // of the tree, then of independent coordinates
  LoopMatrixData<T> room;
  T* wrench;         // 6 a body: forces on bodies at the solution, those of loops among them
  bool independent;  // in independent velocities
  bool inverse;      // of inverse dynamics
};

template <class T>
using PackedProduct = TreeProduct<T>;

// The list (kernels/kernel_list.hpp). In: with the accelerations at which the derivatives are.
#define TENON_PACK_DERIVATIVE_KERNELS(KERNEL)                                                                                \
  /* Torques, and w^T dtau/d(q, v, a) for the gradient w; all outputs are written. */                                        \
  KERNEL(void, rnea_vjp_of_states, Model, In, const PackedProduct<T>&, T* tau, PackedDerivatives<T>&, Work)                  \
  /* by_inertia, 10 a link, += w^T dtau/d(inertias of links), after this. */                                                 \
  KERNEL(void, add_parameter_products_of_states, const ParameterData<double>& links, T* by_inertia,                          \
         const PackedDerivatives<T>&, Work)                                                                                  \
  /* Torques, and in by_q their change along (dq, dv, da). */                                                                \
  KERNEL(void, rnea_jvp_of_states, Model, In, const PackedProduct<T>&, T* tau, PackedDerivatives<T>&, Work)                  \
  /* y := -x, of `count` numbers. */                                                                                         \
  KERNEL(void, negate, const T* x, int count, T* y)                                                                          \
  /* x := M^-1 x, by the articulated inertias of forward dynamics at q. */                                                   \
  KERNEL(void, solve_by_inertias, Model, T* x, PackedDerivatives<T>&, Work)                                                  \
  /* aba_of_states (kernels/pack/pack_table.hpp), and this. False: x is not there. */                                        \
  KERNEL(bool, aba_and_solve_of_states, Model, In, T* qdd, T* x, PackedDerivatives<T>&, Work)                                \
  /* Torques, and what columns and rows of matrices are made of; then these, from first to end - 1, one behind the */        \
  /* other: dtau/dq, dtau/dv with the damping, and M; null: not wanted. */                                                   \
  KERNEL(void, derivative_forces_of_states, Model, In, T* tau, PackedDerivatives<T>&, Work)                                  \
  KERNEL(void, rnea_lines_of_states, Model, int first, int end, MatrixOrder, const PackedProduct<T>&,                        \
         const PackedDerivatives<T>&, const WorkspaceData<T>&)                                                               \
  /* Torques and whole matrices, column by column. solved: for a solve, without zeros between branches, and with the */      \
  /* lower triangle of M in PackedDerivatives::M. */                                                                         \
  KERNEL(void, rnea_derivatives_of_states, Model, bool solved, In, const PackedProduct<T>&, T* tau,                          \
         PackedDerivatives<T>&, Work)                                                                                        \
  /* M^-1, in PackedDerivatives::inverse, after derivative_forces_of_states; and columns first to end - 1 of - M^-1 times */ \
  /* what rnea_lines_of_states gives of by_q and by_v, one column or row behind the other. False, in some lane: M is */      \
  /* not positive definite. */                                                                                               \
  KERNEL(bool, inverse_mass_of_states, Model, PackedDerivatives<T>&, Work)                                                   \
  KERNEL(void, forward_columns_of_states, Model, int first, int end, MatrixOrder, const PackedProduct<T>&,                   \
         PackedDerivatives<T>&, const WorkspaceData<T>&)                                                                     \
  /* by_q, by_v := - M^-1 times these; by_x := M^-1. After the last. False, in some lane: M is not positive */               \
  /* definite. */                                                                                                            \
  KERNEL(bool, forward_derivatives_of_states, const PackedProduct<T>&, PackedDerivatives<T>&)                                \
                                                                                                                             \
  /* Constrained dynamics: qdd, and lambda, wrench and factors of PackedRowDerivatives, whose lanes become */                \
  /* trusted. In: without qdd. False as the last. */                                                                         \
  KERNEL(bool, row_dynamics_of_states, Model, Rows, In, T* qdd, PackedRowDerivatives<T>&,                                    \
         PackedDerivatives<T>&, Work)                                                                                        \
  /* After that, at its state: x, b := x, y of M x - J^T y = f, J x + R y = g for f = x, g = b. */                           \
  KERNEL(void, solve_rows_of_states, Model, Rows, T* x, PackedRowDerivatives<T>&, PackedDerivatives<T>&,                     \
         Work)                                                                                                               \
  /* y^T dr/d(q, v, a) - b^T ds/d(q, v) for y = x of the product, in the notation of */                                      \
  /* kernels/derivatives/row_products.hpp; and dr in by_q and ds, where qdd moves by h of PackedLoops too. In: at the */     \
  /* solution, with its wrench, and with embedded loops with tau. */                                                         \
  KERNEL(void, constrained_vjp_of_states, Model, In, const PackedProduct<T>&, T* tau,                                        \
         const PackedActing<T>&, PackedDerivatives<T>&, Work)                                                                \
  KERNEL(void, constrained_jvp_of_states, Model, In, const PackedProduct<T>&, T* tau,                                        \
         const PackedActing<T>&, PackedDerivatives<T>&, Work)                                                                \
                                                                                                                             \
  /* As rnea_derivatives_of_states, with what rows add, and what they are in PackedRowDerivatives. */                        \
  KERNEL(void, row_derivatives_of_states, Model, Rows, In, const PackedProduct<T>&, T* tau,                                  \
         PackedRowDerivatives<T>&, PackedDerivatives<T>&, Work)                                                              \
  /* As forward_derivatives_of_states, after the last. */                                                                    \
  KERNEL(bool, constrained_derivatives_of_states, Rows, const PackedProduct<T>&,                                             \
         const PackedRowMatrices<T>&, PackedRowDerivatives<T>&, PackedDerivatives<T>&)                                       \
                                                                                                                             \
  /* With embedded loops, after loops_of_states: torques, and the matrices of inverse dynamics in independent */             \
  /* velocities, or those of both functions above. In: as in products. False as the last. */                                 \
  KERNEL(bool, loop_derivatives_of_states, Model, In, const PackedProduct<T>&, const PackedRowMatrices<T>&,                  \
         T* tau, const PackedActing<T>&, const PackedLoopMatrices<T>&, PackedDerivatives<T>&, Work)                          \
                                                                                                                             \
  /* In independent velocities, after loops_of_states. Rates of the rows of loops, and their factor; moves: velocities */    \
  /* of bodies are there. dv += D dq where ydot stays, and g_q += D^T g_v, after that or constrained_vjp_of_states. */       \
  KERNEL(void, place_velocity_rows_of_states, Model, In, bool moves, PackedLoops<T>&, Work)                                  \
  KERNEL(void, add_velocity_changes_of_states, Model, In, const T* dq, T* dv, PackedLoops<T>&,                               \
         PackedDerivatives<T>&, Work)                                                                                        \
  KERNEL(void, add_velocity_gradients_of_states, Model, const T* v, T* g_q, const T* g_v, PackedLoops<T>&,                   \
         Work)                                                                                                               \
                                                                                                                             \
  TENON_KINEMATICS_PRODUCTS(KERNEL)

template <class N, int W>
struct PackDerivativeKernels {
  using T = Pack<N, W>;
  TENON_KERNEL_ENTRIES(TENON_PACK_DERIVATIVE_KERNELS)
};

}  // namespace tenon
