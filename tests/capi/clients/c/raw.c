/* What the client of every language does on its raw layer, and prints: layouts of all structs, version and build, a robot,
 * a joint of it, a mistake with its message, and the accelerations of a falling robot as the 64 bits of each number.
 *
 *     raw models/atlas.urdf
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon.h>

void print_layouts(void); /* generated */

static void check(tenon_status status, const char *message) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s\n", tenon_status_string(status), message);
  exit(1);
}

static uint64_t bits(double x) {
  uint64_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

int main(int argc, char **argv) {
  char message[512];
  tenon_model_options options;
  tenon_joint_info info;
  tenon_model *model;
  tenon_workspace *workspace;
  tenon_status status;
  int32_t index = -1;
  if (argc != 2) return 2;
  print_layouts();
  printf("version %d %s\n%s\n", tenon_version(), tenon_version_string(), tenon_build_info());

  check(tenon_model_options_init(&options, sizeof options), "options");
  options.base = TENON_BASE_FLOATING;
  check(tenon_model_load_urdf(argv[1], &options, &model, message, sizeof message), message);
  const size_t nq = (size_t)tenon_model_nq(model), nv = (size_t)tenon_model_nv(model);
  printf("%s: %zu positions, %zu velocities\n", tenon_model_name(model), nq, nv);

  check(tenon_model_find_joint(model, "l_leg_kny", &index, message, sizeof message), message);
  check(tenon_joint_info_init(&info, sizeof info), "info");
  check(tenon_model_joint_info(model, index, &info), "info");
  printf("%s %d: upper %016" PRIx64 ", origin z %016" PRIx64 "\n", info.name, index, bits(info.upper), bits(info.origin[2]));
  status = tenon_model_find_link(model, "nowhere", &index, message, sizeof message);
  printf("%s: %s\n", tenon_status_string(status), message);

  check(tenon_workspace_create(model, NULL, NULL, &workspace, message, sizeof message), message);
  double *q = calloc(nq, sizeof *q), *v = calloc(nv, sizeof *v), *tau = calloc(nv, sizeof *tau), *qdd = calloc(nv, sizeof *qdd);
  if (q == NULL || v == NULL || tau == NULL || qdd == NULL) return 1;
  check(tenon_random(workspace, 7, q, nq), tenon_workspace_message(workspace));
  for (size_t i = 0; i < nv; ++i) {
    v[i] = 0.01 * (double)i;
    tau[i] = 10.0 - 0.5 * (double)i;
  }
  check(tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, NULL, 0, qdd, nv), tenon_workspace_message(workspace));
  for (size_t i = 0; i < nv; ++i) printf("qdd[%zu] = %016" PRIx64 "\n", i, bits(qdd[i]));

  free(q), free(v), free(tau), free(qdd);
  tenon_workspace_destroy(workspace);
  tenon_model_destroy(model);
  return 0;
}
