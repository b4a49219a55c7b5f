// A compiled model as kernels see it: plain arrays, no methods, no ownership. Kernels are compiled once for
// each instruction set and must not share inline functions with baseline code (spatial/isa.hpp), so
// everything here is data.
//
// Structs are templates on their numbers. Packs are the numbers of limbs that are swept side by side
// (kernels/branches/branch_data.hpp): states that are computed side by side have the same model, one of doubles.
#pragma once

#include <cstdint>

#include "spatial/pack.hpp"

namespace tenon {

// How a body moves relative to its parent. Every joint subspace S but a screw's is a choice of coordinate axes of
// the child's body frame, which model/compile.cpp chooses for that, so S need not be stored:
//   revolute_k     {k}          rotation by a planar rotation about k, tree rotation identity
//   prismatic_k    {3 + k}      no rotation at all
//   *_oblique      {2} or {5}   about or along z of a realigned frame; general constant tree rotation
//   screw          e_2 + pitch e_5  about and along z, as oblique
//   spherical      {0 1 2}
//   planar         {2 3 4}      normal z; v = [rate about z, velocity along x, y] in the body frame
//   floating       {0 .. 5}
enum JointKind : std::int32_t {
  joint_revolute_x = 0,
  joint_revolute_y = 1,
  joint_revolute_z = 2,
  joint_prismatic_x = 3,
  joint_prismatic_y = 4,
  joint_prismatic_z = 5,
  joint_revolute_oblique = 6,
  joint_prismatic_oblique = 7,
  joint_screw = 8,
  joint_spherical = 9,
  joint_planar = 10,
  joint_floating = 11,
};

// One body of the spanning tree and its joint. The bodies of a cluster (ClusterData) are contiguous.
template <class N>
struct NodeDataOf {
  std::int32_t parent;   // node, or -1 for the world; always < own index
  std::int32_t kind;     // JointKind
  std::int32_t q_index;  // first position coordinate
  std::int32_t v_index;  // first velocity coordinate
  N sign;   // one-dof joints: -1 where the user's axis is opposite to the body-frame axis, else 1
  N pitch;  // screws: translation along z for one radian; else 0
  N p[3];   // joint frame origin in the parent body frame
  N R[9];   // tree rotation, child -> parent at q = 0, row by row; identity for the aligned kinds
  N mass;
  N h[3];  // mass * centre of mass, body frame
  N I[6];  // rotational inertia about the body frame origin: xx xy xz yy yz zz
};
using NodeData = NodeDataOf<double>;

// ---- kinematic loops, [LOOPS1] II and IV
//
// The joints of a cluster obey phi(q) = 0, hence K v = 0 and K qdd = k with k = -Kdot v. Its velocity
// coordinates are split into independent ones y and dependent ones d, which gives the explicit form
//   v = G ydot,   qdd = G yddot + g,   G = [1; -K_d^+ K_y],  g = [0; K_d^+ k],   K G = 0,  K g = k,
// here with the independent coordinates first; in memory rows of G and g are in the order of the cluster's
// coordinates. qdd = G yddot + g holds even where v breaks K v = 0: k is computed from v as given.

enum LoopConstraintKind : std::int32_t {
  loop_coupling = 0,   // linear in the positions of one-dof joints: gears, belts, mimic joints; k = 0
  loop_geometric = 1,  // two frames that a joint of some type would connect
  loop_callback = 2,   // evaluate_callbacks (plan/assembly.hpp) writes phi, K and k before a sweep
};

// A closure, coupling or user-supplied constraint. Of all loop rows it has [row_begin,
// row_begin + row_count): in WorkspaceData::loop_phi and loop_k, and in the K block of its cluster.
struct LoopConstraintData {
  std::int32_t kind;     // LoopConstraintKind
  std::int32_t cluster;  // the cluster it belongs to
  std::int32_t row_begin, row_count;
  std::int32_t item;  // couplings: none; callbacks: number of the callback; -1 otherwise
  // Couplings: entries [entry_begin, entry_end) of ModelData::coupling_entries.
  std::int32_t entry_begin, entry_end;
  // Geometric: the bodies of the two ends, each in the cluster or its parent (-1: the world), and their
  // nearest common ancestor. Only the joints beyond it move the loop.
  std::int32_t predecessor, successor, ancestor;
  std::uint32_t rows;  // bits: angular x y z, linear x y z of the end frames, z along the loop joint's axis
  // End frames in the frames of their bodies: rotation row by row, origin.
  double predecessor_R[9], predecessor_p[3], successor_R[9], successor_p[3];
};

// phi[row] = sum of coefficient * q[q_index] - loop_offset[row].
struct CouplingEntry {
  std::int32_t row;      // among all loop rows
  std::int32_t q_index;  // position coordinate of a one-dof joint
  std::int32_t v_index;  // its velocity coordinate
  double coefficient;
};

enum ClusterKind : std::int32_t {
  cluster_general = 0,
  // Hinges about one coordinate axis, loops closed in the plane normal to it
  // (kernels/cluster/planar_loops.hpp).
  cluster_planar_x = 1,
  cluster_planar_y = 2,
  cluster_planar_z = 3,
};

// Bodies that loops tie together: the nodes [node_begin, node_begin + node_count). Nodes are numbered so that
// a parent precedes its children, a cluster is contiguous, and so are a cluster and its subtrees together
// (the subtree of one node within a cluster need not be). Bodies whose tree parent is outside of the cluster
// all have the same parent, the cluster's parent.
struct ClusterData {
  std::int32_t kind;                    // ClusterKind
  std::int32_t parent;                  // node, -1 for the world
  std::int32_t node_begin, node_count;  // bodies
  std::int32_t q_begin, q_count;        // position coordinates
  std::int32_t v_begin, v_count;        // velocity coordinates
  std::int32_t y_begin, y_count;        // independent ones, in the order of the whole model; may be none
  std::int32_t d_begin, d_count;      // dependent ones, in ModelData::dependent; y_count + d_count = v_count
  std::int32_t row_begin, row_count;  // loop rows; at least d_count, more if some are redundant
  std::int32_t K_begin;               // its row_count x v_count block in WorkspaceData::loop_K, column-major
  std::int32_t G_begin;               // its v_count x y_count block in WorkspaceData::G, column-major
  std::int32_t constraint_begin, constraint_end;  // in ModelData::loop_constraints
  std::int32_t constant_G;                        // 1: couplings alone, G never changes and g = 0
};

// ---- folded rotors, model/fold_rotors.cpp
//
// A rotor whose mass and inertia were added to its carrier's. Only its spin is left, with coordinate
// qdd_r = sum of ratio * qdd[v_index] over its drives, and momentum times its rate on the carrier:
//   force on the carrier   momentum qdd_r + w x momentum v_r   (a moment),
//   force of the rotor     momentum . alpha + inertia qdd_r.
// A rotor that is not symmetric about its axis wobbles: the difference of its inertia from a symmetric one,
// [a b; b -a] across the axis, turns with it. With x and y normal to the axis it is a (x x^T - y y^T) + b (x
// y^T + y x^T), where (a, b) turns by twice the rotor's angle. N: the number, or those of several rotors.
template <class N>
struct RotorDataOf {
  std::int32_t carrier;                 // node, -1 for the world
  std::int32_t wobbles;                 // 1: a or b is not zero
  std::int32_t drive_begin, drive_end;  // in ModelData::rotor_drives
  std::int32_t q_index, v_index;        // of its joint, in the model that was folded
  N momentum[3];                        // spin inertia times axis, frame of the carrier, user sign
  N inertia;                            // about its axis, with armature; 0 where ModelData::armature holds it
  N axis[3];                            // frame of the carrier, user sign
  N a, b;                               // at angle zero
  N wobble[2][6];  // x x^T - y y^T and x y^T + y x^T, frame of the carrier: xx xy xz yy yz zz
};
template <class N>
struct RotorDriveOf {
  std::int32_t v_index;
  N ratio;
};
using RotorData = RotorDataOf<double>;
using RotorDrive = RotorDriveOf<double>;

template <class N>
struct ModelDataOf {
  // The first node that is a body: node 0 of limbs is the place of their parents.
  static constexpr int first_body = is_pack<N> ? 1 : 0;

  std::int32_t node_count;
  std::int32_t nq, nv;
  const NodeDataOf<N>* nodes;  // nodes[i].parent < i, numbered depth first
  const std::int32_t*
      v_parent;  // per velocity coordinate: the previous one on the path to the root, -1 at the root
  const std::int32_t* v_node;  // per velocity coordinate: its node
  const N* armature;           // per velocity coordinate
  const N* v_sign;             // per velocity coordinate: NodeData::sign
  double gravity[3];           // world frame; the default of a workspace

  // Loops. Without any, cluster_count is 0 and ny is nv.
  std::int32_t cluster_count;
  std::int32_t varying_clusters;  // the number of those without a constant G
  std::int32_t ny;                // independent velocity coordinates
  std::int32_t loop_constraint_count, loop_row_count;
  std::int32_t loop_K_size, G_size;  // numbers in all blocks of K and of G
  std::int32_t loop_scratch_size;    // numbers that the split of the largest cluster needs
  const ClusterData* clusters;       // by node_begin; only those with loop constraints
  const std::int32_t* node_cluster;  // per node: its cluster or -1
  const std::int32_t* y_index;       // per velocity coordinate: its independent coordinate, or -1
  const std::int32_t* independent;   // per independent coordinate: its velocity coordinate, ascending
  const std::int32_t* dependent;     // the other velocity coordinates, ascending
  const LoopConstraintData* loop_constraints;  // by cluster
  const CouplingEntry* coupling_entries;
  const double* loop_offset;  // per loop row: the constant of a coupling, else 0
  const double* G_initial;    // G with its constant rows, zero elsewhere

  // Folded rotors. Without any, rotor_count is 0.
  std::int32_t rotor_count;
  std::int32_t wobbling_rotors;  // how many of them
  const RotorDataOf<N>* rotors;
  const RotorDriveOf<N>* rotor_drives;
  // Per velocity coordinate: ratio times spin inertia of the rotors that turn with a hinge, about its axis,
  // on the parent of its node. Added to U along the axis, it replaces the cluster of hinge and rotors.
  const N* spin;
  // Initial F, D and U of clusters with folded rotors; U has six numbers a velocity coordinate, as in the
  // workspace.
  const N *cluster_F_initial, *cluster_D_initial, *cluster_U_initial;
};
using ModelData = ModelDataOf<double>;

}  // namespace tenon
