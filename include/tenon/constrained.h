/* clang-format off */
/* tenon/constrained.h, a part of tenon.h, which is the manual. Dynamics with constraints: motion and forces,
 * impacts. */
#ifndef TENON_CONSTRAINED_H
#define TENON_CONSTRAINED_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Dynamics with constraints ---------------------------------------------------------------------------------- */

/* tenon_solve_options.method */
#define TENON_METHOD_AUTOMATIC 0       /* the fastest on the model and constraint set by a cost model, of
                                                     those that answer every problem: dependent, contradictory and
                                                     soft rows. With mu set or accelerate 0 the fastest that
                                                     iterates; with tikhonov, pv. The report tells which */
#define TENON_METHOD_DENSE 1           /* no iteration: rows factored with column pivots.
                                                     O(n d^2 + n m r), r the rank of the rows. [CABA] Eq. 8 */
#define TENON_METHOD_CONSTRAINED_ABA 2 /* O(n + m) an iteration. [CABA] Alg. 1 to 3 */
#define TENON_METHOD_PROX_LTL 3        /* O(n d^2 + m^2 d + m d^2 + m^3). [CABA] II-C1 */
#define TENON_METHOD_PROX_LTLS 4       /* O(n d^2 + m d). [CABA] II-C2, II-E */
#define TENON_METHOD_PV 5              /* O(n + m^2 d + m^3). [CABA] II-F */
#define TENON_METHOD_PROX_PV 6         /* O(n + m^2 d + m^3). [CABA] Alg. 4 */
#define TENON_METHOD_PV_SOFT 7         /* O(n + m). [CABA] VII-A */
#define TENON_METHOD_PV_EARLY 8        /* O(n + m). [CABA] VII-B */
#define TENON_METHOD_LTL 9             /* no iteration: PROX_LTL without its proximal term, for independent rows.
                                                     O(n d^2 + m^2 d + m d^2 + m^3). [CABA] Eq. 11 */

/* tenon_solve_options.split_base */
#define TENON_SPLIT_AUTOMATIC 0 /* where it saves time: with many rows */
#define TENON_SPLIT_ALWAYS 1    /* where several branches of one root body carry rows */
#define TENON_SPLIT_NEVER 2

/* What each method takes, of tenon_constrained_dynamics and the steps, of tenon_delassus, and of tenon_delassus_inverse
 * and _factor; what it does not is TENON_UNSUPPORTED. Two links: rows between two links that move, as those of a
 * closure. Loops: embedded ones; both: rows between two moving links of a robot with embedded loops. By rows: loops
 * with TENON_LOOP_TREATMENT_ROWS. Dependent: rows that depend on each other; (yes): lambda is shared out between them
 * as soft rows would share it. Compliance: of rows, which is no part of the Delassus matrix itself.
 *
 *     method                     two links  loops  both  by rows  dependent  compliance  tikhonov
 *     automatic                  yes        yes    yes   yes      yes        yes         yes
 *     dense                      yes        yes    yes   yes      yes        yes         no
 *     constrained_aba            no         yes    no    no       yes        yes         no
 *     prox_ltl                   yes        yes    yes   yes      yes        yes         no
 *     prox_ltls                  yes        yes    no    yes      yes        yes         no
 *     pv                         yes        yes    yes   yes      yes        yes         yes
 *     prox_pv                    yes        yes    yes   yes      yes        yes         no
 *     pv_soft                    no         yes    no    no       yes        yes         no
 *     pv_early                   no         yes    no    no       yes        yes         no
 *     ltl                        yes        yes    yes   yes      yes        yes         no
 *     Delassus automatic         yes        yes    yes   yes      yes        -           -
 *     Delassus dense             yes        yes    yes   yes      yes        -           -
 *     Delassus ltl_osim          yes        yes    yes   yes      yes        -           -
 *     Delassus kjr               no         yes    no    no       yes        -           -
 *     Delassus efpa              no         yes    no    no       yes        -           -
 *     Delassus pv_osim           no         yes    no    no       yes        -           -
 *     Delassus pv_osimr          no         yes    no    no       yes        -           -
 *     damped automatic           yes        yes    yes   yes      yes        yes         -
 *     damped dense               yes        yes    yes   yes      yes        yes         -
 *     damped ltl_inverse         yes        yes    yes   yes      yes        yes         -
 *     damped ltl_cholesky        yes        yes    yes   yes      yes        yes         -
 *     damped pv_osimr            no         yes    no    no       yes        yes         -
 *     damped pv_osimf            no         yes    no    no       yes        yes         -
 *     damped caba_osim           no         yes    no    no       yes        yes         -
 *     damped caba_osimf          no         yes    no    no       yes        yes         - */

/* Rank and scale of rows: what every method, the products of the Delassus matrix and the projections mean by rows
 * that nothing moves, that depend on each other or that contradict.
 *   With M = L L^T, a row of J L^-T and the root of its compliance have a length, sqrt((J M^-1 J^T + R)_rr). Its
 * typical length is fixed when the set is finished: the geometric mean of sqrt((J M^-1 J^T)_rr) over the neutral and
 * three seeded configurations. Where in all four each joint on the row's path moves it by less than 1e-6 of what it
 * could with a lever arm as long as the robot's reach, nothing moves the row, and its typical length is the one that
 * all joints together could give it.
 * A row is measured in units of the larger of its length and its typical length. So metres, radians, masses, the size
 * of the robot and its place in the world do not matter.
 *   Of the matrix of rows so scaled, singular values up to 1e-6 times the largest (or times 1, where all are smaller)
 * are zero: those rows depend on others, or nothing moves them. What no force can reach of the right-hand sides, with
 * the least sum of weight * residual^2, is their contradiction: where it is more than rounding, TENON_INFEASIBLE.
 *   Near this border methods may find another rank and so another status. Close to it an answer is known to fewer
 * digits: a residual of 1e-11 moves joints by 1e-11 over the smallest singular value that counts.
 *
 * How constrained dynamics is solved. A row has converged when its residual is below absolute_tolerance +
 * relative_tolerance * unit, the unit of a row being the largest acceleration that any row asks for or sees, or less
 * where the row is harder to move than that one: the largest of (acceleration / typical length) times its own.
 *   Iterations that stall above that are not believed. The rows then go to TENON_METHOD_CONSTRAINED_ABA where that is
 * much cheaper, and at last to TENON_METHOD_DENSE, which does not iterate; the report says so: with every method but
 * TENON_METHOD_PV_SOFT and whatever the options. */
typedef struct tenon_solve_options {
  uint32_t struct_size;
  int32_t method;             /* TENON_METHOD_*; default TENON_METHOD_AUTOMATIC */
  int32_t max_iterations;     /* 0: as many as help, then TENON_METHOD_DENSE, so that TENON_MAX_ITERATIONS does not
                                 occur; 1 or more: a limit, after which the answer so far is written. Default 0 */
  int32_t warm_start;         /* 1: start from the lambda handed in; default 0 */
  int32_t accelerate;         /* 1: combine sweeps to the smallest residual; 0: plain proximal iterations as in the
                                 papers; default 1 */
  int32_t split_base;         /* TENON_SPLIT_*, TENON_METHOD_PV and TENON_METHOD_PROX_PV only: factor the rows of each
                                 branch of the root body by themselves; default TENON_SPLIT_AUTOMATIC */
  double absolute_tolerance;  /* > 0; default 1e-12 */
  double relative_tolerance;  /* >= 0; default 1e-11 */
  double mu;                  /* proximal parameter; 0: Tenon's choice, raised as iterations go on; else fixed on every
                                 row, up to 1e10 over (typical length)^2, beyond which it would only cost digits.
                                 Default 0 */
  double tikhonov;            /* >= 0; for TENON_METHOD_PV, which AUTOMATIC then takes: compliance added to every row,
                                 so that dependent rows can be solved directly, and never exactly; default 0: they are
                                 solved by iterations */
} tenon_solve_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_solve_options_init(tenon_solve_options *options, size_t size);

/* Motion and constraint forces, [CABA] Eq. 8:
 *
 *     M qdd + c = tau + J^T lambda + external,    J qdd + gamma + R lambda = k
 *
 * k is desired plus stabilisation. Redundant rows: qdd is unique, lambda is one of its splits. Contradictory rows: the
 * qdd of least sum of weight * residual^2, and TENON_INFEASIBLE. With no constraints it is forward dynamics.
 * options: NULL for the defaults. q: nq. v, tau: nv. wrenches: 6 x links, as tenon_inverse_dynamics; NULL: none.
 * desired: m, desired accelerations of the rows; NULL: zero. qdd: nv, written. lambda: m, written; read first if
 * options->warm_start; NULL: not wanted (then no warm start). Allocates: nothing with TENON_METHOD_AUTOMATIC (of large
 * robots, tenon_workspace_create, at the first call whose rows need TENON_METHOD_DENSE); with another method, or with
 * tikhonov, at the first call with it. Status: TENON_OK; TENON_MAX_ITERATIONS, TENON_INFEASIBLE (answers written);
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE,
 * TENON_SINGULAR_CONFIGURATION (embedded loops), TENON_UNSUPPORTED (a method that this version lacks, or that does not
 * take these rows or loops). Cost: of the method, see TENON_METHOD_*. */
TENON_API tenon_status tenon_constrained_dynamics(
    tenon_workspace *workspace, const tenon_solve_options *options, const double *q, size_t q_count, const double *v,
    size_t v_count, const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count,
    const double *desired, size_t desired_count, double *qdd, size_t qdd_count, double *lambda, size_t lambda_count);

/* Inverse dynamics with constraint forces: the tau that makes the robot accelerate by a while the constraints push with
 * lambda, as a controller that has chosen both needs it,
 *
 *     tau = M a + c - J^T lambda - external
 *
 * It undoes tenon_constrained_dynamics: with the qdd and lambda of that call it gives its tau. Whether a keeps the
 * constraints, and lambda can be had from them, is not looked at; on coordinates without a motor, those of a floating
 * base for instance, tau is what lambda leaves unbalanced there (tenon_underactuated_inverse_dynamics finds lambda).
 * q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. lambda: m; NULL: zero. tau: nv, written. Status: as
 * tenon_inverse_dynamics. Cost: O(n + m). */
TENON_API tenon_status tenon_constrained_inverse_dynamics(
    tenon_workspace *workspace, const double *q, size_t q_count, const double *v, size_t v_count, const double *a,
    size_t a_count, const double *wrenches, size_t wrenches_count, const double *lambda, size_t lambda_count,
    double *tau, size_t tau_count);

/* Motors and constraint forces for a wanted motion of a robot some of whose coordinates have no motor, as those of a
 * floating base: the inverse dynamics of legged robots, or what holds them still on their feet,
 *
 *     M a + c = tau + J^T lambda + external,    tau = 0 on coordinates without motor
 *
 * lambda is the one of least sum of lambda^2 / weight that does so (tenon_constraint_options.weights); of least sum of
 * (lambda * typical length)^2, where rows depend on each other nearly but not to rounding. Forces may pull as well as
 * push, and slide: limits and friction are for the caller to check. a should keep the constraints. Where no forces of
 * the rows move the coordinates without motor as wanted, what is missing there is made least in the metric of their
 * mass matrix, tau is still 0 there, and the status TENON_INFEASIBLE.
 * actuated: nv, 1 for a coordinate with motor and 0 for one without; NULL: all have one but those of a floating base.
 * q: nq. v, a: nv. wrenches: as tenon_inverse_dynamics. lambda: m, written; may be NULL. tau: nv, written. Allocates:
 * at the first call. Status: TENON_OK, TENON_INFEASIBLE, or as tenon_inverse_dynamics; TENON_INVALID_ARGUMENT also for
 * actuated; TENON_NOT_POSITIVE_DEFINITE; TENON_UNSUPPORTED (rows with compliance, whose forces follow from the motion;
 * embedded loops in spanning coordinates, where the forces in the loops are unknown too). Cost: O(n^2 + m n + m f^2 +
 * f^3) for f coordinates without motor. */
TENON_API tenon_status tenon_underactuated_inverse_dynamics(
    tenon_workspace *workspace, const int32_t *actuated, size_t actuated_count, const double *q, size_t q_count,
    const double *v, size_t v_count, const double *a, size_t a_count, const double *wrenches, size_t wrenches_count,
    double *lambda, size_t lambda_count, double *tau, size_t tau_count);

/* Impact on the constraints: the velocities after all rows are hit at once, by Newton's law of restitution,
 *
 *     M (v+ - v) = J^T impulse,    J v+ + R impulse = - restitution J v
 *
 * With restitution 0 it is tenon_project_velocities. Rows hold in both directions: the caller chooses the set of those
 * that are hit. Redundant rows: v+ is unique, impulse is one of its splits. Rows that depend on each other and ask for
 * different rebounds, or rows that nothing moves: the least sum of weight * residual^2, and TENON_INFEASIBLE. Energy is
 * kept by restitution 1 on rigid rows. Where the model has loops, v must keep them closed, and goes on to. restitution:
 * m or 1 (for all rows), from 0 to 1; NULL: 0. q: nq. v: nv, read and written. impulse: m, N s or N m s, written; may
 * be NULL. The report tells how it was solved: as tenon_constrained_dynamics by TENON_METHOD_AUTOMATIC. Allocates: as
 * that. Status: as tenon_project_velocities; TENON_INVALID_ARGUMENT also for restitution. Cost: of
 * tenon_constrained_dynamics, and O(n + m). */
TENON_API tenon_status tenon_impact(tenon_workspace *workspace, const double *restitution, size_t restitution_count,
                                    const double *q, size_t q_count, double *v, size_t v_count, double *impulse,
                                    size_t impulse_count);

/* How the last constrained solve of a workspace went. */
typedef struct tenon_solve_report {
  uint32_t struct_size;
  int32_t iterations;      /* sweeps after which a residual was looked at */
  int32_t rank;            /* of the constraint rows, where the method finds it; else -1 */
  int32_t method;          /* TENON_METHOD_* that gave the answer: what TENON_METHOD_AUTOMATIC chose, or what the
                              method asked for handed over to (pv its dependent rows to prox_pv, ltl to prox_ltl,
                              pv_early more rows on a link than it takes to constrained_aba, all where they stall to
                              dense); 0 before the first solve */
  double primal_residual;  /* largest |J qdd + gamma - k + R lambda| of a row, m/s^2 or rad/s^2 */
  double dual_residual;    /* largest |Lambda^-1 residual|, small at a least-squares answer. [CABA] Eq. 15 */
  double mu;               /* the last one used; relative to each row's Delassus diagonal where scheduled */
} tenon_solve_report;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_solve_report_init(tenon_solve_report *report, size_t size);

/* Fills report, prepared by its _init, with the last constrained solve of the workspace (of a step: of its last stage).
 * Of a smaller struct only its bytes are written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE
 * (struct_size). Cost: O(1). */
TENON_API tenon_status tenon_workspace_report(const tenon_workspace *workspace, tenon_solve_report *report);

/* The constraint rows at a state: J, the right-hand side with J qdd = rhs (desired and stabilisation included, the
 * velocity part gamma taken off), position errors against the anchors, and velocities J v.
 * q: nq. v: nv. desired: m, or NULL for zero. J: m x nv, column-major, leading dimension ldj >= m, or NULL. rhs,
 * position_error, row_velocity: m each, or NULL. Position errors: of linear rows the displacement, of angular rows the
 * rotation vector from the anchor (angle times axis, the angle from 0 to pi), along the row's axes; of custom rows 0.
 * Status: as tenon_inverse_dynamics. Cost: O(n + m n). */
TENON_API tenon_status tenon_constraint_rows(
    tenon_workspace *workspace, const double *q, size_t q_count, const double *v, size_t v_count, const double *desired,
    size_t desired_count, double *J, size_t J_count, int32_t ldj, double *rhs, size_t rhs_count, double *position_error,
    size_t position_error_count, double *row_velocity, size_t row_velocity_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_CONSTRAINED_H */
