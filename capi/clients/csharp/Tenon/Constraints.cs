using System;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>What is held on the links of a model: filled, then finished, by Finish or the first workspace or batch;
  /// immutable from then on. Each Add... returns the index of the constraint. Lengths are looked at before the call.
  /// </summary>
  public sealed unsafe class Constraints : Handle {
    /// <summary>Instead of a link's index in AddClosure.</summary>
    public const int World = Raw.TENON_WORLD;

    private bool finished;

    public Model Model { get; }

    public Constraints(Model model) : base(Create(Given(model, nameof(model)))) {
      Model = model;
    }

    private static IntPtr Create(Model model) {
      using (Hold of = new Hold(model)) {
        tenon_model* p = (tenon_model*)of.Pointer;
        return Made((made, message, size) => Raw.tenon_constraints_create(p, (tenon_constraints**)made, message, size));
      }
    }

    protected override bool ReleaseHandle() {
      Raw.tenon_constraints_destroy((tenon_constraints*)handle);
      return true;
    }

    private delegate int Addition(tenon_constraints* set, tenon_constraint_options* options, int* index, byte* message,
        UIntPtr size);

    private int Add(ConstraintOptions options, Addition add) {
      byte[] called = Library.Bytes(options?.Name);
      int index = -1;
      using (Hold self = new Hold(this)) {
        tenon_constraints* set = (tenon_constraints*)self.Pointer;
        Ask((message, size) => {
          fixed (byte* name = called)
          fixed (double* weights = options?.Weights, compliance = options?.Compliance) {
            tenon_constraint_options chosen;
            UIntPtr own = (UIntPtr)sizeof(tenon_constraint_options);
            Library.Check(Raw.tenon_constraint_options_init(&chosen, own), "options");
            if (options != null) {
              chosen.axes = (int?)options.Axes ?? chosen.axes;
              chosen.rows = (uint?)options.Rows ?? chosen.rows;
              chosen.name = name;
              chosen.frequency = options.Frequency ?? chosen.frequency;
              chosen.damping_ratio = options.DampingRatio ?? chosen.damping_ratio;
              chosen.weights = weights;
              chosen.weights_count = N(options.Weights);
              chosen.compliance = compliance;
              chosen.compliance_count = N(options.Compliance);
            }
            int added = -1;
            int status = add(set, &chosen, &added, message, size);
            index = added;
            return status;
          }
        });
      }
      return index;
    }

    /// <summary>A point of a link, 3, m; null: its origin.</summary>
    public int AddPoint(int link, double[] point = null, ConstraintOptions options = null) {
      FitsOrNone(point, 3, nameof(point));
      return Add(options, (set, chosen, index, message, size) => {
        fixed (double* p = point) {
          return Raw.tenon_constraints_add_point(set, link, p, N(point), chosen, index, message, size);
        }
      });
    }

    public int AddPoint(string link, double[] point = null, ConstraintOptions options = null) {
      return AddPoint(Model.LinkIndex(link), point, options);
    }

    /// <summary>A frame of a link, pose of 7; null: the link's own.</summary>
    public int AddWeld(int link, double[] pose = null, ConstraintOptions options = null) {
      FitsOrNone(pose, 7, nameof(pose));
      return Add(options, (set, chosen, index, message, size) => {
        fixed (double* p = pose) {
          return Raw.tenon_constraints_add_weld(set, link, p, N(pose), chosen, index, message, size);
        }
      });
    }

    public int AddWeld(string link, double[] pose = null, ConstraintOptions options = null) {
      return AddWeld(Model.LinkIndex(link), pose, options);
    }

    /// <summary>K a = k with the spatial acceleration a of the link in its frame; K has 6 columns.</summary>
    public int AddRows(int link, Matrix K, ConstraintOptions options = null) {
      Given(K, nameof(K)).Fits(K.Rows, 6, nameof(K));
      return Add(options, (set, chosen, index, message, size) => {
        fixed (double* p = K.Data) {
          return Raw.tenon_constraints_add_rows(set, link, K.Rows, p, N(K.Data), K.Leading, chosen, index, message,
              size);
        }
      });
    }

    public int AddRows(string link, Matrix K, ConstraintOptions options = null) {
      return AddRows(Model.LinkIndex(link), K, options);
    }

    /// <summary>Keeps a frame of one link together with a frame of another, or of the World.</summary>
    public int AddClosure(int link, int secondLink, double[] pose = null, double[] secondPose = null,
        ConstraintOptions options = null) {
      FitsOrNone(pose, 7, nameof(pose));
      FitsOrNone(secondPose, 7, nameof(secondPose));
      return Add(options, (set, chosen, index, message, size) => {
        fixed (double* p = pose, second = secondPose) {
          return Raw.tenon_constraints_add_closure(set, link, p, N(pose), secondLink, second, N(secondPose), chosen,
              index, message, size);
        }
      });
    }

    /// <summary>Does nothing the second time.</summary>
    public Constraints Finish() {
      using (Hold self = new Hold(this)) {
        tenon_constraints* set = (tenon_constraints*)self.Pointer;
        if (!finished) Ask((message, size) => Raw.tenon_constraints_finish(set, message, size));
      }
      finished = true;
      return this;
    }

    public int Count {
      get {
        using (Hold self = new Hold(this)) {
          return Raw.tenon_constraints_constraint_count((tenon_constraints*)self.Pointer);
        }
      }
    }

    /// <summary>The length of lambda. Finishes the set.</summary>
    public int RowCount {
      get {
        Finish();
        using (Hold self = new Hold(this)) {
          return Raw.tenon_constraints_row_count((tenon_constraints*)self.Pointer);
        }
      }
    }
  }
}
