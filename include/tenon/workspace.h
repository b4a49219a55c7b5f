/* clang-format off */
/* tenon/workspace.h, a part of tenon.h, which is the manual. Workspaces: the memory of computations, and the settings
 * of a robot and its constraints. */
#ifndef TENON_WORKSPACE_H
#define TENON_WORKSPACE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Workspace -------------------------------------------------------------------------------------------------- */

/* tenon_workspace_options.instruction_set, tenon_batch_options.instruction_set: for which instructions of the processor
 * the kernels were compiled. Results differ in the last digits. Where the choice is left to Tenon, the environment
 * variable TENON_INSTRUCTION_SET may make it: baseline, x86_64_v3 or x86_64_v4. */
#define TENON_INSTRUCTION_SET_AUTOMATIC 0 /* the best that the machine has */
#define TENON_INSTRUCTION_SET_BASELINE 1  /* what every machine has that the library is for */
#define TENON_INSTRUCTION_SET_X86_64_V3 2 /* AVX2, FMA, BMI: x86 processors since 2013 */
#define TENON_INSTRUCTION_SET_X86_64_V4 3 /* AVX-512: batches, limbs in lanes, derivatives, many rows; else X86_64_V3 */

/* tenon_workspace_options.precision, tenon_batch_options.precision: of the numbers inside. Those outside are double too
 * with a workspace; with a batch they have its precision. */
#define TENON_PRECISION_DOUBLE 0
#define TENON_PRECISION_SINGLE 1 /* batches only in this version */

/* tenon_workspace_options.products, bits: what to have memory for from the start. */
#define TENON_PRODUCT_PROJECTION 0x01u        /* tenon_project_positions, tenon_project_velocities, tenon_impact */
#define TENON_PRODUCT_CORIOLIS 0x02u          /* tenon_coriolis_matrix */
#define TENON_PRODUCT_MASS_MATRIX 0x04u       /* tenon_mass_matrix, tenon_mass_matrix_factor and what works with it */
#define TENON_PRODUCT_INVERSE_MASS 0x08u      /* tenon_mass_matrix_inverse_times */
#define TENON_PRODUCT_OPERATIONAL_SPACE 0x10u /* tenon_operational_space */
#define TENON_PRODUCT_CENTROIDAL 0x20u        /* tenon_centroidal_momentum_matrix, tenon_centroidal_momentum_bias */
#define TENON_PRODUCT_UNDERACTUATED 0x40u     /* tenon_underactuated_inverse_dynamics */
#define TENON_PRODUCT_LOOP_VELOCITIES 0x80u   /* tenon_close_loop_velocities by TENON_LOOP_MOVES_ALL */
#define TENON_PRODUCT_DERIVATIVES 0x100u      /* of one state: tenon/(kinematics_, step_)derivatives.h, parameters.h */
#define TENON_PRODUCT_SECOND_DERIVATIVES 0x200u /* tenon/second_derivatives.h */
#define TENON_PRODUCT_ALL 0x3ffu

/* How a workspace is made. Bit k of a mask of methods, 1u << TENON_METHOD_PV for instance, stands for method k. What
 * the masks name gets its memory with the workspace, so that not even the first call allocates; all else stays as it
 * is. */
typedef struct tenon_workspace_options {
  uint32_t struct_size;
  int32_t instruction_set;    /* TENON_INSTRUCTION_SET_*; default TENON_INSTRUCTION_SET_AUTOMATIC */
  int32_t precision;          /* TENON_PRECISION_*; default TENON_PRECISION_DOUBLE */
  uint32_t methods;           /* of TENON_METHOD_*: for tenon_constrained_dynamics and the steps; default 0 */
  uint32_t delassus_methods;  /* of TENON_DELASSUS_METHOD_*: for tenon_delassus; default 0 */
  uint32_t damped_methods;    /* of TENON_DAMPED_METHOD_*: for tenon_delassus_inverse, _factor and _apply; default 0 */
  uint32_t products;          /* of TENON_PRODUCT_*; default 0 */
  int32_t disable_branch_lanes; /* 0: limbs of equal shape (four legs, say) are computed side by side where that is
                                 * faster; else: bodies one after another, with other rounding errors; default 0 */
} tenon_workspace_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_workspace_options_init(tenon_workspace_options *options, size_t size);

/* Makes the memory for computations on a model and a constraint set, and keeps both alive.
 * constraints: finished, of the same model; NULL: none (m = 0, or the rows of the model's loops by rows).
 * options: NULL for the defaults. *workspace: the new one; set to NULL on failure. Allocates: everything that later
 * calls need but those that say "at the first call" and that options do not name. TENON_METHOD_DENSE, to which
 * TENON_METHOD_AUTOMATIC hands rows over that do not converge, is among it where the mass matrix has up to 131,072
 * numbers along the branches of the tree (a chain of 500 joints); of larger robots name it in options->methods where no
 * later call may allocate. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, a set that is unfinished or of another
 * model, a bit that names nothing), TENON_WRONG_SIZE (options), TENON_UNSUPPORTED (a precision, or an instruction set
 * that this machine or this build does not have), TENON_OUT_OF_MEMORY. Cost: O(n + m) and what the method that
 * TENON_METHOD_AUTOMATIC takes and those of the options need, up to O(n d + m n + m^2). */
TENON_API tenon_status tenon_workspace_create(const tenon_model *model, const tenon_constraints *constraints,
                                              const tenon_workspace_options *options, tenon_workspace **workspace,
                                              char *message, size_t message_size);

/* The instruction set whose kernels a workspace runs: TENON_INSTRUCTION_SET_*, never AUTOMATIC. A workspace made with
 * it computes the same digits. TENON_INVALID_ARGUMENT (negative) for NULL. Threads: any. Cost: O(1). */
TENON_API int32_t tenon_workspace_instruction_set(const tenon_workspace *workspace);

/* Another workspace for the same model and set, made with the same options and the same instruction set, with all that
 * setters said: gravity, parameters of the robot and of constraints, payloads, coordinates, guess. From then on the two
 * know nothing of each other, and answer alike with the same digits. Message, report, factors, what tenon_kinematics
 * computed and memory that single calls added are not copied.
 * *clone: the new one; set to NULL on failure. Allocates: as tenon_workspace_create. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: that of tenon_workspace_create. */
TENON_API tenon_status tenon_workspace_clone(const tenon_workspace *workspace, tenon_workspace **clone, char *message,
                                             size_t message_size);

/* Frees a workspace. NULL: does nothing. Threads: any; the handle must not be in use elsewhere. Cost: O(1). */
TENON_API void tenon_workspace_destroy(tenon_workspace *workspace);

/* Why the last call on this workspace failed, one sentence; "" after a good one. Lives until the next call on it. Cost:
 * O(1). */
TENON_API const char *tenon_workspace_message(const tenon_workspace *workspace);

/* All memory a workspace holds at present, bytes. 0 for NULL. Cost: O(1). */
TENON_API size_t tenon_workspace_size_bytes(const tenon_workspace *workspace);

/* Gravity of this workspace. Starts as the model's. gravity: 3, m/s^2, world axes. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE. Cost: O(1). */
TENON_API tenon_status tenon_workspace_set_gravity(tenon_workspace *workspace, const double *gravity,
                                                   size_t gravity_count);
/* What was set, or the model's. gravity: 3, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost:
 * O(1). */
TENON_API tenon_status tenon_workspace_gravity(const tenon_workspace *workspace, double *gravity, size_t gravity_count);

/* What a link holds besides its own mass, as a hand holds a load: every computation then is that of a robot on whose
 * link a body with these numbers is welded, M, energy, momentum and centre of mass included. What calls kept (a factor,
 * poses) stays that of the robot before, and what is Tenon's choice (method, mu) is made for the model.
 * link: index, of an extra frame too: the numbers are in its axes. Held by a link of the world, it changes nothing.
 * mass: kg, >= 0. center_of_mass: 3, m; NULL: the origin. inertia: 6, [ixx ixy ixz iyy iyz izz] about the centre of
 * mass, kg m^2; NULL: zero, as of a point. A mass of 0 without inertia takes the load away. Where a geared rotor holds
 * something, or its inertia or an armature is not the model's (tenon_workspace_set_inertia,
 * tenon_workspace_set_joint_parameters), robots with rotors are computed with all rotors as bodies, which is slower.
 * Allocates: at the first call. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_OUT_OF_RANGE, TENON_INVALID_INERTIA (a mass or principal moment below 0), TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_workspace_set_payload(tenon_workspace *workspace, int32_t link, double mass,
                                                   const double *center_of_mass, size_t center_of_mass_count,
                                                   const double *inertia, size_t inertia_count);
/* What was set. link: index. *mass: kg, written; may be NULL. center_of_mass: 3, written; NULL: not wanted. inertia: 6,
 * written; NULL: not wanted. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost:
 * O(1). */
TENON_API tenon_status tenon_workspace_payload(const tenon_workspace *workspace, int32_t link, double *mass,
                                               double *center_of_mass, size_t center_of_mass_count, double *inertia,
                                               size_t inertia_count);

/* Mass and inertia of a link in this workspace, in place of the model's; for each state of a batch:
 * tenon_batch_set_parameters. The structure of the model stays: which links are lumped together, and which joints
 * tolerant_inertias holds.
 * link: index, not of an extra frame. mass, center_of_mass, inertia: as tenon_workspace_set_payload has them; NULL: the
 * origin, and zero. What a body, with all links that are fixed to it, can have is checked as by tenon_builder_finish,
 * without loads and if the model itself passes. Allocates: at the first call, and for the check what does not stay.
 * Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE,
 * TENON_INVALID_INERTIA, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_workspace_set_inertia(tenon_workspace *workspace, int32_t link, double mass,
                                                   const double *center_of_mass, size_t center_of_mass_count,
                                                   const double *inertia, size_t inertia_count);
/* What was set, or the model's. link, *mass, center_of_mass, inertia: as tenon_workspace_payload; zeros for an extra
 * frame. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(1). */
TENON_API tenon_status tenon_workspace_inertia(const tenon_workspace *workspace, int32_t link, double *mass,
                                               double *center_of_mass, size_t center_of_mass_count, double *inertia,
                                               size_t inertia_count);

/* What joints have in this workspace, all >= 0, of spanning velocity coordinates. Armatures start as the model has
 * them. Friction starts at zero: what a model carries as damping and friction of joints is not applied by itself. It
 * takes damping v + friction sign(v) from the force on a joint in forward and constrained dynamics and in each stage of
 * a step; inverse dynamics of every kind and tenon_bias add it.
 * armatures: nv of spanning coordinates, kg m^2 or kg; NULL: as before. damping: nv, N m s or N s/m; NULL: as before.
 * friction: nv, N m or N; NULL: as before. Allocates: at the first call, and with armatures what does not stay. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (also: below 0), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_INVALID_INERTIA (a joint
 * that moves no inertia without armature), TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_workspace_set_joint_parameters(
    tenon_workspace *workspace, const double *armatures, size_t armatures_count, const double *damping,
    size_t damping_count, const double *friction, size_t friction_count);
/* What was set. armatures, damping, friction: nv, written; NULL: not wanted. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE. Cost: O(n). */
TENON_API tenon_status tenon_workspace_joint_parameters(const tenon_workspace *workspace, double *armatures,
                                                        size_t armatures_count, double *damping, size_t damping_count,
                                                        double *friction, size_t friction_count);

/* Anchor of a constraint: world pose at which the stabilisation holds its frame. Starts at the identity; set it one by
 * one here, or all at once with tenon_workspace_anchor_here.
 * constraint: index, not of a closure, which is held by its second link.
 * pose: 7. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE,
 * TENON_NOT_NORMALIZED. Cost: O(1). */
TENON_API tenon_status tenon_workspace_set_anchor(tenon_workspace *workspace, int32_t constraint, const double *pose,
                                                  size_t pose_count);
/* What was set. pose: 7, written. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost:
 * O(1). */
TENON_API tenon_status tenon_workspace_anchor(const tenon_workspace *workspace, int32_t constraint, double *pose,
                                              size_t pose_count);

/* Switches a constraint off (active 0) or on again (1), as feet that leave the ground and come back: all constraints of
 * a workspace start active. One that is off asks for nothing: its rows of J, of the Delassus matrix and of
 * tenon_constraint_rows are zero, its multipliers are zero, and no computation calls it redundant. It keeps its places
 * in lambda and in all arrays, its anchor and its numbers. Rows that are off cost what they cost when they are on.
 * constraint: index. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: a loop of the model that rows close, which is
 * always active), TENON_OUT_OF_RANGE. Cost: O(m). */
TENON_API tenon_status tenon_workspace_set_active(tenon_workspace *workspace, int32_t constraint, int32_t active);

/* Gains of a constraint in this workspace; they start as the constraint set has them (tenon_constraint_options).
 * constraint: index. frequency: rad/s, >= 0; damping_ratio: >= 0. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: below
 * 0), TENON_NOT_FINITE, TENON_OUT_OF_RANGE. Cost: O(m). */
TENON_API tenon_status tenon_workspace_set_gains(tenon_workspace *workspace, int32_t constraint, double frequency,
                                                 double damping_ratio);

/* Weights, and compliance, of the rows of a constraint in this workspace; they too start as the set has them.
 * constraint: index. weights: rows of it, > 0; NULL: all 1. compliance: rows of it, >= 0; NULL: all 0. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT (also: a number out of these bounds), TENON_WRONG_SIZE, TENON_NOT_FINITE,
 * TENON_OUT_OF_RANGE. Cost: O(m). */
TENON_API tenon_status tenon_workspace_set_weights(tenon_workspace *workspace, int32_t constraint,
                                                   const double *weights, size_t weights_count);
TENON_API tenon_status tenon_workspace_set_compliance(tenon_workspace *workspace, int32_t constraint,
                                                      const double *compliance, size_t compliance_count);

/* Moves the frame of a constraint, the point that is held or the frame that is welded, on its link in this workspace;
 * it starts where the set has it. Its anchor stays where it is in the world.
 * constraint: index, not of a closure or of custom rows. pose: 7, in the link. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE, TENON_NOT_NORMALIZED. Cost: O(m). */
TENON_API tenon_status tenon_workspace_set_frame(tenon_workspace *workspace, int32_t constraint, const double *pose,
                                                 size_t pose_count);
/* Where it is. constraint: index, as there. pose: 7, written. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(1). */
TENON_API tenon_status tenon_workspace_frame(const tenon_workspace *workspace, int32_t constraint, double *pose,
                                             size_t pose_count);

/* How a constraint stands in a workspace. */
typedef struct tenon_constraint_settings {
  uint32_t struct_size;
  int32_t active;        /* 1 or 0 */
  double frequency;      /* rad/s */
  double damping_ratio;
} tenon_constraint_settings;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_constraint_settings_init(tenon_constraint_settings *settings, size_t size);

/* The settings of a constraint as they are now. settings: prepared by its _init. weights, compliance: rows of it,
 * written; may be NULL. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_OUT_OF_RANGE. Cost: O(m). */
TENON_API tenon_status tenon_workspace_constraint_settings(
    const tenon_workspace *workspace, int32_t constraint, tenon_constraint_settings *settings, double *weights,
    size_t weights_count, double *compliance, size_t compliance_count);

/* The same settings for all constraints at once, in the order of the set: activity, gains, anchors, frames, weights and
 * compliance, as the functions above have them. Where one number is wrong nothing changes, and the message names the
 * constraint.
 * active: constraints, 1 or 0; NULL: as before. frequencies: constraints; NULL: as before. damping_ratios: constraints;
 * NULL: as before. anchors: 7 x constraints; NULL: as before; those of closures are not read. frames: 7 x constraints;
 * NULL: as before; those of closures and custom rows are not read. weights: m; NULL: as before. compliance: m; NULL: as
 * before. Status: TENON_OK, TENON_INVALID_ARGUMENT (also: a number out of its bounds, a loop of the model that rows
 * close switched off), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(m). */
TENON_API tenon_status tenon_workspace_set_constraints(
    tenon_workspace *workspace, const int32_t *active, size_t active_count, const double *frequencies,
    size_t frequencies_count, const double *damping_ratios, size_t damping_ratios_count, const double *anchors,
    size_t anchors_count, const double *frames, size_t frames_count, const double *weights, size_t weights_count,
    const double *compliance, size_t compliance_count);
/* As they are now. active: constraints, written; NULL: not wanted. frequencies, damping_ratios: constraints, written;
 * NULL: not wanted. anchors, frames: 7 x constraints, written, the identity of those that have none; NULL: not wanted.
 * weights, compliance: m, written; NULL: not wanted. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost:
 * O(m). */
TENON_API tenon_status tenon_workspace_constraints(
    const tenon_workspace *workspace, int32_t *active, size_t active_count, double *frequencies,
    size_t frequencies_count, double *damping_ratios, size_t damping_ratios_count, double *anchors,
    size_t anchors_count, double *frames, size_t frames_count, double *weights, size_t weights_count,
    double *compliance, size_t compliance_count);

/* Anchors of all constraints := world poses of their frames at q, so that they hold where they are.
 * q: nq. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_NOT_NORMALIZED. Cost: O(n
 * + m). */
TENON_API tenon_status tenon_workspace_anchor_here(tenon_workspace *workspace, const double *q, size_t q_count);

/* How far tenon_project_positions goes. */
typedef struct tenon_projection_options {
  uint32_t struct_size;
  int32_t max_iterations;  /* 1 or more; default 50 */
  double tolerance;        /* largest error of a row that may be left, m or rad, 0 or more; default 1e-9 */
} tenon_projection_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_projection_options_init(tenon_projection_options *options, size_t size);

/* Moves q until all closures are closed and all stabilised constraints (frequency > 0) are at their anchors; other rows
 * keep their place to first order. Newton steps, each the shortest in the metric of the mass matrix, dq = - M^-1 J^T (J
 * M^-1 J^T)^+ error, halved where they overshoot; redundant rows are an ordinary case. Rows with compliance are
 * approached only. The loops of the model itself may open between steps, and are closed at the end. Where not all rows
 * can hold, q goes where the sum of weight x error^2 is least. Meant for the drift of a simulation (one or two steps)
 * and for assembly from a start not too far.
 * options: NULL for the defaults. q: nq, read and written; the best one found unless the status is negative. The report
 * tells steps and largest error left (primal_residual). Allocates: at the first call. Status: TENON_OK,
 * TENON_MAX_ITERATIONS, TENON_INFEASIBLE (no q nearby is any closer), TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION, TENON_UNSUPPORTED
 * (options). Cost: of tenon_constrained_dynamics a step; with embedded loops O(n d^2 + m^2 d + m^3). */
TENON_API tenon_status tenon_project_positions(tenon_workspace *workspace, const tenon_projection_options *options,
                                               double *q, size_t q_count);

/* v := the nearest velocity in the metric of the mass matrix of which no row sees anything, J v = 0: v - M^-1 J^T (J
 * M^-1 J^T)^+ J v, an impact without rebound (with one: tenon_impact). Where the model has loops, v must keep them
 * closed (tenon_close_loop_velocities, or independent velocities), and goes on to.
 * q: nq. v: nv, read and written. Solved as tenon_constrained_dynamics by TENON_METHOD_AUTOMATIC. Allocates: as that.
 * Status: TENON_OK, TENON_INFEASIBLE (a row that nothing moves), TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_NOT_NORMALIZED, TENON_NOT_POSITIVE_DEFINITE, TENON_SINGULAR_CONFIGURATION. Cost: of
 * tenon_constrained_dynamics, and O(n + m). */
TENON_API tenon_status tenon_project_velocities(tenon_workspace *workspace, const double *q, size_t q_count, double *v,
                                                size_t v_count);

#ifdef __cplusplus
}
#endif

#endif /* TENON_WORKSPACE_H */
