using System;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>The memory of computations on one state at a time, for one thread at a time. Arrays and spans are not
  /// copied; what does not fit is refused before the call. wrenches: 6 for each link, [moment about its origin; force]
  /// along link axes; none where it is left out. A method that takes the result, the last argument, allocates nothing.
  /// </summary>
  public sealed unsafe class Workspace : Handle {
    private Status status;

    public Model Model { get; }
    public int Nq { get; }
    public int Nv { get; }

    /// <summary>Constraint rows.</summary>
    public int M { get; }

    /// <summary>Of the last computation: Ok, or which caveat its answer has.</summary>
    public Status Status => status;

    public Workspace(Model model, Constraints constraints = null, InstructionSet instructions = InstructionSet.Automatic)
        : base(Create(Given(model, nameof(model)), constraints, instructions)) {
      Model = model;
      tenon_workspace* p = (tenon_workspace*)handle;
      Nq = Raw.tenon_workspace_position_count(p);
      Nv = Raw.tenon_workspace_velocity_count(p);
      M = Raw.tenon_workspace_row_count(p);
    }

    private static IntPtr Create(Model model, Constraints constraints, InstructionSet instructions) {
      using (Hold of = new Hold(model), rows = new Hold(constraints?.Finish())) {
        tenon_model* p = (tenon_model*)of.Pointer;
        tenon_constraints* set = (tenon_constraints*)rows.Pointer;
        return Made((made, message, size) => {
          tenon_workspace_options chosen;
          UIntPtr own = (UIntPtr)sizeof(tenon_workspace_options);
          Library.Check(Raw.tenon_workspace_options_init(&chosen, own), "options");
          chosen.instruction_set = (int)instructions;
          return Raw.tenon_workspace_create(p, set, &chosen, (tenon_workspace**)made, message, size);
        });
      }
    }

    protected override bool ReleaseHandle() {
      Raw.tenon_workspace_destroy((tenon_workspace*)handle);
      return true;
    }

    private Hold Held() {
      return new Hold(this);
    }

    private static tenon_workspace* P(Hold self) {
      return (tenon_workspace*)self.Pointer;
    }

    private void Done(Hold self, int code) {
      status = (Status)code;
      if (code < 0) throw new TenonException(code, Library.Utf8(Raw.tenon_workspace_message(P(self))));
    }

    /// <summary>How the last constrained solve went.</summary>
    public SolveReport Report() {
      tenon_solve_report report;
      using (Hold self = Held()) {
        Library.Check(Raw.tenon_solve_report_init(&report, (UIntPtr)sizeof(tenon_solve_report)), "report");
        Library.Check(Raw.tenon_workspace_report(P(self), &report), "report");
      }
      return new SolveReport {
        Iterations = report.iterations, Rank = report.rank, Method = (Method)report.method,
        PrimalResidual = report.primal_residual, DualResidual = report.dual_residual, Mu = report.mu,
      };
    }

    /// <summary>x, y and z in the world, m/s^2.</summary>
    public double[] Gravity {
      get {
        double[] gravity = new double[3];
        using (Hold self = Held()) fixed (double* g = gravity) Done(self, Raw.tenon_workspace_gravity(P(self), g, N(gravity)));
        return gravity;
      }
      set {
        Fits(value, 3, nameof(Gravity));
        using (Hold self = Held()) fixed (double* g = value) Done(self, Raw.tenon_workspace_set_gravity(P(self), g, N(value)));
      }
    }

    public void SetActive(int constraint, bool active) {
      using (Hold self = Held()) Done(self, Raw.tenon_workspace_set_active(P(self), constraint, active ? 1 : 0));
    }

    public void SetGains(int constraint, double frequency, double dampingRatio) {
      using (Hold self = Held()) Done(self, Raw.tenon_workspace_set_gains(P(self), constraint, frequency, dampingRatio));
    }

    /// <summary>The anchors of all constraints are where they are at q.</summary>
    public void AnchorHere(ReadOnlySpan<double> q) {
      Fits(q, Nq, nameof(q));
      using (Hold self = Held()) fixed (double* x = q) Done(self, Raw.tenon_anchor_here(P(self), x, N(q)));
    }

    // ---- configurations

    public double[] Zeros() {
      return new double[Nv];
    }

    public double[] Neutral() {
      double[] q = new double[Nq];
      using (Hold self = Held()) fixed (double* x = q) Done(self, Raw.tenon_neutral(P(self), x, N(q)));
      return q;
    }

    /// <summary>Within the limits, the same for the same seed everywhere.</summary>
    public double[] Random(ulong seed) {
      double[] q = new double[Nq];
      Random(seed, q);
      return q;
    }

    public void Random(ulong seed, Span<double> q) {
      Fits(q, Nq, nameof(q));
      using (Hold self = Held()) fixed (double* x = q) Done(self, Raw.tenon_random(P(self), seed, x, N(q)));
    }

    public double[] Integrate(ReadOnlySpan<double> q, ReadOnlySpan<double> v, double dt) {
      double[] next = new double[Nq];
      Integrate(q, v, dt, next);
      return next;
    }

    /// <summary>next may be q itself.</summary>
    public void Integrate(ReadOnlySpan<double> q, ReadOnlySpan<double> v, double dt, Span<double> next) {
      Fits(q, Nq, nameof(q));
      Fits(v, Nv, nameof(v));
      Fits(next, Nq, nameof(next));
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = next) Done(self, Raw.tenon_integrate(P(self), x, N(q), y, N(v), dt, z, N(next)));
    }

    /// <summary>The velocity that leads from one configuration to another in unit time.</summary>
    public double[] Difference(ReadOnlySpan<double> from, ReadOnlySpan<double> to) {
      double[] v = new double[Nv];
      Fits(from, Nq, nameof(from));
      Fits(to, Nq, nameof(to));
      using (Hold self = Held())
      fixed (double* x = from, y = to, z = v) Done(self, Raw.tenon_difference(P(self), x, N(from), y, N(to), z, N(v)));
      return v;
    }

    // ---- kinematics

    /// <summary>What follows answers for this state; v and a may be left out.</summary>
    public void Kinematics(ReadOnlySpan<double> q, ReadOnlySpan<double> v = default(ReadOnlySpan<double>),
        ReadOnlySpan<double> a = default(ReadOnlySpan<double>)) {
      Fits(q, Nq, nameof(q));
      FitsOrNone(v, Nv, nameof(v));
      FitsOrNone(a, Nv, nameof(a));
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = a) Done(self, Raw.tenon_kinematics(P(self), x, N(q), y, N(v), z, N(a)));
    }

    /// <summary>[x y z qx qy qz qw] in the world.</summary>
    public double[] LinkPose(int link) {
      double[] pose = new double[7];
      using (Hold self = Held())
      fixed (double* x = pose) Done(self, Raw.tenon_link_pose(P(self), link, x, N(pose), null, UIntPtr.Zero));
      return pose;
    }

    /// <summary>[angular; linear at the link's origin].</summary>
    public double[] LinkVelocity(int link, Axes axes = Axes.World) {
      double[] velocity = new double[6];
      using (Hold self = Held())
      fixed (double* x = velocity) Done(self, Raw.tenon_link_velocity(P(self), link, (int)axes, x, N(velocity)));
      return velocity;
    }

    /// <summary>6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin].</summary>
    public Matrix Jacobian(int link, double[] point = null, Axes axes = Axes.World) {
      Matrix J = new Matrix(6, Nv);
      Jacobian(link, point, axes, J);
      return J;
    }

    public void Jacobian(int link, double[] point, Axes axes, Matrix J) {
      FitsOrNone(point, 3, nameof(point));
      Given(J, nameof(J)).Fits(6, Nv, nameof(J));
      using (Hold self = Held())
      fixed (double* x = point, y = J.Data) {
        Done(self, Raw.tenon_point_jacobian(P(self), link, x, N(point), (int)axes, y, N(J.Data), J.Leading));
      }
    }

    /// <summary>Kinetic and potential, J.</summary>
    public (double Kinetic, double Potential) Energy() {
      double kinetic, potential;
      using (Hold self = Held()) Done(self, Raw.tenon_energy(P(self), &kinetic, &potential));
      return (kinetic, potential);
    }

    // ---- dynamics

    /// <summary>qdd = M^-1 (tau + external - c).</summary>
    public double[] ForwardDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        ReadOnlySpan<double> wrenches = default(ReadOnlySpan<double>)) {
      double[] qdd = new double[Nv];
      ForwardDynamics(q, v, tau, wrenches, qdd);
      return qdd;
    }

    public void ForwardDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        ReadOnlySpan<double> wrenches, Span<double> qdd) {
      Inputs(q, v, tau, nameof(tau), wrenches, qdd, nameof(qdd));
      Dynamics(true, q, v, tau, wrenches, qdd);
    }

    /// <summary>tau = M a + c - external.</summary>
    public double[] InverseDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> a,
        ReadOnlySpan<double> wrenches = default(ReadOnlySpan<double>)) {
      double[] tau = new double[Nv];
      InverseDynamics(q, v, a, wrenches, tau);
      return tau;
    }

    public void InverseDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> a,
        ReadOnlySpan<double> wrenches, Span<double> tau) {
      Inputs(q, v, a, nameof(a), wrenches, tau, nameof(tau));
      Dynamics(false, q, v, a, wrenches, tau);
    }

    private void Dynamics(bool forward, ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> third,
        ReadOnlySpan<double> wrenches, Span<double> result) {
      UIntPtr nq = N(q), nv = N(v), forces = N(wrenches);
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = third, w = wrenches, r = result) {
        Done(self, forward ? Raw.tenon_forward_dynamics(P(self), x, nq, y, nv, z, nv, w, forces, r, nv)
                           : Raw.tenon_inverse_dynamics(P(self), x, nq, y, nv, z, nv, w, forces, r, nv));
      }
    }

    private void Inputs(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> third, string thirdName,
        ReadOnlySpan<double> wrenches, ReadOnlySpan<double> result, string resultName) {
      Fits(q, Nq, nameof(q));
      Fits(v, Nv, nameof(v));
      Fits(third, Nv, thirdName);
      FitsOrNone(wrenches, 6 * Model.LinkCount, nameof(wrenches));
      Fits(result, Nv, resultName);
    }

    /// <summary>c(q, v).</summary>
    public double[] Bias(ReadOnlySpan<double> q, ReadOnlySpan<double> v) {
      double[] c = new double[Nv];
      Fits(q, Nq, nameof(q));
      Fits(v, Nv, nameof(v));
      using (Hold self = Held())
      fixed (double* x = q, y = v, r = c) {
        Done(self, Raw.tenon_bias(P(self), x, N(q), y, N(v), null, UIntPtr.Zero, r, N(c)));
      }
      return c;
    }

    public double[] GravityForce(ReadOnlySpan<double> q) {
      double[] g = new double[Nv];
      Fits(q, Nq, nameof(q));
      using (Hold self = Held()) fixed (double* x = q, r = g) Done(self, Raw.tenon_gravity_force(P(self), x, N(q), r, N(g)));
      return g;
    }

    public Matrix MassMatrix(ReadOnlySpan<double> q) {
      Matrix M = new Matrix(Nv, Nv);
      MassMatrix(q, M);
      return M;
    }

    public void MassMatrix(ReadOnlySpan<double> q, Matrix M) {
      Fits(q, Nq, nameof(q));
      Given(M, nameof(M)).Fits(Nv, Nv, nameof(M));
      using (Hold self = Held())
      fixed (double* x = q, r = M.Data) Done(self, Raw.tenon_mass_matrix(P(self), x, N(q), r, N(M.Data), M.Leading));
    }

    // ---- dynamics with constraints

    public Motion ConstrainedDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        SolveOptions options = null) {
      Motion motion = new Motion(Nv, M);
      ConstrainedDynamics(q, v, tau, default(ReadOnlySpan<double>), default(ReadOnlySpan<double>), motion.Qdd,
          motion.Lambda, options);
      return motion;
    }

    /// <summary>wrenches and desired, the accelerations of the rows, may be empty.</summary>
    public void ConstrainedDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        ReadOnlySpan<double> wrenches, ReadOnlySpan<double> desired, Span<double> qdd, Span<double> lambda,
        SolveOptions options = null) {
      Inputs(q, v, tau, nameof(tau), wrenches, qdd, nameof(qdd));
      FitsOrNone(desired, M, nameof(desired));
      Fits(lambda, M, nameof(lambda));
      tenon_solve_options chosen;
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = tau, w = wrenches, k = desired, r = qdd, f = lambda) {
        Done(self, Raw.tenon_constrained_dynamics(P(self), Chosen(options, &chosen), x, N(q), y, N(v), z, N(tau), w,
            N(wrenches), k, N(desired), r, N(qdd), f, N(lambda)));
      }
    }

    internal static tenon_solve_options* Chosen(SolveOptions options, tenon_solve_options* chosen) {
      if (options == null) return null;
      Library.Check(Raw.tenon_solve_options_init(chosen, (UIntPtr)sizeof(tenon_solve_options)), "options");
      chosen->method = (int?)options.Method ?? chosen->method;
      chosen->max_iterations = options.MaxIterations ?? chosen->max_iterations;
      if (options.WarmStart is bool warm) chosen->warm_start = warm ? 1 : 0;
      if (options.Accelerate is bool accelerate) chosen->accelerate = accelerate ? 1 : 0;
      chosen->split_base = (int?)options.SplitBase ?? chosen->split_base;
      chosen->absolute_tolerance = options.AbsoluteTolerance ?? chosen->absolute_tolerance;
      chosen->relative_tolerance = options.RelativeTolerance ?? chosen->relative_tolerance;
      chosen->mu = options.Mu ?? chosen->mu;
      chosen->tikhonov = options.Tikhonov ?? chosen->tikhonov;
      return chosen;
    }

    /// <summary>tau = M a + c - J^T lambda.</summary>
    public double[] ConstrainedInverseDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> a,
        ReadOnlySpan<double> lambda) {
      double[] tau = new double[Nv];
      Inputs(q, v, a, nameof(a), default(ReadOnlySpan<double>), tau, nameof(tau));
      Fits(lambda, M, nameof(lambda));
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = a, f = lambda, r = tau) {
        Done(self, Raw.tenon_constrained_inverse_dynamics(P(self), x, N(q), y, N(v), z, N(a), null, UIntPtr.Zero, f,
            N(lambda), r, N(tau)));
      }
      return tau;
    }

    public RowsAt ConstraintRows(ReadOnlySpan<double> q, ReadOnlySpan<double> v) {
      RowsAt rows = new RowsAt {
        J = new Matrix(M, Nv), Rhs = new double[M], PositionError = new double[M], Velocity = new double[M],
      };
      Fits(q, Nq, nameof(q));
      Fits(v, Nv, nameof(v));
      using (Hold self = Held())
      fixed (double* x = q, y = v, j = rows.J.Data, r = rows.Rhs, e = rows.PositionError, u = rows.Velocity) {
        Done(self, Raw.tenon_constraint_rows(P(self), x, N(q), y, N(v), null, UIntPtr.Zero, j, N(rows.J.Data),
            rows.J.Leading, r, N(rows.Rhs), e, N(rows.PositionError), u, N(rows.Velocity)));
      }
      return rows;
    }

    /// <summary>J M^-1 J^T.</summary>
    public Matrix Delassus(ReadOnlySpan<double> q, DelassusMethod method = DelassusMethod.Automatic) {
      Matrix A = new Matrix(M, M);
      Fits(q, Nq, nameof(q));
      tenon_delassus_options chosen;
      using (Hold self = Held())
      fixed (double* x = q, r = A.Data) {
        Library.Check(Raw.tenon_delassus_options_init(&chosen, (UIntPtr)sizeof(tenon_delassus_options)), "options");
        chosen.method = (int)method;
        Done(self, Raw.tenon_delassus(P(self), &chosen, x, N(q), r, N(A.Data), A.Leading));
      }
      return A;
    }

    /// <summary>One step in time: q and v change in place.</summary>
    public void Step(Span<double> q, Span<double> v, ReadOnlySpan<double> tau, double dt,
        Integrator integrator = Integrator.SemiImplicitEuler, SolveOptions options = null) {
      Inputs(q, v, tau, nameof(tau), default(ReadOnlySpan<double>), v, nameof(v));
      UIntPtr none = UIntPtr.Zero;
      tenon_solve_options own;
      using (Hold self = Held())
      fixed (double* x = q, y = v, z = tau) {
        tenon_solve_options* chosen = Chosen(options, &own);
        switch (integrator) {
          case Integrator.SemiImplicitEuler:
            Done(self, Raw.tenon_step_semi_implicit_euler(P(self), chosen, dt, x, N(q), y, N(v), z, N(tau), null, none,
                null, none, null, none));
            break;
          case Integrator.RungeKutta4:
            Done(self, Raw.tenon_step_runge_kutta_4(P(self), chosen, dt, x, N(q), y, N(v), z, N(tau), null, none, null,
                none, null, none));
            break;
          default:
            throw new ArgumentException("there is no integrator " + integrator, nameof(integrator));
        }
      }
    }
  }
}
