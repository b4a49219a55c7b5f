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
 * constraints of the workspace, by S. Singh, R. Russo and P. Wensing, Efficient analytical derivatives of rigid body
 * dynamics using spatial vector algebra, 2022; exact but for rounding. Robots with kinematic loops, embedded or by
 * rows, are TENON_UNSUPPORTED in this version.
 *   A product with a gradient (vjp) is what reverse differentiation needs: from the derivative of a number L by the
 * result of a call, those by what went in. A product with a change (jvp) is the change of the result. They form no
 * matrix and cost O(n). Any output may be NULL; the value of the function itself is one of them. */
typedef struct tenon_derivative_options {
  uint32_t struct_size;
  int32_t accumulate;  /* 1: derivatives are added to what their outputs hold, which must then be finite; 0: they are
                        * written; values of the function itself always are. Default 0 */
} tenon_derivative_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_derivative_options_init(tenon_derivative_options *options, size_t size);

/* Inverse dynamics and its derivatives by q, v and a; that by a is the mass matrix.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. tau: nv, written; NULL: not
 * wanted. dtau_dq: nv x nv, column-major, leading dimension ldq >= nv, column k by coordinate k, written, or read and
 * written with options->accumulate; NULL: not wanted. dtau_dv: nv x nv, leading dimension ldv, likewise read and
 * written; NULL: not wanted. dtau_da: nv x nv, leading dimension lda, likewise read and written; NULL: not wanted.
 * Allocates: at the first call. Status: as tenon_inverse_dynamics, and TENON_UNSUPPORTED (kinematic loops). Cost:
 * O(n^2) for the zeros, O(n d) for the rest. */
TENON_API tenon_status tenon_inverse_dynamics_derivatives(tenon_workspace *workspace,
                                                          const tenon_derivative_options *options, const double *q,
                                                          size_t q_count, const double *v, size_t v_count,
                                                          const double *a, size_t a_count, const double *wrenches,
                                                          size_t wrenches_count, double *tau, size_t tau_count,
                                                          double *dtau_dq, size_t dtau_dq_count, int32_t ldq,
                                                          double *dtau_dv, size_t dtau_dv_count, int32_t ldv,
                                                          double *dtau_da, size_t dtau_da_count, int32_t lda);

/* Gradients through inverse dynamics: with gradient = dL/dtau, gradient_q = dtau/dq^T gradient, and likewise by v and
 * a.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. tau: nv, written;
 * NULL: not wanted. gradient_q, gradient_v, gradient_a: nv, written, or read and written with options->accumulate;
 * NULL: not wanted. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics_vjp(tenon_workspace *workspace, const tenon_derivative_options *options,
                                                  const double *q, size_t q_count, const double *v, size_t v_count,
                                                  const double *a, size_t a_count, const double *wrenches,
                                                  size_t wrenches_count, const double *gradient, size_t gradient_count,
                                                  double *tau, size_t tau_count, double *gradient_q,
                                                  size_t gradient_q_count, double *gradient_v, size_t gradient_v_count,
                                                  double *gradient_a, size_t gradient_a_count);

/* The change of tau where q, v and a change: dtau = dtau/dq dq + dtau/dv dv + dtau/da da.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. dq, dv, da: nv, dq a tangent
 * vector; NULL: zero. tau: nv, written; NULL: not wanted. dtau: nv, written, or read and written with
 * options->accumulate. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics_jvp(tenon_workspace *workspace, const tenon_derivative_options *options,
                                                  const double *q, size_t q_count, const double *v, size_t v_count,
                                                  const double *a, size_t a_count, const double *wrenches,
                                                  size_t wrenches_count, const double *dq, size_t dq_count,
                                                  const double *dv, size_t dv_count, const double *da, size_t da_count,
                                                  double *tau, size_t tau_count, double *dtau, size_t dtau_count);

/* Forward dynamics without the constraints and its derivatives by q, v and tau; that by tau is M^-1.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. qdd: nv, written, the digits
 * of tenon_forward_dynamics; NULL: not wanted. dqdd_dq: nv x nv, column-major, leading dimension ldq >= nv, column k by
 * coordinate k, written, or read and written with options->accumulate; NULL: not wanted. dqdd_dv: nv x nv, leading
 * dimension ldv, likewise read and written; NULL: not wanted. dqdd_dtau: nv x nv, leading dimension ldtau, likewise
 * read and written; NULL: not wanted. What is not wanted is not computed. Allocates: at the first call. Status: as
 * tenon_inverse_dynamics_derivatives, and TENON_NOT_POSITIVE_DEFINITE. Cost: O(n^2 d). */
TENON_API tenon_status tenon_forward_dynamics_derivatives(tenon_workspace *workspace,
                                                          const tenon_derivative_options *options, const double *q,
                                                          size_t q_count, const double *v, size_t v_count,
                                                          const double *tau, size_t tau_count, const double *wrenches,
                                                          size_t wrenches_count, double *qdd, size_t qdd_count,
                                                          double *dqdd_dq, size_t dqdd_dq_count, int32_t ldq,
                                                          double *dqdd_dv, size_t dqdd_dv_count, int32_t ldv,
                                                          double *dqdd_dtau, size_t dqdd_dtau_count, int32_t ldtau);

/* Gradients through forward dynamics: with gradient = dL/dqdd, gradient_q = dqdd/dq^T gradient, and likewise by v and
 * tau.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. qdd: nv,
 * written; NULL: not wanted. gradient_q, gradient_v, gradient_tau: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as tenon_forward_dynamics_derivatives.
 * Cost: O(n). */
TENON_API tenon_status tenon_forward_dynamics_vjp(tenon_workspace *workspace, const tenon_derivative_options *options,
                                                  const double *q, size_t q_count, const double *v, size_t v_count,
                                                  const double *tau, size_t tau_count, const double *wrenches,
                                                  size_t wrenches_count, const double *gradient, size_t gradient_count,
                                                  double *qdd, size_t qdd_count, double *gradient_q,
                                                  size_t gradient_q_count, double *gradient_v, size_t gradient_v_count,
                                                  double *gradient_tau, size_t gradient_tau_count);

/* The change of qdd where q, v and tau change: dqdd = dqdd/dq dq + dqdd/dv dv + dqdd/dtau dtau.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. dq, dv, dtau: nv, dq a
 * tangent vector; NULL: zero. qdd: nv, written; NULL: not wanted. dqdd: nv, written, or read and written with
 * options->accumulate. Allocates: at the first call. Status: as tenon_forward_dynamics_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_forward_dynamics_jvp(tenon_workspace *workspace, const tenon_derivative_options *options,
                                                  const double *q, size_t q_count, const double *v, size_t v_count,
                                                  const double *tau, size_t tau_count, const double *wrenches,
                                                  size_t wrenches_count, const double *dq, size_t dq_count,
                                                  const double *dv, size_t dv_count, const double *dtau,
                                                  size_t dtau_count, double *qdd, size_t qdd_count, double *dqdd,
                                                  size_t dqdd_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_DERIVATIVES_H */
