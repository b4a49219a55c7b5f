package tenon;

/** A column-major matrix: element (i, j) is data[i + j * rows]. */
public final class Matrix {
  public final int rows;
  public final int columns;
  public final double[] data;

  public Matrix(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
    data = new double[rows * columns];
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
