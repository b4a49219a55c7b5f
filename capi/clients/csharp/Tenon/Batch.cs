using System;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>Computes what a workspace does, of many states, in double precision. Arrays have the numbers of one state
  /// after those of another: q is states x nq. An input of the numbers of one state is the same for all; an empty one is
  /// none. Without joints a state has no numbers, and a call is of one. A state that fails spoils only itself: its status is
  /// negative, and the call throws when the others are done.</summary>
  public sealed unsafe class Batch : Handle {
    private readonly int constraintCount;
    private int[] codes = { };

    public Model Model { get; }
    public int Nq { get; }
    public int Nv { get; }
    public int M { get; }

    public Batch(Model model, Constraints constraints = null, BatchOptions options = null)
        : base(Create(Given(model, nameof(model)), constraints, options)) {
      Model = model;
      Nq = model.Nq;
      Nv = model.Nv;
      // A set has the rows of the model's loops, also where there is no other constraint.
      using (Constraints none = constraints == null ? new Constraints(model) : null) {
        M = (constraints ?? none).RowCount;
        constraintCount = (constraints ?? none).Count;
      }
    }

    private static IntPtr Create(Model model, Constraints constraints, BatchOptions options) {
      using (Hold of = new Hold(model), rows = new Hold(constraints?.Finish())) {
        tenon_model* p = (tenon_model*)of.Pointer;
        tenon_constraints* set = (tenon_constraints*)rows.Pointer;
        return Made((made, message, size) => {
          tenon_batch_options chosen;
          Library.Check(Raw.tenon_batch_options_init(&chosen, (UIntPtr)sizeof(tenon_batch_options)), "options");
          chosen.instruction_set = (int?)options?.InstructionSet ?? chosen.instruction_set;
          chosen.threads = options?.Threads ?? chosen.threads;
          return Raw.tenon_batch_create(p, set, &chosen, (tenon_batch**)made, message, size);
        });
      }
    }

    protected override bool ReleaseHandle() {
      Raw.tenon_batch_destroy((tenon_batch*)handle);
      return true;
    }

    /// <summary>Of each state of the last call.</summary>
    public Status[] StateStatus => Array.ConvertAll(codes, code => (Status)code);

    /// <summary>How many states are computed side by side.</summary>
    public int Width {
      get {
        using (Hold self = new Hold(this)) return Raw.tenon_batch_width((tenon_batch*)self.Pointer);
      }
    }

    // How many states these numbers are of, `count` of each.
    private static int Times(ReadOnlySpan<double> numbers, int count, string name) {
      int states = count == 0 ? 1 : numbers.Length / count;
      if (numbers.Length != states * count) {
        throw new ArgumentException(name + ": " + numbers.Length + " numbers, not states x " + count, name);
      }
      return states;
    }

    private int States(ReadOnlySpan<double> q) {
      int states = Times(q, Nq, nameof(q));
      if (codes.Length != states) codes = new int[states];
      Array.Clear(codes, 0, codes.Length);
      return codes.Length;
    }

    // What the library is told of an array: into *there, or null where there is none. One without data is none too.
    private static tenon_batch_array* Input(tenon_batch_array* there, double* data, ReadOnlySpan<double> given, int count,
        int states, string name, bool needed = true) {
      if (given.Length == 0 && !needed) return null;
      if (given.Length != count && given.Length != (long)count * states) {
        throw new ArgumentException(name + ": " + given.Length + " numbers; " + states + " times " + count +
            " are needed", name);
      }
      return Described(there, data, given.Length, count, given.Length == count ? 0 : count, 0);
    }

    private static tenon_batch_array* Described(tenon_batch_array* there, double* data, long size, int count,
        int stateStride, int recordStride) {
      there->struct_size = (uint)sizeof(tenon_batch_array);
      there->reserved = 0;
      there->data = data;
      there->size = (UIntPtr)(ulong)size;
      there->first = UIntPtr.Zero;
      there->count = (UIntPtr)count;
      there->number_stride = (IntPtr)1;
      there->state_stride = (IntPtr)stateStride;
      there->record_stride = (IntPtr)recordStride;
      return there;
    }

    private static void Done(Hold self, int code) {
      if (code < 0) throw new TenonException(code, Library.Utf8(Raw.tenon_batch_message((tenon_batch*)self.Pointer)));
    }

    // ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

    /// <summary>The pose, 7, at which a constraint is held in all states.</summary>
    public void SetAnchor(int constraint, ReadOnlySpan<double> pose) {
      Fits(pose, 7, nameof(pose));
      using (Hold self = new Hold(this))
      fixed (double* p = pose) {
        Done(self, Raw.tenon_batch_set_anchor((tenon_batch*)self.Pointer, constraint, p, N(pose)));
      }
    }

    /// <summary>states x constraints x 7.</summary>
    public void SetAnchors(ReadOnlySpan<double> poses) {
      int count = Size(constraintCount, 7), n = Times(poses, count, nameof(poses));
      tenon_batch_array pa;
      using (Hold self = new Hold(this))
      fixed (double* p = poses) {
        Done(self, Raw.tenon_batch_set_anchors((tenon_batch*)self.Pointer, (UIntPtr)n,
            Input(&pa, p, poses, count, n, nameof(poses))));
      }
    }

    /// <summary>What was set, states x constraints x 7.</summary>
    public double[] Anchors(int states) {
      int count = Size(constraintCount, 7);
      double[] poses = new double[Size(states, count)];
      tenon_batch_array pa;
      using (Hold self = new Hold(this))
      fixed (double* p = poses) {
        Done(self, Raw.tenon_batch_anchors((tenon_batch*)self.Pointer, (UIntPtr)states,
            Described(&pa, p, poses.Length, count, count, 0)));
      }
      return poses;
    }

    /// <summary>The anchors of all constraints are where they are at q.</summary>
    public void AnchorHere(ReadOnlySpan<double> q) {
      int n = States(q);
      tenon_batch_array qa;
      using (Hold self = new Hold(this))
      fixed (double* x = q)
      fixed (int* status = codes) {
        Done(self, Raw.tenon_batch_anchor_here((tenon_batch*)self.Pointer, (UIntPtr)n, Input(&qa, x, q, Nq, n, nameof(q)),
            status, (UIntPtr)n));
      }
    }

    /// <summary>Which constraints are on, states x constraints.</summary>
    public void SetActive(params bool[] active) {
      double[] numbers = Array.ConvertAll(Given(active, nameof(active)), on => on ? 1.0 : 0.0);
      int n = Times(numbers, constraintCount, nameof(active));
      tenon_batch_array aa;
      using (Hold self = new Hold(this))
      fixed (double* a = numbers) {
        Done(self, Raw.tenon_batch_set_active((tenon_batch*)self.Pointer, (UIntPtr)n,
            Input(&aa, a, numbers, constraintCount, n, nameof(active))));
      }
    }

    /// <summary>states x constraints; damping ratios of 1.</summary>
    public void SetGains(ReadOnlySpan<double> frequencies) {
      double[] ones = new double[constraintCount];
      for (int i = 0; i < ones.Length; i++) ones[i] = 1;
      SetGains(frequencies, ones);
    }

    /// <summary>states x constraints.</summary>
    public void SetGains(ReadOnlySpan<double> frequencies, ReadOnlySpan<double> dampingRatios) {
      int n = Times(frequencies, constraintCount, nameof(frequencies));
      tenon_batch_array fa, ra;
      using (Hold self = new Hold(this))
      fixed (double* f = frequencies, r = dampingRatios) {
        Done(self, Raw.tenon_batch_set_gains((tenon_batch*)self.Pointer, (UIntPtr)n,
            Input(&fa, f, frequencies, constraintCount, n, nameof(frequencies)),
            Input(&ra, r, dampingRatios, constraintCount, n, nameof(dampingRatios))));
      }
    }

    // ---- computations

    /// <summary>qdd of all states: states x nv.</summary>
    public double[] ForwardDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        ReadOnlySpan<double> wrenches = default(ReadOnlySpan<double>)) {
      double[] qdd = new double[Size(States(q), Nv)];
      ForwardDynamics(q, v, tau, wrenches, qdd);
      return qdd;
    }

    public void ForwardDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        ReadOnlySpan<double> wrenches, Span<double> qdd) {
      Dynamics(true, q, v, tau, nameof(tau), wrenches, qdd);
    }

    /// <summary>tau of all states: states x nv.</summary>
    public double[] InverseDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> a,
        ReadOnlySpan<double> wrenches = default(ReadOnlySpan<double>)) {
      double[] tau = new double[Size(States(q), Nv)];
      InverseDynamics(q, v, a, wrenches, tau);
      return tau;
    }

    public void InverseDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> a,
        ReadOnlySpan<double> wrenches, Span<double> tau) {
      Dynamics(false, q, v, a, nameof(a), wrenches, tau);
    }

    private void Dynamics(bool forward, ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> third,
        string thirdName, ReadOnlySpan<double> wrenches, Span<double> result) {
      int n = States(q);
      Fits(result, Size(n, Nv), "the result");
      tenon_batch_array qa, va, ta, wa, ra;
      using (Hold self = new Hold(this))
      fixed (double* x = q, y = v, z = third, w = wrenches, r = result)
      fixed (int* status = codes) {
        tenon_batch* p = (tenon_batch*)self.Pointer;
        tenon_batch_array* qs = Input(&qa, x, q, Nq, n, nameof(q)), vs = Input(&va, y, v, Nv, n, nameof(v));
        tenon_batch_array* ts = Input(&ta, z, third, Nv, n, thirdName);
        tenon_batch_array* rs = Described(&ra, r, result.Length, Nv, Nv, 0);
        tenon_batch_array* ws = Input(&wa, w, wrenches, 6 * Model.LinkCount, n, nameof(wrenches), false);
        UIntPtr states = (UIntPtr)n;
        Done(self, forward ? Raw.tenon_batch_forward_dynamics(p, states, qs, vs, ts, ws, rs, status, states)
                           : Raw.tenon_batch_inverse_dynamics(p, states, qs, vs, ts, ws, rs, status, states));
      }
    }

    /// <summary>Accelerations, states x nv, and forces of the rows, states x m.</summary>
    public Motion ConstrainedDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        SolveOptions options = null) {
      int n = States(q);
      Motion motion = new Motion(Size(n, Nv), Size(n, M));
      ConstrainedDynamics(q, v, tau, motion.Qdd, motion.Lambda, options);
      return motion;
    }

    public void ConstrainedDynamics(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        Span<double> qdd, Span<double> lambda, SolveOptions options = null) {
      int n = States(q);
      Fits(qdd, Size(n, Nv), nameof(qdd));
      Fits(lambda, Size(n, M), nameof(lambda));
      tenon_batch_array qa, va, ta, ra, fa;
      tenon_solve_options chosen;
      using (Hold self = new Hold(this))
      fixed (double* x = q, y = v, z = tau, r = qdd, f = lambda)
      fixed (int* status = codes) {
        Done(self, Raw.tenon_batch_constrained_dynamics((tenon_batch*)self.Pointer, Workspace.Chosen(options, &chosen),
            (UIntPtr)n, Input(&qa, x, q, Nq, n, nameof(q)), Input(&va, y, v, Nv, n, nameof(v)),
            Input(&ta, z, tau, Nv, n, nameof(tau)), null, null, Described(&ra, r, qdd.Length, Nv, Nv, 0),
            Described(&fa, f, lambda.Length, M, M, 0), null, UIntPtr.Zero, status, (UIntPtr)n));
      }
    }

    /// <summary>Steps in time; tau is the same in all of them.</summary>
    public Records Rollout(ReadOnlySpan<double> q, ReadOnlySpan<double> v, ReadOnlySpan<double> tau,
        RolloutOptions options) {
      Given(options, nameof(options));
      if (options.Steps < 1 || options.Every < 1) throw new ArgumentException("Steps and Every are 1 or more");
      int n = States(q), r = options.Steps / options.Every;
      Records records = new Records { Q = new double[Size(n, r, Nq)], V = new double[Size(n, r, Nv)] };
      int eachQ = Size(r, Nq), eachV = Size(r, Nv);
      tenon_batch_array qa, va, ta, qr, vr;
      tenon_rollout_options chosen;
      tenon_solve_options solve;
      using (Hold self = new Hold(this))
      fixed (double* x = q, y = v, z = tau, qs = records.Q, vs = records.V)
      fixed (int* status = codes) {
        Library.Check(Raw.tenon_rollout_options_init(&chosen, (UIntPtr)sizeof(tenon_rollout_options)), "options");
        chosen.integrator = (int?)options.Integrator ?? chosen.integrator;
        chosen.dt = options.Dt;
        chosen.steps = (UIntPtr)options.Steps;
        chosen.every = (UIntPtr)options.Every;
        chosen.solve = Workspace.Chosen(options.Solve, &solve);
        Done(self, Raw.tenon_batch_rollout((tenon_batch*)self.Pointer, &chosen, (UIntPtr)n,
            Input(&qa, x, q, Nq, n, nameof(q)), Input(&va, y, v, Nv, n, nameof(v)),
            Input(&ta, z, tau, Nv, n, nameof(tau)), null,
            Described(&qr, qs, records.Q.Length, Nq, eachQ, r > 1 ? Nq : 0),
            Described(&vr, vs, records.V.Length, Nv, eachV, r > 1 ? Nv : 0), status, (UIntPtr)n));
      }
      return records;
    }
  }
}
