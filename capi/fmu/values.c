/* Variables by their value references: what may be set, and what must be computed before it can be told. */
#include <math.h>
#include <string.h>

#include "unit.h"

/* dq/dt of a body that turns with angular velocity w, in its own axes: half of the product of quaternions q (w, 0). */
static void quaternion_rate(const double q[4], const double w[3], double rate[4]) {
  const double x = q[0], y = q[1], z = q[2], s = q[3];
  rate[0] = 0.5 * (s * w[0] + y * w[2] - z * w[1]);
  rate[1] = 0.5 * (s * w[1] + z * w[0] - x * w[2]);
  rate[2] = 0.5 * (s * w[2] + x * w[1] - y * w[0]);
  rate[3] = -0.5 * (x * w[0] + y * w[1] + z * w[2]);
}

/* u := R(q) v, with v turned by the unit quaternion q: v + 2 s (r x v) + 2 r x (r x v) */
static void turn(const double q[4], const double v[3], double u[3]) {
  const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                       2 * (q[0] * v[1] - q[1] * v[0])};
  u[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
  u[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
  u[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/* dq/dt of one joint, of the coordinates that section 4 of tenon.h defines. The quaternion is taken as it is, so that
 * its norm stays what it is, whatever that is. */
static void joint_rate(const unit* self, const robot_joint* joint) {
  const double *normal = self->normal + joint->q, *v = self->speed + joint->v;
  const double* q = self->phase == UNIT_SETUP ? normal : self->q + joint->q;
  double* rate = self->rate + joint->q;
  switch (joint->type) {
    case ROBOT_JOINT_SPHERICAL:
      quaternion_rate(q, v, rate);
      break;
    case ROBOT_JOINT_PLANAR:
      rate[0] = cos(q[2]) * v[1] - sin(q[2]) * v[2];
      rate[1] = sin(q[2]) * v[1] + cos(q[2]) * v[2];
      rate[2] = v[0];
      break;
    case ROBOT_JOINT_FLOATING:
      turn(normal + 3, v + 3, rate);
      quaternion_rate(q + 3, v, rate + 3);
      break;
    default:
      rate[0] = v[0];
  }
}

/* What the robot computes with. In co-simulation quaternions have unit norm already. Before the end of the
 * initialisation values are those of the start as it would be now; the start values stay what they are, since more of
 * them may come. */
static int prepare(unit* self) {
  memcpy(self->normal, self->q, self->nq * sizeof *self->q);
  memcpy(self->speed, self->v, self->nv * sizeof *self->v);
  if (self->phase == UNIT_SETUP) return unit_assemble(self, self->normal, self->speed);
  if (!self->exchange) return UNIT_OK;
  return robot_normalize(self->robot, self->normal) < 0
             ? unit_fail(self, UNIT_DISCARD, "normalising the positions")
             : UNIT_OK;
}

static int solve(unit* self) {
  const int status = prepare(self);
  if (status != UNIT_OK) return status;
  if (robot_accelerate(self->robot, self->normal, self->speed, self->tau, self->qdd, self->lambda) < 0)
    return unit_fail(self, UNIT_DISCARD, "solving for the accelerations");
  for (size_t i = 0; i < self->robot->joint_count; ++i) joint_rate(self, &self->robot->joints[i]);
  for (size_t i = 0; i < self->nq; ++i)
    if (!isfinite(self->rate[i]))
      return unit_refuse(self, UNIT_DISCARD, "the velocities are too large: rates of positions overflow");
  self->solved = 1;
  return UNIT_OK;
}

static int place(unit* self) {
  const int status = prepare(self);
  if (status != UNIT_OK) return status;
  if (robot_poses(self->robot, self->normal, self->poses) < 0)
    return unit_fail(self, UNIT_DISCARD, "placing the links");
  self->placed = 1;
  return UNIT_OK;
}

static enum unit_kind kind_of(const unit* self, uint32_t reference) {
  int kind = 0;
  while (kind < UNIT_KINDS && reference >= self->first[kind + 1]) ++kind;
  return (enum unit_kind)kind;
}

/* Where a variable stands; NULL for a reference that names none. */
static double* place_of(unit* self, uint32_t reference, enum unit_kind kind) {
  double* const blocks[UNIT_KINDS] = {&self->time, self->gravity, self->tau,   self->q,     self->v,
                                      self->rate,  self->qdd,     self->poses, self->lambda};
  return kind == UNIT_KINDS ? NULL : blocks[kind] + (reference - self->first[kind]);
}

/* Names of variables are in modelDescription.xml alone. */
static int refuse_variable(const unit* self, const char* sentence, uint32_t reference) {
  char text[160];
  snprintf(text, sizeof text, "%s (value reference %lu)", sentence, (unsigned long)reference);
  return unit_refuse(self, UNIT_ERROR, text);
}

int unit_get(unit* self, const uint32_t* references, size_t count, double* values) {
  for (size_t i = 0; i < count; ++i) {
    const enum unit_kind kind = kind_of(self, references[i]);
    const double* from = place_of(self, references[i], kind);
    int status = UNIT_OK;
    if (!from) return refuse_variable(self, "there is no such variable", references[i]);
    if (!self->placed && kind == UNIT_POSE) status = place(self);
    if (status == UNIT_OK && !self->solved && kind >= UNIT_RATE && kind != UNIT_POSE) status = solve(self);
    if (status != UNIT_OK) return status;
    values[i] = *from;
  }
  return UNIT_OK;
}

int unit_set(unit* self, const uint32_t* references, size_t count, const double* values) {
  int heavy = 0;
  /* All are looked at before one is set: a call that is refused sets none. */
  for (size_t i = 0; i < count; ++i) {
    const enum unit_kind kind = kind_of(self, references[i]);
    const int start = kind == UNIT_POSITION || kind == UNIT_VELOCITY;
    if (!(kind == UNIT_GRAVITY || kind == UNIT_TORQUE || start))
      return refuse_variable(self, "only torques, gravity and start values can be set", references[i]);
    if (start && self->phase != UNIT_SETUP)
      return refuse_variable(self, "positions and velocities can be set before the simulation only",
                             references[i]);
    if (!isfinite(values[i])) return refuse_variable(self, "a value to be set is not finite", references[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    const enum unit_kind kind = kind_of(self, references[i]);
    double* const place = place_of(self, references[i], kind);
    if (*place != values[i]) self->refused = 0;
    *place = values[i];
    heavy |= kind == UNIT_GRAVITY;
    self->solved = 0;
    if (kind == UNIT_POSITION || kind == UNIT_VELOCITY) self->placed = 0;
  }
  if (heavy && robot_set_gravity(self->robot, self->gravity) < 0)
    return unit_fail(self, UNIT_ERROR, "setting the gravity");
  return UNIT_OK;
}
