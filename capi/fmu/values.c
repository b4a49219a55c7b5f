/* Variables by their value references: what may be set, and what must be computed before it can be told. */
#include <math.h>
#include <stdlib.h>
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
static void joint_rate(const unit* self, const tenon_joint_info* joint) {
  const double *q = self->q + joint->q_index, *normal = self->normal + joint->q_index,
               *v = self->v + joint->v_index;
  double* rate = self->rate + joint->q_index;
  switch (joint->type) {
    case TENON_JOINT_TYPE_SPHERICAL:
      quaternion_rate(q, v, rate);
      break;
    case TENON_JOINT_TYPE_PLANAR:
      rate[0] = cos(q[2]) * v[1] - sin(q[2]) * v[2];
      rate[1] = sin(q[2]) * v[1] + cos(q[2]) * v[2];
      rate[2] = v[0];
      break;
    case TENON_JOINT_TYPE_FLOATING:
      turn(normal + 3, v + 3, rate);
      quaternion_rate(q + 3, v, rate + 3);
      break;
    default:
      memcpy(rate, v, (size_t)joint->nv * sizeof *rate);
  }
}

/* The positions with unit quaternions. In co-simulation they have them already. */
static int normalize(unit* self) {
  memcpy(self->normal, self->q, self->nq * sizeof *self->q);
  if (!self->exchange) return UNIT_OK;
  return tenon_normalize(self->workspace, self->normal, self->nq) < 0
             ? unit_fail(self, UNIT_DISCARD, "normalising the positions")
             : UNIT_OK;
}

static int solve(unit* self) {
  const size_t nq = self->nq, nv = self->nv;
  const size_t rows = (size_t)tenon_workspace_row_count(self->workspace);
  int status = normalize(self);
  if (status != UNIT_OK) return status;
  if (tenon_constrained_dynamics(self->workspace, &self->solve, self->normal, nq, self->v, nv, self->tau, nv,
                                 NULL, 0, NULL, 0, self->qdd, nv, self->lambda, rows) < 0)
    return unit_fail(self, UNIT_DISCARD, "solving for the accelerations");
  for (size_t i = 0; i < self->joint_count; ++i) joint_rate(self, &self->joints[i]);
  self->solved = 1;
  return UNIT_OK;
}

static int place(unit* self) {
  int status = normalize(self);
  if (status != UNIT_OK) return status;
  if (tenon_kinematics(self->workspace, self->normal, self->nq, NULL, 0, NULL, 0) < 0)
    return unit_fail(self, UNIT_DISCARD, "placing the links");
  for (size_t i = 0; i < self->settings.link_count; ++i)
    tenon_link_pose(self->workspace, self->settings.links[i], self->poses + 7 * i, 7, NULL, 0);
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

int unit_get(unit* self, const uint32_t* references, size_t count, double* values) {
  for (size_t i = 0; i < count; ++i) {
    const enum unit_kind kind = kind_of(self, references[i]);
    const double* from = place_of(self, references[i], kind);
    int status = UNIT_OK;
    if (!from) return unit_refuse(self, UNIT_ERROR, "a value reference names no variable");
    /* Before the end of the initialisation values are those of the start as it would be now. */
    if (!self->started && kind >= UNIT_RATE && !self->solved && !self->placed) status = unit_assemble(self);
    if (status == UNIT_OK && !self->placed && kind == UNIT_POSE) status = place(self);
    if (status == UNIT_OK && !self->solved && kind >= UNIT_RATE && kind != UNIT_POSE) status = solve(self);
    if (status != UNIT_OK) return status;
    values[i] = *from;
  }
  return UNIT_OK;
}

int unit_set(unit* self, const uint32_t* references, size_t count, const double* values) {
  int heavy = 0;
  for (size_t i = 0; i < count; ++i) {
    const enum unit_kind kind = kind_of(self, references[i]);
    double* into = place_of(self, references[i], kind);
    const int start = kind == UNIT_POSITION || kind == UNIT_VELOCITY;
    if (!into || !(kind == UNIT_GRAVITY || kind == UNIT_TORQUE || start))
      return unit_refuse(self, UNIT_ERROR, "only torques, gravity and start values can be set");
    if (start && self->started)
      return unit_refuse(self, UNIT_ERROR, "positions and velocities can be set before the simulation only");
    if (!isfinite(values[i])) return unit_refuse(self, UNIT_ERROR, "a value to be set is not finite");
    *into = values[i];
    heavy |= kind == UNIT_GRAVITY;
    self->solved = 0;
    if (start) self->placed = 0;
  }
  if (heavy && tenon_workspace_set_gravity(self->workspace, self->gravity, 3) < 0)
    return unit_fail(self, UNIT_ERROR, "setting the gravity");
  return UNIT_OK;
}

size_t unit_snapshot_count(const unit* self) {
  return 3 + 3 + self->nq + 2 * self->nv + 7 * self->settings.contact_count;
}

void unit_save(unit* self, double* snapshot) {
  const size_t state = self->nq + 2 * self->nv;
  snapshot[0] = self->time;
  snapshot[1] = self->tolerance;
  snapshot[2] = self->started;
  memcpy(snapshot + 3, self->gravity, 3 * sizeof *snapshot);
  memcpy(snapshot + 6, self->q, state * sizeof *snapshot);
  for (size_t i = 0; i < self->settings.contact_count; ++i)
    tenon_workspace_anchor(self->workspace, (int32_t)i, snapshot + 6 + state + 7 * i, 7);
}

int unit_restore(unit* self, const double* snapshot) {
  const size_t state = self->nq + 2 * self->nv;
  self->time = snapshot[0];
  self->tolerance = snapshot[1];
  self->started = snapshot[2] != 0;
  memcpy(self->gravity, snapshot + 3, 3 * sizeof *snapshot);
  memcpy(self->q, snapshot + 6, state * sizeof *snapshot);
  self->solved = self->placed = 0;
  if (tenon_workspace_set_gravity(self->workspace, self->gravity, 3) < 0)
    return unit_fail(self, UNIT_ERROR, "restoring a state");
  for (size_t i = 0; i < self->settings.contact_count; ++i)
    if (tenon_workspace_set_anchor(self->workspace, (int32_t)i, snapshot + 6 + state + 7 * i, 7) < 0)
      return unit_fail(self, UNIT_ERROR, "restoring a state");
  return UNIT_OK;
}

int unit_keep(unit* self, void** snapshot) {
  if (!*snapshot) *snapshot = malloc(unit_snapshot_count(self) * sizeof(double));
  if (!*snapshot) return unit_refuse(self, UNIT_ERROR, "there is no memory for a state");
  unit_save(self, *snapshot);
  return UNIT_OK;
}

int unit_copy(const unit* self, void* into, const void* from, size_t size) {
  if (size != unit_snapshot_count(self) * sizeof(double))
    return unit_refuse(self, UNIT_ERROR, "a serialized state has another size: it is of another unit");
  memcpy(into, from, size);
  return UNIT_OK;
}
