// Loads a robot and prints what it is: load_and_print models/iiwa14.urdf
#include <cstdio>
#include <tenon.hpp>

int main(int argc, char** argv) try {
  const tenon::Model robot = tenon::Model::load(argc > 1 ? argv[1] : "models/iiwa14.urdf");
  std::printf("%s: %d joints, nq %zu, nv %zu, %.1f kg\n", robot.name().c_str(), robot.joint_count(),
              robot.nq(), robot.nv(), robot.total_mass());
  std::printf("%s", robot.describe().c_str());
  for (int i = 0; i < robot.joint_count(); ++i) {
    const tenon::JointInfo joint = robot.joint(i);
    std::printf("%s: %s, from %.2f to %.2f\n", joint.name,
                tenon_constant_name(TENON_CONSTANT_JOINT_TYPE, joint.type), joint.lower, joint.upper);
  }

  tenon::Workspace work(robot);
  const tenon::Vector q = work.random(1);
  work.kinematics(q);
  const auto pose = work.link_pose(robot.link_count() - 1);
  std::printf("the last link is at %.3f %.3f %.3f\n", pose[0], pose[1], pose[2]);
  std::printf("held against gravity by");
  for (const double tau : work.gravity_force(q)) std::printf(" %.2f", tau);
  std::printf("\n");
} catch (const tenon::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
