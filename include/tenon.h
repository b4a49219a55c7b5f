/* clang-format off */
/* tenon.h: dynamics of articulated robots under motion constraints. This header is the manual.
 *
 * 1. What it does
 * ---------------
 * A robot of links and joints moves by
 *
 *     M(q) qdd + c(q, v) = tau + J(q)^T lambda + external forces
 *     J(q) qdd + gamma(q, v) = k            (one row for each direction that a contact or weld holds)
 *
 * Tenon computes every part of it: M, c, poses, Jacobians, the motion without constraints, and the motion and the
 * forces lambda with them, in time that grows with the number of joints and rows, not with its cube.
 *
 * 2. The four objects
 * -------------------
 *     tenon_model        a robot, from URDF or from a tenon_builder. Immutable; any number of threads may read it.
 *     tenon_constraints  points, welds and rows held on links of one model. Filled, then finished; immutable from
 *                        then on, and any number of threads may read it.
 *     tenon_workspace    all memory of a computation, for one model and one constraint set (or none). One thread at a
 *                        time: give each thread its own. Every computation takes it as the first argument.
 *     tenon_builder      makes a model from calls.
 *
 * Objects are opaque pointers made by a function that returns a status and writes the pointer, and freed by the
 * _destroy function of their kind. _destroy(NULL) does nothing. Children keep what they need alive: objects may be
 * destroyed in any order. One object per noun, so a binding needs one class per noun: a constraint set is filled and
 * used through the same handle, and tenon_constraints_finish is the moment from which it no longer changes.
 *
 * 3. A complete program
 * ---------------------
 * An arm whose hand is welded where it is, and what happens under a joint torque:
 *
 *     #include <stdio.h>
 *     #include <tenon.h>
 *
 *     int main(void) {
 *       char message[512] = "";
 *       tenon_model *model = NULL;
 *       tenon_constraints *constraints = NULL;
 *       tenon_workspace *workspace = NULL;
 *       double q[64], v[64] = {0}, tau[64] = {0}, qdd[64], lambda[6];
 *       int32_t hand = 0;
 *       tenon_status status = tenon_model_load_urdf("models/iiwa14.urdf", NULL, &model, message, sizeof message);
 *       if (status == TENON_OK)
 *         status = tenon_model_find_link(model, "iiwa_link_7", &hand, message, sizeof message);
 *       if (status == TENON_OK)
 *         status = tenon_constraints_create(model, &constraints, message, sizeof message);
 *       if (status == TENON_OK)
 *         status = tenon_constraints_add_weld(constraints, hand, NULL, 0, NULL, NULL, message, sizeof message);
 *       if (status == TENON_OK)
 *         status = tenon_constraints_finish(constraints, message, sizeof message);
 *       if (status == TENON_OK)
 *         status = tenon_workspace_create(model, constraints, NULL, &workspace, message, sizeof message);
 *       if (status != TENON_OK) {
 *         fprintf(stderr, "%s: %s\n", tenon_status_string(status), message);
 *       } else {
 *         size_t nq = (size_t)tenon_model_nq(model), nv = (size_t)tenon_model_nv(model);
 *         tau[0] = 1.0;
 *         status = tenon_random(workspace, 1, q, nq);
 *         if (status == TENON_OK)
 *           status = tenon_constrained_dynamics(workspace, NULL, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0, qdd, nv,
 *                                               lambda, 6);
 *         if (status < 0) fprintf(stderr, "%s\n", tenon_workspace_message(workspace));
 *         else printf("qdd[0] = %g rad/s^2, hand force x = %g N\n", qdd[0], lambda[3]);
 *       }
 *       tenon_workspace_destroy(workspace);
 *       tenon_constraints_destroy(constraints);
 *       tenon_model_destroy(model);
 *       return status < 0;
 *     }
 *
 * 4. Conventions
 * --------------
 * Units: SI and radians, or any others that fit together. Masses may have any size. Loops are closed to 1e-12 of the
 * unit of length, and projections to a tolerance in it: describe robots of micrometres, or of hundreds of kilometres,
 * in a unit of their own size.
 * Spatial vectors: [angular x y z; linear x y z]. Quaternions: x y z w, unit norm; off by more than 1e-6 is
 * TENON_NOT_NORMALIZED, never silently mended (tenon_normalize mends on request).
 * Pose: 7 numbers [x y z qx qy qz qw], position and orientation of a frame in another: p_parent = R p_child + position.
 * World: the frame in which gravity, by default (0, 0, -9.81) m/s^2, is given. A fixed base has its root link there.
 * Links: as named in the description, those behind fixed joints included; extra frames follow them. All are addressed
 * by an int32_t index from 0, looked up by name once. Bodies are what moves: links lumped over fixed joints. In the
 * place of an index TENON_WORLD says that something hangs on the world, and TENON_NONE that there is nothing.
 * Joints: the moving ones, depth first; a fixed joint has no index. Their coordinates:
 *
 *     revolute, continuous  q angle               v its rate
 *     prismatic             q displacement        v its rate
 *     screw                 q angle               v its rate; moves along its axis by pitch for one radian
 *     spherical             q quaternion (4)      v angular velocity in the child's axes (3)
 *     planar                q x, y, angle         v [angle rate; velocity along x and y, which turn with the child]
 *     floating              q pose (7)            v [angular (3); linear (3)] in the child's axes
 *
 * The plane of a planar joint is normal to its axis. Its x and y are those of the joint frame, turned by the shortest
 * rotation that takes z to the axis; for the axis -z by half a turn about x.
 * So nq (positions) may exceed nv (velocities), and dq/dt is not v where quaternions are: use tenon_integrate.
 * Kinematic loops: the coordinates above describe every joint of the spanning tree. A workspace can be told to take and
 * return independent ones instead (tenon_workspace_set_coordinates); wherever a block of a computation says nq or nv,
 * it then takes nyq or ny numbers.
 * Constraint rows: a point holds 3 [linear], a weld 6 [angular; linear], numbered in the order of addition. A row's
 * acceleration is the derivative of its velocity: the classical acceleration of the point. lambda is the force (moment)
 * on the robot along each row.
 * External wrenches: 6 numbers for each link, in link order: [moment about the link origin; force], along link axes.
 * Matrices: column-major, element (i, j) at [i + j * ld] with leading dimension ld >= rows. Symmetric results fill
 * both triangles.
 *
 * 5. Calling rules, the same everywhere
 * -------------------------------------
 * Arrays are the caller's, contiguous, and come as pointer and count; a vector's count must be exactly what the
 * function asks, a matrix's at least ld * (columns - 1) + rows. NULL is allowed where a block says so: an output that
 * is not wanted, an input that is absent; the count beside a NULL is not looked at. Arrays must not overlap unless a
 * block says so. Arguments come in one order: the object, the options, selectors (a link, axes), inputs, outputs, the
 * message; after an array its count, after a matrix its count and its leading dimension; how many columns a call works
 * on, before the first matrix that has them. What belongs to a state (q, v, tau, results) is an argument, never a field
 * of a struct: languages whose memory moves hold an argument in place for the call, and would have to do so by hand for
 * each pointer in a struct. What later versions let a caller choose becomes a field of the options.
 * Blocks name an argument, then how many numbers it has: "q: nq." What is not const is written, and where it is read
 * before, the block says so.
 * Options are structs that begin with struct_size: fill them by their _init function, which writes the defaults, then
 * change fields. NULL means the defaults. A shorter struct of an older caller is completed with defaults; a longer one
 * of a newer caller is taken if the part this version does not know is zero, else TENON_UNSUPPORTED; so is a field
 * `reserved` that is not 0. A number that may be 0 where it makes no sense, as mu, is then Tenon's choice. A
 * struct_size below 8 or above 4096 is in memory that nobody prepared: TENON_WRONG_SIZE.
 * Text is UTF-8, ended by NUL; a name that is not is refused. Names returned are borrowed from the object and live as
 * long as it does. Messages are cut between characters only. Calls that take neither a message nor a workspace leave it
 * at the status.
 * Status: 0 is TENON_OK. Negative: nothing was written, and a message says what, where and how to mend it. Positive:
 * outputs were written, with a caveat. What a computation writes is finite: where a result is beyond the range of
 * doubles, though the inputs are finite, it is TENON_NOT_FINITE and nothing was written. Creation, filling and look-up
 * take `char *message, size_t message_size` for it (NULL or 0: not wanted; cut to fit, always ended by NUL; "" on
 * success). Computations keep it in the workspace, tenon_workspace_message; so do getters that return a status, which
 * therefore take no const. The lists of statuses below hold in spanning coordinates. Where a workspace is set to
 * independent ones (tenon_workspace_set_coordinates), a computation that takes q may also return TENON_OPEN_LOOP
 * (positions for which no closed loops were found) and TENON_SINGULAR_CONFIGURATION (velocities at a dead centre, which
 * say nothing of the dependent ones).
 * Memory: what a block calls "nothing" under Allocates is
 * proved by a test. "At the first call": a workspace is made with the memory for what is asked of every robot and for
 * the method that TENON_METHOD_AUTOMATIC takes; what a computation needs besides is allocated by its first call on a
 * workspace and kept, so that its later calls allocate nothing. Where memory is lacking such a call gives
 * TENON_OUT_OF_MEMORY, writes nothing, and may be tried again. A program in real time makes it once before, or
 * names the computation in tenon_workspace_options.
 * A call's answer follows from its arguments and from what setters said, and from nothing else. The exceptions, which
 * later calls ask for by name: the guess (tenon_workspace_set_guess), the factor of tenon_factor_mass_matrix, that of
 * tenon_delassus_factor, and what tenon_kinematics computed. Message and report are those of the last call.
 * Computations on a workspace never lock or log, and call nothing of the caller's but the functions of constraints that
 * were given as such (tenon_builder_add_implicit). No function ends the process, keeps global or thread-local state, or
 * lets an exception out.
 *
 * References: [RBDA] Featherstone, Rigid Body Dynamics Algorithms, 2008. [CABA] Sathya and Carpentier, Constrained
 * Articulated Body Dynamics Algorithms. [OSIMR] Sathya, Decre, Swevers, PV-OSIMr: A Lowest Order Complexity Algorithm
 * for Computing the Delassus Matrix. Cost: n velocity coordinates, m constraint rows, d depth of the tree.
 */
#ifndef TENON_H
#define TENON_H

#include <stddef.h>
#include <stdint.h>

/* TENON_STATIC: for programs that link a static Tenon, and for readers of this header that know no attributes.
 * TENON_BUILDING: for Tenon itself. Neither is needed for the shared library. */
#if defined(TENON_STATIC)
#define TENON_API
#elif defined(_WIN32) || defined(__CYGWIN__)
#if defined(TENON_BUILDING)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants. Their values are pinned: they never change. -------------------------------------------------- */

/* Constants of one kind have one prefix, TENON_<KIND>_, and are numbered from 0 without gaps, but for the statuses. By
 * the number of their kind, tenon_constant_name and its like tell their names. */
#define TENON_CONSTANT_STATUS 0
#define TENON_CONSTANT_METHOD 1
#define TENON_CONSTANT_DELASSUS_METHOD 2
#define TENON_CONSTANT_DAMPED_METHOD 3
#define TENON_CONSTANT_SPLIT 4
#define TENON_CONSTANT_JOINT_TYPE 5
#define TENON_CONSTANT_BASE 6
#define TENON_CONSTANT_AXES 7
#define TENON_CONSTANT_COORDINATES 8
#define TENON_CONSTANT_LOOP_TREATMENT 9
#define TENON_CONSTANT_LOOP_MOVES 10
#define TENON_CONSTANT_LOOP_KIND 11
#define TENON_CONSTANT_CONVENTION 12
#define TENON_CONSTANT_DIRECTION 13
#define TENON_CONSTANT_LOG_LEVEL 14
#define TENON_CONSTANT_INSTRUCTION_SET 15
#define TENON_CONSTANT_PRECISION 16
#define TENON_CONSTANT_INTEGRATOR 17

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0
/* major * 10000 + minor * 100 + patch of the header; tenon_version() is that of the library. */
#define TENON_VERSION 100

/* What calls return. 0 or positive: outputs were written. Negative: nothing was, and a message says why. */
typedef int32_t tenon_status;
#define TENON_OK 0
/* Outputs are written, with a caveat. */
#define TENON_MAX_ITERATIONS 1 /* the iteration limit came before the tolerance */
#define TENON_INFEASIBLE 2     /* rows contradict each other: the least-squares answer was written */
#define TENON_RANK_DEFICIENT 3 /* rows depend on each other: pseudo-inverses were written */
/* Nothing was written. */
#define TENON_INVALID_ARGUMENT -1       /* NULL where a value is needed, an unknown constant, wrong order */
#define TENON_WRONG_SIZE -2             /* a count or leading dimension does not fit */
#define TENON_NOT_FINITE -3             /* NaN or infinity in an input, from a callback, or because inputs
                                                      are too large: the message tells which */
#define TENON_OUT_OF_RANGE -4           /* an index that names nothing */
#define TENON_NOT_NORMALIZED -5         /* a quaternion off unit norm by more than 1e-6 */
#define TENON_PARSE_ERROR -10           /* no XML, or no number where a number belongs */
#define TENON_FILE_ERROR -11            /* a file that cannot be read */
#define TENON_INVALID_MODEL -12         /* no tree of joints: two roots, a cycle, a missing parent */
#define TENON_INVALID_INERTIA -13       /* mass or inertia that no moving body can have */
#define TENON_NOT_FOUND -14             /* a name that names nothing */
#define TENON_NOT_POSITIVE_DEFINITE -20 /* the mass matrix cannot be factored */
#define TENON_SINGULAR_CONFIGURATION -21 /* a kinematic loop at or next to a dead centre */
#define TENON_OPEN_LOOP -22             /* independent positions for which no closed loops were found */
#define TENON_UNSUPPORTED -30           /* a feature that this version does not have */
#define TENON_OUT_OF_MEMORY -40
#define TENON_INTERNAL_ERROR -50 /* a fault in Tenon: please report it with the message */

/* tenon_solve_options.method */
#define TENON_METHOD_AUTOMATIC 0       /* the fastest on the model and constraint set by a cost model, of
                                                     those that answer every problem: dependent, contradictory and
                                                     soft rows. With mu set or accelerate 0 the fastest that
                                                     iterates; with tikhonov, pv. The report tells which */
#define TENON_METHOD_DENSE 1           /* no iteration: rows factored with column pivots.
                                                     O(n d^2 + n m r), r the rank of the rows. [CABA] Eq. 8 */
#define TENON_METHOD_CONSTRAINED_ABA 2 /* O(n + m) an iteration. [CABA] Alg. 1 to 3 */
#define TENON_METHOD_PROX_LTL 3        /* O(n d^2 + m^2 d + m d^2 + m^3). [CABA] II-C1 */
#define TENON_METHOD_PROX_LTLS 4       /* O(n d^2 + m d). [CABA] II-C2, II-E */
#define TENON_METHOD_PV 5              /* O(n + m^2 d + m^3). [CABA] II-F */
#define TENON_METHOD_PROX_PV 6         /* O(n + m^2 d + m^3). [CABA] Alg. 4 */
#define TENON_METHOD_PV_SOFT 7         /* O(n + m). [CABA] VII-A */
#define TENON_METHOD_PV_EARLY 8        /* O(n + m). [CABA] VII-B */
#define TENON_METHOD_LTL 9             /* no iteration: PROX_LTL without its proximal term, for independent rows.
                                                     O(n d^2 + m^2 d + m d^2 + m^3). [CABA] Eq. 11 */

/* Methods of tenon_delassus. [OSIMR] */
#define TENON_DELASSUS_METHOD_AUTOMATIC 0 /* chosen for the model and the constraint set */
#define TENON_DELASSUS_METHOD_DENSE 1     /* from M and J by Cholesky, the reference. O(n^3 + m^2 n) */
#define TENON_DELASSUS_METHOD_LTL_OSIM 2  /* O(n d^2 + m^2 d + m d^2). [OSIMR] II-A */
#define TENON_DELASSUS_METHOD_KJR 3       /* O(n + m^2 d). [OSIMR] table I */
#define TENON_DELASSUS_METHOD_EFPA 4      /* O(n + m d + m^2). [OSIMR] Alg. 2 */
#define TENON_DELASSUS_METHOD_PV_OSIM 5   /* O(n + m^2 d). [OSIMR] Alg. 1 */
#define TENON_DELASSUS_METHOD_PV_OSIMR 6  /* O(n + m^2). [OSIMR] Alg. 3 */

/* Methods of tenon_delassus_inverse and tenon_delassus_factor. */
#define TENON_DAMPED_METHOD_AUTOMATIC 0    /* chosen for the model and the constraint set */
#define TENON_DAMPED_METHOD_DENSE 1        /* Delassus method DENSE, then Cholesky, the reference */
#define TENON_DAMPED_METHOD_LTL_INVERSE 2  /* Delassus method LTL_OSIM and its inverse, + O(m^3). [CABA] table III */
#define TENON_DAMPED_METHOD_LTL_CHOLESKY 3 /* the same and its factor, + O(m^3) */
#define TENON_DAMPED_METHOD_PV_OSIMR 4     /* Delassus method PV_OSIMR and Cholesky factor, + O(m^3) */
#define TENON_DAMPED_METHOD_PV_OSIMF 5     /* branches of the root apart, + O(sum m_b^3). [CABA] VI, VIII-C */
#define TENON_DAMPED_METHOD_CABA_OSIM 6    /* O(n + m^2). [CABA] Alg. 5 */
#define TENON_DAMPED_METHOD_CABA_OSIMF 7   /* the same, not formed: O(n + m). [CABA] VI-B */

/* tenon_solve_options.split_base */
#define TENON_SPLIT_AUTOMATIC 0 /* where it saves time: with many rows */
#define TENON_SPLIT_ALWAYS 1    /* where several branches of one root body carry rows */
#define TENON_SPLIT_NEVER 2

/* tenon_workspace_options.instruction_set, tenon_batch_options.instruction_set: for which instructions of the processor
 * the kernels were compiled. Results differ in the last digits. Where the choice is left to Tenon, the environment
 * variable TENON_INSTRUCTION_SET may make it: baseline, x86_64_v3 or x86_64_v4. */
#define TENON_INSTRUCTION_SET_AUTOMATIC 0 /* the best that the machine has */
#define TENON_INSTRUCTION_SET_BASELINE 1  /* what every machine has that the library is for */
#define TENON_INSTRUCTION_SET_X86_64_V3 2 /* AVX2, FMA, BMI: x86 processors since 2013 */
#define TENON_INSTRUCTION_SET_X86_64_V4 3 /* AVX-512: batches, and limbs side by side; else as X86_64_V3 */

/* tenon_workspace_options.precision, tenon_batch_options.precision: of the numbers inside. Those outside are double too
 * with a workspace; with a batch they have its precision. */
#define TENON_PRECISION_DOUBLE 0
#define TENON_PRECISION_SINGLE 1 /* batches only in this version */

/* tenon_rollout_options.integrator */
#define TENON_INTEGRATOR_SEMI_IMPLICIT_EULER 0 /* as tenon_step_semi_implicit_euler */
#define TENON_INTEGRATOR_RUNGE_KUTTA_4 1       /* as tenon_step_runge_kutta_4 */

/* tenon_workspace_options.products, bits: what to have memory for from the start. */
#define TENON_PRODUCT_PROJECTION 0x01u        /* tenon_project_positions, tenon_project_velocities, tenon_impact */
#define TENON_PRODUCT_CORIOLIS 0x02u          /* tenon_coriolis_matrix */
#define TENON_PRODUCT_MASS_MATRIX 0x04u       /* tenon_mass_matrix, tenon_factor_mass_matrix and what works with it */
#define TENON_PRODUCT_INVERSE_MASS 0x08u      /* tenon_inverse_mass_times */
#define TENON_PRODUCT_OPERATIONAL_SPACE 0x10u /* tenon_operational_space */
#define TENON_PRODUCT_CENTROIDAL 0x20u        /* tenon_centroidal_momentum_matrix, tenon_centroidal_momentum_bias */
#define TENON_PRODUCT_UNDERACTUATED 0x40u     /* tenon_underactuated_inverse_dynamics */
#define TENON_PRODUCT_LOOP_VELOCITIES 0x80u   /* tenon_close_loop_velocities by TENON_LOOP_MOVES_ALL */
#define TENON_PRODUCT_ALL 0xffu

/* tenon_workspace_set_coordinates */
#define TENON_COORDINATES_SPANNING 0    /* of every joint of the spanning tree */
#define TENON_COORDINATES_INDEPENDENT 1 /* those that determine the others where loops are closed */

/* tenon_model_options.base */
#define TENON_BASE_FIXED 0    /* the root link is part of the world */
#define TENON_BASE_FLOATING 1 /* the root link gets a floating joint; its coordinates come first */

/* tenon_joint_options.type, tenon_joint_info.type */
#define TENON_JOINT_TYPE_FIXED 0      /* builder only: a fixed joint has no index in a model */
#define TENON_JOINT_TYPE_REVOLUTE 1
#define TENON_JOINT_TYPE_CONTINUOUS 2 /* revolute without limits */
#define TENON_JOINT_TYPE_PRISMATIC 3
#define TENON_JOINT_TYPE_SPHERICAL 4
#define TENON_JOINT_TYPE_PLANAR 5     /* in the plane normal to the axis; its x and y: section 4 */
#define TENON_JOINT_TYPE_FLOATING 6
#define TENON_JOINT_TYPE_UNIVERSAL 7  /* builder only: about axis, then axis2; becomes joints name and name_2 */
#define TENON_JOINT_TYPE_SCREW 8      /* about axis, and along it by pitch for one radian; force: a torque */

/* Axes along which a spatial vector or the rows of a constraint are given. */
#define TENON_AXES_LINK 0
#define TENON_AXES_WORLD 1

/* tenon_constraint_options.rows, bits. Bits 0 to 5 are [angular x y z; linear x y z]. */
#define TENON_ROWS_ANGULAR 0x07u
#define TENON_ROWS_LINEAR 0x38u
#define TENON_ROWS_ALL 0x3fu
#define TENON_ROWS_HINGE 0x3bu /* all but the rotation about z */

/* Instead of an index: there is none; the world, on which a robot stands and a closure may hold. */
#define TENON_NONE -1
#define TENON_WORLD -2

/* Whose coordinates a state has, and which way tenon_convert_... goes. */
#define TENON_CONVENTION_PINOCCHIO 0
#define TENON_CONVENTION_MUJOCO 1
#define TENON_CONVENTION_DRAKE 2
#define TENON_DIRECTION_FROM_OTHER 0
#define TENON_DIRECTION_TO_OTHER 1

/* Levels of the log callback. */
#define TENON_LOG_LEVEL_TRACE 0
#define TENON_LOG_LEVEL_DEBUG 1
#define TENON_LOG_LEVEL_INFO 2
#define TENON_LOG_LEVEL_WARNING 3
#define TENON_LOG_LEVEL_ERROR 4
#define TENON_LOG_LEVEL_OFF 5

typedef struct tenon_model tenon_model;
typedef struct tenon_constraints tenon_constraints;
typedef struct tenon_workspace tenon_workspace;
typedef struct tenon_builder tenon_builder;

/* ---- Version and names of constants --------------------------------------------------------------------------- */

/* Version of the library, major * 10000 + minor * 100 + patch. Compare with TENON_VERSION, the header's: the same
 * major number means binary compatible (before 1.0.0: the same minor number).
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_version(void);

/* The version as text, "0.1.0". Static.
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_version_string(void);

/* One line about this build for bug reports: version, compiler, build type, and the instruction set whose kernels
 * run on this machine. Static.
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_build_info(void);

/* Names of constants, for messages, command lines and configuration files; kind: TENON_CONSTANT_*.
 *   tenon_constant_count      how many there are of the kind: but for statuses, their values are 0 to that less 1;
 *   tenon_constant_name       the name of a value: the constant in lower case without its prefix, "constrained_aba" for
 *                             TENON_METHOD_CONSTRAINED_ABA, "not_finite" for TENON_NOT_FINITE; static;
 *   tenon_constant_from_name  *value: that of the name; untouched where there is none.
 * A number that is no kind has no constants: 0, "unknown", TENON_INVALID_ARGUMENT. A value that the kind lacks is
 * "unknown". That a method has a name does not mean this version has it: a call returns TENON_UNSUPPORTED for one that
 * it lacks. Allocates: nothing. Threads: any. Status (of _from_name): TENON_OK, TENON_INVALID_ARGUMENT (NULL, no kind),
 * TENON_NOT_FOUND. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_constant_count(int32_t kind);
TENON_API const char *tenon_constant_name(int32_t kind, int32_t value);
TENON_API tenon_status tenon_constant_from_name(int32_t kind, const char *name, int32_t *value);

/* The same name of a status, which every program prints; and the value of number `index` of the statuses, which have
 * gaps, TENON_OUT_OF_RANGE for other numbers.
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_status_string(tenon_status value);
TENON_API tenon_status tenon_status_at(int32_t index);

/* ---- Model: making one ------------------------------------------------------------------------------------------ */

/* Receives what a call notices, one sentence at a time, on the thread and during the call that was given it. The text
 * lives until the callback returns. It must not throw or jump out. */
typedef void (*tenon_log_callback)(void *user, int32_t level, const char *message);

/* What becomes of loops, tenon_model_options.loop_treatment and tenon_loop_options.treatment (in URDF+ the attribute
 * treatment of <loop>: embed, open, rows, automatic).
 * EMBED: joints tied together move together, with independent and dependent coordinates. OPEN: the joints of the
 * spanning tree are free, for those who close loops by constraint rows; as a model's option of couplings and gears too.
 * ROWS: the joints are free, and the rows that close the loop come along: every finished constraint set on the model
 * has them after its own as closures of the loops' names (tenon_constraints_constraint_count, multipliers), a
 * workspace without a set has them alone (tenon_workspace_row_count), so that one tenon_constrained_dynamics solves
 * contacts, loops by rows and embedded loops, and tenon_forward_dynamics obeys all loops. Couplings and gears are
 * embedded all the same. AUTOMATIC: EMBED or ROWS for each loop by a cost model: rows for loops through many joints.
 * BY_MODEL: of one loop, as tenon_model_options says. */
#define TENON_LOOP_TREATMENT_EMBED 0
#define TENON_LOOP_TREATMENT_OPEN 1
#define TENON_LOOP_TREATMENT_ROWS 2
#define TENON_LOOP_TREATMENT_AUTOMATIC 3
#define TENON_LOOP_TREATMENT_BY_MODEL 4

/* How a model is made. */
typedef struct tenon_model_options {
  uint32_t struct_size;
  int32_t base;                     /* TENON_BASE_*; default TENON_BASE_FIXED */
  const char *floating_joint_name;  /* of the joint that TENON_BASE_FLOATING adds; NULL: "root_joint" */
  double gravity[3];                /* m/s^2, world axes; default (0, 0, -9.81); a workspace may change it for itself */
  tenon_log_callback log_callback;  /* NULL: silent */
  void *log_user;                   /* handed to the callback as it is */
  int32_t log_level;                /* the least level reported, TENON_LOG_LEVEL_*; default TENON_LOG_LEVEL_WARNING */
  int32_t loop_treatment;           /* TENON_LOOP_TREATMENT_*, not BY_MODEL; default TENON_LOOP_TREATMENT_EMBED */
  int32_t ignore_loops;             /* 1: <loop>, <coupling> and independent of URDF+ are passed over; default 0 */
  int32_t ignore_mimic;             /* 1: <mimic> of URDF is passed over; default 0 */
  /* 1: takes, with a warning, what is refused otherwise: joints that move neither mass nor inertia are held, as fixed
   * joints, where their position is 0 (what follows only such joints by <mimic> or a coupling too), and a body whose
   * inertia is not positive definite is used as given; default 0 */
  int32_t tolerant_inertias;
  int32_t reserved;                 /* 0 */
} tenon_model_options;

/* Writes the defaults into options, whose size the caller knows it by.
 * size: sizeof *options. Bytes beyond what this version knows are set to 0; of a smaller struct only its bytes are
 * written. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_model_options_init(tenon_model_options *options, size_t size);

/* Makes a model from a URDF file: reads, checks, lumps links over fixed joints, numbers depth first, chooses the
 * frames that sweeps work in. What the file holds beyond links, inertials and joints (visuals, transmissions, ...)
 * is passed over; what looks wrong but can be kept is a warning (tenon_model_warning, log callback).
 * path: of the file. options: NULL for the defaults. *model: the new model; set to NULL on failure.
 * Allocates: the model. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE (gravity), TENON_FILE_ERROR,
 * TENON_PARSE_ERROR, TENON_INVALID_MODEL, TENON_INVALID_INERTIA, TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY; the message
 * names file, line, link or joint, the value, and the remedy. Cost: O(length of the file + n). Since: 0.1. */
TENON_API tenon_status tenon_model_load_urdf(const char *path, const tenon_model_options *options, tenon_model **model,
                                             char *message, size_t message_size);

/* Makes a model from URDF text in memory; otherwise as tenon_model_load_urdf.
 * text: text_size bytes; a NUL at the end is neither needed nor harmful.
 * Allocates: the model. Threads: any. Status: as tenon_model_load_urdf, without TENON_FILE_ERROR.
 * Cost: O(text_size + n). Since: 0.1. */
TENON_API tenon_status tenon_model_parse_urdf(const char *text, size_t text_size, const tenon_model_options *options,
                                              tenon_model **model, char *message, size_t message_size);

/* Gives the caller's hold on a model back; its memory goes when nothing made from it is left. NULL: does nothing.
 * Allocates: nothing. Threads: any; the handle must not be in use elsewhere. Status: none. Cost: O(n). Since: 0.1. */
TENON_API void tenon_model_destroy(tenon_model *model);

/* ---- Model: what it holds --------------------------------------------------------------------------------------- */

/* Position coordinates; velocity coordinates (n); links with extra frames; moving joints; moving bodies; bodies on the
 * longest path from the root (d); 1 where the root body hangs on a floating joint and 0 where not. Each returns the
 * number, or TENON_INVALID_ARGUMENT (negative) for NULL.
 * Allocates: nothing. Threads: any. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_model_nq(const tenon_model *model);
TENON_API int32_t tenon_model_nv(const tenon_model *model);
TENON_API int32_t tenon_model_link_count(const tenon_model *model);
TENON_API int32_t tenon_model_joint_count(const tenon_model *model);
TENON_API int32_t tenon_model_body_count(const tenon_model *model);
TENON_API int32_t tenon_model_depth(const tenon_model *model);
TENON_API int32_t tenon_model_floating_base(const tenon_model *model);

/* Mass of all links together, those fixed to the world included, kg. NaN for NULL.
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API double tenon_model_total_mass(const tenon_model *model);

/* Name of the robot; of a link; of a joint. Borrowed: lives as long as the model. NULL for a NULL model and for an
 * index that names nothing.
 * Allocates: nothing. Threads: any. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_model_name(const tenon_model *model);
TENON_API const char *tenon_model_link_name(const tenon_model *model, int32_t link);
TENON_API const char *tenon_model_joint_name(const tenon_model *model, int32_t joint);

/* Index of the link (or extra frame) of a name; of the moving joint of a name. A name that names nothing gives a
 * message with the most similar name there is.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_NOT_FOUND. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_model_find_link(const tenon_model *model, const char *name, int32_t *index, char *message,
                                             size_t message_size);
TENON_API tenon_status tenon_model_find_joint(const tenon_model *model, const char *name, int32_t *index, char *message,
                                              size_t message_size);

/* What is known of a link. */
typedef struct tenon_link_info {
  uint32_t struct_size;
  int32_t parent_link;        /* TENON_WORLD for the root */
  int32_t joint;              /* the moving joint it hangs on directly; TENON_NONE where fixed, or the root of a fixed
                                 base */
  int32_t body;               /* the body it is lumped into; or TENON_WORLD */
  int32_t is_frame;           /* 1: an extra frame, 0: a link of the description */
  int32_t reserved;
  const char *name;           /* borrowed from the model */
  double mass;                /* kg */
  double center_of_mass[3];   /* m, link frame */
  double inertia[6];          /* ixx ixy ixz iyy iyz izz about the centre of mass, link axes, kg m^2 */
} tenon_link_info;

/* What is known of a joint. */
typedef struct tenon_joint_info {
  uint32_t struct_size;
  int32_t type;               /* TENON_JOINT_TYPE_*, never FIXED or UNIVERSAL */
  int32_t parent_link;        /* TENON_WORLD for the joint of a floating base */
  int32_t child_link;         /* TENON_NONE between the two joints of a universal one */
  int32_t q_index, nq;        /* first of its position coordinates, and how many */
  int32_t v_index, nv;        /* first of its velocity coordinates, and how many */
  const char *name;           /* borrowed from the model */
  double axis[3];             /* unit, in the joint frame */
  double lower, upper;        /* position limits, rad or m; infinite where there is none */
  double velocity, effort;    /* limits of speed and force; infinite where there is none */
  double armature;            /* kg m^2 or kg, on the diagonal of M */
  double damping, friction;   /* carried for the user: no computation here applies them */
  int32_t cluster;            /* the cluster that loops tie it into; or TENON_NONE */
  int32_t independent;        /* how many of its velocity coordinates are independent: nv where no loop moves it */
  int32_t folded;             /* 1: a rotor whose carrier has taken over its inertia, at nearly no cost */
  int32_t reserved;           /* 0 */
  double origin[7];           /* pose of the joint frame in the parent link (of a floating base in the world), the
                                 child's where q is zero; both joints of a universal one have the same */
  double pitch;               /* of a screw, m for one radian; else 0 */
} tenon_joint_info;

/* Prepare an information struct: zeros, and struct_size.
 * size: sizeof *info. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_link_info_init(tenon_link_info *info, size_t size);
TENON_API tenon_status tenon_joint_info_init(tenon_joint_info *info, size_t size);

/* Fills info, prepared by its _init, for a link; for a joint. Of a smaller struct only its bytes are written.
 * Allocates: nothing. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE.
 * Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_model_link_info(const tenon_model *model, int32_t link, tenon_link_info *info);
TENON_API tenon_status tenon_model_joint_info(const tenon_model *model, int32_t joint, tenon_joint_info *info);

/* The tree as indented text, one body a line, with lumped links, joint types, axes, limits and masses.
 * text: text_size bytes, cut to fit and ended by NUL; NULL to ask the size only. *needed: bytes of the whole text with
 * its NUL; NULL: not wanted. Allocates: nothing that stays. Threads: any.
 * Status: TENON_OK (also where cut: compare *needed), TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: O(n).
 * Since: 0.1. */
TENON_API tenon_status tenon_model_describe(const tenon_model *model, char *text, size_t text_size, size_t *needed);

/* What the reader noticed and passed over: how many sentences (TENON_INVALID_ARGUMENT, negative, for NULL); sentence
 * number `warning` (borrowed; NULL for an index that names nothing).
 * Allocates: nothing. Threads: any. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_model_warning_count(const tenon_model *model);
TENON_API const char *tenon_model_warning(const tenon_model *model, int32_t warning);

/* ---- Builder: a model from calls -------------------------------------------------------------------------------- */

/* Starts an empty robot. Links come first, then the joints between them: n links need n - 1 joints that form a tree.
 * name: of the robot. *builder: the new builder; set to NULL on failure. Allocates: the builder. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_builder_create(const char *name, tenon_builder **builder, char *message,
                                            size_t message_size);

/* Starts a builder from URDF, so that calls may add what URDF has no words for, a constraint by a function for
 * instance. path, or text (text_size bytes): as tenon_model_load_urdf, tenon_model_parse_urdf. options: NULL for the
 * defaults; only ignore_loops and ignore_mimic matter here, the others go to tenon_builder_finish. Links keep the order
 * of the file; tenon_builder_find_link tells their indices. *builder: the new builder; set to NULL on failure.
 * Allocates: the builder. Threads: any. Status: as tenon_model_load_urdf, without TENON_INVALID_INERTIA, for what is
 * wrong with the text; what is wrong with the robot is found by tenon_builder_finish. Cost: O(length of the text).
 * Since: 0.1. */
TENON_API tenon_status tenon_builder_load_urdf(const char *path, const tenon_model_options *options,
                                               tenon_builder **builder, char *message, size_t message_size);
/* The same from text in memory, as tenon_model_parse_urdf reads it. text: text_size bytes. options: NULL for the
 * defaults. Allocates: the builder. Threads: any.
 * Status: as tenon_builder_load_urdf, without TENON_FILE_ERROR. Cost: O(text_size). Since: 0.1. */
TENON_API tenon_status tenon_builder_parse_urdf(const char *text, size_t text_size, const tenon_model_options *options,
                                                tenon_builder **builder, char *message, size_t message_size);

/* Index of the link of a name in a builder. A name that names nothing gives a message with the most similar there is.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_NOT_FOUND. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_find_link(const tenon_builder *builder, const char *name, int32_t *index,
                                               char *message, size_t message_size);

/* Frees a builder. Models made by it stay. NULL: does nothing.
 * Allocates: nothing. Threads: any; the handle must not be in use elsewhere. Status: none. Cost: O(n). Since: 0.1. */
TENON_API void tenon_builder_destroy(tenon_builder *builder);

/* Adds a link.
 * name: unique. mass: kg, >= 0. center_of_mass: 3, m, link frame; NULL: the origin. inertia: 6, [ixx ixy ixz iyy iyz
 * izz] about the centre of mass along link axes, kg m^2; NULL: zero. *index: of the link, here and in the model; may be
 * NULL. That a moving body has mass and an inertia a real body can have is checked by tenon_builder_finish, which
 * knows what is lumped together. Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, empty or used name), TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_OUT_OF_MEMORY. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_link(tenon_builder *builder, const char *name, double mass,
                                              const double *center_of_mass, size_t center_of_mass_count,
                                              const double *inertia, size_t inertia_count, int32_t *index,
                                              char *message, size_t message_size);

/* A joint to be added. */
typedef struct tenon_joint_options {
  uint32_t struct_size;
  int32_t type;             /* TENON_JOINT_TYPE_*; default TENON_JOINT_TYPE_REVOLUTE */
  int32_t parent_link;      /* index from tenon_builder_add_link; default TENON_NONE, to be set */
  int32_t child_link;
  double origin[7];         /* pose of the joint frame in the parent link, the child's at q = 0; default identity */
  double axis[3];           /* in the joint frame, any length but zero; default x */
  double axis2[3];          /* universal only: the second axis, in the joint frame at q = 0; default y */
  double armature;          /* rotor inertia seen at the joint, kg m^2 or kg; default 0 */
  double lower, upper;      /* position limits, carried for the user; default infinite */
  double velocity, effort;  /* likewise */
  double damping, friction; /* carried for the user; default 0 */
  int32_t dependent;        /* 1: where a loop moves this joint, it is to follow from others; default 0 */
  int32_t reserved;         /* 0 */
  double pitch;             /* screw only: m for one radian, lead / (2 pi); 0 is legal; default NaN, to be set */
} tenon_joint_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_joint_options_init(tenon_joint_options *options, size_t size);

/* Adds a joint that hangs options->child_link on options->parent_link.
 * name: unique. options: needed, since the links are. Moving joints are numbered depth first in the finished model, so
 * look a joint up there by name. Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, empty or used name, unknown type), TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link), TENON_NOT_NORMALIZED (origin), TENON_UNSUPPORTED,
 * TENON_OUT_OF_MEMORY. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_joint(tenon_builder *builder, const char *name,
                                               const tenon_joint_options *options, char *message, size_t message_size);

/* Adds a named frame fixed to a link: addressed as a link in the finished model, after all links, in order of addition.
 * link: index. pose: 7, of the frame in the link; NULL: identity.
 * Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE,
 * TENON_NOT_NORMALIZED, TENON_OUT_OF_MEMORY. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_frame(tenon_builder *builder, const char *name, int32_t link,
                                               const double *pose, size_t pose_count, char *message,
                                               size_t message_size);

/* A joint that closes a kinematic loop between two links of the tree. */
typedef struct tenon_loop_options {
  uint32_t struct_size;
  int32_t type;                /* TENON_JOINT_TYPE_*: REVOLUTE, CONTINUOUS, PRISMATIC, PLANAR, SPHERICAL or FIXED */
  int32_t link;                /* indices from tenon_builder_add_link, of the predecessor and the successor of URDF+; */
  int32_t second_link;         /* default TENON_NONE, to be set */
  double pose[7];              /* of the ends of the loop, each in its link: where they coincide but for the motion */
  double second_pose[7];       /* of the joint, the loop is closed; default identity */
  double axis[3];              /* of the joint, the same in both end frames; default x */
  int32_t treatment;           /* TENON_LOOP_TREATMENT_*; default TENON_LOOP_TREATMENT_BY_MODEL */
  int32_t reserved;            /* 0 */
} tenon_loop_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_loop_options_init(tenon_loop_options *options, size_t size);

/* Adds a loop. What is wrong with the whole (ends that do not move against each other, a loop that cannot be closed) is
 * found by tenon_builder_finish.
 * name: unique among loops, couplings and gears. options: needed. Allocates: memory of the builder. Threads: one at a
 * time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link),
 * TENON_NOT_NORMALIZED (a pose), TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_loop(tenon_builder *builder, const char *name,
                                              const tenon_loop_options *options, char *message, size_t message_size);

/* Adds a coupling of the positions of joints of one coordinate: q_dependent = ratios q_independent + offsets, as mimic
 * joints and differentials have it. A dependent joint of one coupling may lead in another.
 * dependent, independent: names of joints, as many as their counts say. ratios: dependent x independent, row by row.
 * offsets: dependent, at most 1e6, or NULL for none. Names are looked up by tenon_builder_finish.
 * Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_MEMORY. Cost: O(n).
 * Since: 0.1. */
TENON_API tenon_status tenon_builder_add_coupling(tenon_builder *builder, const char *name,
                                                  const char *const *dependent, size_t dependent_count,
                                                  const char *const *independent, size_t independent_count,
                                                  const double *ratios, size_t ratios_count, const double *offsets,
                                                  size_t offsets_count, char *message, size_t message_size);

/* Adds a gear or belt between two links: with a and b the sums of the positions of the joints on the paths from their
 * nearest common ancestor to the link and to the second link, b = ratio a + offset. offset: at most 1e6.
 * Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link), TENON_OUT_OF_MEMORY.
 * Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_gear(tenon_builder *builder, const char *name, int32_t link,
                                              int32_t second_link, double ratio, double offset, char *message,
                                              size_t message_size);

/* A constraint phi(q) = 0 on some joints. q: their positions, v: their velocity coordinates, both in the order in which
 * the joints were named. Writes phi (rows), K = d phi / dt by v (rows x velocity coordinates, column-major) and
 * Kdot_v = (dK/dt) v (rows). It is called in every computation, by the threads that compute, at once: it must not
 * change anything shared, throw, jump out, or call Tenon with the same workspace. Where it writes NaN or infinity, the
 * computation returns TENON_NOT_FINITE; the search for closed loops keeps away from there. */
typedef void (*tenon_implicit_callback)(void *user, const double *q, const double *v, double *phi, double *K,
                                        double *Kdot_v);

/* Adds a constraint that only the callback knows. user must stay valid as long as the model.
 * joints: names, joint_count of them. rows: of phi.
 * Allocates: memory of the builder. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (no rows), TENON_OUT_OF_MEMORY. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_add_implicit(tenon_builder *builder, const char *name, const char *const *joints,
                                                  size_t joint_count, int32_t rows, tenon_implicit_callback callback,
                                                  void *user, char *message, size_t message_size);

/* Checks what was added and makes a model of it. The builder is left as it was and may go on to further models.
 * options: NULL for the defaults. *model: the new model; set to NULL on failure.
 * Allocates: the model. Threads: one at a time per builder.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_INVALID_MODEL (two roots, a
 * cycle, a zero axis), TENON_INVALID_INERTIA, TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY; the message names link or
 * joint. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_builder_finish(const tenon_builder *builder, const tenon_model_options *options,
                                            tenon_model **model, char *message, size_t message_size);

/* ---- Constraints ------------------------------------------------------------------------------------------------ */

/* What a point, a weld or rows have in common. Where a position is held (frequency > 0) the desired acceleration of a
 * row is the given one plus  -2 damping_ratio frequency (row velocity) - frequency^2 (row error)  (Baumgarte), the
 * error against the anchor in the workspace; with frequency 0 it is the given one alone. */
typedef struct tenon_constraint_options {
  uint32_t struct_size;
  int32_t axes;             /* TENON_AXES_*: rows along axes of the constrained frame, or of the world; default LINK */
  uint32_t rows;            /* bits of TENON_ROWS_*: which are held; a point has the linear three; default ALL */
  int32_t reserved;         /* 0 */
  const char *name;         /* for messages and look-up; copied; NULL: none */
  double frequency;         /* rad/s, >= 0; default 0: no stabilisation */
  double damping_ratio;     /* >= 0; default 1: critically damped */
  const double *weights;    /* one a held row, > 0; copied; NULL: all 1. Where rows contradict, the sum of weight *
                               residual^2 is minimised */
  size_t weights_count;
  const double *compliance; /* R, one a held row, >= 0; copied; NULL: all 0 (rigid). The row becomes
                               (J M^-1 J^T + R) lambda = k - J a_free. [CABA] Remark 2 */
  size_t compliance_count;
} tenon_constraint_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraint_options_init(tenon_constraint_options *options, size_t size);

/* Starts an empty constraint set for a model, which it keeps alive.
 * *constraints: the new set; set to NULL on failure. Allocates: the set. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraints_create(const tenon_model *model, tenon_constraints **constraints,
                                                char *message, size_t message_size);

/* Gives the caller's hold on a constraint set back; workspaces made from it stay good. NULL: does nothing.
 * Allocates: nothing. Threads: any; the handle must not be in use elsewhere. Status: none. Cost: O(m). Since: 0.1. */
TENON_API void tenon_constraints_destroy(tenon_constraints *constraints);

/* Holds a point of a link: rows [x y z] of the classical acceleration of the point. Several constraints may sit on one
 * link and on links above and below each other, redundant ones too.
 * link: index. point: 3, m, link frame; NULL: the link's origin. options: NULL for the defaults; options->rows may
 * leave out some of the linear bits. *index: of the constraint; may be NULL.
 * Allocates: memory of the set. Threads: one at a time per set.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, no row, bad gains, a set already finished), TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_OUT_OF_RANGE (link), TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraints_add_point(tenon_constraints *constraints, int32_t link, const double *point,
                                                   size_t point_count, const tenon_constraint_options *options,
                                                   int32_t *index, char *message, size_t message_size);

/* Welds a frame of a link, or holds any subset of its rows [angular acceleration; classical acceleration of the frame
 * origin]: options->rows picks, for instance TENON_ROWS_ANGULAR keeps an orientation only.
 * link: index. pose: 7, of the constrained frame in the link; NULL: the link's frame. Others as
 * tenon_constraints_add_point. Allocates: memory of the set. Threads: one at a time per set.
 * Status: as tenon_constraints_add_point, and TENON_NOT_NORMALIZED (pose). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraints_add_weld(tenon_constraints *constraints, int32_t link, const double *pose,
                                                  size_t pose_count, const tenon_constraint_options *options,
                                                  int32_t *index, char *message, size_t message_size);

/* Holds K a = k, with a the spatial acceleration of the link in its frame at its origin ([RBDA] 2.10: its linear part
 * is not the classical acceleration of the origin). Such rows have no position error: frequency damps their velocity
 * only. options->rows and ->axes are not looked at.
 * K: row_count x 6, columns [angular; linear], column-major with leading dimension ldk. row_count: 1 or more. Others
 * as tenon_constraints_add_point. Allocates: memory of the set. Threads: one at a time per set.
 * Status: as tenon_constraints_add_point. Cost: O(row_count). Since: 0.1. */
TENON_API tenon_status tenon_constraints_add_rows(tenon_constraints *constraints, int32_t link, int32_t row_count,
                                                  const double *K, size_t K_count, int32_t ldk,
                                                  const tenon_constraint_options *options, int32_t *index,
                                                  char *message, size_t message_size);

/* Closes a loop: keeps a frame 1 of one link together with a frame 2 of a second link, anywhere in the tree. Along the
 * axes of frame 1 its rows have the position error [rotation vector of R1 R2^T; x1 - x2], the velocity [w1 - w2;
 * d/dt (x1 - x2) as link 1 sees it], and as acceleration the derivative of that, exact also where the loop is open.
 * options->rows: TENON_ROWS_LINEAR makes a ball joint of it, TENON_ROWS_HINGE a hinge about the z axes (any angle),
 * TENON_ROWS_ALL a weld; with two angular rows the angular error is the rotation between the third axes. Angles go up
 * to pi: a frame turned over has that error, about one of the axes that lead back. Rows of lambda
 * are forces on link 1 at the origin of frame 2 along the axes of frame 1, and the opposite on link 2.
 * Redundant rows are an ordinary case: a planar loop may be closed by 3 or 5 rows. Bring q and v onto closed loops by
 * tenon_project_positions and tenon_project_velocities; options->frequency holds them there. No anchor belongs to it.
 * Not for TENON_METHOD_CONSTRAINED_ABA, _PV_SOFT and _PV_EARLY where both links move: TENON_UNSUPPORTED.
 * link, second_link: indices, one of them TENON_WORLD for a frame of the world. pose, second_pose: 7, of frame 1 and 2
 * in their links; NULL: the link's frame. options->axes: TENON_AXES_LINK. Others as tenon_constraints_add_point.
 * Allocates: memory of the set. Threads: one at a time per set.
 * Status: as tenon_constraints_add_weld, and TENON_INVALID_ARGUMENT (the same link twice), TENON_UNSUPPORTED (axes of
 * the world). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraints_add_closure(tenon_constraints *constraints, int32_t link, const double *pose,
                                                     size_t pose_count, int32_t second_link, const double *second_pose,
                                                     size_t second_pose_count, const tenon_constraint_options *options,
                                                     int32_t *index, char *message, size_t message_size);

/* Checks the set, orders its rows along the tree and makes it immutable; a workspace takes finished sets only. After a
 * failure the set is as before.
 * Allocates: memory of the set. Threads: one at a time per set.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, finished already),
 * TENON_OUT_OF_MEMORY; the message names index and name of the constraint. Cost: O(n + m d). Since: 0.1. */
TENON_API tenon_status tenon_constraints_finish(tenon_constraints *constraints, char *message, size_t message_size);

/* Constraints of a set; rows of a finished set (m). A finished set also counts the loops of the model that rows close
 * (TENON_LOOP_TREATMENT_ROWS): they follow the constraints that were added, in the order of the model, and so do their
 * rows. Return the number, or TENON_INVALID_ARGUMENT (negative) for NULL and, for the rows, for a set that is not
 * finished. Allocates: nothing. Threads: any once finished. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_constraints_constraint_count(const tenon_constraints *constraints);
TENON_API int32_t tenon_constraints_row_count(const tenon_constraints *constraints);

/* Index of the constraint of a name given in its options; in a finished set also of a loop by rows. Of constraints of
 * one name, the first.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Threads: any once finished.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_NOT_FOUND. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_constraints_find_constraint(const tenon_constraints *constraints, const char *name,
                                                         int32_t *index, char *message, size_t message_size);

/* What is known of a constraint. */
typedef struct tenon_constraint_info {
  uint32_t struct_size;
  int32_t link;
  int32_t first_row;    /* of its rows in lambda, J, desired, ... */
  int32_t row_count;
  uint32_t rows;        /* bits of TENON_ROWS_*; 0 for custom rows */
  int32_t axes;         /* TENON_AXES_* */
  const char *name;     /* borrowed from the set; "" where none was given */
  double frequency, damping_ratio;
  int32_t closes_loop;  /* 1: from tenon_constraints_add_closure, or a loop of the model by rows */
  int32_t second_link;  /* of a closure, TENON_WORLD for the world; else TENON_NONE */
} tenon_constraint_info;

/* Prepares an information struct: zeros, and struct_size.
 * size: sizeof *info. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraint_info_init(tenon_constraint_info *info, size_t size);

/* Fills info, prepared by its _init, for a constraint of a finished set. Of a smaller struct only its bytes are
 * written. Allocates: nothing. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE.
 * Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraints_constraint_info(const tenon_constraints *constraints, int32_t constraint,
                                                         tenon_constraint_info *info);

/* ---- Workspace -------------------------------------------------------------------------------------------------- */

/* How a workspace is made. Bit k of a mask of methods, 1u << TENON_METHOD_PV for instance, stands for method k. What
 * the masks name gets its memory with the workspace, so that not even the first call allocates; all else stays as it
 * is. */
typedef struct tenon_workspace_options {
  uint32_t struct_size;
  int32_t instruction_set;    /* TENON_INSTRUCTION_SET_*; default TENON_INSTRUCTION_SET_AUTOMATIC */
  int32_t precision;          /* TENON_PRECISION_*; default TENON_PRECISION_DOUBLE */
  uint32_t methods;           /* of TENON_METHOD_*: for tenon_constrained_dynamics and the steps; default 0 */
  uint32_t delassus_methods;  /* of TENON_DELASSUS_METHOD_*: for tenon_delassus; default 0 */
  uint32_t damped_methods;    /* of TENON_DAMPED_METHOD_*: for tenon_delassus_inverse, _factor and _apply; default 0 */
  uint32_t products;          /* of TENON_PRODUCT_*; default 0 */
  int32_t disable_branch_lanes; /* 0: limbs of equal shape (four legs, say) are computed side by side where that is
                                 * faster; else: bodies one after another, with other rounding errors; default 0 */
} tenon_workspace_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_options_init(tenon_workspace_options *options, size_t size);

/* Makes the memory for computations on a model and a constraint set, and keeps both alive.
 * constraints: finished, of the same model; NULL: none (m = 0, or the rows of the model's loops by rows).
 * options: NULL for the defaults. *workspace: the new one; set to NULL on failure.
 * Allocates: everything that later calls need but those that say "at the first call" and that options do not name.
 * TENON_METHOD_DENSE, to which TENON_METHOD_AUTOMATIC hands rows over that do not converge, is among it where the mass
 * matrix has up to 131,072 numbers along the branches of the tree (a chain of 500 joints); of larger robots name it in
 * options->methods where no later call may allocate.
 * Threads: any. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, a set that is unfinished or of another model, a bit
 * that names nothing), TENON_WRONG_SIZE (options), TENON_UNSUPPORTED (a precision, or an instruction set that this
 * machine or this build does not have), TENON_OUT_OF_MEMORY. Cost: O(n + m) and what the method that
 * TENON_METHOD_AUTOMATIC takes and those of the options need, up to O(n d + m n + m^2). Since: 0.1. */
TENON_API tenon_status tenon_workspace_create(const tenon_model *model, const tenon_constraints *constraints,
                                              const tenon_workspace_options *options, tenon_workspace **workspace,
                                              char *message, size_t message_size);

/* The instruction set whose kernels a workspace runs: TENON_INSTRUCTION_SET_*, never AUTOMATIC. A workspace made
 * with it computes the same digits.
 * TENON_INVALID_ARGUMENT (negative) for NULL. Allocates: nothing. Threads: any. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_workspace_instruction_set(const tenon_workspace *workspace);

/* Frees a workspace. NULL: does nothing.
 * Allocates: nothing. Threads: any; the handle must not be in use elsewhere. Status: none. Cost: O(1). Since: 0.1. */
TENON_API void tenon_workspace_destroy(tenon_workspace *workspace);

/* Why the last call on this workspace failed, one sentence; "" after a good one. Lives until the next call on it.
 * Allocates: nothing. Threads: one at a time per workspace. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_workspace_message(const tenon_workspace *workspace);

/* All memory a workspace holds at present, bytes. 0 for NULL.
 * Allocates: nothing. Threads: one at a time per workspace. Status: none. Cost: O(1). Since: 0.1. */
TENON_API size_t tenon_workspace_size_bytes(const tenon_workspace *workspace);

/* Gravity of this workspace. Starts as the model's. gravity: 3, m/s^2, world axes.
 * Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_gravity(tenon_workspace *workspace, const double *gravity,
                                                   size_t gravity_count);
/* What was set, or the model's. gravity: 3, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_gravity(tenon_workspace *workspace, double *gravity, size_t gravity_count);

/* Anchor of a constraint: world pose at which the stabilisation holds its frame. Starts at the identity; set it one by
 * one here, or all at once with tenon_anchor_here.
 * constraint: index, not of a closure, which is held by its second link.
 * pose: 7. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE,
 * TENON_NOT_NORMALIZED. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_anchor(tenon_workspace *workspace, int32_t constraint, const double *pose,
                                                  size_t pose_count);
/* What was set. pose: 7, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_anchor(tenon_workspace *workspace, int32_t constraint, double *pose,
                                              size_t pose_count);

/* Switches a constraint off (active 0) or on again (1), as feet that leave the ground and come back: all constraints of
 * a workspace start active. One that is off asks for nothing: its rows of J, of the Delassus matrix and of
 * tenon_constraint_rows are zero, its multipliers are zero, and no computation calls it redundant. It keeps its places
 * in lambda and in all arrays, its anchor and its numbers. Rows that are off cost what they cost when they are on.
 * constraint: index. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (also: a loop of the model that rows close, which is always active),
 * TENON_OUT_OF_RANGE. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_active(tenon_workspace *workspace, int32_t constraint, int32_t active);

/* Gains of a constraint in this workspace; they start as the constraint set has them (tenon_constraint_options).
 * constraint: index. frequency: rad/s, >= 0; damping_ratio: >= 0. Allocates: nothing.
 * Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: below 0), TENON_NOT_FINITE,
 * TENON_OUT_OF_RANGE. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_gains(tenon_workspace *workspace, int32_t constraint, double frequency,
                                                 double damping_ratio);

/* Weights, and compliance, of the rows of a constraint in this workspace; they too start as the set has them.
 * constraint: index. weights: rows of it, > 0; NULL: all 1. compliance: rows of it, >= 0; NULL: all 0.
 * Allocates: nothing. Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: a
 * number out of these bounds), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_weights(tenon_workspace *workspace, int32_t constraint,
                                                   const double *weights, size_t weights_count);
TENON_API tenon_status tenon_workspace_set_compliance(tenon_workspace *workspace, int32_t constraint,
                                                      const double *compliance, size_t compliance_count);

/* Moves the frame of a constraint, the point that is held or the frame that is welded, on its link in this workspace;
 * it starts where the set has it. Its anchor stays where it is in the world.
 * constraint: index, not of a closure or of custom rows. pose: 7, in the link. Allocates: nothing. Threads: one at a
 * time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE,
 * TENON_NOT_NORMALIZED. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_frame(tenon_workspace *workspace, int32_t constraint, const double *pose,
                                                 size_t pose_count);
/* Where it is. constraint: index, as there. pose: 7, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_frame(tenon_workspace *workspace, int32_t constraint, double *pose,
                                             size_t pose_count);

/* How a constraint stands in a workspace. */
typedef struct tenon_constraint_settings {
  uint32_t struct_size;
  int32_t active;        /* 1 or 0 */
  double frequency;      /* rad/s */
  double damping_ratio;
} tenon_constraint_settings;

/* Prepares a struct for tenon_workspace_constraint_settings: zeros, and struct_size.
 * size: sizeof *settings. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_constraint_settings_init(tenon_constraint_settings *settings, size_t size);

/* The settings of a constraint as they are now. settings: prepared by its _init. weights, compliance: rows of
 * it, written; may be NULL. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(m). Since: 0.1. */
TENON_API tenon_status tenon_workspace_constraint_settings(tenon_workspace *workspace, int32_t constraint,
                                                           tenon_constraint_settings *settings, double *weights,
                                                           size_t weights_count, double *compliance,
                                                           size_t compliance_count);

/* Anchors of all constraints := world poses of their frames at q, so that they hold where they are.
 * q: nq. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED.
 * Cost: O(n + m). Since: 0.1. */
TENON_API tenon_status tenon_anchor_here(tenon_workspace *workspace, const double *q, size_t q_count);

/* How far tenon_project_positions goes. */
typedef struct tenon_projection_options {
  uint32_t struct_size;
  int32_t max_iterations;  /* 1 or more; default 50 */
  double tolerance;        /* largest error of a row that may be left, m or rad, 0 or more; default 1e-9 */
} tenon_projection_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_projection_options_init(tenon_projection_options *options, size_t size);

/* Moves q until all closures are closed and all stabilised constraints (frequency > 0) are at their anchors; other rows
 * keep their place to first order. Newton steps, each the shortest in the metric of the mass matrix, dq = - M^-1 J^T
 * (J M^-1 J^T)^+ error, halved where they overshoot; redundant rows are an ordinary case. Rows with compliance are
 * approached only. The loops of the model itself may open between steps, and are closed at the end. Where not all rows
 * can hold, q goes where the sum of weight x error^2 is least. Meant for the drift of a simulation (one or two steps)
 * and for assembly from a start not too far.
 * options: NULL for the defaults. q: nq, read and written; the best one found unless the status is negative. The report
 * tells steps and largest error left (primal_residual). Allocates: at the first call. Threads: one at a time per
 * workspace. Status: TENON_OK, TENON_MAX_ITERATIONS, TENON_INFEASIBLE (no q nearby is any closer),
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE,
 * TENON_SINGULAR_CONFIGURATION, TENON_UNSUPPORTED (options). Cost: O(n d^2 + m^2 d + m^3) a step. Since: 0.1. */
TENON_API tenon_status tenon_project_positions(tenon_workspace *workspace, const tenon_projection_options *options,
                                               double *q, size_t q_count);

/* v := the nearest velocity in the metric of the mass matrix of which no row sees anything, J v = 0:
 * v - M^-1 J^T (J M^-1 J^T)^+ J v, an impact without rebound (with one: tenon_impact). Where the model has loops, v
 * must keep them closed (tenon_close_loop_velocities, or independent velocities), and goes on to.
 * q: nq. v: nv, read and written. Allocates: at the first call. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INFEASIBLE (a row that nothing moves), TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE,
 * TENON_SINGULAR_CONFIGURATION. Cost: O(n d^2 + m^2 d + m^3). Since: 0.1. */
TENON_API tenon_status tenon_project_velocities(tenon_workspace *workspace, const double *q, size_t q_count, double *v,
                                                size_t v_count);

/* ---- Kinematics ------------------------------------------------------------------------------------------------- */

/* Poses of all links at q; with v their velocities too; with v and a their accelerations too. What it computes is
 * kept for the queries below until the next call of tenon_kinematics; where it is not finite nothing is kept. [RBDA]
 * table 5.1, outward sweep.
 * q: nq. v: nv, or NULL. a: nv, d/dt of v, or NULL; needs v. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED.
 * Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_kinematics(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                        size_t v_count, const double *a, size_t a_count);

/* Pose of a link in the world, after tenon_kinematics.
 * pose: 7, or NULL. rotation: 9, the same orientation as a 3 x 3 matrix, column-major: p_world = R p_link + position;
 * or NULL. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics before), TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_OUT_OF_RANGE.
 * Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_link_pose(tenon_workspace *workspace, int32_t link, double *pose, size_t pose_count,
                                       double *rotation, size_t rotation_count);

/* Velocity of a link, after tenon_kinematics with v: [angular; velocity of the link's origin], along axes
 * (TENON_AXES_*).
 * velocity: 6. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_link_pose. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_link_velocity(tenon_workspace *workspace, int32_t link, int32_t axes, double *velocity,
                                           size_t velocity_count);

/* Acceleration of a link, after tenon_kinematics with v and a: [angular; classical acceleration of the link's origin],
 * along axes (TENON_AXES_*). It is the derivative of tenon_link_velocity along world axes, without gravity.
 * acceleration: 6. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_link_pose. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_link_acceleration(tenon_workspace *workspace, int32_t link, int32_t axes,
                                               double *acceleration, size_t acceleration_count);

/* Jacobian of a link, after tenon_kinematics: J v is what tenon_link_velocity gives for the same axes.
 * J: 6 x nv, column-major, leading dimension ldj >= 6. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_link_pose. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_jacobian(tenon_workspace *workspace, int32_t link, int32_t axes, double *J, size_t J_count,
                                      int32_t ldj);

/* Jacobian of a point fixed to a link, after tenon_kinematics: J v = [angular velocity of the link; velocity of the
 * point], along axes (TENON_AXES_*) of the link or the world. Of the link's origin it is tenon_jacobian.
 * point: 3, m, link frame; NULL: the link's origin. J: 6 x nv, column-major, leading dimension ldj >= 6.
 * Allocates: nothing. Threads: one at a time per workspace. Status: as tenon_link_pose. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_point_jacobian(tenon_workspace *workspace, int32_t link, const double *point,
                                            size_t point_count, int32_t axes, double *J, size_t J_count, int32_t ldj);

/* What is left of the acceleration of a point fixed to a link where the coordinates do not accelerate, Jdot v, after
 * tenon_kinematics with v: [angular; classical acceleration of the point], along axes (TENON_AXES_*), without gravity.
 * With J of tenon_point_jacobian along the same axes the acceleration of the point is J a + this, that of the link's
 * origin what tenon_link_acceleration gives. Along world axes it is (dJ/dt) v, number by number.
 * The spatial acceleration at the link's origin ([RBDA] 2.10), which tenon_constraints_add_rows multiplies by K, has
 * angular velocity x velocity of the origin less in its linear part.
 * point: 3, m, link frame; NULL: the link's origin. acceleration: 6. Allocates: nothing. Threads: one at a time per
 * workspace. Status: as tenon_link_pose. Cost: O(d); with independent velocities O(n). Since: 0.1. */
TENON_API tenon_status tenon_point_bias_acceleration(tenon_workspace *workspace, int32_t link, const double *point,
                                                     size_t point_count, int32_t axes, double *acceleration,
                                                     size_t acceleration_count);

/* The same of the origin of a link: tenon_link_acceleration is J a + this, J being tenon_jacobian along the same axes.
 * acceleration: 6. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_link_pose. Cost: O(d); with independent velocities O(n). Since: 0.1. */
TENON_API tenon_status tenon_link_bias_acceleration(tenon_workspace *workspace, int32_t link, int32_t axes,
                                                    double *acceleration, size_t acceleration_count);

/* Centre of mass of all moving bodies, world axes, after tenon_kinematics.
 * position: 3, m, or NULL. velocity: 3, m/s, or NULL; needs v. J: 3 x nv with velocity = J v, column-major, leading
 * dimension ldj >= 3, or NULL. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics before), TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_INVALID_MODEL (nothing that moves has mass). Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_center_of_mass(tenon_workspace *workspace, double *position, size_t position_count,
                                            double *velocity, size_t velocity_count, double *J, size_t J_count,
                                            int32_t ldj);

/* Momentum of all moving bodies, after tenon_kinematics with v: [angular about the centre of mass; linear], world axes.
 * momentum: 6, kg m^2/s and kg m/s. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_center_of_mass. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_centroidal_momentum(tenon_workspace *workspace, double *momentum, size_t momentum_count);

/* The matrix A(q) that gives the momentum of all moving bodies, after tenon_kinematics: A v is what
 * tenon_centroidal_momentum gives, [angular about the centre of mass; linear], world axes. Armatures belong to no body
 * and have no part in it. (Orin, Goswami, Lee, Centroidal dynamics of a humanoid robot, 2013.)
 * A: 6 x nv, column-major, leading dimension lda >= 6. Allocates: at the first call. Threads: one at a time per
 * workspace. Status: as tenon_center_of_mass. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_centroidal_momentum_matrix(tenon_workspace *workspace, double *A, size_t A_count,
                                                        int32_t lda);

/* What is left of the rate of that momentum where the coordinates do not accelerate, (dA/dt) v, after tenon_kinematics
 * with v: the rate is A a + this, and it is the sum of all external forces, gravity included, and of their moments
 * about the centre of mass.
 * bias: 6, [angular; linear], world axes, N m and N. Allocates: at the first call.
 * Threads: one at a time per workspace. Status: as tenon_center_of_mass. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_centroidal_momentum_bias(tenon_workspace *workspace, double *bias, size_t bias_count);

/* Energy, J, after tenon_kinematics with v: kinetic = v^T M v / 2, armature included; potential = - sum of
 * mass * gravity . position over moving bodies, zero with the centre of mass at the world's origin.
 * *kinetic: NULL where not wanted; then kinematics without v will do. *potential: may be NULL. Allocates: nothing.
 * Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics before),
 * TENON_NOT_FINITE. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_energy(tenon_workspace *workspace, double *kinetic, double *potential);

/* ---- Dynamics without constraints ------------------------------------------------------------------------------- */

/* Inverse dynamics by the recursive Newton-Euler algorithm, [RBDA] table 5.1: tau = M(q) a + c(q, v) - external.
 * q: nq. v, a: nv. wrenches: 6 x links, [moment about the link origin; force on the link], link axes; NULL: none.
 * tau: nv, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED.
 * Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_inverse_dynamics(tenon_workspace *workspace, const double *q, size_t q_count,
                                              const double *v, size_t v_count, const double *a, size_t a_count,
                                              const double *wrenches, size_t wrenches_count, double *tau,
                                              size_t tau_count);

/* Bias force c(q, v): gravity, Coriolis and centrifugal, less the external wrenches; inverse dynamics at a = 0.
 * q: nq. v: nv. wrenches: as tenon_inverse_dynamics. c: nv, written. Allocates: nothing.
 * Threads: one at a time per workspace. Status: as tenon_inverse_dynamics. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_bias(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                  size_t v_count, const double *wrenches, size_t wrenches_count, double *c,
                                  size_t c_count);

/* Gravity force g(q): the tau that holds the robot still against gravity, tenon_bias at v = 0 without wrenches; the
 * derivative of the potential energy (tenon_energy) by the coordinates.
 * q: nq. g: nv, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_inverse_dynamics. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_gravity_force(tenon_workspace *workspace, const double *q, size_t q_count, double *g,
                                           size_t g_count);

/* Coriolis matrix C(q, v), for controllers that need more than the product: C v are the velocity terms of the bias
 * force, tenon_bias - tenon_gravity_force, and dM/dt = C + C^T, so that dM/dt - 2 C is skew-symmetric. Where all joints
 * have one coordinate these are the Christoffel symbols of M times v; rates of M are those along the motion that v is.
 * (Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
 * systems, 2021.) q: nq. v: nv. C: nv x nv, column-major, leading dimension ldc >= nv, not symmetric. Allocates: at the
 * first call. Threads: one at a time per workspace. Status: as tenon_inverse_dynamics.
 * Cost: O(n^2) for the zeros, O(n d) for the rest; with independent velocities O(n^2 ny). Since: 0.1. */
TENON_API tenon_status tenon_coriolis_matrix(tenon_workspace *workspace, const double *q, size_t q_count,
                                             const double *v, size_t v_count, double *C, size_t C_count, int32_t ldc);

/* Mass matrix M(q), armature included, by the composite-rigid-body algorithm, [RBDA] table 6.2.
 * q: nq. M: nv x nv, column-major, leading dimension ldm >= nv, both triangles. Allocates: nothing; with
 * embedded loops, at the first call. Threads: one at a time per workspace. Status: as tenon_inverse_dynamics.
 * Cost: O(n^2) for the zeros, O(n d) for the rest. Since: 0.1. */
TENON_API tenon_status tenon_mass_matrix(tenon_workspace *workspace, const double *q, size_t q_count, double *M,
                                         size_t M_count, int32_t ldm);

/* Factors M(q) = L^T L along the branches of the tree, [RBDA] table 6.3, and keeps L for the two calls below until the
 * next call of this function. With embedded loops the factor is that of G^T M G, along the tree of clusters, and M^-1
 * below stands for G (G^T M G)^-1 G^T.
 * q: nq. Allocates: at the first call. Threads: one at a time per workspace.
 * Status: as tenon_inverse_dynamics, and TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION. Cost: O(n d^2).
 * Since: 0.1. */
TENON_API tenon_status tenon_factor_mass_matrix(tenon_workspace *workspace, const double *q, size_t q_count);

/* X = M^-1 B and X = M B with the factor kept by tenon_factor_mass_matrix, [RBDA] table 6.4.
 * B: nv x columns, leading dimension ldb >= nv. X: nv x columns, leading dimension ldx >= nv, written. X may be B
 * itself, with the same leading dimension. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no factor), TENON_WRONG_SIZE, TENON_NOT_FINITE.
 * Cost: O(n d) a column. Since: 0.1. */
TENON_API tenon_status tenon_solve_mass_matrix(tenon_workspace *workspace, int32_t columns, const double *B,
                                               size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);
TENON_API tenon_status tenon_multiply_mass_matrix(tenon_workspace *workspace, int32_t columns, const double *B,
                                                  size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);

/* Forward dynamics without the constraints, by the articulated-body algorithm, [RBDA] table 7.1:
 * qdd = M^-1 (tau + external - c). All loops of the model are obeyed, those by rows (TENON_LOOP_TREATMENT_ROWS) by a
 * solve of their rows alone, with the default options of tenon_constrained_dynamics.
 * q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. qdd: nv, written. Allocates: nothing.
 * Threads: one at a time per workspace. Status: as tenon_inverse_dynamics, and TENON_NOT_POSITIVE_DEFINITE; with
 * embedded loops TENON_SINGULAR_CONFIGURATION; with loops by rows TENON_INFEASIBLE (qdd
 * written).
 * Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_forward_dynamics(tenon_workspace *workspace, const double *q, size_t q_count,
                                              const double *v, size_t v_count, const double *tau, size_t tau_count,
                                              const double *wrenches, size_t wrenches_count, double *qdd,
                                              size_t qdd_count);

/* ---- Dynamics with constraints ---------------------------------------------------------------------------------- */

/* What each method takes, of tenon_constrained_dynamics and the steps, of tenon_delassus, and of tenon_delassus_inverse
 * and _factor; what it does not is TENON_UNSUPPORTED. Two links: rows between two links that move, as those of a
 * closure. Loops: embedded ones; both: rows between two moving links of a robot with embedded loops. By rows: loops
 * with TENON_LOOP_TREATMENT_ROWS. Dependent: rows that depend on each other; (yes): lambda is shared out between them
 * as soft rows would share it. Compliance: of rows, which is no part of the Delassus matrix itself.
 *
 *     method                     two links  loops  both  by rows  dependent  compliance  tikhonov
 *     automatic                  yes        yes    yes   yes      yes        yes         yes
 *     dense                      yes        yes    yes   yes      yes        yes         no
 *     constrained_aba            no         yes    no    no       yes        yes         no
 *     prox_ltl                   yes        yes    yes   yes      yes        yes         no
 *     prox_ltls                  yes        yes    no    yes      yes        yes         no
 *     pv                         yes        yes    yes   yes      yes        yes         yes
 *     prox_pv                    yes        yes    yes   yes      yes        yes         no
 *     pv_soft                    no         yes    no    no       yes        yes         no
 *     pv_early                   no         yes    no    no       yes        yes         no
 *     ltl                        yes        yes    yes   yes      yes        yes         no
 *     Delassus automatic         yes        yes    yes   yes      yes        -           -
 *     Delassus dense             yes        yes    yes   yes      yes        -           -
 *     Delassus ltl_osim          yes        yes    yes   yes      yes        -           -
 *     Delassus kjr               no         yes    no    no       yes        -           -
 *     Delassus efpa              no         yes    no    no       yes        -           -
 *     Delassus pv_osim           no         yes    no    no       yes        -           -
 *     Delassus pv_osimr          no         yes    no    no       yes        -           -
 *     damped automatic           yes        yes    yes   yes      yes        yes         -
 *     damped dense               yes        yes    yes   yes      yes        yes         -
 *     damped ltl_inverse         yes        yes    yes   yes      yes        yes         -
 *     damped ltl_cholesky        yes        yes    yes   yes      yes        yes         -
 *     damped pv_osimr            no         yes    no    no       yes        yes         -
 *     damped pv_osimf            no         yes    no    no       yes        yes         -
 *     damped caba_osim           no         yes    no    no       yes        yes         -
 *     damped caba_osimf          no         yes    no    no       yes        yes         - */

/* Rank and scale of rows: what every method, the products of the Delassus matrix and the projections mean by rows
 * that nothing moves, that depend on each other or that contradict.
 *   With M = L L^T, a row of J L^-T and the root of its compliance have a length, sqrt((J M^-1 J^T + R)_rr). Its
 * typical length is fixed when the set is finished: the geometric mean of sqrt((J M^-1 J^T)_rr) over the neutral and
 * three seeded configurations. Where in all four each joint on the row's path moves it by less than 1e-6 of what it
 * could with a lever arm as long as the robot's reach, nothing moves the row, and its typical length is the one that
 * all joints together could give it.
 * A row is measured in units of the larger of its length and its typical length. So metres, radians, masses, the size
 * of the robot and its place in the world do not matter.
 *   Of the matrix of rows so scaled, singular values up to 1e-6 times the largest (or times 1, where all are smaller)
 * are zero: those rows depend on others, or nothing moves them. What no force can reach of the right-hand sides, with
 * the least sum of weight * residual^2, is their contradiction: where it is more than rounding, TENON_INFEASIBLE.
 *   Near this border methods may find another rank and so another status. Close to it an answer is known to fewer
 * digits: a residual of 1e-11 moves joints by 1e-11 over the smallest singular value that counts.
 *
 * How constrained dynamics is solved. A row has converged when its residual is below absolute_tolerance +
 * relative_tolerance * unit, the unit of a row being the largest acceleration that any row asks for or sees, or less
 * where the row is harder to move than that one: the largest of (acceleration / typical length) times its own.
 *   Iterations that stall above that are not believed. The rows then go to TENON_METHOD_CONSTRAINED_ABA where that is
 * much cheaper, and at last to TENON_METHOD_DENSE, which does not iterate; the report says so: with every method but
 * TENON_METHOD_PV_SOFT and whatever the options. */
typedef struct tenon_solve_options {
  uint32_t struct_size;
  int32_t method;             /* TENON_METHOD_*; default TENON_METHOD_AUTOMATIC */
  int32_t max_iterations;     /* 0: as many as help, then TENON_METHOD_DENSE, so that TENON_MAX_ITERATIONS does not
                                 occur; 1 or more: a limit, after which the answer so far is written. Default 0 */
  int32_t warm_start;         /* 1: start from the lambda handed in; default 0 */
  int32_t accelerate;         /* 1: combine sweeps to the smallest residual; 0: plain proximal iterations as in the
                                 papers; default 1 */
  int32_t split_base;         /* TENON_SPLIT_*, TENON_METHOD_PV and TENON_METHOD_PROX_PV only: factor the rows of each
                                 branch of the root body by themselves; default TENON_SPLIT_AUTOMATIC */
  double absolute_tolerance;  /* > 0; default 1e-12 */
  double relative_tolerance;  /* >= 0; default 1e-11 */
  double mu;                  /* proximal parameter; 0: Tenon's choice, raised as iterations go on; else fixed on every
                                 row, up to 1e10 over (typical length)^2, beyond which it would only cost digits.
                                 Default 0 */
  double tikhonov;            /* >= 0; for TENON_METHOD_PV, which AUTOMATIC then takes: compliance added to every row,
                                 so that dependent rows can be solved directly, and never exactly; default 0: they are
                                 solved by iterations */
} tenon_solve_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_solve_options_init(tenon_solve_options *options, size_t size);

/* Motion and constraint forces, [CABA] Eq. 8:
 *
 *     M qdd + c = tau + J^T lambda + external,    J qdd + gamma + R lambda = k
 *
 * k is desired plus stabilisation. Redundant rows: qdd is unique, lambda is one of its splits. Contradictory rows: the
 * qdd of least sum of weight * residual^2, and TENON_INFEASIBLE. With no constraints it is forward dynamics.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links, as tenon_inverse_dynamics; NULL: none.
 * desired: m, desired accelerations of the rows; NULL: zero. qdd: nv, written. lambda: m, written; read first if
 * options->warm_start; NULL: not wanted (then no warm start). Allocates: nothing with TENON_METHOD_AUTOMATIC (of large
 * robots, tenon_workspace_create, at the first call whose rows need TENON_METHOD_DENSE); with another method, or with
 * tikhonov, at the first call with it. Threads: one at a time per workspace.
 * Status: TENON_OK; TENON_MAX_ITERATIONS, TENON_INFEASIBLE (answers written); TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION (embedded loops),
 * TENON_UNSUPPORTED (a method that this version lacks, or that does not take these rows or loops). Cost: of the method,
 * see TENON_METHOD_*. Since: 0.1. */
TENON_API tenon_status tenon_constrained_dynamics(tenon_workspace *workspace, const tenon_solve_options *options,
                                                  const double *q, size_t q_count, const double *v, size_t v_count,
                                                  const double *tau, size_t tau_count, const double *wrenches,
                                                  size_t wrenches_count, const double *desired, size_t desired_count,
                                                  double *qdd, size_t qdd_count, double *lambda, size_t lambda_count);

/* Inverse dynamics with constraint forces: the tau that makes the robot accelerate by a while the constraints push with
 * lambda, as a controller that has chosen both needs it,
 *
 *     tau = M a + c - J^T lambda - external
 *
 * It undoes tenon_constrained_dynamics: with the qdd and lambda of that call it gives its tau. Whether a keeps the
 * constraints, and lambda can be had from them, is not looked at; on coordinates without a motor, those of a floating
 * base for instance, tau is what lambda leaves unbalanced there (tenon_underactuated_inverse_dynamics finds lambda).
 * q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. lambda: m; NULL: zero. tau: nv, written. Allocates: nothing.
 * Threads: one at a time per workspace. Status: as tenon_inverse_dynamics. Cost: O(n + m). Since: 0.1. */
TENON_API tenon_status tenon_constrained_inverse_dynamics(tenon_workspace *workspace, const double *q, size_t q_count,
                                                          const double *v, size_t v_count, const double *a,
                                                          size_t a_count, const double *wrenches, size_t wrenches_count,
                                                          const double *lambda, size_t lambda_count, double *tau,
                                                          size_t tau_count);

/* Motors and constraint forces for a wanted motion of a robot some of whose coordinates have no motor, as those of a
 * floating base: the inverse dynamics of legged robots, or what holds them still on their feet,
 *
 *     M a + c = tau + J^T lambda + external,    tau = 0 on coordinates without motor
 *
 * lambda is the one of least sum of lambda^2 / weight that does so (tenon_constraint_options.weights); of least sum of
 * (lambda * typical length)^2, where rows depend on each other nearly but not to rounding. Forces may pull
 * as well as push, and slide: limits and friction are for the caller to check. a should keep the constraints. Where no
 * forces of the rows move the coordinates without motor as wanted, what is missing there is made least in the metric of
 * their mass matrix, tau is still 0 there, and the status TENON_INFEASIBLE.
 * actuated: nv, 1 for a coordinate with motor and 0 for one without; NULL: all have one but those of a floating base.
 * q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. lambda: m, written; may be NULL. tau: nv, written.
 * Allocates: at the first call. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INFEASIBLE, or as tenon_inverse_dynamics; TENON_INVALID_ARGUMENT also for actuated;
 * TENON_NOT_POSITIVE_DEFINITE; TENON_UNSUPPORTED (rows with compliance, whose forces follow from the motion; embedded
 * loops in spanning coordinates, where the forces in the loops are unknown too).
 * Cost: O(n^2 + m n + m f^2 + f^3) for f coordinates without motor. Since: 0.1. */
TENON_API tenon_status tenon_underactuated_inverse_dynamics(tenon_workspace *workspace, const int32_t *actuated,
                                                            size_t actuated_count, const double *q, size_t q_count,
                                                            const double *v, size_t v_count, const double *a,
                                                            size_t a_count, const double *wrenches,
                                                            size_t wrenches_count, double *lambda, size_t lambda_count,
                                                            double *tau, size_t tau_count);

/* Impact on the constraints: the velocities after all rows are hit at once, by Newton's law of restitution,
 *
 *     M (v+ - v) = J^T impulse,    J v+ + R impulse = - restitution J v
 *
 * With restitution 0 it is tenon_project_velocities. Rows hold in both directions: the caller chooses the set of those
 * that are hit. Redundant rows: v+ is unique, impulse is one of its splits. Rows that depend on each other and ask for
 * different rebounds, or rows that nothing moves: the least sum of weight * residual^2, and TENON_INFEASIBLE. Energy
 * is kept by restitution 1 on rigid rows. Where the model has loops, v must keep them closed, and goes on to.
 * restitution: m or 1 (for all rows), from 0 to 1; NULL: 0. q: nq. v: nv, read and written. impulse: m,
 * N s or N m s, written; may be NULL. The report tells how it was solved. Allocates: at the first call.
 * Threads: one at a time per workspace. Status: as tenon_project_velocities; TENON_INVALID_ARGUMENT also for
 * restitution. Cost: O(n d^2 + m^2 d + m^3). Since: 0.1. */
TENON_API tenon_status tenon_impact(tenon_workspace *workspace, const double *restitution, size_t restitution_count,
                                    const double *q, size_t q_count, double *v, size_t v_count, double *impulse,
                                    size_t impulse_count);

/* How the last constrained solve of a workspace went. */
typedef struct tenon_solve_report {
  uint32_t struct_size;
  int32_t iterations;      /* sweeps after which a residual was looked at */
  int32_t rank;            /* of the constraint rows, where the method finds it; else -1 */
  int32_t method;          /* TENON_METHOD_* that gave the answer: what TENON_METHOD_AUTOMATIC chose, or what the
                              method asked for handed over to (pv its dependent rows to prox_pv, ltl to prox_ltl,
                              pv_early more rows on a link than it takes to constrained_aba, all where they stall to
                              dense); 0 before the first solve */
  double primal_residual;  /* largest |J qdd + gamma - k + R lambda| of a row, m/s^2 or rad/s^2 */
  double dual_residual;    /* largest |Lambda^-1 residual|, small at a least-squares answer. [CABA] Eq. 15 */
  double mu;               /* the last one used; relative to each row's Delassus diagonal where scheduled */
} tenon_solve_report;

/* Prepares a report struct: zeros, and struct_size.
 * size: sizeof *report. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_solve_report_init(tenon_solve_report *report, size_t size);

/* Fills report, prepared by its _init, with the last constrained solve of the workspace (of a step: of its last
 * stage). Of a smaller struct only its bytes are written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_report(tenon_workspace *workspace, tenon_solve_report *report);

/* The constraint rows at a state: J, the right-hand side with J qdd = rhs (desired and stabilisation included, the
 * velocity part gamma taken off), position errors against the anchors, and velocities J v.
 * q: nq. v: nv. desired: m, or NULL for zero. J: m x nv, column-major, leading dimension ldj >= m, or NULL. rhs,
 * position_error, row_velocity: m each, or NULL. Position errors: of linear rows the displacement, of angular rows the
 * rotation vector from the anchor (angle times axis, the angle from 0 to pi), along the row's axes; of custom rows 0.
 * Allocates: nothing.
 * Threads: one at a time per workspace. Status: as tenon_inverse_dynamics. Cost: O(n + m n). Since: 0.1. */
TENON_API tenon_status tenon_constraint_rows(tenon_workspace *workspace, const double *q, size_t q_count,
                                             const double *v, size_t v_count, const double *desired,
                                             size_t desired_count, double *J, size_t J_count, int32_t ldj, double *rhs,
                                             size_t rhs_count, double *position_error, size_t position_error_count,
                                             double *row_velocity, size_t row_velocity_count);

/* ---- Delassus matrix and operational space ---------------------------------------------------------------------- */

/* With embedded loops, v = G ydot, M^-1 stands for G (G^T M G)^-1 G^T in this section: what forces do to a mechanism
 * that keeps its loops closed at q (bring q there by tenon_close_loops first). Every call that takes q may then return
 * TENON_SINGULAR_CONFIGURATION as well. Wensing et al. ([LOOPS1] VIII) have the method. */

/* How the Delassus matrix is formed. */
typedef struct tenon_delassus_options {
  uint32_t struct_size;
  int32_t method;  /* TENON_DELASSUS_METHOD_*; default TENON_DELASSUS_METHOD_AUTOMATIC */
} tenon_delassus_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_delassus_options_init(tenon_delassus_options *options, size_t size);

/* The Delassus matrix A = J M^-1 J^T of the constraint rows, the inverse of the operational-space inertia Lambda. Row
 * and column r are the constraints' row r. Symmetric to the last bit; rows on the world are zero; compliance is not
 * part of it.
 * options: NULL for the defaults. q: nq. A: m x m, column-major, leading dimension lda >= m, both triangles, written.
 * Units: of row i's velocity over row j's impulse. Allocates: at the first call. Threads: one at a time per workspace.
 * Status: as tenon_inverse_dynamics, TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION, TENON_UNSUPPORTED (a
 * method that this version lacks, or rows between two moving links by any but TENON_DELASSUS_METHOD_AUTOMATIC,
 * _LTL_OSIM, which it takes, and _DENSE). Cost: of the method, see TENON_DELASSUS_METHOD_*. Since: 0.1. */
TENON_API tenon_status tenon_delassus(tenon_workspace *workspace, const tenon_delassus_options *options,
                                      const double *q, size_t q_count, double *A, size_t A_count, int32_t lda);

/* How the damped inverse of the Delassus matrix is formed. */
typedef struct tenon_damped_options {
  uint32_t struct_size;
  int32_t method;        /* TENON_DAMPED_METHOD_*; default TENON_DAMPED_METHOD_AUTOMATIC */
  double mu;             /* of every row; 0: Tenon's choice, scaled to the robot. Default 0 */
  const double *row_mu;  /* instead, for each row a number as mu; NULL: mu. Default NULL */
  size_t row_mu_count;   /* m */
} tenon_damped_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_damped_options_init(tenon_damped_options *options, size_t size);

/* The damped inverse (A + R + 1 / mu)^-1 of the Delassus matrix, R the compliance of the rows, as proximal solvers and
 * regularised operational-space control use it; rows that depend on each other are an ordinary case. [CABA] VI.
 * A large mu comes close to the inverse where there is one; where rows depend on each other the result grows with mu.
 * (A + R + 1 / mu) times it is the identity to (rounding) * mu * (diagonal of A): ten times the mu, a digit less.
 * Tenon's choice, 1e5 over the typical diagonal of A for each row, keeps eight digits and more, unless the mass matrix
 * itself is so badly conditioned that fewer are right. TENON_DAMPED_METHOD_CABA_OSIM and _OSIMF leave configurations in
 * which rows on different links depend on each other to TENON_DAMPED_METHOD_PV_OSIMR, because they would lose the
 * square of that factor; and to it constraints on several bodies of one cluster of embedded loops, or on what hangs on
 * several of them. They and TENON_DAMPED_METHOD_PV_OSIMF leave to it any mu above 1e10 over the typical diagonal of A
 * too. options: NULL for the defaults. q: nq. inverse: m x m, column-major, leading dimension ld >= m, both triangles,
 * written. Allocates: at the first call. Threads: one at a time per workspace. Status: as tenon_delassus;
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE and TENON_NOT_FINITE also for mu. Rows between two moving links by
 * TENON_DAMPED_METHOD_AUTOMATIC, _LTL_CHOLESKY, which it takes, _LTL_INVERSE and _DENSE. Cost: of the method, see
 * TENON_DAMPED_METHOD_*. Since: 0.1. */
TENON_API tenon_status tenon_delassus_inverse(tenon_workspace *workspace, const tenon_damped_options *options,
                                              const double *q, size_t q_count, double *inverse, size_t inverse_count,
                                              int32_t ld);

/* The same in two steps for those who need products only: prepares the damped inverse and keeps it until the next call
 * of this function or of tenon_delassus_inverse. options: NULL for the defaults. q: nq.
 * Allocates: at the first call. Threads: one at a time per workspace.
 * Status: as tenon_delassus_inverse. Cost: of the method. Since: 0.1. */
TENON_API tenon_status tenon_delassus_factor(tenon_workspace *workspace, const tenon_damped_options *options,
                                             const double *q, size_t q_count);
/* The second step, X = (A + R + 1 / mu)^-1 B.
 * B: m x columns, leading dimension ldb >= m. X: m x columns, leading dimension ldx >= m, written. X may be B itself,
 * with the same leading dimension. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (also: nothing prepared), TENON_WRONG_SIZE, TENON_NOT_FINITE.
 * Cost: O(m^2) a column, with TENON_DAMPED_METHOD_CABA_OSIMF O(m). Since: 0.1. */
TENON_API tenon_status tenon_delassus_apply(tenon_workspace *workspace, int32_t columns, const double *B,
                                            size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);

/* What operational-space control takes (Khatib, 1987), all at once:
 *
 *     Lambda = (J M^-1 J^T)^-1       m x m    operational-space inertia
 *     J_bar  = M^-1 J^T Lambda       nv x m   dynamically consistent inverse of J
 *     N      = 1 - J_bar J           nv x nv  accelerations (and velocities) that the rows do not see: J N = 0
 *
 * Where rows depend on each other, or are on the world, Lambda is the pseudo-inverse and TENON_RANK_DEFICIENT says so;
 * J J_bar J = J, J_bar J J_bar = J_bar and J N = 0 hold all the same. Embedded loops in spanning coordinates: M^-1
 * stands for G (G^T M G)^-1 G^T, and N = (1 - J_bar J) G E, where E picks the independent coordinates of all (G E alone
 * without rows): J N = 0, N N = N, and J J_bar J = J on motions that keep the loops closed.
 * q: nq. Lambda: m x m, leading dimension ldl >= m, written; or NULL. J_bar: nv x m, leading dimension ldj >= nv,
 * written; or NULL. N: nv x nv, leading dimension ldn >= nv, written; or NULL. All are column-major. *rank: of the
 * rows; may be NULL.
 * Allocates: at the first call. Threads: one at a time per workspace. Status: TENON_OK, TENON_RANK_DEFICIENT, or as
 * tenon_delassus; TENON_UNSUPPORTED for rows between two moving links. Cost: O(m n + m^3), and O(m^2 n) for J_bar, O(m
 * n^2) for N. Since: 0.1. */
TENON_API tenon_status tenon_operational_space(tenon_workspace *workspace, const double *q, size_t q_count,
                                               double *Lambda, size_t Lambda_count, int32_t ldl, double *J_bar,
                                               size_t J_bar_count, int32_t ldj, double *N, size_t N_count, int32_t ldn,
                                               int32_t *rank);

/* X = M(q)^-1 B without forming or factoring M, by the articulated-body recursion ([RBDA] table 7.1): cheaper than
 * tenon_factor_mass_matrix and tenon_solve_mass_matrix for few columns.
 * q: nq. B: nv x columns, leading dimension ldb >= nv. X: nv x columns, leading dimension ldx >= nv, written. X may be
 * B itself, with the same leading dimension. Allocates: at the first call. Threads: one at a time per workspace.
 * Status: as tenon_inverse_dynamics, and TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION. Cost: O(n) a
 * column. Since: 0.1. */
TENON_API tenon_status tenon_inverse_mass_times(tenon_workspace *workspace, const double *q, size_t q_count,
                                                int32_t columns, const double *B, size_t B_count, int32_t ldb,
                                                double *X, size_t X_count, int32_t ldx);

/* ---- Configuration space ---------------------------------------------------------------------------------------- */

/* Moves q by dt * v, v held constant in the axes of each joint's child (the exponential map of spherical, planar and
 * floating joints).
 * q: nq. v: nv. dt: s, any sign. next: nq, written; may be q itself. Allocates: nothing.
 * Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_NOT_NORMALIZED. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_integrate(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                       size_t v_count, double dt, double *next, size_t next_count);

/* The velocity that leads from one configuration to another in unit time: integrate(from, v, 1) = to. Rotations take
 * the short way, of planar joints too: there the angle that is reached may differ from that of `to` by whole turns.
 * from, to: nq. v: nv, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_integrate. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_difference(tenon_workspace *workspace, const double *from, size_t from_count,
                                        const double *to, size_t to_count, double *v, size_t v_count);

/* The configuration of zeros and unit quaternions.
 * q: nq, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_neutral(tenon_workspace *workspace, double *q, size_t q_count);

/* A random configuration, the same for the same seed on every machine: within the limits, where these are infinite
 * within +-pi (angles) and +-1 m, or as near to the other limit as that is wide; orientations uniform. Independent
 * positions are such that the loops can be closed; spanning ones leave them open (tenon_close_loops).
 * q: nq, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_neutral. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_random(tenon_workspace *workspace, uint64_t seed, double *q, size_t q_count);

/* ---- Kinematic loops -------------------------------------------------------------------------------------------- */

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
 * loops returns TENON_UNSUPPORTED, and the message names one that can.
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
 * tenon_jacobian J G and tenon_centroidal_momentum_matrix A G (their biases are d/dt (J G) ydot and d/dt (A G) ydot),
 * tenon_constraint_rows J G and rhs - J g; tau acts on the independent coordinates. tenon_factor_mass_matrix and
 * tenon_inverse_mass_times work on H, of which they give G H^-1 G^T in spanning coordinates. Spanning positions with
 * independent velocities are the common choice: nothing is searched for, and tenon_integrate and the steps in time
 * return configurations with closed loops. States of other libraries always have every joint; tenon_convert_... reads
 * the independent coordinates out of them. The calls of this section take what their blocks say, except
 * tenonx_loop_forward_dynamics and tenonx_loop_inverse_dynamics.
 *
 * Independent positions become q by following the loops from the guess, a configuration that tells which way of
 * assembly is meant (tenon_workspace_set_guess), in a straight line of the independent positions. The result depends on
 * them and the guess alone: nothing is remembered from call to call. A dead centre on the way may change the way of
 * assembly, so set the guess as the robot moves on. TENON_OPEN_LOOP where no closed loops are found. Couplings need no
 * search.
 *
 * positions, velocities: TENON_COORDINATES_*; at first spanning. Without loops there is no difference. What
 * tenon_kinematics and tenon_factor_mass_matrix left is forgotten. Allocates: nothing. Threads: one at a time per
 * workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_UNSUPPORTED (independent positions of a model with a joint
 * of several coordinates some of which are independent). Cost: O(1); computations with independent velocities O(n) more
 * (mass matrix O(n^2 ny)), with independent positions O(n) for each of some five steps of the search. Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_coordinates(tenon_workspace *workspace, int32_t positions,
                                                       int32_t velocities);

/* What was set. *positions, *velocities: either may be NULL. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_workspace_coordinates(tenon_workspace *workspace, int32_t *positions, int32_t *velocities);

/* How many positions and velocities computations on this workspace take: nq or nyq, nv or ny; and how many constraint
 * rows it has, m: those of its set, of which loops by rows (TENON_LOOP_TREATMENT_ROWS) are the last, or without a set
 * those of these loops. lambda and desired have so many numbers. TENON_INVALID_ARGUMENT (negative) for NULL.
 * Allocates: nothing. Threads: one at a time per workspace. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_workspace_position_count(const tenon_workspace *workspace);
TENON_API int32_t tenon_workspace_velocity_count(const tenon_workspace *workspace);
TENON_API int32_t tenon_workspace_row_count(const tenon_workspace *workspace);

/* Where the search for dependent positions starts. Set: the loops of q are closed first, by their dependent
 * coordinates. At first it is a closed configuration found when the model was made; so this is also the way to get one.
 * Loops by rows are closed there too. Without any loop it is neutral.
 * q: nq. Allocates: nothing. Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_OPEN_LOOP. Cost: as tenon_close_loops; O(n).
 * Since: 0.1. */
TENON_API tenon_status tenon_workspace_set_guess(tenon_workspace *workspace, const double *q, size_t q_count);
/* That configuration. q: nq, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_workspace_guess(tenon_workspace *workspace, double *q, size_t q_count);

/* Independent velocity coordinates; independent positions, those of joints all of whose coordinates are independent;
 * clusters; loops, couplings, gears and implicit constraints, the embedded ones first, then loops by rows; rows of the
 * embedded ones, as tenon_loop_jacobian has them. Each returns the number, or TENON_INVALID_ARGUMENT (negative) for
 * NULL.
 * Allocates: nothing. Threads: any. Cost: O(1). Since: 0.1. */
TENON_API int32_t tenon_model_ny(const tenon_model *model);
TENON_API int32_t tenon_model_nyq(const tenon_model *model);
TENON_API int32_t tenon_model_cluster_count(const tenon_model *model);
TENON_API int32_t tenon_model_loop_count(const tenon_model *model);
TENON_API int32_t tenon_model_loop_row_count(const tenon_model *model);

/* Where the independent coordinates stand, ascending: v_index[j] of v for independent velocity j; q_index[i] of q for
 * independent position i.
 * v_index: ny, written. q_index: nyq, written. Allocates: nothing. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_model_independent(const tenon_model *model, int32_t *v_index, size_t v_index_count);
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
  int32_t reserved;
  const char *name;                  /* borrowed from the model */
} tenon_loop_info;

/* Prepare an information struct: zeros, and struct_size.
 * size: sizeof *info. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_cluster_info_init(tenon_cluster_info *info, size_t size);
TENON_API tenon_status tenon_loop_info_init(tenon_loop_info *info, size_t size);

/* Fills info, prepared by its _init, for a cluster; for a loop. Of a smaller struct only its bytes are written.
 * Allocates: nothing. Threads: any.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE.
 * Cost: O(rotors); O(1). Since: 0.1. */
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

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_closing_options_init(tenon_closing_options *options, size_t size);

/* The largest gap of all loops at q: m, rad, or the unit of a coupling. Below 1e-9 a loop counts as closed. An end
 * turned over by half a turn is a gap of pi, whatever the type of the loop.
 * q: nq. *gap: written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(n).
 * Since: 0.1. */
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

/* Prepares a struct: zeros, and struct_size.
 * size: sizeof *state. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_loop_state_init(tenon_loop_state *state, size_t size);

/* Tells whether q and v keep the loops closed, and which loop is worst.
 * q: nq. v: nv, or NULL. state: prepared by its _init. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_loop_gap. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_check_loops(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                         size_t v_count, tenon_loop_state *state);

/* Moves q until all loops are closed, to rounding. From far starts too: where the direct way fails and only dependent
 * coordinates may move, it follows the loops from a configuration that is known to be closed, then tries other starts,
 * so that the way of assembly may change.
 * options: NULL for the defaults. q: nq, read and written. gap: what is left, or NULL. Allocates: nothing. Threads: one
 * at a time per workspace. Status: as tenon_loop_gap, TENON_UNSUPPORTED (options), and TENON_INFEASIBLE: not closed, q
 * is the best found. Cost: O(n) a step, 5 to 10 of them from nearby. Since: 0.1. */
TENON_API tenon_status tenon_close_loops(tenon_workspace *workspace, const tenon_closing_options *options, double *q,
                                         size_t q_count, double *gap);

/* v := the velocity nearest to it that keeps the loops closed: with the same independent coordinates, or (all) in the
 * metric of the mass matrix. options: NULL for the defaults. q: nq. v: nv, read and written. Allocates: nothing; all:
 * at the first call. Threads: one at a time per workspace.
 * Status: as tenon_loop_gap, and TENON_SINGULAR_CONFIGURATION, TENON_NOT_POSITIVE_DEFINITE, TENON_UNSUPPORTED
 * (options). Cost: O(n); all: O(n^2 ny). Since: 0.1. */
TENON_API tenon_status tenon_close_loop_velocities(tenon_workspace *workspace, const tenon_closing_options *options,
                                                   const double *q, size_t q_count, double *v, size_t v_count);

/* Independent positions out of those of all joints. q: nq. y: nyq, written. Allocates: nothing. Threads: one at a time
 * per workspace. Status: as tenon_loop_gap. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_independent_positions(tenon_workspace *workspace, const double *q, size_t q_count,
                                                   double *y, size_t y_count);
/* Back again. y: nyq. guess: nq, where the search begins; NULL: the workspace's, whose way of assembly is followed
 * first. q: nq, written. Allocates: nothing. Threads: one at a time per workspace. Status: as tenon_loop_gap,
 * and TENON_INFEASIBLE: not closed, q is the best found. Cost: as tenon_close_loops. Since: 0.1. */
TENON_API tenon_status tenon_spanning_positions(tenon_workspace *workspace, const double *y, size_t y_count,
                                                const double *guess, size_t guess_count, double *q, size_t q_count);

/* How long tenon_find_assemblies looks. */
typedef struct tenon_assembly_options {
  uint32_t struct_size;
  int32_t starts;  /* 1 or more; default 20, which find all ways of simple linkages */
} tenon_assembly_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_assembly_options_init(tenon_assembly_options *options, size_t size);

/* Ways to assemble the loops for the independent positions of q: distinct closed configurations found from so many
 * starts of the dependent joints, q itself and random ones, the same at every call. Turns of 2 pi count once.
 * options: NULL for the defaults. q: nq. capacity: 1 or more. assemblies: nq x capacity, written one
 * configuration after the other. *found: how many there are, at most capacity; without loops 1, q itself.
 * Allocates: nothing. Threads: one at a time per workspace. Status: as tenon_loop_gap, and TENON_UNSUPPORTED (options).
 * Cost: as tenon_close_loops for each start. Since: 0.1. */
TENON_API tenon_status tenon_find_assemblies(tenon_workspace *workspace, const tenon_assembly_options *options,
                                             const double *q, size_t q_count, int32_t capacity, double *assemblies,
                                             size_t assemblies_count, int32_t *found);

/* The independent velocities out of those of all joints; of accelerations alike. v: nv. ydot: ny, written. Allocates:
 * nothing. Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_independent_velocity(tenon_workspace *workspace, const double *v, size_t v_count,
                                                  double *ydot, size_t ydot_count);
/* v = G ydot at q. q: nq. ydot: ny. v: nv, written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: as tenon_loop_gap, and TENON_SINGULAR_CONFIGURATION. Cost: O(n). Since: 0.1. */
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
 * g: nv, written; or NULL. Allocates: nothing. Threads: one at a time per workspace. Status: as
 * tenon_spanning_velocity. Cost: O(nv ny). Since: 0.1. */
TENON_API tenon_status tenon_loop_map(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                      size_t v_count, double *G, size_t G_count, int32_t ldg, double *g,
                                      size_t g_count);

/* The loops' rows: phi(q) = 0, K v = 0, K qdd = k, exact derivatives of phi also where loops are open (but at a half
 * turn, where the angle of a rotation jumps). Rows that no joint moves are left out. q: nq. v: nv; NULL: at rest.
 * K: loop rows x nv, column-major, leading dimension ldk, written; or NULL. k, phi: loop rows, written; or NULL.
 * Allocates: nothing. Threads: one at a time per workspace. Status: as tenon_loop_gap. Cost: O(n + rows nv). Since:
 * 0.1. */
TENON_API tenon_status tenon_loop_jacobian(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                           size_t v_count, double *K, size_t K_count, int32_t ldk, double *k,
                                           size_t k_count, double *phi, size_t phi_count);

/* States as other libraries write them, to and from Tenon's. What differs is the order of joints, the width of a joint
 * in q, and the axes of velocities. For a joint whose child frame F' moves in the joint frame F (of a floating joint F
 * is its parent's frame):
 *
 *               Tenon                     Pinocchio                MuJoCo                  Drake
 *   continuous  angle                     [cos sin]                angle                   angle
 *   spherical   [x y z w]                 [x y z w]                [w x y z]               [roll pitch yaw]
 *               angular in F'             angular in F'            angular in F'           angular in F
 *   planar      [x y angle]               [x y cos sin]            [x y angle]             [x y angle]
 *               [angular; linear in F']   [linear in F'; angular]  [linear in F; angular]  [linear in F; angular]
 *   floating    [p; x y z w]              [p; x y z w]             [p; w x y z]            [w x y z; p]
 *               [angular; linear] in F'   [linear; angular] in F'  [linear in F;           [angular; linear] in F
 *                                                                   angular in F']
 *
 * Revolute, prismatic and screw joints are alike in all. MuJoCo has no screw, and no planar joint: two slides and a
 * hinge stand for it. F of a planar joint has z along its axis, and x and y in the plane as section 4 says: MuJoCo
 * places its slides so when it reads URDF; Pinocchio and Drake pass over the axis of a planar joint there, so give them
 * one along z.
 * Drake's roll and yaw turn about one axis at pitch +-pi/2; there yaw takes both.
 *
 * direction: TENON_DIRECTION_FROM_OTHER or TENON_DIRECTION_TO_OTHER. joints: the indices of Tenon's joints in the other
 * library's order, each once; NULL where the order is the same. (Pinocchio sorts the joints below one link by name;
 * MuJoCo keeps the order of the file.) q, v: always Tenon's. in and out may not overlap. Accelerations are time
 * derivatives of velocities in the same coordinates; forces do the same power. */

/* Numbers of a configuration in another library's convention; -1 for NULL or an unknown convention.
 * Allocates: nothing. Threads: any. Cost: O(n). Since: 0.1. */
TENON_API int32_t tenon_convention_nq(const tenon_model *model, int32_t convention);

/* Configurations. joints: joint_count, or NULL. in: nq or convention_nq (tenon_convention_nq); out: convention_nq or
 * nq, written. Allocates: nothing. Threads: one at a time per workspace. Status: TENON_OK, TENON_INVALID_ARGUMENT (an
 * unknown constant, a joint twice), TENON_WRONG_SIZE, TENON_OUT_OF_RANGE (joints), TENON_NOT_FINITE,
 * TENON_NOT_NORMALIZED. Cost: O(n), and O(n^2) comparisons of joints. Since: 0.1. */
TENON_API tenon_status tenon_convert_configuration(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                                   const int32_t *joints, size_t joint_count, const double *in,
                                                   size_t in_count, double *out, size_t out_count);

/* Velocities, m/s and rad/s. q: nq. in: nv. out: nv, written. Otherwise as tenon_convert_configuration. Since: 0.1. */
TENON_API tenon_status tenon_convert_velocity(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                              const int32_t *joints, size_t joint_count, const double *q,
                                              size_t q_count, const double *in, size_t in_count, double *out,
                                              size_t out_count);

/* Accelerations, m/s^2 and rad/s^2. q: nq. v: nv, Tenon's velocity, for the turning of axes. in: nv. out: nv, written.
 * Otherwise as tenon_convert_configuration. Since: 0.1. */
TENON_API tenon_status tenon_convert_acceleration(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                                  const int32_t *joints, size_t joint_count, const double *q,
                                                  size_t q_count, const double *v, size_t v_count, const double *in,
                                                  size_t in_count, double *out, size_t out_count);

/* Forces, N and N m. q: nq. in: nv. out: nv, written. Otherwise as tenon_convert_configuration.
 * Status: as tenon_convert_configuration, and TENON_SINGULAR_CONFIGURATION (embedded loops). Since: 0.1. */
TENON_API tenon_status tenon_convert_force(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                           const int32_t *joints, size_t joint_count, const double *q, size_t q_count,
                                           const double *in, size_t in_count, double *out, size_t out_count);

/* Scales the quaternions of q to unit norm, whatever it was but 0; the other coordinates stay.
 * q: nq, read and written. Allocates: nothing. Threads: one at a time per workspace.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED (norm 0: no
 * direction to keep). Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_normalize(tenon_workspace *workspace, double *q, size_t q_count);

/* ---- Steps in time ---------------------------------------------------------------------------------------------- */

/* One time step of the constrained system: semi-implicit Euler, v += dt qdd(q, v), then q = integrate(q, v, dt), first
 * order; Runge-Kutta, fourth order for every kind of joint, four solves: the classical tableau with the corrections of
 * Munthe-Kaas (High order Runge-Kutta methods on manifolds, 1999) for rotations that do not commute. tau and wrenches
 * are held over the step. Set frequencies and anchors so that constraints do not drift. Loops of the model stay closed
 * with independent velocities, which are mapped once and stepped in spanning coordinates inside, so that a step passes
 * a dead centre; in spanning coordinates loops drift as far as the step is wrong. Where a mechanism has loops, the end
 * of a step is checked: one that gains more kinetic energy than ten times what its forces can give, or opens a loop by
 * more than a tenth of what its joints move, is not taken (TENON_SINGULAR_CONFIGURATION: dt is too long for a dead
 * centre nearby).
 * options: NULL for the defaults. dt: s. q: nq, read and written. v: nv, read and written. tau: nv. wrenches: 6 x
 * links; NULL: none. qdd: nv, of the step's first stage, written; may be NULL. lambda: m, likewise, written; read first
 * if options->warm_start; may be NULL. Allocates: as tenon_constrained_dynamics. Threads: one at a time per workspace.
 * Status: as tenon_constrained_dynamics; where it is negative all arrays stay as they were; TENON_NOT_FINITE also for a
 * step that would leave the range of doubles. Cost: one solve; four solves. Since: 0.1. */
TENON_API tenon_status tenon_step_semi_implicit_euler(tenon_workspace *workspace, const tenon_solve_options *options,
                                                      double dt, double *q, size_t q_count, double *v, size_t v_count,
                                                      const double *tau, size_t tau_count, const double *wrenches,
                                                      size_t wrenches_count, double *qdd, size_t qdd_count,
                                                      double *lambda, size_t lambda_count);
TENON_API tenon_status tenon_step_runge_kutta_4(tenon_workspace *workspace, const tenon_solve_options *options,
                                                double dt, double *q, size_t q_count, double *v, size_t v_count,
                                                const double *tau, size_t tau_count, const double *wrenches,
                                                size_t wrenches_count, double *qdd, size_t qdd_count, double *lambda,
                                                size_t lambda_count);

/* ---- Batches: many states in one call --------------------------------------------------------------------------- */

/* A batch computes the same functions as a workspace, of many states of one robot. The numbers of several states are
 * computed side by side in the wide registers of the processor (4 or 8 doubles, 8 or 16 floats), so that a state costs
 * a fraction of a single call: forward, inverse and constrained dynamics, mass matrix, kinematics, rollouts, Delassus
 * matrix and products with its damped inverse, of trees of joints and of robots with embedded loops and geared rotors.
 *   State by state, as a workspace would, are computed: independent coordinates of robots with loops or couplings;
 * dynamics where loops are closed by rows or by functions of the user; rows between two moving links; methods and
 * options other than the defaults, but for mu of the damped inverse up to about 1e8 over a row's Delassus diagonal; and
 * products with the damped inverse in single precision. So are single states at or near a dead centre, with a wrench on
 * a geared rotor, or with rows that do not converge quickly. In single precision robots with loops or couplings are
 * computed in double precision, half as many states side by side, and only the results are rounded.
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
} tenon_batch_options;

/* The numbers of all states of one kind, q for instance: double or float, as the batch was made. Number i of state s is
 * ((double *)data)[s * state_stride + i * number_stride], so that states may be contiguous, or coordinates, or both
 * apart, as in views of larger arrays; strides count numbers and may be negative. Of the records of a rollout, one for
 * each step or each few steps, record r is r * record_stride further. An input may have state_stride 0: the same for
 * all states. Where results would overwrite each other because a stride is 0, or where strides reach further than there
 * are addresses, the call is refused; that the memory is there is up to the caller. */
typedef struct tenon_batch_array {
  void *data;
  size_t count;  /* numbers of each state, nq for q; must be exactly what the function asks */
  ptrdiff_t number_stride;
  ptrdiff_t state_stride;
  ptrdiff_t record_stride;  /* of rollouts; 0 else */
} tenon_batch_array;

/* How a rollout goes on. */
typedef struct tenon_rollout_options {
  uint32_t struct_size;
  int32_t integrator;               /* TENON_INTEGRATOR_*; default TENON_INTEGRATOR_SEMI_IMPLICIT_EULER */
  double dt;                        /* of a step, s; default 0.001 */
  size_t steps;                     /* default 1 */
  size_t every;                     /* states are written after each `every` steps; default 1 */
  const tenon_solve_options *solve; /* NULL: the defaults. Default NULL */
  /* Written where they are not NULL, the default, for each record: accelerations and multipliers at the beginning of
   * the step that ends there, as tenon_step_semi_implicit_euler gives them. */
  const tenon_batch_array *qdd_out;    /* nv a record */
  const tenon_batch_array *lambda_out; /* m a record */
  /* A controller that holds joints where they are wanted, or follows: to tau of a step is added, from the state at its
   * beginning, stiffness (q_target - q) + damping (v_target - v). NULL, the default: zeros; stiffness needs q_target.
   * In spanning coordinates. Only joints of one coordinate have stiffness; that of others is 0, else
   * TENON_UNSUPPORTED. */
  const tenon_batch_array *stiffness;  /* nv */
  const tenon_batch_array *damping;    /* nv */
  const tenon_batch_array *q_target;   /* nq a step, record_stride from step to step, 0: the same in all */
  const tenon_batch_array *v_target;   /* nv a step, likewise */
} tenon_rollout_options;

/* Writes the defaults into options.
 * size: sizeof *options; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_batch_options_init(tenon_batch_options *options, size_t size);
TENON_API tenon_status tenon_rollout_options_init(tenon_rollout_options *options, size_t size);

/* Makes the memory and the threads for computations on many states, and keeps model and constraints alive.
 * constraints: finished, of the same model; NULL: none. options: NULL for the defaults. Allocates: yes.
 * Threads: any. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_UNSUPPORTED (an instruction set that
 * this machine lacks), TENON_OUT_OF_MEMORY. Cost: that of a workspace for each thread. Since: 0.1. */
TENON_API tenon_status tenon_batch_create(const tenon_model *model, const tenon_constraints *constraints,
                                          const tenon_batch_options *options, tenon_batch **batch, char *message,
                                          size_t message_size);

/* Ends the threads and frees the memory. NULL: nothing happens.
 * Allocates: nothing. Threads: not while a call on it runs. Status: none. Cost: O(1). Since: 0.1. */
TENON_API void tenon_batch_destroy(tenon_batch *batch);

/* Why the last call on the batch failed, "" after a good one; valid until the next call.
 * Allocates: nothing. Threads: one at a time per batch. Status: none. Cost: O(1). Since: 0.1. */
TENON_API const char *tenon_batch_message(const tenon_batch *batch);

/* The bytes that a batch holds; how many states it computes side by side, 1 where it has no such kernels; and
 * TENON_INSTRUCTION_SET_* of these, TENON_INVALID_ARGUMENT for NULL.
 * Allocates: nothing. Threads: one at a time per batch. Status: none. Cost: O(1). Since: 0.1. */
TENON_API size_t tenon_batch_size_bytes(const tenon_batch *batch);
TENON_API int32_t tenon_batch_width(const tenon_batch *batch);
TENON_API int32_t tenon_batch_instruction_set(const tenon_batch *batch);

/* Gravity of all states. gravity: 3, m/s^2, world axes. Allocates: nothing. Threads: one at a time per batch.
 * Status: as tenon_workspace_set_gravity. Cost: O(n). Since: 0.1. */
TENON_API tenon_status tenon_batch_set_gravity(tenon_batch *batch, const double *gravity, size_t gravity_count);

/* Anchor of a constraint in all states. pose: 7. Allocates: nothing. Threads: one at a time per batch. Status: as
 * tenon_workspace_set_anchor. Cost: O(1) a state that tenon_batch_set_anchors or tenon_batch_anchor_here set. Since:
 * 0.1. */
TENON_API tenon_status tenon_batch_set_anchor(tenon_batch *batch, int32_t constraint, const double *pose,
                                              size_t pose_count);

/* Anchors of all constraints in `states` states: state s of a later call takes those of state s.
 *   What is set for states (anchors here and by tenon_batch_anchor_here, gains, activity) replaces what was set for all
 * states before. A call that uses constraints must then have as many states, else it is TENON_WRONG_SIZE; what is set
 * for one state holds in every state of calls with any number. No states (0): nothing changes.
 *   A batch begins without anchors. Where a point, a weld or a frame is held at one (frequency > 0)
 * tenon_batch_constrained_dynamics and tenon_batch_rollout are TENON_INVALID_ARGUMENT until it is set. Closures have no
 * anchor: what is given for them is not read.
 * poses: 7 x constraints, in the order of the set. Allocates: at a call with more states than before. Threads: one at a
 * time per batch. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED,
 * TENON_OUT_OF_MEMORY; where it is negative nothing changes, and the message names the state. Cost: O(m) a state.
 * Since: 0.1. */
TENON_API tenon_status tenon_batch_set_anchors(tenon_batch *batch, size_t states, const tenon_batch_array *poses);
/* What was set, the identity where nothing was. poses: 7 x constraints, written; of as many states as were set, or of
 * any number where one was. Allocates: nothing. Threads: one at a time per batch. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(m) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_anchors(tenon_batch *batch, size_t states, const tenon_batch_array *poses);

/* Anchors of all constraints in `states` states := world poses of their frames at q, so that they hold where they are.
 * Where a state fails no anchor changes. q: nq. status: states, written; NULL: not wanted. Allocates: as
 * tenon_batch_set_anchors. Threads: one at a time per batch. Status: as tenon_anchor_here, and TENON_OUT_OF_MEMORY.
 * Cost: O(n + m) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_anchor_here(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                               int32_t *status);

/* Which constraints are on in each of `states` states, as tenon_workspace_set_active switches them; for states as
 * tenon_batch_set_anchors. All start active. active: constraints, 1 or 0, in the order of the set. Allocates, Threads:
 * as tenon_batch_set_anchors. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: another number, a loop of the model that
 * rows close), TENON_WRONG_SIZE, TENON_OUT_OF_MEMORY. Cost: O(m) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_set_active(tenon_batch *batch, size_t states, const tenon_batch_array *active);

/* Gains of all constraints in `states` states, as tenon_workspace_set_gains has them; for states as
 * tenon_batch_set_anchors. They start as the constraint set has them. frequencies: constraints, rad/s, >= 0, in the
 * order of the set. damping_ratios: constraints, >= 0. Allocates, Threads: as tenon_batch_set_anchors. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (also: below 0), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_MEMORY. Cost: O(m)
 * a state. Since: 0.1. */
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
} tenon_batch_parameters;

/* Writes the defaults into parameters: all NULL.
 * size: sizeof *parameters; see tenon_model_options_init. Allocates: nothing. Threads: any, one at a time per struct.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_batch_parameters_init(tenon_batch_parameters *parameters, size_t size);

/* Robots of their own for `states` states, or with states 1 for all; for states as tenon_batch_set_anchors has it, but
 * for every computation except kinematics. Each state is then computed as on a model that the builder makes with these
 * numbers, where the structure stays: which links are lumped together, and which joints tolerant_inertias holds. Robots
 * with geared rotors whose links or armatures differ from the model's move state by state, as a workspace would; so do
 * all where states differ in weights, compliance or frames. What is Tenon's choice (mu, scaled to the robot) is made
 * for the model and the set.
 *   What a body, with all links that are fixed to it, can have is checked as by tenon_builder_finish, if the model
 * itself passes: the message names state and link.
 * Allocates: yes; also at the first call after it. Threads: one at a time per batch. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT (also: a number below 0), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED,
 * TENON_INVALID_INERTIA, TENON_UNSUPPORTED (parameters), TENON_OUT_OF_MEMORY; where it is negative nothing changes, and
 * the message names the state. Cost: O(n) a state; computations O(n) more. Since: 0.1. */
TENON_API tenon_status tenon_batch_set_parameters(tenon_batch *batch, size_t states,
                                                  const tenon_batch_parameters *parameters);

/* The coordinates of all states. Allocates: nothing. Threads: one at a time per batch.
 * Status: as tenon_workspace_set_coordinates. Cost: O(1). Since: 0.1. */
TENON_API tenon_status tenon_batch_set_coordinates(tenon_batch *batch, int32_t positions, int32_t velocities);

/* tenon_forward_dynamics of `states` states. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. qdd: nv, written; all
 * counts are those of one state. status: states, written; NULL: not wanted. Allocates: nothing, but for what a single
 * call allocates at the first. Threads: one at a time per batch. Status: as tenon_forward_dynamics without
 * TENON_INFEASIBLE, which is in `status` only. Cost: O(n) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_forward_dynamics(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                    const tenon_batch_array *v, const tenon_batch_array *tau,
                                                    const tenon_batch_array *wrenches, const tenon_batch_array *qdd,
                                                    int32_t *status);

/* tenon_inverse_dynamics of `states` states. a: nv. tau: nv, written. Arrays, status, Allocates, Threads: as
 * tenon_batch_forward_dynamics. Status: as tenon_inverse_dynamics. Cost: O(n) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_inverse_dynamics(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                    const tenon_batch_array *v, const tenon_batch_array *a,
                                                    const tenon_batch_array *wrenches, const tenon_batch_array *tau,
                                                    int32_t *status);

/* tenon_mass_matrix of `states` states. q: nq. M: nv x nv numbers, column by column, both triangles, written. status,
 * Threads: as tenon_batch_forward_dynamics. Allocates: at the first call. Status: as tenon_mass_matrix, and
 * TENON_OUT_OF_MEMORY. Cost: O(n d) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_mass_matrix(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                               const tenon_batch_array *M, int32_t *status);

/* The lower triangle of that matrix, half the numbers. q: nq. M: triangle, nv (nv + 1) / 2 numbers row by row, element
 * (i, j) with j <= i at [i (i + 1) / 2 + j], written. status, Threads, Allocates: as tenon_batch_mass_matrix.
 * Status: as tenon_batch_mass_matrix. Cost: O(n d) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_mass_matrix_lower(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                     const tenon_batch_array *M, int32_t *status);

/* The factor of that matrix, M = L^T L with a positive diagonal ([RBDA] table 6.3): zero where no joint carries the
 * other. In spanning coordinates of a robot with embedded loops M is that of the tree. q: nq. L: triangle, as
 * tenon_batch_mass_matrix_lower has it, written. status, Threads, Allocates: as tenon_batch_mass_matrix. Status: as
 * tenon_batch_mass_matrix, and TENON_NOT_POSITIVE_DEFINITE. Cost: O(n d^2) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_mass_matrix_factor(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                      const tenon_batch_array *L, int32_t *status);

/* Poses, velocities and Jacobians of chosen links in `states` states: what tenon_link_pose, tenon_link_velocity and
 * tenon_jacobian give after tenon_kinematics.
 * links: link_count, their indices. axes: TENON_AXES_* of velocities and Jacobians. q: nq. v: nv; NULL where no
 * velocities are wanted. poses: 7 x link_count, position and quaternion, written; NULL: not wanted. velocities:
 * 6 x link_count, written; NULL: not wanted. jacobians: 6 x nv x link_count, link by link, column by column, written;
 * NULL: not wanted. status, Allocates, Threads: as tenon_batch_forward_dynamics. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_OUT_OF_RANGE (a link),
 * TENON_OUT_OF_MEMORY. Cost: O(n + links d) a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_kinematics(tenon_batch *batch, size_t states, const int32_t *links,
                                              size_t link_count, int32_t axes, const tenon_batch_array *q,
                                              const tenon_batch_array *v, const tenon_batch_array *poses,
                                              const tenon_batch_array *velocities,
                                              const tenon_batch_array *jacobians, int32_t *status);

/* tenon_constrained_dynamics of `states` states. Side by side by TENON_METHOD_CONSTRAINED_ABA where the method is
 * TENON_METHOD_AUTOMATIC or this and all other options have their defaults; where it is TENON_METHOD_AUTOMATIC and a
 * trial when the batch is made promises less work, TENON_METHOD_PV_EARLY comes first (iterations: 1), with one step of
 * refinement in single precision. States whose rows have not converged after five sweeps, in single precision nine
 * (rows that contradict each other, near-singular ones), are solved as single ones. In single precision rows converge
 * to 2e-5 of their unit.
 * q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. qdd: nv, written. lambda: m, written;
 * read first if options->warm_start; NULL: not wanted. iterations: states, written; NULL: not wanted. options: NULL for
 * the defaults. status, Allocates, Threads: as tenon_batch_forward_dynamics. Status: as tenon_constrained_dynamics
 * without TENON_INFEASIBLE and without TENON_MAX_ITERATIONS, which are in `status` only. Cost: of the method. Since:
 * 0.1. */
TENON_API tenon_status tenon_batch_constrained_dynamics(tenon_batch *batch, const tenon_solve_options *options,
                                                        size_t states, const tenon_batch_array *q,
                                                        const tenon_batch_array *v, const tenon_batch_array *tau,
                                                        const tenon_batch_array *wrenches,
                                                        const tenon_batch_array *desired,
                                                        const tenon_batch_array *qdd, const tenon_batch_array *lambda,
                                                        int32_t *iterations, int32_t *status);

/* tenon_delassus of `states` states. q: nq. A: m x m numbers, column by column, written. options: NULL for the
 * defaults. status, Threads: as tenon_batch_forward_dynamics. Allocates: at the first call. Status: as tenon_delassus.
 * Cost: of the method a state. Since: 0.1. */
TENON_API tenon_status tenon_batch_delassus(tenon_batch *batch, const tenon_delassus_options *options, size_t states,
                                            const tenon_batch_array *q, const tenon_batch_array *A, int32_t *status);

/* X = (A + R + 1 / mu)^-1 B, of tenon_delassus_factor and tenon_delassus_apply, in `states` states. q: nq.
 * B: m x columns numbers, column by column. X: m x columns numbers, likewise, written. options: NULL for the defaults.
 * status, Threads: as tenon_batch_forward_dynamics. Allocates: at the first call, and at one with more columns.
 * Status: as tenon_delassus_factor. Cost: of the method and O(m^2) a column and state. Since: 0.1. */
TENON_API tenon_status tenon_batch_delassus_product(tenon_batch *batch, const tenon_damped_options *options,
                                                    size_t states, int32_t columns, const tenon_batch_array *q,
                                                    const tenon_batch_array *B, const tenon_batch_array *X,
                                                    int32_t *status);

/* options->steps steps in time of `states` states, each with its own torques, as tenon_step_semi_implicit_euler or
 * tenon_step_runge_kutta_4 take them; constraint rows hold if the batch has some.
 * options: NULL for the defaults. q: nq, at the start; not changed. v: nv, likewise. tau: nv a step, record_stride from
 * step to step, 0: the same in all. wrenches: 6 x links a step, likewise; NULL: none. q_out: nq a record,
 * written: record r is the state after (r + 1) * every steps, steps / every records in all; NULL: not wanted. v_out: nv
 * a record, likewise, written; NULL: not wanted. Records of a state that fails are those up to the failure. status,
 * Allocates, Threads: as tenon_batch_forward_dynamics. Status: as tenon_step_runge_kutta_4 without TENON_INFEASIBLE and
 * without TENON_MAX_ITERATIONS, which are in `status` only. Cost: that of the steps. Since: 0.1. */
TENON_API tenon_status tenon_batch_rollout(tenon_batch *batch, const tenon_rollout_options *options, size_t states,
                                           const tenon_batch_array *q, const tenon_batch_array *v,
                                           const tenon_batch_array *tau, const tenon_batch_array *wrenches,
                                           const tenon_batch_array *q_out, const tenon_batch_array *v_out,
                                           int32_t *status);

#ifdef __cplusplus
}
#endif

#endif /* TENON_H */
