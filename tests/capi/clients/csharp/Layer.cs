// What the classes of C# hand to the library and back, against identities that the calls under test do not compute
// themselves: Layer.exe models.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using Tenon;

public static class Layer {
  static int checks, failures;

  static void Check(bool good, string what) {
    checks++;
    if (good) return;
    failures++;
    Console.WriteLine("failed: " + what);
  }

  static void Close(double[] a, double[] b, double tolerance, string what) {
    Check(a.Length == b.Length && a.Zip(b, (x, y) => Math.Abs(x - y) <= tolerance * (1 + Math.Abs(y))).All(x => x), what);
  }

  // The call throws an error of this kind, in whose message the words are.
  static void Fails<E>(Action call, string words) where E : Exception {
    try {
      call();
      Check(false, "nothing thrown: " + words);
    } catch (Exception error) {
      Check(error is E && error.Message.Contains(words), error.ToString());
    }
  }

  static double[] Filled(int n, Func<int, double> of) {
    return Enumerable.Range(0, n).Select(of).ToArray();
  }

  static double[] Plus(double[] a, double[] b, double factor = 1) {
    return a.Zip(b, (x, y) => x + factor * y).ToArray();
  }

  static double[] Times(Matrix A, double[] x) {
    return Filled(A.Rows, i => x.Select((xj, j) => A[i, j] * xj).Sum());
  }

  static double[] TransposedTimes(Matrix A, double[] x) {
    return Filled(A.Columns, j => x.Select((xi, i) => A[i, j] * xi).Sum());
  }

  static void Models(string folder) {
    Model robot = Model.Load(folder + "/iiwa14.urdf");
    Check(robot.Name == "iiwa14" && robot.Nq == 7 && robot.Nv == 7 && !robot.FloatingBase, "iiwa14");
    Check(robot.Links[robot.LinkIndex("iiwa_link_7")] == "iiwa_link_7", "links");
    Check(robot.JointIndex("iiwa_joint_3") == 2 && robot.Joint(2).Name == "iiwa_joint_3", "joints");
    Check(robot.Joint("iiwa_joint_3").Type == JointType.Revolute && robot.Joint(2).Axis.Length == 3, "joint");
    Close(new[] { robot.Links.Sum(link => robot.Link(link).Mass) }, new[] { robot.TotalMass }, 1e-10, "masses");
    Check(robot.Describe().Contains("iiwa_joint_7") && robot.Describe().EndsWith("\n"), "describe");
    Check(robot.Warnings.Count == 0 && Library.Version.Contains("."), "warnings, version");
    Fails<TenonException>(() => robot.LinkIndex("iiwa_link_8"), "did you mean");
    Fails<TenonException>(() => robot.Joint(99), "joint 99");
    Fails<TenonException>(() => Model.Load("none.urdf"), "none.urdf");
    Fails<TenonException>(() => Model.Parse("<robot"), "parse_error");
    string bad = File.ReadAllText(folder + "/iiwa14.urdf").Replace("<child link=\"iiwa_link_4\"", "<child link=\"gone\"");
    Fails<TenonException>(() => Model.Parse(bad), "gone");
    try {
      Model.Parse(bad);
    } catch (TenonException error) {
      Check(error.Status == Status.InvalidModel, "status " + error.Status);
    }
    Fails<TenonException>(() => Model.Load(null), "path is NULL");
    Fails<TenonException>(() => Model.Load("x", new ModelOptions { Gravity = new double[2] }), "3 are needed");
    ModelOptions free = new ModelOptions { Base = Base.Floating, FloatingJointName = "free", Gravity = new double[] { 0, 0, -1 } };
    Model floating = Model.Parse(File.ReadAllText(folder + "/iiwa14.urdf"), free);
    Check(floating.Joints[0] == "free" && floating.Nv == 13 && new Workspace(floating).Gravity[2] == -1, "options");
  }

  static void Constants() {
    Type[] kinds = typeof(Model).Assembly.GetTypes().Where(t => t.IsEnum && t.Namespace == "Tenon" && t.IsPublic).ToArray();
    Check(kinds.Length >= 20, kinds.Length + " kinds of constants");
    foreach (Type kind in kinds) {
      bool status = kind == typeof(Status);
      string name = status ? "" : Snake(kind.Name) + "_";
      bool beyond = !status && typeof(TenonRaw.Tenon).GetFields().Any(f => f.Name.StartsWith("TENONX_" + name));
      string prefix = beyond ? "TENONX_" : "TENON_";
      int found = 0;
      foreach (string value in Enum.GetNames(kind)) {
        FieldInfo raw = typeof(TenonRaw.Tenon).GetField(prefix + name + Snake(value));
        if (raw == null && kind == typeof(Rows)) continue;  // single rows, which tenon.h names by their bits
        Check(raw != null && Convert.ToInt64(raw.GetValue(null)) == (int)Enum.Parse(kind, value), kind.Name + "." + value);
        ++found;
      }
      int wanted = typeof(TenonRaw.Tenon).GetFields().Count(f => f.Name.StartsWith(prefix + name));
      Check(status || found == wanted, kind.Name + " has " + found + " of " + wanted + " values");
    }
    Check((int)(Rows.AngularX | Rows.AngularY | Rows.AngularZ) == (int)Rows.Angular, "rows that turn");
    Check((int)(Rows.LinearX | Rows.LinearY | Rows.LinearZ) == (int)Rows.Linear, "rows that shift");
  }

  static string Snake(string name) {
    string split = System.Text.RegularExpressions.Regex.Replace(name, "([a-z])([A-Z])", "$1_$2");
    return split.Replace("64V", "64_V").Replace("Kutta4", "Kutta_4").ToUpperInvariant();
  }

  static void Dynamics(string folder) {
    Model robot = Model.Load(folder + "/atlas.urdf", ModelOptions.Floating);
    Workspace work = new Workspace(robot);
    double[] q = work.Random(3), v = Filled(work.Nv, i => -0.2 + 0.01 * i), tau = Filled(work.Nv, i => 5 - 0.3 * i);
    double[] qdd = work.ForwardDynamics(q, v, tau);
    Close(Plus(Times(work.MassMatrix(q), qdd), work.Bias(q, v)), tau, 1e-8, "M qdd + c = tau");
    Close(work.InverseDynamics(q, v, qdd), tau, 1e-8, "inverse dynamics");
    int hand = robot.LinkIndex("l_hand");
    double[] wrenches = new double[6 * robot.LinkCount];
    wrenches[6 * hand + 3] = -10;
    work.Kinematics(q, v);
    Matrix J = work.Jacobian(hand, null, Axes.Link);
    Close(Times(J, v), work.LinkVelocity(hand, Axes.Link), 1e-10, "J v");
    double[] push = TransposedTimes(J, new double[] { 0, 0, 0, 10, 0, 0 });
    Close(work.InverseDynamics(q, v, qdd, wrenches), Plus(tau, push), 1e-8, "wrenches");
    Close(work.Difference(q, work.Integrate(q, v, 0.01)), v.Select(x => 0.01 * x).ToArray(), 1e-10, "difference");
    double twice = v.Zip(Times(work.MassMatrix(q), v), (a, b) => a * b).Sum();
    Close(new[] { work.Energy().Kinetic }, new[] { twice / 2 }, 1e-9, "kinetic energy");
    double[] wide = Enumerable.Repeat(7.0, work.Nv + 2).ToArray(); // a part of an array
    work.ForwardDynamics(q, v, tau, null, wide.AsSpan(1, work.Nv));
    Check(wide[0] == 7 && wide[work.Nv + 1] == 7 && wide.Skip(1).Take(work.Nv).SequenceEqual(qdd), "a span");

    long allocated = GC.GetAllocatedBytesForCurrentThread();
    for (int i = 0; i < 1000; i++) work.ForwardDynamics(q, v, tau, wrenches, qdd);
    allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
    Check(allocated < 1000, "1000 calls allocate " + allocated + " bytes");
    work.ForwardDynamics(q, v, tau, null, qdd);

    // What does not fit is refused: nothing is written.
    work.Kinematics(q);
    double[] before = (double[])qdd.Clone();
    Fails<TenonException>(() => work.ForwardDynamics(new double[3], v, tau, null, qdd), "q has 3 numbers");
    Fails<TenonException>(() => work.ForwardDynamics(q, v, null, null, qdd), "tau is NULL; give 36");
    Fails<TenonException>(() => work.ForwardDynamics(q, v, tau, new double[5], qdd), "wrenches has 5 numbers");
    Fails<TenonException>(() => work.ForwardDynamics(q, v, tau, null, new double[35]), "qdd has 35 numbers");
    Fails<TenonException>(() => work.MassMatrix(q, new Matrix(36, 35)), "36 x 35; 36 x 36 are needed");
    Fails<TenonException>(() => work.Gravity = new double[4], "gravity has 4 numbers");
    Check(work.Status == Status.WrongSize && qdd.SequenceEqual(before), "nothing was written");
    q[5] = double.NaN;
    Fails<TenonException>(() => work.ForwardDynamics(q, v, tau), "not_finite");
    Check(work.Status == Status.NotFinite, "status");
    Fails<IndexOutOfRangeException>(() => J[6, 0] = 1, "(6, 0) of 6 x 36");
  }

  static void ConstraintsHold(string folder) {
    Model robot = Model.Load(folder + "/atlas.urdf", ModelOptions.Floating);
    Constraints set = new Constraints(robot);
    set.AddWeld("l_foot");
    int hand = set.AddPoint("l_hand", new double[] { 0.1, 0, 0 }, new ConstraintOptions { Weights = new double[] { 1, 1, 2 } });
    Matrix K = new Matrix(2, 6);
    K[0, 3] = 1;
    K[1, 1] = 1;
    set.AddRows("r_foot", K);
    Fails<TenonException>(() => set.AddRows("r_foot", new Matrix(6, 2)), "6 x 2; 6 x 6 are needed");
    Fails<TenonException>(() => set.AddPoint("l_hand", new double[1]), "point has 1 numbers; give 3");
    Fails<TenonException>(() => set.AddWeld("l_hand", null, new ConstraintOptions { Weights = new double[2] }), "weights");
    Workspace work = new Workspace(robot, set), free = new Workspace(robot);
    Check(set.Count == 3 && set.RowCount == 11 && work.M == 11 && hand == 1, "rows");
    Fails<TenonException>(() => set.AddWeld(0), "finish");
    double[] q = work.Random(5), v = Filled(work.Nv, i => 0.1 - 0.01 * i), tau = Filled(work.Nv, i => -3 + 0.2 * i);
    Motion motion = work.ConstrainedDynamics(q, v, tau);
    Check(work.Status == Status.Ok && work.Report().PrimalResidual < 1e-6, "report");
    RowsAt rows = work.ConstraintRows(q, v);
    Close(Times(rows.J, motion.Qdd), rows.Rhs, 1e-7, "J qdd = rhs");
    double[] moved = Plus(Times(work.MassMatrix(q), motion.Qdd), work.Bias(q, v));
    Close(moved, Plus(tau, TransposedTimes(rows.J, motion.Lambda)), 1e-7, "equation of motion");
    Close(work.ConstrainedInverseDynamics(q, v, motion.Qdd, motion.Lambda), tau, 1e-7, "inverse");
    double[] desired = Filled(11, i => -0.5 + 0.1 * i), wrenches = new double[6 * robot.LinkCount], answered = work.Zeros();
    work.ConstrainedDynamics(q, v, tau, null, desired, answered, new double[11]);
    Close(Times(rows.J, answered), Plus(rows.Rhs, desired), 1e-7, "desired");
    int link = robot.LinkIndex("r_hand");
    wrenches[6 * link + 3] = 50;
    work.Kinematics(q, v);
    double[] push = TransposedTimes(work.Jacobian(link, null, Axes.Link), new double[] { 0, 0, 0, 50, 0, 0 });
    work.ConstrainedDynamics(q, v, tau, wrenches, null, answered, new double[11]);
    Close(answered, work.ConstrainedDynamics(q, v, Plus(tau, push)).Qdd, 1e-7, "wrenches on a robot that is held");
    Motion dense = work.ConstrainedDynamics(q, v, tau, new SolveOptions { Method = Method.Dense });
    Close(dense.Qdd, motion.Qdd, 1e-6, "dense");
    Check(work.Report().Method == Method.Dense, "method");
    double[] zero = free.Zeros(), unit = new double[11]; // a column of the Delassus matrix by forward dynamics from rest
    unit[4] = 1;
    double[] answer = free.ForwardDynamics(q, zero, Plus(free.Bias(q, zero), TransposedTimes(rows.J, unit)));
    Matrix A = work.Delassus(q, new DelassusOptions { Method = DelassusMethod.PvOsimr });
    Close(A.Column(4).ToArray(), Times(rows.J, answer), 1e-7, "Delassus matrix");
    double[] next = (double[])q.Clone(), speed = (double[])v.Clone();
    work.Step(next, speed, tau, 0.001);
    Close(work.Difference(q, next), speed.Select(x => 0.001 * x).ToArray(), 1e-9, "step");
    work.Gravity = new double[] { 0, 0, -1 };
    Workspace twin = work.Clone();
    Check(twin.Gravity[2] == -1 && twin.M == 11 && twin.Constraints == set, "a clone");
    work.Gravity = new double[] { 0, 0, -9.81 };
    Check(twin.Gravity[2] == -1, "of its own");
    Check(work.ConstraintSettings(hand).Weights.SequenceEqual(new double[] { 1, 1, 2 }), "weights of a point");
    Check(work.AllConstraints().Active.SequenceEqual(new[] { 1, 1, 1 }), "what is on");
    work.SetActive(hand, false);
    double[] other = work.ConstrainedDynamics(q, v, tau).Qdd;
    Check(other.Zip(motion.Qdd, (a, b) => Math.Abs(a - b)).Max() > 1e-3, "active");
    Constraints loop = new Constraints(robot);
    loop.AddClosure(robot.LinkIndex("l_hand"), robot.LinkIndex("r_hand"), null, null,
        new ConstraintOptions { Rows = Rows.Linear, Name = "clap" });
    Check(loop.RowCount == 3, "a closure");
  }

  static void Batches(string folder) {
    Model robot = Model.Load(folder + "/atlas.urdf", ModelOptions.Floating);
    Constraints set = new Constraints(robot);
    set.AddWeld("l_foot");
    Batch batch = new Batch(robot, set);
    Workspace work = new Workspace(robot, set);
    int states = 9, nq = batch.Nq, nv = batch.Nv;
    double[] q = new double[states * nq], v = Filled(nv, i => 0.1), tau = Filled(states * nv, i => 1);
    for (int i = 0; i < states; i++) work.Random((ulong)i, q.AsSpan(i * nq, nq));
    tau[3 * nv + 8] = 20;
    double[] free = batch.ForwardDynamics(q, v, tau);
    Close(batch.InverseDynamics(q, v, free), tau, 1e-7, "inverse dynamics of a batch");
    Motion held = batch.ConstrainedDynamics(q, v, tau);
    for (int i = 0; i < states; i++) {
      Motion motion = work.ConstrainedDynamics(q.AsSpan(i * nq, nq), v, tau.AsSpan(i * nv, nv));
      Close(held.Qdd.AsSpan(i * nv, nv).ToArray(), motion.Qdd, 1e-7, "state " + i);
      Close(held.Lambda.AsSpan(i * 6, 6).ToArray(), motion.Lambda, 1e-7, "forces of state " + i);
    }
    RolloutOptions steps = new RolloutOptions { Steps = 4, Every = 2, Dt = 0.002, Solve = new SolveOptions { Method = Method.Dense } };
    Records records = batch.Rollout(q, v, tau, steps);
    double[] q3 = q.AsSpan(3 * nq, nq).ToArray(), v3 = (double[])v.Clone();
    for (int i = 0; i < 4; i++) work.Step(q3, v3, tau.AsSpan(3 * nv, nv), 0.002);
    Close(records.Q.AsSpan(7 * nq, nq).ToArray(), q3, 1e-7, "positions of a rollout");
    Close(records.V.AsSpan(7 * nv, nv).ToArray(), v3, 1e-7, "velocities of a rollout");
    q[4 * nq] = double.NaN;
    Fails<TenonException>(() => batch.ForwardDynamics(q, v, tau), "not_finite");
    Check(batch.StateStatus[4] == Status.NotFinite && batch.StateStatus[5] == Status.Ok, "status");
    Fails<TenonException>(() => batch.ForwardDynamics(q, new double[3], tau), "v: 3 numbers; 9 times 36 are needed");
    Fails<TenonException>(() => batch.ForwardDynamics(new double[38], v, tau), "not states x 37");
    Fails<TenonException>(() => batch.ForwardDynamics(q, v, tau, default, new double[36]), "9 times 36 are needed");
    Batch none = new Batch(robot);
    Check(none.ConstrainedDynamics(q.AsSpan(0, nq), v, tau.AsSpan(0, nv)).Lambda.Length == 0, "no rows");
  }

  // The numbers of the states in which a and b differ.
  static string Changed(double[] a, double[] b) {
    int n = a.Length / 3;
    return string.Concat(Enumerable.Range(0, 3).Where(i => !a.AsSpan(i * n, n).SequenceEqual(b.AsSpan(i * n, n))));
  }

  static void Anchors(string folder) {
    Model robot = Model.Load(folder + "/atlas.urdf", ModelOptions.Floating);
    Constraints set = new Constraints(robot);
    set.AddWeld("l_foot", null, new ConstraintOptions { Frequency = 10 });
    int hand = set.AddPoint("l_hand", null, new ConstraintOptions { Frequency = 5, DampingRatio = 0.5 });
    Batch batch = new Batch(robot, set);
    Workspace work = new Workspace(robot, set);
    int nq = batch.Nq, nv = batch.Nv;
    double[] q = new double[3 * nq], v = Filled(nv, i => 0.1), tau = Filled(nv, i => 1);
    for (int i = 0; i < 3; i++) work.Random((ulong)i, q.AsSpan(i * nq, nq));
    Fails<TenonException>(() => batch.ConstrainedDynamics(q, v, tau), "no anchors");
    batch.AnchorHere(q);
    Check(batch.StateStatus.Length == 3, "statuses");
    double[] here = batch.ConstrainedDynamics(q, v, tau).Qdd, poses = batch.Anchors(3);
    for (int i = 0; i < 3; i++) {
      double[] qi = q.AsSpan(i * nq, nq).ToArray();
      work.AnchorHere(qi);
      Close(here.AsSpan(i * nv, nv).ToArray(), work.ConstrainedDynamics(qi, v, tau).Qdd, 1e-7, "anchors of state " + i);
      work.Kinematics(qi);
      double[] place = work.LinkPose(robot.LinkIndex("l_hand")).Take(3).ToArray();
      Close(poses.AsSpan(14 * i + 7, 3).ToArray(), place, 1e-9, "the hand of state " + i);
    }
    batch.SetAnchors(poses);
    double[] before = batch.ConstrainedDynamics(q, v, tau).Qdd;
    poses[14 + 7 + 2] += 0.1; // of state 1, constraint 1
    batch.SetAnchors(poses);
    Close(batch.Anchors(3), poses, 1e-9, "anchors");
    double[] lifted = batch.ConstrainedDynamics(q, v, tau).Qdd;
    Check(Changed(lifted, before) == "1", "the anchor of one state");
    batch.SetActive(true, true, true, true, false, true);
    Motion letGo = batch.ConstrainedDynamics(q, v, tau);
    Check(Changed(letGo.Qdd, lifted) == "2", "the activity of one state");
    double[] forces = letGo.Lambda;
    Check(forces[2 * 9 + 5] == 0 && forces[2 * 9 + 6] != 0 && forces[9 + 5] != 0, "forces of what is let go");
    batch.SetActive(true, true);
    batch.SetGains(new double[] { 10, 5 }, new double[] { 1, 0.5 }); // as they were
    Check(Changed(batch.ConstrainedDynamics(q, v, tau).Qdd, lifted) == "", "the same gains");
    batch.SetGains(new double[] { 10, 5, 10, 5, 10, 9 }, new double[] { 1, 0.5 });
    Check(Changed(batch.ConstrainedDynamics(q, v, tau).Qdd, lifted) == "2", "gains of one state");
    batch.SetGains(new double[] { 10, 5 }, new double[] { 1, 1 });
    double[] damped = batch.ConstrainedDynamics(q, v, tau).Qdd;
    Check(Changed(damped, lifted) == "012", "damping of all states");
    batch.SetGains(new double[] { 10, 5 });
    Check(Changed(batch.ConstrainedDynamics(q, v, tau).Qdd, damped) == "", "damping of 1");
    Fails<TenonException>(() => batch.ConstrainedDynamics(q.AsSpan(0, nq), v, tau), "those of 3 states");
    batch.SetAnchor(hand, new double[] { 1, 2, 3, 0, 0, 0, 1 });
    double[] all = batch.Anchors(3);
    Check(all[7] == 1 && all[14 + 8] == 2 && all[28 + 9] == 3, "an anchor of all states");
    Fails<TenonException>(() => batch.SetAnchor(hand, new double[6]), "pose has 6 numbers");
    Fails<TenonException>(() => batch.SetAnchors(new double[13]), "poses: 13 numbers, not states x 14");
    Fails<TenonException>(() => batch.SetActive(true, true, true), "active: 3 numbers, not states x 2");
    Fails<TenonException>(() => batch.SetGains(new double[4], new double[6]), "dampingRatios: 6 numbers; 2 times 2");
    Fails<TenonException>(() => batch.Anchors(int.MaxValue / 14 + 1), "numbers are more than an array has");
    Fails<TenonException>(() => batch.Anchors(-1), "numbers are more than an array has");
    Fails<TenonException>(() => batch.Anchors(2), "3 states");
    Batch none = new Batch(robot);
    Check(none.Anchors(2).Length == 0, "no constraints");
    Fails<TenonException>(() => none.Anchors(-1), "numbers are more than an array has");
  }

  static void Limits(string folder) {
    Batch batch = new Batch(Model.Load(folder + "/iiwa14.urdf"));
    double[] one = new double[7], none = { };
    foreach (int steps in new[] { 613566757, int.MaxValue / 7 + 1, int.MaxValue }) { // 7 times the first is 3, modulo 2^32
      Fails<TenonException>(() => batch.Rollout(one, one, one, new RolloutOptions { Steps = steps }),
          "1 x " + steps + " x 7 numbers are more than an array has");
    }
    Fails<TenonException>(() => new Matrix(1 << 16, 1 << 16), "65536 x 65536 numbers are more than an array has");
    Fails<TenonException>(() => new Matrix(-1, -1), "-1 x -1 numbers are more than an array has");
    Check(batch.ForwardDynamics(none, none, one).Length == 0 && batch.StateStatus.Length == 0, "no state");
    Check(batch.Rollout(none, none, none, new RolloutOptions { Steps = 3 }).Q.Length == 0, "a rollout without states");
    Batch still = new Batch(Model.Parse("<robot name='stone'><link name='a'/></robot>"));
    Check(still.ForwardDynamics(none, none, none).Length == 0 && still.StateStatus.Length == 1, "no joints");
    Check(still.InverseDynamics(none, none, none, new double[6]).Length == 0, "wrenches without joints");
    Check(still.ConstrainedDynamics(none, none, none).Qdd.Length == 0, "constraints without joints");
    Check(still.Rollout(none, none, none, new RolloutOptions { Steps = 3 }).Q.Length == 0, "a rollout without joints");
    Fails<TenonException>(() => still.ForwardDynamics(one, none, none), "q: 7 numbers, not states x 0");
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  static void Forgotten(string folder, int count) {
    for (int i = 0; i < count; i++) new Workspace(Model.Load(folder + "/iiwa14.urdf")).Zeros();
  }

  static long Memory() {
    return long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[1]) * 4096;
  }

  static void Freed(string folder) {
    Model robot = Model.Load(folder + "/atlas.urdf");
    Constraints set = new Constraints(robot);
    Workspace work = new Workspace(robot, set);
    robot.Dispose();
    robot.Dispose(); // does nothing
    Fails<ObjectDisposedException>(() => robot.LinkIndex("l_foot"), "Model");
    Fails<ObjectDisposedException>(() => new Workspace(robot), "Model");
    Check(work.Neutral().Length == work.Nq, "what was made from it stays good");
    set.Dispose();
    Fails<ObjectDisposedException>(() => set.AddWeld(0), "Constraints");
    work.Dispose();
    work.Dispose();
    Fails<ObjectDisposedException>(() => work.Neutral(), "Workspace");
    Batch batch = new Batch(Model.Load(folder + "/iiwa14.urdf"));
    batch.Dispose();
    Fails<ObjectDisposedException>(() => batch.ForwardDynamics(new double[7], new double[7], new double[7]), "Batch");
    Forgotten(folder, 100);
    GC.Collect();
    GC.WaitForPendingFinalizers();
    long before = Memory();
    for (int i = 0; i < 10; i++) {
      Forgotten(folder, 300);
      GC.Collect();
      GC.WaitForPendingFinalizers();
    }
    Check(Memory() - before < 20 << 20, "3000 forgotten workspaces keep " + (Memory() - before) / 1024 + " KiB");
  }

  static void OfTheUser(string folder) {
    bool angry = false;
    Builder builder = Builder.Load(folder + "/iiwa14.urdf");
    builder.AddImplicit("circle", new[] { "iiwa_joint_3", "iiwa_joint_4" }, 1, (q, v, phi, K, KdotV) => {
      if (angry) throw new FormatException("not today");
      phi[0] = q[0] * q[0] + q[1] - 0.25;
      K[0] = 2 * q[0];
      K[1] = 1;
      KdotV[0] = 2 * v[0] * v[0];
    });
    Model model = builder.Finish();
    builder.Dispose();
    Workspace work = new Workspace(model);
    model.Dispose();
    GC.Collect();
    GC.WaitForPendingFinalizers(); // the function stays, for the workspace's sake
    double[] closed = work.Guess(), zero = work.Zeros();
    Close(new[] { closed[2] * closed[2] + closed[3] }, new[] { 0.25 }, 1e-9, "a function closes a loop");
    double[] qdd = work.ForwardDynamics(closed, zero, zero);
    Close(new[] { 2 * closed[2] * qdd[2] + qdd[3] }, new double[1], 1e-7, "and keeps it closed");
    angry = true;
    try {
      work.ForwardDynamics(closed, zero, zero);
      Check(false, "nothing thrown");
    } catch (TenonException error) {
      Check(error.InnerException is FormatException && work.Status < 0, error.ToString());
    }
    angry = false;
    Close(work.ForwardDynamics(closed, zero, zero), qdd, 0, "what was thrown is over");
    string text = File.ReadAllText(folder + "/iiwa14.urdf").Replace("</robot>", "<wheel/></robot>");
    int heard = 0;
    Model.Parse(text, new ModelOptions { LogLevel = LogLevel.Trace, LogCallback = (level, words) => heard++ });
    Check(heard > 0, "words of the log");
    ModelOptions loud = new ModelOptions { LogLevel = LogLevel.Trace, LogCallback = (level, words) => throw new FormatException(words) };
    Fails<InvalidOperationException>(() => Model.Parse(text, loud), "the log callback threw");
  }

  static void Views(string folder) {
    Workspace work = new Workspace(Model.Load(folder + "/iiwa14.urdf"));
    double[] q = work.Random(2), room = Enumerable.Repeat(5.0, 9 * 7).ToArray();
    Matrix dense = work.MassMatrix(q), part = new Matrix(7, 7, room, 9);
    work.MassMatrix(q, part);
    for (int j = 0; j < 7; j++) Close(part.Column(j).ToArray(), dense.Column(j).ToArray(), 0, "a part of a matrix");
    Check(room[7] == 5 && room[8] == 5 && room[62] == 5, "beside it");
    Fails<TenonException>(() => new Matrix(7, 7, new double[60], 9), "60 numbers are fewer");
    Batch batch = new Batch(work.Model), single = new Batch(work.Model, null, new BatchOptions { Precision = Precision.Single });
    double[] both = new double[14], zero = work.Zeros(), apart = new double[14];
    for (int i = 0; i < 14; i++) both[i] = i % 2 == 0 ? q[i / 2] : q[i / 2] / 2;
    BatchArray states = new BatchArray(both, 0, 7, 2, 1), results = new BatchArray(apart, 13, 7, -2, -1);
    batch.ForwardDynamics(states, zero, zero, default, results, states: 2);
    double[] qdd = work.ForwardDynamics(q, zero, zero), backwards = Filled(7, i => apart[13 - 2 * i]);
    Close(backwards, qdd, 1e-9, "numbers apart, from the end");
    Fails<TenonException>(() => batch.ForwardDynamics(states, zero, zero, default, apart, states: 3), "3 times 7 are needed");
    float[] light = new float[7], q7 = Array.ConvertAll(q, x => (float)x), z7 = new float[7];
    single.ForwardDynamics(q7, z7, z7, default, light);
    Close(Array.ConvertAll(light, x => (double)x), qdd, 1e-3, "single precision");
    Fails<InvalidOperationException>(() => single.ForwardDynamics(q7, z7, z7), "single precision");
    Fails<ArgumentException>(() => batch.ForwardDynamics(q7, z7, z7), "precision");
  }

  public static int Main(string[] arguments) {
    OfTheUser(arguments[0]);
    Views(arguments[0]);
    Models(arguments[0]);
    Constants();
    Dynamics(arguments[0]);
    ConstraintsHold(arguments[0]);
    Batches(arguments[0]);
    Anchors(arguments[0]);
    Limits(arguments[0]);
    Freed(arguments[0]);
    Console.WriteLine(checks + " checks, " + failures + " failed");
    return failures == 0 ? 0 : 1;
  }
}
