/* The motion: steps for co-simulation, states and their derivatives for model exchange. */
#include <math.h>
#include <string.h>

#include "unit.h"

static int step(unit* self, double dt) {
  if (robot_step(self->robot, dt, self->q, self->v, self->tau) < 0) {
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "the step after t = %.6g s (give smaller torques, or export with a smaller --dt)", self->time);
    return unit_fail(self, UNIT_ERROR, sentence);
  }
  self->time += dt;
  return UNIT_OK;
}

int unit_advance(unit* self, double time, double length) {
  const double dt = self->settings.dt;
  double steps, rest;
  int status = UNIT_OK;
  if (self->exchange)
    return unit_refuse(self, UNIT_ERROR, "steps are for co-simulation, this is model exchange");
  if (self->phase != UNIT_RUNNING)
    return unit_refuse(self, UNIT_ERROR, "steps come after the initialisation and before the end");
  if (!(length > 0) || length / dt > 1e12 || !isfinite(time))
    return unit_refuse(self, UNIT_ERROR, "the length of a step makes no sense");
  self->time = time;
  /* Lengths come as differences of times, so that a whole number of steps is one to rounding only. */
  steps = floor(length / dt + 0.5);
  rest = length - steps * dt;
  if (fabs(rest) > 1e-6 * dt) {
    steps = floor(length / dt);
    rest = length - steps * dt;
  } else {
    rest = 0;
  }
  self->solved = self->placed = 0;
  for (; steps > 0 && status == UNIT_OK; --steps) status = step(self, dt);
  if (rest > 0 && status == UNIT_OK) status = step(self, rest);
  return status;
}

size_t unit_state_count(const unit* self) {
  return self->nq + self->nv;
}

static int check_count(const unit* self, size_t count) {
  return count == unit_state_count(self)
             ? UNIT_OK
             : unit_refuse(self, UNIT_ERROR, "another number of states was asked for");
}

int unit_get_states(const unit* self, double* states, size_t count) {
  if (check_count(self, count) != UNIT_OK) return UNIT_ERROR;
  memcpy(states, self->q, count * sizeof *states); /* v follows q */
  return UNIT_OK;
}

int unit_set_states(unit* self, const double* states, size_t count) {
  if (check_count(self, count) != UNIT_OK) return UNIT_ERROR;
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(states[i])) return unit_refuse(self, UNIT_DISCARD, "a state is not finite");
  memcpy(self->q, states, count * sizeof *states);
  self->solved = self->placed = 0;
  return UNIT_OK;
}

int unit_get_derivatives(unit* self, double* derivatives, size_t count) {
  const uint32_t first = self->first[UNIT_RATE];
  int status = check_count(self, count);
  if (status != UNIT_OK || count == 0) return status;
  status = unit_get(self, &first, 1, derivatives); /* solves, where that is not done */
  if (status == UNIT_OK) memcpy(derivatives, self->rate, count * sizeof *derivatives); /* qdd follows dq/dt */
  return status;
}

static double norm_error(const double* q) {
  return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
}

int unit_has_drifted(unit* self) {
  double gap = 0;
  for (size_t i = 0; i < self->robot->joint_count; ++i) {
    const robot_joint* joint = &self->robot->joints[i];
    const double* q = self->q + joint->q;
    if (joint->type == ROBOT_JOINT_SPHERICAL && norm_error(q) > self->tolerance) return 1;
    if (joint->type == ROBOT_JOINT_FLOATING && norm_error(q + 3) > self->tolerance) return 1;
  }
  if (!self->robot->has_loops) return 0;
  memcpy(self->normal, self->q, self->nq * sizeof *self->q);
  return robot_normalize(self->robot, self->normal) >= 0 && robot_gap(self->robot, self->normal, &gap) >= 0 &&
         gap > self->tolerance;
}

int unit_settle(unit* self) {
  self->solved = self->placed = 0;
  return robot_settle(self->robot, self->q, self->v) < 0 ? unit_fail(self, UNIT_ERROR, "closing the loops")
                                                         : UNIT_OK;
}
