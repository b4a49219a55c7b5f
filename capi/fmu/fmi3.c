/* The functions of the Functional Mock-up Interface 3.0 (co-simulation and model exchange) over unit.h. Types and
 * constants are those that its text defines. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "unit.h"

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;
typedef int fmi3Status; /* fmi3OK 0, fmi3Warning 1, fmi3Discard 2, fmi3Error 3, fmi3Fatal 4 */

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);

#define FMI(name) fmi3##name
#define FMI_STATE(a, b) fmi3##a##FMUState##b
#define FMI_BOOLEAN fmi3Boolean
#include "functions.h"

UNIT_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                               fmi3FMUState* state) {
  return unit_read_state(c, bytes, size, state);
}

static void say(const unit* self, int status, const char* message) {
  const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)self->host.logger;
  if (logger) logger(self->host.environment, status, unit_category(status), message);
}

UNIT_EXPORT const char* fmi3GetVersion(void) {
  return "3.0";
}

static fmi3Instance instantiate(fmi3String name, fmi3String token, fmi3String resources, int exchange,
                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  const unit_host host = {environment, (unit_function)log, say};
  return resources ? unit_create(name, token, resources, exchange, host) : NULL;
}

UNIT_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean logging_on,
                                                      fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback log) {
  (void)visible, (void)logging_on;
  return instantiate(name, token, resources, 1, environment, log);
}

UNIT_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging_on,
                                                     fmi3Boolean event_mode, fmi3Boolean early_return,
                                                     const fmi3ValueReference intermediate[],
                                                     size_t intermediate_count,
                                                     fmi3InstanceEnvironment environment,
                                                     fmi3LogMessageCallback log, unit_function update) {
  /* Steps never return early, and ask for nothing in between, whatever the importer allows. */
  (void)visible, (void)logging_on, (void)early_return, (void)intermediate, (void)intermediate_count,
      (void)update;
  if (event_mode) {
    if (log)
      log(environment, UNIT_ERROR, UNIT_LOG_ERROR,
          "co-simulation has no event mode: give eventModeUsed = false");
    return NULL;
  }
  return instantiate(name, token, resources, 0, environment, log);
}

UNIT_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token,
                                                           fmi3String resources, fmi3Boolean visible,
                                                           fmi3Boolean logging_on,
                                                           fmi3InstanceEnvironment environment,
                                                           fmi3LogMessageCallback log, unit_function update,
                                                           unit_function lock, unit_function unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging_on, (void)update, (void)lock,
      (void)unlock;
  if (log) log(environment, UNIT_ERROR, UNIT_LOG_ERROR, "the unit has no scheduled execution");
  return NULL;
}

UNIT_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined,
                                                   fmi3Float64 tolerance, fmi3Float64 start,
                                                   fmi3Boolean stop_defined, fmi3Float64 stop) {
  unit* self = c;
  (void)stop_defined, (void)stop;
  if (tolerance_defined && tolerance > 0 && isfinite(tolerance)) self->tolerance = tolerance;
  return unit_set_time(self, start);
}

NOTHING_TO_DO(EnterStepMode)
NOTHING_TO_DO(EnterConfigurationMode)
NOTHING_TO_DO(ExitConfigurationMode)
NOTHING_TO_DO(EvaluateDiscreteStates)

UNIT_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                      fmi3Float64 values[], size_t value_count) {
  return count == value_count ? unit_get(c, vr, count, values)
                              : unit_refuse(c, UNIT_ERROR, "every variable has one value");
}

UNIT_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                      const fmi3Float64 values[], size_t value_count) {
  return count == value_count ? unit_set(c, vr, count, values)
                              : unit_refuse(c, UNIT_ERROR, "every variable has one value");
}

/* All variables are of type Float64. */
static fmi3Status no_variables(fmi3Instance c, size_t count) {
  return count == 0 ? UNIT_OK : unit_refuse(c, UNIT_ERROR, "all variables of the unit are of type Float64");
}
#define NO_VARIABLES(Type)                                                                          \
  UNIT_EXPORT fmi3Status fmi3Get##Type(fmi3Instance c, const fmi3ValueReference vr[], size_t count, \
                                       fmi3##Type values[], size_t value_count) {                   \
    (void)vr, (void)values, (void)value_count;                                                      \
    return no_variables(c, count);                                                                  \
  }                                                                                                 \
  UNIT_EXPORT fmi3Status fmi3Set##Type(fmi3Instance c, const fmi3ValueReference vr[], size_t count, \
                                       const fmi3##Type values[], size_t value_count) {             \
    (void)vr, (void)values, (void)value_count;                                                      \
    return no_variables(c, count);                                                                  \
  }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

UNIT_EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                     size_t sizes[], fmi3Binary values[], size_t value_count) {
  (void)vr, (void)sizes, (void)values, (void)value_count;
  return no_variables(c, count);
}

UNIT_EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                     const size_t sizes[], const fmi3Binary values[], size_t value_count) {
  (void)vr, (void)sizes, (void)values, (void)value_count;
  return no_variables(c, count);
}

UNIT_EXPORT fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                    fmi3Clock values[]) {
  (void)vr, (void)values;
  return no_variables(c, count);
}

UNIT_EXPORT fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                    const fmi3Clock values[]) {
  (void)vr, (void)values;
  return no_variables(c, count);
}

/* Of clocks, which there are none of. */
#define NO_CLOCKS(Name, A, B)                                                                          \
  UNIT_EXPORT fmi3Status fmi3##Name(fmi3Instance c, const fmi3ValueReference vr[], size_t count, A* a, \
                                    B* b) {                                                            \
    (void)vr, (void)a, (void)b;                                                                        \
    return no_variables(c, count);                                                                     \
  }
#define NO_SHIFTS(Name, A)                                                                               \
  UNIT_EXPORT fmi3Status fmi3##Name(fmi3Instance c, const fmi3ValueReference vr[], size_t count, A* a) { \
    (void)vr, (void)a;                                                                                   \
    return no_variables(c, count);                                                                       \
  }
UNIT_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                               fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                               int qualifiers[]) {
  (void)vr, (void)counters, (void)resolutions, (void)qualifiers;
  return no_variables(c, count);
}
NO_CLOCKS(GetIntervalDecimal, fmi3Float64, int)
NO_CLOCKS(GetShiftFraction, fmi3UInt64, fmi3UInt64)
NO_CLOCKS(SetIntervalFraction, const fmi3UInt64, const fmi3UInt64)
NO_CLOCKS(SetShiftFraction, const fmi3UInt64, const fmi3UInt64)
NO_SHIFTS(GetShiftDecimal, fmi3Float64)
NO_SHIFTS(SetIntervalDecimal, const fmi3Float64)
NO_SHIFTS(SetShiftDecimal, const fmi3Float64)

UNIT_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock,
                                                  fmi3Float64 time) {
  (void)clock, (void)time;
  return no_variables(c, 1);
}

UNIT_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr,
                                                           size_t* count) {
  (void)vr, (void)count;
  return unit_refuse(c, UNIT_ERROR, "dependencies are those that modelDescription.xml tells");
}

UNIT_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent,
                                                   size_t elements[], fmi3ValueReference independents[],
                                                   size_t their_elements[], int kinds[], size_t count) {
  (void)dependent, (void)elements, (void)independents, (void)their_elements, (void)kinds, (void)count;
  return unit_refuse(c, UNIT_ERROR, "dependencies are those that modelDescription.xml tells");
}

#define NO_DERIVATIVES(Name)                                                                            \
  UNIT_EXPORT fmi3Status fmi3##Name(fmi3Instance c, const fmi3ValueReference unknowns[],                \
                                    size_t unknown_count, const fmi3ValueReference knowns[],            \
                                    size_t known_count, const fmi3Float64 seed[], size_t seed_count,    \
                                    fmi3Float64 result[], size_t result_count) {                        \
    (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed, (void)seed_count; \
    (void)result, (void)result_count;                                                                   \
    return unit_refuse(c, UNIT_ERROR, "the unit has no directional or adjoint derivatives");            \
  }
NO_DERIVATIVES(GetDirectionalDerivative)
NO_DERIVATIVES(GetAdjointDerivative)

UNIT_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                                const fmi3Int32 orders[], fmi3Float64 values[],
                                                size_t value_count) {
  (void)vr, (void)count, (void)orders, (void)values, (void)value_count;
  return unit_refuse(c, UNIT_ERROR, "the unit has no derivatives of outputs");
}

/* ---- Model exchange */

UNIT_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                                fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
                                                fmi3Boolean* next_event, fmi3Float64* next_event_time) {
  unit* self = c;
  (void)next_event_time;
  *again = *terminate = *nominals_changed = *next_event = false;
  *states_changed = self->exchange && unit_has_drifted(self);
  return *states_changed ? unit_settle(self) : UNIT_OK;
}

UNIT_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[],
                                                         size_t count) {
  return unit_get_derivatives(c, derivatives, count);
}

UNIT_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* count) {
  *count = 0;
  return c ? UNIT_OK : UNIT_ERROR;
}

UNIT_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* count) {
  *count = unit_state_count(c);
  return UNIT_OK;
}

/* ---- Co-simulation */

UNIT_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean no_return,
                                  fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                                  fmi3Float64* last_time) {
  unit* self = c;
  int status;
  (void)no_return;
  status = unit_advance(self, time, length);
  *event = *early = false;
  *terminate = status == UNIT_DISCARD && self->hopeless;
  *last_time = self->time;
  return status;
}
