/* clang-format off */
/* tenon/model.h, a part of tenon.h, which is the manual. Robots: from URDF or from calls. */
#ifndef TENON_MODEL_H
#define TENON_MODEL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Model: making one ------------------------------------------------------------------------------------------ */

/* tenon_model_options.base */
#define TENON_BASE_FIXED 0    /* the root link is part of the world */
#define TENON_BASE_FLOATING 1 /* the root link gets a floating joint; its coordinates come first */

/* tenon_joint_options.type, tenon_joint_info.type */
#define TENON_JOINT_TYPE_FIXED 0      /* builder only: a fixed joint has no index in a model */
#define TENON_JOINT_TYPE_REVOLUTE 1
#define TENON_JOINT_TYPE_CONTINUOUS 2 /* revolute without limits */
#define TENON_JOINT_TYPE_PRISMATIC 3
#define TENON_JOINT_TYPE_SPHERICAL 4
#define TENON_JOINT_TYPE_PLANAR 5     /* in the plane normal to the axis; its x and y: section 4 of tenon.h */
#define TENON_JOINT_TYPE_FLOATING 6
#define TENON_JOINT_TYPE_UNIVERSAL 7  /* builder only: about axis, then axis2; becomes joints name and name_2 */
#define TENON_JOINT_TYPE_SCREW 8      /* about axis, and along it by pitch for one radian; force: a torque */

/* Levels of the log callback. */
#define TENON_LOG_LEVEL_TRACE 0
#define TENON_LOG_LEVEL_DEBUG 1
#define TENON_LOG_LEVEL_INFO 2
#define TENON_LOG_LEVEL_WARNING 3
#define TENON_LOG_LEVEL_ERROR 4
#define TENON_LOG_LEVEL_OFF 5

/* Receives what a call notices, one sentence at a time, on the thread and during the call that was given it. The text
 * lives until the callback returns. It must not throw or jump out. */
typedef void (*tenon_log_callback)(void *user, int32_t level, const char *message);

/* What becomes of loops, tenon_model_options.loop_treatment and tenon_loop_options.treatment (in URDF+ the attribute
 * treatment of <loop>: embed, open, rows, automatic).
 * EMBED: joints tied together move together, with independent and dependent coordinates. OPEN: the joints of the
 * spanning tree are free, for those who close loops by constraint rows; as a model's option of couplings and gears too.
 * ROWS: the joints are free, and the rows that close the loop come along: every finished constraint set on the model
 * has them after its own as closures of the loops' names (tenon_constraints_constraint_count, multipliers), a
 * workspace without a set has them alone (tenon_workspace_row_count), so that one tenon_constrained_dynamics solves
 * contacts, loops by rows and embedded loops, and tenon_forward_dynamics obeys all loops. Couplings and gears are
 * embedded all the same. AUTOMATIC: EMBED or ROWS for each loop by a cost model: rows for loops through many joints.
 * BY_MODEL: of one loop, as tenon_model_options says. */
#define TENON_LOOP_TREATMENT_EMBED 0
#define TENON_LOOP_TREATMENT_OPEN 1
#define TENON_LOOP_TREATMENT_ROWS 2
#define TENON_LOOP_TREATMENT_AUTOMATIC 3
#define TENON_LOOP_TREATMENT_BY_MODEL 4

/* How a model is made. */
typedef struct tenon_model_options {
  uint32_t struct_size;
  int32_t base;                     /* TENON_BASE_*; default TENON_BASE_FIXED */
  const char *floating_joint_name;  /* of the joint that TENON_BASE_FLOATING adds; NULL: "root_joint" */
  double gravity[3];                /* m/s^2, world axes; default (0, 0, -9.81); a workspace may change it for itself */
  tenon_log_callback log_callback;  /* NULL: silent */
  void *log_user;                   /* handed to the callback as it is */
  int32_t log_level;                /* the least level reported, TENON_LOG_LEVEL_*; default TENON_LOG_LEVEL_WARNING */
  int32_t loop_treatment;           /* TENON_LOOP_TREATMENT_*, not BY_MODEL; default TENON_LOOP_TREATMENT_EMBED */
  int32_t ignore_loops;             /* 1: <loop>, <coupling> and independent of URDF+ are passed over; default 0 */
  int32_t ignore_mimic;             /* 1: <mimic> of URDF is passed over; default 0 */
  /* 1: takes, with a warning, what is refused otherwise: joints that move neither mass nor inertia are held, as fixed
   * joints, where their position is 0 (what follows only such joints by <mimic> or a coupling too), and a body whose
   * inertia is not positive definite is used as given; default 0 */
  int32_t tolerant_inertias;
  int32_t reserved;                 /* 0 */
} tenon_model_options;

/* Writes the defaults into options, whose size the caller knows it by.
 * size: sizeof *options. Bytes beyond what this version knows are set to 0; of a smaller struct only its bytes are
 * written. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL), TENON_WRONG_SIZE (below 8 bytes). Cost: O(1). */
TENON_API tenon_status tenon_model_options_init(tenon_model_options *options, size_t size);

/* Makes a model from a URDF file: reads, checks, lumps links over fixed joints, numbers depth first, chooses the frames
 * that sweeps work in. What the file holds beyond links, inertials and joints (visuals, transmissions, ...) is passed
 * over; what looks wrong but can be kept is a warning (tenon_model_warning, log callback).
 * path: of the file. options: NULL for the defaults. *model: the new model; set to NULL on failure. Allocates: the
 * model. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE (gravity), TENON_FILE_ERROR,
 * TENON_PARSE_ERROR, TENON_INVALID_MODEL, TENON_INVALID_INERTIA, TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY; the message
 * names file, line, link or joint, the value, and the remedy. Cost: O(length of the file + n). */
TENON_API tenon_status tenon_model_load_urdf(const char *path, const tenon_model_options *options, tenon_model **model,
                                             char *message, size_t message_size);

/* Makes a model from URDF text in memory; otherwise as tenon_model_load_urdf.
 * text: text_size bytes; a NUL at the end is neither needed nor harmful. Allocates: the model. Status: as
 * tenon_model_load_urdf, without TENON_FILE_ERROR. Cost: O(text_size + n). */
TENON_API tenon_status tenon_model_parse_urdf(const char *text, size_t text_size, const tenon_model_options *options,
                                              tenon_model **model, char *message, size_t message_size);

/* Gives the caller's hold on a model back; its memory goes when nothing made from it is left. NULL: does nothing.
 * Threads: any; the handle must not be in use elsewhere. Cost: O(n). */
TENON_API void tenon_model_destroy(tenon_model *model);

/* ---- Model: what it holds --------------------------------------------------------------------------------------- */

/* Position coordinates; velocity coordinates (n); links with extra frames; moving joints; moving bodies; bodies on the
 * longest path from the root (d); 1 where the root body hangs on a floating joint and 0 where not. Each returns the
 * number, or TENON_INVALID_ARGUMENT (negative) for NULL. Cost: O(1). */
TENON_API int32_t tenon_model_nq(const tenon_model *model);
TENON_API int32_t tenon_model_nv(const tenon_model *model);
TENON_API int32_t tenon_model_link_count(const tenon_model *model);
TENON_API int32_t tenon_model_joint_count(const tenon_model *model);
TENON_API int32_t tenon_model_body_count(const tenon_model *model);
TENON_API int32_t tenon_model_depth(const tenon_model *model);
TENON_API int32_t tenon_model_floating_base(const tenon_model *model);

/* Mass of all links together, those fixed to the world included, kg. NaN for NULL. Cost: O(1). */
TENON_API double tenon_model_total_mass(const tenon_model *model);

/* Gravity of the model, with which workspaces and batches start. gravity: 3, m/s^2, world axes, written. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE. Cost: O(1). */
TENON_API tenon_status tenon_model_gravity(const tenon_model *model, double *gravity, size_t gravity_count);

/* Index of the link that has no parent: that of a fixed base stands in the world, that of a floating base is moved by
 * the joint of the base. TENON_INVALID_ARGUMENT (negative) for NULL. Cost: O(n). */
TENON_API int32_t tenon_model_root_link(const tenon_model *model);

/* Name of the robot; of a link; of a joint. Borrowed: lives as long as the model. NULL for a NULL model and for an
 * index that names nothing. Cost: O(1). */
TENON_API const char *tenon_model_name(const tenon_model *model);
TENON_API const char *tenon_model_link_name(const tenon_model *model, int32_t link);
TENON_API const char *tenon_model_joint_name(const tenon_model *model, int32_t joint);

/* Index of the link (or extra frame) of a name; of the moving joint of a name. A name that names nothing gives a
 * message with the most similar name there is.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_NOT_FOUND. Cost: O(n). */
TENON_API tenon_status tenon_model_find_link(const tenon_model *model, const char *name, int32_t *index, char *message,
                                             size_t message_size);
TENON_API tenon_status tenon_model_find_joint(const tenon_model *model, const char *name, int32_t *index, char *message,
                                              size_t message_size);

/* What is known of a link. */
typedef struct tenon_link_info {
  uint32_t struct_size;
  int32_t parent_link;        /* TENON_WORLD for the root */
  int32_t joint;              /* the moving joint it hangs on directly; TENON_NONE where fixed, or the root of a fixed
                                 base */
  int32_t body;               /* the body it is lumped into; or TENON_WORLD */
  int32_t is_frame;           /* 1: an extra frame, 0: a link of the description */
  int32_t reserved;
  const char *name;           /* borrowed from the model */
  double mass;                /* kg */
  double center_of_mass[3];   /* m, link frame */
  double inertia[6];          /* ixx ixy ixz iyy iyz izz about the centre of mass, link axes, kg m^2 */
} tenon_link_info;

/* What is known of a joint. */
typedef struct tenon_joint_info {
  uint32_t struct_size;
  int32_t type;               /* TENON_JOINT_TYPE_*, never FIXED or UNIVERSAL */
  int32_t parent_link;        /* TENON_WORLD for the joint of a floating base */
  int32_t child_link;         /* TENON_NONE between the two joints of a universal one */
  int32_t q_index, nq;        /* first of its position coordinates, and how many */
  int32_t v_index, nv;        /* first of its velocity coordinates, and how many */
  const char *name;           /* borrowed from the model */
  double axis[3];             /* unit, in the joint frame */
  double lower, upper;        /* position limits, rad or m; infinite where there is none */
  double velocity, effort;    /* limits of speed and force; infinite where there is none */
  double armature;            /* kg m^2 or kg, on the diagonal of M */
  double damping, friction;   /* carried for the user: no computation here applies them */
  int32_t cluster;            /* the cluster that loops tie it into; or TENON_NONE */
  int32_t independent;        /* how many of its velocity coordinates are independent: nv where no loop moves it */
  int32_t folded;             /* 1: a rotor whose carrier has taken over its inertia, at nearly no cost */
  int32_t reserved;           /* 0 */
  double origin[7];           /* pose of the joint frame in the parent link (of a floating base in the world), the
                                 child's where q is zero; both joints of a universal one have the same */
  double pitch;               /* of a screw, m for one radian; else 0 */
} tenon_joint_info;

/* Prepare them (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_link_info_init(tenon_link_info *info, size_t size);
TENON_API tenon_status tenon_joint_info_init(tenon_joint_info *info, size_t size);

/* Fills info, prepared by its _init, for a link; for a joint. Of a smaller struct only its bytes are written. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (struct_size), TENON_OUT_OF_RANGE. Cost: O(1). */
TENON_API tenon_status tenon_model_link_info(const tenon_model *model, int32_t link, tenon_link_info *info);
TENON_API tenon_status tenon_model_joint_info(const tenon_model *model, int32_t joint, tenon_joint_info *info);

/* The tree as indented text, one body a line, with lumped links, joint types, axes, limits and masses.
 * text: text_size bytes, cut to fit and ended by NUL; NULL to ask the size only. *needed: bytes of the whole text with
 * its NUL; NULL: not wanted. Allocates: nothing that stays. Status: TENON_OK (also where cut: compare *needed),
 * TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_model_describe(const tenon_model *model, char *text, size_t text_size, size_t *needed);

/* What the reader noticed and passed over: how many sentences (TENON_INVALID_ARGUMENT, negative, for NULL); sentence
 * number `warning` (borrowed; NULL for an index that names nothing). Cost: O(1). */
TENON_API int32_t tenon_model_warning_count(const tenon_model *model);
TENON_API const char *tenon_model_warning(const tenon_model *model, int32_t warning);

/* ---- Builder: a model from calls -------------------------------------------------------------------------------- */

/* Starts an empty robot. Links come first, then the joints between them: n links need n - 1 joints that form a tree.
 * name: of the robot. *builder: the new builder; set to NULL on failure. Allocates: the builder. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_OUT_OF_MEMORY. Cost: O(1). */
TENON_API tenon_status tenon_builder_create(const char *name, tenon_builder **builder, char *message,
                                            size_t message_size);

/* Starts a builder from URDF, so that calls may add what URDF has no words for, a constraint by a function for
 * instance. path, or text (text_size bytes): as tenon_model_load_urdf, tenon_model_parse_urdf. options: NULL for the
 * defaults; only ignore_loops and ignore_mimic matter here, the others go to tenon_builder_finish. Links keep the order
 * of the file; tenon_builder_find_link tells their indices. *builder: the new builder; set to NULL on failure.
 * Allocates: the builder. Status: as tenon_model_load_urdf, without TENON_INVALID_INERTIA, for what is wrong with the
 * text; what is wrong with the robot is found by tenon_builder_finish. Cost: O(length of the text). */
TENON_API tenon_status tenon_builder_load_urdf(const char *path, const tenon_model_options *options,
                                               tenon_builder **builder, char *message, size_t message_size);
/* The same from text in memory, as tenon_model_parse_urdf reads it. text: text_size bytes. options: NULL for the
 * defaults. Allocates: the builder. Status: as tenon_builder_load_urdf, without TENON_FILE_ERROR. Cost:
 * O(text_size). */
TENON_API tenon_status tenon_builder_parse_urdf(const char *text, size_t text_size, const tenon_model_options *options,
                                                tenon_builder **builder, char *message, size_t message_size);

/* Index of the link of a name in a builder. A name that names nothing gives a message with the most similar there is.
 * *index: written on TENON_OK only. Allocates: nothing that stays. Status: TENON_OK, TENON_INVALID_ARGUMENT,
 * TENON_NOT_FOUND. Cost: O(n). */
TENON_API tenon_status tenon_builder_find_link(const tenon_builder *builder, const char *name, int32_t *index,
                                               char *message, size_t message_size);

/* Frees a builder. Models made by it stay. NULL: does nothing. Threads: any; the handle must not be in use elsewhere.
 * Cost: O(n). */
TENON_API void tenon_builder_destroy(tenon_builder *builder);

/* Adds a link.
 * name: unique. mass: kg, >= 0. center_of_mass: 3, m, link frame; NULL: the origin. inertia: 6, [ixx ixy ixz iyy iyz
 * izz] about the centre of mass along link axes, kg m^2; NULL: zero. *index: of the link, here and in the model; may be
 * NULL. That a moving body has mass and an inertia a real body can have is checked by tenon_builder_finish, which knows
 * what is lumped together. Allocates: memory of the builder. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL, empty or
 * used name), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_link(
    tenon_builder *builder, const char *name, double mass, const double *center_of_mass, size_t center_of_mass_count,
    const double *inertia, size_t inertia_count, int32_t *index, char *message, size_t message_size);

/* A joint to be added. */
typedef struct tenon_joint_options {
  uint32_t struct_size;
  int32_t type;             /* TENON_JOINT_TYPE_*; default TENON_JOINT_TYPE_REVOLUTE */
  int32_t parent_link;      /* index from tenon_builder_add_link; default TENON_NONE, to be set */
  int32_t child_link;
  double origin[7];         /* pose of the joint frame in the parent link, the child's at q = 0; default identity */
  double axis[3];           /* in the joint frame, any length but zero; default x */
  double axis2[3];          /* universal only: the second axis, in the joint frame at q = 0; default y */
  double armature;          /* rotor inertia seen at the joint, kg m^2 or kg; default 0 */
  double lower, upper;      /* position limits, carried for the user; default infinite */
  double velocity, effort;  /* likewise */
  double damping, friction; /* carried for the user; default 0 */
  int32_t dependent;        /* 1: where a loop moves this joint, it is to follow from others; default 0 */
  int32_t reserved;         /* 0 */
  double pitch;             /* screw only: m for one radian, lead / (2 pi); 0 is legal; default NaN, to be set */
} tenon_joint_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_joint_options_init(tenon_joint_options *options, size_t size);

/* Adds a joint that hangs options->child_link on options->parent_link.
 * name: unique. options: needed, since the links are. Moving joints are numbered depth first in the finished model, so
 * look a joint up there by name. Allocates: memory of the builder. Status: TENON_OK, TENON_INVALID_ARGUMENT (NULL,
 * empty or used name, unknown type), TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link),
 * TENON_NOT_NORMALIZED (origin), TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_joint(tenon_builder *builder, const char *name,
                                               const tenon_joint_options *options, char *message, size_t message_size);

/* Adds a named frame fixed to a link: addressed as a link in the finished model, after all links, in order of addition.
 * link: index. pose: 7, of the frame in the link; NULL: identity. Allocates: memory of the builder. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE, TENON_NOT_NORMALIZED,
 * TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_frame(tenon_builder *builder, const char *name, int32_t link,
                                               const double *pose, size_t pose_count, char *message,
                                               size_t message_size);

/* A joint that closes a kinematic loop between two links of the tree. */
typedef struct tenon_loop_options {
  uint32_t struct_size;
  int32_t type;                /* TENON_JOINT_TYPE_*: REVOLUTE, CONTINUOUS, PRISMATIC, PLANAR, SPHERICAL or FIXED */
  int32_t link;                /* indices from tenon_builder_add_link, of the predecessor and the successor of URDF+; */
  int32_t second_link;         /* default TENON_NONE, to be set */
  double pose[7];              /* of the ends of the loop, each in its link: where they coincide but for the motion */
  double second_pose[7];       /* of the joint, the loop is closed; default identity */
  double axis[3];              /* of the joint, the same in both end frames; default x */
  int32_t treatment;           /* TENON_LOOP_TREATMENT_*; default TENON_LOOP_TREATMENT_BY_MODEL */
  int32_t reserved;            /* 0 */
} tenon_loop_options;

/* Prepares it (section 5 of tenon.h). Status: as tenon_model_options_init. */
TENON_API tenon_status tenon_loop_options_init(tenon_loop_options *options, size_t size);

/* Adds a loop. What is wrong with the whole (ends that do not move against each other, a loop that cannot be closed) is
 * found by tenon_builder_finish.
 * name: unique among loops, couplings and gears. options: needed. Allocates: memory of the builder. Status: TENON_OK,
 * TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link), TENON_NOT_NORMALIZED (a
 * pose), TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_loop(tenon_builder *builder, const char *name,
                                              const tenon_loop_options *options, char *message, size_t message_size);

/* Adds a coupling of the positions of joints of one coordinate: q_dependent = ratios q_independent + offsets, as mimic
 * joints and differentials have it. A dependent joint of one coupling may lead in another.
 * dependent, independent: names of joints, as many as their counts say. ratios: dependent x independent, column-major,
 * leading dimension ldr >= dependent. offsets: dependent, at most 1e6, or NULL for none. Names are looked up by
 * tenon_builder_finish. Allocates: memory of the builder. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE,
 * TENON_NOT_FINITE, TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_coupling(
    tenon_builder *builder, const char *name, const char *const *dependent, size_t dependent_count,
    const char *const *independent, size_t independent_count, const double *ratios, size_t ratios_count, int32_t ldr,
    const double *offsets, size_t offsets_count, char *message, size_t message_size);

/* Adds a gear or belt between two links: with a and b the sums of the positions of the joints on the paths from their
 * nearest common ancestor to the link and to the second link, b = ratio a + offset. offset: at most 1e6. Allocates:
 * memory of the builder. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_NOT_FINITE, TENON_OUT_OF_RANGE (a link),
 * TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_gear(tenon_builder *builder, const char *name, int32_t link,
                                              int32_t second_link, double ratio, double offset, char *message,
                                              size_t message_size);

/* A constraint phi(q) = 0 on some joints. q: their nq positions, v: their nv velocity coordinates, both in the order in
 * which the joints were named. Writes phi (rows), K = d phi / dt by v (rows x nv, column-major, leading dimension rows)
 * and Kdot_v = (dK/dt) v (rows). It is called in every computation, by the threads that compute, at once: it must not
 * change anything shared, throw, jump out, or call Tenon with the same workspace.
 *   Returns TENON_OK, or a negative status: TENON_NOT_FINITE where the constraint is not known at q, any other for what
 * went wrong in it. The computation then returns that status with a message that names the constraint; the search for
 * closed loops keeps away from there. What writes NaN or infinity has returned TENON_NOT_FINITE, and what returns no
 * negative status of this header nor TENON_OK, TENON_INVALID_ARGUMENT. */
typedef tenon_status (*tenon_implicit_callback)(void *user, int32_t nq, int32_t nv, int32_t rows, const double *q,
                                                const double *v, double *phi, double *K, double *Kdot_v);

/* Is given `user` back, which nothing will use any more. It must not throw or jump out. */
typedef void (*tenon_release_callback)(void *user);

/* Adds a constraint that only the callback knows.
 * joints: names, joint_count of them. rows: of phi. user: handed to both functions as it is. release: called once, when
 * the last that holds user is gone (this builder, its models, and what is made from these), by the thread that destroys
 * it; never where this call fails, which leaves user to the caller. NULL: none, and user must stay valid so long.
 * Allocates: memory of the builder. Status: TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE (no rows),
 * TENON_OUT_OF_MEMORY. Cost: O(n). */
TENON_API tenon_status tenon_builder_add_implicit(
    tenon_builder *builder, const char *name, const char *const *joints, size_t joint_count, int32_t rows,
    tenon_implicit_callback callback, void *user, tenon_release_callback release, char *message, size_t message_size);

/* Checks what was added and makes a model of it. The builder is left as it was and may go on to further models.
 * options: NULL for the defaults. *model: the new model; set to NULL on failure. Allocates: the model. Status:
 * TENON_OK, TENON_INVALID_ARGUMENT, TENON_WRONG_SIZE, TENON_NOT_FINITE, TENON_INVALID_MODEL (two roots, a cycle, a zero
 * axis), TENON_INVALID_INERTIA, TENON_UNSUPPORTED, TENON_OUT_OF_MEMORY; the message names link or joint. Cost: O(n). */
TENON_API tenon_status tenon_builder_finish(const tenon_builder *builder, const tenon_model_options *options,
                                            tenon_model **model, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif /* TENON_MODEL_H */
