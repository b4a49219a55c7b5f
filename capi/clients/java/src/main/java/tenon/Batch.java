package tenon;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;
import java.util.Arrays;
import tenon.raw.Tenon;

/** Computes what a workspace does, of many states, in double precision. Arrays have the numbers of one state after those
 * of another: q is states x nq; they are copied. An input of the numbers of one state is the same for all; null is none.
 * Without joints a state has no numbers, and a call is of one. A state that fails spoils only itself: its status is
 * negative, and the call throws when the others are done. */
public final class Batch extends Handle {
  public final int nq;
  public final int nv;
  public final int m;
  private final int constraintCount;
  private final int poseCount;
  private final int wrenchCount;
  private int[] status = {};

  public Batch(Model model) {
    this(model, null, null);
  }

  public Batch(Model model, Constraints constraints) {
    this(model, constraints, null);
  }

  /** constraints, and options of Options.batch(), may be null. */
  public Batch(Model model, Constraints constraints, Tenon.tenon_batch_options options) {
    this(model, constraints == null ? new Constraints(model) : constraints, options, true);
  }

  private Batch(Model model, Constraints set, Tenon.tenon_batch_options options, boolean there) {
    super(create(model, set, options), LIB::tenon_batch_destroy);
    nq = model.nq;
    nv = model.nv;
    m = set.rowCount();
    constraintCount = set.count();
    poseCount = Matrix.size(constraintCount, 7);
    wrenchCount = 6 * model.linkCount;
  }

  private static Pointer create(Model model, Constraints set, Tenon.tenon_batch_options options) {
    if (options != null && options.precision != Tenon.TENON_PRECISION_DOUBLE) {
      throw new IllegalArgumentException("a batch of this class is of doubles; LIB has single precision");
    }
    PointerByReference out = new PointerByReference();
    Pointer rows = set.finish().pointer();
    call(model, (text, size) -> LIB.tenon_batch_create(model.pointer(), rows, options, out, text, size));
    Reference.reachabilityFence(set);
    return out.getValue();
  }

  /** Of each state of the last call, Tenon.TENON_*. */
  public int[] status() {
    return status.clone();
  }

  /** An array in the library's memory; one without data is none. */
  private static final class Numbers {
    final Tenon.tenon_batch_array array = new Tenon.tenon_batch_array();
    private final Memory memory;
    private final int size;

    Numbers(String what, double[] given, int count, int states) {
      this(given == null ? 0 : given.length, count, given != null && given.length == count ? 0 : count, 0);
      if (given != null && given.length != count && given.length != (long) count * states) {
        throw new IllegalArgumentException(what + ": " + given.length + " numbers; " + states + " times " + count
            + " are needed");
      }
      if (size > 0) {
        memory.write(0, given, 0, size);
      }
    }

    /** What is written: `count` numbers of each record of each state. */
    Numbers(int states, long records, int count) {
      this(Matrix.size(states, records, count), count, Matrix.size(records, count), records > 1 ? count : 0);
    }

    private Numbers(int size, int count, int stateStride, int recordStride) {
      this.size = size;
      memory = size == 0 ? null : new Memory(8L * size);
      if (size > 0) {
        memory.clear();
      }
      array.struct_size = array.size();
      array.data = memory;
      array.size = size;
      array.count = count;
      array.number_stride = 1;
      array.state_stride = stateStride;
      array.record_stride = recordStride;
    }

    double[] read() {
      return size == 0 ? new double[0] : memory.getDoubleArray(0, size);
    }
  }

  /** How many states these numbers are of, `count` of each. */
  private static int states(String what, double[] numbers, int count) {
    int states = count == 0 ? 1 : numbers.length / count;
    if (numbers.length != states * count) {
      throw new IllegalArgumentException(what + ": " + numbers.length + " numbers, not states x " + count);
    }
    return states;
  }

  private int begin(double[] q) {
    int states = states("q", q, nq);
    status = new int[states];
    return states;
  }

  private void done(int status) {
    if (status < 0) {
      throw new TenonException(status, LIB.tenon_batch_message(pointer()));
    }
    Reference.reachabilityFence(this);
  }

  // ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

  /** The pose, 7, at which a constraint is held in all states. */
  public void setAnchor(int constraint, double[] pose) {
    done(LIB.tenon_batch_set_anchor(pointer(), constraint, pose, n(pose)));
  }

  /** states x constraints x 7. */
  public void setAnchors(double[] poses) {
    int n = states("poses", poses, poseCount);
    Numbers given = new Numbers("poses", poses, poseCount, n);
    done(LIB.tenon_batch_set_anchors(pointer(), n, given.array));
  }

  /** What was set, states x constraints x 7. */
  public double[] anchors(int states) {
    Numbers poses = new Numbers(states, 1, poseCount);
    done(LIB.tenon_batch_anchors(pointer(), states, poses.array));
    return poses.read();
  }

  /** The anchors of all constraints are where they are at q. */
  public void anchorHere(double[] q) {
    int n = begin(q);
    Numbers x = new Numbers("q", q, nq, n);
    done(LIB.tenon_batch_anchor_here(pointer(), n, x.array, status, status.length));
  }

  /** Which constraints are on, states x constraints. */
  public void setActive(boolean... active) {
    double[] numbers = new double[active.length];
    for (int i = 0; i < active.length; i++) {
      numbers[i] = active[i] ? 1 : 0;
    }
    int n = states("active", numbers, constraintCount);
    Numbers given = new Numbers("active", numbers, constraintCount, n);
    done(LIB.tenon_batch_set_active(pointer(), n, given.array));
  }

  public void setGains(double[] frequencies) {
    double[] ones = new double[constraintCount];
    Arrays.fill(ones, 1);
    setGains(frequencies, ones);
  }

  /** states x constraints. */
  public void setGains(double[] frequencies, double[] dampingRatios) {
    int n = states("frequencies", frequencies, constraintCount);
    Numbers f = new Numbers("frequencies", frequencies, constraintCount, n);
    Numbers r = new Numbers("dampingRatios", dampingRatios, constraintCount, n);
    done(LIB.tenon_batch_set_gains(pointer(), n, f.array, r.array));
  }

  // ---- computations

  public double[] forwardDynamics(double[] q, double[] v, double[] tau) {
    return forwardDynamics(q, v, tau, null);
  }

  public double[] forwardDynamics(double[] q, double[] v, double[] tau, double[] wrenches) {
    int n = begin(q);
    Numbers x = new Numbers("q", q, nq, n), y = new Numbers("v", v, nv, n), z = new Numbers("tau", tau, nv, n);
    Numbers w = new Numbers("wrenches", wrenches, wrenchCount, n), out = new Numbers(n, 1, nv);
    done(LIB.tenon_batch_forward_dynamics(pointer(), n, x.array, y.array, z.array, w.array, out.array, status, status.length));
    return out.read();
  }

  public double[] inverseDynamics(double[] q, double[] v, double[] a) {
    return inverseDynamics(q, v, a, null);
  }

  public double[] inverseDynamics(double[] q, double[] v, double[] a, double[] wrenches) {
    int n = begin(q);
    Numbers x = new Numbers("q", q, nq, n), y = new Numbers("v", v, nv, n), z = new Numbers("a", a, nv, n);
    Numbers w = new Numbers("wrenches", wrenches, wrenchCount, n), out = new Numbers(n, 1, nv);
    done(LIB.tenon_batch_inverse_dynamics(pointer(), n, x.array, y.array, z.array, w.array, out.array, status, status.length));
    return out.read();
  }

  public Workspace.Motion constrainedDynamics(double[] q, double[] v, double[] tau) {
    return constrainedDynamics(q, v, tau, null);
  }

  /** Accelerations, states x nv, and forces of the rows, states x m. options may be null. */
  public Workspace.Motion constrainedDynamics(double[] q, double[] v, double[] tau, Tenon.tenon_solve_options options) {
    int n = begin(q);
    Numbers x = new Numbers("q", q, nq, n), y = new Numbers("v", v, nv, n), z = new Numbers("tau", tau, nv, n);
    Numbers qdd = new Numbers(n, 1, nv), lambda = new Numbers(n, 1, m);
    done(LIB.tenon_batch_constrained_dynamics(pointer(), options, n, x.array, y.array, z.array, null, null, qdd.array,
        lambda.array, null, 0, status, status.length));
    return new Workspace.Motion(qdd.read(), lambda.read());
  }

  /** Positions and velocities, states x records x numbers. */
  public record Records(double[] q, double[] v) {}

  /** Steps in time; tau is the same in all of them. options: of Options.rollout(). */
  public Records rollout(double[] q, double[] v, double[] tau, Tenon.tenon_rollout_options options) {
    int n = begin(q);
    long records = options.every == 0 ? options.steps : Long.divideUnsigned(options.steps, options.every);
    Numbers x = new Numbers("q", q, nq, n), y = new Numbers("v", v, nv, n), z = new Numbers("tau", tau, nv, n);
    Numbers qs = new Numbers(n, records, nq), vs = new Numbers(n, records, nv);
    done(LIB.tenon_batch_rollout(pointer(), options, n, x.array, y.array, z.array, null, qs.array, vs.array, status, status.length));
    return new Records(qs.read(), vs.read());
  }
}
