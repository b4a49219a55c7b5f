/* clang-format off */
/* tenon/batch_derivatives.h, a part of tenon.h, which is the manual. First and second derivatives of many states in one
 * call. */
#ifndef TENON_BATCH_DERIVATIVES_H
#define TENON_BATCH_DERIVATIVES_H

#include "batch.h"
#include "second_derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Derivatives of many states --------------------------------------------------------------------------------- */

/* The functions of tenon/derivatives.h in many states, of robots that states have of their own (tenon_batch_parameters)
 * too; side by side as a batch computes dynamics. What reverse differentiation of a network or a simulation needs: one
 * call for all states, and no matrix. Of a state that fails nothing is written. Robots with embedded loops go side by
 * side in spanning positions, with velocities of both kinds, in double precision. One by one, each with the digits of
 * the single call, go independent positions, and single states at or near a dead centre. What the single call leaves
 * TENON_UNSUPPORTED because of a loop is so before anything is computed, but of constrained dynamics.
 *   A matrix of a state is nv x nv numbers (or as many as its function says), column by column: number i of column k of
 * state s is
 *     data[first + s state_stride + k record_stride + i number_stride]
 * with record_stride the leading dimension where it is a block of a larger matrix, or where rows are stored one behind
 * the other (number_stride the row's length, record_stride 1); 0, the default: its rows times number_stride. With
 * options->row_major rows change places with columns: number k of row i is data[first + s state_stride + i
 * record_stride + k number_stride], and a record_stride of 0 is its columns times number_stride. */

/* tenon_inverse_dynamics_derivatives of `states` states.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. tau: nv, written; NULL: not wanted.
 * dtau_dq: nv x nv, written, or read and written with options->accumulate; NULL: not wanted. dtau_dv: nv x nv, likewise
 * read and written; NULL: not wanted. dtau_da: nv x nv, likewise read and written; NULL: not wanted. status: states,
 * written; NULL: not wanted. Threads: as tenon_batch_forward_dynamics. Allocates: at the first call. Status: as
 * tenon_inverse_dynamics_derivatives, and TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(n^2) a state for the
 * zeros, O(n d) for the rest. */
TENON_API tenon_status tenon_batch_inverse_dynamics_derivatives(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *tau, const tenon_batch_array *dtau_dq, const tenon_batch_array *dtau_dv,
    const tenon_batch_array *dtau_da, int32_t *status, size_t status_count);

/* tenon_inverse_dynamics_vjp of `states` states.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. gradient: nv. tau: nv, written;
 * NULL: not wanted. gradient_q, gradient_v, gradient_a: nv, written, or read and written with options->accumulate;
 * NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_inverse_dynamics_derivatives. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_inverse_dynamics_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *tau, const tenon_batch_array *gradient_q,
    const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_a, int32_t *status, size_t status_count);

/* tenon_inverse_dynamics_jvp of `states` states.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. dq, dv, da: nv, dq a tangent
 * vector; NULL: zero. tau: nv, written; NULL: not wanted. dtau: nv, written, or read and written with
 * options->accumulate. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_inverse_dynamics_derivatives. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_inverse_dynamics_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *da, const tenon_batch_array *tau,
    const tenon_batch_array *dtau, int32_t *status, size_t status_count);

/* Gradients through tenon_batch_kinematics in `states` states: from those by poses and velocities of chosen links to
 * those by q, a tangent, and v. A pose moves by six numbers, [turn; displacement of the link's origin] along axes
 * (TENON_AXES_*), J dq with J of tenon_link_jacobian along the same axes. So a gradient by it is [moment; force] on the
 * link at its origin. That of seven numbers, g_p by the position, g_u and g_w by u = [x y z] and w of the quaternion,
 * is [(w g_u - g_w u + u x g_u) / 2; g_p] along axes of the world; transposed rotations of the links turn both parts to
 * axes of links. Velocities along axes of links turn with these, as in tenon_point_velocity_derivatives, whose matrices
 * these are products with. There is no call for one state on a workspace; a batch of one state serves. With embedded
 * loops as in tenon/kinematics_derivatives.h; side by side in spanning positions with velocities of both kinds.
 * options: NULL for the defaults. links: link_count, their indices, at most as many as the model has; one may stand
 * there several times. axes: TENON_AXES_* of velocities and of all gradients by poses and velocities. q: nq. v: nv;
 * NULL where no velocities are wanted and no gradients by them given. pose_gradients, velocity_gradients: 6 x
 * link_count, link by link; NULL: zero. poses: 7 x link_count, position and quaternion, written; NULL: not wanted.
 * velocities: 6 x link_count, written; NULL: not wanted. gradient_q, gradient_v: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. status, Threads: as tenon_batch_inverse_dynamics_derivatives. Allocates: at
 * the first call, and at one with more links. Status: as tenon_batch_kinematics. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_kinematics_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const int32_t *links, size_t link_count,
    int32_t axes, const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *pose_gradients,
    const tenon_batch_array *velocity_gradients, const tenon_batch_array *poses, const tenon_batch_array *velocities,
    const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v, int32_t *status, size_t status_count);

/* How poses and velocities of tenon_batch_kinematics change along a change of `states` states, in the numbers of
 * tenon_batch_kinematics_vjp.
 * options: NULL for the defaults. links: link_count, their indices. axes: TENON_AXES_* of velocities and of all
 * changes. q: nq. v: nv; NULL where no velocities and no changes of them are wanted. dq, dv: nv, dq a tangent vector;
 * NULL: zero. poses: 7 x link_count, position and quaternion, written; NULL: not wanted. velocities: 6 x link_count,
 * written; NULL: not wanted. dposes, dvelocities: 6 x link_count, written, or read and written with
 * options->accumulate; NULL: not wanted. status, Threads: as tenon_batch_inverse_dynamics_derivatives. Allocates: as
 * tenon_batch_kinematics_vjp.
 * Status: as tenon_batch_kinematics. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_kinematics_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const int32_t *links, size_t link_count,
    int32_t axes, const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *dq,
    const tenon_batch_array *dv, const tenon_batch_array *poses, const tenon_batch_array *velocities,
    const tenon_batch_array *dposes, const tenon_batch_array *dvelocities, int32_t *status, size_t status_count);

/* Gradients through tenon_batch_link_motion in `states` states: tenon_batch_kinematics_vjp from gradients by
 * accelerations too, to those by q, v and a. Of accelerations the matrices that these are products with are those of
 * tenon_point_acceleration_derivatives.
 * options: NULL for the defaults. links: link_count, their indices; one may stand there several times. axes:
 * TENON_AXES_* of velocities, accelerations and all gradients by the motion of links. q: nq. v: nv; NULL where nothing
 * of velocities and accelerations is wanted or given. a: nv; NULL: zero; needs v. pose_gradients, velocity_gradients,
 * acceleration_gradients: 6 x link_count, link by link; NULL: zero. poses: 7 x link_count, position and quaternion,
 * written; NULL: not wanted. velocities, accelerations: 6 x link_count, written; NULL: not wanted. gradient_q,
 * gradient_v, gradient_a: nv, written, or read and written with options->accumulate; NULL: not wanted. status, Threads:
 * as tenon_batch_inverse_dynamics_derivatives. Allocates: as tenon_batch_kinematics_vjp. Status: as
 * tenon_batch_kinematics. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_link_motion_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const int32_t *links, size_t link_count,
    int32_t axes, const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *a,
    const tenon_batch_array *pose_gradients, const tenon_batch_array *velocity_gradients,
    const tenon_batch_array *acceleration_gradients, const tenon_batch_array *poses,
    const tenon_batch_array *velocities, const tenon_batch_array *accelerations, const tenon_batch_array *gradient_q,
    const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_a, int32_t *status, size_t status_count);

/* How poses, velocities and accelerations of tenon_batch_link_motion change along a change of `states` states, in the
 * numbers of tenon_batch_link_motion_vjp.
 * options: NULL for the defaults. links: link_count, their indices. axes: TENON_AXES_* of velocities, accelerations and
 * all changes. q: nq. v: nv; NULL where nothing of velocities and accelerations is wanted. a: nv; NULL: zero; needs v.
 * dq, dv, da: nv, dq a tangent vector; NULL: zero. poses: 7 x link_count, position and quaternion, written; NULL: not
 * wanted. velocities, accelerations: 6 x link_count, written; NULL: not wanted. dposes, dvelocities, daccelerations:
 * 6 x link_count, written, or read and written with options->accumulate; NULL: not wanted. status, Threads: as
 * tenon_batch_inverse_dynamics_derivatives. Allocates: as tenon_batch_kinematics_vjp. Status: as
 * tenon_batch_kinematics. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_link_motion_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const int32_t *links, size_t link_count,
    int32_t axes, const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *a,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *da,
    const tenon_batch_array *poses, const tenon_batch_array *velocities, const tenon_batch_array *accelerations,
    const tenon_batch_array *dposes, const tenon_batch_array *dvelocities, const tenon_batch_array *daccelerations,
    int32_t *status, size_t status_count);

/* Gradients through tenon_batch_centroidal in `states` states: from those by its numbers to those by q, a tangent, and
 * v. The matrices that these are products with are J and those of tenon_center_of_mass_derivatives,
 * tenon_centroidal_momentum_derivatives and tenon_energy_gradients. There is no call for one state on a workspace; a
 * batch of one state serves. With embedded loops as tenon_batch_kinematics_vjp. Products with derivatives of the
 * gravity force are tenon_batch_inverse_dynamics_vjp and _jvp where v and a are zero.
 * options: NULL for the defaults. q: nq. v: nv; NULL where nothing of motion is wanted and no gradients by it given.
 * center_gradients, center_velocity_gradients: 3; NULL: zero. momentum_gradients: 6; NULL: zero. kinetic_gradients,
 * potential_gradients: 1; NULL: zero. centers, center_velocities: 3, written; NULL: not wanted. momenta: 6, written;
 * NULL: not wanted. kinetic, potential: 1, written; NULL: not wanted. gradient_q, gradient_v: nv, written, or read and
 * written with options->accumulate; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_batch_centroidal. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_centroidal_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *center_gradients,
    const tenon_batch_array *center_velocity_gradients, const tenon_batch_array *momentum_gradients,
    const tenon_batch_array *kinetic_gradients, const tenon_batch_array *potential_gradients,
    const tenon_batch_array *centers, const tenon_batch_array *center_velocities, const tenon_batch_array *momenta,
    const tenon_batch_array *kinetic, const tenon_batch_array *potential, const tenon_batch_array *gradient_q,
    const tenon_batch_array *gradient_v, int32_t *status, size_t status_count);

/* How the numbers of tenon_batch_centroidal change along a change of `states` states.
 * options: NULL for the defaults. q: nq. v: nv; NULL where nothing of motion and no change of it is wanted. dq, dv: nv,
 * dq a tangent vector; NULL: zero. centers, center_velocities: 3, written; NULL: not wanted. momenta: 6, written; NULL:
 * not wanted. kinetic, potential: 1, written; NULL: not wanted. dcenters, dcenter_velocities: 3, written, or read and
 * written with options->accumulate; NULL: not wanted. dmomenta: 6, likewise read and written; NULL: not wanted.
 * dkinetic, dpotential: 1, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_batch_centroidal. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_centroidal_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *dq, const tenon_batch_array *dv,
    const tenon_batch_array *centers, const tenon_batch_array *center_velocities, const tenon_batch_array *momenta,
    const tenon_batch_array *kinetic, const tenon_batch_array *potential, const tenon_batch_array *dcenters,
    const tenon_batch_array *dcenter_velocities, const tenon_batch_array *dmomenta, const tenon_batch_array *dkinetic,
    const tenon_batch_array *dpotential, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_derivatives of `states` states.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. qdd: nv, written, that of
 * tenon_batch_forward_dynamics but for rounding; NULL: not wanted. dqdd_dq: nv x nv, written, or read and written with
 * options->accumulate; NULL: not wanted. dqdd_dv: nv x nv, likewise read and written; NULL: not wanted. dqdd_dtau: nv x
 * nv, likewise read and written; NULL: not wanted. What is not wanted is not computed. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_batch_inverse_dynamics_derivatives, and
 * TENON_NOT_POSITIVE_DEFINITE and TENON_SINGULAR_CONFIGURATION. Cost: O(n^2 d) a state. */
TENON_API tenon_status tenon_batch_forward_dynamics_derivatives(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *qdd, const tenon_batch_array *dqdd_dq, const tenon_batch_array *dqdd_dv,
    const tenon_batch_array *dqdd_dtau, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_vjp of `states` states.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. gradient: nv. qdd: nv, written;
 * NULL: not wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with options->accumulate;
 * NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_forward_dynamics_derivatives. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_forward_dynamics_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *qdd, const tenon_batch_array *gradient_q,
    const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_tau, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_jvp of `states` states.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. dq, dv, dtau: nv, dq a tangent
 * vector; NULL: zero. qdd: nv, written; NULL: not wanted. dqdd: nv, written, or read and written with
 * options->accumulate. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_forward_dynamics_derivatives. Cost: O(n) a state. */
TENON_API tenon_status tenon_batch_forward_dynamics_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *dtau,
    const tenon_batch_array *qdd, const tenon_batch_array *dqdd, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics_derivatives of `states` states, and the derivatives of lambda, which are the lower rows of
 * those of tenon_constrained_solution_derivatives, with the settings that each state has of its own
 * (tenon_batch_set_anchors and its like), and with kinematic loops. Side by side where
 * tenon_batch_constrained_dynamics_vjp goes so, with rows that are farther from depending on each other; in single
 * precision derivatives of lambda then have about two digits.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. qdd: nv,
 * written; NULL: not wanted. lambda: m, written; NULL: not wanted. dqdd_dq: nv x nv, written, or read and written with
 * options->accumulate; NULL: not wanted. dqdd_dv: nv x nv, likewise read and written; NULL: not wanted. dqdd_dtau: nv x
 * nv, likewise read and written; NULL: not wanted. dqdd_ddesired: nv x m, likewise read and written; NULL: not wanted.
 * dlambda_dq: m x nv, likewise read and written; NULL: not wanted. dlambda_dv: m x nv, likewise read and written; NULL:
 * not wanted. dlambda_dtau: m x nv, likewise read and written; NULL: not wanted. dlambda_ddesired: m x m, likewise read
 * and written; NULL: not wanted. What is not wanted is not computed. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_constrained_dynamics_derivatives,
 * TENON_INVALID_ARGUMENT as tenon_batch_constrained_dynamics, and TENON_OUT_OF_MEMORY. Cost: as
 * tenon_constrained_dynamics_derivatives a state, side by side about half of it. */
TENON_API tenon_status tenon_batch_constrained_dynamics_derivatives(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *qdd, const tenon_batch_array *lambda,
    const tenon_batch_array *dqdd_dq, const tenon_batch_array *dqdd_dv, const tenon_batch_array *dqdd_dtau,
    const tenon_batch_array *dqdd_ddesired, const tenon_batch_array *dlambda_dq, const tenon_batch_array *dlambda_dv,
    const tenon_batch_array *dlambda_dtau, const tenon_batch_array *dlambda_ddesired, int32_t *status,
    size_t status_count);

/* tenon_constrained_dynamics_vjp of `states` states, likewise, but side by side: with points, welds, rows of the user
 * and closures with the world, at most as many rows as independent velocities. State by state go rows between two
 * moving links and loops closed by rows; and of the others single states whose rows depend on each other, or nearly, or
 * contradict each other. Numbers are then those of the single call to rounding, in single precision to about four
 * digits, with embedded loops to rounding.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. gradient:
 * nv; NULL: zero. gradient_lambda: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda: m, written; NULL: not
 * wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with options->accumulate; NULL: not
 * wanted. gradient_desired: m, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_constrained_dynamics_derivatives,
 * TENON_INVALID_ARGUMENT as tenon_batch_constrained_dynamics, and TENON_OUT_OF_MEMORY. Cost: as
 * tenon_constrained_dynamics_vjp a state, side by side a fraction of it. */
TENON_API tenon_status tenon_batch_constrained_dynamics_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *gradient, const tenon_batch_array *gradient_lambda,
    const tenon_batch_array *qdd, const tenon_batch_array *lambda, const tenon_batch_array *gradient_q,
    const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_tau,
    const tenon_batch_array *gradient_desired, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics_jvp of `states` states, as tenon_batch_constrained_dynamics_vjp.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. dq, dv,
 * dtau: nv, dq a tangent vector; NULL: zero. ddesired: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda: m,
 * written; NULL: not wanted. dqdd: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * dlambda: m, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_batch_constrained_dynamics_vjp. Cost: as
 * tenon_constrained_dynamics_jvp a state, side by side a fraction of it. */
TENON_API tenon_status tenon_batch_constrained_dynamics_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *dq, const tenon_batch_array *dv,
    const tenon_batch_array *dtau, const tenon_batch_array *ddesired, const tenon_batch_array *qdd,
    const tenon_batch_array *lambda, const tenon_batch_array *dqdd, const tenon_batch_array *dlambda,
    int32_t *status, size_t status_count);

/* tenon_impact_derivatives of `states` states, with the settings that each state has of its own; no anchor is read.
 * Side by side where tenon_batch_constrained_dynamics_derivatives goes so and no loops are embedded, with its digits.
 * options: NULL for the defaults. restitution: m, from 0 to 1, the same for all rows with a number_stride of 0; NULL:
 * 0. q: nq. v: nv. v_after: nv, written; NULL: not wanted. impulse: m, written; NULL: not wanted. dv_dq: nv x nv,
 * written, or read and written with options->accumulate; NULL: not wanted. dv_dv: nv x nv, likewise read and written;
 * NULL: not wanted. dimpulse_dq: m x nv, likewise read and written; NULL: not wanted. dimpulse_dv: m x nv, likewise
 * read and written; NULL: not wanted. What is not wanted is not computed. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_impact_derivatives, and TENON_OUT_OF_MEMORY. Cost: as
 * tenon_impact_derivatives a state. */
TENON_API tenon_status tenon_batch_impact_derivatives(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *restitution,
    const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *v_after,
    const tenon_batch_array *impulse, const tenon_batch_array *dv_dq, const tenon_batch_array *dv_dv,
    const tenon_batch_array *dimpulse_dq, const tenon_batch_array *dimpulse_dv, int32_t *status, size_t status_count);

/* tenon_impact_vjp of `states` states, likewise side by side where tenon_batch_constrained_dynamics_vjp goes so.
 * options: NULL for the defaults. restitution: m, from 0 to 1, the same for all rows with a number_stride of 0; NULL:
 * 0. q: nq. v: nv. gradient: nv; NULL: zero. gradient_impulse: m; NULL: zero. v_after: nv, written; NULL: not wanted.
 * impulse: m, written; NULL: not wanted. gradient_q, gradient_v: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives.
 * Status: as tenon_batch_impact_derivatives. Cost: as tenon_impact_vjp a state. */
TENON_API tenon_status tenon_batch_impact_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *restitution,
    const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *gradient,
    const tenon_batch_array *gradient_impulse, const tenon_batch_array *v_after, const tenon_batch_array *impulse,
    const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v, int32_t *status, size_t status_count);

/* tenon_impact_jvp of `states` states, as tenon_batch_impact_vjp.
 * options: NULL for the defaults. restitution: m, from 0 to 1, the same for all rows with a number_stride of 0; NULL:
 * 0. q: nq. v: nv. dq, dv: nv, dq a tangent vector; NULL: zero. v_after: nv, written; NULL: not wanted. impulse: m,
 * written; NULL: not wanted. dv_after: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * dimpulse: m, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_batch_impact_derivatives. Cost: as tenon_impact_jvp a
 * state. */
TENON_API tenon_status tenon_batch_impact_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *restitution,
    const tenon_batch_array *q, const tenon_batch_array *v, const tenon_batch_array *dq, const tenon_batch_array *dv,
    const tenon_batch_array *v_after, const tenon_batch_array *impulse, const tenon_batch_array *dv_after,
    const tenon_batch_array *dimpulse, int32_t *status, size_t status_count);

/* ---- Second derivatives of many states -------------------------------------------------------------------------- */

/* tenon_inverse_dynamics_hessian of `states` states, of robots that states have of their own too. State by state, each
 * with the digits of the single call: not side by side.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. gradient: nv. hessian_qq: nv x nv,
 * written, or read and written with options->accumulate; NULL: not wanted. hessian_qv: nv x nv, likewise read and
 * written; NULL: not wanted. hessian_vv: nv x nv, likewise read and written; NULL: not wanted. hessian_qa: nv x nv,
 * likewise read and written; NULL: not wanted. What is not wanted is not computed. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_inverse_dynamics_hessian, and TENON_OUT_OF_MEMORY. Cost:
 * as tenon_inverse_dynamics_hessian a state; each thread takes the memory that a workspace takes for it. */
TENON_API tenon_status tenon_batch_inverse_dynamics_hessian(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *hessian_qq, const tenon_batch_array *hessian_qv,
    const tenon_batch_array *hessian_vv, const tenon_batch_array *hessian_qa, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_hessian of `states` states, likewise.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. gradient: nv. hessian_qq: nv x
 * nv, written, or read and written with options->accumulate; NULL: not wanted. hessian_qv: nv x nv, likewise read and
 * written; NULL: not wanted. hessian_vv: nv x nv, likewise read and written; NULL: not wanted. hessian_qtau: nv x nv,
 * likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_forward_dynamics_hessian, and TENON_OUT_OF_MEMORY. Cost:
 * as tenon_forward_dynamics_hessian a state. */
TENON_API tenon_status tenon_batch_forward_dynamics_hessian(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *hessian_qq, const tenon_batch_array *hessian_qv,
    const tenon_batch_array *hessian_vv, const tenon_batch_array *hessian_qtau, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics_hessian of `states` states, likewise, with the settings that each state has of its own,
 * and with loops closed by rows. What embedded loops leave TENON_UNSUPPORTED is so before anything is computed.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. gradient:
 * nv; NULL: zero. gradient_lambda: m; NULL: zero. hessian_qq: nv x nv, written, or read and written with
 * options->accumulate; NULL: not wanted. hessian_qv: nv x nv, likewise read and written; NULL: not wanted. hessian_vv:
 * nv x nv, likewise read and written; NULL: not wanted. hessian_qtau: nv x nv, likewise read and written; NULL: not
 * wanted. hessian_qdesired: nv x m, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_constrained_dynamics_hessian, TENON_INVALID_ARGUMENT as
 * tenon_batch_constrained_dynamics, and TENON_OUT_OF_MEMORY. Cost: as tenon_constrained_dynamics_hessian a state. */
TENON_API tenon_status tenon_batch_constrained_dynamics_hessian(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *gradient, const tenon_batch_array *gradient_lambda,
    const tenon_batch_array *hessian_qq, const tenon_batch_array *hessian_qv, const tenon_batch_array *hessian_vv,
    const tenon_batch_array *hessian_qtau, const tenon_batch_array *hessian_qdesired, int32_t *status,
    size_t status_count);

/* tenon_inverse_dynamics_hvp of `states` states, likewise.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. gradient: nv. dq, dv, da: nv, dq a
 * tangent vector; NULL: zero. product_q, product_v, product_a: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives.
 * Status: as tenon_inverse_dynamics_hvp, and TENON_OUT_OF_MEMORY. Cost: as tenon_inverse_dynamics_hvp a state; each
 * thread takes the memory that a workspace takes for it. */
TENON_API tenon_status tenon_batch_inverse_dynamics_hvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *dq, const tenon_batch_array *dv,
    const tenon_batch_array *da, const tenon_batch_array *product_q, const tenon_batch_array *product_v,
    const tenon_batch_array *product_a, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_hvp of `states` states, likewise.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. gradient: nv. dq, dv, dtau: nv,
 * dq a tangent vector; NULL: zero. product_q, product_v, product_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives.
 * Status: as tenon_forward_dynamics_hvp, and TENON_OUT_OF_MEMORY. Cost: as tenon_forward_dynamics_hvp a state. */
TENON_API tenon_status tenon_batch_forward_dynamics_hvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *dq, const tenon_batch_array *dv,
    const tenon_batch_array *dtau, const tenon_batch_array *product_q, const tenon_batch_array *product_v,
    const tenon_batch_array *product_tau, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics_hvp of `states` states, likewise, with the settings that each state has of its own, and
 * with loops closed by rows.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. gradient:
 * nv; NULL: zero. gradient_lambda: m; NULL: zero. dq, dv, dtau: nv, dq a tangent vector; NULL: zero. ddesired: m; NULL:
 * zero. product_q, product_v, product_tau: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * product_desired: m, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_constrained_dynamics_hvp, TENON_INVALID_ARGUMENT as
 * tenon_batch_constrained_dynamics, and TENON_OUT_OF_MEMORY. Cost: as tenon_constrained_dynamics_hvp a state. */
TENON_API tenon_status tenon_batch_constrained_dynamics_hvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *gradient, const tenon_batch_array *gradient_lambda,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *dtau,
    const tenon_batch_array *ddesired, const tenon_batch_array *product_q, const tenon_batch_array *product_v,
    const tenon_batch_array *product_tau, const tenon_batch_array *product_desired, int32_t *status,
    size_t status_count);

/* ---- By parameters, of many states ------------------------------------------------------------------------------ */

/* tenon_inverse_dynamics_parameter_vjp of `states` states, of robots that states have of their own too: what learning
 * and identification ask for. Each state has gradients of its own; where one robot is meant by all, their sum is its
 * gradient. Side by side where the vjp by the state are, but for gradients by wrenches and by gravity, and embedded
 * loops in independent velocities, with which states go one by one, each with the digits of the single call.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: 6 x links; NULL: none. gradient: nv. tau: nv, written;
 * NULL: not wanted. gradient_inertia: parameters, as tenon/parameters.h has them, written, or read and written with
 * options->accumulate; NULL: not wanted. gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise
 * read and written; NULL: not wanted. gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted.
 * gradient_gravity: 3, likewise read and written; NULL: not wanted. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_inverse_dynamics_parameter_vjp, and TENON_UNSUPPORTED
 * (arrays), TENON_OUT_OF_MEMORY. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_inverse_dynamics_parameter_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *a, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *tau, const tenon_batch_array *gradient_inertia,
    const tenon_batch_array *gradient_armature, const tenon_batch_array *gradient_damping,
    const tenon_batch_array *gradient_friction, const tenon_batch_array *gradient_wrenches,
    const tenon_batch_array *gradient_gravity, int32_t *status, size_t status_count);

/* tenon_forward_dynamics_parameter_vjp of `states` states, likewise.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. gradient: nv. qdd: nv, written;
 * NULL: not wanted. gradient_inertia: parameters, written, or read and written with options->accumulate; NULL: not
 * wanted. gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise read and written; NULL: not
 * wanted. gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted. gradient_gravity: 3, likewise read
 * and written; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_forward_dynamics_parameter_vjp, and TENON_UNSUPPORTED (arrays), TENON_OUT_OF_MEMORY. Cost: O(n + links) a
 * state. */
TENON_API tenon_status tenon_batch_forward_dynamics_parameter_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient, const tenon_batch_array *qdd, const tenon_batch_array *gradient_inertia,
    const tenon_batch_array *gradient_armature, const tenon_batch_array *gradient_damping,
    const tenon_batch_array *gradient_friction, const tenon_batch_array *gradient_wrenches,
    const tenon_batch_array *gradient_gravity, int32_t *status, size_t status_count);

/* tenon_constrained_dynamics_parameter_vjp of `states` states, with the settings that each state has of its own. Side
 * by side where tenon_batch_constrained_dynamics_vjp goes so, but for gradients by wrenches and by gravity, and for
 * embedded loops in independent velocities.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. desired: m; NULL: zero. gradient:
 * nv; NULL: zero. gradient_lambda: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda: m, written; NULL: not
 * wanted. gradient_inertia: parameters, written, or read and written with options->accumulate; NULL: not wanted.
 * gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise read and written; NULL: not wanted.
 * gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted. gradient_gravity: 3, likewise read and
 * written; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_constrained_dynamics_parameter_vjp, TENON_INVALID_ARGUMENT as tenon_batch_constrained_dynamics, and
 * TENON_OUT_OF_MEMORY. Cost: as tenon_constrained_dynamics_parameter_vjp a state, side by side a fraction of it. */
TENON_API tenon_status tenon_batch_constrained_dynamics_parameter_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *desired, const tenon_batch_array *gradient, const tenon_batch_array *gradient_lambda,
    const tenon_batch_array *qdd, const tenon_batch_array *lambda, const tenon_batch_array *gradient_inertia,
    const tenon_batch_array *gradient_armature, const tenon_batch_array *gradient_damping,
    const tenon_batch_array *gradient_friction, const tenon_batch_array *gradient_wrenches,
    const tenon_batch_array *gradient_gravity, int32_t *status, size_t status_count);

/* tenon_joint_torque_regressor of `states` states, zeros and all: what identification stacks, one block a measurement,
 * with tau of all of them on the other side. Of robots that states have of their own too, whose gravity it is. State by
 * state, each with the digits of the single call.
 * q: nq. v, a: nv. Y: nv x parameters, written; one block of rows behind the other is a number_stride of parameters, a
 * record_stride of 1 and a state_stride of nv times parameters. status, Threads, Allocates: as
 * tenon_batch_inverse_dynamics_derivatives. Status: as tenon_joint_torque_regressor, and TENON_UNSUPPORTED (arrays),
 * TENON_OUT_OF_MEMORY. Cost: as tenon_joint_torque_regressor a state. */
TENON_API tenon_status tenon_batch_joint_torque_regressor(tenon_batch *batch, size_t states, const tenon_batch_array *q,
                                                          const tenon_batch_array *v, const tenon_batch_array *a,
                                                          const tenon_batch_array *Y, int32_t *status,
                                                          size_t status_count);

/* Gradients through tenon_batch_centroidal by what it depends on besides the state: with gradients by its numbers as
 * tenon_batch_centroidal_vjp takes them, those by the inertias of links (tenon/parameters.h), by armatures, of which
 * the kinetic energy has half of armature v^2, and by gravity, of which the potential energy has - mass . centre.
 * Momenta and energies are linear in them; a centre of mass and its velocity are divided by the mass. Of each state, of
 * robots that states have of their own too. With embedded loops of all kinds, also those by functions of the user;
 * state by state in independent velocities.
 * options: NULL for the defaults. q: nq. v: nv; NULL where no gradients by motion are given. center_gradients,
 * center_velocity_gradients: 3; NULL: zero. momentum_gradients: 6; NULL: zero. kinetic_gradients, potential_gradients:
 * 1; NULL: zero. gradient_inertia: parameters, written, or read and written with options->accumulate; NULL: not wanted.
 * gradient_armature: spanning nv, likewise read and written; NULL: not wanted. gradient_gravity: 3, likewise read and
 * written; NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_centroidal. Cost: O(n + links) a state. */
TENON_API tenon_status tenon_batch_centroidal_parameter_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *center_gradients,
    const tenon_batch_array *center_velocity_gradients, const tenon_batch_array *momentum_gradients,
    const tenon_batch_array *kinetic_gradients, const tenon_batch_array *potential_gradients,
    const tenon_batch_array *gradient_inertia, const tenon_batch_array *gradient_armature,
    const tenon_batch_array *gradient_gravity, int32_t *status, size_t status_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_BATCH_DERIVATIVES_H */
