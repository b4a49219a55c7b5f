using System;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  public sealed partial class ModelOptions {
    public static ModelOptions Floating => new ModelOptions { Base = Base.Floating };
  }

  public sealed partial class RolloutOptions {
    internal long RecordCount => Every > 0 ? Steps / Every : Steps;
  }

  public sealed unsafe partial class Constraints {
    /// <summary>Instead of a link in AddClosure.</summary>
    public const int World = Raw.TENON_WORLD;

    private bool finished;

    /// <summary>Ends the filling; the first workspace or batch does it too. Does nothing the second time.</summary>
    public Constraints Finish() {
      if (!finished || IsClosed) FinishOnce();
      finished = true;
      return this;
    }

    private int LinkOf(Which link) => Model.LinkOf(link);
  }

  public sealed unsafe partial class Workspace {
    private Constraints rows;

    /// <summary>Of the last computation: Ok, or which caveat its answer has.</summary>
    public Status Status { get; private set; }

    /// <summary>x, y and z in the world, m/s^2.</summary>
    public double[] Gravity {
      get => GetGravity();
      set => SetGravity(value);
    }

    public double[] Zeros() => new double[Nv];

    /// <summary>One step in time: q and v change in place.</summary>
    public void Step(Span<double> q, Span<double> v, ReadOnlySpan<double> tau, double dt,
        Integrator integrator = Integrator.SemiImplicitEuler, SolveOptions options = null) {
      if (integrator == Integrator.RungeKutta4) StepRungeKutta4(dt, q, v, tau, null, null, null, options);
      else StepSemiImplicitEuler(dt, q, v, tau, null, null, null, options);
    }

    /// <summary>J M^-1 J^T by a method.</summary>
    public Matrix Delassus(ReadOnlySpan<double> q, DelassusMethod method) => Delassus(q, new DelassusOptions { Method = method });

    private void Done(Hold self, int code) {
      Status = (Status)code;
      if (code < 0) throw new TenonException(code, Library.Utf8(Raw.tenon_workspace_message((tenon_workspace*)self.Pointer)), Kept?.Take());
    }

    // A set has the rows of the model's loops, also where there is no other constraint.
    private int ConstraintCount => Set.Count;
    private Constraints Set => Constraints ?? (rows = rows ?? new Constraints(Model));
    private int LinkOf(Which link) => Model.LinkOf(link);
    private int ConstraintOf(Which which) => which.Name == null ? which.Index : Set.ConstraintOf(which);
    private int RowsOf(Which constraint) => Set.Info(ConstraintOf(constraint)).RowCount;
    private int Converted(Convention other, Direction direction) => direction == Direction.ToOther ? Model.ConventionNq(other) : Nq;
  }

  public sealed unsafe partial class Batch {
    private bool single;
    private Coordinates positions, velocities;
    private int[] statusCodes = { }, iterationsCodes = { };

    public int Nq => positions == global::Tenon.Coordinates.Independent ? Model.Nyq : Model.Nq;
    public int Nv => velocities == global::Tenon.Coordinates.Independent ? Model.Ny : Model.Nv;
    public int M { get; private set; }
    internal int ConstraintCount { get; private set; }
    internal int Triangle => Nv * (Nv + 1) / 2;

    /// <summary>Of each state of the last call; and how many sweeps it took, where it solved.</summary>
    public Status[] StateStatus => Array.ConvertAll(statusCodes, code => (Status)code);
    public int[] Iterations => (int[])iterationsCodes.Clone();

    /// <summary>Which constraints are on, states x constraints.</summary>
    public void SetActive(params bool[] active) {
      if (single) SetActive(Array.ConvertAll(Given(active, nameof(active)), on => on ? 1.0f : 0.0f));
      else SetActive(Array.ConvertAll(Given(active, nameof(active)), on => on ? 1.0 : 0.0));
    }

    /// <summary>states x constraints; damping ratios of 1.</summary>
    public void SetGains(BatchInput frequencies) {
      double[] ones = new double[ConstraintCount];
      Array.Fill(ones, 1);
      SetGains(frequencies, single ? (BatchInput)Array.ConvertAll(ones, x => (float)x) : ones);
    }

    private void Likewise(Batch of) {
      (single, positions, velocities) = (of.single, of.positions, of.velocities);
      (M, ConstraintCount) = (of.M, of.ConstraintCount);
    }

    private void Ready(BatchOptions options) {
      single = options?.Precision == Precision.Single;
      using (Constraints none = Constraints == null ? new Constraints(Model) : null) {
        M = (Constraints ?? none).RowCount;
        ConstraintCount = (Constraints ?? none).Count;
      }
    }

    private void Counted(Coordinates newPositions, Coordinates newVelocities) => (positions, velocities) = (newPositions, newVelocities);

    private int ConstraintOf(Which which) => which.Name == null ? which.Index : Given(Constraints, nameof(Constraints)).ConstraintOf(which);

    private void OfDoubles() {
      if (single) throw new InvalidOperationException("this batch is of single precision: hand over arrays of float for its results");
    }

    // How many states these numbers are of, `count` of each. Without joints a state has no numbers, and a call is of one.
    private static long StatesOf(BatchInput given, long count, string name) {
      long size = given.View.Size, states = count == 0 ? 1 : size / count;
      if (size != states * count) throw Unfit($"{name}: {size} numbers, not states x {count}");
      return states;
    }

    private void Begin(long states) {
      if (states > int.MaxValue) throw Unfit($"there is no memory for {states} states");
      if (statusCodes.Length != states) (statusCodes, iterationsCodes) = (new int[Size(states)], new int[Size(states)]);
      Array.Clear(statusCodes, 0, statusCodes.Length);
      Array.Clear(iterationsCodes, 0, iterationsCodes.Length);
    }

    // What the library is told of an array; null where there is none.
    internal tenon_batch_array* Tell(tenon_batch_array* there, byte* data, BatchView given, long count, long states, long records,
        bool needed, bool written, string name) {
      if (given.Item == 0 || given.Size == 0 && !needed && given.Array == null) return null;
      if (given.Item != (single ? 4 : 8)) throw new ArgumentException($"{name}: numbers of the precision of the batch are needed", name);
      BatchArray a = given.Array;
      if (data == null) data = (byte*)there; // no numbers, and not NULL, which would be no array
      if (a != null) {
        Layout.Tell(there, data, given.Item, given.Size, a.First, a.Count, a.NumberStride, a.StateStride, a.RecordStride);
        return there;
      }
      bool one = given.Size == count && !written, all = given.Size == (double)states * records * count;
      if (!one && !all && (written || given.Size != (double)states * count)) {
        throw Unfit($"{name}: {given.Size} numbers; {states * records} times {count} are needed");
      }
      long state = one ? 0 : all ? records * count : count;
      Layout.Tell(there, data, given.Item, given.Size, 0, count, 1, state, !one && all && records > 1 ? count : 0);
      return there;
    }

    private void Done(Hold self, int code) {
      if (code < 0) throw new TenonException(code, Library.Utf8(Raw.tenon_batch_message((tenon_batch*)self.Pointer)), Kept?.Take());
    }
  }
}
