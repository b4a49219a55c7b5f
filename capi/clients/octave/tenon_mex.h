/* What the files of tenon_mex share: objects by number, arguments, errors. */
#ifndef TENON_MEX_H
#define TENON_MEX_H

#include <mex.h>
#include <tenon.h>

#pragma GCC visibility push(hidden) /* names of this file alone */

/* An object of the library. Octave knows it by a number that is never given again. */
enum kind { MODEL, CONSTRAINTS, WORKSPACE, BATCH, KINDS };

typedef struct object {
  void *pointer;
  enum kind kind;
  double generation;
  size_t nq, nv, m, links, constraints; /* constraints: of a batch */
  tenon_status status; /* of the last computation of a workspace */
} object;

/* A field of an options struct of the library: a whole number, a real one, a text, or numbers with their count behind
 * them. constants: the kind of those that may be named, TENON_CONSTANT_* or one of these. */
enum field_type { WHOLE, REAL, COUNT, TEXT, NUMBERS, THREE };
enum { NO_CONSTANTS = -1, ROWS = -2 };

typedef struct field {
  const char *name;
  enum field_type type;
  size_t offset;
  int32_t constants;
} field;

/* What a command is given: `in` without the name of the command. */
typedef struct call {
  int outputs, inputs;
  mxArray **out;
  const mxArray **in;
} call;

/* objects.c: none of these returns where it fails. */
void fail(tenon_status status, const char *message);
void check(tenon_status status, const char *message);
double keep(void *pointer, enum kind kind, size_t nq, size_t nv, size_t m, size_t links, size_t constraints);
object *given_object(const call *c, int number, enum kind kind);
void forget(const call *c);

/* arguments.c */
const mxArray *argument(const call *c, int number);
const double *numbers(const call *c, int number, size_t needed, const char *name);
const double *numbers_or_none(const call *c, int number, size_t needed, const char *name);
double number(const call *c, int position, const char *name);
int32_t index_of(const call *c, int position, const char *name);
size_t count_of(const call *c, int position, const char *name);
char *text(const call *c, int position, const char *name);
int32_t constant(const call *c, int position, int32_t constants, const char *name);
void options(void *chosen, const field *fields, const call *c, int position);
double *result(const call *c, int position, size_t rows, size_t columns);
double *result_pages(const call *c, int position, size_t rows, size_t columns, size_t pages);
void result_number(const call *c, int position, double value);
void result_array(const call *c, int position, mxArray *value);

/* The commands of each kind of object: tells whether there was one of this name. */
typedef struct command {
  const char *name;
  void (*run)(const call *c);
} command;

extern const command model_commands[], workspace_commands[], batch_commands[];
extern const field solve_fields[];

#pragma GCC visibility pop

#endif
