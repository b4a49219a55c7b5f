/* The motion: steps for co-simulation, states and their derivatives for model exchange. */
#include <math.h>
#include <string.h>

#include "unit.h"

/* A step leaves loops open by the error of the integrator; this does not pile up where they are closed again. All
 * coordinates move a little, as in `tenon simulate`. */
static tenon_status close_again(unit* self) {
  tenon_closing_options all;
  tenon_status status;
  tenon_closing_options_init(&all, sizeof all);
  all.moves = TENON_LOOP_MOVES_ALL;
  status = tenon_close_loops(self->workspace, &all, self->q, self->nq, NULL);
  if (status < 0) return status;
  return tenon_close_loop_velocities(self->workspace, &all, self->q, self->nq, self->v, self->nv);
}

static int step(unit* self, double dt) {
  tenon_status status =
      (self->settings.runge_kutta ? tenon_step_runge_kutta_4 : tenon_step_semi_implicit_euler)(
          self->workspace, &self->solve, dt, self->q, self->nq, self->v, self->nv, self->tau, self->nv, NULL,
          0, NULL, 0, NULL, 0);
  if (status >= 0 && self->has_loops) status = close_again(self);
  if (status < 0) {
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "the step after t = %.6g s (give smaller torques, or export with a smaller --dt)", self->time);
    return unit_fail(self, UNIT_ERROR, sentence);
  }
  self->time += dt;
  return UNIT_OK;
}

int unit_advance(unit* self, double length) {
  const double dt = self->settings.dt;
  double steps, rest;
  int status = UNIT_OK;
  if (!(length > 0) || length / dt > 1e12)
    return unit_refuse(self, UNIT_ERROR, "the length of a step makes no sense");
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
  for (size_t i = 0; i < self->joint_count; ++i) {
    const tenon_joint_info* joint = &self->joints[i];
    const double* q = self->q + joint->q_index;
    if (joint->type == TENON_JOINT_TYPE_SPHERICAL && norm_error(q) > self->tolerance) return 1;
    if (joint->type == TENON_JOINT_TYPE_FLOATING && norm_error(q + 3) > self->tolerance) return 1;
  }
  if (!self->has_loops) return 0;
  memcpy(self->normal, self->q, self->nq * sizeof *self->q);
  return tenon_normalize(self->workspace, self->normal, self->nq) >= 0 &&
         tenon_loop_gap(self->workspace, self->normal, self->nq, &gap) >= 0 && gap > self->tolerance;
}

int unit_settle(unit* self) {
  self->solved = self->placed = 0;
  if (tenon_normalize(self->workspace, self->q, self->nq) < 0 || (self->has_loops && close_again(self) < 0))
    return unit_fail(self, UNIT_ERROR, "closing the loops");
  return UNIT_OK;
}
