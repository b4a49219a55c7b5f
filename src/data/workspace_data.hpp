// A workspace as kernels see it: pointers into one arena. Each field has one meaning. Node arrays have a slot
// before the first node, for the world (node -1), so that sweeps need no test for the root.
#pragma once

#include <cstdint>

namespace tenon {

// X-macro of all fields of the arena: name, numbers per item, kind of item. The same list declares the
// fields, allocates them and fills them with NaN in debug builds. Kinds of items:
//   node            node_count + 1, the first for the world
//   node_packs      the same, rounded up to whole eights behind the world: as many as the widest lanes take
//   node_lanes      whole eights of node_count, in groups of four, each number in four lanes (joint/root_frame_poses.hpp)
//   angle           node_count, rounded up to whole packs
//   dof, row        nv; constraint rows
//   dof_columns, row_columns   the same, rounded up to packs of four (spatial/lanes.hpp)
//   dof_lanes       nv and seven more, rounded up to packs: what the widest lanes read from any coordinate on
//   path_rows       a matrix with the sparsity of the tree (kernels/tree/ltl.hpp)
//   dof_row         nv of row_columns; row_pair: row_columns squared
//   inter_body_row  inter-body rows (data/constraint_data.hpp)
// and only in models with kinematic loops: loop_node and loop_dof as node and dof; loop_row: loop rows;
// rotor: folded rotors, rounded up to whole packs; loop_block, G_block, loop_work: ModelData::loop_K_size,
// G_size, loop_scratch_size numbers.
#define TENON_WORKSPACE_FIELDS(F)                                                                           \
  F(angle, 1, angle) /* joint angle, body-frame sign; 0 where a node has none */                            \
  F(cos_q, 1, angle) /* its cosine */                                                                       \
  F(sin_q, 1, angle) /* its sine */                                                                         \
  F(X, 12, node)     /* joint transform where it is not a planar rotation: R row by row, p */               \
  F(v, 6, node)      /* spatial velocity, body frame */                                                     \
  F(a, 6, node)      /* spatial acceleration minus gravity, body frame */                                   \
  F(f, 6, node)      /* RNEA: force through the joint */                                                    \
  F(IA, 21, node)    /* articulated inertia from children other than the next node */                       \
  F(pA, 6, node)     /* articulated bias force */                                                           \
  F(IB, 21, node) /* constrained: inertia of a supporting node with those of its non-supporting children */ \
  F(pS, 6, node)  /* constrained: bias force that supporting children add through memory */                 \
  F(delta_pA, 6, node)            /* its change in a reduced sweep */                                       \
  F(delta_a, 6, node)             /* change of a in a reduced sweep */                                      \
  F(delta_u, 1, dof)              /* change of u in a reduced sweep */                                      \
  F(joint_residual, 1, loop_dof)  /* clusters: residuals of the equations of motion, user sign */           \
  F(joint_terms, 1, loop_dof)     /* clusters: the size of their terms */                                   \
  F(U, 6, dof)                    /* IA S */                                                                \
  F(D, 6, dof)                    /* one dof: 1/D; several: rows of the LDL^T factor of D */                \
  F(u, 1, dof)                    /* tau - S^T pA */                                                        \
  F(qdd, 1, dof)                  /* acceleration, user sign */                                             \
  F(R0, 9, node)                  /* kinematics: world rotation of the body */                              \
  F(p0, 3, node)                  /* kinematics: world position of the body */                              \
  F(v0, 6, node)                  /* kinematics: spatial velocity, body frame */                            \
  F(a0, 6, node)                  /* kinematics: true spatial acceleration, body frame */                   \
  F(subtree, 4, node)             /* centre of mass: mass and first moment of the subtree, world */         \
  F(gs, 3, node)                  /* constraint rows: gravity in the frame of a supporting body */          \
  F(Rs, 9, node)                  /* constraint rows: world rotation of a supporting body */                \
  F(ps, 3, node)                  /* constraint rows: its world position */                                 \
  F(pose, 16, node_packs)         /* root frame: columns of the body's rotation, position; packs */         \
  F(body_inertia, 10, node_lanes) /* root frame: m, h, I of the model; body frame. Of states side by */     \
                                  /* side: those of each, number by number */                               \
  F(armature, 1, dof)             /* of states side by side: of each */                                     \
  F(angular_sign, 1, dof_lanes)   /* root frame: v_sign of a rotation, 0 of a translation */                \
  F(linear_sign, 1, dof_lanes)    /* root frame: v_sign of a translation, 0 of a rotation */                \
  F(S_root, 6, dof_lanes)         /* root frame: columns of the motion subspaces; six arrays */             \
  F(Ic, 12, node_packs)           /* CRBA: inertia of the body, then of its subtree; three packs */         \
  F(F_root, 6, dof_lanes)         /* CRBA: Ic S; six arrays */                                              \
  F(S_path, 6, dof_columns)       /* CRBA: S of a coordinate and its ancestors; six path vectors */         \
  F(path_vector, 1, dof_lanes) /* LTL: numbers of a coordinate and its ancestors (kernels/tree/ltl.hpp) */  \
  F(wrench, 6, node)           /* external force on the body, body frame */                                 \
  F(L, 1, path_rows)           /* sparse factor M = L^T D L kept for solves, path rows */                   \
  F(L_inv_d, 1, dof)           /* 1 / D of that factor */                                                   \
  F(M, 1, path_rows)           /* mass matrix kept for products, path rows */                               \
  F(H, 1, path_rows)           /* mass matrix of this call, path rows */                                    \
  F(H_L, 1, path_rows)         /* its sparse factor, or that of M + J^T mu J */                             \
  F(H_inv_d, 1, dof)           /* 1 / D of that factor */                                                   \
  F(vw, 8, node_packs)         /* joint space, derivatives: velocity, root frame; packs w, v */             \
  F(aw, 8, node_packs)         /* the same: acceleration minus gravity, in joint space at qdd = 0 */        \
  F(fw, 8, node_packs)         /* the same: force that moves the body so, then its subtree */               \
  F(Kw, 6, row_columns)        /* joint space: constraint rows, root frame; six arrays */                   \
  F(JT, 1, dof_row)            /* J^T, row k: constraint rows of the subtree of k */                        \
  F(joint_force, 1, dof)       /* tau - c */                                                                \
  F(row_rhs, 1, row_columns)   /* J qdd = row_rhs */                                                        \
  F(Aw, 21, node)              /* M_mu: sum of mu K^T K over the subtree, root frame; by rows_node */       \
  F(qdd_change, 1, dof)        /* proxLTLs: change of qdd in an evaluation */                               \
  F(row_acceleration, 1, row_columns) /* J qdd */                                                           \
  F(H_root_d, 1, dof)                 /* D^-1/2 of the sparse factor of M */                                \
  F(ZT, 1, dof_row)                   /* Z^T = D^-1/2 L^-T J^T, stored as J^T is */                         \
  F(z, 1, dof)                        /* D^-1/2 L^-T (tau - c) */                                           \
  F(y, 1, dof)                        /* D^1/2 L qdd = z + Z^T lambda */                                    \
  F(row_free, 1, row_columns)         /* J M^-1 (tau - c) */                                                \
  F(row_step, 1, row_columns)         /* rows in an iteration */                                            \
  F(row_soft, 1, row_columns)         /* proxLTL: compliance times multiplier */                            \
  F(row_change, 1, row_columns)       /* proxLTLs: J times the change of qdd */                             \
  F(hard_share, 1, row_columns)       /* proxLTLs: mu_row / mu */                                           \
  F(soft_share, 1, row_columns)       /* proxLTLs: mu_row R */                                              \
  F(delassus, 1, row_pair)            /* J M^-1 J^T, lower triangle; proxLTL: both */                       \
  F(damping, 1, row_columns)          /* R + 1 / mu */                                                      \
  F(dual_factor, 1, row_pair)         /* L of delassus + damping = L D L^T */                               \
  F(dual_inv_d, 1, row_columns)       /* 1 / D of that */                                                   \
  F(dual_scaled, 4, row_columns)      /* scratch of that factorisation */                                   \
  F(K, 6, row)                        /* constraint rows, body frame */                                     \
  F(side_K, 12, inter_body_row)  /* inter-body rows: K on the first body, -K on the second, body frames */  \
  F(side_Kw, 12, inter_body_row) /* joint space: the same, root frame */                                    \
  F(k, 1, row)                   /* right-hand side for accelerations minus gravity */                      \
  F(row_gamma, 1, row)           /* velocity-product part of the row's acceleration */                      \
  F(row_error, 1, row)           /* position error of the row */                                            \
  F(row_velocity, 1, row)        /* velocity of the row */                                                  \
  F(desired, 1, row)             /* desired acceleration */                                                 \
  F(Ka, 1, row)                  /* K a */                                                                  \
  F(mu_row, 1, row_columns)      /* penalty of the row, compliance included */                              \
  F(row_force, 1, row_columns)   /* input of the sweep: adds K^T row_force to the force on the body */      \
  F(row_lambda, 1, row_columns)  /* multiplier that acts, row_force - mu_row K a, updated by increments */  \
  F(loop_R, 9, loop_node)        /* loops: rotation of the body in the frame of the cluster's parent */     \
  F(loop_p, 3, loop_node)        /* loops: its position there */                                            \
  F(loop_V, 6, loop_node)        /* loops: velocity relative to that frame, its axes, about its origin */   \
  F(loop_A, 6, loop_node)        /* loops: relative acceleration at qdd = 0, the same */                    \
  F(loop_S, 6, loop_dof)         /* loops: columns of S, the same, user sign */                             \
  F(loop_phi, 1, loop_row)       /* loops: phi(q), zero where the loops are closed */                       \
  F(loop_k, 1, loop_row)         /* loops: -Kdot v */                                                       \
  F(loop_K, 1, loop_block)       /* loops: blocks of K, d phi / dt = K v */                                 \
  F(G, 1, G_block)               /* loops: blocks of G, v = G ydot */                                       \
  F(g, 1, loop_dof)              /* loops: qdd = G yddot + g */                                             \
  F(loop_scratch, 1, loop_work)  /* loops: scratch for the split of one cluster */                          \
  F(cluster_F, 6, G_block)       /* clusters: force on each body and its subtree for yddot = 1 */           \
  F(cluster_D, 1, G_block)       /* clusters: LDL^T factor of D, row by row, 1/D on its diagonal */         \
  F(yddot, 1, loop_dof)          /* clusters: independent accelerations, from v_begin on */                 \
  F(rotor_rate, 1, rotor)        /* folded rotors: their velocities, user sign */                           \
  F(rotor_angle, 1, rotor)       /* folded rotors: their angles, user sign */                               \
  F(rotor_cos, 1, rotor)         /* folded rotors: cosines */                                               \
  F(rotor_sin, 1, rotor)         /* folded rotors: sines */                                                 \
  F(rotor_work, 1, loop_dof)     /* folded rotors: residual at their drives in a refining sweep */          \
  F(drive_bias, 1, loop_dof)     /* folded rotors: torque of wobbling on the driving joints */              \
  F(wobble, 6, loop_node)        /* folded rotors: their part of the inertia of carriers */

// A run: consecutive velocity coordinates, each the only child of the one before, so that all have the same
// subtree end. Coordinates that are neither ancestors of the run nor in its subtree lie in [gap_begin,
// gap_end).
struct DofRun {
  std::int32_t first, end, subtree_end, gap_begin, gap_end;
};

template <class T>
struct EliminationTreeData;
template <class T>
struct PvEarlyData;

// Coordinates of one run whose places in path vectors share a pack, and the previous panel on their path from
// the root (-1: none).
struct DofPanel {
  std::int32_t first, end, above;
};

// The layout of path rows (kernels/tree/ltl.hpp) of coordinates numbered depth first.
struct PathTables {
  const std::int32_t* dof_depth;  // per velocity coordinate: the number of its ancestors
  const std::int32_t* row_first;  // per velocity coordinate: start of its path row
  std::int32_t entry_count;       // of all path rows
  std::int32_t panel_count;
  const DofPanel* panels;  // ascending
};

struct SweepTables : PathTables {
  const std::int32_t* node_flags;     // NodeFlag bits
  const std::int32_t* support_flags;  // the same for sweeps with supporting nodes; null without rows
  const std::int32_t* axis_place;  // per velocity coordinate: a column of the rotation of its body, in pose
  const std::int32_t* root_node;   // per node: the root of its tree
  const std::int32_t* rows_node;   // per supporting node: last descendant with the same rows in the subtree
  std::int32_t run_count;
  const DofRun* runs;  // ascending
};

template <class T>
struct WorkspaceData : SweepTables {
#define TENON_FIELD(name, size, item) T* name;
  TENON_WORKSPACE_FIELDS(TENON_FIELD)
#undef TENON_FIELD
  const T* gravity;  // 3 numbers, world frame
  // Of the last sweep that measured it: the largest residual of a joint's equation of motion, relative to the terms of
  // that equation (kernels/constrained/supporting_bodies.hpp).
  T motion_error;
  EliminationTreeData<T>* elimination_tree;  // of M + J^T mu J with inter-body rows; null without
  // Not null: the sweeps of constrained_aba are those of pv_early (kernels/constrained/pv_early_refine.hpp).
  PvEarlyData<T>* early;
  void* branches;  // Branches of the limbs that are swept side by side (kernels/branches)
};

enum NodeFlag : std::int32_t {
  node_adds_to_memory = 1,  // what its parent gets from it goes through memory
  node_first_to_store = 2,  // the first child to do so in an inward sweep
  node_collects = 4,        // some child adds its inertia through memory
  node_carries = 8,    // the next node is its child, of the same cluster if any: inertia stays in registers
  node_supports = 16,  // support_flags only: it or a descendant is constrained
  node_has_base = 32,  // support_flags only: a supporting node with non-supporting children
};

}  // namespace tenon
