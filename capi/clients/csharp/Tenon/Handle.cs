using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Tenon {
  /// <summary>A call that failed: nothing was written. The message tells what, where and how to mend it.</summary>
  public sealed class TenonException : Exception {
    public Status Status { get; }

    public TenonException(int status, string message, Exception inner = null)
        : base(Library.StatusString((Status)status) + ": " + message, inner) {
      Status = (Status)status;
    }
  }

  /// <summary>A link, joint or constraint: by its index, or by its name, which is looked up.</summary>
  public readonly struct Which {
    internal readonly int Index;
    internal readonly string Name;

    private Which(int index, string name) {
      Index = index;
      Name = name;
    }

    public static implicit operator Which(int index) => new Which(index, null);
    public static implicit operator Which(string name) => new Which(-1, name);
  }

  /// <summary>An object of the library: freed by Dispose, or some time after nobody holds it. What was made from it stays
  /// good. A call that runs in another thread keeps it until it is over.</summary>
  public abstract unsafe class Handle : SafeHandle {
    /// <summary>Functions of the user that the library may call for this object.</summary>
    internal Kept Kept;

    private protected Handle(IntPtr made) : base(IntPtr.Zero, true) {
      SetHandle(made);
    }

    public override bool IsInvalid => handle == IntPtr.Zero;

    /// <summary>While this lives, the object does.</summary>
    internal struct Hold : IDisposable {
      private Handle held;

      public Hold(Handle handle) {
        held = null;
        if (handle == null) return;
        if (handle.IsClosed) throw new ObjectDisposedException(handle.GetType().Name, "it was disposed of");
        bool added = false;
        handle.DangerousAddRef(ref added);
        held = handle;
      }

      public void* Pointer => held == null ? null : (void*)held.handle;

      public void Dispose() {
        if (held != null) held.DangerousRelease();
        held = null;
      }
    }

    internal static IReadOnlyList<string> Names(int count, Func<int, string> of) {
      List<string> all = new List<string>();
      for (int i = 0; i < count; i++) all.Add(of(i));
      return all;
    }

    /// <summary>The product of sizes. One that wraps would be small, and what the library writes not.</summary>
    internal static int Size(params long[] sizes) {
      long all = 1;
      foreach (long size in sizes) {
        if (size < 0 || size > 0 && all > int.MaxValue / size) {
          throw Unfit(string.Join(" x ", sizes) + " numbers are more than an array has");
        }
        all *= size;
      }
      return (int)all;
    }

    internal static TenonException Unfit(string message) => new TenonException((int)Status.WrongSize, message);

    internal static T Given<T>(T argument, string name) where T : class {
      return argument ?? throw new ArgumentNullException(name);
    }
  }
}
