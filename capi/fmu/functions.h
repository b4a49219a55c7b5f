/* The functions that are the same in FMI 2.0 and 3.0 but for their names: included once by each of fmi2.c and fmi3.c,
 * which define
 *     FMI(name)        the function of that name
 *     FMI_STATE(a, b)  one whose name has a state between a and b, which the standards spell differently
 *     FMI_BOOLEAN      their type of yes and no
 * Types are spelled in C: fmi2Component and fmi3Instance are void *, a status is an int. */
#include <stdlib.h>
#include <string.h>

/* Failures are told always, and there is nothing else to tell. */
UNIT_EXPORT int FMI(SetDebugLogging)(void* c, FMI_BOOLEAN on, size_t count, const char* const names[]) {
  (void)on;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(names[i], UNIT_LOG_ERROR) != 0 && strcmp(names[i], UNIT_LOG_DISCARD) != 0)
      return unit_refuse(c, UNIT_ERROR,
                         "the unit has no such log category; it has " UNIT_LOG_ERROR
                         " and " UNIT_LOG_DISCARD);
  return c ? UNIT_OK : UNIT_ERROR;
}

UNIT_EXPORT void FMI(FreeInstance)(void* c) {
  unit_destroy(c);
}

UNIT_EXPORT int FMI(ExitInitializationMode)(void* c) {
  return unit_start(c);
}

UNIT_EXPORT int FMI(Terminate)(void* c) {
  return unit_terminate(c);
}

UNIT_EXPORT int FMI(Reset)(void* c) {
  return unit_reset(c);
}

/* Changes of mode that change nothing here. */
#define NOTHING_TO_DO(Name)            \
  UNIT_EXPORT int FMI(Name)(void* c) { \
    return c ? UNIT_OK : UNIT_ERROR;   \
  }
NOTHING_TO_DO(EnterEventMode)
NOTHING_TO_DO(EnterContinuousTimeMode)

/* ---- States, kept and as bytes */

UNIT_EXPORT int FMI_STATE(Get, )(void* c, void** state) {
  return unit_keep(c, state);
}

UNIT_EXPORT int FMI_STATE(Set, )(void* c, void* state) {
  return unit_restore(c, state);
}

UNIT_EXPORT int FMI_STATE(Free, )(void* c, void** state) {
  (void)c;
  if (!state) return UNIT_OK;
  free(*state);
  *state = NULL;
  return UNIT_OK;
}

UNIT_EXPORT int FMI_STATE(Serialized, Size)(void* c, void* state, size_t* size) {
  (void)state;
  *size = unit_snapshot_size(c);
  return UNIT_OK;
}

UNIT_EXPORT int FMI_STATE(Serialize, )(void* c, void* state, void* bytes, size_t size) {
  return unit_write_state(c, state, bytes, size);
}

/* ---- Model exchange */

UNIT_EXPORT int FMI(CompletedIntegratorStep)(void* c, FMI_BOOLEAN no_return, FMI_BOOLEAN* event,
                                             FMI_BOOLEAN* terminate) {
  (void)no_return;
  *event = unit_has_drifted(c) != 0;
  *terminate = 0;
  return UNIT_OK;
}

UNIT_EXPORT int FMI(SetTime)(void* c, double time) {
  return unit_set_time(c, time);
}

UNIT_EXPORT int FMI(SetContinuousStates)(void* c, const double states[], size_t count) {
  return unit_set_states(c, states, count);
}

UNIT_EXPORT int FMI(GetContinuousStates)(void* c, double states[], size_t count) {
  return unit_get_states(c, states, count);
}

UNIT_EXPORT int FMI(GetNominalsOfContinuousStates)(void* c, double nominals[], size_t count) {
  (void)c;
  for (size_t i = 0; i < count; ++i) nominals[i] = 1;
  return UNIT_OK;
}

UNIT_EXPORT int FMI(GetEventIndicators)(void* c, double indicators[], size_t count) {
  (void)c, (void)indicators;
  return count == 0 ? UNIT_OK : UNIT_ERROR;
}
