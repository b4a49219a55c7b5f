// Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
// number, so that programs in other languages can be compared to the last one: java examples/atlas.java models/atlas.urdf
import tenon.Constraints;
import tenon.Model;
import tenon.ModelOptions;
import tenon.Workspace;

class atlas {
  public static void main(String[] arguments) {
    try (Model robot = Model.load(arguments[0], ModelOptions.floating()); Constraints feet = new Constraints(robot)) {
      feet.addWeld("l_foot");
      feet.addWeld("r_foot");
      try (Workspace work = new Workspace(robot, feet)) {
        double[] v = work.zeros(), tau = work.zeros();
        for (int i = 6; i < work.nv(); i++) {
          v[i] = 0.01 * i;
          tau[i] = 10.0 - 0.5 * i;
        }
        double[] qdd = work.constrainedDynamics(work.random(1), v, tau).qdd();
        System.out.println(work.status());
        for (int i = 0; i < qdd.length; i++) {
          System.out.printf("qdd[%d] = %016x%n", i, Double.doubleToRawLongBits(qdd[i]));
        }
      }
    }
  }
}
