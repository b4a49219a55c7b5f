package tenon;

import com.sun.jna.Pointer;
import java.util.function.Consumer;

/** What workspaces and batches have beside the methods of C. */
abstract class ComputingBase extends Handle {
  public final Model model;
  /** Null where there is none. */
  public final Constraints constraints;
  private Constraints loops;

  ComputingBase(Model model, Constraints constraints, Pointer made, Consumer<Pointer> destroy) {
    super(made, destroy);
    this.model = model;
    this.constraints = constraints;
    kept.addAll(model.kept);
  }

  abstract String message();

  void done(int status) {
    if (status < 0) {
      TenonException error = new TenonException(status, message());
      for (Object one : kept) {
        BuilderBase.Kept function = (BuilderBase.Kept) one;
        if (function.thrown != null) {
          error.initCause(function.thrown);
          function.thrown = null;
          break;
        }
      }
      throw error;
    }
  }

  /** A set has the rows of the model's loops, also where there is no other constraint. */
  Constraints set() {
    if (constraints == null && loops == null) {
      loops = new Constraints(model);
    }
    return constraints == null ? loops : constraints;
  }

  int linkOf(String link) {
    return model.linkIndex(link);
  }

  int constraintOf(String constraint) {
    return set().index(constraint);
  }

  int constraintCount() {
    return set().count();
  }

  int rowsOf(int constraint) {
    return set().info(constraint).rowCount;
  }
}
