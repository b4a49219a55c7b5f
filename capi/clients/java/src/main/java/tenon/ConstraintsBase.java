package tenon;

import com.sun.jna.Pointer;
import java.util.function.Consumer;

/** What a set of constraints has beside the methods of C. */
abstract class ConstraintsBase extends Handle {
  public final Model model;
  private boolean finished;

  ConstraintsBase(Model model, Pointer made, Consumer<Pointer> destroy) {
    super(made, destroy);
    this.model = model;
  }

  /** Ends the filling; the first workspace or batch does it too. Does nothing the second time. */
  public Constraints finish() {
    pointer();
    if (!finished) {
      ((Constraints) this).finishOnce();
    }
    finished = true;
    return (Constraints) this;
  }

  int linkOf(String link) {
    return model.linkIndex(link);
  }
}
