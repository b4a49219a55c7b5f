// The kernels of one instruction set as a table of functions. A workspace picks its table once, when it is
// made. The table is composed of groups. Each is a list (kernels/kernel_list.hpp), compiled by its own translation
// unit, kernels/*/<group>_kernels.cpp, so a change to a kernel recompiles only its group. A new kernel needs a line
// in the list of its group; a new group a list, a line in TENON_KERNEL_GROUPS and such a file (src/CMakeLists.txt).
#pragma once

#include "kernels/cluster/independent_space_data.hpp"
#include "kernels/constrained/proximal_point.hpp"
#include "kernels/constrained/pv_data.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/constrained/row_factor_data.hpp"
#include "kernels/delassus/caba_osim_data.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "kernels/derivatives/kinematics_derivative_data.hpp"
#include "kernels/derivatives/parameter_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "kernels/derivatives/second_order_data.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/tree/momentum_data.hpp"

namespace tenon {

// Kernels without constraints.
#define TENON_TREE_KERNELS(KERNEL)                                                                  \
  KERNEL(void, kinematics, Model, const T* q, const T* v, const T* a, Work)                         \
  KERNEL(void, frame_jacobian, Model, int node, const T* point, const T* E, T* J, int ld,           \
         const WorkspaceData<T>&)                                                                   \
  KERNEL(void, center_of_mass, Model, T* com, T* J, int ld, Work)                                   \
  KERNEL(void, centroidal_state, Model, const T* v, bool center, T* state, const WorkspaceData<T>&) \
  KERNEL(void, rnea, Model, In, T* tau, Work)                                                       \
  KERNEL(void, crba, Model, const T* q, T* M, int ld, Work)                                         \
  KERNEL(bool, aba, Model, In, T* qdd, Work)                                                        \
  /* Path rows of M, their factor and products (kernels/tree/ltl.hpp). */                           \
  KERNEL(void, crba_rows, Model, const T* q, T* rows, Work)                                         \
  KERNEL(bool, ltl_factor, Model, T* rows, T* inv_d, const WorkspaceData<T>&)                       \
  KERNEL(void, ltl_solve, Model, const T* rows, const T* inv_d, T* x, Work)                         \
  KERNEL(void, ltl_multiply, Model, const T* rows, const T* x, T* y, Work)                          \
                                                                                                    \
  /* The sweeps of rnea and aba one by one, for the trunk of branch lanes (kernels/branches). */    \
  KERNEL(void, sweep_body_forces, Model, In, Work)                                                  \
  KERNEL(void, add_rotor_forces, Model, In, T* tau, Work)                                           \
  KERNEL(void, sweep_joint_forces, Model, In, T* tau, Work)                                         \
  KERNEL(void, sweep_velocities, Model, In, bool has_angles, Work)                                  \
  KERNEL(bool, sweep_articulated_inertia, Model, In, Work)                                          \
  KERNEL(void, sweep_accelerations, Model, In, T* qdd, Work)

// The sweeps of constrainedABA, which branch lanes have too (kernels/branches).
#define TENON_ROW_SWEEP_KERNELS(KERNEL)                                                                \
  /* Joint transforms, velocities and bias forces, then the constraint rows K, k at (q, v). */         \
  KERNEL(void, constraint_state, Model, Rows, In, Work)                                                \
  KERNEL(bool, constrained_aba_start, Model, Rows, In, T* qdd, ProximalPoint<T>&, Work)                \
  KERNEL(void, constrained_aba_iterate, Model, Rows, bool refine, In, T* qdd, ProximalPoint<T>&, Work) \
  KERNEL(void, constrained_aba_finish, Model, Rows, In, T* qdd, Work)

// Constraint rows, after constraint_state.
#define TENON_CONSTRAINT_ROW_KERNELS(KERNEL)                                                       \
  KERNEL(void, constraint_jacobian, Model, Rows, T* J, int ld, Work)                               \
  KERNEL(void, constraint_right_hand_side, Model, Rows, const T* v, T* rhs, Work)                  \
                                                                                                   \
  /* The sweeps of constrainedABA one by one, for the trunk of branch lanes (kernels/branches). */ \
  KERNEL(void, evaluate_constraint_rows, Model, Rows, Work)                                        \
  KERNEL(bool, augmented_inertia, Model, Rows, In, Work)                                           \
  KERNEL(void, support_accelerations, Model, Rows, In, T* qdd, Work)                               \
  KERNEL(void, force_changes, Model, Rows, const T* delta, bool refine, In, T* qdd, Work)          \
  KERNEL(void, motion_changes, Model, Rows, const T* delta, T* qdd, Work)

// The Popov-Vereshchagin family.
#define TENON_PV_KERNELS(KERNEL)                                                                         \
  /* kernels/constrained/pv.hpp, after constraint_state. split: the branches of the root are factored */ \
  /* separately. */                                                                                      \
  KERNEL(bool, pv_reduce, Model, bool split, In, PvData<T>&, Work)                                       \
  KERNEL(T, pv_factor, Model, bool split, const double* scale, PvData<T>&)                               \
  KERNEL(void, pv_step, Model, bool split, const T* R, const T* f, T* step, PvData<T>&)                  \
  KERNEL(void, pv_roll_out, Model, Rows, In, const T* lambda, T* qdd, PvData<T>&, Work)

// pv_early (kernels/constrained/pv_early.hpp), after constraint_state. Branch lanes have it too.
#define TENON_PV_EARLY_KERNELS(KERNEL)                                  \
  KERNEL(bool, pv_early_reduce, Model, Rows, In, PvEarlyData<T>&, Work) \
  KERNEL(void, pv_early_roll_out, Model, Rows, In, T* lambda, T* qdd, PvEarlyData<T>&, Work)

// Methods on the joint-space mass matrix.
#define TENON_JOINT_SPACE_KERNELS(KERNEL)                                   \
  /* kernels/tree/joint_space.hpp, which all of them begin with. */         \
  KERNEL(void, joint_space_state, Model, Rows, In, Work)                    \
                                                                            \
  /* kernels/constrained/prox_ltl.hpp. */                                   \
  KERNEL(bool, prox_ltl_start, Model, Rows, Work)                           \
  KERNEL(void, prox_ltl_factor, Rows, const T* inv_mu, Work)                \
  KERNEL(void, prox_ltl_step, Rows, const T* f, T* step, Work)              \
  KERNEL(void, prox_ltl_motion, Model, Rows, T* qdd, Work)                  \
  KERNEL(void, prox_ltl_finish, Model, Rows, const T* lambda, T* qdd, Work) \
  KERNEL(void, ltl_half_inward, Model, T* x, Work)                          \
  KERNEL(void, ltl_half_outward, Model, T* x, Work)                         \
                                                                            \
  /* kernels/constrained/prox_ltls.hpp. moved: qdd is not zero. */          \
  KERNEL(void, prox_ltls_start, Model, Rows, T* qdd, Work)                  \
  KERNEL(bool, prox_ltls_factor, Model, Rows, const T* inv_mu, Work)        \
  KERNEL(void, prox_ltls_step, Model, Rows, const T* f, bool moved, bool measures, T* step, T* qdd, Work)

// The factor of constraint rows, kernels/constrained/row_factor.hpp; all but the first two after one of them.
#define TENON_ROW_FACTOR_KERNELS(KERNEL)                                            \
  KERNEL(void, factor_rows, Model, Rows, const T* JLT, RowFactorData&)              \
  KERNEL(void, factor_rigid_rows, Rows, const T* JLT, RowFactorData&)               \
  KERNEL(void, take_reachable, Rows, T* b, T* rest, RowFactorData&)                 \
  KERNEL(void, add_row_solution, const T* b, RowFactorData&)                        \
  KERNEL(T, add_nearest_forces, T* y, RowFactorData&)                               \
  KERNEL(void, row_motion, RowFactorData&)                                          \
  KERNEL(void, row_multipliers, Rows, T* lambda, RowFactorData&)                    \
  /* After prox_ltl_start or chain_rows_start. */                                   \
  KERNEL(void, solve_rows_of_column, Model, Rows, RowFactorData&, T* z, T* G, Work) \
  KERNEL(void, combine_dependent_rows, T* b, RowFactorData&)                        \
  KERNEL(void, span_weighted_range, Rows, RowFactorData&)                           \
  KERNEL(void, row_pseudo_inverse, T* out, RowFactorData&)

// The same for models with embedded loops, in independent coordinates: kernels/cluster/independent_space.hpp.
// Kernels of the group above that are missing here are used with the tree, rows and workspace of
// IndependentSpaceData.
#define TENON_INDEPENDENT_SPACE_KERNELS(KERNEL)                                                \
  KERNEL(void, independent_mass_rows, Model, const T* q, T* H, IndependentSpaceData<T>&, Work) \
  KERNEL(bool, independent_ltl_osim, Model, Rows, const T* q, IndependentSpaceData<T>&, Work)  \
  KERNEL(bool, independent_prox_ltl_start, Model, Rows, IndependentSpaceData<T>&, Work)        \
  KERNEL(void, independent_prox_ltls_start, Model, Rows, IndependentSpaceData<T>&, Work)       \
  KERNEL(bool, independent_prox_ltls_factor, Model, Rows, const T* inv_mu, IndependentSpaceData<T>&, Work)

// Kinematic loops, kernels/cluster/cluster_constraints.hpp.
#define TENON_LOOP_KERNELS(KERNEL)                                      \
  KERNEL(void, loop_constraints, Model, const T* q, const T* v, Work)   \
  /* Returns the cluster that is singular at q, or -1. */               \
  KERNEL(int, cluster_constraints, Model, const T* q, const T* v, Work) \
  KERNEL(void, cluster_bias, Model, const T* q, const T* v, Work)

// The Delassus matrix J M^-1 J^T: WorkspaceData::delassus, lower triangle, column-major, zeros below its last
// row. False when the mass matrix is not positive definite.
#define TENON_DELASSUS_KERNELS(KERNEL)                                                   \
  KERNEL(bool, ltl_osim, Model, Rows, const T* q, Work)                                  \
  /* kernels/tree/articulated_inertia.hpp; all functions below need its results. */      \
  KERNEL(bool, sweep_inertias, Model, const T* q, Work)                                  \
  KERNEL(void, kjr, Model, Rows, KjrData<T>&, Work)                                      \
  KERNEL(void, efpa, Model, Rows, PvData<T>&, EfpaData<T>&, Work)                        \
  KERNEL(void, pv_osim, Model, Rows, PvData<T>&, Work)                                   \
  /* kernels/delassus/pv_osimr.hpp, after place_rows of articulated_inertia.hpp. */      \
  KERNEL(void, place_rows, Model, Rows, Work)                                            \
  KERNEL(void, osimr_ends, Model, OsimrData<T>&, Work)                                   \
  KERNEL(void, osimr_branches, Model, OsimrData<T>&, Work)                               \
                                                                                         \
  /* kernels/tree/inverse_mass.hpp. */                                                   \
  KERNEL(void, inverse_mass_times, Model, const T* B, int ldb, int count, T* X, int ldx, \
         InverseMassData<T>&, const WorkspaceData<T>&)                                   \
                                                                                         \
  /* kernels/delassus/symmetric_to_user.hpp. */                                          \
  KERNEL(T, finite_sum, const T* lower, int rows)                                        \
  KERNEL(void, symmetric_to_user, Rows, bool in_order, const T* lower, T* out, int ld)

// The damped inverse of the Delassus matrix.
#define TENON_DAMPED_INVERSE_KERNELS(KERNEL)                                                                 \
  /* kernels/delassus/caba_osim.hpp, caba_osimf.hpp; CabaOsimData::damping is the caller's. */               \
  KERNEL(bool, caba_osim_factor, Model, Rows, const T* q, CabaOsimData<T>&, Work)                            \
  KERNEL(void, caba_osim_form, CabaOsimData<T>&)                                                             \
  KERNEL(void, caba_osimf_apply, const T* b, T* x, CabaOsimData<T>&)                                         \
                                                                                                             \
  /* kernels/delassus/pv_osimf.hpp, factor after sweep_inertias. damping: rows. form: the factor is */       \
  /* for pv_osimf_form, not for pv_osimf_apply. */                                                           \
  KERNEL(void, pv_osimf_factor, Model, Rows, const T* damping, bool form, PvData<T>&, PvOsimfData<T>&, Work) \
  KERNEL(void, pv_osimf_apply, const T* b, const T* damping, T* x, PvOsimfData<T>&)                          \
  KERNEL(void, pv_osimf_form, const T* damping, T* inverse, PvOsimfData<T>&)

// Dense matrices of constraint rows: kernels/constrained/dense_ldl.hpp, kernels/delassus/dense_inverse.hpp, and the
// Delassus matrix of prox_ltl.
#define TENON_DENSE_KERNELS(KERNEL)                                                              \
  KERNEL(T, factor_dense, const T* A, const T* damping, int n, int s, T* F, T* inv_d, T* scaled) \
  KERNEL(void, solve_dense, const T* F, const T* inv_d, int s, T* x)                             \
  KERNEL(bool, invert_dense, const T* A, const T* damping, int n, int s, T* X, T* scratch)       \
  KERNEL(void, multiply_symmetric, const T* X, int s, const T* x, T* y)                          \
  /* After prox_ltl_start. */                                                                    \
  KERNEL(void, prox_ltl_gram, Model, Rows, Work)

// Terms of velocities: the Coriolis matrix; after kinematics, accelerations at qdd = 0 and the momentum about
// the centre of mass.
#define TENON_MOMENTUM_KERNELS(KERNEL)                                                               \
  KERNEL(void, coriolis, Model, const T* q, const T* v, T* C, int ld, CoriolisData<T>&, Work)        \
                                                                                                     \
  /* kernels/tree/centroidal.hpp. */                                                                 \
  KERNEL(void, bias_acceleration, Model, int node, const T* point, T* out6, const WorkspaceData<T>&) \
  KERNEL(void, centroidal_matrix, Model, const T* com, T* A, int ld, T* Ic, const WorkspaceData<T>&) \
  KERNEL(void, centroidal_bias, Model, const T* com, T* out6, T* a, const WorkspaceData<T>&)         \
                                                                                                     \
  /* kernels/derivatives/kinematics_derivatives.hpp, after kinematics. */                            \
  KERNEL(void, point_derivatives, Model, int node, const T* point, const T* E, bool turning,         \
         const PointDerivatives<T>&, const WorkspaceData<T>&)                                        \
  KERNEL(void, centroidal_derivatives, Model, const T* com, const CentroidalDerivatives<T>&,         \
         const KinematicsDerivativeData<T>&, const WorkspaceData<T>&)                                \
  KERNEL(void, energy_gradients, Model, const T* v, T* kinetic_q, T* kinetic_v, T* potential_q,      \
         const KinematicsDerivativeData<T>&, const WorkspaceData<T>&)                                \
  TENON_KINEMATICS_PRODUCTS(KERNEL)

// First derivatives of dynamics (kernels/derivatives). All but the first need its results; matrices
// are nv x nv, and vectors have whole packs.
#define TENON_DERIVATIVE_KERNELS(KERNEL)                                                                     \
  KERNEL(void, sweep_motion, Model, const T* q, const T* v, const T* a, Work)                                \
  /* summed: after forward_motion with by_inverse and inverse_by_paths. */                                   \
  KERNEL(void, rnea_derivatives, Model, bool summed, const T* wrenches, T* dq, T* dv, T* M, int ld,          \
         MatrixOrder, DerivativeData<T>&, Work)                                                              \
  KERNEL(void, add_accelerations, Model, const T* a, DerivativeData<T>&, Work)                               \
  /* In place of sweep_motion; then after rnea_derivatives. */                                               \
  KERNEL(bool, forward_motion, Model, In, T* qdd, T* inverse, int ld, DerivativeData<T>&, Work)              \
  KERNEL(bool, place_inverse, Model, T* inverse, int ld, DerivativeData<T>&)                                 \
  KERNEL(void, solve_derivatives, Model, T* dq, T* dv, int ld, DerivativeData<T>&)                           \
  KERNEL(void, multiply_by_responses, Model, const ConstraintData*, const Responses<T>&,                     \
         const ResponseSides<T>&, T* room, const DerivativeData<T>&)                                         \
  KERNEL(void, rnea_vjp, Model, const T* wrenches, const T* y, T* g_q, T* g_v, T* g_a, DerivativeData<T>&,   \
         Work)                                                                                               \
  KERNEL(void, rnea_jvp, Model, const T* v, const T* wrenches, const T* dq, const T* dv, const T* da,        \
         T* dtau, DerivativeData<T>&, Work)                                                                  \
  /* After any of these. */                                                                                  \
  KERNEL(void, derivative_torques, Model, const T* a, T* tau, Work)                                          \
                                                                                                             \
  /* By inertial parameters of links; torque_regressor after unit_forces. */                                 \
  KERNEL(void, unit_forces, const ParameterData<T>&, const WorkspaceData<T>&)                                \
  KERNEL(void, torque_regressor, Model, const ParameterData<T>&, bool zeros, T* Y, int ld,                   \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(void, parameter_products, Model, const T* y, const ParameterData<T>&, DerivativeData<T>&,           \
         const WorkspaceData<T>&)                                                                            \
                                                                                                             \
  /* With constraint rows, lambda in the kernels' order, after joint_space_state and sweep_motion. */        \
  KERNEL(void, row_gradients, Model, Rows, RowDerivativeData<T>* of_velocities,                              \
         RowDerivativeData<T>* of_accelerations, bool is_placed, Work)                                       \
  /* After row_gradients. */                                                                                 \
  KERNEL(void, row_derivatives, Model, Rows, const T* lambda, T* dq, int ld, MatrixOrder, T* rows_q,         \
         T* rows_v, DerivativeData<T>&, RowDerivativeData<T>&, Work)                                         \
  KERNEL(void, constrained_vjp, Model, const ProductRows<T>&, const T* wrenches, const T* y, T* g_q, T* g_v, \
         T* g_a, DerivativeData<T>&, Work)                                                                   \
  KERNEL(void, constrained_jvp, Model, const ProductRows<T>&, const T* v, const T* wrenches, const T* dq,    \
         const T* dv, const T* da, T* dr, DerivativeData<T>&, Work)                                          \
  KERNEL(void, row_velocity_vjp, Model, const ActingRows<T>&, T speed, T* change, T* size,                   \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(void, held_vjp, Model, const ProductRows<T>&, LoopRows, const T* wrenches, const T* y,              \
         const T* by_a, T* g_q, T* g_v, T* g_a, LoopDerivativeData<T>&, DerivativeData<T>&, Work)            \
  KERNEL(void, hold_velocities, Model, LoopRows, const T* g_v, T* g_q, LoopDerivativeData<T>&,               \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(void, row_jacobian, Model, Rows, const RowDerivativeData<T>&, const T* scale, bool adds, T* J_q,    \
         T* J, int ld, const DerivativeData<T>&, const WorkspaceData<T>&)                                    \
  KERNEL(void, close_matrices, Model, const TreeMatrices<T>&, bool independent,                              \
         const LoopDerivativeData<T>&, const LoopMatrixData<T>&, const DerivativeData<T>&, Work)             \
  KERNEL(void, project_rows, Model, const T* G, T* X, int columns, int ld, T* room)                          \
  KERNEL(void, project_columns, Model, const T* G, T* X, int rows, int ld, T* room)                          \
  KERNEL(void, give_rows, Model, const T* G, T* X, int columns, int ld, T* room)                             \
  KERNEL(void, add_turned_by_loops, Model, const T* A, int rows, T* C, int ld, const LoopDerivativeData<T>&, \
         const LoopMatrixData<T>&, const WorkspaceData<T>&)                                                  \
  KERNEL(void, row_velocity_jvp, Model, const ProductRows<T>&, const T* u, const T* dq, DerivativeData<T>&,  \
         Work)                                                                                               \
  /* X := sign M^-1 X, by the factor in H_L. */                                                              \
  KERNEL(void, solve_mass_columns, Model, RightSide, int count, T sign, T* X, int ld, MatrixOrder,           \
         DerivativeData<T>&, const WorkspaceData<T>&)                                                        \
  /* kernels/delassus/chain_rows.hpp. */                                                                     \
  KERNEL(bool, chain_rows_start, Model, Rows, DerivativeData<T>&, Work)                                      \
  KERNEL(void, chain_rows_motion, Model, Rows, T* qdd, DerivativeData<T>&, Work)                             \
  KERNEL(void, chain_rows_finish, Model, Rows, const T* lambda, T* qdd, DerivativeData<T>&, Work)            \
  KERNEL(void, chain_half_inward, Model, T* x, DerivativeData<T>&)                                           \
  KERNEL(void, chain_half_outward, Model, T* x, DerivativeData<T>&)                                          \
  /* After prox_ltl_start, or by chains chain_rows_start. */                                                 \
  KERNEL(void, place_row_basis, Model, Rows, const RowFactorData&, bool by_chains, int ld, RowBasisData<T>&, \
         DerivativeData<T>&, RowDerivativeData<T>&, const WorkspaceData<T>&)                                 \
  KERNEL(void, solve_with_row_basis, Model, const RowFactorData&, bool by_chains, RightSide, int count,      \
         T sign, const RowRightSides<T>&, const RowBasisData<T>&, DerivativeData<T>&,                        \
         const WorkspaceData<T>&)                                                                            \
  KERNEL(bool, place_responses, Model, const RowFactorData&, bool by_chains, int ld, const RowBasisData<T>&, \
         const Responses<T>&, DerivativeData<T>&, const WorkspaceData<T>&)                                   \
                                                                                                             \
  /* kernels/derivatives/results.hpp. */                                                                     \
  KERNEL(bool, finite_matrix, const T* A, int lines, int length, std::int64_t ld)                            \
  KERNEL(void, copy_matrix, const T* A, int lines, int length, std::int64_t ld, bool transposed, T* to,      \
         std::int64_t ld_to)

// Second derivatives: kernels/derivatives/second_order.hpp.
#define TENON_SECOND_ORDER_KERNELS(KERNEL)                                                             \
  KERNEL(void, gradient_changes, Model, const ConstraintData* rows, bool of_v, int first, int count,   \
         SecondOrderData<Changes>&, WorkspaceData<Changes>&)                                           \
  KERNEL(void, gradient_change, Model, const ConstraintData* rows, const double* dq, const double* dv, \
         SecondOrderData<OneChange>&, WorkspaceData<OneChange>&)                                       \
  KERNEL(void, add_transposed_product, int length, const double* A, int rows, std::int64_t lda,        \
         const double* B, int columns, std::int64_t ldb, double* C, std::int64_t ldc)

// Type of a group, the function that returns it, its list: the groups that are compiled for every number, and those for
// doubles alone.
#define TENON_GROUPS_OF_ALL(GROUP)                                                  \
  GROUP(TreeKernels, tree_kernels, TENON_TREE_KERNELS)                              \
  GROUP(RowSweepKernels, row_sweep_kernels, TENON_ROW_SWEEP_KERNELS)                \
  GROUP(ConstraintRowKernels, constraint_row_kernels, TENON_CONSTRAINT_ROW_KERNELS) \
  GROUP(PvKernels, pv_kernels, TENON_PV_KERNELS)                                    \
  GROUP(PvEarlyKernels, pv_early_kernels, TENON_PV_EARLY_KERNELS)                   \
  GROUP(JointSpaceKernels, joint_space_kernels, TENON_JOINT_SPACE_KERNELS)          \
  GROUP(LoopKernels, loop_kernels, TENON_LOOP_KERNELS)                              \
  GROUP(DelassusKernels, delassus_kernels, TENON_DELASSUS_KERNELS)                  \
  GROUP(DampedInverseKernels, damped_inverse_kernels, TENON_DAMPED_INVERSE_KERNELS) \
  GROUP(DenseKernels, dense_kernels, TENON_DENSE_KERNELS)
#define TENON_GROUPS_OF_DOUBLES(GROUP)                                                       \
  GROUP(IndependentSpaceKernels, independent_space_kernels, TENON_INDEPENDENT_SPACE_KERNELS) \
  GROUP(RowFactorKernels, row_factor_kernels, TENON_ROW_FACTOR_KERNELS)                      \
  GROUP(MomentumKernels, momentum_kernels, TENON_MOMENTUM_KERNELS)                           \
  GROUP(DerivativeKernels, derivative_kernels, TENON_DERIVATIVE_KERNELS)                     \
  GROUP(SecondOrderKernels, second_order_kernels, TENON_SECOND_ORDER_KERNELS)
#define TENON_KERNEL_GROUPS(GROUP) TENON_GROUPS_OF_ALL(GROUP) TENON_GROUPS_OF_DOUBLES(GROUP)

#define TENON_GROUP_STRUCT(type, function, list) \
  template <class T>                             \
  struct type {                                  \
    TENON_KERNEL_ENTRIES(list)                   \
  };
TENON_KERNEL_GROUPS(TENON_GROUP_STRUCT)

// The names of the instructions a table is compiled for, and its groups of derivatives and of dense matrices.
struct InstructionSet {
  const char *instruction_set, *of_derivatives;
};

#define TENON_GROUP_BASE(type, function, list) type<T>,
template <class T>
struct KernelTable : TENON_KERNEL_GROUPS(TENON_GROUP_BASE) InstructionSet {};

// Declares the functions that return the groups of one instruction set (kernels/*/*_kernels.cpp), composed into a table.
// Called only on machines with that instruction set. doubles: TENON_TAKE_GROUP, or TENON_NO_GROUP for other numbers.
#define TENON_DECLARE_GROUP(type, function, list) \
  template <class T>                              \
  const type<T>& function();
#define TENON_TAKE_GROUP(type, function, list) function<T>(),
#define TENON_NO_GROUP(type, function, list) type<T>{},
#define TENON_INSTRUCTION_SET(isa, doubles)                                                 \
  inline namespace isa {                                                                    \
  TENON_KERNEL_GROUPS(TENON_DECLARE_GROUP)                                                  \
  template <class T>                                                                        \
  static const KernelTable<T>& table() {                                                    \
    constexpr const char* name = &#isa[4]; /* behind isa_ */                                \
    static const KernelTable<T> composed{TENON_GROUPS_OF_ALL(TENON_TAKE_GROUP)              \
                                             TENON_GROUPS_OF_DOUBLES(doubles){name, name}}; \
    return composed;                                                                        \
  }                                                                                         \
  }

// Returns the best table for a number that this machine can run.
template <class T>
const KernelTable<T>& kernels();

}  // namespace tenon
