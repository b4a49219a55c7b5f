/* Tello, a humanoid with differentials, dropped from rest: a robot from URDF whose remaining constraints are functions.
 *
 *     cmake -S . -B build -DCMAKE_PREFIX_PATH=<where Tenon is installed> && cmake --build build
 *     build/tello models/tello.urdf
 */
#include "tello.h"

#include "example.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: tello <tello.urdf>\n");
    return 2;
  }

  /* Tree and gears from the file, the differentials from here. */
  tenon_builder *builder;
  tenon_model *model;
  tenon_model_options options;
  check(tenon_model_options_init(&options, sizeof options), "model options");
  options.base = TENON_BASE_FLOATING;
  check(tenon_builder_load_urdf(argv[1], NULL, &builder, message, sizeof message), message);
  check(tello_add_differentials(builder, message, sizeof message), message);
  check(tenon_builder_finish(builder, &options, &model, message, sizeof message), message);
  tenon_builder_destroy(builder);

  tenon_workspace *workspace;
  check(tenon_workspace_create(model, NULL, NULL, &workspace, message, sizeof message), message);
  const size_t nq = (size_t)tenon_model_nq(model), nv = (size_t)tenon_model_nv(model);
  printf("%zu velocity coordinates, %d independent\n", nv, (int)tenon_model_ny(model));

  /* A fifth of a second of free fall, the rotors of the left hip pulling. */
  double *q = numbers(nq), *v = numbers(nv), *tau = numbers(nv);
  check(tenon_neutral(workspace, q, nq), tenon_workspace_message(workspace));
  check(tenon_close_loops(workspace, NULL, q, nq, NULL), tenon_workspace_message(workspace));
  const char *const rotors[2] = {"left-hip-clamp-to-hip-rotor-1", "left-hip-clamp-to-hip-rotor-2"};
  tenon_joint_info rotor[2];
  for (int i = 0; i < 2; ++i) {
    int32_t joint;
    check(tenon_model_find_joint(model, rotors[i], &joint, message, sizeof message), message);
    check(tenon_joint_info_init(&rotor[i], sizeof rotor[i]), "joint info");
    check(tenon_model_joint_info(model, joint, &rotor[i]), "joint info");
    tau[rotor[i].v_index] = 0.1;
  }
  for (int step = 0; step < 200; ++step) {
    check(tenon_step_runge_kutta_4(workspace, NULL, 1e-3, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0, NULL, 0),
          tenon_workspace_message(workspace));
    check(tenon_close_loops(workspace, NULL, q, nq, NULL), tenon_workspace_message(workspace));
    check(tenon_close_loop_velocities(workspace, NULL, q, nq, v, nv),
          tenon_workspace_message(workspace));
  }
  double gap, angle[2];
  check(tenon_loop_gap(workspace, q, nq, &gap), tenon_workspace_message(workspace));
  for (int i = 0; i < 2; ++i) angle[i] = q[rotor[i].q_index];
  printf("after 0.2 s: height %.3f m, rotors of the left hip at %.3f and %.3f rad, loops closed to %.0e\n", q[2],
         angle[0], angle[1], gap < 1e-12 ? 1e-12 : gap);

  free(q), free(v), free(tau);
  tenon_workspace_destroy(workspace);
  tenon_model_destroy(model);
  return 0;
}
