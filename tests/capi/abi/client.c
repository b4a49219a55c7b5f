/* A program of the present version: it fills every struct that a caller fills, reads the fields of those that Tenon
 * fills, and prints six digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon.h>

static char why[512];

static void need(tenon_status status, const char *call, const char *message) {
  if (status >= 0) return;
  printf("%s: %s: %s\n", call, tenon_status_string(status), message);
  exit(1);
}
#define MADE(call) need(call, #call, why)
#define DONE(call) need(call, #call, tenon_workspace_message(ws))
#define BATCH(call) need(call, #call, tenon_batch_message(batch))

static void show(const char *name, const double *numbers, int count) {
  printf("%s", name);
  for (int i = 0; i < count; ++i) printf(" %.6g", fabs(numbers[i]) < 1e-9 ? 0.0 : numbers[i]);
  printf("\n");
}

static void names(const char *kind, int32_t number) {
  /* Later versions may have more values; those of this one keep their names. */
  static const struct {
    const char *kind;
    int32_t count;
  } then[] = {{"method", 9}, {"delassus_method", 7}, {"damped_method", 8}, {"joint_type", 8}, {"instruction_set", 4},
              {"loop_treatment", 5}, {"convention", 3}, {"log_level", 6}, {"integrator", 2}, {"precision", 2}};
  const int32_t count = tenon_constant_count(number);
  int32_t known = 0;
  for (size_t i = 0; i < sizeof then / sizeof *then; ++i)
    if (strcmp(then[i].kind, kind) == 0) known = then[i].count;
  printf("%s%s", kind, count < known ? " has fewer values" : "");
  for (int32_t value = 0; value < known; ++value) {
    int32_t back = -1;
    const char *name = tenon_constant_name(number, value);
    MADE(tenon_constant_from_name(number, name, &back));
    printf(" %s%s", name, back == value ? "" : " lost");
  }
  printf("\n");
}
#define NAMES(kind, KIND) names(#kind, TENON_CONSTANT_##KIND)

static int32_t heard;
static void hear(void *user, int32_t level, const char *message) {
  heard += level == TENON_LOG_LEVEL_WARNING && message[0] != '\0' && *(const char *)user == 'u';
}

/* phi = q0 - q1 */
static tenon_status equal_angles(void *user, int32_t nq, int32_t nv, int32_t rows, const double *q, const double *v,
                                 double *phi, double *K, double *Kdot_v) {
  (void)user, (void)nq, (void)nv, (void)rows, (void)v;
  phi[0] = q[0] - q[1];
  K[0] = 1, K[1] = -1;
  Kdot_v[0] = 0;
  return TENON_OK;
}

static tenon_batch_array column_by_column(double *data, int32_t count, int32_t states) {
  tenon_batch_array a = {sizeof a, 0, data, (size_t)count * (size_t)states, 0, (size_t)count, states, 1, 0};
  return a;
}

static void humanoid(const char *models) {
  char path[512], user = 'u';
  tenon_model *robot = NULL;
  tenon_constraints *feet = NULL;
  tenon_workspace *ws = NULL;
  tenon_model_options how;
  MADE(tenon_model_options_init(&how, sizeof how));
  how.base = TENON_BASE_FLOATING;
  how.floating_joint_name = "free";
  how.log_callback = hear;
  how.log_user = &user;
  how.gravity[2] = -9.5;
  snprintf(path, sizeof path, "%s/atlas.urdf", models);
  MADE(tenon_model_load_urdf(path, &how, &robot, why, sizeof why));
  const int32_t nq = tenon_model_nq(robot), nv = tenon_model_nv(robot);
  printf("%s: nq %d, nv %d, %d links, depth %d, %.6g kg, joint %s\n", tenon_model_name(robot), nq, nv,
         tenon_model_link_count(robot), tenon_model_depth(robot), tenon_model_total_mass(robot),
         tenon_model_joint_name(robot, 0));
  int32_t left = -1, right = -1, index = -1, knee = -1;
  MADE(tenon_model_find_link(robot, "l_foot", &left, why, sizeof why));
  MADE(tenon_model_find_link(robot, "r_foot", &right, why, sizeof why));
  MADE(tenon_model_find_joint(robot, "l_leg_kny", &knee, why, sizeof why));
  tenon_link_info link;
  MADE(tenon_link_info_init(&link, sizeof link));
  MADE(tenon_model_link_info(robot, left, &link));
  printf("link %s on joint %s, frame %d\n", link.name, tenon_model_joint_name(robot, link.joint), link.is_frame);
  show("mass, centre, inertia", &link.mass, 1), show("", link.center_of_mass, 3), show("", link.inertia, 6);
  tenon_joint_info joint;
  MADE(tenon_joint_info_init(&joint, sizeof joint));
  MADE(tenon_model_joint_info(robot, knee, &joint));
  printf("joint %s: type %s, q %d of %d, v %d of %d, cluster %d, independent %d, folded %d\n", joint.name,
         tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, joint.type), joint.nq, joint.q_index, joint.nv, joint.v_index,
         joint.cluster, joint.independent, joint.folded);
  show("axis", joint.axis, 3), show("limits", &joint.lower, 2), show("origin", joint.origin, 7);

  MADE(tenon_constraints_create(robot, &feet, why, sizeof why));
  const double weights[6] = {1, 1, 1, 2, 2, 2}, compliance[3] = {1e-6, 1e-6, 1e-6}, point[3] = {0.1, 0, -0.05};
  tenon_constraint_options hold;
  MADE(tenon_constraint_options_init(&hold, sizeof hold));
  hold.name = "left";
  hold.frequency = 20;
  hold.damping_ratio = 0.7;
  hold.weights = weights, hold.weights_count = 6;
  MADE(tenon_constraints_add_weld(feet, left, NULL, 0, &hold, &index, why, sizeof why));
  MADE(tenon_constraint_options_init(&hold, sizeof hold));
  hold.name = "right";
  hold.axes = TENON_AXES_WORLD;
  hold.compliance = compliance, hold.compliance_count = 3;
  MADE(tenon_constraints_add_point(feet, right, point, 3, &hold, &index, why, sizeof why));
  MADE(tenon_constraints_finish(feet, why, sizeof why));
  MADE(tenon_constraints_find_constraint(feet, "right", &index, why, sizeof why));
  tenon_constraint_info info;
  MADE(tenon_constraint_info_init(&info, sizeof info));
  MADE(tenon_constraints_constraint_info(feet, 0, &info));
  printf("constraint %s on %s: rows %d from %d, bits %u, axes %s, %g %g; right is %d of %d rows\n", info.name,
         tenon_model_link_name(robot, info.link), info.row_count, info.first_row, info.rows,
         tenon_constant_name(TENON_CONSTANT_AXES, info.axes), info.frequency, info.damping_ratio, index,
         tenon_constraints_row_count(feet));

  tenon_workspace_options room;
  MADE(tenon_workspace_options_init(&room, sizeof room));
  room.instruction_set = TENON_INSTRUCTION_SET_BASELINE;
  room.methods = 1u << TENON_METHOD_PV | 1u << TENON_METHOD_PROX_LTL;
  room.delassus_methods = 1u << TENON_DELASSUS_METHOD_EFPA;
  room.damped_methods = 1u << TENON_DAMPED_METHOD_CABA_OSIM;
  room.products = TENON_PRODUCT_ALL;
  MADE(tenon_workspace_create(robot, feet, &room, &ws, why, sizeof why));
  printf("kernels %s\n", tenon_constant_name(TENON_CONSTANT_INSTRUCTION_SET, tenon_workspace_instruction_set(ws)));
  tenon_constraint_settings now;
  double w[6], r[6];
  MADE(tenon_constraint_settings_init(&now, sizeof now));
  DONE(tenon_workspace_constraint_settings(ws, 0, &now, w, 6, r, 6));
  printf("settings %d %g %g", now.active, now.frequency, now.damping_ratio), show("", w, 6);

  double q[64], v[64], tau[64], a[64], qdd[64], lambda[9] = {0}, back[64], A[81], M[64 * 64], pose[7];
  DONE(tenon_neutral(ws, q, (size_t)nq));
  for (int32_t i = 7; i < nq; ++i) q[i] = 0.3 * sin(1.7 * i);
  for (int32_t i = 0; i < nv; ++i) v[i] = 0.4 * cos(2.3 * i), tau[i] = 5 * sin(0.9 * i), a[i] = cos(1.1 * i);
  DONE(tenon_workspace_anchor_here(ws, q, (size_t)nq));
  DONE(tenon_workspace_anchor(ws, 0, pose, 7));
  show("anchor", pose, 7);
  for (int32_t method = TENON_METHOD_AUTOMATIC; method <= TENON_METHOD_PV_EARLY; ++method) {
    tenon_solve_options options;
    MADE(tenon_solve_options_init(&options, sizeof options));
    options.method = method;
    options.absolute_tolerance = 1e-11;
    options.relative_tolerance = 1e-10;
    DONE(tenon_constrained_dynamics(ws, &options, q, (size_t)nq, v, (size_t)nv, tau, (size_t)nv, NULL, 0, NULL, 0, qdd,
                                    (size_t)nv, lambda, 9));
    printf("%s", tenon_constant_name(TENON_CONSTANT_METHOD, method)), show("", qdd, 4), show("  forces", lambda, 9);
    tenon_solve_report report;
    MADE(tenon_solve_report_init(&report, sizeof report));
    DONE(tenon_workspace_report(ws, &report));
    if (method == TENON_METHOD_DENSE || method == TENON_METHOD_CONSTRAINED_ABA)
      printf("  by %s, iterated %d, small %d %d\n", tenon_constant_name(TENON_CONSTANT_METHOD, report.method),
             report.iterations > 1, report.primal_residual < 1e-6, report.dual_residual < 1e-6);
  }
  tenon_delassus_options form;
  MADE(tenon_delassus_options_init(&form, sizeof form));
  form.method = TENON_DELASSUS_METHOD_EFPA;
  DONE(tenon_delassus(ws, &form, q, (size_t)nq, A, 81, 9));
  show("delassus", A, 9);
  tenon_damped_options damp;
  MADE(tenon_damped_options_init(&damp, sizeof damp));
  damp.mu = 1e3;
  DONE(tenon_delassus_inverse(ws, &damp, q, (size_t)nq, A, 81, 9));
  show("inverse", A, 9);
  DONE(tenon_mass_matrix(ws, q, (size_t)nq, M, 64 * 64, 64));
  show("mass matrix", M + 64 * 9, 9);
  DONE(tenon_inverse_dynamics(ws, q, (size_t)nq, v, (size_t)nv, a, (size_t)nv, NULL, 0, back, (size_t)nv));
  show("inverse dynamics", back, 6);
  DONE(tenon_kinematics(ws, q, (size_t)nq, v, (size_t)nv, NULL, 0));
  DONE(tenon_link_pose(ws, right, pose, 7, NULL, 0));
  double energy[2];
  DONE(tenon_energy(ws, energy, energy + 1));
  show("pose", pose, 7), show("energy", energy, 2);

  DONE(tenon_step_semi_implicit_euler(ws, NULL, 1e-3, q, (size_t)nq, v, (size_t)nv, tau, (size_t)nv, NULL, 0, NULL, 0,
                                      NULL, 0));
  show("stepped", q, 9);
  tenon_projection_options reach;
  MADE(tenon_projection_options_init(&reach, sizeof reach));
  reach.tolerance = 1e-10;
  q[8] += 1e-3;
  DONE(tenon_project_positions(ws, &reach, q, (size_t)nq));
  show("projected", q, 9);
  const tenon_status refused = tenon_mass_matrix(ws, q, 3, M, 64 * 64, 64);
  printf("refused: %s, %d\n", tenon_status_string(refused), tenon_workspace_message(ws)[0] != '\0');

  /* four states, coordinates apart from each other */
  enum { states = 4 };
  tenon_batch *batch = NULL;
  tenon_batch_options many;
  MADE(tenon_batch_options_init(&many, sizeof many));
  many.instruction_set = TENON_INSTRUCTION_SET_BASELINE;
  many.threads = 2;
  MADE(tenon_batch_create(robot, feet, &many, &batch, why, sizeof why));
  DONE(tenon_workspace_anchor(ws, 0, pose, 7));
  BATCH(tenon_batch_set_anchor(batch, 0, pose, 7));
  double *block = calloc((size_t)(2 * nq + 6 * nv + 9) * states, sizeof *block);
  double *bq = block, *bv = bq + nq * states, *bqdd = bv + nv * states, *bl = bqdd + nv * states;
  double *bq_out = bl + 9 * states, *bv_out = bq_out + nq * states;
  for (int32_t s = 0; s < states; ++s) {
    for (int32_t i = 0; i < nq; ++i) bq[i * states + s] = q[i];
    for (int32_t i = 0; i < nv; ++i) bv[i * states + s] = 0.1 * (s + 1) * v[i];
  }
  tenon_batch_array Q = column_by_column(bq, nq, states), V = column_by_column(bv, nv, states);
  tenon_batch_array T = {sizeof T, 0, tau, (size_t)nv, 0, (size_t)nv, 1, 0, 0};
  tenon_batch_array D = column_by_column(bqdd, nv, states), L = column_by_column(bl, 9, states);
  tenon_batch_array QO = column_by_column(bq_out, nq, states), VO = column_by_column(bv_out, nv, states);
  int32_t status[states], iterations[states];
  BATCH(tenon_batch_constrained_dynamics(batch, NULL, states, &Q, &V, &T, NULL, NULL, &D, &L, iterations, states, status,
                                         states));
  show("batch", bqdd, states), show("  forces", bl + 5 * states, states);
  tenon_rollout_options roll;
  MADE(tenon_rollout_options_init(&roll, sizeof roll));
  roll.integrator = TENON_INTEGRATOR_RUNGE_KUTTA_4;
  roll.dt = 5e-4, roll.steps = 3, roll.every = 3;
  BATCH(tenon_batch_rollout(batch, &roll, states, &Q, &V, &T, NULL, &QO, &VO, status, states));
  show("rollout", bq_out + 2 * states, states);
  printf("statuses %d %d %d %d\n", status[0], status[1], status[2], status[3]);
  free(block);
  tenon_batch_destroy(batch);
  tenon_model_destroy(robot), tenon_constraints_destroy(feet), tenon_workspace_destroy(ws);
}

static void built(void) {
  tenon_builder *builder = NULL;
  tenon_model *robot = NULL;
  tenon_workspace *ws = NULL;
  int32_t base, links[3];
  const double centre[3] = {0, 0, -0.5}, inertia[6] = {0.02, 0, 0, 0.02, 0, 0.001};
  MADE(tenon_builder_create("three", &builder, why, sizeof why));
  MADE(tenon_builder_add_link(builder, "base", 0, NULL, 0, NULL, 0, &base, why, sizeof why));
  for (int i = 0; i < 3; ++i) {
    char name[] = "link0", hinge[] = "joint0";
    name[4] = hinge[5] = (char)('0' + i);
    MADE(tenon_builder_add_link(builder, name, 1 + i, centre, 3, inertia, 6, links + i, why, sizeof why));
    tenon_joint_options joint;
    MADE(tenon_joint_options_init(&joint, sizeof joint));
    joint.parent_link = i == 0 ? base : links[i - 1];
    joint.child_link = links[i];
    joint.origin[2] = i == 0 ? 0 : -1;
    joint.axis[0] = 0, joint.axis[1] = 1;
    joint.armature = 0.01 * i;
    joint.dependent = i == 2;
    MADE(tenon_builder_add_joint(builder, hinge, &joint, why, sizeof why));
  }
  const char *const tied[2] = {"joint1", "joint2"};
  MADE(tenon_builder_add_implicit(builder, "same", tied, 2, 1, equal_angles, NULL, NULL, why, sizeof why));
  MADE(tenon_builder_finish(builder, NULL, &robot, why, sizeof why));
  MADE(tenon_workspace_create(robot, NULL, NULL, &ws, why, sizeof why));
  double q[3] = {0.3, -0.4, -0.4}, v[3] = {0.1, 0.2, 0.2}, tau[3] = {1, 2, 0.5}, qdd[3];
  DONE(tenon_forward_dynamics(ws, q, 3, v, 3, tau, 3, NULL, 0, qdd, 3));
  printf("built: ny %d", tenon_model_ny(robot)), show("", qdd, 3);
  tenon_builder_destroy(builder), tenon_workspace_destroy(ws), tenon_model_destroy(robot);
}

static void linkage(const char *models) {
  char path[512];
  tenon_model *robot = NULL;
  tenon_workspace *ws = NULL;
  snprintf(path, sizeof path, "%s/four_bar.urdf", models);
  MADE(tenon_model_load_urdf(path, NULL, &robot, why, sizeof why));
  MADE(tenon_workspace_create(robot, NULL, NULL, &ws, why, sizeof why));
  tenon_cluster_info cluster;
  tenon_loop_info loop;
  tenon_loop_state state;
  tenon_closing_options close;
  tenon_assembly_options search;
  MADE(tenon_cluster_info_init(&cluster, sizeof cluster));
  MADE(tenon_model_cluster_info(robot, 0, &cluster));
  printf("cluster: parent %d, joints %d, nv %d, ny %d, rows %d, rank %d, loops %d, constant %d\n", cluster.parent_joint,
         cluster.joint_count, cluster.nv, cluster.ny, cluster.row_count, cluster.rank, cluster.loop_count,
         cluster.constant_map);
  MADE(tenon_loop_info_init(&loop, sizeof loop));
  MADE(tenon_model_loop_info(robot, 0, &loop));
  printf("loop %s: %s, cluster %d, rows %d\n", loop.name, tenon_constant_name(TENON_CONSTANT_LOOP_KIND, loop.kind),
         loop.cluster, loop.row_count);
  double q[8], v[8] = {0}, y[1] = {0}, all[64];
  const size_t nq = (size_t)tenon_model_nq(robot), nv = (size_t)tenon_model_nv(robot);
  DONE(tenon_workspace_guess(ws, q, nq));
  MADE(tenon_closing_options_init(&close, sizeof close));
  close.moves = TENON_LOOP_MOVES_DEPENDENT;
  q[0] += 0.1;
  DONE(tenon_close_loops(ws, &close, q, nq, NULL));
  MADE(tenon_loop_state_init(&state, sizeof state));
  DONE(tenon_check_loops(ws, q, nq, v, nv, &state));
  printf("closed %d, worst %d\n", state.position_gap < 1e-9 && state.velocity_gap < 1e-9, state.position_loop);
  DONE(tenon_independent_position(ws, q, nq, y, 1));
  printf("same coordinate %d\n", fabs(y[0] - q[0]) < 1e-12);
  MADE(tenon_assembly_options_init(&search, sizeof search));
  search.starts = 10;
  int32_t found = 0;
  DONE(tenon_find_assemblies(ws, &search, q, nq, 8, all, 8 * nq, &found));
  printf("assemblies %d\n", found);
  tenon_workspace_destroy(ws), tenon_model_destroy(robot);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  /* What packaging/site/abi.md tells clients to do. */
  printf("library fits the header: %d\n",
         tenon_version() / 100 == TENON_VERSION / 100 && tenon_version() >= TENON_VERSION);
  NAMES(method, METHOD), NAMES(delassus_method, DELASSUS_METHOD), NAMES(damped_method, DAMPED_METHOD);
  NAMES(joint_type, JOINT_TYPE), NAMES(instruction_set, INSTRUCTION_SET), NAMES(loop_treatment, LOOP_TREATMENT);
  NAMES(convention, CONVENTION), NAMES(log_level, LOG_LEVEL), NAMES(integrator, INTEGRATOR);
  NAMES(precision, PRECISION);
  humanoid(argv[1]);
  built();
  linkage(argv[1]);
  return 0;
}
