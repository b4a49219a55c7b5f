package tenon;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import tenon.raw.Tenon;

/** Options with their defaults, of which fields may then be changed; tenon.h says what they do. */
public final class Options {
  private static final Tenon LIB = Handle.LIB;

  private Options() {}

  public static Tenon.tenon_model_options model() {
    Tenon.tenon_model_options options = new Tenon.tenon_model_options();
    Handle.check(LIB.tenon_model_options_init(options, options.size()), "options");
    return options;
  }

  /** Of a model that is free to move in space. */
  public static Tenon.tenon_model_options floating() {
    Tenon.tenon_model_options options = model();
    options.base = Tenon.TENON_BASE_FLOATING;
    return options;
  }

  public static Tenon.tenon_constraint_options constraint() {
    Tenon.tenon_constraint_options options = new Tenon.tenon_constraint_options();
    Handle.check(LIB.tenon_constraint_options_init(options, options.size()), "options");
    return options;
  }

  public static Tenon.tenon_workspace_options workspace() {
    Tenon.tenon_workspace_options options = new Tenon.tenon_workspace_options();
    Handle.check(LIB.tenon_workspace_options_init(options, options.size()), "options");
    return options;
  }

  public static Tenon.tenon_solve_options solve() {
    Tenon.tenon_solve_options options = new Tenon.tenon_solve_options();
    Handle.check(LIB.tenon_solve_options_init(options, options.size()), "options");
    return options;
  }

  public static Tenon.tenon_batch_options batch() {
    Tenon.tenon_batch_options options = new Tenon.tenon_batch_options();
    Handle.check(LIB.tenon_batch_options_init(options, options.size()), "options");
    return options;
  }

  public static Tenon.tenon_rollout_options rollout() {
    Tenon.tenon_rollout_options options = new Tenon.tenon_rollout_options();
    Handle.check(LIB.tenon_rollout_options_init(options, options.size()), "options");
    return options;
  }

  /** A text for a field of options, as name: it lives as long as what is returned, which the struct holds. */
  public static Pointer text(String text) {
    byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
    Memory memory = new Memory(bytes.length);
    memory.write(0, bytes, 0, bytes.length);
    return memory;
  }
}
