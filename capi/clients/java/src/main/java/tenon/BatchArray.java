package tenon;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.Buffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;

/** Numbers of all states of a batch, of double or float as its precision is: arrays, which are copied, or direct buffers, which
 * are not. As they are: one state after another, of an input also those of one state for all. With strides: number i of state
 * s, record r, is data[first + s stateStride + r recordStride + i numberStride]. */
public final class BatchArray {
  final Object data;
  final int size;
  final int item;
  long first, count, numberStride = 1, stateStride, recordStride;
  boolean view;

  private BatchArray(Object data, int size, int item) {
    this.data = data;
    this.size = size;
    this.item = item;
  }

  public static BatchArray of(double... numbers) {
    return numbers == null ? null : new BatchArray(numbers, numbers.length, 8);
  }

  public static BatchArray of(float... numbers) {
    return numbers == null ? null : new BatchArray(numbers, numbers.length, 4);
  }

  /** Direct, in the order of bytes of this machine. */
  public static BatchArray of(DoubleBuffer numbers) {
    return numbers == null ? null : new BatchArray(numbers.slice(), numbers.remaining(), 8);
  }

  public static BatchArray of(FloatBuffer numbers) {
    return numbers == null ? null : new BatchArray(numbers.slice(), numbers.remaining(), 4);
  }

  /** The same numbers with strides, count of each state. */
  public BatchArray view(long first, long count, long numberStride, long stateStride, long recordStride) {
    BatchArray made = new BatchArray(data, size, item);
    made.first = first;
    made.count = count;
    made.numberStride = numberStride;
    made.stateStride = stateStride;
    made.recordStride = recordStride;
    made.view = true;
    return made;
  }

  /** Where the library reads and writes them. */
  Pointer memory() {
    if (size == 0) {
      return new Memory(item); // NULL would be no array
    }
    if (data instanceof Buffer) {
      return Native.getDirectBufferPointer((Buffer) data);
    }
    Memory memory = new Memory((long) item * size);
    if (item == 8) {
      memory.write(0, (double[]) data, 0, size);
    } else {
      memory.write(0, (float[]) data, 0, size);
    }
    return memory;
  }

  void read(Pointer memory) {
    if (data instanceof double[]) {
      memory.read(0, (double[]) data, 0, size);
    } else if (data instanceof float[]) {
      memory.read(0, (float[]) data, 0, size);
    }
  }
}
