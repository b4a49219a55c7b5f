/* What a unit asks of its robot. Two files answer: robot_library.c, for every robot, by the library of Tenon; and
 * robot_generated.c, in units with sources, by functions that were generated for one robot (generated.h). Coordinates,
 * units and frames are those of tenon.h, section 4.
 *
 * Functions return 0, or -1 where they fail: robot_message says why. One thread at a time for each robot. */
#ifndef TENON_FMU_ROBOT_H
#define TENON_FMU_ROBOT_H

#include "settings.h"

/* What of a joint matters here: how its velocities move its positions. */
enum robot_joint_type {
  ROBOT_JOINT_PLAIN,     /* one coordinate */
  ROBOT_JOINT_SPHERICAL, /* quaternion; angular velocity */
  ROBOT_JOINT_PLANAR,    /* x, y, angle; angular velocity, linear velocity (2) */
  ROBOT_JOINT_FLOATING   /* position, quaternion; angular and linear velocity */
};

typedef struct robot_joint {
  int32_t type;
  size_t q, v; /* where its coordinates begin */
} robot_joint;

/* What both kinds of robots begin with. */
typedef struct robot {
  size_t nq, nv, rows, joint_count, link_count;
  size_t anchor_count; /* numbers that say where contacts are held */
  int has_loops;
  const robot_joint* joints;
} robot;

/* Loads the robot as settings say; path: of its URDF file, in UTF-8. NULL where that fails, with the reason in message.
 * The settings must outlive it. */
robot* robot_open(const unit_settings* settings, const char* path, char* message, size_t size);
void robot_close(robot* self);
/* Why the last call failed. */
const char* robot_message(const robot* self);

int robot_set_gravity(robot* self, const double gravity[3]);
/* Quaternions in q get unit norm. */
int robot_normalize(robot* self, double* q);
/* The start: quaternions of unit norm, loops closed with independent joints where they are, contacts held where they
 * are then. */
int robot_assemble(robot* self, double* q, double* v);
/* The way back after steps: quaternions and loops alike; all coordinates move a little. */
int robot_settle(robot* self, double* q, double* v);
/* How far the loops are open, m or rad. */
int robot_gap(robot* self, const double* q, double* gap);

/* qdd: nv, and lambda: rows, of M qdd + c = tau + J^T lambda. */
int robot_accelerate(robot* self, const double* q, const double* v, const double* tau, double* qdd,
                     double* lambda);
/* A step by the integrator of the settings. */
int robot_step(robot* self, double dt, double* q, double* v, const double* tau);
/* poses: 7 numbers for each link of the settings, position and quaternion x, y, z, w in the world. */
int robot_poses(robot* self, const double* q, double* poses);

/* anchors: anchor_count numbers, of the last robot_assemble. */
void robot_get_anchors(robot* self, double* anchors);
int robot_set_anchors(robot* self, const double* anchors);

#endif
