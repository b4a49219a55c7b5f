/* Commands of workspaces: computations on one state. */
#include <stddef.h>
#include <string.h>

#include "tenon_mex.h"

static char message[1024];

const field solve_fields[] = {
    {"method", WHOLE, offsetof(tenon_solve_options, method), TENON_CONSTANT_METHOD},
    {"max_iterations", WHOLE, offsetof(tenon_solve_options, max_iterations), NO_CONSTANTS},
    {"accelerate", WHOLE, offsetof(tenon_solve_options, accelerate), NO_CONSTANTS},
    {"split_base", WHOLE, offsetof(tenon_solve_options, split_base), TENON_CONSTANT_SPLIT},
    {"absolute_tolerance", REAL, offsetof(tenon_solve_options, absolute_tolerance), NO_CONSTANTS},
    {"relative_tolerance", REAL, offsetof(tenon_solve_options, relative_tolerance), NO_CONSTANTS},
    {"mu", REAL, offsetof(tenon_solve_options, mu), NO_CONSTANTS},
    {"tikhonov", REAL, offsetof(tenon_solve_options, tikhonov), NO_CONSTANTS},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

static const field delassus_fields[] = {
    {"method", WHOLE, offsetof(tenon_delassus_options, method), TENON_CONSTANT_DELASSUS_METHOD},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

static object *work_of(const call *c) {
  return given_object(c, 0, WORKSPACE);
}

static void done(object *work, tenon_status status) {
  work->status = status;
  check(status, status < 0 ? tenon_workspace_message(work->pointer) : "");
}

static tenon_solve_options solve_options(const call *c, int position) {
  tenon_solve_options chosen;
  check(tenon_solve_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, solve_fields, c, position);
  return chosen;
}

/* A column for a result, m x 1 for instance. */
static double *column(const call *c, int position, size_t count) {
  return result(c, position, count, 1);
}

static int32_t leading(size_t rows) {
  return rows > 0 ? (int32_t)rows : 1;
}

static void create(const call *c) {
  const object *model = given_object(c, 0, MODEL);
  tenon_constraints *set = c->inputs > 1 && !mxIsEmpty(c->in[1]) ? given_object(c, 1, CONSTRAINTS)->pointer : NULL;
  tenon_workspace *work = NULL;
  check(tenon_workspace_create(model->pointer, set, NULL, &work, message, sizeof message), message);
  result_number(
      c, 0,
      keep(work, WORKSPACE, (size_t)tenon_workspace_position_count(work), (size_t)tenon_workspace_velocity_count(work),
           (size_t)tenon_workspace_row_count(work), model->links, 0));
}

static void sizes(const call *c) {
  const object *work = work_of(c);
  result_number(c, 0, (double)work->nq);
  result_number(c, 1, (double)work->nv);
  result_number(c, 2, (double)work->m);
}

static void status(const call *c) {
  result_array(c, 0, mxCreateString(tenon_status_string(work_of(c)->status)));
}

static void report(const call *c) {
  static const char *names[] = {"method", "iterations", "rank", "primal_residual", "dual_residual", "mu"};
  object *work = work_of(c);
  tenon_solve_report known;
  mxArray *all = mxCreateStructMatrix(1, 1, 6, names);
  check(tenon_solve_report_init(&known, sizeof known), "report");
  check(tenon_workspace_report(work->pointer, &known), "report");
  mxSetField(all, 0, "method", mxCreateString(tenon_constant_name(TENON_CONSTANT_METHOD, known.method)));
  mxSetField(all, 0, "iterations", mxCreateDoubleScalar(known.iterations));
  mxSetField(all, 0, "rank", mxCreateDoubleScalar(known.rank));
  mxSetField(all, 0, "primal_residual", mxCreateDoubleScalar(known.primal_residual));
  mxSetField(all, 0, "dual_residual", mxCreateDoubleScalar(known.dual_residual));
  mxSetField(all, 0, "mu", mxCreateDoubleScalar(known.mu));
  result_array(c, 0, all);
}

static void set_gravity(const call *c) {
  object *work = work_of(c);
  done(work, tenon_workspace_set_gravity(work->pointer, numbers(c, 1, 3, "gravity"), 3));
}

static void set_active(const call *c) {
  object *work = work_of(c);
  const int32_t index = index_of(c, 1, "constraint");
  done(work, tenon_workspace_set_active(work->pointer, index, number(c, 2, "active") != 0));
}

/* ---- configurations */

static void neutral(const call *c) {
  object *work = work_of(c);
  done(work, tenon_neutral(work->pointer, column(c, 0, work->nq), work->nq));
}

static void random_state(const call *c) {
  object *work = work_of(c);
  const double seed = number(c, 1, "seed");
  if (!(seed >= 0 && seed < 9e15)) fail(TENON_INVALID_ARGUMENT, "seed: a whole number, 0 or more, is needed");
  done(work, tenon_random(work->pointer, (uint64_t)seed, column(c, 0, work->nq), work->nq));
}

static void integrate(const call *c) {
  object *work = work_of(c);
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, work->nv, "v"), dt = number(c, 3, "dt");
  done(work, tenon_integrate(work->pointer, q, work->nq, v, work->nv, dt, column(c, 0, work->nq), work->nq));
}

static void difference(const call *c) {
  object *work = work_of(c);
  const double *from = numbers(c, 1, work->nq, "from"), *to = numbers(c, 2, work->nq, "to");
  done(work, tenon_difference(work->pointer, from, work->nq, to, work->nq, column(c, 0, work->nv), work->nv));
}

/* ---- kinematics */

static void kinematics(const call *c) {
  object *work = work_of(c);
  const double *q = numbers(c, 1, work->nq, "q");
  const double *v = numbers_or_none(c, 2, work->nv, "v"), *a = numbers_or_none(c, 3, work->nv, "a");
  done(work, tenon_kinematics(work->pointer, q, work->nq, v, work->nv, a, work->nv));
}

static void link_pose(const call *c) {
  object *work = work_of(c);
  done(work, tenon_link_pose(work->pointer, index_of(c, 1, "link"), column(c, 0, 7), 7, NULL, 0));
}

static void link_velocity(const call *c) {
  object *work = work_of(c);
  const int32_t link = index_of(c, 1, "link"), axes = constant(c, 2, TENON_CONSTANT_AXES, "axes");
  done(work, tenon_link_velocity(work->pointer, link, axes, column(c, 0, 6), 6));
}

static void jacobian(const call *c) {
  object *work = work_of(c);
  const int32_t link = index_of(c, 1, "link"), axes = constant(c, 2, TENON_CONSTANT_AXES, "axes");
  const double *point = numbers_or_none(c, 3, 3, "point");
  double *J = result(c, 0, 6, work->nv);
  done(work, tenon_point_jacobian(work->pointer, link, point, 3, axes, J, 6 * work->nv, 6));
}

static void energy(const call *c) {
  object *work = work_of(c);
  double *kinetic = result(c, 0, 1, 1), *potential = result(c, 1, 1, 1);
  done(work, tenon_energy(work->pointer, kinetic, potential));
}

/* ---- dynamics */

static void forward_dynamics(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv, forces = 6 * work->links;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v"), *tau = numbers(c, 3, n, "tau");
  const double *wrenches = numbers_or_none(c, 4, forces, "wrenches");
  double *qdd = column(c, 0, n);
  done(work, tenon_forward_dynamics(work->pointer, q, work->nq, v, n, tau, n, wrenches, forces, qdd, n));
}

static void inverse_dynamics(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv, forces = 6 * work->links;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v"), *a = numbers(c, 3, n, "a");
  const double *wrenches = numbers_or_none(c, 4, forces, "wrenches");
  double *tau = column(c, 0, n);
  done(work, tenon_inverse_dynamics(work->pointer, q, work->nq, v, n, a, n, wrenches, forces, tau, n));
}

static void bias(const call *c) {
  object *work = work_of(c);
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, work->nv, "v");
  done(work, tenon_bias(work->pointer, q, work->nq, v, work->nv, NULL, 0, column(c, 0, work->nv), work->nv));
}

static void gravity_force(const call *c) {
  object *work = work_of(c);
  const double *q = numbers(c, 1, work->nq, "q");
  done(work, tenon_gravity_force(work->pointer, q, work->nq, column(c, 0, work->nv), work->nv));
}

static void mass_matrix(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv;
  const double *q = numbers(c, 1, work->nq, "q");
  done(work, tenon_mass_matrix(work->pointer, q, work->nq, result(c, 0, n, n), n * n, leading(n)));
}

/* ---- dynamics with constraints */

static void constrained_dynamics(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv, forces = 6 * work->links;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v"), *tau = numbers(c, 3, n, "tau");
  const double *wrenches = numbers_or_none(c, 4, forces, "wrenches");
  const double *desired = numbers_or_none(c, 5, work->m, "desired");
  tenon_solve_options chosen = solve_options(c, 6);
  double *qdd = column(c, 0, n), *lambda = column(c, 1, work->m);
  done(work, tenon_constrained_dynamics(work->pointer, &chosen, q, work->nq, v, n, tau, n, wrenches, forces, desired,
                                        work->m, qdd, n, lambda, work->m));
}

static void constrained_inverse_dynamics(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v"), *a = numbers(c, 3, n, "a");
  const double *lambda = numbers(c, 4, work->m, "lambda");
  done(work, tenon_constrained_inverse_dynamics(work->pointer, q, work->nq, v, n, a, n, NULL, 0, lambda, work->m,
                                                column(c, 0, n), n));
}

static void constraint_rows(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv, m = work->m;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v");
  double *J = result(c, 0, m, n), *rhs = column(c, 1, m), *error = column(c, 2, m), *velocity = column(c, 3, m);
  done(work, tenon_constraint_rows(work->pointer, q, work->nq, v, n, NULL, 0, J, m * n, leading(m), rhs, m, error, m,
                                   velocity, m));
}

static void delassus(const call *c) {
  object *work = work_of(c);
  const size_t m = work->m;
  const double *q = numbers(c, 1, work->nq, "q");
  tenon_delassus_options chosen;
  check(tenon_delassus_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, delassus_fields, c, 2);
  done(work, tenon_delassus(work->pointer, &chosen, q, work->nq, result(c, 0, m, m), m * m, leading(m)));
}

/* The next q and v: Octave's arrays never change in place. */
static void step(const call *c) {
  object *work = work_of(c);
  const size_t n = work->nv;
  const double *q = numbers(c, 1, work->nq, "q"), *v = numbers(c, 2, n, "v"), *tau = numbers(c, 3, n, "tau");
  const double dt = number(c, 4, "dt");
  const int32_t integrator = constant(c, 5, TENON_CONSTANT_INTEGRATOR, "integrator");
  tenon_solve_options chosen = solve_options(c, 6);
  double *next = column(c, 0, work->nq), *speed = column(c, 1, n);
  memcpy(next, q, work->nq * sizeof *q);
  memcpy(speed, v, n * sizeof *v);
  if (integrator == TENON_INTEGRATOR_RUNGE_KUTTA_4) {
    done(work, tenon_step_runge_kutta_4(work->pointer, &chosen, dt, next, work->nq, speed, n, tau, n, NULL, 0, NULL, 0,
                                        NULL, 0));
  } else {
    done(work, tenon_step_semi_implicit_euler(work->pointer, &chosen, dt, next, work->nq, speed, n, tau, n, NULL, 0,
                                              NULL, 0, NULL, 0));
  }
}

const command workspace_commands[] = {
    {"workspace_create", create},
    {"sizes", sizes},
    {"status", status},
    {"report", report},
    {"set_gravity", set_gravity},
    {"set_active", set_active},
    {"neutral", neutral},
    {"random", random_state},
    {"integrate", integrate},
    {"difference", difference},
    {"kinematics", kinematics},
    {"link_pose", link_pose},
    {"link_velocity", link_velocity},
    {"jacobian", jacobian},
    {"energy", energy},
    {"forward_dynamics", forward_dynamics},
    {"inverse_dynamics", inverse_dynamics},
    {"bias", bias},
    {"gravity_force", gravity_force},
    {"mass_matrix", mass_matrix},
    {"constrained_dynamics", constrained_dynamics},
    {"constrained_inverse_dynamics", constrained_inverse_dynamics},
    {"constraint_rows", constraint_rows},
    {"delassus", delassus},
    {"step", step},
    {NULL, NULL},
};
