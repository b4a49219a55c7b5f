package tenon;

import com.sun.jna.Pointer;
import java.util.Arrays;
import java.util.function.Consumer;

/** What a batch has beside the methods of C. */
abstract class BatchBase extends ComputingBase {
  int[] statusCodes = {}, iterationsCodes = {};
  private boolean single;
  private int rows, count, positions, velocities;

  BatchBase(Model model, Constraints constraints, Pointer made, Consumer<Pointer> destroy) {
    super(model, constraints, made, destroy);
  }

  void ready(BatchOptions options) {
    single = options != null && options.precision == Precision.SINGLE;
    rows = set().rowCount();
    count = set().count();
    counted(Coordinates.SPANNING, Coordinates.SPANNING);
  }

  // A clone.
  void likewise(BatchBase of) {
    single = of.single;
    rows = of.rows;
    count = of.count;
    positions = of.positions;
    velocities = of.velocities;
  }

  void counted(Coordinates ofPositions, Coordinates ofVelocities) {
    positions = ofPositions == Coordinates.SPANNING ? model.nq() : model.nyq();
    velocities = ofVelocities == Coordinates.SPANNING ? model.nv() : model.ny();
  }

  public int nq() {
    return positions;
  }

  public int nv() {
    return velocities;
  }

  public int m() {
    return rows;
  }

  int constraintCount() {
    return count;
  }

  int triangle() {
    return velocities * (velocities + 1) / 2;
  }

  int item() {
    return single ? 4 : 8;
  }

  /** Of each state of the last call, Tenon.TENON_*. */
  public int[] status() {
    return statusCodes.clone();
  }

  /** How many sweeps each state took, where the last call solved. */
  public int[] iterations() {
    return iterationsCodes.clone();
  }

  /** Which constraints are on, states x constraints. */
  public void setActive(boolean... active) {
    double[] numbers = new double[active.length];
    for (int i = 0; i < active.length; i++) {
      numbers[i] = active[i] ? 1 : 0;
    }
    ((Batch) this).setActive(numbers);
  }

  /** states x constraints; damping ratios of 1. */
  public void setGains(double[] frequencies) {
    double[] ones = new double[count];
    Arrays.fill(ones, 1);
    ((Batch) this).setGains(frequencies, ones);
  }

  void ofDoubles() {
    if (single) {
      throw new IllegalStateException("this batch is of single precision: hand over BatchArray.of(float[])");
    }
  }

  /** How many states these numbers are of, `each` of one. Without joints a state has no numbers, and a call is of one. */
  static long statesOf(String name, int numbers, int each) {
    int states = each == 0 ? 1 : numbers / each;
    if (numbers != states * each) {
      throw unfit(name + ": " + numbers + " numbers, not states x " + each);
    }
    return states;
  }

  void begin(long states) {
    if (states > Integer.MAX_VALUE) {
      throw unfit("there is no memory for " + states + " states");
    }
    statusCodes = new int[Matrix.size(states)];
    iterationsCodes = new int[statusCodes.length];
  }
}
