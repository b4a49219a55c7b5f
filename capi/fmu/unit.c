/* The life of an instance: from the folder of resources to a robot with its contacts, and from its start values to a
 * state with closed loops. */
#if defined(__linux__)
#define _GNU_SOURCE /* dladdr */
#endif
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#endif

enum { long_text = 4096 };

int unit_find_library(void) {
#if defined(_WIN32)
  /* Windows looks for a library beside the program, not beside this one. It is linked with delay (/DELAYLOAD), so that
   * this comes first; from then on its name alone finds it. */
  wchar_t path[32768];
  HMODULE self = NULL;
  wchar_t* end;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
          (LPCWSTR)(void*)&unit_find_library, &self) ||
      GetModuleFileNameW(self, path, 32768 - 64) == 0)
    return 0;
  end = wcsrchr(path, L'\\');
  if (!end) return 0;
  wcscpy(end + 1, TENON_FMU_LIBRARY);
  return LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) != NULL;
#else
  return 1; /* $ORIGIN or @loader_path, as this library was linked */
#endif
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
  return refuse(self, status, sentence, tenon_workspace_message(self->workspace));
}

static char* joined(const char* folder, const char* file) {
  const size_t size = strlen(folder) + strlen(file) + 2;
  char* path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, file);
  return path;
}

static int load_model(unit* self, const char* path) {
  char message[long_text] = "";
  tenon_model_options options;
  tenon_model_options_init(&options, sizeof options);
  options.base = self->settings.floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  options.ignore_mimic = self->settings.ignore_mimic;
  options.tolerant_inertias = self->settings.tolerant_inertias;
  memcpy(options.gravity, self->settings.gravity, sizeof options.gravity);
  if (tenon_model_load_urdf(path, &options, &self->model, message, sizeof message) < 0)
    return refuse(self, UNIT_ERROR, "the robot of the unit cannot be loaded", message);
  self->nq = (size_t)tenon_model_nq(self->model);
  self->nv = (size_t)tenon_model_nv(self->model);
  self->has_loops = tenon_model_loop_count(self->model) > 0;
  if (self->nq != self->settings.nq || self->nv != self->settings.nv)
    return refuse(self, UNIT_ERROR, "the unit has been changed", "start values and robot do not fit");
  for (size_t i = 0; i < self->settings.link_count; ++i)
    if (self->settings.links[i] >= tenon_model_link_count(self->model))
      return refuse(self, UNIT_ERROR, "the unit has been changed",
                    "a pose is that of a link which the robot has not");
  return UNIT_OK;
}

/* Rows along the axes of the world, as `tenon simulate` has them. */
static int add_contacts(unit* self) {
  const unit_settings* settings = &self->settings;
  char message[long_text] = "";
  tenon_constraint_options options;
  tenon_status status = tenon_constraints_create(self->model, &self->constraints, message, sizeof message);
  tenon_constraint_options_init(&options, sizeof options);
  options.axes = TENON_AXES_WORLD;
  options.frequency = settings->frequency;
  options.damping_ratio = settings->damping_ratio;
  for (size_t i = 0; i < settings->contact_count && status >= 0; ++i) {
    const unit_contact* contact = &settings->contacts[i];
    const double pose[7] = {contact->point[0], contact->point[1], contact->point[2], 0, 0, 0, 1};
    status = contact->weld ? tenon_constraints_add_weld(self->constraints, contact->link, pose, 7, &options,
                                                        NULL, message, sizeof message)
                           : tenon_constraints_add_point(self->constraints, contact->link, pose, 3, &options,
                                                         NULL, message, sizeof message);
    self->rows += contact->weld ? 6 : 3;
  }
  if (status >= 0) status = tenon_constraints_finish(self->constraints, message, sizeof message);
  if (status >= 0)
    status = tenon_workspace_create(self->model, self->constraints, NULL, &self->workspace, message,
                                    sizeof message);
  return status < 0 ? refuse(self, UNIT_ERROR, "the contacts of the unit cannot be held", message) : UNIT_OK;
}

static int make_memory(unit* self) {
  const size_t nq = self->nq, nv = self->nv, poses = 7 * self->settings.link_count;
  const size_t lambda = (size_t)tenon_constraints_row_count(self->constraints);
  self->joint_count = (size_t)tenon_model_joint_count(self->model);
  self->joints = calloc(self->joint_count + 1, sizeof *self->joints);
  self->q = calloc(3 * nq + 3 * nv + lambda + poses + 1, sizeof *self->q);
  if (!self->joints || !self->q)
    return refuse(self, UNIT_ERROR, "the unit cannot be loaded", "there is no memory");
  self->v = self->q + nq;
  self->tau = self->v + nv;
  self->normal = self->tau + nv;
  self->rate = self->normal + nq;
  self->qdd = self->rate + nq;
  self->lambda = self->qdd + nv;
  self->poses = self->lambda + lambda;
  for (size_t i = 0; i < self->joint_count; ++i) {
    tenon_joint_info_init(&self->joints[i], sizeof self->joints[i]);
    tenon_model_joint_info(self->model, (int32_t)i, &self->joints[i]);
  }
  tenon_solve_options_init(&self->solve, sizeof self->solve);
  self->solve.method = self->settings.method;
  unit_layout((uint32_t)nq, (uint32_t)nv, (uint32_t)self->settings.link_count, (uint32_t)self->rows,
              self->first);
  return UNIT_OK;
}

static int load(unit* self, const char* token, const char* resources) {
  char *settings = joined(resources, UNIT_SETTINGS), *robot = joined(resources, UNIT_ROBOT);
  const char* wrong =
      settings && robot ? unit_read_settings(settings, &self->settings) : "there is no memory";
  int status = UNIT_ERROR;
  if (wrong)
    refuse(self, UNIT_ERROR, settings ? settings : UNIT_SETTINGS, wrong);
  else if (!token || strcmp(token, self->settings.token) != 0)
    refuse(self, UNIT_ERROR, "the unit has been changed",
           "modelDescription.xml and resources do not belong together");
  else if (!unit_find_library())
    refuse(self, UNIT_ERROR, "the unit cannot be loaded", "the library of Tenon is not beside its binary");
  else
    status = load_model(self, robot);
  if (status == UNIT_OK) status = add_contacts(self);
  if (status == UNIT_OK) status = make_memory(self);
  if (status == UNIT_OK) status = unit_reset(self);
  free(settings);
  free(robot);
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
  if (self->model) { /* else the library may not be there */
    tenon_workspace_destroy(self->workspace);
    tenon_constraints_destroy(self->constraints);
    tenon_model_destroy(self->model);
  }
  unit_free_settings(&self->settings);
  free(self->joints);
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
  self->started = self->solved = self->placed = 0;
  return tenon_workspace_set_gravity(self->workspace, self->gravity, 3) < 0
             ? unit_fail(self, UNIT_ERROR, "setting the gravity")
             : UNIT_OK;
}

int unit_assemble(unit* self) {
  tenon_workspace* workspace = self->workspace;
  double gap = 0;
  tenon_status status = tenon_normalize(workspace, self->q, self->nq);
  if (status >= 0) status = tenon_close_loops(workspace, NULL, self->q, self->nq, &gap);
  if (status == TENON_INFEASIBLE) {
    char reason[128];
    snprintf(reason, sizeof reason, "they stay open by %.3g (m or rad) at these positions; give others", gap);
    return refuse(self, UNIT_ERROR, "the loops of the robot cannot be closed at the start", reason);
  }
  if (status >= 0)
    status = tenon_close_loop_velocities(workspace, NULL, self->q, self->nq, self->v, self->nv);
  if (status >= 0) status = tenon_anchor_here(workspace, self->q, self->nq);
  self->solved = self->placed = 0;
  return status < 0 ? unit_fail(self, UNIT_ERROR, "the start values") : UNIT_OK;
}

int unit_start(unit* self) {
  const int status = unit_assemble(self);
  self->started = status == UNIT_OK;
  return status;
}
