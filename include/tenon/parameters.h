/* clang-format off */
/* tenon/parameters.h, a part of tenon.h, which is the manual. Dynamics as a function of the inertial parameters of
 * links, and of what acts on them: regressors, gradients and derivatives by these. */
#ifndef TENON_PARAMETERS_H
#define TENON_PARAMETERS_H

#include "derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- By parameters ---------------------------------------------------------------------------------------------- */

/* What identification of robots, and learning of them, need. The parameters of a link are ten numbers pi = [m, m c,
 * I]: its mass, kg; its mass times its centre of mass, 3, kg m; its rotational inertia about the origin of its frame,
 * 6, [ixx ixy ixz iyy iyz izz], kg m^2; all along the axes of the link. Those of all links, extra frames too, one
 * after another in the order of the model, are what is called parameters here, ten numbers a link. Links of the world
 * and extra frames, which have no inertia of their own, change nothing; links that are fixed to each other have their
 * own numbers, and only their sum shows.
 *   tenon_workspace_set_inertia has mass, c and the inertia about the centre of mass, I - m (c.c 1 - c c^T).
 *   Robots with embedded loops: in spanning coordinates Y and gradients through inverse dynamics are those of the tree.
 * With independent velocities Y stands for G^T Y, as tau for G^T tau. Armature, damping and friction are those of
 * spanning coordinates in both, as tenon_workspace_set_joint_parameters takes them. Loops by functions of the user are
 * taken, too. Loops by rows: inverse dynamics is that of the tree, and constrained dynamics has them among its rows.
 * TENON_UNSUPPORTED: gradients through forward dynamics with loops by rows. */

/* The regressor Y of the forces on the joints: tau = Y pi + armature a + friction - J^T wrenches is what
 * tenon_inverse_dynamics gives, pi with payloads.
 * q: nq. v, a: nv. zeros: 1: all of Y is written; 0: entries of a link and a coordinate that does not move it stay as
 * they are, in a matrix that the caller has cleared once: at most three times as fast. Y: nv x parameters,
 * column-major, leading dimension ldy >= nv, columns 10 i to 10 i + 9 those of link i, written. Allocates: at the
 * first call. Status: as tenon_inverse_dynamics. Cost: O(n links) for the zeros, O(links d) for the rest; with
 * independent velocities O(n links). */
TENON_API tenon_status tenon_joint_torque_regressor(tenon_workspace *workspace, const double *q, size_t q_count,
                                                    const double *v, size_t v_count, const double *a, size_t a_count,
                                                    int32_t zeros, double *Y, size_t Y_count, int32_t ldy);

/* The regressors of energy, J, after tenon_kinematics with v: kinetic . pi, and half of armature v^2 of each joint,
 * is the kinetic energy, potential . pi the potential energy of tenon_energy.
 * kinetic: parameters, written; NULL: not wanted, then kinematics without v will do. potential: parameters, written;
 * NULL: not wanted. Allocates: at the first call. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics
 * before), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_MEMORY. Cost: O(links). */
TENON_API tenon_status tenon_energy_regressors(tenon_workspace *workspace, double *kinetic, size_t kinetic_count,
                                               double *potential, size_t potential_count);

/* Gradients through inverse dynamics by what it depends on besides the state: with gradient = dL/dtau,
 * gradient_inertia = Y^T gradient, no matrix formed, and likewise by armature, damping and dry friction of joints
 * (tenon_workspace_set_joint_parameters), by external wrenches, as they are given, and by gravity along world axes.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. tau: nv,
 * written; NULL: not wanted. gradient_inertia: parameters, written, or read and written with options->accumulate;
 * NULL: not wanted. gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise read and written;
 * NULL: not wanted. gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted. gradient_gravity: 3,
 * likewise read and written; NULL: not wanted. Allocates: at the first call. Status: as tenon_inverse_dynamics, and
 * TENON_UNSUPPORTED (options). Cost: O(n + links). */
TENON_API tenon_status tenon_inverse_dynamics_parameter_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *tau, size_t tau_count, double *gradient_inertia,
    size_t gradient_inertia_count, double *gradient_armature, size_t gradient_armature_count, double *gradient_damping,
    size_t gradient_damping_count, double *gradient_friction, size_t gradient_friction_count,
    double *gradient_wrenches, size_t gradient_wrenches_count, double *gradient_gravity, size_t gradient_gravity_count);

/* Gradients through forward dynamics by what it depends on besides the state: with gradient = dL/dqdd,
 * gradient_inertia = - Y(q, v, qdd)^T M^-1 gradient, gradient_wrenches = J M^-1 gradient with the Jacobian of each
 * link, and likewise by armature, damping and dry friction of joints, and by gravity.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. qdd: nv,
 * written; NULL: not wanted. gradient_inertia: parameters, written, or read and written with options->accumulate;
 * NULL: not wanted. gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise read and written;
 * NULL: not wanted. gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted. gradient_gravity: 3,
 * likewise read and written; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_forward_dynamics_derivatives. Cost: O(n + links). */
TENON_API tenon_status tenon_forward_dynamics_parameter_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *qdd, size_t qdd_count, double *gradient_inertia,
    size_t gradient_inertia_count, double *gradient_armature, size_t gradient_armature_count, double *gradient_damping,
    size_t gradient_damping_count, double *gradient_friction, size_t gradient_friction_count,
    double *gradient_wrenches, size_t gradient_wrenches_count, double *gradient_gravity, size_t gradient_gravity_count);

/* Gradients through constrained dynamics by the same: with gradient = dL/dqdd and gradient_lambda = dL/dlambda, as
 * tenon_constrained_dynamics_vjp has those by q, v, tau and the desired accelerations.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero.
 * gradient: nv; NULL: zero. gradient_lambda: m; NULL: zero. qdd: nv, written; NULL: not wanted. lambda: m, written;
 * NULL: not wanted. gradient_inertia: parameters, written, or read and written with options->accumulate; NULL: not
 * wanted. gradient_armature, gradient_damping, gradient_friction: spanning nv, likewise read and written; NULL: not
 * wanted. gradient_wrenches: 6 x links, likewise read and written; NULL: not wanted. gradient_gravity: 3, likewise read
 * and written; NULL: not wanted. Allocates: at the first call. Status: as tenon_forward_dynamics_derivatives. Cost: of
 * TENON_METHOD_DENSE, and O(n + links + (n + m) r). */
TENON_API tenon_status tenon_constrained_dynamics_parameter_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *gradient, size_t gradient_count,
    const double *gradient_lambda, size_t gradient_lambda_count, double *qdd, size_t qdd_count, double *lambda,
    size_t lambda_count, double *gradient_inertia, size_t gradient_inertia_count, double *gradient_armature,
    size_t gradient_armature_count, double *gradient_damping, size_t gradient_damping_count, double *gradient_friction,
    size_t gradient_friction_count, double *gradient_wrenches, size_t gradient_wrenches_count,
    double *gradient_gravity, size_t gradient_gravity_count);

/* Gradients through inverse dynamics by the ratios of couplings, gears and mimic joints that the model obeys: with
 * gradient = dL/dtau, gradient_ratios = dtau/dratios^T gradient. Ratios are tenon_model_ratio_count numbers, those of
 * one of these from its tenon_loop_info.first_ratio on: one of a gear and of a mimic joint, those of
 * tenon_builder_add_coupling of a coupling, column by column. The independent coordinates of q, v and a stay; dependent
 * ones move as couplings and loops then ask for. In spanning coordinates inverse dynamics is that of the tree, on which
 * ratios do nothing.
 * options: NULL for the defaults. q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. gradient: nv. gradient_ratios:
 * ratios, written, or read and written with options->accumulate; NULL: not wanted. Allocates: at the first call.
 * Status: as tenon_inverse_dynamics, and TENON_UNSUPPORTED (options; implicit constraints, which give no derivatives,
 * with independent velocities). Cost: O(n). */
TENON_API tenon_status tenon_inverse_dynamics_ratio_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    const double *gradient, size_t gradient_count, double *gradient_ratios, size_t gradient_ratios_count);

/* Gradients through constrained dynamics by the same, and without constraints through forward dynamics: with gradient =
 * dL/dqdd and gradient_lambda = dL/dlambda, gradient_ratios = dqdd/dratios^T gradient + dlambda/dratios^T
 * gradient_lambda. In spanning coordinates too the independent coordinates of q and v stay, and dependent ones move;
 * forces stay as given, in the coordinates of the workspace.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero.
 * gradient: nv; NULL: zero. gradient_lambda: m; NULL: zero. gradient_ratios: ratios, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as
 * tenon_constrained_dynamics_derivatives. Cost: as tenon_constrained_dynamics_vjp. */
TENON_API tenon_status tenon_constrained_dynamics_ratio_vjp(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, const double *gradient, size_t gradient_count,
    const double *gradient_lambda, size_t gradient_lambda_count, double *gradient_ratios, size_t gradient_ratios_count);

/* Constrained dynamics and the derivatives of its whole solution x = [qdd; lambda] by parameters, as matrices, from the
 * equations of tenon_constrained_dynamics_derivatives with dr = Y(q, v, qdd) dpi and ds = 0: those by inertias are
 * - [M -J^T; J R]^-1 [Y; 0], and without constraints - M^-1 Y, those of forward dynamics. By armature, damping and dry
 * friction of a joint coordinate k, dr is e_k qdd_k, e_k v_k and e_k sign v_k, in spanning coordinates. Rows that
 * depend on each other stay so, and lambda + dlambda is the split of the changed forces nearest to lambda in the metric
 * of the weights.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero. qdd:
 * nv, written; NULL: not wanted. lambda: m, written; NULL: not wanted. dx_dinertia: solution x parameters,
 * column-major, leading dimension ldinertia >= nv + m, columns 10 i to 10 i + 9 those of link i, qdd above lambda,
 * written, or read and written with options->accumulate; NULL: not wanted. dx_darmature: solution x spanning nv,
 * leading dimension ldarmature, likewise read and written; NULL: not wanted. dx_ddamping: solution x spanning nv,
 * leading dimension lddamping, likewise read and written; NULL: not wanted. dx_dfriction: solution x spanning nv,
 * leading dimension ldfriction, likewise read and written; NULL: not wanted. What is not wanted is not computed.
 * Allocates: at the first call. Status: as tenon_constrained_dynamics_parameter_vjp. Cost: of TENON_METHOD_DENSE, and
 * O((links + n) (n + m) (d + r)), r the rank. */
TENON_API tenon_status tenon_constrained_dynamics_parameter_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, double *qdd, size_t qdd_count, double *lambda, size_t lambda_count,
    double *dx_dinertia, size_t dx_dinertia_count, int32_t ldinertia, double *dx_darmature, size_t dx_darmature_count,
    int32_t ldarmature, double *dx_ddamping, size_t dx_ddamping_count, int32_t lddamping, double *dx_dfriction,
    size_t dx_dfriction_count, int32_t ldfriction);

/* Constrained dynamics and the derivatives of its whole solution x = [qdd; lambda] by what acts on links, external
 * wrenches and gravity, as matrices, from the equations of tenon_constrained_dynamics_derivatives with dr = - J^T dw +
 * (dg/dgravity) dgravity and ds = 0: with the wrenches w of chosen links and their Jacobians J below each other, those
 * of tenon_link_jacobian along TENON_AXES_LINK, and dg/dgravity of tenon_gravity_force_derivatives. x is affine in
 * both: the derivatives hold for changes of any size. Without constraints they are those of forward dynamics, M^-1 J^T
 * and - M^-1 dg/dgravity; those of tau of inverse dynamics are - J^T and dg/dgravity itself. Rows that depend on each
 * other stay so, and lambda + dlambda is the split of the changed forces nearest to lambda in the metric of the
 * weights. Loops: as gradients by parameters have them, those by functions of the user too; by rows among the
 * constraints.
 * options: NULL for the defaults. links: link_count, their indices, at most as many as the model has, in any order,
 * extra frames too. q: nq. v, tau: nv. wrenches: as tenon_inverse_dynamics. desired: m; NULL: zero. qdd: nv, written;
 * NULL: not wanted. lambda: m, written; NULL: not wanted. dx_dwrenches: solution x loads, 6 link_count columns,
 * column-major, leading dimension ldwrenches >= nv + m, columns 6 i to 6 i + 5 those of links[i], of the moment about
 * its origin, N m, above the force, N, along its axes, as wrenches are given; qdd above lambda, written, or read and
 * written with options->accumulate; NULL: not wanted. dx_dgravity: solution x 3, leading dimension ldgravity, by
 * gravity along world axes, likewise read and written; NULL: not wanted. What is not wanted is not computed.
 * Allocates: at the first call. Status: as tenon_constrained_dynamics_parameter_vjp, and TENON_OUT_OF_RANGE (a link).
 * Cost: of TENON_METHOD_DENSE, and O((link_count + 1) (n + m) (d + r)), r the rank. */
TENON_API tenon_status tenon_constrained_dynamics_load_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const int32_t *links, size_t link_count,
    const double *q, size_t q_count, const double *v, size_t v_count, const double *tau, size_t tau_count,
    const double *wrenches, size_t wrenches_count, const double *desired, size_t desired_count, double *qdd,
    size_t qdd_count, double *lambda, size_t lambda_count, double *dx_dwrenches, size_t dx_dwrenches_count,
    int32_t ldwrenches, double *dx_dgravity, size_t dx_dgravity_count, int32_t ldgravity);

/* A chart of the parameters that a body of positive density can have, by C. Rucker and P. Wensing, Smooth
 * parameterization of rigid-body inertia, 2022: theta = [alpha d1 d2 d3 s12 s23 s13 t1 t2 t3], ten numbers without
 * bounds, gives pi with
 *
 *     [ tr(I) / 2 - I   m c ]  =  U U^T,    U = e^alpha [ e^d1  s12  s13  t1 ]
 *     [ (m c)^T         m   ]                           [  0   e^d2  s23  t2 ]
 *                                                       [  0    0   e^d3  t3 ]
 *                                                       [  0    0    0    1  ]
 *
 * so an optimiser that moves theta never leaves the bodies that can exist.
 * theta: 10. pi: 10, written; NULL: not wanted. dpi_dtheta: 10 x 10, column-major, leading dimension ldpi >= 10,
 * written; NULL: not wanted. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE. Cost:
 * O(1). */
TENON_API tenon_status tenon_inertia_from_log_cholesky(tenon_workspace *workspace, const double *theta,
                                                       size_t theta_count, double *pi, size_t pi_count,
                                                       double *dpi_dtheta, size_t dpi_dtheta_count, int32_t ldpi);
/* The inverse. pi: 10. theta: 10, written. Status: as tenon_inertia_from_log_cholesky, and TENON_INVALID_INERTIA (no
 * body of positive density in all three dimensions has these). Cost: O(1). */
TENON_API tenon_status tenon_log_cholesky_from_inertia(tenon_workspace *workspace, const double *pi, size_t pi_count,
                                                       double *theta, size_t theta_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_PARAMETERS_H */
