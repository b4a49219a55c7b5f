// Loads a robot and prints what it is: mono load_and_print.exe models/iiwa14.urdf
using System;
using System.Globalization;
using System.Linq;
using Tenon;

public static class LoadAndPrint {
  static string Text(double[] numbers, int count, string digits) {
    return string.Join(" ", numbers.Take(count).Select(x => x.ToString(digits)));
  }

  public static void Main(string[] arguments) {
    CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
    using (Model robot = Model.Load(arguments[0]))
    using (Workspace work = new Workspace(robot)) {
      Console.WriteLine($"{robot.Name}: {robot.JointCount} joints, nq {robot.Nq}, nv {robot.Nv}, {robot.TotalMass:F1} kg");
      Console.Write(robot.Describe());
      foreach (string name in robot.Joints) {
        JointInfo joint = robot.Joint(name);
        string type = joint.Type.ToString().ToLowerInvariant();
        Console.WriteLine($"{name}: {type}, from {joint.Lower:F2} to {joint.Upper:F2}");
      }

      double[] q = work.Random(1);
      work.Kinematics(q);
      Console.WriteLine("the last link is at " + Text(work.LinkPose(robot.LinkCount - 1), 3, "F3"));
      Console.WriteLine("held against gravity by " + Text(work.GravityForce(q), work.Nv, "F2"));
    }
  }
}
