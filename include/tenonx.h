/* clang-format off */
/* tenonx.h: the experimental part of Tenon, installed beside tenon.h. Its names begin with tenonx_ and TENONX_, and
 * they may change or go in any minor version: what tenon.h promises does not hold for them. Conventions, calling rules
 * and the form of the blocks are those of tenon.h.
 *
 * Here are the counts of operations, algorithms written as C code, and the methods for loops that others are compared
 * with. What proves itself moves to tenon.h. */
#ifndef TENONX_H
#define TENONX_H

#include "tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Methods for loops, for comparison -------------------------------------------------------------------------- */

/* How embedded loops are kept closed in the two calls below; all but the last two agree. */
#define TENONX_LOOP_METHOD_AUTOMATIC 0
#define TENONX_LOOP_METHOD_PROJECTION 1    /* (G^T M G)^-1 on the spanning tree */
#define TENONX_LOOP_METHOD_MULTIPLIERS 2   /* [M K^T; K 0] by pseudo-inverse */
#define TENONX_LOOP_METHOD_APPROXIMATE 3   /* dependent joints held still, their inertia as armature */
#define TENONX_LOOP_METHOD_UNCONSTRAINED 4 /* the independent joints alone */

/* Their names, as tenon_constant_count, _name and _from_name have those of tenon.h. *value: that of the name. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_NOT_FOUND. Cost: O(1). */
TENON_API int32_t tenonx_loop_method_count(void);
TENON_API const char *tenonx_loop_method_name(int32_t value);
TENON_API tenon_status tenonx_loop_method_from_name(const char *name, int32_t *value);

/* Forward dynamics of the mechanism by one method for its loops. Arguments as tenon_forward_dynamics. Allocates: at the
 * first call. Status: as tenon_forward_dynamics; multipliers also TENON_INFEASIBLE (qdd written). Cost: O(nv^2 ny),
 * multipliers O((nv + rows)^3). */
TENON_API tenon_status tenonx_loop_forward_dynamics(
    tenon_workspace *workspace, int32_t loop_method, const double *q, size_t q_count, const double *v, size_t v_count,
    const double *tau, size_t tau_count, const double *wrenches, size_t wrenches_count, double *qdd, size_t qdd_count);
/* tau_y that makes the independent coordinates accelerate by yddot: G^T ID(q, v, G yddot + g), or an approximation.
 * q: nq. v: nv. yddot: ny. wrenches: as tenon_inverse_dynamics. tau_y: ny, written. Allocates, Threads: as there.
 * Status: as tenon_inverse_dynamics (TENON_INVALID_ARGUMENT also for multipliers), and TENON_SINGULAR_CONFIGURATION.
 * Cost: as there. */
TENON_API tenon_status tenonx_loop_inverse_dynamics(tenon_workspace *workspace, int32_t loop_method, const double *q,
                                                    size_t q_count, const double *v, size_t v_count,
                                                    const double *yddot, size_t yddot_count, const double *wrenches,
                                                    size_t wrenches_count, double *tau_y, size_t tau_y_count);

/* ---- Counts of operations, and algorithms as C code ------------------------------------------------------------- */

/* An algorithm runs once on numbers that record what is done with them. What the model and the constraint set make
 * constant (masses, lengths, gravity, penalties) is folded, equal terms are shared, and what no output depends on is
 * dropped: the operations that are left depend on the robot and the contacts alone, not on machine or compiler.
 * Branches on values are taken as a random state takes them. Proximal methods run a fixed number of plain iterations
 * from lambda = 0, as in [CABA]; mu is taken relative to each row's typical Delassus diagonal. */

/* tenonx_traceable_traits, bits. */
#define TENONX_TRAIT_CONSTRAINED 1 /* needs constraint rows */
#define TENONX_TRAIT_FIXED_PATH 2  /* the same operations in every state: tenonx_generate_c can write it */
#define TENONX_TRAIT_LOOPS 4       /* takes models with kinematic loops */
#define TENONX_TRAIT_FOR_LOOPS 8   /* made for them: on a tree it does what another one does there */

/* How many algorithms can be recorded; the name of number `algorithm`, "rnea", "constrained_aba", ... ("unknown" for
 * other numbers), and back; one line about it ("" for other numbers); its TENONX_TRAIT_* bits (TENON_OUT_OF_RANGE,
 * negative, for other numbers). Texts are static. Numbers may change with the version, names do not.
 * *algorithm: that of the name; untouched where there is none. Status (of _from_name): TENON_OK,
 * TENON_INVALID_ARGUMENT (NULL), TENON_NOT_FOUND. Cost: O(1). */
TENON_API int32_t tenonx_traceable_count(void);
TENON_API const char *tenonx_traceable_name(int32_t algorithm);
TENON_API tenon_status tenonx_traceable_from_name(const char *name, int32_t *algorithm);
TENON_API const char *tenonx_traceable_summary(int32_t algorithm);
TENON_API int32_t tenonx_traceable_traits(int32_t algorithm);

/* How an algorithm is recorded. */
typedef struct tenonx_trace_options {
  uint32_t struct_size;
  int32_t iterations;         /* of proximal methods, 1 to 1000; default 3 */
  double mu;                  /* their proximal parameter over a row's typical Delassus diagonal; default 0:
                                 Tenon's choice, 1e6 */
  const char *function_name;  /* tenonx_generate_c: a C identifier, no word of C or C++, and no name of <math.h> or
                                 <string.h>; NULL: made of the names of robot and algorithm */
  int32_t lanes;              /* tenonx_generate_c: states that a call of the function computes side by side, 1, 2, 4, 8
                                 or 16. With more than one, number i of state l is at [lanes * i + l] of every array,
                                 and the text needs the vector types of gcc and clang. Default 1 */
  int32_t derivatives;        /* tenonx_generate_c: 1 for the derivatives of all outputs by all inputs too. Default 0 */
  int32_t hessian;            /* tenonx_generate_c: 1 for these, the gradient of a weighted sum of all outputs, and its
                                 derivatives. Default 0 */
  int32_t reserved;           /* 0 */
} tenonx_trace_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenonx_trace_options_init(tenonx_trace_options *options, size_t size);

/* What an algorithm does. A change of sign is no operation. */
typedef struct tenonx_operation_counts {
  uint32_t struct_size;
  int32_t reserved;         /* 0 */
  int64_t additions;        /* and subtractions */
  int64_t multiplications;
  int64_t divisions;
  int64_t square_roots;
  int64_t sines;
  int64_t cosines;
  int64_t arctangents;
  int64_t total;
} tenonx_operation_counts;

/* Prepares counts for tenonx_count_operations; sizes as in tenon_model_options_init. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE. Cost: O(1). */
TENON_API tenon_status tenonx_operation_counts_init(tenonx_operation_counts *counts, size_t size);

/* Counts the operations of one algorithm on a robot. Without external wrenches. With kinematic loops (algorithms with
 * TENONX_TRAIT_LOOPS) what it takes to follow the loops is counted; where a split of loops chooses pivots by values,
 * those at a closed configuration. Loops that constraint rows close (TENON_LOOP_TREATMENT_ROWS) are recorded with the
 * rows, as in a workspace; forward dynamics without rows ("aba", "c_aba", ...) refuses such a robot.
 * constraints: finished; NULL for none, or for the rows of loops alone. algorithm: a name as tenonx_traceable_name
 * spells it. options: NULL for the defaults. counts: prepared by its _init; written on TENON_OK only. Allocates:
 * nothing that stays; while it runs, some 50 bytes for every operation. Status: TENON_OK, TENON_INVALID_ARGUMENT (also:
 * no rows where they are needed), TENON_WRONG_SIZE, TENON_NOT_FOUND (no such algorithm; the message lists them),
 * TENON_UNSUPPORTED (rows on a link that is part of the world; rows between two moving links, where the algorithm takes
 * none: the message names those that do; loops by rows, where the algorithm has no rows; embedded loops, where the
 * algorithm is for trees or a loop is a callback), TENON_SINGULAR_CONFIGURATION (loops that can be closed nowhere
 * else), TENON_OUT_OF_MEMORY. Cost: in proportion to the number counted, about 1e7 operations a second. */
TENON_API tenon_status tenonx_count_operations(const tenon_model *model, const tenon_constraints *constraints,
                                               const char *algorithm, const tenonx_trace_options *options,
                                               tenonx_operation_counts *counts, char *message, size_t message_size);

/* Writes one algorithm for one robot as a C99 function: straight-line code that needs <math.h> and nothing else, and
 * neither allocates nor branches. Its head comment names inputs, outputs, sizes, units, joints and rows; arguments are
 * the inputs, then the outputs, as `const double *` and `double *`. It does not check: where the library would answer
 * TENON_NOT_POSITIVE_DEFINITE its results are not finite. Proximal methods lack the refinement of the library's last
 * iteration and leave about 1e-9 of qdd.
 * With derivatives there are two functions more. The name and _jac takes the inputs, then an array for each output
 * and input, outputs outside, and writes the entries of the Jacobian that are not zero in every state, column by
 * column. The name, _jac and _sparsity, of number i of these arrays, tells where its entries stand: rows, columns, the
 * first entry of each column, the number of all entries, the row of each, as `long long int` (or what the macro
 * casadi_int says). Derivatives by q are by its entries, not by tangents as those of tenon.h, since a caller moves
 * entries: of the function as it is written, which takes any four numbers for a quaternion. With kinematic loops all
 * joints count as free.
 * With a Hessian there are three functions more, for methods that need the second derivatives of a Lagrangian. The name
 * and _adj takes the inputs, then weights of the outputs (adj_X for output X), then an array adj_Y for each input Y. It
 * writes the derivatives of f = sum adj_X . X by the inputs (reverse mode: some four times the operations of the
 * function). The name, _adj_jac and _adj_jac_sparsity are to it what _jac and _jac_sparsity are to the function: they
 * write d^2 f / dY dZ (jac_adj_Y_Z) with both triangles, and the transposed Jacobians (jac_adj_Y_adj_X).
 * constraints, algorithm, options: as tenonx_count_operations. text: text_size bytes, cut to fit and ended by NUL; NULL
 * to ask the size only. *needed: bytes of the whole text with its NUL; NULL: not wanted.
 * Allocates: nothing that stays. Threads: any.
 * Status: as tenonx_count_operations (TENON_OK also where the text is cut: compare *needed); TENON_UNSUPPORTED also for
 * algorithms without TENONX_TRAIT_FIXED_PATH, for constraints with a stabilisation frequency, and for loops that are
 * split by pivots (more than two dependent coordinates or redundant rows in a cluster; gears and belts never are);
 * TENON_NOT_POSITIVE_DEFINITE where a pivot is zero whatever the state. Cost: as
 * tenonx_count_operations; with derivatives more, 0.25 s for forward dynamics of a quadruped, with a Hessian 3 s. */
TENON_API tenon_status tenonx_generate_c(const tenon_model *model, const tenon_constraints *constraints,
                                         const char *algorithm, const tenonx_trace_options *options, char *text,
                                         size_t text_size, size_t *needed, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif /* TENONX_H */
