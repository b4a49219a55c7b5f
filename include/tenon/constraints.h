/* clang-format off */
/* tenon/constraints.h, a part of tenon.h, which is the manual. Constraint sets: points, welds, rows and closures held
 * on links. */
#ifndef TENON_CONSTRAINTS_H
#define TENON_CONSTRAINTS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constraints ------------------------------------------------------------------------------------------------ */

/* tenon_constraint_options.rows, bits. Bits 0 to 5 are [angular x y z; linear x y z]. */
#define TENON_ROWS_ANGULAR 0x07u
#define TENON_ROWS_LINEAR 0x38u
#define TENON_ROWS_ALL 0x3fu
#define TENON_ROWS_HINGE 0x3bu /* all but the rotation about z */

/* What a point, a weld or rows have in common. Where a position is held (frequency > 0) the desired acceleration of a
 * row is the given one plus  -2 damping_ratio frequency (row velocity) - frequency^2 (row error)  (Baumgarte), the
 * error against the anchor in the workspace; with frequency 0 it is the given one alone. */
typedef struct tenon_constraint_options {
  uint32_t struct_size;
  int32_t axes;             /* TENON_AXES_*: rows along axes of the constrained frame, or of the world; default LINK */
  uint32_t rows;            /* bits of TENON_ROWS_*: which are held; a point has the linear three; default ALL */
  int32_t reserved;         /* 0 */
  const char *name;         /* for messages and look-up; copied; NULL: none */
  double frequency;         /* rad/s, >= 0; default 0: no stabilisation */
  double damping_ratio;     /* >= 0; default 1: critically damped */
  const double *weights;    /* one a held row, > 0; copied; NULL: all 1. Where rows contradict, the sum of weight *
                               residual^2 is minimised */
  size_t weights_count;
  const double *compliance; /* R, one a held row, >= 0; copied; NULL: all 0 (rigid). The row becomes
                               (J M^-1 J^T + R) lambda = k - J a_free. [CABA] Remark 2 */
  size_t compliance_count;
} tenon_constraint_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_constraint_options_init(tenon_constraint_options *options, size_t size);

/* Starts an empty constraint set for a model, which it keeps alive.
 * *constraints: the new set; set to NULL on failure. Allocates: the set. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_OUT_OF_MEMORY. Cost: O(1). */
TENON_API tenon_status tenon_constraints_create(const tenon_model *model, tenon_constraints **constraints,
                                                char *message, size_t message_size);

/* Gives the caller's hold on a constraint set back; workspaces made from it stay good. NULL: does nothing. Threads:
 * any; the handle must not be in use elsewhere. Cost: O(m). */
TENON_API void tenon_constraints_destroy(tenon_constraints *constraints);

/* Holds a point of a link: rows [x y z] of the classical acceleration of the point. Several constraints may sit on one
 * link and on links above and below each other, redundant ones too.
 * link: index. point: 3, m, link frame; NULL: the link's origin. options: NULL for the defaults; options->rows may
 * leave out some of the linear bits. *index: of the constraint; may be NULL. Allocates: memory of the set. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (NULL, no row, bad gains, a set already finished), TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_OUT_OF_RANGE (link), TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY. Cost: O(1). */
TENON_API tenon_status tenon_constraints_add_point(tenon_constraints *constraints, int32_t link, const double *point,
                                                   size_t point_count, const tenon_constraint_options *options,
                                                   int32_t *index, char *message, size_t message_size);

/* Welds a frame of a link, or holds any subset of its rows [angular acceleration; classical acceleration of the frame
 * origin]: options->rows picks, for instance TENON_ROWS_ANGULAR keeps an orientation only.
 * link: index. pose: 7, of the constrained frame in the link; NULL: the link's frame. Others as
 * tenon_constraints_add_point. Allocates: memory of the set. Status: as tenon_constraints_add_point, and
 * TENON_NOT_NORMALIZED (pose). Cost: O(1). */
TENON_API tenon_status tenon_constraints_add_weld(tenon_constraints *constraints, int32_t link, const double *pose,
                                                  size_t pose_count, const tenon_constraint_options *options,
                                                  int32_t *index, char *message, size_t message_size);

/* Holds K a = k, with a the spatial acceleration of the link in its frame at its origin ([RBDA] 2.10: its linear part
 * is not the classical acceleration of the origin). Such rows have no position error: frequency damps their velocity
 * only. options->rows and ->axes are not looked at.
 * K: row_count x 6, columns [angular; linear], column-major with leading dimension ldk. row_count: 1 or more. Others as
 * tenon_constraints_add_point. Allocates: memory of the set. Status: as tenon_constraints_add_point. Cost:
 * O(row_count). */
TENON_API tenon_status tenon_constraints_add_rows(
    tenon_constraints *constraints, int32_t link, int32_t row_count, const double *K, size_t K_count, int32_t ldk,
    const tenon_constraint_options *options, int32_t *index, char *message, size_t message_size);

/* Closes a loop: keeps a frame 1 of one link together with a frame 2 of a second link, anywhere in the tree. Along the
 * axes of frame 1 its rows have the position error [rotation vector of R1 R2^T; x1 - x2], the velocity [w1 - w2; d/dt
 * (x1 - x2) as link 1 sees it], and as acceleration the derivative of that, exact also where the loop is open.
 * options->rows: TENON_ROWS_LINEAR makes a ball joint of it, TENON_ROWS_HINGE a hinge about the z axes (any angle),
 * TENON_ROWS_ALL a weld; with two angular rows the angular error is the rotation between the third axes. Angles go up
 * to pi: a frame turned over has that error, about one of the axes that lead back. Rows of lambda are forces on link 1
 * at the origin of frame 2 along the axes of frame 1, and the opposite on link 2. Redundant rows are an ordinary case:
 * a planar loop may be closed by 3 or 5 rows. Bring q and v onto closed loops by tenon_project_positions and
 * tenon_project_velocities; options->frequency holds them there. No anchor belongs to it. Not for
 * TENON_METHOD_CONSTRAINED_ABA, _PV_SOFT and _PV_EARLY where both links move: TENON_UNSUPPORTED.
 * link, second_link: indices, one of them TENON_WORLD for a frame of the world. pose, second_pose: 7, of frame 1 and 2
 * in their links; NULL: the link's frame. options->axes: TENON_AXES_LINK. Others as tenon_constraints_add_point.
 * Allocates: memory of the set. Status: as tenon_constraints_add_weld, and TENON_INVALID_ARGUMENT (the same link
 * twice), TENON_UNSUPPORTED (axes of the world). Cost: O(1). */
TENON_API tenon_status tenon_constraints_add_closure(tenon_constraints *constraints, int32_t link, const double *pose,
                                                     size_t pose_count, int32_t second_link, const double *second_pose,
                                                     size_t second_pose_count, const tenon_constraint_options *options,
                                                     int32_t *index, char *message, size_t message_size);

/* Checks the set, orders its rows along the tree and makes it immutable; a workspace takes finished sets only. After a
 * failure the set is as before. Allocates: memory of the set. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, finished
 * already), TENON_OUT_OF_MEMORY; the message names index and name of the constraint. Cost: O(n + m d). */
TENON_API tenon_status tenon_constraints_finish(tenon_constraints *constraints, char *message, size_t message_size);

/* Constraints of a set; rows of a finished set (m). A finished set also counts the loops of the model that rows close
 * (TENON_LOOP_TREATMENT_ROWS): they follow the constraints that were added, in the order of the model, and so do their
 * rows. Return the number, or TENON_INVALID_ARGUMENT (negative) for NULL and, for the rows, for a set that is not
 * finished. Cost: O(1). */
TENON_API int32_t tenon_constraints_constraint_count(const tenon_constraints *constraints);
TENON_API int32_t tenon_constraints_row_count(const tenon_constraints *constraints);

/* Index of the constraint of a name given in its options; in a finished set also of a loop by rows. Of constraints of
 * one name, the first.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_NOT_FOUND. Cost: O(m). */
TENON_API tenon_status tenon_constraints_find_constraint(const tenon_constraints *constraints, const char *name,
                                                         int32_t *index, char *message, size_t message_size);

/* What is known of a constraint. */
typedef struct tenon_constraint_info {
  uint32_t struct_size;
  int32_t link;
  int32_t first_row;    /* of its rows in lambda, J, desired, ... */
  int32_t row_count;
  uint32_t rows;        /* bits of TENON_ROWS_*; 0 for custom rows */
  int32_t axes;         /* TENON_AXES_* */
  const char *name;     /* borrowed from the set; "" where none was given */
  double frequency, damping_ratio;
  int32_t closes_loop;  /* 1: from tenon_constraints_add_closure, or a loop of the model by rows */
  int32_t second_link;  /* of a closure, TENON_WORLD for the world; else TENON_NONE */
} tenon_constraint_info;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_constraint_info_init(tenon_constraint_info *info, size_t size);

/* Fills info, prepared by its _init, for a constraint of a finished set. Of a smaller struct only its bytes are
 * written. Threads: any. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE.
 * Cost: O(1). */
TENON_API tenon_status tenon_constraints_constraint_info(const tenon_constraints *constraints, int32_t constraint,
                                                         tenon_constraint_info *info);

#ifdef __cplusplus
}
#endif

#endif /* TENON_CONSTRAINTS_H */
