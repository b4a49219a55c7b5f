using System;
using System.Runtime.InteropServices;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  /// <summary>A call that failed: nothing was written. The message tells what, where and how to mend it.</summary>
  public sealed class TenonException : Exception {
    public Status Status { get; }

    public TenonException(int status, string message) : base(Library.Text(status) + ": " + message) {
      Status = (Status)status;
    }
  }

  /// <summary>An object of the library: freed by Dispose, or some time after nobody holds it. What was made from it stays
  /// good. A call that runs in another thread keeps it until it is over.</summary>
  public abstract unsafe class Handle : SafeHandle {
    internal delegate int Creation(void** made, byte* message, UIntPtr size);
    internal delegate int Question(byte* message, UIntPtr size);

    private protected Handle(IntPtr made) : base(IntPtr.Zero, true) {
      SetHandle(made);
    }

    public override bool IsInvalid => handle == IntPtr.Zero;

    internal static IntPtr Made(Creation create) {
      Library.Ready();
      void* made = null;
      Ask((message, size) => {
        void* out_ = null;
        int status = create(&out_, message, size);
        made = out_;
        return status;
      });
      return (IntPtr)made;
    }

    /// <summary>A call that takes a message at its end.</summary>
    internal static void Ask(Question question) {
      Library.Ready();
      byte* message = stackalloc byte[1024];
      message[0] = 0;
      int status = question(message, (UIntPtr)1024);
      if (status < 0) throw new TenonException(status, Library.Utf8(message));
    }

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

    // ---- arrays, refused before the call where they do not fit

    internal static void Fits(ReadOnlySpan<double> numbers, int count, string name) {
      if (numbers.Length != count) {
        throw new ArgumentException(name + ": " + numbers.Length + " numbers; " + count + " are needed", name);
      }
    }

    /// <summary>The same of one that may be empty: then there is none.</summary>
    internal static void FitsOrNone(ReadOnlySpan<double> numbers, int count, string name) {
      if (numbers.Length != 0) Fits(numbers, count, name);
    }

    /// <summary>The product of sizes. One that wraps would be small, and what the library writes not.</summary>
    internal static int Size(params int[] sizes) {
      long all = 1;
      foreach (int size in sizes) {
        all *= size;
        if (size < 0 || all > int.MaxValue) {
          throw new ArgumentException(string.Join(" x ", sizes) + " numbers are more than an array has");
        }
      }
      return (int)all;
    }

    internal static UIntPtr N(ReadOnlySpan<double> numbers) {
      return (UIntPtr)numbers.Length;
    }

    internal static T Given<T>(T argument, string name) where T : class {
      if (argument == null) throw new ArgumentNullException(name);
      return argument;
    }
  }
}
