/* Commands of robots and of what is held on their links. */
#include <stddef.h>
#include <string.h>

#include "tenon_mex.h"

static char message[1024];

static const field model_fields[] = {
    {"base", WHOLE, offsetof(tenon_model_options, base), TENON_CONSTANT_BASE},
    {"floating_joint_name", TEXT, offsetof(tenon_model_options, floating_joint_name), NO_CONSTANTS},
    {"gravity", THREE, offsetof(tenon_model_options, gravity), NO_CONSTANTS},
    {"loop_treatment", WHOLE, offsetof(tenon_model_options, loop_treatment), TENON_CONSTANT_LOOP_TREATMENT},
    {"ignore_loops", WHOLE, offsetof(tenon_model_options, ignore_loops), NO_CONSTANTS},
    {"ignore_mimic", WHOLE, offsetof(tenon_model_options, ignore_mimic), NO_CONSTANTS},
    {"tolerant_inertias", WHOLE, offsetof(tenon_model_options, tolerant_inertias), NO_CONSTANTS},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

static const field constraint_fields[] = {
    {"axes", WHOLE, offsetof(tenon_constraint_options, axes), TENON_CONSTANT_AXES},
    {"rows", WHOLE, offsetof(tenon_constraint_options, rows), ROWS},
    {"name", TEXT, offsetof(tenon_constraint_options, name), NO_CONSTANTS},
    {"frequency", REAL, offsetof(tenon_constraint_options, frequency), NO_CONSTANTS},
    {"damping_ratio", REAL, offsetof(tenon_constraint_options, damping_ratio), NO_CONSTANTS},
    {"weights", NUMBERS, offsetof(tenon_constraint_options, weights), NO_CONSTANTS},
    {"compliance", NUMBERS, offsetof(tenon_constraint_options, compliance), NO_CONSTANTS},
    {NULL, WHOLE, 0, NO_CONSTANTS},
};

/* ---- models */

static void model_made(const call *c, tenon_status status, tenon_model *model) {
  check(status, message);
  result_number(c, 0,
                keep(model, MODEL, (size_t)tenon_model_nq(model), (size_t)tenon_model_nv(model), 0,
                     (size_t)tenon_model_link_count(model), 0));
}

static tenon_model_options model_options(const call *c) {
  tenon_model_options chosen;
  check(tenon_model_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, model_fields, c, 1);
  return chosen;
}

static void model_load(const call *c) {
  tenon_model_options chosen = model_options(c);
  tenon_model *model = NULL;
  tenon_status status = tenon_model_load_urdf(text(c, 0, "path"), &chosen, &model, message, sizeof message);
  model_made(c, status, model);
}

static void model_parse(const call *c) {
  tenon_model_options chosen = model_options(c);
  tenon_model *model = NULL;
  const char *urdf = text(c, 0, "urdf");
  tenon_status status = tenon_model_parse_urdf(urdf, strlen(urdf), &chosen, &model, message, sizeof message);
  model_made(c, status, model);
}

static void put(mxArray *to, const char *name, mxArray *value) {
  mxAddField(to, name);
  mxSetField(to, 0, name, value);
}

static void put_number(mxArray *to, const char *name, double value) {
  put(to, name, mxCreateDoubleScalar(value));
}

static void put_numbers(mxArray *to, const char *name, const double *values, size_t count) {
  mxArray *made = mxCreateDoubleMatrix(count, 1, mxREAL);
  memcpy(mxGetPr(made), values, count * sizeof *values);
  put(to, name, made);
}

static void put_names(mxArray *to, const char *name, const tenon_model *model, int32_t count,
                      const char *(*of)(const tenon_model *, int32_t)) {
  mxArray *names = mxCreateCellMatrix((size_t)count, 1);
  int32_t i;
  for (i = 0; i < count; ++i) mxSetCell(names, (mwIndex)i, mxCreateString(of(model, i)));
  put(to, name, names);
}

static mxArray *new_struct(void) {
  return mxCreateStructMatrix(1, 1, 0, NULL);
}

static void model_sizes(const call *c) {
  const tenon_model *model = given_object(c, 0, MODEL)->pointer;
  mxArray *all = new_struct();
  put(all, "name", mxCreateString(tenon_model_name(model)));
  put_number(all, "nq", tenon_model_nq(model));
  put_number(all, "nv", tenon_model_nv(model));
  put_number(all, "link_count", tenon_model_link_count(model));
  put_number(all, "joint_count", tenon_model_joint_count(model));
  put_number(all, "body_count", tenon_model_body_count(model));
  put_number(all, "depth", tenon_model_depth(model));
  put(all, "floating_base", mxCreateLogicalScalar(tenon_model_floating_base(model) == 1));
  put_number(all, "total_mass", tenon_model_total_mass(model));
  put_names(all, "links", model, tenon_model_link_count(model), tenon_model_link_name);
  put_names(all, "joints", model, tenon_model_joint_count(model), tenon_model_joint_name);
  put_names(all, "warnings", model, tenon_model_warning_count(model), tenon_model_warning);
  result_array(c, 0, all);
}

typedef tenon_status search(const tenon_model *, const char *, int32_t *, char *, size_t);

static void found(const call *c, search *find) {
  int32_t index = -1;
  const tenon_model *model = given_object(c, 0, MODEL)->pointer;
  check(find(model, text(c, 1, "name"), &index, message, sizeof message), message);
  result_number(c, 0, index + 1);
}

static void find_link(const call *c) {
  found(c, tenon_model_find_link);
}

static void find_joint(const call *c) {
  found(c, tenon_model_find_joint);
}

/* Numbers count from 1; 0: none, or the world. */
static double place(int32_t index) {
  return index < 0 ? 0 : index + 1.0;
}

static void link_info(const call *c) {
  const tenon_model *model = given_object(c, 0, MODEL)->pointer;
  tenon_link_info info;
  mxArray *all = new_struct();
  check(tenon_link_info_init(&info, sizeof info), "link");
  check(tenon_model_link_info(model, index_of(c, 1, "link"), &info), "there is no link of this number");
  put(all, "name", mxCreateString(info.name));
  put_number(all, "parent_link", place(info.parent_link));
  put_number(all, "joint", place(info.joint));
  put_number(all, "body", place(info.body));
  put(all, "is_frame", mxCreateLogicalScalar(info.is_frame == 1));
  put_number(all, "mass", info.mass);
  put_numbers(all, "center_of_mass", info.center_of_mass, 3);
  put_numbers(all, "inertia", info.inertia, 6);
  result_array(c, 0, all);
}

static void joint_info(const call *c) {
  const tenon_model *model = given_object(c, 0, MODEL)->pointer;
  tenon_joint_info info;
  mxArray *all = new_struct();
  check(tenon_joint_info_init(&info, sizeof info), "joint");
  check(tenon_model_joint_info(model, index_of(c, 1, "joint"), &info), "there is no joint of this number");
  put(all, "name", mxCreateString(info.name));
  put(all, "type", mxCreateString(tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, info.type)));
  put_number(all, "parent_link", place(info.parent_link));
  put_number(all, "child_link", place(info.child_link));
  put_number(all, "q_index", info.q_index + 1);
  put_number(all, "nq", info.nq);
  put_number(all, "v_index", info.v_index + 1);
  put_number(all, "nv", info.nv);
  put_number(all, "lower", info.lower);
  put_number(all, "upper", info.upper);
  put_number(all, "velocity", info.velocity);
  put_number(all, "effort", info.effort);
  put_number(all, "armature", info.armature);
  put_number(all, "pitch", info.pitch);
  put_numbers(all, "axis", info.axis, 3);
  put_numbers(all, "origin", info.origin, 7);
  result_array(c, 0, all);
}

static void describe(const call *c) {
  const tenon_model *model = given_object(c, 0, MODEL)->pointer;
  size_t needed = 0;
  char *all;
  check(tenon_model_describe(model, NULL, 0, &needed), "describe");
  all = mxMalloc(needed);
  check(tenon_model_describe(model, all, needed, NULL), "describe");
  result_array(c, 0, mxCreateString(all));
}

/* ---- constraints */

static void constraints_create(const call *c) {
  const object *model = given_object(c, 0, MODEL);
  tenon_constraints *set = NULL;
  check(tenon_constraints_create(model->pointer, &set, message, sizeof message), message);
  result_number(c, 0, keep(set, CONSTRAINTS, model->nq, model->nv, 0, model->links, 0));
}

static tenon_constraint_options constraint_options(const call *c, int position) {
  tenon_constraint_options chosen;
  check(tenon_constraint_options_init(&chosen, sizeof chosen), "options");
  options(&chosen, constraint_fields, c, position);
  return chosen;
}

static void add_point(const call *c) {
  tenon_constraints *set = given_object(c, 0, CONSTRAINTS)->pointer;
  const double *point = numbers_or_none(c, 2, 3, "point");
  tenon_constraint_options chosen = constraint_options(c, 3);
  int32_t added = -1, link = index_of(c, 1, "link");
  check(tenon_constraints_add_point(set, link, point, 3, &chosen, &added, message, sizeof message), message);
  result_number(c, 0, added + 1);
}

static void add_weld(const call *c) {
  tenon_constraints *set = given_object(c, 0, CONSTRAINTS)->pointer;
  const double *pose = numbers_or_none(c, 2, 7, "pose");
  tenon_constraint_options chosen = constraint_options(c, 3);
  int32_t added = -1, link = index_of(c, 1, "link");
  check(tenon_constraints_add_weld(set, link, pose, 7, &chosen, &added, message, sizeof message), message);
  result_number(c, 0, added + 1);
}

static void add_rows(const call *c) {
  tenon_constraints *set = given_object(c, 0, CONSTRAINTS)->pointer;
  const mxArray *K = argument(c, 2);
  const int32_t rows = (int32_t)mxGetM(K);
  tenon_constraint_options chosen = constraint_options(c, 3);
  int32_t added = -1, link = index_of(c, 1, "link");
  if (mxGetN(K) != 6) fail(TENON_WRONG_SIZE, "K: 6 columns are needed: [angular; linear]");
  check(tenon_constraints_add_rows(set, link, rows, numbers(c, 2, mxGetM(K) * 6, "K"), (size_t)rows * 6,
                                   rows > 0 ? rows : 1, &chosen, &added, message, sizeof message),
        message);
  result_number(c, 0, added + 1);
}

static void finish(const call *c) {
  check(tenon_constraints_finish(given_object(c, 0, CONSTRAINTS)->pointer, message, sizeof message), message);
}

static void constraint_count(const call *c) {
  result_number(c, 0, tenon_constraints_constraint_count(given_object(c, 0, CONSTRAINTS)->pointer));
}

static void row_count(const call *c) {
  result_number(c, 0, tenon_constraints_row_count(given_object(c, 0, CONSTRAINTS)->pointer));
}

const command model_commands[] = {
    {"model_load", model_load},
    {"model_parse", model_parse},
    {"model_sizes", model_sizes},
    {"find_link", find_link},
    {"find_joint", find_joint},
    {"link", link_info},
    {"joint", joint_info},
    {"describe", describe},
    {"constraints_create", constraints_create},
    {"add_point", add_point},
    {"add_weld", add_weld},
    {"add_rows", add_rows},
    {"finish", finish},
    {"constraint_count", constraint_count},
    {"row_count", row_count},
    {NULL, NULL},
};
