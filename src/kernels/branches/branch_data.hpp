// A tree as kernels on branch lanes see it: one state, limbs of equal shape side by side in one register.
//
// The trunk is swept body by body. The other bodies lie in bundles. A bundle is a chain of bodies and clusters
// in which each body stands for one body of each of W limbs, with the constants and numbers of the limbs in the
// lanes of a pack; it is swept by the texts that sweep the trunk, with a pack as scalar. Node 0 of a bundle is
// no body: it is the place of the limbs' parents, which are bodies of the trunk or of bundles before. Lanes
// without a limb repeat the first; what they compute goes nowhere.
//
// Loops are evaluated one by one before: G and g are those of the model's workspace.
//
// N: Pack<double, W>.
#pragma once

#include <cstdint>

#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/tree/product_data.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// The body that carries a limb: its fields of WorkspaceData, numbers `stride` apart.
struct LimbParent {
  double *v, *a, *f, *IA, *pA;
  double *IB, *pS, *delta_pA, *delta_a, *gs, *Rs, *ps;  // null without rows
  double *moved, *dv_body, *da_body, *force, *moment;   // ProductBodies; null where there are none
  double *moment_with_rows, *turning, *theta;
  std::int32_t stride;
};
// Limbs of a bundle with the same parent, which is not the world.
template <int W>
struct Siblings {
  LimbParent parent;
  std::int32_t stores;            // the parent is of the trunk and its IA holds nothing before
  std::int32_t stores_with_rows;  // the same in sweeps with rows, where limbs without rows add to IB
  std::int32_t to_base;           // such limbs on a supporting parent
  std::int32_t count, lanes[W];
};

// What is swept at once: the trunk, with the model's numbers of coordinates, or a bundle.
template <class N>
struct TreePart {
  ModelDataOf<N> model;
  WorkspaceData<N> w;
  ConstraintDataOf<N> rows;
  PvEarlyData<N> early;
  ProductBodies<N> products;  // of joints alone
  N *turning, *theta;         // of these, 6 a body: as RowDerivativeData
  // For each lane of a body, a row, or a rotor: its number in the model or in the set. Lanes without a limb have the
  // bodies and rotors of the lane that they repeat, and -1 for rows.
  const std::int32_t *body_of, *row_of, *rotor_of;
};

// The Delassus matrix: rows of a bundle that have room.
constexpr int most_rows_at_once = 6;
constexpr int room_for_rows(int rows) {
  return rows <= 3 ? 3 : most_rows_at_once;
}
// The rows of limbs for it. Rows of a limb have consecutive numbers in the set. A limb may have fewer rows than its bundle:
// the first ones.
template <class N>
struct LimbRows {
  static constexpr int width = lanes_in<N>;
  std::int32_t depth;         // the last node with rows
  std::int32_t begin[width];  // of each limb: the number of its first row in the set
  // How many places of the first four rows, and of the others, are written in OsimrData::K, and in each column of the
  // block: four where what is written too much is zero or is written again later, else those of the limb.
  std::int32_t row_places[2][width], block_places[most_rows_at_once][2][width];
  N* K;        // what is propagated, of each row
  N *W, *W_d;  // as OsimrData, room_for_rows numbers for each node; zero for rows that begin further inward
  N* block;    // of the matrix: room_for_rows columns
};

// Numbers between two lines of a block of n coordinates of a limb: whole fours.
constexpr int line_of_block(int n) {
  return (n + 3) / 4 * 4;
}
// Matrices of first derivatives of a bundle of a star (derivative_branches.hpp), in the frame of the root.
template <class N>
struct LimbMatrices {
  WorkspaceData<N> w;  // of these sweeps
  RootFrameMotions<N> motions;
  std::int32_t line;      // line_of_block
  N *mass, *by_q, *by_v;  // blocks of each limb, `line` numbers a line, zeros behind
  N *tau, *N_k;           // torques; 3 a node: N
  // 6 a node, three nodes more of zeros: what the limb has in rows of the root, and in its columns.
  N *F, *F_q, *F_v, *root_q, *root_v;
  // Of solutions (star_solution.hpp), E, and the limb's rows of X, 6 a node; of two matrices at once eight numbers each, f and d,
  // blocks and rows as above. numbers: of columns, two lines and 16 for each coordinate of each limb, and two matrices.
  N *factor, *E, *response, *inverse;
  double *factor_of_both, *E_of_both, *f, *right, *below, *numbers;
  // Of constraint rows, room_for_rows numbers a coordinate: J, W, G by q and by v; h, of two matrices. 6 numbers a row: K, and J
  // and G in the columns of the root, J with what limbs do as they follow it.
  N *J, *W, *G_q, *G_v;
  double* row_right;
  N *K, *root_J, *root_G_q, *root_G_v;
};

// Nodes and coordinates have the same numbers. Of clusters only the places of nodes, coordinates and G are set, of
// rotors no q_index and v_index; those on the limbs' parents have carrier 0. Where one limb has a row, all have it,
// active or not.
template <class N>
struct Bundle : TreePart<N> {
  static constexpr int width = N::width;
  N *q, *v, *tau, *qdd;            // in coordinates of the bundle
  N *given[3], *found[3];          // of products (TreeProduct)
  N *row_lambda, *row_b, *row_ds;  // of products with rows (RowProduct)
  LimbMatrices<N>* matrices;       // of stars
  // For each lane of a node: the coordinates of the limb, as body_of; the coordinate a result goes to; -1: nowhere.
  const std::int32_t *q_of, *v_of, *result_of;
  // The same of rotors: coordinates of their joints in the spanning tree.
  const std::int32_t *rotor_q_of, *rotor_v_of, *rotor_result_of;
  // The same of G where it varies, of which there are varying_count numbers.
  std::int32_t varies, varying_count;
  const std::int32_t *varying_G, *G_of;
  const LimbParent* parents;  // of each lane
  std::int32_t one_parent;    // they are the same
  std::int32_t sibling_count, collecting_count;
  const Siblings<width>* siblings;
  const std::int32_t* collecting;  // nodes that carry limbs, in some lanes or all: these add to IA
  LimbRows<N> osimr;
};

// X and Z of a star (star_solution.hpp): a column for each coordinate of the root, and for each constraint row, of ld numbers:
// those of the coordinates of the model, and then of the rows, zeros behind.
struct StarResponses {
  double *of_root, *of_rows;
  std::int64_t ld;
  std::int32_t nv, rows;
  double* root_columns;  // in the same way: those of two matrices
  double*
      own;  // C^-1 of all limbs: a column for each coordinate, zeros in rows that are not of its limb, three more
  const double* none;  // a column of zeros
  // Columns of whole packs of rows, row_ld of them: J in the columns of the root as above, the same times S^-1, and h in the columns
  // of the root, of two matrices.
  std::int32_t row_ld;
  double *root_J, *root_forces, *root_right;
};

template <class N>
struct Branches {
  const KernelTable<double>* kernels;              // for the trunk
  TreePart<double> trunk;                          // its rows: those on the trunk and on the world
  const double *rotor_rate, *rotor_angle, *G, *g;  // of the workspace of the model
  std::int32_t bundle_count;
  Bundle<N>* bundles;  // parents first
  StarResponses star;
};

// The velocity coordinates of the limbs of a bundle in a star: its trunk is one floating body or the world, and no limb
// carries others. Only stars have a mass matrix on branch lanes (crba_branches.hpp). A limb's coordinates are consecutive.
template <int W>
struct LimbCoordinates {
  std::int32_t body_count;
  std::int32_t first[W];
  // How many places of a group of four coordinates are written: of the last one, in blocks of M and in rows of the root,
  // four where what is written too much is zero or is written again later, else those of the limb; of others four. None
  // without a limb.
  std::int32_t block_places[W], root_places[W], whole_places[W];
  std::int32_t own_places[W];  // those of the limb
};

// Where matrices of first derivatives of a star go, nv x nv each; null: not wanted. What they need of the whole model.
struct StarMatrices {
  double *by_q, *by_v, *by_x;  // by_x: by qdd the mass matrix, by tau its inverse
  std::int64_t ld;
  MatrixOrder order;
  const double* damping;  // of each joint; null: none
  const DofRun* runs;     // WorkspaceData::runs
  std::int32_t run_count, nv;
};

// The same of the forces of constraint rows, in the kernels' order, column by column: rows x nv each. Those by q and v are both
// there, or both null: not wanted.
struct StarForces {
  double *by_q, *by_v, *by_x;
  std::int64_t ld;
};

// An impact, of the robot at rest without gravity: rows change by J velocity, whose derivative by velocities before is rebound J.
struct StarImpact {
  const double* velocity;  // the change of velocities, and rebound times those before
  double rebound;          // 1 + e
};

// The list (kernels/kernel_list.hpp); the kernel of an entry is <name>_of_branches. Bodies: Branches<N>&, Whole: the
// workspace of the whole model.
#define TENON_BRANCH_KERNELS(KERNEL)                                                                                     \
  KERNEL(bool, aba, Bodies, In, double* qdd)                                                                             \
  KERNEL(void, rnea, Bodies, In, double* tau)                                                                            \
  /* Only for joints alone. After aba or pv_osimr x := M^-1 (x + J^T forces), and                  \
   * motions := J x; null: none. */                     \
  KERNEL(void, inverse_mass_times, Bodies, double* x, const double* forces, double* motions)                             \
  /* Products as those of packs; tau null: not wanted. */                                                                \
  KERNEL(void, rnea_vjp, Bodies, In, const TreeProduct<double>&, double* tau)                                            \
  KERNEL(void, rnea_jvp, Bodies, In, const TreeProduct<double>&, double* tau)                                            \
  /* The same with rows, all on limbs, after constraint_state. in.wrenches: without theirs. */                           \
  KERNEL(void, constrained_vjp, Bodies, In, const TreeProduct<double>&, const RowProduct<double>&)                       \
  KERNEL(void, constrained_jvp, Bodies, In, const TreeProduct<double>&, const RowProduct<double>&)                       \
  /* K a' of all rows, at the accelerations of the last sweep outward; after the same. */                                \
  KERNEL(void, row_accelerations, Bodies, double* Ka)                                                                    \
  /* Velocities of all rows that are on bodies, after constraint_state. */                                               \
  KERNEL(void, row_velocities, Bodies, double* velocity)                                                                 \
  /* Only for stars (LimbCoordinates). runs: WorkspaceData::runs of the model. */                                        \
  KERNEL(void, crba, Bodies, const LimbCoordinates<W>*, const double* q, double* M, int ld,                              \
         const DofRun* runs, int run_count)                                                                              \
  /* Torques and their matrices; null: not wanted. In: with qdd. */                                                      \
  KERNEL(void, rnea_derivatives, Bodies, const LimbCoordinates<W>*, In, double* tau, const StarMatrices&)                \
  /* qdd and its matrices, column by column: to at_once (null: none) where they are finite for certain, if those \
   * of inverse dynamics are moderate. False when the mass matrix is not positive definite. */       \
  KERNEL(bool, forward_derivatives, Bodies, const LimbCoordinates<W>*, In, double* qdd, const StarMatrices&,             \
         const StarMatrices* at_once, bool* went_at_once)                                                                \
  /* The same with rows, all on limbs, in two parts. After constraint_state of row sweeps: qdd and Ka without forces   \
   * of rows, M^-1 J^T in b.star, and WorkspaceData::delassus; false as above. */ \
  KERNEL(bool, start_constrained_derivatives, Bodies, const LimbCoordinates<W>*, In, double* qdd, Whole)                 \
  /* At the solution, in.qdd and lambda, with the factor of that matrix in dual_factor. Z of active rows. */             \
  KERNEL(void, constrained_derivatives, Bodies, const LimbCoordinates<W>*, In, const double* lambda,                     \
         const double* active, const StarMatrices&, const StarForces&, const StarImpact*, Whole)                         \
  /* DelassusKernels (kernels/kernel_table.hpp); the results go to the whole. */                                         \
  KERNEL(bool, sweep_inertias, Bodies, const double* q, Whole)                                                           \
  /* With the inertias. Of the whole it writes the matrix only. */                                                       \
  KERNEL(bool, pv_osimr, Bodies, const double* q, OsimrData<double>&, Whole)                                             \
  /* After constraint_state: what is left of aba, and this matrix. */                                                    \
  KERNEL(bool, aba_and_osimr, Bodies, In, double* qdd, OsimrData<double>&, Whole)

template <int W>
struct BranchKernels {
  using Bodies = Branches<Pack<double, W>>&;
  using Whole = WorkspaceData<double>&;
  using In = const Inputs<double>&;
  TENON_BRANCH_KERNELS(TENON_KERNEL_ENTRY)
  // With WorkspaceData::branches. Of the workspace the rows' desired, then k, mu_row, row_force, Ka and
  // row_lambda are read and written.
  RowSweepKernels<double> row_sweeps;
  // Rows of limbs are eliminated without pivoting: PvEarlyData::left_over counts those of bundles where that cannot be.
  PvEarlyKernels<double> early;
};

// Lanes of a bundle: four doubles, a register of AVX. Two legs leave half of wider ones empty.
constexpr int branch_width = 4;

}  // namespace tenon
