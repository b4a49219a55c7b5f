package tenon;

import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A column-major matrix: element (i, j) is data[i + j * rows]. */
public final class Matrix {
  public final int rows;
  public final int columns;
  public final double[] data;

  public Matrix(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
    data = new double[size(rows, columns)];
  }

  /** The product of sizes. One that wraps would be small, and what the library writes not. */
  static int size(long... sizes) {
    long all = 1;
    for (long size : sizes) {
      if (size < 0 || size > 0 && all > Integer.MAX_VALUE / size) {
        String words = LongStream.of(sizes).mapToObj(Long::toUnsignedString).collect(Collectors.joining(" x "));
        throw new IllegalArgumentException(words + " numbers are more than an array has");
      }
      all *= size;
    }
    return (int) all;
  }

  public double get(int i, int j) {
    return data[i + j * rows];
  }

  public void set(int i, int j, double value) {
    data[i + j * rows] = value;
  }

  int leading() {
    return Math.max(rows, 1);
  }
}
