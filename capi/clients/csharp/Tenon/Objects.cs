using System;
using TenonRaw;
using Raw = TenonRaw.Tenon;

namespace Tenon {
  public sealed partial class Constraints {
    /// <summary>Instead of a link in AddClosure.</summary>
    public const int World = Raw.TENON_WORLD;
  }

  public sealed unsafe partial class Batch {
    private void OfDoubles() {
      if (single) throw new InvalidOperationException("this batch is of single precision: hand over arrays of float for its results");
    }

    // How many states these numbers are of, `count` of each. Without joints a state has no numbers, and a call is of one.
    private static long StatesOf(BatchInput given, long count, string name) {
      long size = given.View.Size, states = count == 0 ? 1 : size / count;
      if (size != states * count) throw Unfit($"{name}: {size} numbers, not states x {count}");
      return states;
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
  }
}
