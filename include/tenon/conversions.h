/* clang-format off */
/* tenon/conversions.h, a part of tenon.h, which is the manual. States as other libraries write them. */
#ifndef TENON_CONVERSIONS_H
#define TENON_CONVERSIONS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- States of other libraries ----------------------------------------------------------------------------------- */

/* Whose coordinates a state has, and which way tenon_convert_... goes. */
#define TENON_CONVENTION_PINOCCHIO 0
#define TENON_CONVENTION_MUJOCO 1
#define TENON_CONVENTION_DRAKE 2
#define TENON_DIRECTION_FROM_OTHER 0
#define TENON_DIRECTION_TO_OTHER 1

/* States as other libraries write them, to and from Tenon's. What differs is the order of joints, the width of a joint
 * in q, and the axes of velocities. For a joint whose child frame F' moves in the joint frame F (of a floating joint F
 * is its parent's frame):
 *
 *               Tenon                     Pinocchio                MuJoCo                  Drake
 *   continuous  angle                     [cos sin]                angle                   angle
 *   spherical   [x y z w]                 [x y z w]                [w x y z]               [roll pitch yaw]
 *               angular in F'             angular in F'            angular in F'           angular in F
 *   planar      [x y angle]               [x y cos sin]            [x y angle]             [x y angle]
 *               [angular; linear in F']   [linear in F'; angular]  [linear in F; angular]  [linear in F; angular]
 *   floating    [p; x y z w]              [p; x y z w]             [p; w x y z]            [w x y z; p]
 *               [angular; linear] in F'   [linear; angular] in F'  [linear in F;           [angular; linear] in F
 *                                                                   angular in F']
 *
 * Revolute, prismatic and screw joints are alike in all. MuJoCo has no screw, and no planar joint: two slides and a
 * hinge stand for it. F of a planar joint has z along its axis, and x and y in the plane as section 4 of tenon.h says:
 * MuJoCo places its slides so when it reads URDF; Pinocchio and Drake pass over the axis of a planar joint there, so
 * give them one along z.
 * Drake's roll and yaw turn about one axis at pitch +-pi/2; there yaw takes both.
 *
 * direction: TENON_DIRECTION_FROM_OTHER or TENON_DIRECTION_TO_OTHER. joints: the indices of Tenon's joints in the other
 * library's order, each once; NULL where the order is the same. (Pinocchio sorts the joints below one link by name;
 * MuJoCo keeps the order of the file.) q, v: always Tenon's. in and out may not overlap. Accelerations are time
 * derivatives of velocities in the same coordinates; forces do the same power. */

/* Numbers of a configuration in another library's convention; TENON_INVALID_ARGUMENT (negative) for NULL or an unknown
 * convention. Cost: O(n). */
TENON_API int32_t tenon_convention_nq(const tenon_model *model, int32_t convention);

/* Configurations. joints: joint_count, or NULL. in: nq or convention_nq (tenon_convention_nq); out: convention_nq or
 * nq, written. Status: TENON_OK, TENON_INVALID_ARGUMENT (an unknown constant, a joint twice), TENON_WRONG_SIZE,
 * TENON_OUT_OF_RANGE (joints), TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(n), and O(n^2) comparisons of joints. */
TENON_API tenon_status tenon_convert_configuration(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                                   const int32_t *joints, size_t joint_count, const double *in,
                                                   size_t in_count, double *out, size_t out_count);

/* Velocities, m/s and rad/s. q: nq. in: nv. out: nv, written. Otherwise as tenon_convert_configuration. */
TENON_API tenon_status tenon_convert_velocity(
    tenon_workspace *workspace, int32_t convention, int32_t direction, const int32_t *joints, size_t joint_count,
    const double *q, size_t q_count, const double *in, size_t in_count, double *out, size_t out_count);

/* Accelerations, m/s^2 and rad/s^2. q: nq. v: nv, Tenon's velocity, for the turning of axes. in: nv. out: nv, written.
 * Otherwise as tenon_convert_configuration. */
TENON_API tenon_status tenon_convert_acceleration(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                                  const int32_t *joints, size_t joint_count, const double *q,
                                                  size_t q_count, const double *v, size_t v_count, const double *in,
                                                  size_t in_count, double *out, size_t out_count);

/* Forces, N and N m. q: nq. in: nv. out: nv, written. Otherwise as tenon_convert_configuration. Status: as
 * tenon_convert_configuration, and TENON_SINGULAR_CONFIGURATION (embedded loops). */
TENON_API tenon_status tenon_convert_force(tenon_workspace *workspace, int32_t convention, int32_t direction,
                                           const int32_t *joints, size_t joint_count, const double *q, size_t q_count,
                                           const double *in, size_t in_count, double *out, size_t out_count);

/* Scales the quaternions of q to unit norm, whatever it was but 0; the other coordinates stay.
 * q: nq, read and written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_NOT_NORMALIZED (norm 0: no direction to keep). Cost: O(n). */
TENON_API tenon_status tenon_normalize(tenon_workspace *workspace, double *q, size_t q_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_CONVERSIONS_H */
