/* Atlas with both feet welded to the ground: loads the robot, solves once, prints every joint acceleration.
 *
 *     cmake -S . -B build -DCMAKE_PREFIX_PATH=<where Tenon is installed> && cmake --build build
 *     build/atlas models/atlas.urdf
 */
#include <inttypes.h>
#include <string.h>

#include "example.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: atlas <atlas.urdf>\n");
    return 2;
  }

  /* The robot, free to move in space. */
  tenon_model_options options;
  tenon_model *model;
  check(tenon_model_options_init(&options, sizeof options), "model options");
  options.base = TENON_BASE_FLOATING;
  check(tenon_model_load_urdf(argv[1], &options, &model, message, sizeof message), message);

  /* Both feet are welded where they are. */
  const char *feet[] = {"l_foot", "r_foot"};
  tenon_constraints *constraints;
  check(tenon_constraints_create(model, &constraints, message, sizeof message), message);
  for (int i = 0; i < 2; ++i) {
    int32_t foot;
    check(tenon_model_find_link(model, feet[i], &foot, message, sizeof message), message);
    check(tenon_constraints_add_weld(constraints, foot, NULL, 0, NULL, NULL, message, sizeof message), message);
  }
  check(tenon_constraints_finish(constraints, message, sizeof message), message);

  tenon_workspace *workspace;
  check(tenon_workspace_create(model, constraints, NULL, &workspace, message, sizeof message), message);

  /* Some state and some joint torques. */
  const size_t nq = (size_t)tenon_model_nq(model), nv = (size_t)tenon_model_nv(model);
  const size_t rows = (size_t)tenon_constraints_row_count(constraints);
  double *q = numbers(nq), *v = numbers(nv), *tau = numbers(nv), *qdd = numbers(nv), *lambda = numbers(rows);
  check(tenon_random(workspace, 1, q, nq), tenon_workspace_message(workspace));
  for (size_t i = 6; i < nv; ++i) {
    v[i] = 0.01 * (double)i;
    tau[i] = 10.0 - 0.5 * (double)i;
  }

  tenon_status status = tenon_constrained_dynamics(workspace, NULL, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0, qdd, nv,
                                                   lambda, rows);
  check(status, tenon_workspace_message(workspace));

  /* As the 64 bits of each number, so that programs can be compared to the last one. */
  printf("%s\n", tenon_status_string(status));
  for (size_t i = 0; i < nv; ++i) {
    uint64_t bits;
    memcpy(&bits, &qdd[i], sizeof bits);
    printf("qdd[%zu] = %016" PRIx64 "\n", i, bits);
  }

  free(q), free(v), free(tau), free(qdd), free(lambda);
  tenon_workspace_destroy(workspace);
  tenon_constraints_destroy(constraints);
  tenon_model_destroy(model);
  return 0;
}
