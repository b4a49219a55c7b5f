/* Commands of batches: computations on many states, a column each. */
#include <stddef.h>
#include <stdio.h>

#include "tenon_mex.h"

static char message[1024];

static const field batch_fields[] = {
    {"threads", WHOLE, offsetof(tenon_batch_options, threads), NO_CONSTANTS},
    {"instruction_set", WHOLE, offsetof(tenon_batch_options, instruction_set), TENON_CONSTANT_INSTRUCTION_SET},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

static const field rollout_fields[] = {
    {"integrator", WHOLE, offsetof(tenon_rollout_options, integrator), TENON_CONSTANT_INTEGRATOR},
    {"dt", REAL, offsetof(tenon_rollout_options, dt), NO_CONSTANTS},
    {"steps", COUNT, offsetof(tenon_rollout_options, steps), NO_CONSTANTS},
    {"every", COUNT, offsetof(tenon_rollout_options, every), NO_CONSTANTS},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

static object *batch_of(const call *c) {
  return given_object(c, 0, BATCH);
}

static void create(const call *c) {
  const object *model = given_object(c, 0, MODEL);
  tenon_constraints *set = given_object(c, 1, CONSTRAINTS)->pointer;
  tenon_batch_options chosen;
  tenon_batch *batch = NULL;
  check(tenon_batch_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, batch_fields, c, 2);
  check(tenon_batch_create(model->pointer, set, &chosen, &batch, message, sizeof message), message);
  result_number(c, 0,
                keep(batch, BATCH, model->nq, model->nv, (size_t)tenon_constraints_row_count(set), model->links,
                     (size_t)tenon_constraints_constraint_count(set)));
}

static void sizes(const call *c) {
  const object *batch = batch_of(c);
  result_number(c, 0, (double)batch->nq);
  result_number(c, 1, (double)batch->nv);
  result_number(c, 2, (double)batch->m);
  result_number(c, 3, tenon_batch_width(batch->pointer));
}

static void told(tenon_batch_array *array, double *data, size_t size, size_t count) {
  check(tenon_batch_array_init(array, sizeof *array), "array");
  array->data = data;
  array->size = size;
  array->count = count;
}

/* The input `count` x states, or `count` x 1 for all states; *array is not touched where there is none. */
static tenon_batch_array *input(const call *c, int position, size_t count, size_t states, const char *name,
                                tenon_batch_array *array) {
  const mxArray *given = argument(c, position);
  const size_t columns = mxGetN(given);
  if (mxGetM(given) != count || (columns != 1 && columns != states)) {
    snprintf(message, sizeof message, "%s: %lu x %lu; %lu x %lu are needed", name, (unsigned long)mxGetM(given),
             (unsigned long)columns, (unsigned long)count, (unsigned long)states);
    fail(TENON_WRONG_SIZE, message);
  }
  told(array, (double *)numbers(c, position, count * columns, name), count * columns, count);
  array->state_stride = columns == 1 ? 0 : (ptrdiff_t)count;
  return array;
}

static tenon_batch_array *input_or_none(const call *c, int position, size_t count, size_t states, const char *name,
                                        tenon_batch_array *array) {
  return position >= c->inputs || mxIsEmpty(c->in[position]) ? NULL : input(c, position, count, states, name, array);
}

static tenon_batch_array *described(double *data, size_t count, size_t records, size_t states,
                                    tenon_batch_array *array) {
  told(array, data, count * records * states, count);
  array->state_stride = (ptrdiff_t)(count * records);
  array->record_stride = records > 1 ? (ptrdiff_t)count : 0;
  return array;
}

/* A column for each state. */
static tenon_batch_array *output(const call *c, int position, size_t count, size_t states, tenon_batch_array *array) {
  return described(result(c, position, count, states), count, 1, states, array);
}

/* A column for each record, a page for each state. */
static tenon_batch_array *records_of(const call *c, int position, size_t count, size_t records, size_t states,
                                     tenon_batch_array *array) {
  return described(result_pages(c, position, count, records, states), count, records, states, array);
}

/* The last output is the status of each state, an int32 row. Where some fail, NaN stands for their results, and whoever
 * asked for the statuses gets them instead of an error. */
static int32_t *statuses(const call *c, int position, size_t states) {
  mxArray *made = mxCreateNumericMatrix(1, states, mxINT32_CLASS, mxREAL);
  result_array(c, position, made);
  return mxGetData(made);
}

static void unknown(const tenon_batch_array *array, const int32_t *codes, size_t states) {
  size_t s, i;
  for (s = 0; s < states; ++s) {
    double *numbers_of = (double *)array->data + (ptrdiff_t)s * array->state_stride;
    if (codes[s] >= 0) continue;
    for (i = 0; i < (size_t)array->state_stride; ++i) numbers_of[i] = mxGetNaN();
  }
}

static void done(const call *c, const object *batch, tenon_status code, const int32_t *codes, size_t states,
                 int position) {
  size_t failed = 0, s;
  for (s = 0; s < states; ++s) failed += codes[s] < 0;
  if (code < 0 && (failed == 0 || c->outputs <= position)) fail(code, tenon_batch_message(batch->pointer));
}

/* ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all */

static void sure(const object *batch, tenon_status status) {
  if (status < 0) fail(status, tenon_batch_message(batch->pointer));
}

static void set_anchor(const call *c) {
  const object *batch = batch_of(c);
  const int32_t index = index_of(c, 1, "constraint");
  sure(batch, tenon_batch_set_anchor(batch->pointer, index, numbers(c, 2, 7, "pose"), 7));
}

/* 7 x constraints x states. */
static void set_anchors(const call *c) {
  const object *batch = batch_of(c);
  const mxArray *given = argument(c, 1);
  const size_t count = 7 * batch->constraints, columns = mxGetN(given);
  const size_t states = batch->constraints == 0 ? 1 : columns / batch->constraints;
  tenon_batch_array poses;
  if (mxGetM(given) != 7 || columns != batch->constraints * states) {
    snprintf(message, sizeof message, "poses: 7 x %lu x states are needed", (unsigned long)batch->constraints);
    fail(TENON_WRONG_SIZE, message);
  }
  described((double *)numbers(c, 1, count * states, "poses"), count, 1, states, &poses);
  sure(batch, tenon_batch_set_anchors(batch->pointer, states, &poses));
}

static void anchors(const call *c) {
  const object *batch = batch_of(c);
  const size_t states = count_of(c, 1, "states");
  tenon_batch_array poses;
  described(result_pages(c, 0, 7, batch->constraints, states), 7 * batch->constraints, 1, states, &poses);
  sure(batch, tenon_batch_anchors(batch->pointer, states, &poses));
}

static void anchor_here(const call *c) {
  const object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1));
  tenon_batch_array q;
  int32_t *codes;
  input(c, 1, batch->nq, states, "q", &q);
  codes = statuses(c, 0, states);
  done(c, batch, tenon_batch_anchor_here(batch->pointer, states, &q, codes, states), codes, states, 0);
}

static void set_active(const call *c) {
  const object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1));
  tenon_batch_array active;
  input(c, 1, batch->constraints, states, "active", &active);
  sure(batch, tenon_batch_set_active(batch->pointer, states, &active));
}

/* Damping ratios that are not given are 1. */
static void set_gains(const call *c) {
  const object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1)), count = batch->constraints;
  double one = 1;
  tenon_batch_array frequencies, ratios;
  input(c, 1, count, states, "frequencies", &frequencies);
  if (input_or_none(c, 2, count, states, "damping_ratios", &ratios) == NULL) {
    told(&ratios, &one, 1, count);
    ratios.number_stride = 0;
  }
  sure(batch, tenon_batch_set_gains(batch->pointer, states, &frequencies, &ratios));
}

/* ---- computations */

static void dynamics(const call *c, int forward) {
  object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1)), n = batch->nv;
  tenon_batch_array q, v, third, wrenches, answer;
  tenon_batch_array *w = input_or_none(c, 4, 6 * batch->links, states, "wrenches", &wrenches);
  int32_t *codes;
  tenon_status code;
  input(c, 1, batch->nq, states, "q", &q);
  input(c, 2, n, states, "v", &v);
  input(c, 3, n, states, forward ? "tau" : "a", &third);
  output(c, 0, n, states, &answer);
  codes = statuses(c, 1, states);
  code = (forward ? tenon_batch_forward_dynamics : tenon_batch_inverse_dynamics)(batch->pointer, states, &q, &v, &third,
                                                                                 w, &answer, codes, states);
  unknown(&answer, codes, states);
  done(c, batch, code, codes, states, 1);
}

static void forward_dynamics(const call *c) {
  dynamics(c, 1);
}

static void inverse_dynamics(const call *c) {
  dynamics(c, 0);
}

static void constrained_dynamics(const call *c) {
  object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1)), n = batch->nv;
  tenon_batch_array q, v, tau, wrenches, desired, qdd, lambda;
  tenon_batch_array *w = input_or_none(c, 4, 6 * batch->links, states, "wrenches", &wrenches);
  tenon_batch_array *k = input_or_none(c, 5, batch->m, states, "desired", &desired);
  tenon_solve_options chosen;
  int32_t *codes;
  tenon_status code;
  check(tenon_solve_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, solve_fields, c, 6);
  input(c, 1, batch->nq, states, "q", &q);
  input(c, 2, n, states, "v", &v);
  input(c, 3, n, states, "tau", &tau);
  output(c, 0, n, states, &qdd);
  output(c, 1, batch->m, states, &lambda);
  codes = statuses(c, 2, states);
  code = tenon_batch_constrained_dynamics(batch->pointer, &chosen, states, &q, &v, &tau, w, k, &qdd, &lambda, NULL, 0,
                                          codes, states);
  unknown(&qdd, codes, states);
  unknown(&lambda, codes, states);
  done(c, batch, code, codes, states, 2);
}

static void rollout(const call *c) {
  object *batch = batch_of(c);
  const size_t states = mxGetN(argument(c, 1)), n = batch->nv;
  tenon_batch_array q, v, tau, q_out, v_out;
  tenon_rollout_options chosen;
  tenon_solve_options solve;
  int32_t *codes;
  size_t records;
  tenon_status code;
  check(tenon_rollout_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, rollout_fields, c, 4);
  check(tenon_solve_options_init(&solve, sizeof solve), "options");
  options(&solve, solve_fields, c, 5);
  chosen.solve = &solve;
  if (chosen.steps < 1 || chosen.every < 1) fail(TENON_INVALID_ARGUMENT, "steps and every are 1 or more");
  records = chosen.steps / chosen.every;
  input(c, 1, batch->nq, states, "q", &q);
  input(c, 2, n, states, "v", &v);
  input(c, 3, n, states, "tau", &tau);
  records_of(c, 0, batch->nq, records, states, &q_out);
  records_of(c, 1, n, records, states, &v_out);
  codes = statuses(c, 2, states);
  code = tenon_batch_rollout(batch->pointer, &chosen, states, &q, &v, &tau, NULL, &q_out, &v_out, codes, states);
  unknown(&q_out, codes, states);
  unknown(&v_out, codes, states);
  done(c, batch, code, codes, states, 2);
}

const command batch_commands[] = {
    {"batch_create", create},
    {"batch_sizes", sizes},
    {"batch_set_anchor", set_anchor},
    {"batch_set_anchors", set_anchors},
    {"batch_anchors", anchors},
    {"batch_anchor_here", anchor_here},
    {"batch_set_active", set_active},
    {"batch_set_gains", set_gains},
    {"batch_forward_dynamics", forward_dynamics},
    {"batch_inverse_dynamics", inverse_dynamics},
    {"batch_constrained_dynamics", constrained_dynamics},
    {"batch_rollout", rollout},
    {NULL, NULL},
};
