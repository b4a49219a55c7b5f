/* The life of an instance: from the folder of resources to a robot with its contacts, and from its start values to a
 * state with closed loops. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { long_text = 4096 };

const char tenon_unit_format[] = UNIT_FORMAT "\n";

const char* unit_category(int status) {
  return status == UNIT_DISCARD ? UNIT_LOG_DISCARD : UNIT_LOG_ERROR;
}

int unit_refuse(const unit* self, int status, const char* sentence) {
  self->host.say(self, status, sentence);
  return status;
}

static int refuse(const unit* self, int status, const char* sentence, const char* reason) {
  char text[long_text];
  snprintf(text, sizeof text, "%s: %s", sentence, reason);
  return unit_refuse(self, status, text);
}

int unit_fail(const unit* self, int status, const char* sentence) {
  return refuse(self, status, sentence, robot_message(self->robot));
}

static char* joined(const char* folder, const char* file) {
  const size_t size = strlen(folder) + strlen(file) + 2;
  char* path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, file);
  return path;
}

static int load_robot(unit* self, const char* path) {
  char message[long_text] = "";
  const unit_settings* settings = &self->settings;
  self->robot = robot_open(settings, path, message, sizeof message);
  if (!self->robot) return refuse(self, UNIT_ERROR, "the robot of the unit cannot be loaded", message);
  self->nq = self->robot->nq;
  self->nv = self->robot->nv;
  if (self->nq != settings->nq || self->nv != settings->nv)
    return refuse(self, UNIT_ERROR, "the unit has been changed", "start values and robot do not fit");
  for (size_t i = 0; i < settings->link_count; ++i)
    if ((size_t)settings->links[i] >= self->robot->link_count)
      return refuse(self, UNIT_ERROR, "the unit has been changed",
                    "a pose is that of a link which the robot has not");
  return UNIT_OK;
}

static int make_memory(unit* self) {
  const size_t nq = self->nq, nv = self->nv, links = self->settings.link_count;
  size_t contact_rows = 0;
  self->q = calloc(3 * nq + 4 * nv + self->robot->rows + 7 * links + 1, sizeof *self->q);
  if (!self->q) return refuse(self, UNIT_ERROR, "the unit cannot be loaded", "there is no memory");
  self->v = self->q + nq;
  self->tau = self->v + nv;
  self->normal = self->tau + nv;
  self->speed = self->normal + nq;
  self->rate = self->speed + nv;
  self->qdd = self->rate + nq;
  self->lambda = self->qdd + nv;
  self->poses = self->lambda + self->robot->rows;
  for (size_t i = 0; i < self->settings.contact_count; ++i)
    contact_rows += self->settings.contacts[i].weld ? 6 : 3;
  unit_layout((uint32_t)nq, (uint32_t)nv, (uint32_t)links, (uint32_t)contact_rows, self->first);
  return UNIT_OK;
}

static int load(unit* self, const char* token, const char* resources) {
  char *settings = joined(resources, UNIT_SETTINGS), *urdf = joined(resources, UNIT_ROBOT);
  const char* wrong = settings && urdf ? unit_read_settings(settings, &self->settings) : "there is no memory";
  int status = UNIT_ERROR;
  if (wrong)
    refuse(self, UNIT_ERROR, settings ? settings : UNIT_SETTINGS, wrong);
  else if (!token || strcmp(token, self->settings.token) != 0)
    refuse(self, UNIT_ERROR, "the unit has been changed",
           "modelDescription.xml and resources do not belong together");
  else
    status = load_robot(self, urdf);
  if (status == UNIT_OK) status = make_memory(self);
  if (status == UNIT_OK) status = unit_reset(self);
  free(settings);
  free(urdf);
  return status;
}

unit* unit_create(const char* name, const char* token, const char* resources, int exchange, unit_host host) {
  unit* self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->name = joined(name ? name : "", "");
  if (self->name) self->name[strlen(self->name) - 1] = '\0';
  self->exchange = exchange;
  self->host = host;
  if (self->name && load(self, token, resources) == UNIT_OK) return self;
  unit_destroy(self);
  return NULL;
}

void unit_destroy(unit* self) {
  if (!self) return;
  robot_close(self->robot);
  unit_free_settings(&self->settings);
  free(self->q);
  free(self->name);
  free(self);
}

int unit_reset(unit* self) {
  memcpy(self->q, self->settings.q, self->nq * sizeof *self->q);
  memcpy(self->v, self->settings.v, self->nv * sizeof *self->v);
  memset(self->tau, 0, self->nv * sizeof *self->tau);
  memcpy(self->gravity, self->settings.gravity, sizeof self->gravity);
  self->time = 0;
  self->tolerance = 1e-6;
  self->phase = UNIT_SETUP;
  self->solved = self->placed = 0;
  self->refused = 0;
  return robot_set_gravity(self->robot, self->gravity) < 0
             ? unit_fail(self, UNIT_ERROR, "setting the gravity")
             : UNIT_OK;
}

int unit_set_time(unit* self, double time) {
  if (!isfinite(time)) return unit_refuse(self, UNIT_ERROR, "a time is not finite");
  self->time = time;
  return UNIT_OK;
}

int unit_assemble(unit* self, double* q, double* v) {
  return robot_assemble(self->robot, q, v) < 0 ? unit_fail(self, UNIT_ERROR, "the start values") : UNIT_OK;
}

int unit_start(unit* self) {
  const size_t q_size = self->nq * sizeof *self->q, v_size = self->nv * sizeof *self->v;
  int status;
  memcpy(self->normal, self->q, q_size);
  memcpy(self->speed, self->v, v_size);
  self->solved = self->placed = 0;
  status = unit_assemble(self, self->normal, self->speed);
  if (status != UNIT_OK) return status;
  memcpy(self->q, self->normal, q_size);
  memcpy(self->v, self->speed, v_size);
  self->phase = UNIT_RUNNING;
  return UNIT_OK;
}

int unit_terminate(unit* self) {
  self->phase = UNIT_ENDED;
  return UNIT_OK;
}
