// What the classes hand to the library and back, against identities that the calls under test do not compute themselves:
// LayerTest <folder of models>, with TENON_LIBRARY.
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import tenon.Axes;
import tenon.Batch;
import tenon.BatchArray;
import tenon.BatchOptions;
import tenon.Builder;
import tenon.ConstraintOptions;
import tenon.Constraints;
import tenon.LogLevel;
import tenon.Matrix;
import tenon.Method;
import tenon.Model;
import tenon.ModelOptions;
import tenon.Precision;
import tenon.RolloutOptions;
import tenon.SolveOptions;
import tenon.TenonException;
import tenon.Workspace;
import tenon.raw.Tenon;

class LayerTest {
  static int checks, failures;

  static void check(boolean good, String what) {
    checks++;
    if (!good) {
      failures++;
      System.out.println("failed: " + what);
    }
  }

  static void close(double[] a, double[] b, double tolerance, String what) {
    boolean good = a.length == b.length;
    for (int i = 0; good && i < a.length; i++) {
      good = Math.abs(a[i] - b[i]) <= tolerance * (1 + Math.abs(b[i]));
    }
    check(good, what);
  }

  static void fails(Runnable call, String words) {
    try {
      call.run();
      check(false, "nothing thrown: " + words);
    } catch (TenonException | IllegalArgumentException | IllegalStateException error) {
      check(error.getMessage().contains(words), error.getMessage());
    }
  }

  static double[] filled(int n, IntToDoubleFunction of) {
    double[] x = new double[n];
    Arrays.setAll(x, of);
    return x;
  }

  static double[] times(Matrix A, double[] x) {
    double[] y = new double[A.rows];
    for (int j = 0; j < A.columns; j++) {
      for (int i = 0; i < A.rows; i++) {
        y[i] += A.get(i, j) * x[j];
      }
    }
    return y;
  }

  static double[] transposedTimes(Matrix A, double[] x) {
    double[] y = new double[A.columns];
    for (int j = 0; j < A.columns; j++) {
      for (int i = 0; i < A.rows; i++) {
        y[j] += A.get(i, j) * x[i];
      }
    }
    return y;
  }

  static double[] plus(double[] a, double[] b, double factor) {
    return filled(a.length, i -> a[i] + factor * b[i]);
  }

  static void models(String folder) {
    Model robot = Model.load(folder + "/iiwa14.urdf", null);
    check(robot.name().equals("iiwa14") && robot.nq() == 7 && robot.nv() == 7 && !robot.floatingBase(), "counts");
    double mass = 0;
    for (int i = 0; i < robot.linkCount(); i++) {
      mass += robot.link(i).mass;
      check(robot.linkIndex(robot.links().get(i)) == i, "link");
    }
    close(new double[] {mass}, new double[] {robot.totalMass()}, 1e-12, "mass");
    check(robot.joint(robot.jointIndex("iiwa_joint_3")).qIndex == 2, "joint");
    check(robot.describe().contains("iiwa_joint_7") && robot.warnings().isEmpty(), "texts");
    fails(() -> robot.linkIndex("iiwa_link_8"), "did you mean");
    fails(() -> robot.link(99), "out_of_range");
    fails(() -> Model.load("none.urdf", null), "none.urdf");
    fails(() -> Model.parse("<robot", null), "parse_error");
    ModelOptions how = ModelOptions.floating();
    how.gravity[2] = -1;
    how.floatingJointName = "free";
    Model floating = Model.load(folder + "/iiwa14.urdf", how);
    check(floating.joints().get(0).equals("free") && floating.nv() == 13, "floating base");
    Workspace work = new Workspace(robot);
    robot.close();
    robot.close();
    fails(() -> robot.linkIndex("iiwa_link_7"), "Model is closed");
    check(work.random(1).length == 7, "what was made from it stays good");
  }

  static void dynamics(String folder) {
    Model robot = Model.load(folder + "/atlas.urdf", ModelOptions.floating());
    Workspace work = new Workspace(robot);
    double[] q = work.random(3), v = filled(work.nv(), i -> -0.2 + 0.01 * i), tau = filled(work.nv(), i -> 5 - 0.3 * i);
    double[] qdd = work.forwardDynamics(q, v, tau, null);
    close(plus(times(work.massMatrix(q), qdd), work.bias(q, v), 1), tau, 1e-8, "M qdd + c = tau");
    close(work.inverseDynamics(q, v, qdd, null), tau, 1e-8, "inverse dynamics");
    int hand = robot.linkIndex("l_hand");
    double[] wrenches = new double[6 * robot.linkCount()];
    wrenches[6 * hand + 3] = -10;
    work.kinematics(q, v, null);
    Matrix J = work.jacobian(hand, null, Axes.LINK);
    close(times(J, v), work.linkVelocity(hand, Axes.LINK), 1e-10, "J v");
    double[] push = transposedTimes(J, new double[] {0, 0, 0, 10, 0, 0});
    close(work.inverseDynamics(q, v, qdd, wrenches), plus(tau, push, 1), 1e-8, "wrenches");
    close(work.difference(q, work.integrate(q, v, 0.01)), plus(work.zeros(), v, 0.01), 1e-10, "difference");
    fails(() -> work.forwardDynamics(new double[3], v, tau, null), "wrong_size");
  }

  static void constraints(String folder) {
    Model robot = Model.load(folder + "/atlas.urdf", ModelOptions.floating());
    Constraints set = new Constraints(robot);
    set.addWeld("l_foot");
    int hand = set.addPoint(robot.linkIndex("l_hand"), new double[] {0.1, 0, 0}, new ConstraintOptions());
    Matrix K = new Matrix(2, 6);
    K.set(0, 3, 1);
    K.set(1, 1, 1);
    set.addRows(robot.linkIndex("r_foot"), K, null);
    fails(() -> set.addRows(0, new Matrix(6, 2), null), "6 are needed");
    fails(() -> set.addPoint(0, new double[1], null), "point");
    Workspace work = new Workspace(robot, set, null), free = new Workspace(robot);
    check(set.count() == 3 && set.rowCount() == 11 && work.m() == 11 && hand == 1, "rows");
    double[] q = work.random(5), v = filled(work.nv(), i -> 0.1 - 0.01 * i), tau = filled(work.nv(), i -> -3 + 0.2 * i);
    Workspace.Motion motion = work.constrainedDynamics(q, v, tau);
    check(work.status().equals("ok") && work.report().primalResidual < 1e-6, "report");
    Workspace.Rows rows = work.constraintRows(q, v);
    close(times(rows.J(), motion.qdd()), rows.rhs(), 1e-7, "J qdd = rhs");
    double[] moved = plus(times(work.massMatrix(q), motion.qdd()), work.bias(q, v), 1);
    close(moved, plus(tau, transposedTimes(rows.J(), motion.lambda()), 1), 1e-7, "equation of motion");
    close(work.constrainedInverseDynamics(q, v, motion.qdd(), motion.lambda()), tau, 1e-7, "inverse");
    SolveOptions dense = new SolveOptions();
    dense.method = Method.DENSE;
    close(work.constrainedDynamics(q, v, tau, null, null, dense).qdd(), motion.qdd(), 1e-6, "dense");
    check(work.report().method == Method.DENSE, "method");
    double[] zero = free.zeros(), unit = new double[11]; // a column of the Delassus matrix by forward dynamics from rest
    unit[4] = 1;
    double[] answer = free.forwardDynamics(q, zero, plus(free.bias(q, zero), transposedTimes(rows.J(), unit), 1), null);
    double[] column = Arrays.copyOfRange(work.delassus(q).data, 44, 55);
    close(column, times(rows.J(), answer), 1e-7, "Delassus matrix");
    double[] next = q.clone(), speed = v.clone();
    work.step(next, speed, tau, 0.001, null);
    close(work.difference(q, next), plus(zero, speed, 0.001), 1e-9, "step");
    work.setGravity(new double[] {0, 0, -1});
    try (Workspace twin = work.clone()) {
      check(twin.gravity()[2] == -1 && twin.m() == 11 && twin.constraints == set, "a clone");
      work.setGravity(new double[] {0, 0, -9.81});
      check(twin.gravity()[2] == -1, "of its own");
    }
    check(Arrays.equals(work.constraintSettings(hand).weights(), new double[] {1, 1, 1}), "weights of a point");
    check(Arrays.equals(work.allConstraints().active(), new int[] {1, 1, 1}), "what is on");
    work.setActive(hand, false);
    double[] other = work.constrainedDynamics(q, v, tau).qdd();
    check(Math.abs(other[8] - motion.qdd()[8]) + Math.abs(other[30] - motion.qdd()[30]) > 1e-6, "active");
  }

  static void batches(String folder) {
    Model robot = Model.load(folder + "/atlas.urdf", ModelOptions.floating());
    Constraints set = new Constraints(robot);
    set.addWeld("l_foot");
    Batch batch = new Batch(robot, set, null);
    Workspace work = new Workspace(robot, set, null);
    int states = 9, nq = batch.nq(), nv = batch.nv();
    double[] q = new double[states * nq], v = filled(nv, i -> 0.1), tau = filled(states * nv, i -> 1);
    for (int i = 0; i < states; i++) {
      System.arraycopy(work.random(i), 0, q, i * nq, nq);
    }
    tau[3 * nv + 8] = 20;
    double[] free = batch.forwardDynamics(q, v, tau, null);
    close(batch.inverseDynamics(q, v, free, null), tau, 1e-7, "inverse dynamics of a batch");
    Workspace.Motion held = batch.constrainedDynamics(q, v, tau, null);
    for (int i = 0; i < states; i++) {
      double[] qi = Arrays.copyOfRange(q, i * nq, i * nq + nq), ti = Arrays.copyOfRange(tau, i * nv, i * nv + nv);
      Workspace.Motion motion = work.constrainedDynamics(qi, v, ti);
      close(Arrays.copyOfRange(held.qdd(), i * nv, i * nv + nv), motion.qdd(), 1e-7, "state " + i);
      close(Arrays.copyOfRange(held.lambda(), i * 6, i * 6 + 6), motion.lambda(), 1e-7, "forces of state " + i);
    }
    RolloutOptions steps = new RolloutOptions();
    steps.steps = 4;
    steps.every = 2;
    Batch.Records records = batch.rollout(q, v, tau, steps);
    double[] q3 = Arrays.copyOfRange(q, 3 * nq, 4 * nq), v3 = v.clone();
    for (int i = 0; i < 4; i++) {
      work.step(q3, v3, Arrays.copyOfRange(tau, 3 * nv, 4 * nv), 0.001, null);
    }
    close(Arrays.copyOfRange(records.q(), 7 * nq, 8 * nq), q3, 1e-7, "positions of a rollout");
    close(Arrays.copyOfRange(records.v(), 7 * nv, 8 * nv), v3, 1e-7, "velocities of a rollout");
    q[4 * nq] = Double.NaN;
    fails(() -> batch.forwardDynamics(q, v, tau, null), "not_finite");
    check(batch.status()[4] == Tenon.TENON_NOT_FINITE && batch.status()[5] == Tenon.TENON_OK, "status");
    fails(() -> batch.forwardDynamics(q, new double[3], tau, null), "v: 3 numbers; 9 times 36");
    Batch none = new Batch(robot, null, null);
    double[] one = Arrays.copyOf(q, nq);
    check(none.constrainedDynamics(one, v, Arrays.copyOf(tau, nv), null).lambda().length == 0, "no rows");
  }

  static double[] part(double[] all, int i, int n) {
    return Arrays.copyOfRange(all, i * n, i * n + n);
  }

  // The numbers of the states in which a and b differ.
  static String changed(double[] a, double[] b) {
    String all = "";
    for (int i = 0; i < 3; i++) {
      all += Arrays.equals(part(a, i, a.length / 3), part(b, i, a.length / 3)) ? "" : i;
    }
    return all;
  }

  static void anchors(String folder) {
    Model robot = Model.load(folder + "/atlas.urdf", ModelOptions.floating());
    Constraints set = new Constraints(robot);
    ConstraintOptions how = new ConstraintOptions();
    how.frequency = 10;
    set.addWeld(robot.linkIndex("l_foot"), null, how);
    how.frequency = 5;
    how.dampingRatio = 0.5;
    int hand = set.addPoint(robot.linkIndex("l_hand"), null, how);
    Batch batch = new Batch(robot, set);
    Workspace work = new Workspace(robot, set);
    int nq = batch.nq(), nv = batch.nv();
    double[] q = new double[3 * nq], v = filled(nv, i -> 0.1), tau = filled(nv, i -> 1), identities = new double[14];
    for (int i = 0; i < 3; i++) {
      System.arraycopy(work.random(i), 0, q, i * nq, nq);
    }
    fails(() -> batch.constrainedDynamics(q, v, tau), "no anchors");
    identities[6] = identities[13] = 1; // those of a new workspace
    batch.setAnchors(identities);
    double[] far = batch.constrainedDynamics(q, v, tau).qdd();
    batch.anchorHere(q);
    check(batch.status().length == 3, "statuses");
    double[] here = batch.constrainedDynamics(q, v, tau).qdd(), poses = batch.anchors(3);
    for (int i = 0; i < 3; i++) {
      close(part(far, i, nv), work.constrainedDynamics(part(q, i, nq), v, tau).qdd(), 1e-7, "anchors of state " + i);
      work.kinematics(part(q, i, nq));
      double[] place = Arrays.copyOf(work.linkPose(robot.linkIndex("l_hand")), 3);
      close(Arrays.copyOfRange(poses, 14 * i + 7, 14 * i + 10), place, 1e-9, "the hand of state " + i);
    }
    check(changed(far, here).equals("012"), "other anchors");
    batch.setAnchors(poses);
    double[] before = batch.constrainedDynamics(q, v, tau).qdd();
    poses[14 + 7 + 2] += 0.1; // of state 1, constraint 1
    batch.setAnchors(poses);
    close(batch.anchors(3), poses, 1e-9, "anchors");
    double[] lifted = batch.constrainedDynamics(q, v, tau).qdd();
    check(changed(lifted, before).equals("1"), "the anchor of one state");
    batch.setActive(true, true, true, true, false, true);
    Workspace.Motion letGo = batch.constrainedDynamics(q, v, tau);
    check(changed(letGo.qdd(), lifted).equals("2"), "the activity of one state");
    double[] forces = letGo.lambda();
    check(forces[2 * 9 + 5] == 0 && forces[2 * 9 + 6] != 0 && forces[9 + 5] != 0, "forces of what is let go");
    batch.setActive(true, true);
    batch.setGains(new double[] {10, 5}, new double[] {1, 0.5}); // as they were
    check(changed(batch.constrainedDynamics(q, v, tau).qdd(), lifted).equals(""), "the same gains");
    batch.setGains(new double[] {10, 5, 10, 5, 10, 9}, new double[] {1, 0.5});
    check(changed(batch.constrainedDynamics(q, v, tau).qdd(), lifted).equals("2"), "gains of one state");
    batch.setGains(new double[] {10, 5}, new double[] {1, 1});
    double[] damped = batch.constrainedDynamics(q, v, tau).qdd();
    check(changed(damped, lifted).equals("012"), "damping of all states");
    batch.setGains(new double[] {10, 5});
    check(changed(batch.constrainedDynamics(q, v, tau).qdd(), damped).equals(""), "damping of 1");
    fails(() -> batch.constrainedDynamics(part(q, 0, nq), v, tau), "those of 3 states");
    batch.setAnchor(hand, new double[] {1, 2, 3, 0, 0, 0, 1});
    double[] fixed = batch.anchors(3);
    check(fixed[7] == 1 && fixed[14 + 8] == 2 && fixed[28 + 9] == 3, "an anchor of all states");
    fails(() -> batch.setAnchor(hand, new double[6]), "wrong_size");
    fails(() -> batch.setAnchor(hand, null), "invalid_argument");
    fails(() -> batch.setAnchors(new double[13]), "poses: 13 numbers, not states x 14");
    fails(() -> batch.setActive(true, true, true), "active: 3 numbers, not states x 2");
    fails(() -> batch.setGains(new double[4], new double[6]), "dampingRatios: 6 numbers; 2 times 2 are needed");
    fails(() -> batch.anchors(Integer.MAX_VALUE / 14 + 1), "numbers are more than an array has");
    fails(() -> batch.anchors(-1), "numbers are more than an array has");
    fails(() -> batch.anchors(2), "3 states");
  }

  static void limits(String folder) {
    Batch batch = new Batch(Model.load(folder + "/iiwa14.urdf"));
    double[] one = new double[7], none = {};
    RolloutOptions options = new RolloutOptions();
    for (long steps : new long[] {2635249153387078803L, 613566757, Integer.MAX_VALUE / 7 + 1, Long.MAX_VALUE, -1}) {
      options.steps = steps; // 7 times the first is 5, modulo 2^64, and the second 3, modulo 2^32
      fails(() -> batch.rollout(one, one, one, options), "numbers are more than an array has");
    }
    fails(() -> new Matrix(1 << 16, 1 << 16), "65536 x 65536 numbers are more than an array has");
    options.steps = 3;
    check(batch.forwardDynamics(none, none, one).length == 0 && batch.status().length == 0, "no state");
    check(batch.rollout(none, none, none, options).q().length == 0, "a rollout without states");
    Batch still = new Batch(Model.parse("<robot name='stone'><link name='a'/></robot>"));
    check(still.forwardDynamics(none, none, none).length == 0 && still.status().length == 1, "no joints");
    check(still.inverseDynamics(none, none, none, new double[6]).length == 0, "wrenches without joints");
    check(still.rollout(none, none, none, options).q().length == 0 && still.status()[0] == 0, "a rollout without joints");
    fails(() -> still.forwardDynamics(one, none, none), "q: 7 numbers, not states x 0");
  }

  // What may be null may be left out.
  static void shorter(String folder) {
    Model robot = Model.load(folder + "/iiwa14.urdf");
    Constraints set = new Constraints(robot);
    int hand = robot.linkIndex("iiwa_link_7"), elbow = robot.linkIndex("iiwa_link_4");
    check(set.addPoint(hand) == 0 && set.addPoint(elbow, new double[] {0, 0, 0.1}) == 1, "points");
    Constraints weld = new Constraints(robot);
    check(weld.addWeld(elbow) == 0 && weld.addWeld(hand, new double[] {0, 0, 0.1, 0, 0, 0, 1}) == 1, "welds");
    Matrix K = new Matrix(1, 6);
    K.set(0, 3, 1);
    check(weld.addRows(hand, K) == 2 && weld.rowCount() == 13, "rows");
    Workspace work = new Workspace(robot, set);
    Batch batch = new Batch(robot, set);
    double[] q = work.random(2), v = filled(7, i -> 0.1 * i), tau = filled(7, i -> 1);
    double[] qdd = work.forwardDynamics(q, v, tau);
    close(work.inverseDynamics(q, v, qdd), tau, 1e-8, "inverse dynamics without wrenches");
    close(batch.forwardDynamics(q, v, tau), qdd, 1e-8, "a batch without wrenches");
    close(batch.inverseDynamics(q, v, qdd), tau, 1e-8, "inverse dynamics of a batch without wrenches");
    close(batch.constrainedDynamics(q, v, tau).qdd(), work.constrainedDynamics(q, v, tau).qdd(), 1e-6, "constrained");
    work.kinematics(q, v);
    close(times(work.jacobian(hand), v), work.linkVelocity(hand), 1e-10, "J v in the world");
    work.kinematics(q);
    check(work.linkPose(hand).length == 7, "kinematics of a configuration");
    double[] next = q.clone(), speed = v.clone();
    work.step(next, speed, tau, 0.001);
    close(work.difference(q, next), plus(work.zeros(), speed, 0.001), 1e-9, "a step");
  }

  static volatile boolean angry;

  static void ofTheUser(String folder) {
    Builder builder = Builder.load(folder + "/iiwa14.urdf");
    builder.addImplicit("circle", new String[] {"iiwa_joint_3", "iiwa_joint_4"}, 1, (q, v, phi, K, KdotV) -> {
      if (angry) {
        throw new UnsupportedOperationException("not today");
      }
      phi.put(0, q[0] * q[0] + q[1] - 0.25);
      K.put(0, 2 * q[0]).put(1, 1);
      KdotV.put(0, 2 * v[0] * v[0]);
    });
    Model model = builder.finish();
    builder.close();
    Workspace work = new Workspace(model);
    model.close();
    System.gc(); // the function stays, for the workspace's sake
    double[] closed = work.guess(), zero = work.zeros();
    close(new double[] {closed[2] * closed[2] + closed[3]}, new double[] {0.25}, 1e-9, "a function closes a loop");
    double[] qdd = work.forwardDynamics(closed, zero, zero);
    close(new double[] {2 * closed[2] * qdd[2] + qdd[3]}, new double[1], 1e-7, "and keeps it closed");
    angry = true;
    try {
      work.forwardDynamics(closed, zero, zero);
      check(false, "nothing thrown");
    } catch (TenonException error) {
      check(error.getCause() instanceof UnsupportedOperationException, error.toString());
    }
    angry = false;
    close(work.forwardDynamics(closed, zero, zero), qdd, 0, "what was thrown is over");
    ModelOptions loud = new ModelOptions();
    loud.logLevel = LogLevel.TRACE;
    int[] heard = {0};
    loud.logCallback = (level, words) -> heard[0]++;
    String text = "<robot name='r'><link name='a'/><wheel/></robot>";
    Model.parse(text, loud);
    check(heard[0] > 0, "words of the log");
    loud.logCallback = (level, words) -> {
      throw new IllegalStateException("too loud");
    };
    fails(() -> Model.parse(text, loud), "too loud");
  }

  static void views(String folder) {
    Workspace work = new Workspace(Model.load(folder + "/iiwa14.urdf"));
    double[] q = work.random(2), room = filled(63, i -> 5), zero = work.zeros();
    Matrix dense = work.massMatrix(q), part = new Matrix(7, 7, room, 9);
    work.massMatrix(q, part);
    double worst = 0;
    for (int i = 0; i < 49; i++) {
      worst = Math.max(worst, Math.abs(part.get(i % 7, i / 7) - dense.get(i % 7, i / 7)));
    }
    check(worst == 0 && room[7] == 5 && room[8] == 5 && room[62] == 5, "a part of a matrix");
    fails(() -> new Matrix(7, 7, new double[60], 9), "60 numbers");
    BatchOptions light = new BatchOptions();
    light.precision = Precision.SINGLE;
    Batch batch = new Batch(work.model), single = new Batch(work.model, null, light);
    DoubleBuffer both = ByteBuffer.allocateDirect(112).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    for (int i = 0; i < 7; i++) {
      both.put(2 * i, q[i]).put(2 * i + 1, q[i] / 2);
    }
    double[] apart = new double[14];
    BatchArray states = BatchArray.of(both).view(0, 7, 2, 1, 0), v = BatchArray.of(zero);
    batch.forwardDynamics(2, states, v, v, null, BatchArray.of(apart).view(13, 7, -2, -1, 0));
    double[] qdd = work.forwardDynamics(q, zero, zero);
    close(filled(7, i -> apart[13 - 2 * i]), qdd, 1e-9, "numbers apart, from the end");
    float[] q7 = new float[7], z7 = new float[7], result = new float[7];
    for (int i = 0; i < 7; i++) {
      q7[i] = (float) q[i];
    }
    BatchArray z = BatchArray.of(z7);
    single.forwardDynamics(1, BatchArray.of(q7), z, z, null, BatchArray.of(result));
    close(filled(7, i -> result[i]), qdd, 1e-3, "single precision");
    fails(() -> single.forwardDynamics(q, zero, zero), "single precision");
    fails(() -> batch.forwardDynamics(1, BatchArray.of(q7), v, v, null, BatchArray.of(apart)), "precision");
  }

  public static void main(String[] arguments) {
    models(arguments[0]);
    ofTheUser(arguments[0]);
    views(arguments[0]);
    dynamics(arguments[0]);
    constraints(arguments[0]);
    batches(arguments[0]);
    anchors(arguments[0]);
    limits(arguments[0]);
    shorter(arguments[0]);
    for (int i = 0; i < 200; i++) { // for the collector
      new Workspace(Model.load(arguments[0] + "/iiwa14.urdf", null));
    }
    System.gc();
    System.out.println(checks + " checks, " + failures + " failed");
    System.exit(failures == 0 ? 0 : 1);
  }
}
