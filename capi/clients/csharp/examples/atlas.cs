// Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
// number, so that programs in other languages can be compared to the last one: mono atlas.exe models/atlas.urdf
using System;
using Tenon;

public static class Atlas {
  public static void Main(string[] arguments) {
    using (Model robot = Model.Load(arguments[0], ModelOptions.Floating))
    using (Constraints feet = new Constraints(robot)) {
      feet.AddWeld("l_foot");
      feet.AddWeld("r_foot");
      using (Workspace work = new Workspace(robot, feet)) {
        double[] v = work.Zeros(), tau = work.Zeros();
        for (int i = 6; i < work.Nv; i++) {
          v[i] = 0.01 * i;
          tau[i] = 10.0 - 0.5 * i;
        }
        Motion motion = work.ConstrainedDynamics(work.Random(1), v, tau);
        Console.WriteLine(work.Status.ToString().ToLowerInvariant());
        for (int i = 0; i < work.Nv; i++) {
          Console.WriteLine("qdd[" + i + "] = " + BitConverter.DoubleToInt64Bits(motion.Qdd[i]).ToString("x16"));
        }
      }
    }
  }
}
