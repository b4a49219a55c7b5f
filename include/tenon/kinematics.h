/* clang-format off */
/* tenon/kinematics.h, a part of tenon.h, which is the manual. Poses, velocities, accelerations, Jacobians, momentum and
 * energy. */
#ifndef TENON_KINEMATICS_H
#define TENON_KINEMATICS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinematics ------------------------------------------------------------------------------------------------- */

/* Poses of all links at q; with v their velocities too; with v and a their accelerations too. What it computes is kept
 * for the queries below until the next call of tenon_kinematics; where it is not finite nothing is kept. [RBDA] table
 * 5.1, outward sweep.
 * q: nq. v: nv, or NULL. a: nv, d/dt of v, or NULL; needs v. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(n). */
TENON_API tenon_status tenon_kinematics(tenon_workspace *workspace, const double *q, size_t q_count, const double *v,
                                        size_t v_count, const double *a, size_t a_count);

/* Pose of a link in the world, after tenon_kinematics.
 * pose: 7, or NULL. rotation: 9, the same orientation as a 3 x 3 matrix, column-major: p_world = R p_link + position;
 * or NULL. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics before), TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_OUT_OF_RANGE. Cost: O(1). */
TENON_API tenon_status tenon_link_pose(tenon_workspace *workspace, int32_t link, double *pose, size_t pose_count,
                                       double *rotation, size_t rotation_count);

/* Velocity of a link, after tenon_kinematics with v: [angular; velocity of the link's origin], along axes
 * (TENON_AXES_*).
 * velocity: 6. Status: as tenon_link_pose. Cost: O(1). */
TENON_API tenon_status tenon_link_velocity(tenon_workspace *workspace, int32_t link, int32_t axes, double *velocity,
                                           size_t velocity_count);

/* Acceleration of a link, after tenon_kinematics with v and a: [angular; classical acceleration of the link's origin],
 * along axes (TENON_AXES_*). It is the derivative of tenon_link_velocity along world axes, without gravity.
 * acceleration: 6. Status: as tenon_link_pose. Cost: O(1). */
TENON_API tenon_status tenon_link_acceleration(tenon_workspace *workspace, int32_t link, int32_t axes,
                                               double *acceleration, size_t acceleration_count);

/* Jacobian of a link, after tenon_kinematics: J v is what tenon_link_velocity gives for the same axes.
 * J: 6 x nv, column-major, leading dimension ldj >= 6. Status: as tenon_link_pose. Cost: O(n). */
TENON_API tenon_status tenon_link_jacobian(tenon_workspace *workspace, int32_t link, int32_t axes, double *J,
                                              size_t J_count, int32_t ldj);

/* Jacobian of a point fixed to a link, after tenon_kinematics: J v = [angular velocity of the link; velocity of the
 * point], along axes (TENON_AXES_*) of the link or the world. Of the link's origin it is tenon_link_jacobian.
 * point: 3, m, link frame; NULL: the link's origin. J: 6 x nv, column-major, leading dimension ldj >= 6. Status: as
 * tenon_link_pose. Cost: O(n). */
TENON_API tenon_status tenon_point_jacobian(tenon_workspace *workspace, int32_t link, const double *point,
                                            size_t point_count, int32_t axes, double *J, size_t J_count, int32_t ldj);

/* What is left of the acceleration of a point fixed to a link where the coordinates do not accelerate, Jdot v, after
 * tenon_kinematics with v: [angular; classical acceleration of the point], along axes (TENON_AXES_*), without gravity.
 * With J of tenon_point_jacobian along the same axes the acceleration of the point is J a + this, that of the link's
 * origin what tenon_link_acceleration gives. Along world axes it is (dJ/dt) v, number by number. The spatial
 * acceleration at the link's origin ([RBDA] 2.10), which tenon_constraints_add_rows multiplies by K, has angular
 * velocity x velocity of the origin less in its linear part.
 * point: 3, m, link frame; NULL: the link's origin. acceleration: 6. Status: as tenon_link_pose. Cost: O(d); with
 * independent velocities O(n). */
TENON_API tenon_status tenon_point_bias_acceleration(tenon_workspace *workspace, int32_t link, const double *point,
                                                     size_t point_count, int32_t axes, double *acceleration,
                                                     size_t acceleration_count);

/* The same of the origin of a link: tenon_link_acceleration is J a + this, J being tenon_link_jacobian along the same
 * axes. acceleration: 6. Status: as tenon_link_pose. Cost: O(d); with independent velocities O(n). */
TENON_API tenon_status tenon_link_bias_acceleration(tenon_workspace *workspace, int32_t link, int32_t axes,
                                                    double *acceleration, size_t acceleration_count);

/* Centre of mass of all moving bodies, world axes, after tenon_kinematics.
 * position: 3, m, or NULL. velocity: 3, m/s, or NULL; needs v. J: 3 x nv with velocity = J v, column-major, leading
 * dimension ldj >= 3, or NULL. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: no tenon_kinematics before),
 * TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_INVALID_MODEL (nothing that moves has mass). Cost: O(n). */
TENON_API tenon_status tenon_center_of_mass(tenon_workspace *workspace, double *position, size_t position_count,
                                            double *velocity, size_t velocity_count, double *J, size_t J_count,
                                            int32_t ldj);

/* Momentum of all moving bodies, after tenon_kinematics with v: [angular about the centre of mass; linear], world axes.
 * momentum: 6, kg m^2/s and kg m/s. Status: as tenon_center_of_mass. Cost: O(n). */
TENON_API tenon_status tenon_centroidal_momentum(tenon_workspace *workspace, double *momentum, size_t momentum_count);

/* The matrix A(q) that gives the momentum of all moving bodies, after tenon_kinematics: A v is what
 * tenon_centroidal_momentum gives, [angular about the centre of mass; linear], world axes. Armatures belong to no body
 * and have no part in it. (Orin, Goswami, Lee, Centroidal dynamics of a humanoid robot, 2013.)
 * A: 6 x nv, column-major, leading dimension lda >= 6. Allocates: at the first call. Status: as tenon_center_of_mass.
 * Cost: O(n). */
TENON_API tenon_status tenon_centroidal_momentum_matrix(tenon_workspace *workspace, double *A, size_t A_count,
                                                        int32_t lda);

/* What is left of the rate of that momentum where the coordinates do not accelerate, (dA/dt) v, after tenon_kinematics
 * with v: the rate is A a + this, and it is the sum of all external forces, gravity included, and of their moments
 * about the centre of mass.
 * bias: 6, [angular; linear], world axes, N m and N. Allocates: at the first call. Status: as tenon_center_of_mass.
 * Cost: O(n). */
TENON_API tenon_status tenon_centroidal_momentum_bias(tenon_workspace *workspace, double *bias, size_t bias_count);

/* Energy, J, after tenon_kinematics with v: kinetic = v^T M v / 2, armature included; potential = - sum of mass *
 * gravity . position over moving bodies, zero with the centre of mass at the world's origin.
 * *kinetic: NULL where not wanted; then kinematics without v will do. *potential: may be NULL. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT (also: no tenon_kinematics before), TENON_NOT_FINITE. Cost: O(n). */
TENON_API tenon_status tenon_energy(tenon_workspace *workspace, double *kinetic, double *potential);

#ifdef __cplusplus
}
#endif

#endif /* TENON_KINEMATICS_H */
