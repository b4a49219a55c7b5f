/* clang-format off */
/* tenon/loops.h, a part of tenon.h, which is the manual. Kinematic loops: independent coordinates, closing, maps. */
#ifndef TENON_LOOPS_H
#define TENON_LOOPS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinematic loops -------------------------------------------------------------------------------------------- */

/* tenon_workspace_set_coordinates */
#define TENON_COORDINATES_SPANNING 0    /* of every joint of the spanning tree */
#define TENON_COORDINATES_INDEPENDENT 1 /* those that determine the others where loops are closed */

/* Joints that loops and couplings tie together form clusters. The coordinates q (nq) and v (nv) describe every joint of
 * the spanning tree; ny of the velocity coordinates are independent and determine the others on the constraint,
 *   v = G ydot,   qdd = G yddot + g,   tau_y = G^T tau   (Chignoli, Wensing et al., Recursive algorithms for kinematic
 * loops, II-B). Without loops ny is nv and all maps are copies. Loops by rows (TENON_LOOP_TREATMENT_ROWS) leave their
 * joints independent, so that ny, the maps, tenon_loop_jacobian and tenonx_loop_inverse_dynamics know the embedded
 * loops alone; the guess, tenon_loop_gap, tenon_check_loops, tenon_close_loops, tenon_close_loop_velocities,
 * tenon_find_assemblies and tenonx_loop_forward_dynamics take all loops together, as if every one were embedded.
 * tenon_forward_dynamics, tenon_constrained_dynamics and what the section on the Delassus matrix has obey the loops;
 * tenon_inverse_dynamics, tenon_bias, tenon_gravity_force, tenon_coriolis_matrix and tenon_mass_matrix are in spanning
 * coordinates those of the spanning tree. What a method cannot do with
 * loops returns TENON_UNSUPPORTED, and the message names one that can. Whether loops are closed at spanning positions
 * is not checked: accelerations then keep the gap as it moves, as in a mechanism that was assembled so. Ask
 * tenon_check_loops where q or v come from elsewhere.
 *   At a dead centre the dependent velocities do not follow from the independent ones. Computations in spanning
 * coordinates pass it: inside they take other independent coordinates there. Status TENON_SINGULAR_CONFIGURATION is for
 * what independent coordinates alone would say (the maps, and states in such coordinates), and for configurations in
 * which the mechanism itself is singular: where it gains a freedom, as a parallelogram that is folded flat. */

/* In which coordinates every computation on this workspace takes and returns
 *
 *   positions   q, from, to, next                                    spanning: nq   independent: nyq
 *   velocities  v, a, tau, c, g, qdd, columns of C, J, J_bar, N, M,
 *               B, X, of A of the momentum                           spanning: nv   independent: ny
 *
 * With independent velocities tenon_mass_matrix is H = G^T M G, tenon_bias G^T (c + M g), tenon_inverse_dynamics
 * G^T ID(q, v, G a + g), tenon_gravity_force G^T of that of the tree, tenon_coriolis_matrix G^T (C G + M dG/dt),
 * tenon_link_jacobian J G and tenon_centroidal_momentum_matrix A G (their biases are d/dt (J G) ydot and
 * d/dt (A G) ydot), tenon_constraint_rows J G and rhs - J g; tau acts on the independent coordinates.
 * tenon_mass_matrix_factor and tenon_mass_matrix_inverse_times work on H, of which they give G H^-1 G^T in spanning
 * coordinates. Spanning positions with independent velocities are the common choice: nothing is searched for, and
 * tenon_integrate and the steps in time return configurations with closed loops. States of other libraries always have
 * every joint; tenon_convert_... reads the independent coordinates out of them. The calls of this section take what
 * their blocks say, except tenonx_loop_forward_dynamics and tenonx_loop_inverse_dynamics.
 *
 * Independent positions become q by following the loops from the guess, a configuration that tells which way of
 * assembly is meant (tenon_workspace_set_guess), in a straight line of the independent positions. The result depends on
 * them and the guess alone: nothing is remembered from call to call. A dead centre on the way may change the way of
 * assembly, so set the guess as the robot moves on. TENON_OPEN_LOOP where no closed loops are found. Couplings need no
 * search.
 *
 * positions, velocities: TENON_COORDINATES_*; at first spanning. Without loops there is no difference. What
 * tenon_kinematics and tenon_mass_matrix_factor left is forgotten. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_UNSUPPORTED (independent positions of a model with a joint of several coordinates some of which are
 * independent). Cost: O(1); computations with independent velocities O(n) more (mass matrix O(n^2 ny)), with
 * independent positions O(n) for each of some five steps of the search. */
TENON_API tenon_status tenon_workspace_set_coordinates(tenon_workspace *workspace, int32_t positions,
                                                       int32_t velocities);

/* What was set. *positions, *velocities: either may be NULL. Status: TENON_OK, TENON_INVALID_ARGUMENT. Cost: O(1). */
TENON_API tenon_status tenon_workspace_coordinates(const tenon_workspace *workspace, int32_t *positions,
                                                   int32_t *velocities);

/* How many positions and velocities computations on this workspace take: nq or nyq, nv or ny; and how many constraint
 * rows it has, m: those of its set, of which loops by rows (TENON_LOOP_TREATMENT_ROWS) are the last, or without a set
 * those of these loops. lambda and desired have so many numbers. TENON_INVALID_ARGUMENT (negative) for NULL. Cost:
 * O(1). */
TENON_API int32_t tenon_workspace_position_count(const tenon_workspace *workspace);
TENON_API int32_t tenon_workspace_velocity_count(const tenon_workspace *workspace);
TENON_API int32_t tenon_workspace_row_count(const tenon_workspace *workspace);

/* Where the search for dependent positions starts. Set: the loops of q are closed first, by their dependent
 * coordinates. At first it is a closed configuration found when the model was made; so this is also the way to get one.
 * Loops by rows are closed there too. Without any loop it is neutral.
 * q: nq. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED,
 * TENON_OPEN_LOOP. Cost: as tenon_close_loops; O(n). */
TENON_API tenon_status tenon_workspace_set_guess(tenon_workspace *workspace, const double *q, size_t q_count);
/* That configuration. q: nq, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(n). */
TENON_API tenon_status tenon_workspace_guess(const tenon_workspace *workspace, double *q, size_t q_count);

/* Independent velocity coordinates; independent positions, those of joints all of whose coordinates are independent;
 * clusters; loops, couplings, gears and implicit constraints, the embedded ones first, then loops by rows; rows of the
 * embedded ones, as tenon_loop_jacobian has them; ratios of couplings and gears. Each returns the number, or
 * TENON_INVALID_ARGUMENT (negative) for NULL. Cost: O(1). */
TENON_API int32_t tenon_model_ny(const tenon_model *model);
TENON_API int32_t tenon_model_nyq(const tenon_model *model);
TENON_API int32_t tenon_model_cluster_count(const tenon_model *model);
TENON_API int32_t tenon_model_loop_count(const tenon_model *model);
TENON_API int32_t tenon_model_loop_row_count(const tenon_model *model);
TENON_API int32_t tenon_model_ratio_count(const tenon_model *model);

/* Where the independent coordinates stand, ascending: v_index[j] of v for independent velocity j; q_index[i] of q for
 * independent position i.
 * v_index: ny, written. q_index: nyq, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost:
 * O(n). */
TENON_API tenon_status tenon_model_independent_v(const tenon_model *model, int32_t *v_index, size_t v_index_count);
TENON_API tenon_status tenon_model_independent_q(const tenon_model *model, int32_t *q_index, size_t q_index_count);

/* What is known of a cluster: the smallest set of joints that loops tie together and that hangs on one body. All it
 * holds stands in a row. */
typedef struct tenon_cluster_info {
  uint32_t struct_size;
  int32_t parent_joint;              /* of the body that it hangs on; or TENON_WORLD */
  int32_t first_joint, joint_count;
  int32_t q_index, nq;               /* its positions */
  int32_t v_index, nv;               /* its velocity coordinates */
  int32_t y_index, ny;               /* its independent velocity coordinates, among those of the model */
  int32_t first_row, row_count;      /* its rows in tenon_loop_jacobian */
  int32_t rank;                      /* of them, nv - ny: fewer where rows depend on each other */
  int32_t constant_map;              /* 1: couplings alone, G never changes and g is 0 */
  int32_t first_loop, loop_count;    /* what ties it */
  int32_t folded_rotors;             /* how many of its bodies are rotors that their carriers have taken over */
  int32_t reserved;
} tenon_cluster_info;

/* tenon_loop_info.kind */
#define TENON_LOOP_KIND_COUPLING 0  /* linear in positions: couplings, gears, mimic joints */
#define TENON_LOOP_KIND_GEOMETRIC 1 /* a joint that closes a loop */
#define TENON_LOOP_KIND_CALLBACK 2  /* from tenon_builder_add_implicit */

/* What is known of a loop, a coupling, a gear or an implicit constraint. */
typedef struct tenon_loop_info {
  uint32_t struct_size;
  int32_t kind;                      /* TENON_LOOP_KIND_* */
  int32_t cluster;                   /* that it ties together; TENON_NONE: closed by rows, those of the constraint of
                                        its name in every constraint set */
  int32_t first_row, row_count;      /* its rows in tenon_loop_jacobian; TENON_NONE and 0 of a loop by rows */
  int32_t first_ratio;               /* of a coupling, gear or mimic joint, among those of the model (parameters.h);
                                        TENON_NONE of others */
  const char *name;                  /* borrowed from the model */
} tenon_loop_info;

/* Prepare them (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_cluster_info_init(tenon_cluster_info *info, size_t size);
TENON_API tenon_status tenon_loop_info_init(tenon_loop_info *info, size_t size);

/* Fills info, prepared by its _init, for a cluster; for a loop. Of a smaller struct only its bytes are written. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE. Cost: O(rotors); O(1). */
TENON_API tenon_status tenon_model_cluster_info(const tenon_model *model, int32_t cluster, tenon_cluster_info *info);
TENON_API tenon_status tenon_model_loop_info(const tenon_model *model, int32_t loop, tenon_loop_info *info);

/* What may move to close the loops: dependent coordinates alone, or every coordinate a little. */
#define TENON_LOOP_MOVES_DEPENDENT 0
#define TENON_LOOP_MOVES_ALL 1

/* How loops are closed. */
typedef struct tenon_closing_options {
  uint32_t struct_size;
  int32_t moves;  /* TENON_LOOP_MOVES_*; default TENON_LOOP_MOVES_DEPENDENT */
} tenon_closing_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_closing_options_init(tenon_closing_options *options, size_t size);

/* The largest gap of all loops at q: m, rad, or the unit of a coupling. Below 1e-9 a loop counts as closed. An end
 * turned over by half a turn is a gap of pi, whatever the type of the loop.
 * q: nq. *gap: written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_NOT_NORMALIZED. Cost: O(n). */
TENON_API tenon_status tenon_loop_gap(tenon_workspace *workspace, const double *q, size_t q_count, double *gap);

/* How well a state keeps the loops. */
typedef struct tenon_loop_state {
  uint32_t struct_size;
  int32_t position_loop;  /* the loop with the largest gap (tenon_model_loop_info); TENON_NONE without loops */
  int32_t velocity_loop;  /* the loop that opens fastest; TENON_NONE without loops or without v */
  int32_t reserved;
  double position_gap;    /* largest |phi(q)| of a row: m, rad, or the unit of a coupling; below 1e-9 it is closed */
  double velocity_gap;    /* largest |K v| of a row */
} tenon_loop_state;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_loop_state_init(tenon_loop_state *state, size_t size);

/* Tells whether q and v keep the loops closed, and which loop is worst.
 * q: nq. v: nv, or NULL. state: prepared by its _init. Status: as tenon_loop_gap. Cost: O(n). */
TENON_API tenon_status tenon_check_loops(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                         size_t v_count, tenon_loop_state *state);

/* Moves q until all loops are closed, to rounding. From far starts too: where the direct way fails and only dependent
 * coordinates may move, it follows the loops from a configuration that is known to be closed, then tries other starts,
 * so that the way of assembly may change.
 * options: NULL for the defaults. q: nq, read and written. gap: what is left, or NULL. Status: as tenon_loop_gap,
 * TENON_UNSUPPORTED (options), and TENON_INFEASIBLE: not closed, q is the best found. Cost: O(n) a step, 5 to 10 of
 * them from nearby. */
TENON_API tenon_status tenon_close_loops(tenon_workspace *workspace, const tenon_closing_options *options, double *q,
                                         size_t q_count, double *gap);

/* v := the velocity nearest to it that keeps the loops closed: with the same independent coordinates, or (all) in the
 * metric of the mass matrix. options: NULL for the defaults. q: nq. v: nv, read and written. Allocates: nothing; all:
 * at the first call. Status: as tenon_loop_gap, and TENON_SINGULAR_CONFIGURATION, TENON_NOT_POSITIVE_DEFINITE,
 * TENON_UNSUPPORTED (options). Cost: O(n); all: O(n^2 ny). */
TENON_API tenon_status tenon_close_loop_velocities(tenon_workspace *workspace, const tenon_closing_options *options,
                                                   const double *q, size_t q_count, double *v, size_t v_count);

/* Independent positions out of those of all joints. q: nq. y: nyq, written. Status: as tenon_loop_gap. Cost: O(n). */
TENON_API tenon_status tenon_independent_position(tenon_workspace *workspace, const double *q, size_t q_count,
                                                  double *y, size_t y_count);
/* Back again. y: nyq. guess: nq, where the search begins; NULL: the workspace's, whose way of assembly is followed
 * first. q: nq, written. Status: as tenon_loop_gap, and TENON_INFEASIBLE: not closed, q is the best found. Cost: as
 * tenon_close_loops. */
TENON_API tenon_status tenon_spanning_position(tenon_workspace *workspace, const double *y, size_t y_count,
                                               const double *guess, size_t guess_count, double *q, size_t q_count);

/* How long tenon_find_assemblies looks. */
typedef struct tenon_assembly_options {
  uint32_t struct_size;
  int32_t starts;  /* 1 or more; default 20, which find all ways of simple linkages */
} tenon_assembly_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_assembly_options_init(tenon_assembly_options *options, size_t size);

/* Ways to assemble the loops for the independent positions of q: distinct closed configurations found from so many
 * starts of the dependent joints, q itself and random ones, the same at every call. Turns of 2 pi count once.
 * options: NULL for the defaults. q: nq. capacity: 1 or more. assemblies: nq x capacity, written one configuration
 * after the other. *found: how many there are, at most capacity; without loops 1, q itself. Status: as tenon_loop_gap,
 * and TENON_UNSUPPORTED (options). Cost: as tenon_close_loops for each start. */
TENON_API tenon_status tenon_find_assemblies(tenon_workspace *workspace, const tenon_assembly_options *options,
                                             const double *q, size_t q_count, int32_t capacity, double *assemblies,
                                             size_t assemblies_count, int32_t *found);

/* The independent velocities out of those of all joints; of accelerations alike. v: nv. ydot: ny, written. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE. Cost: O(n). */
TENON_API tenon_status tenon_independent_velocity(tenon_workspace *workspace, const double *v, size_t v_count,
                                                  double *ydot, size_t ydot_count);
/* v = G ydot at q. q: nq. ydot: ny. v: nv, written. Status: as tenon_loop_gap, and TENON_SINGULAR_CONFIGURATION. Cost:
 * O(n). */
TENON_API tenon_status tenon_spanning_velocity(tenon_workspace *workspace, const double *q, size_t q_count,
                                               const double *ydot, size_t ydot_count, double *v, size_t v_count);
/* qdd = G yddot + g at (q, v). q: nq. v: nv. yddot: ny. qdd: nv, written. The rest as tenon_spanning_velocity. */
TENON_API tenon_status tenon_spanning_acceleration(tenon_workspace *workspace, const double *q, size_t q_count,
                                                   const double *v, size_t v_count, const double *yddot,
                                                   size_t yddot_count, double *qdd, size_t qdd_count);
/* tau_y = G^T tau at q. q: nq. tau: nv. tau_y: ny, written. The rest as tenon_spanning_velocity. */
TENON_API tenon_status tenon_independent_force(tenon_workspace *workspace, const double *q, size_t q_count,
                                               const double *tau, size_t tau_count, double *tau_y, size_t tau_y_count);
/* The forces on independent coordinates alone that do what tau_y asks, G^T tau = tau_y. tau_y: ny. tau: nv, written.
 * The rest as tenon_independent_velocity. */
TENON_API tenon_status tenon_spanning_force(tenon_workspace *workspace, const double *tau_y, size_t tau_y_count,
                                            double *tau, size_t tau_count);

/* G and g at (q, v). q: nq. v: nv; NULL: at rest. G: nv x ny, column-major, leading dimension ldg, written; or NULL.
 * g: nv, written; or NULL. Status: as tenon_spanning_velocity. Cost: O(nv ny). */
TENON_API tenon_status tenon_loop_map(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                      size_t v_count, double *G, size_t G_count, int32_t ldg, double *g,
                                      size_t g_count);

/* The loops' rows: phi(q) = 0, K v = 0, K qdd = k, exact derivatives of phi also where loops are open (but at a half
 * turn, where the angle of a rotation jumps). Rows that no joint moves are left out. q: nq. v: nv; NULL: at rest.
 * K: loop rows x nv, column-major, leading dimension ldk, written; or NULL. k, phi: loop rows, written; or NULL.
 * Status: as tenon_loop_gap. Cost: O(n + rows nv). */
TENON_API tenon_status tenon_loop_jacobian(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                           size_t v_count, double *K, size_t K_count, int32_t ldk, double *k,
                                           size_t k_count, double *phi, size_t phi_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_LOOPS_H */
