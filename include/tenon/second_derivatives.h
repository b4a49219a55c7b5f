/* clang-format off */
/* tenon/second_derivatives.h, a part of tenon.h, which is the manual. Second derivatives of dynamics, contracted with a
 * gradient. */
#ifndef TENON_SECOND_DERIVATIVES_H
#define TENON_SECOND_DERIVATIVES_H

#include "derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Second derivatives ----------------------------------------------------------------------------------------- */

/* Of one number, gradient^T tau or gradient^T qdd + gradient_lambda^T lambda: what exact-Hessian SQP and differential
 * dynamic programming add to the products of first derivatives. Never the tensor. They are first derivatives computed
 * once more on numbers with their changes (forward mode), exact but for rounding. Matrices are column-major (or
 * row-major, as options say), hessian_qv has the derivative by q_i and v_k in row i of column k, hessian_qq and
 * hessian_vv are symmetric; those that are not there are zero: tau is linear in a, and M and J do not depend on v.
 * Derivatives by q are those of the number at tenon_integrate(q, x), x = 0. Joints' damping is linear, dry friction
 * constant. Loops by rows are among the rows.
 *   Robots with embedded loops, where K(q) v = 0 and v = G(q) ydot: with independent velocities
 * (tenon_workspace_set_coordinates) nv below is ny, and derivatives are those of the number as a function of
 * independent positions and velocities, where all others are what closes the loops: at x = 0 of the number where
 * tenon_integrate moves independent coordinates by x. In spanning coordinates inverse dynamics is that of the tree.
 * Forward and constrained dynamics have them there while G is constant (couplings, mimic joints), by any x of nv
 * numbers, as first derivatives are. Where G varies they are TENON_UNSUPPORTED in spanning coordinates: a motion that
 * keeps loops closed bends, dv = G dydot + D dq, and its second derivative has the gradient times that bend, so that no
 * nv x nv matrix has it. Implicit constraints are TENON_UNSUPPORTED.
 *   With its memory a workspace takes seven to ten times the bytes; made at the first call, or by
 * TENON_PRODUCT_SECOND_DERIVATIVES. */

/* Second derivatives of gradient^T tau of inverse dynamics, by q, v and a.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. hessian_qq: nv
 * x nv, column-major, leading dimension ldqq >= nv, written, or read and written with options->accumulate; NULL: not
 * wanted. hessian_qv: nv x nv, leading dimension ldqv, likewise read and written; NULL: not wanted. hessian_vv: nv x
 * nv, leading dimension ldvv, likewise read and written; NULL: not wanted. hessian_qa: nv x nv, leading dimension
 * ldqa, likewise read and written; NULL: not wanted. What is not wanted is not computed. Allocates: at the first
 * call. Status: as tenon_inverse_dynamics_derivatives. Cost: O(n^2), with embedded loops O(n^2 d). */
TENON_API tenon_status tenon_inverse_dynamics_hessian(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *hessian_qq, size_t hessian_qq_count, int32_t ldqq,
    double *hessian_qv, size_t hessian_qv_count, int32_t ldqv, double *hessian_vv, size_t hessian_vv_count,
    int32_t ldvv, double *hessian_qa, size_t hessian_qa_count, int32_t ldqa);

/* Second derivatives of gradient^T qdd of forward dynamics without the constraints, by q, v and tau.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. hessian_qq:
 * nv x nv, column-major, leading dimension ldqq >= nv, written, or read and written with options->accumulate; NULL:
 * not wanted. hessian_qv: nv x nv, leading dimension ldqv, likewise read and written; NULL: not wanted. hessian_vv:
 * nv x nv, leading dimension ldvv, likewise read and written; NULL: not wanted. hessian_qtau: nv x nv, leading
 * dimension ldqtau, likewise read and written; NULL: not wanted. What is not wanted is not computed, but for the
 * first derivatives. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives, TENON_UNSUPPORTED
 * also in spanning coordinates where G varies, and TENON_NOT_POSITIVE_DEFINITE. Cost: O(n^3). */
TENON_API tenon_status tenon_forward_dynamics_hessian(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *hessian_qq, size_t hessian_qq_count, int32_t ldqq,
    double *hessian_qv, size_t hessian_qv_count, int32_t ldqv, double *hessian_vv, size_t hessian_vv_count,
    int32_t ldvv, double *hessian_qtau, size_t hessian_qtau_count, int32_t ldqtau);

/* Second derivatives of gradient^T qdd + gradient_lambda^T lambda of constrained dynamics, by q, v, tau and the
 * desired accelerations. Where rows depend on each other qdd has them as it has first ones
 * (tenon_constrained_dynamics_derivatives); lambda has none, and a gradient_lambda other than zero is
 * TENON_UNSUPPORTED.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero.
 * gradient: nv; NULL: zero. gradient_lambda: m; NULL: zero. hessian_qq: nv x nv, column-major, leading dimension
 * ldqq >= nv, written, or read and written with options->accumulate; NULL: not wanted. hessian_qv: nv x nv, leading
 * dimension ldqv, likewise read and written; NULL: not wanted. hessian_vv: nv x nv, leading dimension ldvv, likewise
 * read and written; NULL: not wanted. hessian_qtau: nv x nv, leading dimension ldqtau, likewise read and written;
 * NULL: not wanted. hessian_qdesired: nv x m, leading dimension ldqdesired, likewise read and written; NULL: not
 * wanted. Allocates: at the first call. Status: as tenon_constrained_dynamics_derivatives, TENON_UNSUPPORTED also in
 * spanning coordinates where G varies, and as above. Cost: O(n^2 (n + m)). */
TENON_API tenon_status tenon_constrained_dynamics_hessian(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *gradient, size_t gradient_count,
    const double *gradient_lambda, size_t gradient_lambda_count, double *hessian_qq, size_t hessian_qq_count,
    int32_t ldqq, double *hessian_qv, size_t hessian_qv_count, int32_t ldqv, double *hessian_vv,
    size_t hessian_vv_count, int32_t ldvv, double *hessian_qtau, size_t hessian_qtau_count, int32_t ldqtau,
    double *hessian_qdesired, size_t hessian_qdesired_count, int32_t ldqdesired);

/* ---- Products with second derivatives --------------------------------------------------------------------------- */

/* The Hessian of one number times a change of what it depends on, without the matrix: what Newton-CG, MINRES and
 * gradients of gradients take. Derivatives by q are those of the number at tenon_integrate(q, x), x = 0, so these are
 * the products of the matrices above, which are symmetric. The gradient by tangents at a q that moves along dq changes
 * by half a bracket more. They take one sweep of the products of first derivatives on numbers with one change, and
 * those of dynamics a product of each kind besides: six to seven times tenon_inverse_dynamics_vjp, four to five times
 * tenon_forward_dynamics_vjp. */

/* The Hessian of gradient^T tau of inverse dynamics by (q, v, a), times (dq, dv, da).
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. dq, dv, da: nv,
 * dq a tangent vector; NULL: zero. product_q, product_v, product_a: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as tenon_inverse_dynamics_hessian. Cost:
 * O(n). */
TENON_API tenon_status tenon_inverse_dynamics_hvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, const double *dq, size_t dq_count, const double *dv, size_t dv_count,
    const double *da, size_t da_count, double *product_q, size_t product_q_count, double *product_v,
    size_t product_v_count, double *product_a, size_t product_a_count);

/* The Hessian of gradient^T qdd of forward dynamics without the constraints by (q, v, tau), times (dq, dv, dtau).
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. dq, dv, dtau:
 * nv, dq a tangent vector; NULL: zero. product_q, product_v, product_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as tenon_forward_dynamics_hessian. Cost:
 * O(n). */
TENON_API tenon_status tenon_forward_dynamics_hvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, const double *dq, size_t dq_count, const double *dv, size_t dv_count,
    const double *dtau, size_t dtau_count, double *product_q, size_t product_q_count, double *product_v,
    size_t product_v_count, double *product_tau, size_t product_tau_count);

/* The Hessian of gradient^T qdd + gradient_lambda^T lambda of constrained dynamics by (q, v, tau, the desired
 * accelerations), times a change of these. Where rows depend on each other: as tenon_constrained_dynamics_hessian.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero.
 * gradient: nv; NULL: zero. gradient_lambda: m; NULL: zero. dq, dv, dtau: nv, dq a tangent vector; NULL: zero.
 * ddesired: m; NULL: zero. product_q, product_v, product_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. product_desired: m, likewise read and written; NULL: not wanted. Allocates: at
 * the first call. Status: as tenon_constrained_dynamics_hessian. Cost: as tenon_constrained_dynamics_vjp. */
TENON_API tenon_status tenon_constrained_dynamics_hvp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *gradient, size_t gradient_count,
    const double *gradient_lambda, size_t gradient_lambda_count, const double *dq, size_t dq_count, const double *dv,
    size_t dv_count, const double *dtau, size_t dtau_count, const double *ddesired, size_t ddesired_count,
    double *product_q, size_t product_q_count, double *product_v, size_t product_v_count, double *product_tau,
    size_t product_tau_count, double *product_desired, size_t product_desired_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_SECOND_DERIVATIVES_H */
