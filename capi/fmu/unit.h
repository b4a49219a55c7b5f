/* One instance of a robot in a functional mock-up unit, whatever the version of the standard: fmi2.c and fmi3.c give it
 * the names and manners of FMI 2.0 and 3.0. Everything here stands on robot.h alone.
 *
 * The unit moves by M qdd + c = tau + J^T lambda with the contacts and loops that its settings name. States are the
 * positions q, quaternions among them, and the velocities v of all joints. Co-simulation takes the steps of `tenon
 * simulate`; model exchange hands out dq/dt and qdd.
 *
 * One thread at a time for each instance, any number of instances. */
#ifndef TENON_FMU_UNIT_H
#define TENON_FMU_UNIT_H

#include "layout.h"
#include "robot.h"

#if defined(_WIN32)
#define UNIT_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define UNIT_EXPORT __attribute__((visibility("default")))
#else
#define UNIT_EXPORT
#endif

/* What calls return; the numbers are those of fmi2Status and fmi3Status. */
enum { UNIT_OK = 0, UNIT_DISCARD = 2, UNIT_ERROR = 3 };

/* The life of an instance. */
enum {
  UNIT_SETUP,   /* start values may be set; loops are not closed and contacts have no place yet */
  UNIT_RUNNING, /* after the initialisation */
  UNIT_ENDED    /* after Terminate: values can be read */
};

/* Which tenon.txt this binary reads: the program looks for the text in the file. */
UNIT_EXPORT extern const char tenon_unit_format[];

typedef void (*unit_function)(void);

typedef struct unit unit;

/* Who gets messages: `say` knows the type of `logger`, a function of the importer. */
typedef struct unit_host {
  void* environment;
  unit_function logger;
  void (*say)(const unit* self, int status, const char* message);
} unit_host;

struct unit {
  char* name;
  unit_host host;
  int exchange; /* 1: model exchange, 0: co-simulation */
  int phase;    /* UNIT_SETUP, ... */
  unit_settings settings;
  robot* robot;
  size_t nq, nv;
  uint32_t first[UNIT_KINDS + 1];
  double time, tolerance, gravity[3];
  double *q, *v, *tau; /* of the state; all arrays below are in one piece of memory, which begins at q */
  /* q with unit quaternions, which a solver of model exchange does not keep, and v. Before the end of the
   * initialisation: the start as it would be now. While steps are taken: the state before them. */
  double *normal, *speed;
  double *rate, *qdd, *lambda, *poses;
  int solved, placed; /* what of these belongs to the state */
  /* Length of the step that the robot refused last, from this state and with these inputs; 0: none. Whether the same
   * one was asked for again, which no repetition mends. */
  double refused;
  int hopeless;
};

/* Loads the robot of a unit; NULL where that fails, which the host is told. name: of the instance. token: the one that
 * the description had. resources: the folder, in UTF-8. */
unit* unit_create(const char* name, const char* token, const char* resources, int exchange, unit_host host);
void unit_destroy(unit* self);

/* The log category of messages with this status. */
const char* unit_category(int status);
/* Tells the host a sentence, unit_fail with the reason that the robot gave; both return status. */
int unit_refuse(const unit* self, int status, const char* sentence);
int unit_fail(const unit* self, int status, const char* sentence);

int unit_reset(unit* self);
int unit_set_time(unit* self, double time);
/* The start of start values q and v: loops closed, and contacts held where they are then. */
int unit_assemble(unit* self, double* q, double* v);
/* Makes it the state, and ends the initialisation. */
int unit_start(unit* self);

int unit_get(unit* self, const uint32_t* references, size_t count, double* values);
int unit_set(unit* self, const uint32_t* references, size_t count, const double* values);

/* Co-simulation: from `time`, where the unit is, on `length` seconds in steps of settings.dt; the last one is shorter
 * where it must be. UNIT_DISCARD: the robot refused one of them, and the unit is where it was. */
int unit_advance(unit* self, double time, double length);
/* Ends the simulation. */
int unit_terminate(unit* self);

/* Model exchange: nq + nv numbers, q and v. */
size_t unit_state_count(const unit* self);
int unit_get_states(const unit* self, double* states, size_t count);
int unit_set_states(unit* self, const double* states, size_t count);
int unit_get_derivatives(unit* self, double* derivatives, size_t count);
/* Whether the quaternions of positions q are off unit norm by no more than this. */
int unit_norms_hold(const unit* self, const double* q, double tolerance);
/* Whether quaternions and loops have drifted by more than the tolerance of the solver, and the way back. */
int unit_has_drifted(unit* self);
int unit_settle(unit* self);

/* All that changes in an instance, as numbers. */
size_t unit_snapshot_size(const unit* self);
/* Saves it in memory that *snapshot has, or gets here where it is NULL; free it. */
int unit_keep(unit* self, void** snapshot);
int unit_restore(unit* self, const double* snapshot);
/* A snapshot as unit_snapshot_size bytes, and back. */
int unit_write_state(const unit* self, const double* snapshot, void* bytes, size_t size);
int unit_read_state(unit* self, const void* bytes, size_t size, void** snapshot);

#endif
