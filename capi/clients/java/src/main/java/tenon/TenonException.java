package tenon;

/** A call that failed: nothing was written. The message tells what, where and how to mend it. */
public class TenonException extends RuntimeException {
  private static final long serialVersionUID = 1;
  /** One of Tenon.TENON_..., negative. */
  public final int status;

  public TenonException(int status, String message) {
    super(Handle.LIB.tenon_status_string(status) + ": " + message);
    this.status = status;
  }
}
