package tenon;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import tenon.raw.Tenon;

/** What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch; immutable
 * from then on. Each add... returns the index of the constraint; options, of Options.constraint(), may be null. */
public final class Constraints extends Handle {
  public final Model model;
  private boolean finished;

  public Constraints(Model model) {
    super(create(model), LIB::tenon_constraints_destroy);
    this.model = model;
  }

  private static Pointer create(Model model) {
    PointerByReference out = new PointerByReference();
    call(model, (text, size) -> LIB.tenon_constraints_create(model.pointer(), out, text, size));
    return out.getValue();
  }

  public int addPoint(int link) {
    return addPoint(link, null, null);
  }

  public int addPoint(int link, double[] point) {
    return addPoint(link, point, null);
  }

  /** A point of a link, 3, m; null: its origin. */
  public int addPoint(int link, double[] point, Tenon.tenon_constraint_options options) {
    IntByReference index = new IntByReference(-1);
    call(this, (text, size) ->
        LIB.tenon_constraints_add_point(pointer(), link, point, n(point), options, index, text, size));
    return index.getValue();
  }

  public int addWeld(int link) {
    return addWeld(link, null, null);
  }

  public int addWeld(int link, double[] pose) {
    return addWeld(link, pose, null);
  }

  /** A frame of a link, pose of 7; null: the link's own. */
  public int addWeld(int link, double[] pose, Tenon.tenon_constraint_options options) {
    IntByReference index = new IntByReference(-1);
    call(this, (text, size) ->
        LIB.tenon_constraints_add_weld(pointer(), link, pose, n(pose), options, index, text, size));
    return index.getValue();
  }

  /** The frame of a link of a name. */
  public int addWeld(String link) {
    return addWeld(model.linkIndex(link));
  }

  public int addRows(int link, Matrix K) {
    return addRows(link, K, null);
  }

  /** K a = k with the spatial acceleration a of the link in its frame; K has 6 columns. */
  public int addRows(int link, Matrix K, Tenon.tenon_constraint_options options) {
    if (K.columns != 6) {
      throw new IllegalArgumentException("K has " + K.columns + " columns, 6 are needed: [angular; linear]");
    }
    IntByReference index = new IntByReference(-1);
    call(this, (text, size) -> LIB.tenon_constraints_add_rows(pointer(), link, K.rows, K.data, K.data.length,
        K.leading(), options, index, text, size));
    return index.getValue();
  }

  /** Does nothing the second time. */
  public Constraints finish() {
    if (!finished) {
      call(this, (text, size) -> LIB.tenon_constraints_finish(pointer(), text, size));
    }
    finished = true;
    return this;
  }

  public int count() {
    return LIB.tenon_constraints_constraint_count(pointer());
  }

  /** The length of lambda. */
  public int rowCount() {
    return LIB.tenon_constraints_row_count(finish().pointer());
  }
}
