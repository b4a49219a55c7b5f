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

#include "kernels/branches/star_data.hpp"
#include "kernels/constrained/pv_early_data.hpp"
#include "kernels/kernel_table.hpp"
#include "spatial/pack.hpp"

namespace tenon {

// The constants of NodeData; all limbs have the same kind of joint here, of one degree of freedom.
template <class N>
struct LaneNode {
  std::int32_t parent;   // node of the bundle
  std::int32_t kind;     // JointKind
  std::int32_t q_index;  // its place in the bundle's own coordinates
  std::int32_t v_index;  // the same
  std::int32_t has_armature;
  N sign, p[3], R[9], mass, h[3], I[6];
};

// The fields of ModelData that sweeps read. Nodes and coordinates have the same numbers.
template <class N>
struct LaneModel {
  std::int32_t node_count, nv;  // with node 0
  const LaneNode<N>* nodes;
  const N *armature, *spin;
  const std::int32_t* v_node;
  std::int32_t cluster_count;
  const ClusterData* clusters;  // with places of nodes, coordinates, G; the rest is not set
  const std::int32_t *node_cluster, *y_index;
  std::int32_t rotor_count, wobbling_rotors;
  const RotorDataOf<N>* rotors;  // carrier 0: the limbs' parents; without q_index and v_index
  const RotorDriveOf<N>* rotor_drives;
  const N *cluster_F_initial, *cluster_D_initial, *cluster_U_initial;
};

// ConstraintItem: one item of each limb, with the same rows. A limb without this item repeats another's, with
// inactive rows.
template <class N>
struct LaneItem {
  std::int32_t node, row_begin, row_count;
  std::uint32_t rows;
  std::int32_t world_axes, custom, side_row;
  N R[9], p[3], frequency, damping_ratio;
};

// ConstraintData of a bundle. A bundle without rows has no supporting nodes.
template <class N>
struct LaneRows {
  std::int32_t item_count, row_count;
  ConstraintPoses poses;
  const LaneItem<N>* items;
  const double* custom;  // none
  const N* active;       // 1, or 0 for inactive rows and missing limbs
  const N* anchors;      // 12 an item
  const N *scale, *compliance, *weight;
  std::int32_t support_count;
  const std::int32_t *support, *node_row_first;
  const std::int32_t* row_of;  // W a row: the row of the set; -1: none
};

// The body that carries a limb: its fields of WorkspaceData, numbers `stride` apart.
struct LimbParent {
  double *v, *a, *f, *IA, *pA;
  double *IB, *pS, *delta_pA, *delta_a, *gs, *Rs, *ps;  // null without rows
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

template <class N>
struct Bundle {
  static constexpr int width = N::width;
  LaneModel<N> model;
  WorkspaceData<N> w;
  LaneRows<N> rows;
  PvEarlyData<N> early;
  N *q, *v, *tau, *qdd;  // in coordinates of the bundle
  // W numbers a node of the bundle: the coordinates and body of the limb; those of the lane that is repeated.
  const std::int32_t *q_of, *v_of, *body_of;
  const std::int32_t* result_of;  // the coordinate a result goes to; -1: nowhere
  // The same of rotors: their numbers in the model, and coordinates of their joints in the spanning tree.
  const std::int32_t *rotor_of, *rotor_q_of, *rotor_v_of, *rotor_result_of;
  // The same of G where it varies, of which there are varying_count numbers.
  std::int32_t varies, varying_count;
  const std::int32_t *varying_G, *G_of;
  const LimbParent* parents;  // of each lane
  std::int32_t one_parent;    // they are the same
  std::int32_t sibling_count, collecting_count;
  const Siblings<width>* siblings;
  const std::int32_t* collecting;  // nodes that carry limbs, in some lanes or all: these add to IA
};

template <class N>
struct Branches {
  const KernelTable<double>* kernels;  // for the trunk
  ModelData trunk;                     // its own numbers of bodies, the model's numbers of coordinates
  WorkspaceData<double> w;
  const std::int32_t* trunk_body;                  // the body of the model
  const std::int32_t* trunk_rotor;                 // the rotor of the model
  const double *rotor_rate, *rotor_angle, *G, *g;  // of the workspace of the model
  ConstraintData rows;                             // on the trunk and on the world
  const std::int32_t* row_of;                      // its rows in the set
  PvEarlyData<double> early;
  std::int32_t bundle_count;
  Bundle<N>* bundles;  // parents first
};

// The list (kernels/kernel_list.hpp); the kernel of an entry is <name>_of_branches. Bodies: Branches<N>&, Whole: the
// workspace of the whole model.
#define TENON_BRANCH_KERNELS(KERNEL)                                                        \
  KERNEL(bool, aba, Bodies, In, double* qdd)                                                \
  KERNEL(void, rnea, Bodies, In, double* tau)                                               \
  /* Only for stars (star_data.hpp). runs: WorkspaceData::runs of the model. */             \
  KERNEL(void, crba, Bodies, const LimbCoordinates<W>*, const double* q, double* M, int ld, \
         const DofRun* runs, int run_count)                                                 \
  /* DelassusKernels (kernels/kernel_table.hpp); the results go to the whole. */            \
  KERNEL(bool, sweep_inertias, Bodies, const double* q, Whole)

template <int W>
struct BranchKernels {
  using Bodies = Branches<Pack<double, W>>&;
  using Whole = WorkspaceData<double>&;
  using In = const Inputs<double>&;
  TENON_BRANCH_KERNELS(TENON_KERNEL_ENTRY)
  // With WorkspaceData::branches. Of the workspace the rows' desired and anchors, then k, mu_row, row_force, Ka and
  // row_lambda are read and written.
  RowSweepKernels<double> row_sweeps;
  // Rows of limbs are eliminated without pivoting: PvEarlyData::left_over counts those of bundles where that cannot be.
  PvEarlyKernels<double> early;
};

// Lanes of a bundle: four doubles, a register of AVX. Two legs leave half of wider ones empty.
constexpr int branch_width = 4;

}  // namespace tenon
