/* Holds Atlas by both feet, without torques, and checks Newton's law: what the feet carry, less its weight, is the rate of
 * its momentum. The argument is the path of atlas.urdf. */
#include <math.h>
#include <stdio.h>
#include <tenon.h>

#define CHECKED(call) \
  if ((call) < 0) return fprintf(stderr, "%s: %s\n", #call, why), 1

int main(int count, char **arguments) {
  char why[512] = "";
  tenon_model *robot = NULL;
  tenon_constraints *feet = NULL;
  tenon_workspace *workspace = NULL;
  tenon_model_options options;
  const char *names[] = {"l_foot", "r_foot"};
  double q[64], v[64] = {0}, torques[64] = {0}, acceleration[64], force[12], momentum[6], missing;
  size_t nq, nv;
  int i;
  if (count != 2) return fprintf(stderr, "usage: feet atlas.urdf\n"), 2;
  tenon_model_options_init(&options, sizeof options);
  options.base = TENON_BASE_FLOATING;
  CHECKED(tenon_model_load_urdf(arguments[1], &options, &robot, why, sizeof why));
  CHECKED(tenon_constraints_create(robot, &feet, why, sizeof why));
  for (i = 0; i < 2; i++) {
    int32_t link;
    CHECKED(tenon_model_find_link(robot, names[i], &link, why, sizeof why));
    CHECKED(tenon_constraints_add_weld(feet, link, NULL, 0, NULL, NULL, why, sizeof why));
  }
  CHECKED(tenon_constraints_finish(feet, why, sizeof why));
  CHECKED(tenon_workspace_create(robot, feet, NULL, &workspace, why, sizeof why));
  nq = (size_t)tenon_model_nq(robot), nv = (size_t)tenon_model_nv(robot);
  CHECKED(tenon_neutral(workspace, q, nq));
  CHECKED(tenon_constrained_dynamics(workspace, NULL, q, nq, v, nv, torques, nv, NULL, 0, NULL, 0, acceleration, nv, force, 12));
  /* At rest the rate of the momentum is the momentum of accelerations taken for velocities. */
  CHECKED(tenon_kinematics(workspace, q, nq, acceleration, nv, NULL, 0));
  CHECKED(tenon_centroidal_momentum(workspace, momentum, 6));
  missing = force[5] + force[11] - 9.81 * tenon_model_total_mass(robot) - momentum[5];
  printf("Tenon %s: the feet carry %.1f N and %.1f N\n", tenon_version_string(), force[5], force[11]);
  tenon_workspace_destroy(workspace), tenon_constraints_destroy(feet), tenon_model_destroy(robot);
  return force[5] > 0 && fabs(missing) < 1e-6 ? 0 : 1;
}
