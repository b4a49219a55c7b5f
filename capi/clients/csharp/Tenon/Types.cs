using System;

namespace Tenon {
  // Options: what is null has the library's default, which tenon.h tells.

  public sealed class ModelOptions {
    public static ModelOptions Floating => new ModelOptions { Base = global::Tenon.Base.Floating };
    public Base? Base { get; set; }
    public string FloatingJointName { get; set; }
    public double[] Gravity { get; set; }
    public bool? IgnoreLoops { get; set; }
    public bool? IgnoreMimic { get; set; }
    public bool? TolerantInertias { get; set; }
  }

  public sealed class ConstraintOptions {
    public Axes? Axes { get; set; }
    public Rows? Rows { get; set; }
    public string Name { get; set; }
    public double? Frequency { get; set; }
    public double? DampingRatio { get; set; }
    public double[] Weights { get; set; }
    public double[] Compliance { get; set; }
  }

  public sealed class SolveOptions {
    public Method? Method { get; set; }
    public int? MaxIterations { get; set; }
    public bool? WarmStart { get; set; }
    public bool? Accelerate { get; set; }
    public Split? SplitBase { get; set; }
    public double? AbsoluteTolerance { get; set; }
    public double? RelativeTolerance { get; set; }
    public double? Mu { get; set; }
    public double? Tikhonov { get; set; }
  }

  public sealed class BatchOptions {
    public InstructionSet? InstructionSet { get; set; }
    public int? Threads { get; set; }
  }

  public sealed class RolloutOptions {
    public Integrator? Integrator { get; set; }
    public double Dt { get; set; } = 0.001;
    public int Steps { get; set; } = 1;
    /// <summary>States are written after each so many steps.</summary>
    public int Every { get; set; } = 1;
    public SolveOptions Solve { get; set; }
  }

  /// <summary>What is known of a link. Indices count from 0; negative: TENON_NONE, or TENON_WORLD.</summary>
  public sealed class LinkInfo {
    public string Name { get; internal set; }
    public int ParentLink { get; internal set; }
    public int Joint { get; internal set; }
    public int Body { get; internal set; }
    public bool IsFrame { get; internal set; }
    public double Mass { get; internal set; }
    public double[] CenterOfMass { get; internal set; }
    public double[] Inertia { get; internal set; }
  }

  /// <summary>What is known of a joint.</summary>
  public sealed class JointInfo {
    public string Name { get; internal set; }
    public JointType Type { get; internal set; }
    public int ParentLink { get; internal set; }
    public int ChildLink { get; internal set; }
    /// <summary>First of its positions, and how many; VIndex and Nv of velocities.</summary>
    public int QIndex { get; internal set; }
    public int Nq { get; internal set; }
    public int VIndex { get; internal set; }
    public int Nv { get; internal set; }
    public double[] Axis { get; internal set; }
    public double Lower { get; internal set; }
    public double Upper { get; internal set; }
    public double Velocity { get; internal set; }
    public double Effort { get; internal set; }
    public double Armature { get; internal set; }
    public double[] Origin { get; internal set; }
    public double Pitch { get; internal set; }
  }

  /// <summary>How the last constrained solve went.</summary>
  public struct SolveReport {
    public int Iterations;
    public int Rank;
    public Method Method;
    public double PrimalResidual;
    public double DualResidual;
    public double Mu;
  }

  /// <summary>Accelerations, nv, and the forces of the constraint rows, m; of a batch those of all states.</summary>
  public sealed class Motion {
    public double[] Qdd { get; }
    public double[] Lambda { get; }

    internal Motion(int velocities, int rows) {
      Qdd = new double[velocities];
      Lambda = new double[rows];
    }
  }

  /// <summary>The constraint rows at a state: J qdd = Rhs.</summary>
  public sealed class RowsAt {
    public Matrix J { get; internal set; }
    public double[] Rhs { get; internal set; }
    public double[] PositionError { get; internal set; }
    public double[] Velocity { get; internal set; }
  }

  /// <summary>Positions and velocities of a rollout: states x records x numbers.</summary>
  public sealed class Records {
    public double[] Q { get; internal set; }
    public double[] V { get; internal set; }
  }

  /// <summary>A column-major matrix: element (i, j) is Data[i + j * Rows].</summary>
  public sealed class Matrix {
    public int Rows { get; }
    public int Columns { get; }
    public double[] Data { get; }

    public Matrix(int rows, int columns) {
      Rows = rows;
      Columns = columns;
      Data = new double[Handle.Size(rows, columns)];
    }

    public double this[int i, int j] {
      get => Data[At(i, j)];
      set => Data[At(i, j)] = value;
    }

    public ReadOnlySpan<double> Column(int j) {
      return new ReadOnlySpan<double>(Data, At(0, j), Rows);
    }

    internal int Leading => Math.Max(Rows, 1);

    private int At(int i, int j) {
      if (i < 0 || i >= Rows || j < 0 || j >= Columns) {
        throw new IndexOutOfRangeException("(" + i + ", " + j + ") of " + Rows + " x " + Columns);
      }
      return i + j * Rows;
    }

    internal void Fits(int rows, int columns, string name) {
      if (Rows != rows || Columns != columns) {
        throw new ArgumentException(name + ": " + Rows + " x " + Columns + "; " + rows + " x " + columns +
            " are needed", name);
      }
    }
  }
}
