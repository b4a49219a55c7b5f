/* All that changes in an instance, kept, restored and as bytes: numbers alone, the first of which say of what unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { of_unit, of_time, of_tolerance, of_phase, of_gravity, of_state = of_gravity + 3 };

/* FNV-1a of the token: snapshots of another unit are refused, even where they have the same size. The number counts
 * from 0 to 2^52, so that no bits are lost where doubles are copied. */
static double identity(const unit* self) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char* c = self->settings.token; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return (double)(hash >> 12);
}

static size_t state_count(const unit* self) {
  return self->nq + 2 * self->nv;
}

static size_t snapshot_count(const unit* self) {
  return of_state + state_count(self) + self->robot->anchor_count;
}

/* Bytes may come from anywhere: only what a unit can have saved is a state. */
static int is_state(const unit* self, const double* snapshot) {
  const double* anchors = snapshot + of_state + state_count(self);
  const double* const end = snapshot + snapshot_count(self);
  const double phase = snapshot[of_phase];
  if (snapshot[of_unit] != identity(self)) return 0;
  for (const double* number = snapshot + of_time; number < end; ++number)
    if (!isfinite(*number)) return 0;
  if (self->robot->anchor_count > 0 && !unit_norms_hold(self, anchors, 1e-6)) return 0;
  return snapshot[of_tolerance] > 0 && (phase == UNIT_SETUP || phase == UNIT_RUNNING || phase == UNIT_ENDED);
}

size_t unit_snapshot_size(const unit* self) {
  return snapshot_count(self) * sizeof(double);
}

int unit_keep(unit* self, void** snapshot) {
  double* into = *snapshot ? *snapshot : malloc(unit_snapshot_size(self));
  if (!into) return unit_refuse(self, UNIT_ERROR, "there is no memory for a state");
  into[of_unit] = identity(self);
  into[of_time] = self->time;
  into[of_tolerance] = self->tolerance;
  into[of_phase] = self->phase;
  memcpy(into + of_gravity, self->gravity, sizeof self->gravity);
  memcpy(into + of_state, self->q, state_count(self) * sizeof *into);
  robot_get_anchors(self->robot, into + of_state + state_count(self));
  *snapshot = into;
  return UNIT_OK;
}

int unit_restore(unit* self, const double* snapshot) {
  if (!snapshot || !is_state(self, snapshot))
    return unit_refuse(self, UNIT_ERROR, "the state is not of this unit");
  /* First what may fail: anchors where the robot cannot be placed. */
  if (robot_set_anchors(self->robot, snapshot + of_state + state_count(self)) < 0)
    return unit_fail(self, UNIT_ERROR, "restoring a state");
  self->time = snapshot[of_time];
  self->tolerance = snapshot[of_tolerance];
  self->phase = (int)snapshot[of_phase];
  memcpy(self->gravity, snapshot + of_gravity, sizeof self->gravity);
  memcpy(self->q, snapshot + of_state, state_count(self) * sizeof *snapshot);
  self->solved = self->placed = 0;
  self->refused = 0;
  return robot_set_gravity(self->robot, self->gravity) < 0 ? unit_fail(self, UNIT_ERROR, "restoring a state")
                                                           : UNIT_OK;
}

int unit_write_state(const unit* self, const double* snapshot, void* bytes, size_t size) {
  if (!snapshot || size != unit_snapshot_size(self))
    return unit_refuse(self, UNIT_ERROR, "the memory for a serialized state has another size than it");
  memcpy(bytes, snapshot, size);
  return UNIT_OK;
}

int unit_read_state(unit* self, const void* bytes, size_t size, void** snapshot) {
  double* into;
  int good = size == unit_snapshot_size(self);
  if (good) {
    into = malloc(size); /* bytes may stand anywhere, and a snapshot that is there stays if they are none */
    if (!into) return unit_refuse(self, UNIT_ERROR, "there is no memory for a state");
    memcpy(into, bytes, size);
    good = is_state(self, into);
    if (good && *snapshot) memcpy(*snapshot, into, size);
    if (good && !*snapshot) *snapshot = into;
    if (*snapshot != into) free(into);
  }
  return good ? UNIT_OK : unit_refuse(self, UNIT_ERROR, "the serialized state is not of this unit");
}
