/* clang-format off */
/* tenon/dynamics.h, a part of tenon.h, which is the manual. Dynamics without constraints: inverse, forward, mass
 * matrix. */
#ifndef TENON_DYNAMICS_H
#define TENON_DYNAMICS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Dynamics without constraints ------------------------------------------------------------------------------- */

/* Inverse dynamics by the recursive Newton-Euler algorithm, [RBDA] table 5.1: tau = M(q) a + c(q, v) - external.
 * q: nq. v, a: nv. wrenches: 6 x links, [moment about the link origin; force on the link], link axes; NULL: none.
 * tau: nv, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED.
 * Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics(
    tenon_workspace *workspace, const double *q, size_t q_count, const double *v, size_t v_count, const double *a,
    size_t a_count, const double *wrenches, size_t wrenches_count, double *tau, size_t tau_count);

/* Bias force c(q, v): gravity, Coriolis and centrifugal, less the external wrenches; inverse dynamics at a = 0.
 * q: nq. v: nv. wrenches: as tenon_inverse_dynamics. c: nv, written. Status: as tenon_inverse_dynamics. Cost: O(n). */
TENON_API tenon_status tenon_bias(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                  size_t v_count, const double *wrenches, size_t wrenches_count, double *c,
                                  size_t c_count);

/* Gravity force g(q): the tau that holds the robot still against gravity, tenon_bias at v = 0 without wrenches; the
 * derivative of the potential energy (tenon_energy) by the coordinates.
 * q: nq. g: nv, written. Status: as tenon_inverse_dynamics. Cost: O(n). */
TENON_API tenon_status tenon_gravity_force(tenon_workspace *workspace, const double *q, size_t q_count, double *g,
                                           size_t g_count);

/* Coriolis matrix C(q, v), for controllers that need more than the product: C v are the velocity terms of the bias
 * force, tenon_bias - tenon_gravity_force, and dM/dt = C + C^T, so that dM/dt - 2 C is skew-symmetric. Where all joints
 * have one coordinate these are the Christoffel symbols of M times v; rates of M are those along the motion that v is.
 * (Echeandia and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
 * systems, 2021.) q: nq. v: nv. C: nv x nv, column-major, leading dimension ldc >= nv, not symmetric. Allocates: at the
 * first call. Status: as tenon_inverse_dynamics. Cost: O(n^2) for the zeros, O(n d) for the rest; with independent
 * velocities O(n^2 ny). */
TENON_API tenon_status tenon_coriolis_matrix(tenon_workspace *workspace, const double *q, size_t q_count,
                                             const double *v, size_t v_count, double *C, size_t C_count, int32_t ldc);

/* Mass matrix M(q), armature included, by the composite-rigid-body algorithm, [RBDA] table 6.2.
 * q: nq. M: nv x nv, column-major, leading dimension ldm >= nv, both triangles. Allocates: nothing; with embedded
 * loops, at the first call. Status: as tenon_inverse_dynamics. Cost: O(n^2) for the zeros, O(n d) for the rest. */
TENON_API tenon_status tenon_mass_matrix(tenon_workspace *workspace, const double *q, size_t q_count, double *M,
                                         size_t M_count, int32_t ldm);

/* Factors M(q) = L^T L along the branches of the tree, [RBDA] table 6.3, and keeps L for the two calls below until the
 * next call of this function. With embedded loops the factor is that of G^T M G, along the tree of clusters, and M^-1
 * below stands for G (G^T M G)^-1 G^T.
 * q: nq. Allocates: at the first call. Status: as tenon_inverse_dynamics, and TENON_NOT_POSITIVE_DEFINITE,
 * TENON_SINGULAR_CONFIGURATION. Cost: O(n d^2). */
TENON_API tenon_status tenon_mass_matrix_factor(tenon_workspace *workspace, const double *q, size_t q_count);

/* X = M^-1 B and X = M B with the factor kept by tenon_mass_matrix_factor, [RBDA] table 6.4.
 * B: nv x columns, leading dimension ldb >= nv. X: nv x columns, leading dimension ldx >= nv, written. X may be B
 * itself, with the same leading dimension. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no factor),
 * TENON_WRONG_SIZE, TENON_NOT_FINITE. Cost: O(n d) a column. */
TENON_API tenon_status tenon_mass_matrix_solve(tenon_workspace *workspace, int32_t columns, const double *B,
                                               size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);
TENON_API tenon_status tenon_mass_matrix_multiply(tenon_workspace *workspace, int32_t columns, const double *B,
                                                  size_t B_count, int32_t ldb, double *X, size_t X_count, int32_t ldx);

/* Forward dynamics without the constraints, by the articulated-body algorithm, [RBDA] table 7.1: qdd = M^-1 (tau +
 * external - c). All loops of the model are obeyed, those by rows (TENON_LOOP_TREATMENT_ROWS) by a solve of their rows
 * alone, with the default options of tenon_constrained_dynamics.
 * q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. qdd: nv, written. Status: as tenon_inverse_dynamics, and
 * TENON_NOT_POSITIVE_DEFINITE; with embedded loops TENON_SINGULAR_CONFIGURATION; with loops by rows TENON_INFEASIBLE
 * (qdd written). Cost: O(n). */
TENON_API tenon_status tenon_forward_dynamics(
    tenon_workspace *workspace, const double *q, size_t q_count, const double *v, size_t v_count, const double *tau,
    size_t tau_count, const double *wrenches, size_t wrenches_count, double *qdd, size_t qdd_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_DYNAMICS_H */
