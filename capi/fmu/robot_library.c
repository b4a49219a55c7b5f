/* The robot of a unit by the library of Tenon: any robot, with contacts and loops. */
#include <stdlib.h>
#include <string.h>
#include <tenon.h>

#include "robot.h"

typedef struct library_robot {
  robot shared;
  const unit_settings* settings;
  tenon_model* model;
  tenon_constraints* constraints;
  tenon_workspace* workspace;
  tenon_solve_options solve;
  robot_joint* joints;
  double* held_at; /* the positions at which contacts were anchored: the same there have the same bits */
  char own[256]; /* a reason that the workspace does not know; else "" */
} library_robot;

static library_robot* of(robot* self) {
  return (library_robot*)self;
}

/* 0 or -1, and the reason is the workspace's. */
static int done(robot* self, tenon_status status) {
  of(self)->own[0] = '\0';
  return status < 0 ? -1 : 0;
}

static int32_t type_of(int32_t type) {
  switch (type) {
    case TENON_JOINT_TYPE_SPHERICAL:
      return ROBOT_JOINT_SPHERICAL;
    case TENON_JOINT_TYPE_PLANAR:
      return ROBOT_JOINT_PLANAR;
    case TENON_JOINT_TYPE_FLOATING:
      return ROBOT_JOINT_FLOATING;
    default:
      return ROBOT_JOINT_PLAIN;
  }
}

static tenon_status load_model(library_robot* self, const char* path, char* message, size_t size) {
  const unit_settings* settings = self->settings;
  tenon_model_options options;
  tenon_status status;
  tenon_model_options_init(&options, sizeof options);
  options.base = settings->floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  options.ignore_mimic = settings->ignore_mimic;
  options.tolerant_inertias = settings->tolerant_inertias;
  memcpy(options.gravity, settings->gravity, sizeof options.gravity);
  status = tenon_model_load_urdf(path, &options, &self->model, message, size);
  if (status < 0) return status;
  self->shared.nq = (size_t)tenon_model_nq(self->model);
  self->shared.nv = (size_t)tenon_model_nv(self->model);
  self->shared.link_count = (size_t)tenon_model_link_count(self->model);
  self->shared.has_loops = tenon_model_loop_count(self->model) > 0;
  self->shared.joint_count = (size_t)tenon_model_joint_count(self->model);
  self->shared.joints = self->joints = calloc(self->shared.joint_count + 1, sizeof *self->joints);
  self->held_at = calloc(self->shared.nq + 1, sizeof *self->held_at);
  if (!self->joints || !self->held_at) {
    snprintf(message, size, "there is no memory");
    return TENON_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < self->shared.joint_count; ++i) {
    tenon_joint_info joint;
    tenon_joint_info_init(&joint, sizeof joint);
    tenon_model_joint_info(self->model, (int32_t)i, &joint);
    self->joints[i].type = type_of(joint.type);
    self->joints[i].q = (size_t)joint.q_index;
    self->joints[i].v = (size_t)joint.v_index;
  }
  return TENON_OK;
}

/* Rows along the axes of the world, as `tenon simulate` has them. */
static tenon_status add_contacts(library_robot* self, char* message, size_t size) {
  const unit_settings* settings = self->settings;
  tenon_constraint_options options;
  tenon_status status = tenon_constraints_create(self->model, &self->constraints, message, size);
  tenon_constraint_options_init(&options, sizeof options);
  options.axes = TENON_AXES_WORLD;
  options.frequency = settings->frequency;
  options.damping_ratio = settings->damping_ratio;
  for (size_t i = 0; i < settings->contact_count && status >= 0; ++i) {
    const unit_contact* contact = &settings->contacts[i];
    const double pose[7] = {contact->point[0], contact->point[1], contact->point[2], 0, 0, 0, 1};
    status = contact->weld ? tenon_constraints_add_weld(self->constraints, contact->link, pose, 7, &options,
                                                        NULL, message, size)
                           : tenon_constraints_add_point(self->constraints, contact->link, pose, 3, &options,
                                                         NULL, message, size);
  }
  if (status >= 0) status = tenon_constraints_finish(self->constraints, message, size);
  if (status >= 0)
    status = tenon_workspace_create(self->model, self->constraints, NULL, &self->workspace, message, size);
  /* Held at neutral until the start, so that a state saved before it is one too. */
  if (status < 0) return status;
  status = tenon_neutral(self->workspace, self->held_at, self->shared.nq);
  if (status >= 0) status = tenon_workspace_anchor_here(self->workspace, self->held_at, self->shared.nq);
  if (status < 0) {
    snprintf(message, size, "%s", tenon_workspace_message(self->workspace));
    return status;
  }
  self->shared.rows = (size_t)tenon_workspace_row_count(self->workspace); /* those of loops are the last */
  if (settings->contact_count > 0) self->shared.anchor_count = self->shared.nq;
  tenon_solve_options_init(&self->solve, sizeof self->solve);
  self->solve.method = settings->method;
  return TENON_OK;
}

robot* robot_open(const unit_settings* settings, const char* path, char* message, size_t size) {
  library_robot* self = calloc(1, sizeof *self);
  if (!self) {
    snprintf(message, size, "there is no memory");
    return NULL;
  }
  self->settings = settings;
  if (load_model(self, path, message, size) >= 0 && add_contacts(self, message, size) >= 0)
    return &self->shared;
  robot_close(&self->shared);
  return NULL;
}

void robot_close(robot* self) {
  if (!self) return;
  tenon_workspace_destroy(of(self)->workspace);
  tenon_constraints_destroy(of(self)->constraints);
  tenon_model_destroy(of(self)->model);
  free(of(self)->joints);
  free(of(self)->held_at);
  free(self);
}

const char* robot_message(const robot* self) {
  const library_robot* own = (const library_robot*)self;
  return own->own[0] ? own->own : tenon_workspace_message(own->workspace);
}

int robot_set_gravity(robot* self, const double gravity[3]) {
  return done(self, tenon_workspace_set_gravity(of(self)->workspace, gravity, 3));
}

int robot_normalize(robot* self, double* q) {
  return done(self, tenon_normalize(of(self)->workspace, q, self->nq));
}

static tenon_status hold(robot* self, const double* q) {
  const tenon_status status = tenon_workspace_anchor_here(of(self)->workspace, q, self->nq);
  if (status >= 0) memcpy(of(self)->held_at, q, self->nq * sizeof *q);
  return status;
}

int robot_assemble(robot* self, double* q, double* v) {
  tenon_workspace* workspace = of(self)->workspace;
  double gap = 0;
  char number[32];
  tenon_status status = tenon_normalize(workspace, q, self->nq);
  if (status >= 0) status = tenon_close_loops(workspace, NULL, q, self->nq, &gap);
  if (status == TENON_INFEASIBLE) {
    snprintf(of(self)->own, sizeof of(self)->own,
             "the loops of the robot cannot be closed: they stay open by %s (m or rad) at these positions; "
             "give others",
             unit_number(gap, number));
    return -1;
  }
  if (status >= 0) status = tenon_close_loop_velocities(workspace, NULL, q, self->nq, v, self->nv);
  if (status >= 0) status = hold(self, q);
  return done(self, status);
}

/* A step leaves loops open by the error of the integrator; this does not pile up where they are closed again. All
 * coordinates move a little, as in `tenon simulate`. */
static tenon_status close_again(robot* self, double* q, double* v) {
  tenon_closing_options all;
  tenon_status status;
  if (!self->has_loops) return TENON_OK;
  tenon_closing_options_init(&all, sizeof all);
  all.moves = TENON_LOOP_MOVES_ALL;
  status = tenon_close_loops(of(self)->workspace, &all, q, self->nq, NULL);
  if (status < 0) return status;
  return tenon_close_loop_velocities(of(self)->workspace, &all, q, self->nq, v, self->nv);
}

int robot_settle(robot* self, double* q, double* v) {
  const tenon_status status = tenon_normalize(of(self)->workspace, q, self->nq);
  return done(self, status < 0 ? status : close_again(self, q, v));
}

int robot_gap(robot* self, const double* q, double* gap) {
  *gap = 0;
  return self->has_loops ? done(self, tenon_loop_gap(of(self)->workspace, q, self->nq, gap)) : 0;
}

int robot_accelerate(robot* self, const double* q, const double* v, const double* tau, double* qdd,
                     double* lambda) {
  const size_t nq = self->nq, nv = self->nv;
  return done(self, tenon_constrained_dynamics(of(self)->workspace, &of(self)->solve, q, nq, v, nv, tau, nv,
                                               NULL, 0, NULL, 0, qdd, nv, lambda, self->rows));
}

int robot_step(robot* self, double dt, double* q, double* v, const double* tau) {
  const size_t nq = self->nq, nv = self->nv;
  const tenon_status status =
      (of(self)->settings->runge_kutta ? tenon_step_runge_kutta_4 : tenon_step_semi_implicit_euler)(
          of(self)->workspace, &of(self)->solve, dt, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0, NULL, 0);
  return done(self, status < 0 ? status : close_again(self, q, v));
}

int robot_poses(robot* self, const double* q, double* poses) {
  const unit_settings* settings = of(self)->settings;
  const tenon_status status = tenon_kinematics(of(self)->workspace, q, self->nq, NULL, 0, NULL, 0);
  for (size_t i = 0; i < settings->link_count && status >= 0; ++i)
    tenon_link_pose(of(self)->workspace, settings->links[i], poses + 7 * i, 7, NULL, 0);
  return done(self, status);
}

void robot_get_anchors(robot* self, double* anchors) {
  memcpy(anchors, of(self)->held_at, self->anchor_count * sizeof *anchors);
}

int robot_set_anchors(robot* self, const double* anchors) {
  return self->anchor_count > 0 ? done(self, hold(self, anchors)) : 0;
}
