## Loads a robot and prints what it is: octave-cli load_and_print.m models/iiwa14.urdf
robot = tenon.Model(argv(){1});
printf("%s: %d joints, nq %d, nv %d, %.1f kg\n", robot.name, robot.joint_count, robot.nq, robot.nv, robot.total_mass);
printf("%s", robot.describe());
for i = 1:robot.joint_count
  joint = robot.joint(i);
  printf("%s: %s, from %.2f to %.2f\n", joint.name, joint.type, joint.lower, joint.upper);
endfor

work = tenon.Workspace(robot);
q = work.random(1);
work.kinematics(q);
pose = work.link_pose(robot.link_count);
printf("the last link is at %.3f %.3f %.3f\n", pose(1:3));
printf("held against gravity by%s\n", sprintf(" %.2f", work.gravity_force(q)));
