/* clang-format off */
/* tenon/step_derivatives.h, a part of tenon.h, which is the manual. Derivatives of a step in time, as products. */
#ifndef TENON_STEP_DERIVATIVES_H
#define TENON_STEP_DERIVATIVES_H

#include "batch_derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Derivatives of a step in time ------------------------------------------------------------------------------ */

/* Of tenon_step_semi_implicit_euler, v' = v + dt qdd(q, v, tau), q' = integrate(q, v', dt), qdd that of constrained
 * dynamics where there are constraint rows, and of tenon_step_runge_kutta_4, through its four stages with the
 * corrections for rotations that do not commute: what backpropagation through a simulation goes from step to step by.
 * They are those of what the step computes, not of the motion that it approximates. Derivatives by q and of q' are by
 * tangent vectors, at q and at q': those of q' as tenon_integrate and tenon_difference measure from q'. Else as the
 * derivatives of tenon/derivatives.h, of damping and dry friction too, and of rows as
 * tenon_constrained_dynamics_derivatives has them: with stabilisation, compliance, rows that depend on each other, and
 * loops closed by rows. Embedded loops: in independent velocities. TENON_UNSUPPORTED in spanning ones, which open loops
 * a little at each step, and where loops leave some coordinates of a joint free and others not; in batches before
 * anything is computed.
 *   A rollout of N steps needs the states at its beginning and between steps, N (nq + nv) numbers, and N calls backward
 * with what gradients by q and v of one step are, the gradient by the end of the step before; of many rollouts
 * tenon_batch_rollout_vjp does that. */

/* Gradients through a step: from the derivatives of a number L by q' and v', those by q, v and tau.
 * options: NULL for the defaults. dt: s. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient_next_q,
 * gradient_next_v: nv, the first by tangents at q'; NULL: zero. next_q: nq, written; NULL: not wanted. next_v: nv,
 * written; NULL: not wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_constrained_dynamics_derivatives, and TENON_SINGULAR_CONFIGURATION as the step has it. Cost: O(n); with rows
 * that of tenon_constrained_dynamics_vjp, and of the step too where these close loops; of Runge-Kutta four of these and
 * three solves, as all stages are solved before the way back. */
TENON_API tenon_status tenon_step_semi_implicit_euler_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, double dt, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient_next_q, size_t gradient_next_q_count, const double *gradient_next_v,
    size_t gradient_next_v_count, double *next_q, size_t next_q_count, double *next_v, size_t next_v_count,
    double *gradient_q, size_t gradient_q_count, double *gradient_v, size_t gradient_v_count, double *gradient_tau,
    size_t gradient_tau_count);
TENON_API tenon_status tenon_step_runge_kutta_4_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, double dt, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient_next_q, size_t gradient_next_q_count, const double *gradient_next_v,
    size_t gradient_next_v_count, double *next_q, size_t next_q_count, double *next_v, size_t next_v_count,
    double *gradient_q, size_t gradient_q_count, double *gradient_v, size_t gradient_v_count, double *gradient_tau,
    size_t gradient_tau_count);

/* The change of q' and v' where q, v and tau change.
 * options: NULL for the defaults. dt: s. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. dq, dv, dtau: nv, dq a
 * tangent vector; NULL: zero. next_q: nq, written; NULL: not wanted. next_v: nv, written; NULL: not wanted. dnext_q:
 * nv, a tangent vector at q', written, or read and written with options->accumulate; NULL: not wanted. dnext_v: nv,
 * likewise read and written; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_step_semi_implicit_euler_vjp. Cost: the same; of Runge-Kutta four of these. */
TENON_API tenon_status tenon_step_semi_implicit_euler_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, double dt, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *dq, size_t dq_count, const double *dv, size_t dv_count, const double *dtau, size_t dtau_count,
    double *next_q, size_t next_q_count, double *next_v, size_t next_v_count, double *dnext_q, size_t dnext_q_count,
    double *dnext_v, size_t dnext_v_count);
TENON_API tenon_status tenon_step_runge_kutta_4_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, double dt, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *dq, size_t dq_count, const double *dv, size_t dv_count, const double *dtau, size_t dtau_count,
    double *next_q, size_t next_q_count, double *next_v, size_t next_v_count, double *dnext_q, size_t dnext_q_count,
    double *dnext_v, size_t dnext_v_count);

/* tenon_step_semi_implicit_euler_vjp or tenon_step_runge_kutta_4_vjp of `states` states, with the settings of rows that
 * each has of its own; with rows side by side where tenon_batch_constrained_dynamics_vjp goes so. With embedded loops
 * side by side in spanning positions; else state by state, each with the digits of the single call, and so single
 * states at or near a dead centre, or whose step comes near to what single calls refuse.
 * options: NULL for the defaults. dt: s. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. gradient_next_q,
 * gradient_next_v: nv; NULL: zero. next_q: nq, written; NULL: not wanted. next_v: nv, written; NULL: not wanted.
 * gradient_q, gradient_v, gradient_tau: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_step_semi_implicit_euler_vjp, TENON_INVALID_ARGUMENT as tenon_batch_rollout, TENON_UNSUPPORTED (arrays) and
 * TENON_OUT_OF_MEMORY. Cost: that of the single call a state, side by side a fraction of it. */
TENON_API tenon_status tenon_batch_step_semi_implicit_euler_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, double dt, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient_next_q, const tenon_batch_array *gradient_next_v, const tenon_batch_array *next_q,
    const tenon_batch_array *next_v, const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v,
    const tenon_batch_array *gradient_tau, int32_t *status, size_t status_count);
TENON_API tenon_status tenon_batch_step_runge_kutta_4_vjp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, double dt, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *gradient_next_q, const tenon_batch_array *gradient_next_v, const tenon_batch_array *next_q,
    const tenon_batch_array *next_v, const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v,
    const tenon_batch_array *gradient_tau, int32_t *status, size_t status_count);

/* tenon_step_semi_implicit_euler_jvp or tenon_step_runge_kutta_4_jvp of `states` states, likewise.
 * options: NULL for the defaults. dt: s. q: nq. v, tau: nv. wrenches: 6 x links; NULL: none. dq, dv, dtau: nv, dq a
 * tangent vector; NULL: zero. next_q: nq, written; NULL: not wanted. next_v: nv, written; NULL: not wanted. dnext_q:
 * nv, written, or read and written with options->accumulate; NULL: not wanted. dnext_v: nv, likewise read and written;
 * NULL: not wanted. status, Threads, Allocates: as tenon_batch_inverse_dynamics_derivatives. Status: as
 * tenon_batch_step_semi_implicit_euler_vjp. Cost: the same. */
TENON_API tenon_status tenon_batch_step_semi_implicit_euler_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, double dt, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *dtau,
    const tenon_batch_array *next_q, const tenon_batch_array *next_v, const tenon_batch_array *dnext_q,
    const tenon_batch_array *dnext_v, int32_t *status, size_t status_count);
TENON_API tenon_status tenon_batch_step_runge_kutta_4_jvp(
    tenon_batch *batch, const tenon_derivative_options *options, size_t states, double dt, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *dq, const tenon_batch_array *dv, const tenon_batch_array *dtau,
    const tenon_batch_array *next_q, const tenon_batch_array *next_v, const tenon_batch_array *dnext_q,
    const tenon_batch_array *dnext_v, int32_t *status, size_t status_count);

/* Gradients through tenon_batch_rollout: from the derivatives of a number L by the states of its records, those by q
 * and v at the start and by tau of each step, with constraint rows and with the controller that options may have. Of
 * the final state alone: options->every = options->steps. States go side by side where tenon_batch_rollout and, with
 * rows, tenon_batch_constrained_dynamics_vjp take them so, and with embedded loops (in independent velocities) where
 * tenon_batch_step_semi_implicit_euler_vjp does, with the numbers of single calls to rounding; others state by state,
 * each with the digits of single calls. Threads, other states and what is kept change no digit.
 *   Steps are taken forward, and the states kept at the start of each record and of the steps of one. Backward, the
 * steps of each record but the last are taken again from its start, then tenon_step_semi_implicit_euler_vjp or
 * tenon_step_runge_kutta_4_vjp of each.
 * What is kept takes b (nq + nv) (steps / every + every) bytes a thread, where b is 8 state by state, and side by side
 * the bytes of tenon_batch_width numbers of the batch's precision: 16, 32 or 64. That is least where every is about the
 * root of steps. With every = 1 or every = steps no step is taken twice.
 * options: NULL for the defaults. q: nq, at the start. v: nv, likewise. tau: nv a
 * step, record_stride from step to step, 0: the same in all. wrenches: 6 x links a step, likewise; NULL: none.
 * record_gradient_q: nv a record, by tangents at its q; NULL: zero. record_gradient_v: nv a record; NULL: zero.
 * gradient_q: nv, written; NULL: not wanted. gradient_v: nv, likewise written; NULL: not wanted. gradient_tau: nv a
 * step, written, 0 after the last record; NULL: not wanted. Of a state that fails gradient_q and gradient_v are not
 * written, and gradient_tau from the end to where it failed. status, Threads: as
 * tenon_batch_inverse_dynamics_derivatives. Allocates: at the first call, and at one with more to keep. Status: as
 * tenon_batch_step_semi_implicit_euler_vjp, and as tenon_batch_rollout. Cost: at most two steps and
 * their vjp a step, side by side a fraction of it. */
TENON_API tenon_status tenon_batch_rollout_vjp(
    tenon_batch *batch, const tenon_rollout_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *record_gradient_q, const tenon_batch_array *record_gradient_v,
    const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_tau,
    int32_t *status, size_t status_count);

/* tenon_batch_rollout_vjp with gradients by parameters too, as identification and learning through a simulation of
 * unknown masses and friction ask for. Those of L by inertias, armatures, damping, dry friction and gravity, which all
 * steps share, are sums over the steps and their stages, of each state; those by wrenches are of each step. With one
 * step they are gradients through a step. Where one robot is meant by all states, the sum over these is its gradient.
 * Dry friction has the sign of v in each stage, as steps take it. What rows have of their own (weights, compliance,
 * gains, anchors) stays. Side by side where tenon_batch_rollout_vjp is, but for robots with embedded loops and for
 * gradients by wrenches and by gravity.
 * options, q, v, tau, wrenches: as tenon_batch_rollout_vjp. record_gradient_q: nv a record, by tangents at its q; NULL:
 * zero. record_gradient_v: nv a record; NULL: zero. gradient_q: nv, written; NULL: not wanted. gradient_v: nv, likewise
 * written; NULL: not wanted. gradient_tau: nv a step, written, 0 after the last record; NULL: not wanted.
 * gradient_inertia: parameters, as tenon/parameters.h has them, written; NULL: not wanted. gradient_armature,
 * gradient_damping, gradient_friction: spanning nv, written; NULL: not wanted. gradient_wrenches: 6 x links a step,
 * written, 0 after the last record; NULL: not wanted. gradient_gravity: 3, written; NULL: not wanted. Of a state that
 * fails gradient_tau and gradient_wrenches are written from the end to where it failed, and no others. status, Threads:
 * as tenon_batch_inverse_dynamics_derivatives. Allocates: as tenon_batch_rollout_vjp. Status: as
 * tenon_batch_rollout_vjp. Cost: that of tenon_batch_rollout_vjp, and O(links) a stage. */
TENON_API tenon_status tenon_batch_rollout_parameter_vjp(
    tenon_batch *batch, const tenon_rollout_options *options, size_t states, const tenon_batch_array *q,
    const tenon_batch_array *v, const tenon_batch_array *tau, const tenon_batch_array *wrenches,
    const tenon_batch_array *record_gradient_q, const tenon_batch_array *record_gradient_v,
    const tenon_batch_array *gradient_q, const tenon_batch_array *gradient_v, const tenon_batch_array *gradient_tau,
    const tenon_batch_array *gradient_inertia, const tenon_batch_array *gradient_armature,
    const tenon_batch_array *gradient_damping, const tenon_batch_array *gradient_friction,
    const tenon_batch_array *gradient_wrenches, const tenon_batch_array *gradient_gravity, int32_t *status,
    size_t status_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_STEP_DERIVATIVES_H */
