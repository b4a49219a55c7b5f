package tenon;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import tenon.raw.Tenon;

/** An object of the library: freed by close(), or some time after nobody holds it. */
public abstract class Handle implements AutoCloseable {
  /**
   * Every function of tenon.h. The library is the one that the system property tenon.library names, or the environment
   * variable TENON_LIBRARY, or the one that came with this package, or the one that JNA finds as tenon.
   */
  public static final Tenon LIB = Library.load();

  private static final Cleaner CLEANER = Cleaner.create();
  private final Cleaner.Cleanable cleanable;
  private Pointer pointer;

  Handle(Pointer pointer, Consumer<Pointer> destroy) {
    this.pointer = pointer;
    cleanable = CLEANER.register(this, () -> destroy.accept(pointer));
  }

  /** For the functions of LIB; hold this object meanwhile. */
  public Pointer pointer() {
    if (pointer == null) {
      throw new IllegalStateException("this " + getClass().getSimpleName() + " is closed");
    }
    return pointer;
  }

  /** Frees it now. What was made from it stays good. */
  @Override
  public void close() {
    pointer = null;
    cleanable.clean();
  }

  interface Call {
    int with(byte[] message, long size);
  }

  /** A call that takes a message at its end; holder lives until it is over. */
  static void call(Object holder, Call call) {
    byte[] message = new byte[1024];
    int status = call.with(message, message.length);
    Reference.reachabilityFence(holder);
    if (status < 0) {
      throw new TenonException(status, Native.toString(message, StandardCharsets.UTF_8));
    }
  }

  static void check(int status, String message) {
    if (status < 0) {
      throw new TenonException(status, message);
    }
  }

  /** The count of an array that may be absent. */
  static long n(double[] array) {
    return array == null ? 0 : array.length;
  }
}
