// What kernels see of a workspace: pointers into one arena, each field meaning one thing. Node arrays have a
// slot before the first node, for the world (node -1), so that sweeps need no test for the root.
#pragma once

#include <cstdint>

namespace tenon {

// X-macro of every field of the arena: name, numbers per item, kind of item. One list serves the declaration,
// the allocation and the NaN fill of debug builds.
//   node: node_count + 1 items, the first for the world; dof: nv items; row: constraint rows; angle:
//   node_count items rounded up to whole packs; pair: nv * nv
#define TENON_WORKSPACE_FIELDS(F)                                                                           \
  F(angle, 1, angle) /* joint angle, body-frame sign; 0 where a node has none */                            \
  F(cos_q, 1, angle) /* its cosine */                                                                       \
  F(sin_q, 1, angle) /* its sine */                                                                         \
  F(X, 12, node)     /* joint transform where it is not a planar rotation: R row by row, p */               \
  F(v, 6, node)      /* spatial velocity, body frame */                                                     \
  F(a, 6, node)      /* spatial acceleration minus gravity, body frame */                                   \
  F(f, 6, node)      /* RNEA: force through the joint */                                                    \
  F(IA, 21, node)    /* articulated inertia handed up by children other than the next node */               \
  F(pA, 6, node)     /* articulated bias force */                                                           \
  F(IB, 21, node) /* constrained: inertia of a supporting node with what non-supporting children hand up */ \
  F(pS, 6, node)  /* constrained: bias force handed up by supporting children through memory */             \
  F(delta_pA, 6, node)    /* its change in a reduced sweep */                                               \
  F(delta_a, 6, node)     /* change of a in a reduced sweep */                                              \
  F(delta_u, 1, dof)      /* change of u in a reduced sweep */                                              \
  F(U, 6, dof)            /* IA S */                                                                        \
  F(D, 6, dof)            /* one dof: 1/D; several: rows of the LDL^T factor of D */                        \
  F(u, 1, dof)            /* tau - S^T pA */                                                                \
  F(qdd, 1, dof)          /* acceleration, user sign */                                                     \
  F(R0, 9, node)          /* kinematics: world rotation of the body */                                      \
  F(p0, 3, node)          /* kinematics: world position of the body */                                      \
  F(v0, 6, node)          /* kinematics: spatial velocity, body frame */                                    \
  F(a0, 6, node)          /* kinematics: true spatial acceleration, body frame */                           \
  F(subtree, 4, node)     /* centre of mass: mass and first moment of the subtree, world */                 \
  F(gs, 3, node)          /* constraint rows: gravity in the frame of a supporting body */                  \
  F(Rs, 9, node)          /* constraint rows: world rotation of a supporting body */                        \
  F(ps, 3, node)          /* constraint rows: its world position */                                         \
  F(Rw, 9, node)          /* CRBA: world rotation of the body */                                            \
  F(pw, 3, node)          /* CRBA: its position from the root body's origin, world axes */                  \
  F(Ic, 10, node)         /* CRBA: composite inertia, world axes, origin at the root body */                \
  F(Jw, 6, dof_columns)   /* CRBA: S in world axes, six rows of nv */                                       \
  F(wrench, 6, node)      /* external force on the body, body frame */                                      \
  F(L, 1, pair)           /* mass matrix and its sparse factor M = L^T D L, row k: ancestors of k */        \
  F(L_inv_d, 1, dof)      /* 1 / D of that factor */                                                        \
  F(M, 1, pair)           /* mass matrix kept for products */                                               \
  F(K, 6, row)            /* constraint rows, body frame */                                                 \
  F(k, 1, row)            /* right-hand side for accelerations minus gravity */                             \
  F(row_gamma, 1, row)    /* velocity-product part of the row's acceleration */                             \
  F(row_error, 1, row)    /* position error of the row */                                                   \
  F(row_velocity, 1, row) /* velocity of the row */                                                         \
  F(desired, 1, row)      /* desired acceleration */                                                        \
  F(Ka, 1, row)           /* K a */                                                                         \
  F(mu_row, 1, row)       /* penalty of the row, compliance included */                                     \
  F(row_force, 1, row)    /* multiplier estimate handed to the sweep: adds K^T row_force */                 \
  F(row_lambda, 1, row)   /* multiplier that acts: row_force - mu_row K a, kept by increments */

template <class T>
struct WorkspaceData {
#define TENON_FIELD(name, size, item) T* name;
  TENON_WORKSPACE_FIELDS(TENON_FIELD)
#undef TENON_FIELD
  const std::int32_t* node_flags;  // NodeFlag bits
  const std::int32_t*
      support_flags;  // the same for sweeps that keep supporting nodes apart; null without rows
  const std::int32_t*
      path_first;  // nv + 1: runs of v_index k are path_runs[2 path_first[k] .. 2 path_first[k + 1])
  const std::int32_t* path_runs;  // begin, end of each contiguous run of proper-ancestor dofs, root first
  T gravity[3];
  const double* anchors;  // 12 numbers per constraint item: R row by row, p (world pose of the held frame)
};

enum NodeFlag : std::int32_t {
  node_adds_to_memory = 1,  // its parent is not the node before it: the inertia goes through memory
  node_first_to_store = 2,  // and it is the first to do so in a sweep from the leaves
  node_collects = 4,        // some child handed inertia over through memory
  node_carries = 8,         // the next node is its child: inertia is carried in registers
  node_supports = 16,       // support_flags only: it or a descendant is constrained
  node_has_base = 32,       // support_flags only: a supporting node with non-supporting children
};

}  // namespace tenon
