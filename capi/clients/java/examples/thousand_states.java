// A thousand states of Atlas on both feet in one call, then some of them 50 ms on: java examples/thousand_states.java
// models/atlas.urdf
import java.util.Arrays;
import java.util.Locale;
import tenon.Batch;
import tenon.BatchOptions;
import tenon.Constraints;
import tenon.Model;
import tenon.ModelOptions;
import tenon.RolloutOptions;
import tenon.Workspace;

class thousand_states {
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT);
    Model robot = Model.load(arguments[0], ModelOptions.floating());
    Constraints feet = new Constraints(robot);
    feet.addWeld("l_foot");
    feet.addWeld("r_foot");
    BatchOptions two = new BatchOptions();
    two.threads = 2;
    try (Batch batch = new Batch(robot, feet, two); Workspace work = new Workspace(robot, feet)) {
      int states = 1000, nq = batch.nq(), nv = batch.nv(), m = batch.m();
      double[] q = new double[states * nq];
      for (int seed = 0; seed < states; seed++) {
        System.arraycopy(work.random(seed), 0, q, seed * nq, nq);
      }
      double[] zero = work.zeros(); // velocities and torques, the same for all
      Workspace.Motion motions = batch.constrainedDynamics(q, zero, zero);
      System.out.printf("%d states of %s: nq %d, nv %d, %d rows%n", states, robot.name(), nq, nv, m);
      System.out.printf("the left foot of state 7 is pushed up by %.1f N%n", motions.lambda()[7 * m + 5]);

      double[] single = work.constrainedDynamics(Arrays.copyOfRange(q, 7 * nq, 8 * nq), zero, zero).qdd();
      double largest = 0, difference = 0;
      for (int i = 0; i < nv; i++) {
        largest = Math.max(largest, Math.abs(single[i]));
        difference = Math.max(difference, Math.abs(single[i] - motions.qdd()[7 * nv + i]));
      }
      System.out.println("agrees with a single call: " + (difference <= 1e-8 * largest));

      RolloutOptions steps = new RolloutOptions();
      steps.dt = 0.001;
      steps.steps = steps.every = 50;
      double fastest = 0;
      for (double v : batch.rollout(Arrays.copyOf(q, 16 * nq), zero, zero, steps).v()) {
        fastest = Math.max(fastest, Math.abs(v));
      }
      System.out.printf("after 50 ms the fastest joint of 16 states turns at %.1f rad/s%n", fastest);
    }
  }
}
