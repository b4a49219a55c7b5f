/* clang-format off */
/* tenon/steps.h, a part of tenon.h, which is the manual. Configuration space, and steps in time. */
#ifndef TENON_STEPS_H
#define TENON_STEPS_H

#include "constrained.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Configuration space ---------------------------------------------------------------------------------------- */

/* Moves q by dt * v, v held constant in the axes of each joint's child (the exponential map of spherical, planar and
 * floating joints).
 * q: nq. v: nv. dt: s, any sign. next: nq, written; may be q itself. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(n). */
TENON_API tenon_status tenon_integrate(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                       size_t v_count, double dt, double *next, size_t next_count);

/* The velocity that leads from one configuration to another in unit time: integrate(from, v, 1) = to. Rotations take
 * the short way, of planar joints too: there the angle that is reached may differ from that of `to` by whole turns.
 * from, to: nq. v: nv, written. Status: as tenon_integrate. Cost: O(n). */
TENON_API tenon_status tenon_difference(tenon_workspace *workspace, const double *from, size_t from_count,
                                        const double *to, size_t to_count, double *v, size_t v_count);

/* The configuration of zeros and unit quaternions.
 * q: nq, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(n). */
TENON_API tenon_status tenon_neutral(tenon_workspace *workspace, double *q, size_t q_count);

/* A random configuration, the same for the same seed on every machine: within the limits, where these are infinite
 * within +-pi (angles) and +-1 m, or as near to the other limit as that is wide; orientations uniform. Independent
 * positions are such that the loops can be closed; spanning ones leave them open (tenon_close_loops).
 * q: nq, written. Status: as tenon_neutral. Cost: O(n). */
TENON_API tenon_status tenon_random(tenon_workspace *workspace, uint64_t seed, double *q, size_t q_count);

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
 * if options->warm_start; may be NULL. Allocates: as tenon_constrained_dynamics. Status: as tenon_constrained_dynamics;
 * where it is negative all arrays stay as they were; TENON_NOT_FINITE also for a step that would leave the range of
 * doubles. Cost: one solve; four solves. */
TENON_API tenon_status tenon_step_semi_implicit_euler(
    tenon_workspace *workspace, const tenon_solve_options *options, double dt, double *q, size_t q_count, double *v,
    size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count, double *qdd,
    size_t qdd_count, double *lambda, size_t lambda_count);
TENON_API tenon_status tenon_step_runge_kutta_4(
    tenon_workspace *workspace, const tenon_solve_options *options, double dt, double *q, size_t q_count, double *v,
    size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count, double *qdd,
    size_t qdd_count, double *lambda, size_t lambda_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_STEPS_H */
