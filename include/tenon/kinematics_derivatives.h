/* clang-format off */
/* tenon/kinematics_derivatives.h, a part of tenon.h, which is the manual. First derivatives of velocities,
 * accelerations, the centre of mass, momentum, energy and the gravity force. */
#ifndef TENON_KINEMATICS_DERIVATIVES_H
#define TENON_KINEMATICS_DERIVATIVES_H

#include "derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Derivatives of kinematics ---------------------------------------------------------------------------------- */

/* By q, v and a, at the state of the last tenon_kinematics; by q they are by a tangent vector, as in
 * tenon/derivatives.h, v and a staying the numbers that they are. Positions have their Jacobians in
 * tenon/kinematics.h. Exact but for rounding. Nothing is written where something of it is not finite.
 *   Robots with embedded loops: in spanning coordinates they are those of the tree, and mean something in products
 * with motions that keep loops closed. With independent velocities x, v and a have ny numbers, q moves by G x, and
 * v = G ydot and its rate by what they must to keep loops closed. Where G varies with the positions that costs O(n ny)
 * a call, and implicit constraints are TENON_UNSUPPORTED, for their functions give no derivatives. */

/* Derivatives of the velocity of a point fixed to a link, after tenon_kinematics with v: of [angular velocity of the
 * link; velocity of the point], along axes (TENON_AXES_*), J v with J of tenon_point_jacobian. Along link axes numbers
 * are those that the link sees, and its axes turn with it.
 * options: NULL for the defaults. point: 3, m, link frame; NULL: the link's origin. dvelocity_dq: 6 x nv, column-major,
 * leading dimension ldq >= 6, column k by coordinate k, written, or read and written with options->accumulate; NULL:
 * not wanted. dvelocity_dv: 6 x nv, leading dimension ldv >= 6, likewise read and written, J; NULL: not wanted.
 * Allocates: at the first call. Status: as tenon_link_pose, and TENON_UNSUPPORTED. Cost: O(d), and O(n) for the
 * zeros. */
TENON_API tenon_status tenon_point_velocity_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, int32_t link, const double *point,
    size_t point_count, int32_t axes, double *dvelocity_dq, size_t dvelocity_dq_count, int32_t ldq,
    double *dvelocity_dv, size_t dvelocity_dv_count, int32_t ldv);

/* Derivatives of the acceleration of a point fixed to a link, after tenon_kinematics with v and a: of [angular;
 * classical acceleration of the point], along axes (TENON_AXES_*), without gravity, J a +
 * tenon_point_bias_acceleration. Of the link's origin that is tenon_link_acceleration.
 * options: NULL for the defaults. point: 3, m, link frame; NULL: the link's origin. dacceleration_dq: 6 x nv,
 * column-major, leading dimension ldq >= 6, column k by coordinate k, written, or read and written with
 * options->accumulate; NULL: not wanted. dacceleration_dv: 6 x nv, leading dimension ldv >= 6, likewise read and
 * written; NULL: not wanted. dacceleration_da: 6 x nv, leading dimension lda >= 6, likewise read and written, J of
 * tenon_point_jacobian; NULL: not wanted. Allocates: at the first call. Status: as tenon_point_velocity_derivatives.
 * Cost: the same. */
TENON_API tenon_status tenon_point_acceleration_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, int32_t link, const double *point,
    size_t point_count, int32_t axes, double *dacceleration_dq, size_t dacceleration_dq_count, int32_t ldq,
    double *dacceleration_dv, size_t dacceleration_dv_count, int32_t ldv, double *dacceleration_da,
    size_t dacceleration_da_count, int32_t lda);

/* The acceleration of the centre of mass, and derivatives of its velocity and acceleration, world axes, after
 * tenon_kinematics with v; with v and a for what is not the velocity. Of the velocity by v, and of the acceleration by
 * a, the derivative is J of tenon_center_of_mass.
 * options: NULL for the defaults. acceleration: 3, m/s^2, without gravity, written; NULL: not wanted.
 * dvelocity_dq: 3 x nv, column-major, leading dimension ldvq >= 3, column k by coordinate k, written, or read and
 * written with options->accumulate; NULL: not wanted. dacceleration_dq: 3 x nv, leading dimension ldq >= 3, likewise
 * read and written; NULL: not wanted. dacceleration_dv: 3 x nv, leading dimension ldv >= 3, likewise read and written;
 * NULL: not wanted. Allocates: at the first call. Status: as tenon_center_of_mass, and TENON_UNSUPPORTED. Cost:
 * O(n). */
TENON_API tenon_status tenon_center_of_mass_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, double *acceleration,
    size_t acceleration_count, double *dvelocity_dq, size_t dvelocity_dq_count, int32_t ldvq, double *dacceleration_dq,
    size_t dacceleration_dq_count, int32_t ldq, double *dacceleration_dv, size_t dacceleration_dv_count, int32_t ldv);

/* The rate of the momentum of tenon_centroidal_momentum, [angular about the centre of mass; linear], world axes, and
 * derivatives of both, after tenon_kinematics with v; with v and a for what is of the rate. The rate is A a +
 * tenon_centroidal_momentum_bias; by a its derivative is A, too.
 * options: NULL for the defaults. rate: 6, N m and N, written; NULL: not wanted. dmomentum_dq: 6 x nv, column-major,
 * leading dimension ldhq >= 6, column k by coordinate k, written, or read and written with options->accumulate; NULL:
 * not wanted. dmomentum_dv: 6 x nv, leading dimension ldhv >= 6, likewise read and written, A of
 * tenon_centroidal_momentum_matrix; NULL: not wanted. drate_dq: 6 x nv, leading dimension ldq >= 6, likewise read and
 * written; NULL: not wanted. drate_dv: 6 x nv, leading dimension ldv >= 6, likewise read and written; NULL: not wanted.
 * Allocates: at the first call. Status: as tenon_center_of_mass_derivatives. Cost: O(n). */
TENON_API tenon_status tenon_centroidal_momentum_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, double *rate, size_t rate_count,
    double *dmomentum_dq, size_t dmomentum_dq_count, int32_t ldhq, double *dmomentum_dv, size_t dmomentum_dv_count,
    int32_t ldhv, double *drate_dq, size_t drate_dq_count, int32_t ldq, double *drate_dv, size_t drate_dv_count,
    int32_t ldv);

/* Gradients of tenon_energy, after tenon_kinematics with v; without v for the potential energy alone. That of kinetic
 * energy by v is M v, armature included, that of potential energy by q what tenon_gravity_force gives.
 * options: NULL for the defaults. kinetic_q, kinetic_v, potential_q: nv, written, or read and written with
 * options->accumulate; NULL: not wanted. Allocates: at the first call. Status: as tenon_energy, and TENON_WRONG_SIZE,
 * TENON_UNSUPPORTED. Cost: O(n). */
TENON_API tenon_status tenon_energy_gradients(
    tenon_workspace *workspace, const tenon_derivative_options *options, double *kinetic_q, size_t kinetic_q_count,
    double *kinetic_v, size_t kinetic_v_count, double *potential_q, size_t potential_q_count);

/* The gravity force at q and its derivatives, by q and by the gravity of the workspace along world axes, in which it
 * is linear. It needs no tenon_kinematics. Embedded loops are obeyed as in tenon_inverse_dynamics_derivatives, in
 * independent coordinates too.
 * options: NULL for the defaults. q: nq. g: nv, written, tenon_gravity_force but for rounding; NULL: not wanted. dg_dq:
 * nv x nv, column-major, leading dimension ldq >= nv, column k by coordinate k, written, or read and written with
 * options->accumulate; NULL: not wanted. dg_dgravity: nv x 3, column-major, leading dimension ldgravity >= nv, likewise
 * read and written; NULL: not wanted. Allocates: at the first call. Status: as tenon_inverse_dynamics_derivatives.
 * Cost: the same. */
TENON_API tenon_status tenon_gravity_force_derivatives(
    tenon_workspace *workspace, const tenon_derivative_options *options, const double *q, size_t q_count, double *g,
    size_t g_count, double *dg_dq, size_t dg_dq_count, int32_t ldq, double *dg_dgravity, size_t dg_dgravity_count,
    int32_t ldgravity);

#ifdef __cplusplus
}
#endif

#endif /* TENON_KINEMATICS_DERIVATIVES_H */
