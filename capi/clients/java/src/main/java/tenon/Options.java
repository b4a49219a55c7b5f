package tenon;

/** Options that many programs need. */
public final class Options {
  private Options() {}

  /** Of a model that is free to move in space. */
  public static ModelOptions floating() {
    ModelOptions options = new ModelOptions();
    options.base = Base.FLOATING;
    return options;
  }
}
