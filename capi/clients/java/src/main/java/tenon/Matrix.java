package tenon;

import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** A column-major matrix, maybe a part of a larger one: element (i, j) is data[i + j * leading]. */
public final class Matrix {
  public final int rows;
  public final int columns;
  public final int leading;
  public final double[] data;

  public Matrix(int rows, int columns) {
    this(rows, columns, new double[size(rows, columns)], Math.max(rows, 1));
  }

  public Matrix(int rows, int columns, double[] data, int leading) {
    this.rows = rows;
    this.columns = columns;
    this.leading = leading;
    this.data = data;
    if (rows < 0 || columns < 0 || leading < Math.max(rows, 1)
        || columns > 0 && rows > 0 && (columns - 1) * (long) leading + rows > data.length) {
      throw Handle.unfit(data.length + " numbers for " + rows + " x " + columns + " of leading dimension " + leading);
    }
  }

  /** The product of sizes. One that wraps would be small, and what the library writes not. */
  static int size(long... sizes) {
    long all = 1;
    for (long size : sizes) {
      if (size < 0 || size > 0 && all > Integer.MAX_VALUE / size) {
        String words = LongStream.of(sizes).mapToObj(Long::toUnsignedString).collect(Collectors.joining(" x "));
        throw Handle.unfit(words + " numbers are more than an array has");
      }
      all *= size;
    }
    return (int) all;
  }

  /** How many states these numbers are of, `each` of one. Without joints a state has no numbers, and a call is of one. */
  static long statesOf(String name, int numbers, int each) {
    int states = each == 0 ? 1 : numbers / each;
    if (numbers != states * each) {
      throw Handle.unfit(name + ": " + numbers + " numbers, not states x " + each);
    }
    return states;
  }

  public double get(int i, int j) {
    return data[i + j * leading];
  }

  public void set(int i, int j, double value) {
    data[i + j * leading] = value;
  }

  // A result of derivatives: of one that options want row-major the transpose.
  static Matrix sized(DerivativeOptions options, int rows, int columns) {
    return turned(options) ? new Matrix(columns, rows) : new Matrix(rows, columns);
  }

  void fit(DerivativeOptions options, String name, int wantedRows, int wantedColumns) {
    boolean turned = turned(options);
    fit(name, turned ? wantedColumns : wantedRows, turned ? wantedRows : wantedColumns);
  }

  private static boolean turned(DerivativeOptions options) {
    return options != null && options.rowMajor != 0;
  }

  void fit(String name, int wantedRows, int wantedColumns) {
    if (rows != wantedRows || columns != wantedColumns) {
      throw Handle.unfit(name + ": " + rows + " x " + columns + "; " + wantedRows + " x " + wantedColumns + " are needed");
    }
  }

  // ---- of one that may be absent

  static double[] numbers(Matrix given) {
    return given == null ? null : given.data;
  }

  static int length(Matrix given) {
    return given == null ? 0 : given.data.length;
  }

  static int leading(Matrix given) {
    return given == null ? 0 : given.leading;
  }
}
