package tenon;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tenon.raw.Tenon;

/** An object of the library: freed by close(), or some time after nobody holds it. */
public abstract class Handle implements AutoCloseable {
  /**
   * Every function of tenon.h. The library is the one that the system property tenon.library names, or the environment
   * variable TENON_LIBRARY, or the one that came with this package, or the one that JNA finds as tenon.
   */
  public static final Tenon LIB = Loader.load();

  private static final Cleaner CLEANER = Cleaner.create();
  /** Functions of the user that the library may call for this object. */
  final List<Layout.Kept> kept = new ArrayList<>();
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

  // ---- what comes back

  static void check(int status, String message) {
    if (status < 0) {
      throw new TenonException(status, message);
    }
  }

  static void check(int status, byte[] message) {
    check(status, text(message));
  }

  /** What a function of the user threw is the cause. */
  TenonException failed(int status, String message) {
    TenonException error = new TenonException(status, message);
    kept.stream().filter(one -> one.thrown != null).findFirst().ifPresent(one -> {
      error.initCause(one.thrown);
      one.thrown = null;
    });
    return error;
  }

  static int number(int number, String function) {
    check(number, function);
    return number;
  }

  static String text(byte[] bytes) {
    return Native.toString(bytes, StandardCharsets.UTF_8);
  }

  static String text(Pointer text) {
    return text == null ? null : text.getString(0, "UTF-8");
  }

  // ---- what is given

  static TenonException unfit(String message) {
    return new TenonException(Tenon.TENON_WRONG_SIZE, message);
  }

  static void fit(String name, long count, long needed) {
    if (count != needed) {
      throw unfit(name + ": " + count + " numbers; " + needed + " are needed");
    }
  }

  static <T> T given(String name, T value) {
    if (value == null) {
      throw new TenonException(Tenon.TENON_INVALID_ARGUMENT, name + " is null; a value is needed");
    }
    return value;
  }

  /** The count of an array that may be absent. */
  static int n(Object array) {
    return array == null ? 0 : Array.getLength(array);
  }
}
