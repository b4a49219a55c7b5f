/* clang-format off */
/* tenon/batch.h, a part of tenon.h, which is the manual. Batches: many states in one call. */
#ifndef TENON_BATCH_H
#define TENON_BATCH_H

#include "constrained.h"
#include "delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Batches: many states in one call --------------------------------------------------------------------------- */

/* tenon_rollout_options.integrator */
#define TENON_INTEGRATOR_SEMI_IMPLICIT_EULER 0 /* as tenon_step_semi_implicit_euler */
#define TENON_INTEGRATOR_RUNGE_KUTTA_4 1       /* as tenon_step_runge_kutta_4 */

/* A batch computes the same functions as a workspace, of many states of one robot. The numbers of several states are
 * computed side by side in the wide registers of the processor (4 or 8 doubles, 8 or 16 floats), so that a state costs
 * a fraction of a single call: forward, inverse and constrained dynamics, impacts, mass matrix, kinematics, rollouts,
 * Delassus matrix and products with its damped inverse, of trees of joints and of robots with embedded loops and geared
 * rotors.
 *   State by state, as a workspace would, are computed: of robots with loops or couplings independent positions, and
 * with independent velocities Jacobians of links, mass and Delassus matrices and products with the damped inverse;
 * dynamics where loops are closed by rows or by functions of the user; rows between two moving links; methods and
 * options other than the defaults, but for mu of the damped inverse up to about 1e8 over a row's Delassus diagonal; and
 * products with the damped inverse in single precision. So are single states at or near a dead centre, in a step in
 * time that comes near to what single calls refuse (tenon/steps.h), with a wrench on a geared rotor, or with rows that
 * do not converge quickly. In single precision robots with loops or couplings are computed in double precision, half as
 * many states side by side, and only the results are rounded.
 *   The result of a state depends on nothing but the state, the model, the rows and the instruction set: not on the
 * number of states, their order, their strides or threads. It is that of the single call to rounding.
 *   A state that fails (NaN, an open loop, a quaternion that is not normalized) spoils only itself: its status is
 * negative, nothing is written for it, and the others are computed. A call returns the negative status of the first
 * such state, whose number and reason tenon_batch_message has, and TENON_OK where there is none. What is wrong with the
 * arguments themselves is found before anything is computed. Where memory is lacking at a first call, which then gives
 * TENON_OUT_OF_MEMORY, some states may have been written; the next call works. With no states (0) a call is TENON_OK,
 * reads and writes nothing, and takes NULL.
 *   Threads of a batch are woken only where there is work for them, and signals of the program are blocked in them. In
 * a process that fork makes, a batch of its parent has none: there it computes alone, with the same results. A batch
 * with threads keeps the library loaded until it is destroyed, also where the program unloads it before. */
typedef struct tenon_batch tenon_batch;

/* How a batch is made. */
typedef struct tenon_batch_options {
  uint32_t struct_size;
  int32_t precision;        /* TENON_PRECISION_*, of the numbers of all arrays; default TENON_PRECISION_DOUBLE */
  int32_t instruction_set;  /* TENON_INSTRUCTION_SET_*; default TENON_INSTRUCTION_SET_AUTOMATIC */
  int32_t threads;          /* that compute, the caller's among them; they wait between calls; 1 to 1024; default 1 */
  int32_t reports;          /* 1: what tenon_batch_report tells is kept, 40 bytes a state; 0: it is not; default 0 */
} tenon_batch_options;

/* The numbers of all states of one kind, q for instance: double or float, as the batch was made, in memory of the
 * caller. Number i of state s is
 *     data[first + s state_stride + i number_stride]
 * so that states may be contiguous, or coordinates, or both apart, as in views of larger arrays. Of the records of a
 * rollout, one for each step or each few steps, record r is r record_stride further. Strides count numbers.
 *   The rule of strides: all that the states, records and numbers of a call lead to must lie in data[0 .. size - 1];
 * nothing else is read or written. Strides may then have any sign, with `first` where number 0 of state 0 is. One of
 * which a call takes no second step, record_stride where there are no records for instance, does not matter. Of what is
 * read a stride may be 0: the same for all. What is written has a place for each number: sorted by size, each stride
 * must lead past all that the smaller ones reach. Otherwise the call is TENON_WRONG_SIZE before anything is computed,
 * and the message names argument, state and record, and what is needed beside what is there. */
typedef struct tenon_batch_array {
  uint32_t struct_size;
  int32_t reserved;         /* 0 */
  void *data;               /* NULL: as if there were no array; default NULL */
  size_t size;              /* how many numbers data has; default 0 */
  size_t first;             /* where number 0 of state 0, of record 0, stands in data; default 0 */
  size_t count;             /* numbers of each state, nq for q; must be exactly what the function asks; default 0 */
  ptrdiff_t number_stride;  /* default 1 */
  ptrdiff_t state_stride;   /* default 0 */
  ptrdiff_t record_stride;  /* of rollouts, and of the columns of matrices of derivatives; default 0 */
} tenon_batch_array;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_batch_array_init(tenon_batch_array *array, size_t size);

/* How a rollout goes on. */
typedef struct tenon_rollout_options {
  uint32_t struct_size;
  int32_t integrator;               /* TENON_INTEGRATOR_*; default TENON_INTEGRATOR_SEMI_IMPLICIT_EULER */
  double dt;                        /* of a step, s; default 0.001 */
  size_t steps;                     /* default 1 */
  size_t every;                     /* states are written after each `every` steps, at most steps; default 1 */
  const tenon_solve_options *solve; /* NULL: the defaults. Default NULL */
  /* Written where they are not NULL, the default, for each record: accelerations and multipliers at the beginning of
   * the step that ends there, as tenon_step_semi_implicit_euler gives them. */
  const tenon_batch_array *qdd_out;    /* nv a record */
  const tenon_batch_array *lambda_out; /* m a record */
  /* A controller that holds joints where they are wanted, or follows: to tau of a step is added, from the state at its
   * beginning, stiffness (q_target - q) + damping (v_target - v). NULL, the default: zeros; stiffness needs q_target.
   * In spanning coordinates; with independent ones TENON_UNSUPPORTED. Only joints of one coordinate have stiffness;
   * that of others is 0, else TENON_UNSUPPORTED. */
  const tenon_batch_array *stiffness;  /* nv */
  const tenon_batch_array *damping;    /* nv */
  const tenon_batch_array *q_target;   /* nq a step, record_stride from step to step, 0: the same in all */
  const tenon_batch_array *v_target;   /* nv a step, likewise */
} tenon_rollout_options;

/* Prepare them (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_batch_options_init(tenon_batch_options *options, size_t size);
TENON_API tenon_status tenon_rollout_options_init(tenon_rollout_options *options, size_t size);

/* Makes the memory and the threads for computations on many states, and keeps model and constraints alive.
 * constraints: finished, of the same model; NULL: none. options: NULL for the defaults. Allocates: yes. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_UNSUPPORTED (an instruction set that this machine lacks),
 * TENON_OUT_OF_MEMORY. Cost: that of a workspace for each thread. */
TENON_API tenon_status tenon_batch_create(const tenon_model *model, const tenon_constraints *constraints,
                                          const tenon_batch_options *options, tenon_batch **batch, char *message,
                                          size_t message_size);

/* Another batch for the same model and set, made with the same options and the same instruction set, with all that
 * setters said. From then on the two know nothing of each other, and answer alike with the same digits. Message and
 * reports are not copied. *clone: the new one; set to NULL on failure. Allocates: as tenon_batch_create. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: that of tenon_batch_create. */
TENON_API tenon_status tenon_batch_clone(const tenon_batch *batch, tenon_batch **clone, char *message,
                                         size_t message_size);

/* Ends the threads and frees the memory. NULL: nothing happens. Threads: not while a call on it runs. Cost: O(1). */
TENON_API void tenon_batch_destroy(tenon_batch *batch);

/* Why the last call on the batch failed, "" after a good one; valid until the next call. Cost: O(1). */
TENON_API const char *tenon_batch_message(const tenon_batch *batch);

/* The bytes that a batch holds; how many states it computes side by side, 1 where it has no such kernels; and
 * TENON_INSTRUCTION_SET_* of these, TENON_INVALID_ARGUMENT for NULL. Cost: O(1). */
TENON_API size_t tenon_batch_size_bytes(const tenon_batch *batch);
TENON_API int32_t tenon_batch_width(const tenon_batch *batch);
TENON_API int32_t tenon_batch_instruction_set(const tenon_batch *batch);

/* Gravity of all states. gravity: 3, m/s^2, world axes. Status: as tenon_workspace_set_gravity. Cost: O(n). */
TENON_API tenon_status tenon_batch_set_gravity(tenon_batch *batch, const double *gravity, size_t gravity_count);

/* Anchor of a constraint in all states. pose: 7. Status: as tenon_workspace_set_anchor. Cost: O(1) a state that
 * tenon_batch_set_anchors or tenon_batch_anchor_here set. */
TENON_API tenon_status tenon_batch_set_anchor(tenon_batch *batch, int32_t constraint, const double *pose,
                                              size_t pose_count);

/* Anchors of all constraints in `states` states: state s of a later call takes those of state s.
 *   What is set for states (anchors here and by tenon_batch_anchor_here, gains, activity) replaces what was set for all
 * states before. A call that uses constraints must then have as many states, else it is TENON_WRONG_SIZE; what is set
 * for one state holds in every state of calls with any number. No states (0): nothing changes.
 *   A batch begins without anchors. Where a point, a weld or a frame is held at one (frequency > 0)
 * tenon_batch_constrained_dynamics and tenon_batch_rollout are TENON_INVALID_ARGUMENT until it is set. Closures have no
 * anchor: what is given for them is not read.
 * poses: 7 x constraints, in the order of the set. Allocates: at a call with more states than before. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_UNSUPPORTED (arrays),
 * TENON_OUT_OF_MEMORY; where it is negative nothing changes, and the message names the state. Cost: O(m) a state. */
TENON_API tenon_status tenon_batch_set_anchors(tenon_batch *batch, size_t states, const tenon_batch_array *poses);
/* What was set, the identity where nothing was. poses: 7 x constraints, written; of as many states as were set, or of
 * any number where one was. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_UNSUPPORTED (arrays).
 * Cost: O(m) a state. */
TENON_API tenon_status tenon_batch_anchors(const tenon_batch *batch, size_t states, const tenon_batch_array *poses);

/* Anchors of all constraints in `states` states := world poses of their frames at q, so that they hold where they are.
 * Frames that states have of their own (tenon_batch_parameters) are those of as many states, or TENON_WRONG_SIZE. Where
 * a state fails no anchor changes. q: nq. status: states, written; NULL: not wanted. Allocates: as
 * tenon_batch_set_anchors. Status: as tenon_workspace_anchor_here, and TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY.
 * Cost: O(n + m) a state. */
TENON_API tenon_status tenon_batch_anchor_here(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                               int32_t *status, size_t status_count);

/* Which constraints are on in each of `states` states, as tenon_workspace_set_active switches them; for states as
 * tenon_batch_set_anchors. All start active. active: constraints, 1 or 0, in the order of the set. Allocates, Threads:
 * as tenon_batch_set_anchors. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: another number, a loop of the model that
 * rows close), TENON_WRONG_SIZE, TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(m) a state. */
TENON_API tenon_status tenon_batch_set_active(tenon_batch *batch, size_t states, const tenon_batch_array *active);

/* Gains of all constraints in `states` states, as tenon_workspace_set_gains has them; for states as
 * tenon_batch_set_anchors. They start as the constraint set has them. frequencies: constraints, rad/s, >= 0, in the
 * order of the set. damping_ratios: constraints, >= 0. Allocates, Threads: as tenon_batch_set_anchors. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (also: below 0), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_UNSUPPORTED (arrays),
 * TENON_OUT_OF_MEMORY. Cost: O(m) a state. */
TENON_API tenon_status tenon_batch_set_gains(tenon_batch *batch, size_t states, const tenon_batch_array *frequencies,
                                             const tenon_batch_array *damping_ratios);

/* What robots of a batch have of their own, as randomised ones do. NULL: as it was before; at first the model's, with
 * joints that have no friction. */
typedef struct tenon_batch_parameters {
  uint32_t struct_size;
  int32_t reserved;                           /* 0 */
  /* Of links, as tenon_builder_add_link takes them; where one of the three is given, the others are the model's if they
   * are NULL. Extra frames have places too, which are not read; nor does it matter what links of the world have. */
  const tenon_batch_array *masses;            /* links */
  const tenon_batch_array *centers_of_mass;   /* 3 x links */
  const tenon_batch_array *inertias;          /* 6 x links */
  /* Of spanning velocity coordinates, all >= 0. Friction takes damping v + friction sign(v) from the force on a joint
   * in forward and constrained dynamics and in each stage of a step; inverse dynamics adds it. What a model carries as
   * damping and friction of joints is not applied by itself. */
  const tenon_batch_array *armatures;         /* nv */
  const tenon_batch_array *damping;           /* nv */
  const tenon_batch_array *friction;          /* nv */
  const tenon_batch_array *gravity;           /* 3, m/s^2, world axes; until tenon_batch_set_gravity */
  /* Of constraints, as tenon_workspace_set_weights, _set_compliance and _set_frame have them: at first the set's. */
  const tenon_batch_array *weights;           /* m, > 0 */
  const tenon_batch_array *compliance;        /* m, >= 0 */
  const tenon_batch_array *frames;            /* 7 x constraints; those of closures and custom rows are not read */
  /* What links carry, in axes of the link or extra frame, as tenon_workspace_set_payload takes it; where one of the
   * three is given, the others are zero if they are NULL. With masses (or the like) of states of their own, of as many
   * states. */
  const tenon_batch_array *payload_masses;            /* links */
  const tenon_batch_array *payload_centers_of_mass;   /* 3 x links */
  const tenon_batch_array *payload_inertias;          /* 6 x links */
} tenon_batch_parameters;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_batch_parameters_init(tenon_batch_parameters *parameters, size_t size);

/* Robots of their own for `states` states, or with states 1 for all; for states as tenon_batch_set_anchors has it, but
 * for every computation except kinematics of links. Each state is then computed as on a model that the builder makes
 * with these numbers, where the structure stays: which links are lumped together, and which joints tolerant_inertias
 * holds. Robots with geared rotors whose links or armatures differ from the model's move state by state, as a workspace
 * would. What is Tenon's choice (mu, scaled to the robot) is made for the model and the set.
 *   What a body, with all links that are fixed to it, can have is checked as by tenon_builder_finish, without loads and
 * if the model itself passes: the message names state and link. Allocates: yes; also at the first call after it.
 * Status: TENON_OK,
 * TENON_INVALID_ARGUMENT (also: a number below 0), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED,
 * TENON_INVALID_INERTIA, TENON_UNSUPPORTED (parameters), TENON_OUT_OF_MEMORY; where it is negative nothing changes, and
 * the message names the state. Cost: O(n) a state; computations O(n) more. */
TENON_API tenon_status tenon_batch_set_parameters(tenon_batch *batch, size_t states,
                                                  const tenon_batch_parameters *parameters);

/* What was set for the robots, of as many states as there were, or of any number where one was; the model's where
 * nothing was.
 * masses: links, written; NULL: not wanted. centers_of_mass: 3 x links, written; NULL: not wanted. inertias: 6 x links,
 * written; NULL: not wanted; of an extra frame all are 0. payload_masses: links, written; NULL: not wanted.
 * payload_centers_of_mass: 3 x links, written; NULL: not wanted. payload_inertias: 6 x links, written; NULL: not
 * wanted.
 * armatures, damping, friction: nv of spanning coordinates, written; NULL: not wanted. gravity: 3, written; NULL: not
 * wanted. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_UNSUPPORTED (arrays). Cost: O(n) a state.
 * */
TENON_API tenon_status tenon_batch_robots(
    const tenon_batch *batch, size_t states, const tenon_batch_array *masses, const tenon_batch_array *centers_of_mass,
    const tenon_batch_array *inertias, const tenon_batch_array *payload_masses,
    const tenon_batch_array *payload_centers_of_mass, const tenon_batch_array *payload_inertias,
    const tenon_batch_array *armatures, const tenon_batch_array *damping, const tenon_batch_array *friction,
    const tenon_batch_array *gravity);
/* And for the constraints, as tenon_workspace_constraints has it. active, frequencies, damping_ratios: constraints,
 * written; NULL: not wanted. anchors, frames: 7 x constraints, written; NULL: not wanted. weights, compliance: m,
 * written; NULL: not wanted. Status: as tenon_batch_robots. Cost: O(m) a state. */
TENON_API tenon_status tenon_batch_constraints(
    const tenon_batch *batch, size_t states, const tenon_batch_array *active, const tenon_batch_array *frequencies,
    const tenon_batch_array *damping_ratios, const tenon_batch_array *anchors, const tenon_batch_array *frames,
    const tenon_batch_array *weights, const tenon_batch_array *compliance);

/* The coordinates of all states. Status: as tenon_workspace_set_coordinates. Cost: O(1). */
TENON_API tenon_status tenon_batch_set_coordinates(tenon_batch *batch, int32_t positions, int32_t velocities);
/* What was set. *positions, *velocities: either may be NULL. Status: TENON_OK, TENON_INVALID_ARGUMENT. Cost: O(1). */
TENON_API tenon_status tenon_batch_coordinates(const tenon_batch *batch, int32_t *positions, int32_t *velocities);
/* How many positions, velocities and rows a state has, as tenon_workspace_position_count and the like tell them. Each
 * returns TENON_INVALID_ARGUMENT (negative) for NULL. Cost: O(1). */
TENON_API int32_t tenon_batch_position_count(const tenon_batch *batch);
TENON_API int32_t tenon_batch_velocity_count(const tenon_batch *batch);
TENON_API int32_t tenon_batch_row_count(const tenon_batch *batch);

/* Where the search for dependent positions starts in all states. q: nq of spanning coordinates. Status: as
 * tenon_workspace_set_guess. Cost: as there, for each thread. */
TENON_API tenon_status tenon_batch_set_guess(tenon_batch *batch, const double *q, size_t q_count);
/* That configuration. q: nq of spanning coordinates, written. Status: as tenon_workspace_guess. Cost: O(n). */
TENON_API tenon_status tenon_batch_guess(const tenon_batch *batch, double *q, size_t q_count);

/* tenon_forward_dynamics of `states` states. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. qdd: nv, written; all
 * counts are those of one state. status: states, written; NULL: not wanted. Allocates: nothing, but for what a single
 * call allocates at the first. Status: as tenon_forward_dynamics without TENON_INFEASIBLE, which is in `status` only;
 * TENON_UNSUPPORTED (arrays). Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_forward_dynamics(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                    const tenon_batch_array *v, const tenon_batch_array *tau,
                                                    const tenon_batch_array *wrenches, const tenon_batch_array *qdd,
                                                    int32_t *status, size_t status_count);

/* tenon_inverse_dynamics of `states` states. a: nv. tau: nv, written. The rest as tenon_batch_forward_dynamics. Status:
 * as tenon_inverse_dynamics, and TENON_UNSUPPORTED (arrays). Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_inverse_dynamics(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                    const tenon_batch_array *v, const tenon_batch_array *a,
                                                    const tenon_batch_array *wrenches, const tenon_batch_array *tau,
                                                    int32_t *status, size_t status_count);

/* tenon_mass_matrix of `states` states. q: nq. M: nv x nv numbers, column by column, both triangles, written. status,
 * Threads: as tenon_batch_forward_dynamics. Allocates: at the first call. Status: as tenon_mass_matrix, and
 * TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(n d) a state. */
TENON_API tenon_status tenon_batch_mass_matrix(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                               const tenon_batch_array *M, int32_t *status, size_t status_count);

/* The lower triangle of that matrix, half the numbers. q: nq. M: triangle, nv (nv + 1) / 2 numbers row by row, element
 * (i, j) with j <= i at [i (i + 1) / 2 + j], written. status, Threads, Allocates: as tenon_batch_mass_matrix. Status:
 * as tenon_batch_mass_matrix. Cost: O(n d) a state. */
TENON_API tenon_status tenon_batch_mass_matrix_lower(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                     const tenon_batch_array *M, int32_t *status, size_t status_count);

/* The factor of that matrix, M = L^T L with a positive diagonal ([RBDA] table 6.3): zero where no joint carries the
 * other. In spanning coordinates of a robot with embedded loops M is that of the tree. q: nq. L: triangle, as
 * tenon_batch_mass_matrix_lower has it, written. status, Threads, Allocates: as tenon_batch_mass_matrix. Status: as
 * tenon_batch_mass_matrix, and TENON_NOT_POSITIVE_DEFINITE. Cost: O(n d^2) a state. */
TENON_API tenon_status tenon_batch_mass_matrix_factor(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                      const tenon_batch_array *L, int32_t *status, size_t status_count);

/* Poses, velocities and Jacobians of chosen links in `states` states: what tenon_link_pose, tenon_link_velocity and
 * tenon_link_jacobian give after tenon_kinematics.
 * links: link_count, their indices, at most as many as the model has. axes: TENON_AXES_* of velocities and Jacobians.
 * q: nq. v: nv; NULL where no velocities are wanted. poses: 7 x link_count, position and quaternion, written; NULL: not
 * wanted. velocities: 6 x link_count, written; NULL: not wanted. jacobians: 6 x nv x link_count, link by link, column
 * by column, written; NULL: not wanted. status, Allocates, Threads: as tenon_batch_forward_dynamics. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_OUT_OF_RANGE (a link),
 * TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(n + links d) a state. */
TENON_API tenon_status tenon_batch_kinematics(
    tenon_batch *batch, size_t states, const int32_t *links, size_t link_count, int32_t axes,
    const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *poses,
    const tenon_batch_array *velocities, const tenon_batch_array *jacobians, int32_t *status, size_t status_count);

/* tenon_batch_kinematics with accelerations too: what tenon_link_acceleration gives after tenon_kinematics, [angular;
 * classical acceleration of the link's origin], without gravity. Where a is NULL they are those of
 * tenon_link_bias_acceleration, Jdot v. Of a point of a link, a frame that is fixed there (tenon_builder_add_frame) has
 * them.
 * links: link_count, their indices. axes: TENON_AXES_* of velocities, accelerations and Jacobians. q: nq. v: nv; NULL
 * where only poses and Jacobians are wanted. a: nv, d/dt of v; NULL: zero; needs v. poses: 7 x link_count, position and
 * quaternion, written; NULL: not wanted. velocities, accelerations: 6 x link_count, written; NULL: not wanted.
 * jacobians: 6 x nv x link_count, as tenon_batch_kinematics has them, written; NULL: not wanted. status, Allocates,
 * Threads: as tenon_batch_forward_dynamics. Status: as tenon_batch_kinematics. Cost: O(n + links), Jacobians O(links d)
 * a state. */
TENON_API tenon_status tenon_batch_link_motion(
    tenon_batch *batch, size_t states, const int32_t *links, size_t link_count, int32_t axes,
    const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *poses,
    const tenon_batch_array *velocities, const tenon_batch_array *accelerations, const tenon_batch_array *jacobians,
    int32_t *status, size_t status_count);

/* Numbers of the whole robot, all its moving bodies together, in `states` states: what tenon_center_of_mass,
 * tenon_centroidal_momentum and tenon_energy give after tenon_kinematics, world axes, in one sweep; of robots that
 * states have of their own (tenon_batch_parameters) too. The gravity force of many states, which is the gradient of the
 * potential energy, is tenon_batch_inverse_dynamics where v and a are zero: of both the numbers of one state serve for
 * all, with a state_stride of 0.
 * q: nq. v: nv; NULL where nothing of motion is wanted. centers: 3, m, centres of mass, written; NULL: not wanted.
 * center_velocities: 3, m/s, written; NULL: not wanted. momenta: 6, [angular about the centre of mass; linear], in
 * kg m^2/s and kg m/s, written; NULL: not wanted. kinetic: 1, J, armature included, written; NULL: not wanted.
 * potential: 1, J, zero with the centre of mass at the world's origin, written; NULL: not wanted. status, Allocates,
 * Threads: as tenon_batch_forward_dynamics. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_INVALID_MODEL (centers, center_velocities or momenta of a robot of
 * which nothing that moves has mass), TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_centroidal(
    tenon_batch *batch, size_t states, const tenon_batch_array *q, const tenon_batch_array *v,
    const tenon_batch_array *centers, const tenon_batch_array *center_velocities, const tenon_batch_array *momenta,
    const tenon_batch_array *kinetic, const tenon_batch_array *potential, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics of `states` states. Side by side by TENON_METHOD_CONSTRAINED_ABA where the method is
 * TENON_METHOD_AUTOMATIC or this and all other options have their defaults; where it is TENON_METHOD_AUTOMATIC and a
 * trial when the batch is made promises less work, TENON_METHOD_PV_EARLY comes first (iterations: 1), with one step of
 * refinement in single precision. States whose rows have not converged after five sweeps, in single precision nine
 * (rows that contradict each other, near-singular ones), are solved as single ones. In single precision rows converge
 * to 2e-5 of their unit.
 * q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. qdd: nv, written. lambda: m, written;
 * read first if options->warm_start; NULL: not wanted. iterations: states, written; NULL: not wanted. options: NULL for
 * the defaults. status, Allocates, Threads: as tenon_batch_forward_dynamics. Status: as tenon_constrained_dynamics
 * without TENON_INFEASIBLE and without TENON_MAX_ITERATIONS, which are in `status` only. Cost: of the method. */
TENON_API tenon_status tenon_batch_constrained_dynamics(
    tenon_batch *batch, const tenon_solve_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *qdd, const tenon_batch_array *lambda,
    int32_t *iterations, size_t iterations_count, int32_t *status, size_t status_count);

/* tenon_impact of `states` states, with the settings that each state has of its own; no anchor is read. Side by side as
 * tenon_batch_constrained_dynamics with the default options, which solves impacts too: there the answers are those of
 * the single call to rounding, in single precision to 2e-5 of the unit of a row. State by state go rows between two
 * moving links, loops closed by rows or by functions of the user, independent positions, and of the others single
 * states whose rows do not converge quickly: those that contradict each other or ask for different rebounds.
 * restitution: m, from 0 to 1, the same for all rows with a number_stride of 0; NULL: 0. q: nq. v: nv. v_after: nv,
 * written; it may be the array of v. impulse: m, written; NULL: not wanted. status, Threads: as
 * tenon_batch_forward_dynamics. Allocates: at the first call. Status: as tenon_impact without TENON_INFEASIBLE, which
 * is in `status` only; TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: as tenon_impact a state. */
TENON_API tenon_status tenon_batch_impact(tenon_batch *batch, size_t states, const tenon_batch_array *restitution,
                                          const tenon_batch_array *q, const tenon_batch_array *v,
                                          const tenon_batch_array *v_after, const tenon_batch_array *impulse,
                                          int32_t *status, size_t status_count);

/* Fills report, prepared by its _init, with how the rows of a state were solved in the last
 * tenon_batch_constrained_dynamics or tenon_batch_impact of a batch that keeps reports (tenon_batch_options): as
 * tenon_workspace_report, but of states that were computed side by side rank is -1, and dual_residual and mu are 0.
 * Where the state failed iterations are 0 and method is TENON_METHOD_AUTOMATIC. That call then allocates where it has
 * more states than before.
 * state: its number. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no reports are kept), TENON_WRONG_SIZE
 * (struct_size), TENON_OUT_OF_RANGE (a state that the call did not have). Cost: O(1). */
TENON_API tenon_status tenon_batch_report(const tenon_batch *batch, size_t state, tenon_solve_report *report);

/* tenon_delassus of `states` states. q: nq. A: m x m numbers, column by column, written. options: NULL for the
 * defaults. status, Threads: as tenon_batch_forward_dynamics. Allocates: at the first call. Status: as tenon_delassus.
 * Cost: of the method a state. */
TENON_API tenon_status tenon_batch_delassus(tenon_batch *batch, const tenon_delassus_options *options, size_t states,
                                            const tenon_batch_array *q, const tenon_batch_array *A, int32_t *status,
                                            size_t status_count);

/* X = (A + R + 1 / mu)^-1 B, of tenon_delassus_factor and tenon_delassus_solve, in `states` states. q: nq.
 * B: m x columns numbers, column by column. X: m x columns numbers, likewise, written. options: NULL for the defaults.
 * status, Threads: as tenon_batch_forward_dynamics. Allocates: at the first call, and at one with more columns. Status:
 * as tenon_delassus_factor. Cost: of the method and O(m^2) a column and state. */
TENON_API tenon_status tenon_batch_delassus_inverse_times(
    tenon_batch *batch, const tenon_damped_options *options, size_t states, int32_t columns, const tenon_batch_array *q,
    const tenon_batch_array *B, const tenon_batch_array *X, int32_t *status, size_t status_count);

/* options->steps steps in time of `states` states, each with its own torques, as tenon_step_semi_implicit_euler or
 * tenon_step_runge_kutta_4 take them, or refuse them; constraint rows hold if the batch has some.
 * options: NULL for the defaults. q: nq, at the start; not changed. v: nv, likewise. tau: nv a step, record_stride from
 * step to step, 0: the same in all. wrenches: 6 x links a step, likewise; NULL: none. q_out: nq a record,
 * written: record r is the state after (r + 1) * every steps, steps / every records in all; NULL: not wanted. v_out: nv
 * a record, likewise, written; NULL: not wanted. Records of a state that fails are those up to the failure. status,
 * Allocates, Threads: as tenon_batch_forward_dynamics. Status: as tenon_step_runge_kutta_4 without TENON_INFEASIBLE and
 * without TENON_MAX_ITERATIONS, which are in `status` only. Cost: that of the steps. */
TENON_API tenon_status tenon_batch_rollout(
    tenon_batch *batch, const tenon_rollout_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *q_out, const tenon_batch_array *v_out, int32_t *status, size_t status_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_BATCH_H */
