// The kernels of one instruction set as a table of functions. A workspace picks its table once, when it is
// made. The table is composed of groups. Each is filled and compiled by its own
// translation unit, kernels/*/<group>_kernels.cpp, so a change to a kernel recompiles only its group. A new
// group needs a struct here, a line in TENON_KERNEL_GROUPS and such a file (src/CMakeLists.txt).
#pragma once

#include "kernels/cluster/independent_space_data.hpp"
#include "kernels/constrained/pv_data.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/delassus/caba_osim_data.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "kernels/delassus/pv_osimf_data.hpp"
#include "kernels/tree/momentum_data.hpp"
#include "kernels/workspace_data.hpp"
#include "model/constraint_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

// The name of the instructions a table is compiled for.
struct InstructionSet {
  const char* instruction_set;
};

// Kernels without constraints.
template <class T>
struct TreeKernels {
  void (*kinematics)(const ModelData&, const T* q, const T* v, const T* a, WorkspaceData<T>&);
  void (*frame_jacobian)(const ModelData&, int node, const T* point, const T* E, T* J, int ld,
                         const WorkspaceData<T>&);
  void (*center_of_mass)(const ModelData&, T* com, T* J, int ld, WorkspaceData<T>&);
  void (*world_momentum)(const ModelData&, T* out6, const WorkspaceData<T>&);
  void (*energy)(const ModelData&, const T* v, T* kinetic, T* potential, const WorkspaceData<T>&);

  void (*rnea)(const ModelData&, const T* q, const T* v, const T* qdd, bool has_wrenches, T* tau,
               WorkspaceData<T>&);
  void (*crba)(const ModelData&, const T* q, T* M, int ld, WorkspaceData<T>&);
  // Path rows of M, their factor and products (kernels/tree/ltl.hpp).
  void (*crba_rows)(const ModelData&, const T* q, T* rows, WorkspaceData<T>&);
  bool (*ltl_factor)(const ModelData&, T* rows, T* inv_d, const WorkspaceData<T>&);
  void (*ltl_solve)(const ModelData&, const T* rows, const T* inv_d, T* x, WorkspaceData<T>&);
  void (*ltl_multiply)(const ModelData&, const T* rows, const T* x, T* y, WorkspaceData<T>&);
  bool (*aba)(const ModelData&, const T* q, const T* v, const T* tau, bool has_wrenches, T* qdd,
              WorkspaceData<T>&);

  // The sweeps of rnea and aba one by one, for the trunk of branch lanes (kernels/branches).
  void (*sweep_body_forces)(const ModelData&, const T* q, const T* v, const T* qdd, bool has_wrenches,
                            WorkspaceData<T>&);
  void (*add_rotor_forces)(const ModelData&, const T* q, const T* v, const T* qdd, T* tau, WorkspaceData<T>&);
  void (*sweep_joint_forces)(const ModelData&, const T* qdd, T* tau, WorkspaceData<T>&);
  void (*sweep_velocities)(const ModelData&, const T* q, const T* v, bool has_wrenches, WorkspaceData<T>&);
  bool (*sweep_articulated_inertia)(const ModelData&, const T* v, const T* tau, WorkspaceData<T>&);
  void (*sweep_accelerations)(const ModelData&, const T* v, T* qdd, WorkspaceData<T>&);
};

// Constraint rows, and constrainedABA.
template <class T>
struct ConstrainedAbaKernels {
  // Joint transforms, velocities and bias forces, then the constraint rows K, k at (q, v).
  void (*constraint_state)(const ModelData&, const ConstraintData&, const T* q, const T* v, bool has_wrenches,
                           WorkspaceData<T>&);
  // After constraint_state.
  void (*constraint_jacobian)(const ModelData&, const ConstraintData&, T* J, int ld, WorkspaceData<T>&);
  void (*constraint_right_hand_side)(const ModelData&, const ConstraintData&, const T* v, T* rhs,
                                     WorkspaceData<T>&);
  bool (*constrained_aba_start)(const ModelData&, const ConstraintData&, const T* v, const T* tau, T* qdd,
                                WorkspaceData<T>&);
  void (*constrained_aba_iterate)(const ModelData&, const ConstraintData&, const T* delta, bool refine,
                                  const T* tau, T* qdd, WorkspaceData<T>&);
  void (*constrained_aba_finish)(const ModelData&, const ConstraintData&, const T* v, T* qdd,
                                 WorkspaceData<T>&);

  // The sweeps of the first three one by one, for the trunk of branch lanes (kernels/branches).
  void (*evaluate_constraint_rows)(const ModelData&, const ConstraintData&, WorkspaceData<T>&);
  bool (*sweep_augmented_inertia)(const ModelData&, const ConstraintData&, const T* v, const T* tau,
                                  WorkspaceData<T>&);
  void (*roll_out_supports)(const ModelData&, const ConstraintData&, const T* v, T* qdd, WorkspaceData<T>&);
  void (*sweep_force_changes)(const ModelData&, const ConstraintData&, const T* delta, const T* tau, T* qdd,
                              WorkspaceData<T>&);
  void (*sweep_refining_force_changes)(const ModelData&, const ConstraintData&, const T* delta, const T* tau,
                                       T* qdd, WorkspaceData<T>&);
  void (*sweep_motion_changes)(const ModelData&, const ConstraintData&, const T* delta, T* qdd,
                               WorkspaceData<T>&);
};

// The Popov-Vereshchagin family.
template <class T>
struct PvKernels {
  // kernels/constrained/pv.hpp, after constraint_state. split: the branches of the root are factored
  // separately.
  bool (*pv_reduce)(const ModelData&, bool split, const T* v, const T* tau, PvData<T>&, WorkspaceData<T>&);
  T (*pv_factor)(const ModelData&, bool split, const double* scale, PvData<T>&);
  void (*pv_step)(const ModelData&, bool split, const T* R, const T* f, T* step, PvData<T>&);
  void (*pv_dual_hessian)(const ModelData&, bool split, T* L, int ld, const PvData<T>&);
  void (*pv_roll_out)(const ModelData&, const ConstraintData&, const T* v, const T* lambda, T* qdd,
                      PvData<T>&, WorkspaceData<T>&);

  // kernels/constrained/pv_early.hpp, after constraint_state.
  bool (*pv_early_reduce)(const ModelData&, const ConstraintData&, const T* v, const T* tau, PvEarlyData<T>&,
                          WorkspaceData<T>&);
  void (*pv_early_roll_out)(const ModelData&, const ConstraintData&, const T* v, T* lambda, T* qdd,
                            PvEarlyData<T>&, WorkspaceData<T>&);
  // WorkspaceData::motion_error of that; w.f of inner bodies: what limbs in registers add.
  void (*pv_early_measure)(const ModelData&, const ConstraintData&, const T* lambda, const T* tau,
                           const T* qdd, const PvEarlyData<T>&, WorkspaceData<T>&);
};

// Methods on the joint-space mass matrix.
template <class T>
struct JointSpaceKernels {
  // kernels/constrained/prox_ltl.hpp.
  bool (*prox_ltl_start)(const ModelData&, const ConstraintData&, const T* q, const T* v, const T* tau,
                         bool has_wrenches, WorkspaceData<T>&);
  void (*prox_ltl_factor)(const ConstraintData&, const T* inv_mu, WorkspaceData<T>&);
  void (*prox_ltl_step)(const ConstraintData&, const T* f, T* step, WorkspaceData<T>&);
  void (*prox_ltl_motion)(const ModelData&, const ConstraintData&, T* qdd, WorkspaceData<T>&);
  void (*prox_ltl_finish)(const ModelData&, const ConstraintData&, const T* lambda, T* qdd,
                          WorkspaceData<T>&);

  // kernels/constrained/prox_ltls.hpp. moved: qdd is not zero.
  void (*prox_ltls_start)(const ModelData&, const ConstraintData&, const T* q, const T* v, const T* tau,
                          bool has_wrenches, T* qdd, WorkspaceData<T>&);
  bool (*prox_ltls_factor)(const ModelData&, const ConstraintData&, const T* inv_mu, WorkspaceData<T>&);
  void (*prox_ltls_step)(const ModelData&, const ConstraintData&, const T* f, bool moved, bool measures,
                         T* step, T* qdd, WorkspaceData<T>&);
};

// The same for models with embedded loops, in independent coordinates: kernels/cluster/independent_space.hpp.
// Kernels of the group above that are missing here are used with the tree, rows and workspace of
// IndependentSpaceData.
template <class T>
struct IndependentSpaceKernels {
  void (*independent_mass_rows)(const ModelData&, const T* q, T* H, IndependentSpaceData<T>&,
                                WorkspaceData<T>&);
  bool (*independent_ltl_osim)(const ModelData&, const ConstraintData&, const T* q, IndependentSpaceData<T>&,
                               WorkspaceData<T>&);
  bool (*independent_prox_ltl_start)(const ModelData&, const ConstraintData&, const T* q, const T* v,
                                     const T* tau, bool has_wrenches, IndependentSpaceData<T>&,
                                     WorkspaceData<T>&);
  void (*independent_prox_ltls_start)(const ModelData&, const ConstraintData&, const T* q, const T* v,
                                      const T* tau, bool has_wrenches, IndependentSpaceData<T>&,
                                      WorkspaceData<T>&);
  bool (*independent_prox_ltls_factor)(const ModelData&, const ConstraintData&, const T* inv_mu,
                                       IndependentSpaceData<T>&, WorkspaceData<T>&);
};

// Kinematic loops, kernels/cluster/cluster_constraints.hpp.
template <class T>
struct LoopKernels {
  void (*loop_constraints)(const ModelData&, const T* q, const T* v, WorkspaceData<T>&);
  // Returns the cluster that is singular at q, or -1.
  int (*cluster_constraints)(const ModelData&, const T* q, const T* v, WorkspaceData<T>&);
  void (*cluster_bias)(const ModelData&, const T* q, const T* v, WorkspaceData<T>&);
};

// The Delassus matrix J M^-1 J^T: WorkspaceData::delassus, lower triangle, column-major, zeros below its last
// row. False when the mass matrix is not positive definite.
template <class T>
struct DelassusKernels {
  bool (*ltl_osim)(const ModelData&, const ConstraintData&, const T* q, WorkspaceData<T>&);
  // kernels/tree/articulated_inertia.hpp; all functions below need its results.
  bool (*sweep_inertias)(const ModelData&, const T* q, WorkspaceData<T>&);
  void (*kjr)(const ModelData&, const ConstraintData&, KjrData<T>&, WorkspaceData<T>&);
  void (*efpa)(const ModelData&, const ConstraintData&, PvData<T>&, EfpaData<T>&, WorkspaceData<T>&);
  void (*pv_osim)(const ModelData&, const ConstraintData&, PvData<T>&, WorkspaceData<T>&);
  void (*pv_osimr)(const ModelData&, const ConstraintData&, OsimrData<T>&, WorkspaceData<T>&);
  // kernels/tree/inverse_mass.hpp.
  void (*inverse_mass_times)(const ModelData&, const T* B, int ldb, int count, T* X, int ldx,
                             InverseMassData<T>&, const WorkspaceData<T>&);

  // kernels/delassus/symmetric_to_user.hpp.
  void (*symmetric_to_user)(const ConstraintData&, bool in_order, const T* lower, T* out, int ld);
};

// The damped inverse of the Delassus matrix.
template <class T>
struct DampedInverseKernels {
  // kernels/delassus/caba_osim.hpp, kernels/delassus/caba_osimf.hpp; CabaOsimData::damping is the caller's.
  bool (*caba_osim_factor)(const ModelData&, const ConstraintData&, const T* q, CabaOsimData<T>&,
                           WorkspaceData<T>&);
  void (*caba_osim_form)(CabaOsimData<T>&);
  void (*caba_osimf_apply)(const T* b, T* x, CabaOsimData<T>&);

  // kernels/delassus/pv_osimf.hpp, factor after sweep_inertias. damping: rows. form overwrites what factor left.
  void (*pv_osimf_factor)(const ModelData&, const ConstraintData&, const T* damping, PvData<T>&,
                          PvOsimfData<T>&, WorkspaceData<T>&);
  void (*pv_osimf_apply)(const T* b, const T* damping, T* x, PvOsimfData<T>&);
  void (*pv_osimf_form)(const T* damping, T* inverse, PvOsimfData<T>&);

  // kernels/constrained/dense_ldl.hpp, kernels/delassus/dense_inverse.hpp.
  T (*dense_factor)(const T* A, const T* damping, int n, int s, T* F, T* inv_d, T* scaled);
  void (*dense_solve)(const T* F, const T* inv_d, int s, T* x);
  void (*dense_inverse)(T* F, const T* inv_d, int n, int s, T* N, T* X);
};

// Terms of velocities: the Coriolis matrix; after kinematics, accelerations at qdd = 0 and the momentum about
// the centre of mass.
template <class T>
struct MomentumKernels {
  void (*coriolis)(const ModelData&, const T* q, const T* v, T* C, int ld, CoriolisData<T>&,
                   WorkspaceData<T>&);

  // kernels/tree/centroidal.hpp.
  void (*bias_acceleration)(const ModelData&, int node, const T* point, T* out6, const WorkspaceData<T>&);
  void (*centroidal_matrix)(const ModelData&, const T* com, T* A, int ld, T* Ic, const WorkspaceData<T>&);
  void (*centroidal_bias)(const ModelData&, const T* com, T* out6, T* a, const WorkspaceData<T>&);
};

// Type of a group, and the function that returns it.
#define TENON_KERNEL_GROUPS(F)                          \
  F(TreeKernels, tree_kernels)                          \
  F(ConstrainedAbaKernels, constrained_kernels)         \
  F(PvKernels, pv_kernels)                              \
  F(JointSpaceKernels, joint_space_kernels)             \
  F(IndependentSpaceKernels, independent_space_kernels) \
  F(LoopKernels, loop_kernels)                          \
  F(DelassusKernels, delassus_kernels)                  \
  F(DampedInverseKernels, damped_inverse_kernels)       \
  F(MomentumKernels, momentum_kernels)

#define TENON_GROUP_BASE(type, function) type<T>,
template <class T>
struct KernelTable : TENON_KERNEL_GROUPS(TENON_GROUP_BASE) InstructionSet {};
#undef TENON_GROUP_BASE

// Returns the best table that this machine can run, or the one for recorders.
template <class T>
const KernelTable<T>& kernels();

}  // namespace tenon
