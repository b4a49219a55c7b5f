// A thousand states of Atlas on both feet in one call, then some of them 50 ms on: mono thousand_states.exe
// models/atlas.urdf
using System;
using System.Globalization;
using System.Linq;
using Tenon;

public static class ThousandStates {
  public static void Main(string[] arguments) {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    Model robot = Model.Load(arguments[0], ModelOptions.Floating);
    Constraints feet = new Constraints(robot);
    feet.AddWeld("l_foot");
    feet.AddWeld("r_foot");
    using (Batch batch = new Batch(robot, feet, new BatchOptions { Threads = 2 }))
    using (Workspace work = new Workspace(robot, feet)) {
      int states = 1000, nq = batch.Nq, nv = batch.Nv, m = batch.M;
      double[] q = new double[states * nq];
      for (int seed = 0; seed < states; seed++) work.Random((ulong)seed, q.AsSpan(seed * nq, nq));
      double[] zero = work.Zeros(); // velocities and torques, the same for all
      Motion motions = batch.ConstrainedDynamics(q, zero, zero);
      Console.WriteLine($"{states} states of {robot.Name}: nq {nq}, nv {nv}, {m} rows");
      Console.WriteLine($"the left foot of state 7 is pushed up by {motions.Lambda[7 * m + 5]:F1} N");

      double[] single = work.ConstrainedDynamics(q.AsSpan(7 * nq, nq), zero, zero).Qdd;
      double largest = single.Max(x => Math.Abs(x));
      double difference = single.Select((x, i) => Math.Abs(x - motions.Qdd[7 * nv + i])).Max();
      Console.WriteLine("agrees with a single call: " + (difference <= 1e-8 * largest ? "true" : "false"));

      RolloutOptions steps = new RolloutOptions { Dt = 0.001, Steps = 50, Every = 50 };
      double fastest = batch.Rollout(q.AsSpan(0, 16 * nq), zero, zero, steps).V.Max(x => Math.Abs(x));
      Console.WriteLine($"after 50 ms the fastest joint of 16 states turns at {fastest:F1} rad/s");
    }
  }
}
