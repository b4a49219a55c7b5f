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
 * each pointer in a struct. What later versions let a caller choose becomes a field of the options. The one exception
 * are tenon_batch_parameters and tenon_rollout_options, which hold arrays of batches: of many a caller gives few, which
 * fields name in every language, and later versions add others without another function; a tenon_batch_array, itself a
 * struct that points at memory, has to stay in place for the call wherever it is named.
 * Blocks name an argument, then how many numbers it has: "q: nq." What is not const is written, and where it is read
 * before, the block says so.
 * What a block does not say: the call allocates nothing; one thread at a time may make it for each workspace, batch,
 * builder, struct and set that is not finished, and any number for models, finished sets and calls without an object;
 * it is there since version 0.1.
 * All structs begin with struct_size. tenon_..._init(the struct, sizeof the struct) prepares one: it writes the
 * defaults of options, and zeros into what a call is to fill; of a smaller struct only its bytes are written, and bytes
 * beyond what this version knows are set to 0. In the place of options NULL means the defaults. A shorter struct of an
 * older caller is completed with defaults; a longer one of a newer caller is taken if the part this version does not
 * know is zero, else TENON_UNSUPPORTED; so is a field `reserved` that is not 0. A number that may be 0 where it makes
 * no sense, as mu, is then Tenon's choice. A struct_size below 8 or above 4096 is in memory that nobody prepared:
 * TENON_WRONG_SIZE.
 * Text is UTF-8, ended by NUL; a name that is not is refused. Names returned are borrowed from the object and live as
 * long as it does. Messages are cut between characters only. Calls that take neither a message nor a workspace leave it
 * at the status.
 * Status: 0 is TENON_OK. Negative: nothing was written, and a message says what, where and how to mend it. Positive:
 * outputs were written, with a caveat. What a computation writes is finite: where a result is beyond the range of
 * doubles, though the inputs are finite, it is TENON_NOT_FINITE and nothing was written. Creation, filling and look-up
 * take `char *message, size_t message_size` for it (NULL or 0: not wanted; cut to fit, always ended by NUL; "" on
 * success). Computations keep it in the workspace, tenon_workspace_message; so do getters that return a status, which
 * change nothing else and take const. The lists of statuses below hold in spanning coordinates. Where a workspace is
 * set to independent ones (tenon_workspace_set_coordinates), a computation that takes q may also return TENON_OPEN_LOOP
 * (positions for which no closed loops were found) and TENON_SINGULAR_CONFIGURATION (velocities at a dead centre, which
 * say nothing of the dependent ones). Where a constraint is a function of the caller's (tenon_builder_add_implicit), a
 * computation may return any status that this function returns.
 * Memory: that a call allocates nothing is proved by a test. "At the first call": a workspace is made with the memory
 * for what is asked of every robot and for the method that TENON_METHOD_AUTOMATIC takes; what a computation needs
 * besides is allocated by its first call on a workspace and kept, so that its later calls allocate nothing. Where
 * memory is lacking such a call gives TENON_OUT_OF_MEMORY, writes nothing, and may be tried again. A program in real
 * time makes it once before, or names the computation in tenon_workspace_options.
 * A call's answer follows from its arguments and from what setters said, and from nothing else. The exceptions, which
 * later calls ask for by name: the guess (tenon_workspace_set_guess), the factor of tenon_mass_matrix_factor, that of
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

/* Contents, in the order of use. A program includes this header alone. */
#include "tenon/base.h"        /* statuses, and what all other parts share */
#include "tenon/model.h"       /* robots: from URDF or from calls */
#include "tenon/constraints.h" /* constraint sets: points, welds, rows and closures held on links */
#include "tenon/workspace.h"   /* workspaces: the memory of computations, and settings of robot and constraints */
#include "tenon/kinematics.h"  /* poses, velocities, accelerations, Jacobians, momentum and energy */
#include "tenon/dynamics.h"    /* dynamics without constraints: inverse, forward, mass matrix */
#include "tenon/constrained.h" /* dynamics with constraints: motion and forces, impacts */
#include "tenon/steps.h"       /* configuration space, and steps in time */
#include "tenon/derivatives.h" /* first derivatives of dynamics, as matrices and as products */
#include "tenon/kinematics_derivatives.h" /* derivatives of velocities, accelerations, momentum and energy */
#include "tenon/second_derivatives.h" /* second derivatives of dynamics, contracted with a gradient */
#include "tenon/parameters.h" /* dynamics by inertial parameters: regressors, gradients by them */
#include "tenon/delassus.h"    /* the Delassus matrix, its damped inverse, and operational space */
#include "tenon/loops.h"       /* kinematic loops: independent coordinates, closing, maps */
#include "tenon/conversions.h" /* states as other libraries write them */
#include "tenon/batch.h"       /* batches: many states in one call */
#include "tenon/batch_derivatives.h" /* first and second derivatives of many states in one call */
#include "tenon/step_derivatives.h"  /* first derivatives of a step in time, of one state and of many */
#include "tenon/names.h"       /* version of the library, and names of constants */

#endif /* TENON_H */
