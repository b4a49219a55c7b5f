package tenon;

import com.sun.jna.Pointer;
import java.util.function.Consumer;
import tenon.raw.Tenon;

/** What a workspace has beside the methods of C. */
abstract class WorkspaceBase extends ComputingBase {
  private int status;

  WorkspaceBase(Model model, Constraints constraints, Pointer made, Consumer<Pointer> destroy) {
    super(model, constraints, made, destroy);
  }

  private Workspace self() {
    return (Workspace) this;
  }

  @Override
  void done(int status) {
    this.status = status;
    super.done(status);
  }

  /** Of the last computation: "ok", or which caveat its answer has. */
  public String status() {
    return LIB.tenon_status_string(status);
  }

  public double[] zeros() {
    return new double[self().nv()];
  }

  public void step(double[] q, double[] v, double[] tau, double dt) {
    step(q, v, tau, dt, Integrator.SEMI_IMPLICIT_EULER, null);
  }

  public void step(double[] q, double[] v, double[] tau, double dt, SolveOptions options) {
    step(q, v, tau, dt, Integrator.SEMI_IMPLICIT_EULER, options);
  }

  /** One step in time: q and v change in place. options may be null. */
  public void step(double[] q, double[] v, double[] tau, double dt, Integrator integrator, SolveOptions options) {
    if (integrator.value == Tenon.TENON_INTEGRATOR_RUNGE_KUTTA_4) {
      self().stepRungeKutta4(dt, q, v, tau, null, null, null, options);
    } else {
      self().stepSemiImplicitEuler(dt, q, v, tau, null, null, null, options);
    }
  }

  int converted(Convention convention, Direction direction) {
    return direction == Direction.TO_OTHER ? model.conventionNq(convention) : self().nq();
  }
}
