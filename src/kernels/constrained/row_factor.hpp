// A factor of the constraint rows themselves, not of the Delassus matrix A = J M^-1 J^T + R, whose condition
// is the square:
//
//   H = [J L^-T, sqrt(R)]^T S,   H P = Q [R11 R12],   A = S^-1 H^T H S^-1,   M = L L^T
//
// one column a row, by Householder reflections with column pivots (Businger and Golub, Linear least squares
// solutions by Householder transformations, 1965). S scales the rows and decides the rank as data/rank.hpp
// says. The columns of R12 belong to redundant rows.
//
// Redundant rows. With T = R11^-1 R12, the columns of S^-1 P [1; T^T] span the accelerations of rows that
// forces can reach. The projector onto them removes from a right-hand side what is out of reach, with the
// least sum w r^2, and from multipliers what does not act, with the least sum lambda^2 / w (the least length in
// scaled rows, where dropped columns are more than rounding).
//
// The motion. y = H S^-1 lambda, in the coordinates L^T qdd (and sqrt(R) lambda beside them), is computed as
// Q R11^-T S b, without the multipliers: where rows oppose each other, or a spring is stiff, these are large
// and cancel in y. Of trees H and y have the coordinates that rows may move (for_moved_coordinates), not the others.
//
// O(n m r), r the rank: the solver of method dense, which solves wherever another method's iteration stalls.
#pragma once

#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "kernels/constrained/dense_ldl.hpp"
#include "kernels/constrained/row_factor_data.hpp"
#include "kernels/tree/joint_space.hpp"
#include "kernels/tree/ltl.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The factor while it is made and used. Columns have zeros from their length to whole packs.
class RowFactorSweep {
 public:
  explicit RowFactorSweep(RowFactorData& f) : f_(f) {}

  // The length for these rows, and columns of zeros, whose first `coordinates` numbers the caller fills before reduce().
  void begin(const ConstraintData& c, int coordinates) {
    first_soft_ = f_.length = coordinates;
    for (int r = 0; r < f_.rows; ++r) f_.length += c.compliance[r] > 0 ? 1 : 0;
    const int length = whole_packs(f_.length);
    for (int r = 0; r < f_.rows; ++r) std::fill_n(column(r), length, 0.0);
  }
  void reduce(const ConstraintData& c) {
    int extra = first_soft_;
    for (int r = 0; r < f_.rows; ++r)
      if (c.compliance[r] > 0) column(r)[extra++] = std::sqrt(c.compliance[r]);
    scale_rows(c);
    f_.rank = 0, f_.started = false, f_.metric = RowMetric::none, f_.gram = nullptr;
    while (f_.rank < std::min(f_.rows, f_.length) && take_pivot(f_.rank)) reflect(f_.rank++);
    f_.dropped = 0;
    for (int place = f_.rank; place < f_.rows; ++place) {
      const int row = row_at(place);
      if (f_.negligible[row] == 0) f_.dropped = std::max(f_.dropped, std::sqrt(f_.square[row]));
    }
    express_dependent();
  }

  void take_reachable(const ConstraintData& c, double* b, double* rest) {
    if (f_.rank == f_.rows) {
      std::fill_n(rest, f_.rows, 0.0);
      return;
    }
    span_range(RowMetric::weighted, c.weight);
    std::copy_n(b, f_.rows, rest);
    project(false, b);
    for (int r = 0; r < f_.rows; ++r) rest[r] -= b[r];
  }

  void add_solution(const double* b) {
    start();
    solve_lower(b, f_.x);
    for (int k = 0; k < f_.rank; ++k) f_.z[k] += f_.x[k];
  }

  // Q^T y: forces move its first numbers, those of R11, and not the others.
  double add_nearest(double* y) {
    start();
    for (int step = 0; step < f_.rank; ++step) apply_reflection(step, y);
    for (int k = 0; k < f_.rank; ++k) f_.z[k] += y[k];
    return std::sqrt(dot(y + f_.rank, y + f_.rank, f_.length - f_.rank));
  }

  // Forces act along redundant rows too: those with the least length relative to the scale of rows. So y is the
  // solution with the dropped singular values at zero, and does not depend on the order of pivots.
  void motion() {
    double* y = f_.y;
    place_motion();
    if (f_.rank < f_.rows && f_.dropped > rank_rounding) {
      span_range(RowMetric::scaled, nullptr);
      double* lambda = f_.square;
      solve_upper(f_.z, lambda);
      project(true, lambda);
      for (int place = f_.rank; place < f_.rows; ++place) {
        const int row = row_at(place);
        if (f_.negligible[row] != 0) continue;
        add_scaled(lambda[row] / f_.scale[row], column(row) + f_.rank, y + f_.rank, f_.length - f_.rank);
      }
    }
    reflect_back();
  }

  // Where dropped singular values are more than rounding, another split of the forces would be another motion.
  void multipliers(const ConstraintData& c, double* lambda) {
    solve_upper(f_.z, lambda);
    if (f_.rank == f_.rows) return;
    span_range(f_.dropped > rank_rounding ? RowMetric::scaled : RowMetric::weighted, c.weight);
    project(true, lambda);
  }

  // Of A lambda = b, with the part of b that forces can reach: the motion, and the least lambda in the metric of weights.
  void solve_weighted(const ConstraintData& c, double* b, double* lambda) {
    const bool full = f_.rank == f_.rows;
    if (!full) span_range(RowMetric::weighted, c.weight), project(false, b);
    solve_lower(b, f_.z);
    place_motion();
    reflect_back();
    solve_upper(f_.z, lambda);
    if (!full) project(true, lambda);
  }

  // An orthonormal basis F of root S^-1 P [1; T^T], by Gram-Schmidt: classical, whose products do not wait for each other, and
  // again where little is left of a vector. The reachable part is root^-1 F. Overwrites x.
  void span_range(RowMetric metric, const double* weight) {
    if (metric == f_.metric) return;
    f_.metric = metric;
    for (int r = 0; r < f_.rows; ++r)
      f_.root[r] = metric == RowMetric::weighted ? std::sqrt(weight[r])
                   : metric == RowMetric::scaled ? f_.scale[r]
                                                 : 1;
    const int packs = whole_packs(f_.rows);
    for (int r = 0; r < f_.rows; ++r) f_.x[r] = f_.root[r] / f_.scale[r];
    for (int i = 0; i < f_.rank; ++i) {
      double* f = range(i);
      std::fill_n(f, packs, 0.0);
      f[row_at(i)] = f_.x[row_at(i)];
      for (int place = f_.rank; place < f_.rows; ++place) {
        const int r = row_at(place);
        f[r] = column(r)[i] * f_.x[r];
      }
      double square = dot(f, f, packs);
      bool cancels = true;
      for (int pass = 0; pass < 2; ++pass) {  // the length twice: of a vector with one number it is then 1
        const double before = square;
        if (cancels) place_shares(i, f), add_shares(i, -1, f);
        square = dot(f, f, packs), cancels = square < 0.5 * before;
        const Pack inverse(1 / std::sqrt(square));
        for (int r = 0; r < packs; r += 4) (inverse * Pack::load(f + r)).store(f + r);
      }
    }
  }

  void combine_dependent(double* b) const {
    std::fill_n(b, f_.rows, 0.0);
    for (int place = f_.rank; place < f_.rows; ++place) {
      const int row = row_at(place);
      const double turn = 0.6180339887498949 * place;  // of no meaning
      const double share = 0.5 + (turn - static_cast<int>(turn));
      b[row] += share * f_.scale[row];
      for (int k = 0; k < f_.rank; ++k) b[row_at(k)] -= share * column(row)[k] * f_.scale[row_at(k)];
    }
  }

  void pseudo_inverse(double* out) {
    const int rows = f_.rows;
    const bool full = f_.rank == rows;
    if (!full) span_range(RowMetric::plain, nullptr);
    for (int j = 0; j < rows; ++j) {
      double* x = out + static_cast<std::int64_t>(j) * rows;
      std::fill_n(x, rows, 0.0);
      x[j] = 1;
      if (!full) project(false, x);
      solve_lower(x, f_.z);
      solve_upper(f_.z, x);
      if (!full) project(true, x);
    }
    for (int j = 0; j < rows; ++j)
      for (int i = j + 1; i < rows; ++i) {
        double &a = out[static_cast<std::int64_t>(j) * rows + i],
               &b = out[static_cast<std::int64_t>(i) * rows + j];
        a = b = (a + b) / 2;
      }
  }

  double* column(int r) const { return f_.columns + r * f_.stride; }

 private:
  using Pack = Lanes<double>;

  int row_at(int place) const { return f_.order[place]; }
  double* range(int i) const { return f_.range + static_cast<std::int64_t>(i) * whole_packs(f_.rows); }
  // reference := F^T x of the first vectors F of the range, four at a time; behind the last that one again.
  void place_shares(int count, const double* x) {
    const int packs = whole_packs(f_.rows);
    for (int i = 0; i < count; i += 4) {
      const double* h[4];
      for (int j = 0; j < 4; ++j) h[j] = range(std::min(i + j, count - 1));
      Pack sum[4] = {Pack(0.0), Pack(0.0), Pack(0.0), Pack(0.0)};
      for (int r = 0; r < packs; r += 4) {
        const Pack at = Pack::load(x + r);
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] + at * Pack::load(h[j] + r);
      }
      transpose(sum[0], sum[1], sum[2], sum[3]);
      ((sum[0] + sum[1]) + (sum[2] + sum[3])).store(f_.reference + i);
    }
  }
  // y += sign F reference
  void add_shares(int count, double sign, double* y) const {
    const int packs = whole_packs(f_.rows);
    for (int r = 0; r < packs; r += 8) {
      const bool both = r + 4 < packs;
      const int second = both ? r + 4 : r;  // or the same again
      Pack sum[2] = {Pack::load(y + r), Pack::load(y + second)};
      for (int i = 0; i < count; ++i) {
        const double* const h = range(i);
        const Pack share(sign * f_.reference[i]);
        sum[0] = sum[0] + share * Pack::load(h + r), sum[1] = sum[1] + share * Pack::load(h + second);
      }
      sum[0].store(y + r);
      if (both) sum[1].store(y + second);
    }
  }

  static double dot(const double* x, const double* y, int n) {
    Pack sum[2] = {Pack(0.0), Pack(0.0)};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
      sum[0] = sum[0] + Pack::load(x + i) * Pack::load(y + i);
      sum[1] = sum[1] + Pack::load(x + i + 4) * Pack::load(y + i + 4);
    }
    if (i + 4 <= n) {
      sum[0] = sum[0] + Pack::load(x + i) * Pack::load(y + i);
      i += 4;
    }
    double total = (sum[0] + sum[1]).sum();
    for (; i < n; ++i) total += x[i] * y[i];
    return total;
  }
  // y += a x
  static void add_scaled(double a, const double* x, double* y, int n) {
    const Pack factor(a);
    int i = 0;
    for (; i + 4 <= n; i += 4) (Pack::load(y + i) + factor * Pack::load(x + i)).store(y + i);
    for (; i < n; ++i) y[i] += a * x[i];
  }

  void scale_rows(const ConstraintData& c) {
    const int length = whole_packs(f_.length);
    for (int r = 0; r < f_.rows; ++r) {
      double* h = column(r);
      const double square = dot(h, h, length), s = 1 / std::sqrt(std::max(square, c.scale[r]));
      f_.scale[r] = s;
      for (int k = 0; k < length; k += 4) (Pack(s) * Pack::load(h + k)).store(h + k);
      f_.square[r] = f_.reference[r] = s * s * square;
      f_.order[r] = r;
      f_.negligible[r] = f_.square[r] <= rank_rounding * rank_rounding ? 1 : 0;
    }
  }

  // Moves the largest remaining column to place `step`. False where all count as zero.
  bool take_pivot(int step) {
    std::int32_t* order = f_.order;
    int best = step;
    double most = f_.square[order[step]];
    for (int place = step + 1; place < f_.rows; ++place) {
      const double square = f_.square[order[place]];
      best = square > most ? place : best;
      most = square > most ? square : most;
    }
    const double largest = std::max(1.0, step > 0 ? std::abs(f_.diagonal[0]) : 0.0);
    if (!(most > squared_rank_tolerance * largest * largest)) return false;
    std::swap(order[step], order[best]);
    return true;
  }

  // Makes the column at place `step` zero below its diagonal, and applies the reflection to later columns, four at a time:
  // the pack in which it begins has zeros in front, so that whole packs are taken.
  void reflect(int step) {
    const RowFactorData f = f_;
    double* const v = column(row_at(step));
    const int n = f.length - step;
    const double square = dot(v + step, v + step, n), length = std::sqrt(square), first = v[step],
                 alpha = first > 0 ? -length : length;
    f.diagonal[step] = alpha;
    v[step] = first - alpha;
    const double beta = 1 / (alpha * (first - alpha));  // -2 / |v|^2
    const int begin = step / 4 * 4;
    Pack head = Pack::load(v + begin);
    for (int i = 0; i < step - begin; ++i) head.x[i] = 0;
    for (int place = step + 1; place < f.rows; place += 4) {
      double* h[4];
      for (int j = 0; j < 4; ++j)
        h[j] = place + j < f.rows ? column(f.order[place + j]) : f.y;  // y: of no meaning
      Pack sum[4];
      for (int j = 0; j < 4; ++j) sum[j] = head * Pack::load(h[j] + begin);
      for (int k = begin + 4; k < f.length; k += 4) {
        const Pack x = Pack::load(v + k);
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] + x * Pack::load(h[j] + k);
      }
      transpose(sum[0], sum[1], sum[2], sum[3]);
      const Pack share = Pack(beta) * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
      const Pack of[4] = {Pack(share.x[0]), Pack(share.x[1]), Pack(share.x[2]), Pack(share.x[3])};
      for (int j = 0; j < 4; ++j) (Pack::load(h[j] + begin) + of[j] * head).store(h[j] + begin);
      for (int k = begin + 4; k < f.length; k += 4) {
        const Pack x = Pack::load(v + k);
        for (int j = 0; j < 4; ++j) (Pack::load(h[j] + k) + of[j] * x).store(h[j] + k);
      }
    }
    // The squared lengths of the rest of columns; where little is left they are summed again.
    for (int place = step + 1; place < f.rows; ++place) {
      const int r = f.order[place];
      const double* h = column(r);
      f.square[r] -= h[step] * h[step];
      if (f.square[r] < recomputed_share * f.reference[r])
        f.square[r] = f.reference[r] = dot(h + step + 1, h + step + 1, n - 1);
    }
  }

  // R12 := T = R11^-1 R12, four columns at a time in lanes, in the memory of the range. Zero for rows of rounding errors, which
  // would grow where their unit is much larger than those of other rows.
  void express_dependent() {
    const int rank = f_.rank;
    double* const x = f_.range;
    for (int place = rank; place < f_.rows; place += 4) {
      const int count = std::min(4, f_.rows - place);
      double* h[4];
      for (int j = 0; j < 4; ++j) {
        const int row = row_at(place + std::min(j, count - 1));
        h[j] = column(row);
        if (f_.negligible[row] != 0) std::fill_n(h[j], rank, 0.0);
      }
      for (int k = 0; k < rank; k += 4) {
        Pack lines[4];
        for (int j = 0; j < 4; ++j) lines[j] = Pack::load(h[j] + k);
        transpose(lines[0], lines[1], lines[2], lines[3]);
        for (int i = 0; i < std::min(4, rank - k); ++i) lines[i].store(x + 4 * (k + i));
      }
      for (int k = rank - 1; k >= 0; --k) {
        const Pack at = Pack(1 / f_.diagonal[k]) * Pack::load(x + 4 * k);
        at.store(x + 4 * k);
        const double* const above = column(row_at(k));
        for (int i = 0; i < k; ++i) (Pack::load(x + 4 * i) - at * Pack(above[i])).store(x + 4 * i);
      }
      for (int j = 0; j < count; ++j)
        for (int k = 0; k < rank; ++k) h[j][k] = x[4 * k + j];
    }
  }

  // x := R11^-1 x.
  void substitute_back(double* x) const {
    for (int k = f_.rank - 1; k >= 0; --k) {
      x[k] /= f_.diagonal[k];
      add_scaled(-x[k], column(row_at(k)), x, k);
    }
  }

  // x := root^p F F^T root^-p x, p = 1 for a force and -1 for an acceleration.
  void project(bool force, double* x) {
    const int packs = whole_packs(f_.rows);
    for (int r = 0; r < f_.rows; ++r) f_.x[r] = force ? x[r] / f_.root[r] : x[r] * f_.root[r];
    std::fill(f_.x + f_.rows, f_.x + packs, 0.0);  // not what a call whose numbers overflow has left
    place_shares(f_.rank, f_.x);
    std::fill_n(f_.x, packs, 0.0);
    add_shares(f_.rank, 1, f_.x);
    for (int r = 0; r < f_.rows; ++r) x[r] = force ? f_.x[r] * f_.root[r] : f_.x[r] / f_.root[r];
  }

  void start() {
    if (!f_.started) std::fill_n(f_.z, f_.rows, 0.0);
    f_.started = true;
  }

  // Solves R11^T z = S b for the independent rows.
  void solve_lower(const double* b, double* z) const {
    for (int k = 0; k < f_.rank; ++k) {
      const int r = row_at(k);
      z[k] = (f_.scale[r] * b[r] - dot(column(r), z, k)) / f_.diagonal[k];
    }
  }

  // lambda := S R11^-1 z for the independent rows, 0 for the others.
  void solve_upper(const double* z, double* lambda) {
    double* x = f_.x;
    std::copy_n(z, f_.rank, x);
    substitute_back(x);
    for (int place = 0; place < f_.rows; ++place)
      lambda[row_at(place)] = place < f_.rank ? f_.scale[row_at(place)] * x[place] : 0;
  }

  // y := [z; 0], then Q y.
  void place_motion() {
    std::copy_n(f_.z, f_.rank, f_.y);
    std::fill_n(f_.y + f_.rank, f_.length - f_.rank, 0.0);
  }
  void reflect_back() {
    for (int step = f_.rank - 1; step >= 0; --step) apply_reflection(step, f_.y);
  }

  void apply_reflection(int step, double* y) const {
    const double* v = column(row_at(step)) + step;
    const int n = f_.length - step;
    add_scaled(dot(v, y + step, n) / (f_.diagonal[step] * v[0]), v, y + step, n);
  }

  RowFactorData& f_;
  int first_soft_ = 0;  // the place in columns of the first row with compliance
};

// JLT: rows of J L^-T in the storage of J^T (kernels/tree/joint_space.hpp).
inline void factor_rows(const ModelData& m, const ConstraintData& c, const double* JLT, RowFactorData& f) {
  RowFactorSweep sweep(f);
  sweep.begin(c, for_moved_coordinates(m, c, [](int, int) {}));
  const int packs = whole_packs(f.rows);
  for_moved_coordinates(m, c, [&](int i, int k) {
    const RowRange moved = rows_of_subtree(m, c, k);
    const double* entries = JLT + static_cast<std::int64_t>(k) * packs;
    for (int r = moved.begin; r < moved.end; ++r) sweep.column(r)[i] = entries[r];
  });
  sweep.reduce(c);
}
// JLT: rigid rows as columns of as many numbers as there are coordinates, one after the other.
inline void factor_rigid_rows(const ConstraintData& c, const double* JLT, RowFactorData& f) {
  RowFactorSweep sweep(f);
  sweep.begin(c, f.coordinates);
  for (int r = 0; r < f.rows; ++r)
    std::copy_n(JLT + static_cast<std::int64_t>(r) * f.coordinates, f.coordinates, sweep.column(r));
  sweep.reduce(c);
}

// b := the part of b that forces can reach; rest := the other part.
inline void take_reachable(const ConstraintData& c, double* b, double* rest, RowFactorData& f) {
  RowFactorSweep(f).take_reachable(c, b, rest);
}
// Adds the solution of A lambda = b, with b reachable; the first call after the factor starts from zero.
inline void add_row_solution(const double* b, RowFactorData& f) {
  RowFactorSweep(f).add_solution(b);
}
// Adds the forces whose motion comes nearest to y, which is overwritten, to the solution. Returns the length of what is left.
inline double add_nearest_forces(double* y, RowFactorData& f) {
  return RowFactorSweep(f).add_nearest(y);
}
// Places the motion of the solution.
inline void row_motion(RowFactorData& f) {
  RowFactorSweep(f).motion();
}
// The multipliers of the solution.
inline void row_multipliers(const ConstraintData& c, double* lambda, RowFactorData& f) {
  RowFactorSweep(f).multipliers(c, lambda);
}
// b := a combination of all vectors with b^T J = 0, of rows that depend on others; some number of each.
inline void combine_dependent_rows(double* b, RowFactorData& f) {
  RowFactorSweep(f).combine_dependent(b);
}
// y := A^-1 (g - Z z) and z += Z^T y, by the factor of A itself. y: g, whole packs of rows, zeros behind them. A second
// solve for what is left of the rows makes the last digit but one of y right, at 4 % of a product: it is not taken.
// Overwrites row_free.
inline void solve_by_gram(const ModelData& m, const ConstraintData& c, const RowFactorData& f, double* y,
                          double* z, WorkspaceData<double>& w) {
  std::fill_n(w.row_free, whole_packs(c.row_count), 0.0);
  add_rows(m, c, w.ZT, z, w.row_free);
  for (int r = 0; r < c.row_count; ++r) y[r] -= w.row_free[r];
  solve_dense(f.gram, f.gram_inv_d, whole_packs(c.row_count), y);
  add_transposed_rows(m, c, w.ZT, y, z);
}
// Of M x - J^T y = X, J x + R y = G the part of the rows: z := z + the motion of y, and G := y; G null: zero, and y is not
// wanted. With M = L^T D L,
//   z = D^-1/2 L^-T X,   A y = G - Z z,   x = L^-1 D^-1/2 (z + the motion of y).
// What forces cannot reach of the rows is left out, with the least sum of weight * square; y is the least change of forces
// in the same metric. Both are those of the transposed equations too. After prox_ltl_start, or chain_rows_start.
inline void solve_rows_of_column(const ModelData& m, const ConstraintData& c, RowFactorData& f, double* z,
                                 double* G, WorkspaceData<double>& w) {
  const int n = c.row_count, stride = whole_packs(n);
  double* const y = w.row_soft;
  if (f.gram) {
    std::fill_n(y, stride, 0.0);
    for (int r = 0; G && r < n; ++r) y[r] = G[r];
    solve_by_gram(m, c, f, y, z, w);
  } else {
    std::fill_n(w.row_free, stride, 0.0);
    add_rows(m, c, w.ZT, z, w.row_free);
    for (int r = 0; r < n; ++r) w.row_step[r] = (G ? G[r] : 0) - w.row_free[r];
    RowFactorSweep(f).solve_weighted(c, w.row_step, y);
    for_moved_coordinates(m, c, [&](int i, int k) { z[k] += f.y[i]; });
  }
  for (int r = 0; G && r < n; ++r) G[r] = y[r];
}
// For kernels of derivatives: projections in the metric of weights.
inline void span_weighted_range(const ConstraintData& c, RowFactorData& f) {
  if (f.rank < f.rows) RowFactorSweep(f).span_range(RowMetric::weighted, c.weight);
}
// out (rows x rows, column-major) := the pseudo-inverse of A.
inline void row_pseudo_inverse(double* out, RowFactorData& f) {
  RowFactorSweep(f).pseudo_inverse(out);
}

TENON_ISA_END
}  // namespace tenon
