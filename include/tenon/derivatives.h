/* clang-format off */
/* tenon/derivatives.h, a part of tenon.h, which is the manual. First derivatives of dynamics, as matrices and as
 * products. */
#ifndef TENON_DERIVATIVES_H
#define TENON_DERIVATIVES_H

#include "steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Derivatives ------------------------------------------------------------------------------------------------ */

/* What the derivatives below have in common. One by q is by a tangent vector x of nv numbers: that of f(q moved by
 * tenon_integrate with velocity x and dt 1) at x = 0, never by the entries of a quaternion. External wrenches stay as
 * they are along the axes of their links, so they turn with these. Gravity, armature and inertias stay as they are. Of
 * friction in joints (tenon_workspace_set_joint_parameters) the damping counts; the dry part is taken as constant, also
 * at rest, where it has no derivative.
 *   Of inverse dynamics tau = M a + c - external, and of forward dynamics qdd = M^-1 (tau + external - c), without the
 * constraints of the workspace, and of constrained dynamics, by S. Singh, R. Russo and P. Wensing, Efficient
 * analytical derivatives of rigid body dynamics using spatial vector algebra, 2022; exact but for rounding.
 *   Robots with embedded loops, where K(q) v = 0: derivatives are those along motions that keep loops closed, for all
 * calls obey loops. With independent velocities (tenon_workspace_set_coordinates) x has ny numbers, q moves by G x and
 * v by what it must to keep loops closed, whatever the positions are; results are of independent coordinates. With
 * spanning ones x is any vector of nv numbers, and matrices mean something in products with G, as if loops were
 * closed by rows. Inverse dynamics in spanning coordinates is that of the tree. TENON_UNSUPPORTED: implicit
 * constraints (their functions give no derivatives) but for that, and inverse and forward dynamics with loops by rows,
 * of which constrained dynamics has derivatives.
 *   A product with a gradient (vjp) is what reverse differentiation needs: from the derivative of a number L by the
 * result of a call, those by what went in. A product with a change (jvp) is the change of the result. They form no
 * matrix and cost O(n). Any output may be NULL; the value of the function itself is one of them. Matrices may be blocks
 * of larger ones, of which they leave the rest as it is: options say whether columns or rows lie a leading dimension
 * apart. */
typedef struct tenon_derivative_options {
  uint32_t struct_size;
  int32_t accumulate;  /* 1: derivatives are added to what their outputs hold, which must then be finite; 0: they are
                        * written; values of the function itself always are. Default 0 */
  int32_t row_major;   /* 1: matrices are row-major, with a leading dimension from row to row of at least their number
                        * of columns; 0: they are column-major, as each function says. Default 0 */
} tenon_derivative_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_derivative_options_init(tenon_derivative_options *options, size_t size);

/* Inverse dynamics and its derivatives by q, v and a; that by a is the mass matrix.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. tau: nv, written; NULL: not
 * wanted. dtau_dq: nv x nv, column-major, leading dimension ldq >= nv, column k by coordinate k, written, or read and
 * written with options->accumulate; NULL: not wanted. dtau_dv: nv x nv, leading dimension ldv, likewise read and
 * written; NULL: not wanted. dtau_da: nv x nv, leading dimension lda, likewise read and written; NULL: not wanted.
 * Allocates: at the first call. Status: as tenon_inverse_dynamics, and TENON_UNSUPPORTED. Cost: O(n^2) for the
 * zeros, O(n d) for the rest; with embedded loops O(n^2). */
TENON_API tenon_status tenon_inverse_dynamics_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    double *tau, size_t tau_count, double *dtau_dq, size_t dtau_dq_count, int32_t ldq, double *dtau_dv,
    size_t dtau_dv_count, int32_t ldv, double *dtau_da, size_t dtau_da_count, int32_t lda);

/* Gradients through inverse dynamics: with gradient = dL/dtau, gradient_q = dtau/dq^T gradient, and likewise by v and
 * a.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. tau: nv, written;
 * NULL: not wanted. gradient_q, gradient_v, gradient_a: nv, written, or read and written with options->accumulate;
 * NULL: not wanted. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *tau, size_t tau_count, double *gradient_q,
    size_t gradient_q_count, double *gradient_v, size_t gradient_v_count, double *gradient_a, size_t gradient_a_count);

/* The change of tau where q, v and a change: dtau = dtau/dq dq + dtau/dv dv + dtau/da da.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. dq, dv, da: nv, dq a tangent
 * vector; NULL: zero. tau: nv, written; NULL: not wanted. dtau: nv, written, or read and written with
 * options->accumulate. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *dq, size_t dq_count, const double *dv, size_t dv_count, const double *da, size_t da_count,
    double *tau, size_t tau_count, double *dtau, size_t dtau_count);

/* Forward dynamics without the constraints and its derivatives by q, v and tau; that by tau is M^-1.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. qdd: nv, written, that of
 * tenon_forward_dynamics but for rounding; NULL: not wanted. dqdd_dq: nv x nv, column-major, leading dimension ldq >=
 * nv, column k by coordinate k, written, or read and written with options->accumulate; NULL: not wanted. dqdd_dv: nv x
 * nv, leading dimension ldv, likewise read and written; NULL: not wanted. dqdd_dtau: nv x nv, leading dimension ldtau,
 * likewise read and written; NULL: not wanted. What is not wanted is not computed. Allocates: at the first call.
 * Status: as tenon_inverse_dynamics_derivatives, and TENON_NOT_POSITIVE_DEFINITE and TENON_SINGULAR_CONFIGURATION.
 * Cost: O(n^2), with embedded loops O(n^2 d). */
TENON_API tenon_status tenon_forward_dynamics_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    double *qdd, size_t qdd_count, double *dqdd_dq, size_t dqdd_dq_count, int32_t ldq, double *dqdd_dv,
    size_t dqdd_dv_count, int32_t ldv, double *dqdd_dtau, size_t dqdd_dtau_count, int32_t ldtau);

/* Gradients through forward dynamics: with gradient = dL/dqdd, gradient_q = dqdd/dq^T gradient, and likewise by v and
 * tau.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. qdd: nv,
 * written; NULL: not wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as tenon_forward_dynamics_derivatives.
 * Cost: O(n). */
TENON_API tenon_status tenon_forward_dynamics_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *qdd, size_t qdd_count, double *gradient_q,
    size_t gradient_q_count, double *gradient_v, size_t gradient_v_count, double *gradient_tau,
    size_t gradient_tau_count);

/* The change of qdd where q, v and tau change: dqdd = dqdd/dq dq + dqdd/dv dv + dqdd/dtau dtau.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. dq, dv, dtau: nv, dq a
 * tangent vector; NULL: zero. qdd: nv, written; NULL: not wanted. dqdd: nv, written, or read and written with
 * options->accumulate. Allocates: at the first call. Status: as tenon_forward_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_forward_dynamics_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *dq, size_t dq_count, const double *dv, size_t dv_count, const double *dtau, size_t dtau_count,
    double *qdd, size_t qdd_count, double *dqdd, size_t dqdd_count);

/* Constrained dynamics and the derivatives of qdd by q, v, tau and the desired accelerations. With r = M qdd + c -
 * tau - J^T lambda - external and s = J qdd + gamma + R lambda - k, both zero at the solution, they solve
 *
 *     [ M  -J^T ] [dqdd   ]     [ dr ]
 *     [ J   R   ] [dlambda] = - [ ds ]
 *
 * for all kinds of constraints, with stabilisation, compliance and rows that are not active; loops closed by rows are
 * among them. The solution is that of TENON_METHOD_LTL where rows are far from depending on each other, there of
 * TENON_METHOD_PV for robots whose limbs, of equal shape, hang on one body and carry all rows, else of
 * TENON_METHOD_DENSE. Rows that depend on each other: qdd has the derivatives given here as long as they stay dependent
 * where q moves; where they do not (a stretched arm) it has none by q: TENON_SINGULAR_CONFIGURATION, decided for one
 * motion that no symmetry singles out; by v, tau and the desired accelerations it has. lambda + dlambda is a split of
 * the changed forces, the one nearest to lambda in the metric of the weights. Where one of dependent rows is asked for
 * another acceleration than the others, least squares are taken, as tenon_constrained_dynamics does. Rows that
 * contradict each other are TENON_UNSUPPORTED. Without constraints: tenon_forward_dynamics_derivatives.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero. qdd:
 * nv, written; NULL: not wanted. lambda: m, written; NULL: not wanted. dqdd_dq: nv x nv, column-major, leading
 * dimension ldq >= nv, column k by coordinate k, written, or read and written with options->accumulate; NULL: not
 * wanted. dqdd_dv: nv x nv, leading dimension ldv, likewise read and written; NULL: not wanted. dqdd_dtau: nv x nv,
 * leading dimension ldtau, likewise read and written; NULL: not wanted. dqdd_ddesired: nv x m, leading dimension
 * lddesired, likewise read and written; NULL: not wanted. What is not wanted is not computed. Allocates: at the first
 * call. Status: as tenon_forward_dynamics_derivatives. Cost: O(n (n + m) (d + r)), r the rank. */
TENON_API tenon_status tenon_constrained_dynamics_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches,
    size_t wrenches_count, const double *desired, size_t desired_count, double *qdd, size_t qdd_count, double *lambda,
    size_t lambda_count, double *dqdd_dq, size_t dqdd_dq_count, int32_t ldq, double *dqdd_dv, size_t dqdd_dv_count,
    int32_t ldv, double *dqdd_dtau, size_t dqdd_dtau_count, int32_t ldtau, double *dqdd_ddesired,
    size_t dqdd_ddesired_count, int32_t lddesired);

/* Constrained dynamics and the derivatives of its whole solution x = [qdd; lambda], whose nv + m numbers are called
 * solution here, from the same equations solved once: for those who need the derivatives of forces too.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero. qdd:
 * nv, written; NULL: not wanted. lambda: m, written; NULL: not wanted. dx_dq: solution x nv, column-major, leading
 * dimension ldq >= nv + m, column k by coordinate k, qdd above lambda, written, or read and written with
 * options->accumulate; NULL: not wanted. dx_dv: solution x nv, leading dimension ldv, likewise read and written; NULL:
 * not wanted. dx_dtau: solution x nv, leading dimension ldtau, likewise read and written; NULL: not wanted.
 * dx_ddesired: solution x m, leading dimension lddesired, likewise read and written; NULL: not wanted. What is not
 * wanted is not computed. Allocates: at the first call. Status: as tenon_constrained_dynamics_derivatives. Cost: the
 * same. */
TENON_API tenon_status tenon_constrained_solution_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches,
    size_t wrenches_count, const double *desired, size_t desired_count, double *qdd, size_t qdd_count, double *lambda,
    size_t lambda_count, double *dx_dq, size_t dx_dq_count, int32_t ldq, double *dx_dv, size_t dx_dv_count,
    int32_t ldv, double *dx_dtau, size_t dx_dtau_count, int32_t ldtau, double *dx_ddesired, size_t dx_ddesired_count,
    int32_t lddesired);

/* Gradients through constrained dynamics: with gradient = dL/dqdd and gradient_lambda = dL/dlambda, gradient_q =
 * dqdd/dq^T gradient + dlambda/dq^T gradient_lambda, and likewise by v, tau and the desired accelerations. The solution
 * is as there to rounding, and that of TENON_METHOD_PV for limbs side by side that carry and move all rows.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero.
 * gradient: nv; NULL: zero. gradient_lambda: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda: m, written;
 * NULL: not wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with options->accumulate;
 * NULL: not wanted. gradient_desired: m, likewise read and written; NULL: not wanted. Allocates: at the first call.
 * Status: as tenon_constrained_dynamics_derivatives. Cost: O(n + m^2 d + m^3), with limbs so O(n + m^3); with embedded
 * loops of TENON_METHOD_DENSE, and O(n d + (n + m) r). */
TENON_API tenon_status tenon_constrained_dynamics_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *gradient, size_t gradient_count,
    const double *gradient_lambda, size_t gradient_lambda_count, double *qdd, size_t qdd_count, double *lambda,
    size_t lambda_count, double *gradient_q, size_t gradient_q_count, double *gradient_v, size_t gradient_v_count,
    double *gradient_tau, size_t gradient_tau_count, double *gradient_desired, size_t gradient_desired_count);

/* The changes of qdd and lambda where q, v, tau and the desired accelerations change.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero. dq,
 * dv, dtau: nv, dq a tangent vector; NULL: zero. ddesired: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda:
 * m, written; NULL: not wanted. dqdd: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * dlambda: m, likewise read and written; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_constrained_dynamics_derivatives, of TENON_SINGULAR_CONFIGURATION along dq. Cost: as
 * tenon_constrained_dynamics_vjp. */
TENON_API tenon_status tenon_constrained_dynamics_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *dq, size_t dq_count, const double *dv, size_t dv_count,
    const double *dtau, size_t dtau_count, const double *ddesired, size_t ddesired_count, double *qdd, size_t qdd_count,
    double *lambda, size_t lambda_count, double *dqdd, size_t dqdd_count, double *dlambda, size_t dlambda_count);

/* An impact and the derivatives of the velocities after it and of the impulses, by q and by the velocities before, with
 * the restitution as it is. With d = v_after - v, r = M d - J^T impulse and s = J d + R impulse + (1 + restitution)
 * J v, both zero, the equations are those of tenon_constrained_dynamics_derivatives, and what it says of rows that
 * depend on each other or contradict each other is so here. Embedded loops: v must keep them closed, as in
 * tenon_impact; in spanning coordinates changes of q and v together must do so too.
 * options: NULL for the defaults. restitution: m or 1 (for all rows), from 0 to 1; NULL: 0. q: nq. v: nv. v_after: nv,
 * written; NULL: not wanted. impulse: m, written; NULL: not wanted. dv_dq: nv x nv, column-major, leading dimension
 * ldq >= nv, column k by coordinate k, written, or read and written with options->accumulate; NULL: not wanted. dv_dv:
 * nv x nv, leading dimension ldv, likewise read and written; NULL: not wanted. dimpulse_dq: m x nv, leading dimension
 * ldiq >= m, likewise read and written; NULL: not wanted. dimpulse_dv: m x nv, leading dimension ldiv,
 * likewise read and written; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_constrained_dynamics_derivatives; TENON_INVALID_ARGUMENT also for restitution. Cost: as it. */
TENON_API tenon_status tenon_impact_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *restitution,
    size_t restitution_count, const double *q, size_t q_count, const double *v, size_t v_count, double *v_after,
    size_t v_after_count, double *impulse, size_t impulse_count, double *dv_dq, size_t dv_dq_count, int32_t ldq,
    double *dv_dv, size_t dv_dv_count, int32_t ldv, double *dimpulse_dq, size_t dimpulse_dq_count,
    int32_t ldiq, double *dimpulse_dv, size_t dimpulse_dv_count, int32_t ldiv);

/* Gradients through an impact: with gradient = dL/dv_after and gradient_impulse = dL/dimpulse, gradient_q = dv/dq^T
 * gradient + dimpulse/dq^T gradient_impulse, and likewise by v.
 * options: NULL for the defaults. restitution: m or 1 (for all rows), from 0 to 1; NULL: 0. q: nq. v: nv. gradient: nv;
 * NULL: zero. gradient_impulse: m; NULL: zero. v_after: nv, written; NULL: not wanted. impulse: m, written; NULL: not
 * wanted. gradient_q, gradient_v: nv, written, or read and written with options->accumulate; NULL: not wanted.
 * Allocates: at the first call. Status: as tenon_impact_derivatives. Cost: of tenon_impact, and O(n m). */
TENON_API tenon_status tenon_impact_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *restitution,
    size_t restitution_count, const double *q, size_t q_count, const double *v, size_t v_count, const double *gradient,
    size_t gradient_count, const double *gradient_impulse, size_t gradient_impulse_count, double *v_after,
    size_t v_after_count, double *impulse, size_t impulse_count, double *gradient_q, size_t gradient_q_count,
    double *gradient_v, size_t gradient_v_count);

/* The changes of the velocities after an impact and of the impulses where q and the velocities before change.
 * options: NULL for the defaults. restitution: m or 1 (for all rows), from 0 to 1; NULL: 0. q: nq. v: nv. dq, dv: nv,
 * dq a tangent vector; NULL: zero. v_after: nv, written; NULL: not wanted. impulse: m, written; NULL: not wanted.
 * dv_after: nv, written, or read and written with options->accumulate; NULL: not wanted. dimpulse: m, likewise read and
 * written; NULL: not wanted. Allocates: at the first call. Status: as tenon_impact_derivatives, of
 * TENON_SINGULAR_CONFIGURATION along dq. Cost: as tenon_impact_vjp. */
TENON_API tenon_status tenon_impact_jvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *restitution,
    size_t restitution_count, const double *q, size_t q_count, const double *v, size_t v_count, const double *dq,
    size_t dq_count, const double *dv, size_t dv_count, double *v_after, size_t v_after_count, double *impulse,
    size_t impulse_count, double *dv_after, size_t dv_after_count, double *dimpulse, size_t dimpulse_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_DERIVATIVES_H */
