package tenon;

import java.nio.DoubleBuffer;

/** A constraint phi(q) = 0 of joints: writes phi, K = d phi / dt by v (column-major), and KdotV = (dK/dt) v. Threads call it at
 * once; what it throws is the cause of the error of the computation. */
@FunctionalInterface
public interface ImplicitConstraint {
  void evaluate(double[] q, double[] v, DoubleBuffer phi, DoubleBuffer K, DoubleBuffer KdotV);
}
