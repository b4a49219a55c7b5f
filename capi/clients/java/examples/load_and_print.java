// Loads a robot and prints what it is: java examples/load_and_print.java models/iiwa14.urdf
import java.util.Locale;
import tenon.JointInfo;
import tenon.Model;
import tenon.Workspace;

class load_and_print {
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT);
    try (Model robot = Model.load(arguments[0]); Workspace work = new Workspace(robot)) {
      System.out.printf("%s: %d joints, nq %d, nv %d, %.1f kg%n", robot.name(), robot.jointCount(), robot.nq(), robot.nv(),
          robot.totalMass());
      System.out.print(robot.describe());
      for (int i = 0; i < robot.jointCount(); i++) {
        JointInfo joint = robot.joint(i);
        String type = joint.type.name().toLowerCase();
        System.out.printf("%s: %s, from %.2f to %.2f%n", robot.joints().get(i), type, joint.lower, joint.upper);
      }

      double[] q = work.random(1);
      work.kinematics(q);
      double[] pose = work.linkPose(robot.linkCount() - 1);
      System.out.printf("the last link is at %.3f %.3f %.3f%n", pose[0], pose[1], pose[2]);
      System.out.print("held against gravity by");
      for (double tau : work.gravityForce(q)) {
        System.out.printf(" %.2f", tau);
      }
      System.out.println();
    }
  }
}
