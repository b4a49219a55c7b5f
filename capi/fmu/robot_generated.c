/* The robot of a unit by functions that were generated for it: a tree without contacts. Needs the C library alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generated.h"
#include "joint_steps.h"

typedef struct generated {
  robot shared;
  const unit_settings* settings;
  double gravity[3]; /* less than the one of generated_aba */
  double *poses, *force, *zero, *qdd, *stage_q, *stage_v, *u, *next_u, *sum_u, *sum_a;
  char reason[256];
} generated;

static generated* of(robot* self) {
  return (generated*)self;
}

static int fail(robot* self, const char* reason) {
  snprintf(of(self)->reason, sizeof of(self)->reason, "%s", reason);
  return -1;
}

static int all_finite(const double* x, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

robot* robot_open(const unit_settings* settings, const char* path, char* message, size_t size) {
  const generated_facts* facts = &generated_robot;
  const size_t nq = facts->nq, nv = facts->nv, poses = 12 * facts->link_count;
  generated* self = calloc(1, sizeof *self + (poses + nq + 8 * nv) * sizeof(double));
  (void)path; /* the robot is compiled in */
  if (!self) {
    snprintf(message, size, "there is no memory");
    return NULL;
  }
  self->settings = settings;
  self->shared.nq = nq;
  self->shared.nv = nv;
  self->shared.joint_count = facts->joint_count;
  self->shared.link_count = facts->link_count;
  self->shared.joints = facts->joints;
  self->poses = (double*)(self + 1);
  self->stage_q = self->poses + poses;
  self->stage_v = self->stage_q + nq;
  self->force = self->stage_v + nv;
  self->zero = self->force + nv;
  self->qdd = self->zero + nv;
  self->u = self->qdd + nv;
  self->next_u = self->u + nv;
  self->sum_u = self->next_u + nv;
  self->sum_a = self->sum_u + nv;
  if (settings->contact_count == 0) return &self->shared;
  snprintf(message, size, "its sources are for a robot without contacts");
  free(self);
  return NULL;
}

void robot_close(robot* self) {
  free(self);
}

const char* robot_message(const robot* self) {
  return ((const generated*)self)->reason;
}

int robot_set_gravity(robot* self, const double gravity[3]) {
  for (int i = 0; i < 3; ++i) of(self)->gravity[i] = gravity[i] - generated_robot.gravity[i];
  return 0;
}

int robot_normalize(robot* self, double* q) {
  normalize_joints(self, q);
  return all_finite(q, self->nq) ? 0 : fail(self, "a position is not finite, or a quaternion is zero");
}

int robot_assemble(robot* self, double* q, double* v) {
  (void)v; /* there are no loops and no contacts */
  return robot_normalize(self, q);
}

int robot_settle(robot* self, double* q, double* v) {
  return robot_assemble(self, q, v);
}

int robot_gap(robot* self, const double* q, double* gap) {
  (void)self, (void)q;
  *gap = 0;
  return 0;
}

/* Another gravity g than that of generated_aba: its bias forces are linear in gravity, and those of g - g0 without
 * velocity are the difference. It goes to the other side. */
static const double* force_in_gravity(robot* self, const double* q, const double* tau) {
  void (*const bias[3])(const double*, const double*, double*) = {generated_bias_x, generated_bias_y,
                                                                  generated_bias_z};
  generated* own = of(self);
  if (own->gravity[0] == 0 && own->gravity[1] == 0 && own->gravity[2] == 0) return tau;
  memcpy(own->force, tau, self->nv * sizeof *tau);
  for (int axis = 0; axis < 3; ++axis) {
    if (own->gravity[axis] == 0) continue;
    bias[axis](q, own->zero, own->qdd);
    for (size_t i = 0; i < self->nv; ++i) own->force[i] -= own->gravity[axis] * own->qdd[i];
  }
  return own->force;
}

int robot_accelerate(robot* self, const double* q, const double* v, const double* tau, double* qdd,
                     double* lambda) {
  (void)lambda; /* no rows */
  generated_aba(q, v, force_in_gravity(self, q, tau), qdd);
  return all_finite(qdd, self->nv)
             ? 0
             : fail(self,
                    "accelerations are not finite: the mass matrix is singular, or forces are too large");
}

/* The classical tableau on the group of configurations, q(t) = q exp(u(t)): own->u is u' of the last stage, and u is
 * taken as h times that. */
static int runge_kutta(robot* self, double dt, const double* q, const double* v, const double* tau) {
  static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, place[4] = {0, 0.5, 0.5, 1};
  generated* own = of(self);
  const size_t nv = self->nv, size = nv * sizeof(double);
  memset(own->u, 0, size);
  memset(own->qdd, 0, size);
  memset(own->sum_u, 0, size);
  memset(own->sum_a, 0, size);
  for (int stage = 0; stage < 4; ++stage) {
    const double h = place[stage] * dt;
    for (size_t i = 0; i < nv; ++i) own->stage_v[i] = v[i] + h * own->qdd[i];
    memcpy(own->stage_q, q, self->nq * sizeof(double));
    move_joints(self, own->u, h, own->stage_q);
    if (robot_accelerate(self, own->stage_q, own->stage_v, tau, own->qdd, NULL) < 0) return -1;
    memcpy(own->next_u, own->stage_v, size);
    add_brackets(self, own->u, h, own->next_u);
    memcpy(own->u, own->next_u, size);
    for (size_t i = 0; i < nv; ++i) own->sum_u[i] += weight[stage] * own->u[i];
    for (size_t i = 0; i < nv; ++i) own->sum_a[i] += weight[stage] * own->qdd[i];
  }
  return 0;
}

int robot_step(robot* self, double dt, double* q, double* v, const double* tau) {
  generated* own = of(self);
  const size_t nq = self->nq, nv = self->nv;
  if (own->settings->runge_kutta) {
    if (runge_kutta(self, dt, q, v, tau) < 0) return -1;
    for (size_t i = 0; i < nv; ++i) own->stage_v[i] = v[i] + dt * own->sum_a[i];
  } else {
    if (robot_accelerate(self, q, v, tau, own->qdd, NULL) < 0) return -1;
    for (size_t i = 0; i < nv; ++i) own->stage_v[i] = v[i] + dt * own->qdd[i];
  }
  memcpy(own->stage_q, q, nq * sizeof(double));
  move_joints(self, own->settings->runge_kutta ? own->sum_u : own->stage_v, dt, own->stage_q);
  if (!all_finite(own->stage_q, nq) || !all_finite(own->stage_v, nv))
    return fail(self, "the state after the step is not finite; the accelerations are too large for it");
  memcpy(q, own->stage_q, nq * sizeof(double));
  memcpy(v, own->stage_v, nv * sizeof(double));
  return 0;
}

int robot_poses(robot* self, const double* q, double* poses) {
  const unit_settings* settings = of(self)->settings;
  generated_kinematics(q, of(self)->poses);
  for (size_t i = 0; i < settings->link_count; ++i) {
    const double* pose = of(self)->poses + 12 * (size_t)settings->links[i];
    memcpy(poses + 7 * i, pose, 3 * sizeof *pose);
    quaternion_of_rotation(pose + 3, poses + 7 * i + 3);
  }
  return 0;
}

void robot_get_anchors(robot* self, double* anchors) {
  (void)self, (void)anchors;
}

int robot_set_anchors(robot* self, const double* anchors) {
  (void)self, (void)anchors;
  return 0;
}
