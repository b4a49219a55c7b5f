/* The functions of the Functional Mock-up Interface 2.0 (co-simulation and model exchange) over unit.h. Types and
 * constants are those that its text defines for the platform "default". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Byte;
typedef const char* fmi2String;
typedef int fmi2Status; /* fmi2OK 0, fmi2Warning 1, fmi2Discard 2, fmi2Error 3, fmi2Fatal 4, fmi2Pending 5 */
typedef int fmi2Type;   /* fmi2ModelExchange 0, fmi2CoSimulation 1 */
typedef int
    fmi2StatusKind; /* fmi2DoStepStatus 0, fmi2PendingStatus 1, fmi2LastSuccessfulTime 2, fmi2Terminated 3 */

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status,
                                   fmi2String category, fmi2String message, ...);

typedef struct fmi2CallbackFunctions {
  fmi2CallbackLogger logger;
  void* (*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void*);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct fmi2EventInfo {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#define FMI(name) fmi2##name
#define FMI_STATE(a, b) fmi2##a##FMUstate##b
#define FMI_BOOLEAN fmi2Boolean
#include "functions.h"

UNIT_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                               fmi2FMUstate* state) {
  return unit_read_state(c, bytes, size, state);
}

/* The message is the pattern, not an argument of "%s": not every importer reads arguments. */
static void say(const unit* self, int status, const char* message) {
  const fmi2CallbackLogger logger = (fmi2CallbackLogger)self->host.logger;
  char pattern[8192];
  size_t length = 0;
  for (; *message && length + 3 < sizeof pattern; ++message) {
    if (*message == '%') pattern[length++] = '%';
    pattern[length++] = *message;
  }
  pattern[length] = '\0';
  if (logger) logger(self->host.environment, self->name, status, unit_category(status), pattern);
}

/* The value of a hexadecimal digit; -1 for other characters. */
static int digit(char c) {
  const char *const digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) % 16 : -1;
}

/* The path of a file URI, with %20 and the like resolved; what is no URI is a path already. Free it. */
static char* path_of(const char* uri) {
  char *path = malloc(strlen(uri) + 1), *into = path;
  if (!path) return NULL;
  if (strncmp(uri, "file:", 5) == 0) {
    uri += 5;
    if (strncmp(uri, "//", 2) == 0) { /* file://host/path; the host is this machine */
      uri += 2;
      while (*uri && *uri != '/') ++uri;
    }
#if defined(_WIN32)
    if (*uri == '/') ++uri; /* /C:/folder */
#endif
    for (; *uri; ++uri) {
      const int high = *uri == '%' ? digit(uri[1]) : -1, low = high >= 0 ? digit(uri[2]) : -1;
      *into++ = low >= 0 ? (char)(16 * high + low) : *uri;
      if (low >= 0) uri += 2;
    }
    *into = '\0';
  } else {
    strcpy(path, uri);
  }
  return path;
}

UNIT_EXPORT const char* fmi2GetTypesPlatform(void) {
  return "default";
}

UNIT_EXPORT const char* fmi2GetVersion(void) {
  return "2.0";
}

UNIT_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                          fmi2String location, const fmi2CallbackFunctions* functions,
                                          fmi2Boolean visible, fmi2Boolean logging_on) {
  unit_host host = {NULL, NULL, say};
  char* resources = location ? path_of(location) : NULL;
  unit* self = NULL;
  (void)visible, (void)logging_on;
  if (functions) {
    host.environment = functions->componentEnvironment;
    host.logger = (unit_function)functions->logger;
  }
  if (resources) self = unit_create(name, guid, resources, type == 0, host);
  free(resources);
  return self;
}

UNIT_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                           fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop) {
  unit* self = c;
  (void)stop_defined, (void)stop;
  if (tolerance_defined && tolerance > 0 && isfinite(tolerance)) self->tolerance = tolerance;
  return unit_set_time(self, start);
}

UNIT_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return c ? UNIT_OK : UNIT_ERROR;
}

UNIT_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                   fmi2Real value[]) {
  return unit_get(c, vr, count, value);
}

UNIT_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                   const fmi2Real value[]) {
  return unit_set(c, vr, count, value);
}

/* All variables are real numbers. */
#define NO_VARIABLES(Type)                                                                               \
  UNIT_EXPORT fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t count,     \
                                       fmi2##Type value[]) {                                             \
    (void)vr, (void)value;                                                                               \
    return count == 0 ? UNIT_OK : unit_refuse(c, UNIT_ERROR, "the unit has no variable of type " #Type); \
  }                                                                                                      \
  UNIT_EXPORT fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t count,     \
                                       const fmi2##Type value[]) {                                       \
    (void)vr, (void)value;                                                                               \
    return count == 0 ? UNIT_OK : unit_refuse(c, UNIT_ERROR, "the unit has no variable of type " #Type); \
  }
NO_VARIABLES(Integer)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

UNIT_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                                    size_t unknown_count, const fmi2ValueReference known[],
                                                    size_t known_count, const fmi2Real seed[],
                                                    fmi2Real result[]) {
  (void)unknown, (void)unknown_count, (void)known, (void)known_count, (void)seed, (void)result;
  return unit_refuse(c, UNIT_ERROR, "the unit has no directional derivatives");
}

/* ---- Model exchange */

UNIT_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  const int drifted = unit_has_drifted(c);
  memset(info, 0, sizeof *info);
  info->valuesOfContinuousStatesChanged = drifted;
  return drifted ? unit_settle(c) : UNIT_OK;
}

UNIT_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
  return unit_get_derivatives(c, derivatives, count);
}

/* ---- Co-simulation */

UNIT_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean no_return) {
  (void)no_return;
  return unit_advance(c, time, length);
}

UNIT_EXPORT fmi2Status fmi2CancelStep(fmi2Component c) {
  return unit_refuse(c, UNIT_ERROR, "steps are done when fmi2DoStep returns");
}

UNIT_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                   size_t count, const fmi2Integer order[],
                                                   const fmi2Real value[]) {
  (void)vr, (void)count, (void)order, (void)value;
  return unit_refuse(c, UNIT_ERROR, "the unit holds inputs over a step and interpolates none");
}

UNIT_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                    size_t count, const fmi2Integer order[],
                                                    fmi2Real value[]) {
  (void)vr, (void)count, (void)order, (void)value;
  return unit_refuse(c, UNIT_ERROR, "the unit has no derivatives of outputs");
}

/* Of steps that are pending, which there are none of. */
#define NO_STATUS(Name, Type)                                                               \
  UNIT_EXPORT fmi2Status fmi2Get##Name(fmi2Component c, fmi2StatusKind kind, Type* value) { \
    (void)kind, (void)value;                                                                \
    return c ? UNIT_DISCARD : UNIT_ERROR;                                                   \
  }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)

/* After a step that was discarded: whether the unit asks for the end of the simulation. Importers that repeat the step
 * would do so for ever. */
UNIT_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean* value) {
  const unit* self = c;
  if (kind != 3) return UNIT_DISCARD;
  *value = self && self->refused > 0 && self->hopeless;
  return self ? UNIT_OK : UNIT_ERROR;
}

UNIT_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != 2) return UNIT_DISCARD;
  *value = ((unit*)c)->time;
  return UNIT_OK;
}
