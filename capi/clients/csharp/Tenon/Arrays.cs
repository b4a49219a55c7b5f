using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using TenonRaw;

namespace Tenon {
  /// <summary>A column-major matrix, maybe a part of a larger one: element (i, j) is Data[i + j * Leading].</summary>
  public sealed unsafe class Matrix {
    public int Rows { get; }
    public int Columns { get; }
    public int Leading { get; }
    public double[] Data { get; }

    public Matrix(int rows, int columns) : this(rows, columns, new double[Handle.Size(rows, columns)], Math.Max(rows, 1)) { }

    public Matrix(int rows, int columns, double[] data, int leading) {
      Rows = rows;
      Columns = columns;
      Leading = leading;
      Data = Handle.Given(data, nameof(data));
      if (rows < 0 || columns < 0 || leading < Math.Max(rows, 1)) {
        throw Handle.Unfit($"there is no {rows} x {columns} matrix of leading dimension {leading}");
      }
      if (columns > 0 && rows > 0 && (columns - 1) * (long)leading + rows > data.Length) {
        throw Handle.Unfit($"{data.Length} numbers are fewer than {rows} x {columns} of leading dimension {leading} take");
      }
    }

    public double this[int i, int j] {
      get => Data[At(i, j)];
      set => Data[At(i, j)] = value;
    }

    public ReadOnlySpan<double> Column(int j) => new ReadOnlySpan<double>(Data, At(0, j), Rows);

    private int At(int i, int j) {
      if (i < 0 || i >= Rows && i > 0 || j < 0 || j >= Columns) throw new IndexOutOfRangeException($"({i}, {j}) of {Rows} x {Columns}");
      return i + j * Leading;
    }

    // A result of derivatives: of one that options want row-major the transpose.
    internal static Matrix Sized(DerivativeOptions options, int rows, int columns) {
      return Turned(options) ? new Matrix(columns, rows) : new Matrix(rows, columns);
    }

    private static bool Turned(DerivativeOptions options) => options != null && options.RowMajor != 0;

    internal static void Fit(Matrix given, int rows, int columns, string name, DerivativeOptions options = null) {
      if (Turned(options)) (rows, columns) = (columns, rows);
      if (given == null || given.Rows == rows && given.Columns == columns) return;
      throw Handle.Unfit($"{name}: {given.Rows} x {given.Columns}; {rows} x {columns} are needed");
    }

    internal static Span<double> Numbers(Matrix given) => given == null ? default(Span<double>) : given.Data;
    internal static UIntPtr LengthOf(Matrix given) => Library.LengthOf(given?.Data);
    internal static int LeadingOf(Matrix given) => given?.Leading ?? 0;
  }

  /// <summary>Numbers of all states of a batch, double[] or float[] as its precision is. As they are: one state after another, of
  /// an input also those of one state for all. With strides: Data[First + s StateStride + i NumberStride + r RecordStride].
  /// </summary>
  public sealed class BatchArray {
    public Array Data { get; }
    internal readonly bool IsView;
    internal readonly long First, Count, NumberStride, StateStride, RecordStride;

    public BatchArray(double[] data) { Data = data; }
    public BatchArray(float[] data) { Data = data; }

    public BatchArray(Array data, long first, long count, long numberStride, long stateStride, long recordStride = 0) {
      if (!(data is double[] || data is float[])) throw new ArgumentException("double[] or float[] is needed", nameof(data));
      (Data, First, Count) = (data, first, count);
      (NumberStride, StateStride, RecordStride, IsView) = (numberStride, stateStride, recordStride, true);
    }

    public static implicit operator BatchArray(double[] data) => data == null ? null : new BatchArray(data);
    public static implicit operator BatchArray(float[] data) => data == null ? null : new BatchArray(data);
    internal Span<byte> Bytes => Data is double[] d ? MemoryMarshal.AsBytes(d.AsSpan()) : MemoryMarshal.AsBytes(((float[])Data).AsSpan());
    internal int Item => Data is double[] ? 8 : 4;
  }

  internal readonly struct BatchView {
    public readonly long Size;
    public readonly int Item; // bytes of a number; 0: there is no array
    public readonly BatchArray Array; // where it has strides

    public BatchView(long size, int item, BatchArray array) {
      (Size, Item) = (size, item);
      Array = array != null && array.IsView ? array : null;
    }
  }

  /// <summary>What options point at, in place until the call is over.</summary>
  internal sealed unsafe class Pins : IDisposable {
    private readonly List<GCHandle> handles = new List<GCHandle>();
    private readonly List<IntPtr> rooms = new List<IntPtr>();
    private Exception thrown;

    public void* Pin(object array) {
      if (array == null || ((Array)array).Length == 0) return null;
      handles.Add(GCHandle.Alloc(array, GCHandleType.Pinned));
      return (void*)handles[handles.Count - 1].AddrOfPinnedObject();
    }

    public void* Room(int bytes) {
      rooms.Add(Marshal.AllocHGlobal(bytes));
      return (void*)rooms[rooms.Count - 1];
    }

    public byte* Text(string text) => (byte*)Pin(Library.Bytes(text));

    public byte** Texts(string[] texts) {
      if (texts == null) return null;
      byte** all = (byte**)Room(Math.Max(texts.Length, 1) * sizeof(byte*));
      for (int i = 0; i < texts.Length; i++) all[i] = Text(texts[i]);
      return all;
    }

    public IntPtr Log(Action<LogLevel, string> log) {
      if (log == null) return IntPtr.Zero;
      tenon_log_callback callback = (user, level, message) => {
        try {
          log((LogLevel)level, Library.Utf8(message));
        } catch (Exception error) { // it must not reach the library
          thrown = error;
        }
      };
      handles.Add(GCHandle.Alloc(callback));
      return Marshal.GetFunctionPointerForDelegate(callback);
    }

    public tenon_batch_array* Array(BatchArray given, Batch batch, long count, long states, long records, bool written, string name) {
      if (given == null) return null;
      BatchView view = new BatchView(given.Data.Length, given.Item, given);
      return batch.Tell((tenon_batch_array*)Room(sizeof(tenon_batch_array)), (byte*)Pin(given.Data), view, count, states, records, false, written, name);
    }

    public void Dispose() {
      foreach (GCHandle handle in handles) handle.Free();
      foreach (IntPtr room in rooms) Marshal.FreeHGlobal(room);
      if (thrown != null) throw new InvalidOperationException("the log callback threw: " + thrown.Message, thrown);
    }
  }

  /// <summary>Functions of the user, alive as long as what may call them.</summary>
  internal sealed class Kept {
    private readonly Kept before;
    internal tenon_implicit_callback Last;
    internal volatile Exception Thrown;

    internal Kept(Kept before) { this.before = before; }

    internal Exception Take() {
      Exception thrown = Thrown ?? before?.Take();
      Thrown = null;
      return thrown;
    }
  }
}
