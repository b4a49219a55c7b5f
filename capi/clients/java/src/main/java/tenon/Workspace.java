package tenon;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;
import tenon.raw.Tenon;

/** The memory of computations on one state at a time, for one thread at a time. wrenches: 6 for each link, [moment about
 * its origin; force] along link axes; null: none. */
public final class Workspace extends Handle {
  public final int nq;
  public final int nv;
  /** Constraint rows. */
  public final int m;
  private int status;

  /** Accelerations, nv, and the forces of the constraint rows, m. */
  public record Motion(double[] qdd, double[] lambda) {}

  /** The rows at a state: J qdd = rhs. */
  public record Rows(Matrix J, double[] rhs, double[] positionError, double[] velocity) {}

  public Workspace(Model model) {
    this(model, null, null);
  }

  public Workspace(Model model, Constraints constraints) {
    this(model, constraints, null);
  }

  /** constraints, and options of Options.workspace(), may be null. */
  public Workspace(Model model, Constraints constraints, Tenon.tenon_workspace_options options) {
    super(create(model, constraints, options), LIB::tenon_workspace_destroy);
    nq = LIB.tenon_workspace_position_count(pointer());
    nv = LIB.tenon_workspace_velocity_count(pointer());
    m = LIB.tenon_workspace_row_count(pointer());
  }

  private static Pointer create(Model model, Constraints set, Tenon.tenon_workspace_options options) {
    PointerByReference out = new PointerByReference();
    Pointer rows = set == null ? null : set.finish().pointer();
    call(model, (text, size) -> LIB.tenon_workspace_create(model.pointer(), rows, options, out, text, size));
    Reference.reachabilityFence(set);
    return out.getValue();
  }

  private <T> T done(int status, T result) {
    this.status = status;
    if (status < 0) {
      throw new TenonException(status, LIB.tenon_workspace_message(pointer()));
    }
    Reference.reachabilityFence(this);
    return result;
  }

  /** Of the last computation: "ok", or which caveat its answer has. */
  public String status() {
    return LIB.tenon_status_string(status);
  }

  /** How the last constrained solve went. */
  public Tenon.tenon_solve_report report() {
    Tenon.tenon_solve_report report = new Tenon.tenon_solve_report();
    check(LIB.tenon_solve_report_init(report, report.size()), "report");
    return done(LIB.tenon_workspace_report(pointer(), report), report);
  }

  public void setGravity(double... gravity) {
    done(LIB.tenon_workspace_set_gravity(pointer(), gravity, gravity.length), null);
  }

  public void setActive(int constraint, boolean active) {
    done(LIB.tenon_workspace_set_active(pointer(), constraint, active ? 1 : 0), null);
  }

  public double[] zeros() {
    return new double[nv];
  }

  public double[] neutral() {
    double[] q = new double[nq];
    return done(LIB.tenon_neutral(pointer(), q, nq), q);
  }

  /** Within the limits, the same for the same seed everywhere. */
  public double[] random(long seed) {
    double[] q = new double[nq];
    return done(LIB.tenon_random(pointer(), seed, q, nq), q);
  }

  public double[] integrate(double[] q, double[] v, double dt) {
    double[] next = new double[nq];
    return done(LIB.tenon_integrate(pointer(), q, q.length, v, v.length, dt, next, nq), next);
  }

  /** The velocity that leads from one configuration to another in unit time. */
  public double[] difference(double[] from, double[] to) {
    double[] v = zeros();
    return done(LIB.tenon_difference(pointer(), from, from.length, to, to.length, v, nv), v);
  }

  /** What follows answers for this configuration. */
  public void kinematics(double[] q) {
    kinematics(q, null, null);
  }

  public void kinematics(double[] q, double[] v) {
    kinematics(q, v, null);
  }

  /** What follows answers for this state. v and a may be null. */
  public void kinematics(double[] q, double[] v, double[] a) {
    done(LIB.tenon_kinematics(pointer(), q, q.length, v, n(v), a, n(a)), null);
  }

  /** [x y z qx qy qz qw] in the world. */
  public double[] linkPose(int link) {
    double[] pose = new double[7];
    return done(LIB.tenon_link_pose(pointer(), link, pose, 7, null, 0), pose);
  }

  /** Along world axes. */
  public double[] linkVelocity(int link) {
    return linkVelocity(link, Tenon.TENON_AXES_WORLD);
  }

  /** [angular; linear at the link's origin]. axes: Tenon.TENON_AXES_*. */
  public double[] linkVelocity(int link, int axes) {
    double[] velocity = new double[6];
    return done(LIB.tenon_link_velocity(pointer(), link, axes, velocity, 6), velocity);
  }

  /** Of the link's origin, along world axes. */
  public Matrix jacobian(int link) {
    return jacobian(link, null, Tenon.TENON_AXES_WORLD);
  }

  /** 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]. */
  public Matrix jacobian(int link, double[] point, int axes) {
    Matrix J = new Matrix(6, nv);
    return done(LIB.tenon_point_jacobian(pointer(), link, point, n(point), axes, J.data, J.data.length, 6), J);
  }

  public double[] forwardDynamics(double[] q, double[] v, double[] tau) {
    return forwardDynamics(q, v, tau, null);
  }

  /** qdd = M^-1 (tau + external - c). */
  public double[] forwardDynamics(double[] q, double[] v, double[] tau, double[] wrenches) {
    double[] qdd = zeros();
    return done(LIB.tenon_forward_dynamics(pointer(), q, q.length, v, v.length, tau, tau.length, wrenches, n(wrenches),
        qdd, nv), qdd);
  }

  public double[] inverseDynamics(double[] q, double[] v, double[] a) {
    return inverseDynamics(q, v, a, null);
  }

  /** tau = M a + c - external. */
  public double[] inverseDynamics(double[] q, double[] v, double[] a, double[] wrenches) {
    double[] tau = zeros();
    return done(LIB.tenon_inverse_dynamics(pointer(), q, q.length, v, v.length, a, a.length, wrenches, n(wrenches),
        tau, nv), tau);
  }

  /** c(q, v). */
  public double[] bias(double[] q, double[] v) {
    double[] c = zeros();
    return done(LIB.tenon_bias(pointer(), q, q.length, v, v.length, null, 0, c, nv), c);
  }

  public double[] gravityForce(double[] q) {
    double[] g = zeros();
    return done(LIB.tenon_gravity_force(pointer(), q, q.length, g, nv), g);
  }

  public Matrix massMatrix(double[] q) {
    Matrix M = new Matrix(nv, nv);
    return done(LIB.tenon_mass_matrix(pointer(), q, q.length, M.data, M.data.length, M.leading()), M);
  }

  public Motion constrainedDynamics(double[] q, double[] v, double[] tau) {
    return constrainedDynamics(q, v, tau, null, null, null);
  }

  /** wrenches, desired (accelerations of the rows) and options of Options.solve() may be null. */
  public Motion constrainedDynamics(double[] q, double[] v, double[] tau, double[] wrenches, double[] desired,
      Tenon.tenon_solve_options options) {
    Motion motion = new Motion(zeros(), new double[m]);
    return done(LIB.tenon_constrained_dynamics(pointer(), options, q, q.length, v, v.length, tau, tau.length, wrenches,
        n(wrenches), desired, n(desired), motion.qdd, nv, motion.lambda, m), motion);
  }

  /** tau = M a + c - J^T lambda. */
  public double[] constrainedInverseDynamics(double[] q, double[] v, double[] a, double[] lambda) {
    double[] tau = zeros();
    return done(LIB.tenon_constrained_inverse_dynamics(pointer(), q, q.length, v, v.length, a, a.length, null, 0,
        lambda, lambda.length, tau, nv), tau);
  }

  public Rows constraintRows(double[] q, double[] v) {
    Rows rows = new Rows(new Matrix(m, nv), new double[m], new double[m], new double[m]);
    return done(LIB.tenon_constraint_rows(pointer(), q, q.length, v, v.length, null, 0, rows.J.data,
        rows.J.data.length, rows.J.leading(), rows.rhs, m, rows.positionError, m, rows.velocity, m), rows);
  }

  /** J M^-1 J^T. */
  public Matrix delassus(double[] q) {
    Matrix A = new Matrix(m, m);
    return done(LIB.tenon_delassus(pointer(), null, q, q.length, A.data, A.data.length, A.leading()), A);
  }

  public void step(double[] q, double[] v, double[] tau, double dt) {
    step(q, v, tau, dt, null);
  }

  /** One step in time, semi-implicit Euler: q and v change in place. options may be null. */
  public void step(double[] q, double[] v, double[] tau, double dt, Tenon.tenon_solve_options options) {
    done(LIB.tenon_step_semi_implicit_euler(pointer(), options, dt, q, q.length, v, v.length, tau, tau.length, null, 0,
        null, 0, null, 0), null);
  }
}
