/* How velocities move positions, joint by joint: on the groups of rotations and motions, by their exponentials. */
#ifndef TENON_FMU_JOINT_STEPS_H
#define TENON_FMU_JOINT_STEPS_H

#include "robot.h"

/* q := q exp(v dt), for all joints. */
void move_joints(const robot* self, const double* v, double dt, double* q);
/* v := v + [u, v] / 2 + [u, [u, v]] / 12 with u = h u_of_one: the inverse of the derivative of exp, to the order that a
 * Runge-Kutta step of order four needs (Munthe-Kaas, Applied Numerical Mathematics 29, 1999). */
void add_brackets(const robot* self, const double* u_of_one, double h, double* v);
void normalize_joints(const robot* self, double* q);
/* The unit quaternion x, y, z, w, with w >= 0, of a rotation by columns. */
void quaternion_of_rotation(const double rotation[9], double q[4]);

#endif
