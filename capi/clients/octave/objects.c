/* Objects of the library by number, and errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon_mex.h"

static const char *const kind_names[KINDS] = {"Model", "Constraints", "Workspace", "Batch"};
static object *objects;
static size_t room;

/* Slots of a number: it is slot + SLOTS * generation. */
#define SLOTS 1048576.0

void fail(tenon_status status, const char *message) {
  char id[64];
  snprintf(id, sizeof id, "Tenon:%s", tenon_status_string(status));
  mexErrMsgIdAndTxt(id, "%s: %s", tenon_status_string(status), message);
}

void check(tenon_status status, const char *message) {
  if (status < 0) fail(status, message);
}

static void destroy(object *each) {
  switch (each->kind) {
    case MODEL: tenon_model_destroy(each->pointer); break;
    case CONSTRAINTS: tenon_constraints_destroy(each->pointer); break;
    case WORKSPACE: tenon_workspace_destroy(each->pointer); break;
    default: tenon_batch_destroy(each->pointer); break;
  }
  each->pointer = NULL;
  each->generation += 1;
}

double keep(void *pointer, enum kind kind, size_t nq, size_t nv, size_t m, size_t links, size_t constraints) {
  size_t slot = 0;
  while (slot < room && objects[slot].pointer != NULL) ++slot;
  if (slot == room) {
    size_t more = room == 0 ? 64 : 2 * room;
    object *grown = more > SLOTS ? NULL : realloc(objects, more * sizeof *objects);
    if (grown == NULL) {
      object lost = {0};
      lost.pointer = pointer;
      lost.kind = kind;
      destroy(&lost);
      fail(TENON_OUT_OF_MEMORY, "too many objects");
    }
    memset(grown + room, 0, (more - room) * sizeof *grown);
    objects = grown;
    room = more;
  }
  objects[slot].pointer = pointer;
  objects[slot].kind = kind;
  objects[slot].nq = nq;
  objects[slot].nv = nv;
  objects[slot].m = m;
  objects[slot].links = links;
  objects[slot].constraints = constraints;
  objects[slot].status = TENON_OK;
  return (double)slot + SLOTS * (objects[slot].generation + 1);
}

static object *found(double number) {
  double generation, slot;
  if (!(number >= SLOTS) || number > 9e15) return NULL;
  generation = (double)(int64_t)(number / SLOTS);
  slot = number - SLOTS * generation;
  if (slot != (double)(size_t)slot || (size_t)slot >= room) return NULL;
  if (objects[(size_t)slot].pointer == NULL || objects[(size_t)slot].generation + 1 != generation) return NULL;
  return &objects[(size_t)slot];
}

object *given_object(const call *c, int position, enum kind kind) {
  char message[80];
  object *it = found(number(c, position, "an object"));
  if (it == NULL || it->kind != kind) {
    snprintf(message, sizeof message, "this %s was deleted", kind_names[kind]);
    fail(TENON_INVALID_ARGUMENT, message);
  }
  return it;
}

/* Does nothing the second time. */
void forget(const call *c) {
  object *it = found(number(c, 0, "an object"));
  if (it != NULL) destroy(it);
}
