/* The motion: steps for co-simulation, states and their derivatives for model exchange. */
#include <math.h>
#include <string.h>

#include "unit.h"

static int step(unit* self, double time, double dt) {
  char sentence[160], number[32];
  if (robot_step(self->robot, dt, self->q, self->v, self->tau) >= 0) return UNIT_OK;
  snprintf(sentence, sizeof sentence,
           "the step after t = %s s (give smaller torques, or export with a smaller --dt)",
           unit_number(time, number));
  return unit_fail(self, UNIT_DISCARD, sentence);
}

/* Times of importers are sums and products of lengths, equal to rounding only. */
static int is_now(const unit* self, double time) {
  return fabs(time - self->time) <= 1e-6 * self->settings.dt + 1e-9 * fabs(time);
}

int unit_advance(unit* self, double time, double length) {
  const double dt = self->settings.dt;
  const size_t q_size = self->nq * sizeof *self->q, v_size = self->nv * sizeof *self->v;
  double steps, rest;
  int status = UNIT_OK;
  if (self->exchange)
    return unit_refuse(self, UNIT_ERROR, "steps are for co-simulation, this is model exchange");
  if (self->phase != UNIT_RUNNING)
    return unit_refuse(self, UNIT_ERROR, "steps come after the initialisation and before the end");
  if (!(length > 0) || length / dt > 1e12 || !isfinite(time)) {
    char sentence[120], asked[32];
    snprintf(sentence, sizeof sentence, "the length of a step makes no sense: %s s (give one above 0)",
             unit_number(length, asked));
    return unit_refuse(self, UNIT_ERROR, sentence);
  }
  if (!is_now(self, time)) {
    char sentence[200], asked[32], now[32];
    snprintf(sentence, sizeof sentence,
             "a step from t = %s s is asked for, but the unit is at %s s (restore a state of that time)",
             unit_number(time, asked), unit_number(self->time, now));
    return unit_refuse(self, UNIT_ERROR, sentence);
  }
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
  memcpy(self->normal, self->q, q_size);
  memcpy(self->speed, self->v, v_size);
  for (double k = 0; k < steps && status == UNIT_OK; ++k) status = step(self, time + k * dt, dt);
  if (rest > 0 && status == UNIT_OK) status = step(self, time + steps * dt, rest);
  if (status == UNIT_OK) {
    self->time = time + length;
    self->refused = 0;
  } else {
    memcpy(self->q, self->normal, q_size);
    memcpy(self->v, self->speed, v_size);
    self->hopeless = length == self->refused;
    self->refused = length;
  }
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

static double unit_norm_error(const double* q) {
  return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
}

int unit_norms_hold(const unit* self, const double* q, double tolerance) {
  for (size_t i = 0; i < self->robot->joint_count; ++i) {
    const robot_joint* joint = &self->robot->joints[i];
    const double* own = q + joint->q;
    if (joint->type == ROBOT_JOINT_SPHERICAL && !(unit_norm_error(own) <= tolerance)) return 0;
    if (joint->type == ROBOT_JOINT_FLOATING && !(unit_norm_error(own + 3) <= tolerance)) return 0;
  }
  return 1;
}

int unit_has_drifted(unit* self) {
  double gap = 0;
  if (!unit_norms_hold(self, self->q, self->tolerance)) return 1;
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
