/* Arguments and results: what does not fit is refused before the library is called. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tenon_mex.h"

static const double most_count = 9.2e18; /* below 2^63 */

const mxArray *argument(const call *c, int position) {
  static const char missing[] = "too few arguments";
  if (position >= c->inputs) fail(TENON_INVALID_ARGUMENT, missing);
  return c->in[position];
}

static const double *reals(const mxArray *array, size_t needed, const char *name) {
  char message[160];
  if (!mxIsDouble(array) || mxIsComplex(array) || mxIsSparse(array)) {
    snprintf(message, sizeof message, "%s: real numbers, double and full, are needed", name);
    fail(TENON_INVALID_ARGUMENT, message);
  }
  if (mxGetNumberOfElements(array) != needed) {
    snprintf(message, sizeof message, "%s: %lu numbers; %lu are needed", name,
             (unsigned long)mxGetNumberOfElements(array), (unsigned long)needed);
    fail(TENON_WRONG_SIZE, message);
  }
  return mxGetPr(array);
}

const double *numbers(const call *c, int position, size_t needed, const char *name) {
  return reals(argument(c, position), needed, name);
}

/* [] or nothing: NULL. */
const double *numbers_or_none(const call *c, int position, size_t needed, const char *name) {
  if (position >= c->inputs || mxIsEmpty(c->in[position])) return NULL;
  return reals(c->in[position], needed, name);
}

double number(const call *c, int position, const char *name) {
  return *numbers(c, position, 1, name);
}

/* A number that counts from 1, as the library's index. */
int32_t index_of(const call *c, int position, const char *name) {
  char message[120];
  double value = number(c, position, name);
  if (!(value >= 1 && value <= 1e9) || value != (double)(int32_t)value) {
    snprintf(message, sizeof message, "there is no %s %g; they count from 1", name, value);
    fail(TENON_OUT_OF_RANGE, message);
  }
  return (int32_t)value - 1;
}

/* Octave frees it after the call. */
static char *words(const mxArray *array, const char *name) {
  char message[120];
  char *result = mxIsChar(array) ? mxArrayToString(array) : NULL;
  if (result == NULL) {
    snprintf(message, sizeof message, "%s: a text is needed", name);
    fail(TENON_INVALID_ARGUMENT, message);
  }
  return result;
}

char *text(const call *c, int position, const char *name) {
  return words(argument(c, position), name);
}

/* A whole number from least to most. */
static double between(const mxArray *value, double least, double most, const char *kind, const char *name) {
  char message[160];
  const double found = *reals(value, 1, name);
  if (!(found >= least && found <= most) || found != floor(found)) {
    snprintf(message, sizeof message, "%s: a whole number%s is needed", name, kind);
    fail(TENON_INVALID_ARGUMENT, message);
  }
  return found;
}

/* How many of something, 0 or more. */
size_t count_of(const call *c, int position, const char *name) {
  return (size_t)between(argument(c, position), 0, most_count, ", 0 or more,", name);
}

static tenon_status rows_from_name(const char *name, int32_t *value) {
  static const char *const names[] = {"angular", "linear", "all", "hinge"};
  static const uint32_t bits[] = {TENON_ROWS_ANGULAR, TENON_ROWS_LINEAR, TENON_ROWS_ALL, TENON_ROWS_HINGE};
  int i;
  for (i = 0; i < 4; ++i) {
    if (strcmp(name, names[i]) == 0) {
      *value = (int32_t)bits[i];
      return TENON_OK;
    }
  }
  return TENON_NOT_FOUND;
}

static int32_t whole(const mxArray *value, int32_t constants, const char *name) {
  char message[160];
  int32_t found = 0;
  if (constants != NO_CONSTANTS && mxIsChar(value)) {
    char *called = words(value, name);
    if ((constants == ROWS ? rows_from_name(called, &found) : tenon_constant_from_name(constants, called, &found)) < 0) {
      snprintf(message, sizeof message, "%s: there is no '%s'; tenon.h has the names", name, called);
      fail(TENON_NOT_FOUND, message);
    }
    return found;
  }
  if (mxIsLogicalScalar(value)) return mxIsLogicalScalarTrue(value) ? 1 : 0;
  return (int32_t)between(value, INT32_MIN, INT32_MAX, " of 32 bits", name);
}

int32_t constant(const call *c, int position, int32_t constants, const char *name) {
  return whole(argument(c, position), constants, name);
}

static void set(char *place, const field *f, const mxArray *value) {
  switch (f->type) {
    case WHOLE: *(int32_t *)place = whole(value, f->constants, f->name); break;
    case REAL: *(double *)place = *reals(value, 1, f->name); break;
    case COUNT: *(size_t *)place = (size_t)between(value, 0, most_count, ", 0 or more,", f->name); break;
    case TEXT: *(const char **)place = words(value, f->name); break;
    case THREE: memcpy(place, reals(value, 3, f->name), 3 * sizeof(double)); break;
    case NUMBERS:
      *(const double **)place = reals(value, mxGetNumberOfElements(value), f->name);
      *(size_t *)(place + sizeof(const double *)) = mxGetNumberOfElements(value);
      break;
  }
}

/* The fields of a struct into options that have their defaults; [] or nothing changes none. */
void options(void *chosen, const field *fields, const call *c, int position) {
  const mxArray *given;
  char message[600];
  int i;
  if (position >= c->inputs || mxIsEmpty(c->in[position])) return;
  given = c->in[position];
  if (!mxIsStruct(given)) fail(TENON_INVALID_ARGUMENT, "options: a struct is needed");
  for (i = 0; i < mxGetNumberOfFields(given); ++i) {
    const char *name = mxGetFieldNameByNumber(given, i);
    const field *f = fields;
    while (f->name != NULL && strcmp(f->name, name) != 0) ++f;
    if (f->name == NULL) {
      int end = snprintf(message, sizeof message, "there is no option '%.40s'; there are:", name);
      for (f = fields; f->name != NULL; ++f)
        end += snprintf(message + end, sizeof message - (size_t)end, " %s", f->name);
      fail(TENON_NOT_FOUND, message);
    }
    set((char *)chosen + f->offset, f, mxGetFieldByNumber(given, 0, i));
  }
}

/* Results that are not asked for are made all the same: what they hold is freed after the call. */
double *result(const call *c, int position, size_t rows, size_t columns) {
  return result_pages(c, position, rows, columns, 1);
}

/* The product of sizes that wraps would be small, and what the library writes not. */
double *result_pages(const call *c, int position, size_t rows, size_t columns, size_t pages) {
  const double most = 9.2e18 / sizeof(double);
  const mwSize sizes[3] = {(mwSize)rows, (mwSize)columns, (mwSize)pages};
  char message[160];
  mxArray *made;
  if ((double)rows * (double)columns * (double)pages > most) {
    snprintf(message, sizeof message, "%lu x %lu x %lu numbers are more than any memory has", (unsigned long)rows,
             (unsigned long)columns, (unsigned long)pages);
    fail(TENON_OUT_OF_MEMORY, message);
  }
  made = mxCreateNumericArray(3, sizes, mxDOUBLE_CLASS, mxREAL);
  result_array(c, position, made);
  return mxGetPr(made);
}

void result_number(const call *c, int position, double value) {
  *result(c, position, 1, 1) = value;
}

void result_array(const call *c, int position, mxArray *value) {
  if (position == 0 || position < c->outputs) c->out[position] = value;
}
