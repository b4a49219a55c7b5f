package tenon;

import com.sun.jna.Pointer;
import java.util.function.Consumer;
import tenon.raw.Tenon;

/** What a builder has beside the methods of C. */
abstract class BuilderBase extends Handle {
  BuilderBase(Pointer made, Consumer<Pointer> destroy) {
    super(made, destroy);
  }

  /** The function for C; it lives as long as what may call it. */
  Tenon.tenon_implicit_callback keep(ImplicitConstraint callback) {
    if (callback == null) {
      return null;
    }
    Kept one = new Kept();
    one.callback = Layout.callback(callback, one);
    kept.add(one);
    return one.callback;
  }

  /** A function of the user, and what it threw. */
  static final class Kept {
    Tenon.tenon_implicit_callback callback;
    volatile Throwable thrown;
  }
}
