#include "plan/row_factor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/rank.hpp"
#include "kernels/tree/joint_space.hpp"
#include "spatial/lanes.hpp"

namespace tenon {
namespace {

using Pack = Lanes<double>;

double dot(const double* x, const double* y, int n) {
  Pack sum[2] = {Pack(0.0), Pack(0.0)};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    sum[0] = sum[0] + Pack::load(x + i) * Pack::load(y + i);
    sum[1] = sum[1] + Pack::load(x + i + 4) * Pack::load(y + i + 4);
  }
  double total = (sum[0] + sum[1]).sum();
  for (; i < n; ++i) total += x[i] * y[i];
  return total;
}

// y += a x
void add_scaled(double a, const double* x, double* y, int n) {
  const Pack factor(a);
  int i = 0;
  for (; i + 4 <= n; i += 4) (Pack::load(y + i) + factor * Pack::load(x + i)).store(y + i);
  for (; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

RowFactor::RowFactor(int rows, int coordinates, double* room)
    : rows_(rows),
      coordinates_(coordinates),
      length_(coordinates + rows),
      stride_(whole_packs(length_)),
      H_(room),
      F_(room + static_cast<std::ptrdiff_t>(rows) * stride_) {
  for (double** x : {&s_, &square_, &reference_, &diagonal_, &x_, &z_, &root_})
    *x = keep(std::vector<double>(index(rows), 0.0));
  order_ = keep(std::vector<std::int32_t>(index(rows), 0));
  negligible_ = keep(std::vector<char>(index(rows), 0));
}

std::size_t RowFactor::room_size(int rows, int coordinates) {
  const int length = coordinates + rows;
  return index(rows) * index(whole_packs(length) + std::min(rows, length));
}

// The number of rows with compliance may have changed since the last call.
void RowFactor::measure(const ConstraintData& c) {
  length_ = coordinates_ + static_cast<int>(std::count_if(c.compliance, c.compliance + rows_,
                                                          [](double R) { return R > 0; }));
  stride_ = whole_packs(length_);
}

void RowFactor::factor(const ModelData& m, const ConstraintData& c, const double* JLT) {
  measure(c);
  std::fill_n(H_, static_cast<std::ptrdiff_t>(rows_) * stride_, 0.0);
  const int packs = whole_packs(rows_);
  for (int k = 0; k < coordinates_; ++k) {
    const RowRange moved = rows_of_subtree(m, c, k);
    const double* entries = JLT + static_cast<std::ptrdiff_t>(k) * packs;
    for (int r = moved.begin; r < moved.end; ++r) column(r)[k] = entries[r];
  }
  int extra = coordinates_;
  for (int r = 0; r < rows_; ++r)
    if (c.compliance[r] > 0) column(r)[extra++] = std::sqrt(c.compliance[r]);
  reduce(c);
}

void RowFactor::scale_rows(const ConstraintData& c) {
  for (int r = 0; r < rows_; ++r) {
    const std::size_t i = index(r);
    double* h = column(r);
    s_[i] = 1 / std::sqrt(std::max(dot(h, h, length_), c.scale[r]));
    for (int k = 0; k < length_; ++k) h[k] *= s_[i];
    square_[i] = reference_[i] = dot(h, h, length_);
    order_[i] = r;
    negligible_[i] = square_[i] <= rank_rounding * rank_rounding;
  }
}

// Moves the largest remaining column to place `step`. Returns its old place, or -1 where all count as zero.
int RowFactor::take_pivot(int step) {
  const auto square_at = [&](int place) -> double& { return square_[index(row_at(place))]; };
  int best = step;
  for (int place = step + 1; place < rows_; ++place)
    if (square_at(place) > square_at(best)) best = place;
  const double largest = std::max(1.0, step > 0 ? std::abs(diagonal_[0]) : 0.0);
  if (!(std::sqrt(square_at(best)) > rank_tolerance * largest)) return -1;
  std::swap(order_[index(step)], order_[index(best)]);
  return best;
}

// Makes the column at place `step` zero below its diagonal, and applies the reflection to later columns.
void RowFactor::reflect(int step) {
  double* v = column(row_at(step)) + step;
  const int n = length_ - step;
  const double length = std::sqrt(dot(v, v, n)), alpha = v[0] > 0 ? -length : length;
  diagonal_[index(step)] = alpha;
  v[0] -= alpha;
  const double beta = 1 / (alpha * v[0]);  // -2 / |v|^2
  for (int place = step + 1; place < rows_; ++place) {
    const std::size_t r = index(row_at(place));
    double* h = column(static_cast<int>(r)) + step;
    add_scaled(beta * dot(v, h, n), v, h, n);
    // Updates the squared length of the rest; where little is left, recomputes it from the column.
    square_[r] -= h[0] * h[0];
    if (square_[r] < recomputed_share * reference_[r]) square_[r] = reference_[r] = dot(h + 1, h + 1, n - 1);
  }
}

void RowFactor::factor(const ConstraintData& c, const double* JLT) {
  measure(c);
  std::fill_n(H_, static_cast<std::ptrdiff_t>(rows_) * stride_, 0.0);
  for (int r = 0; r < rows_; ++r)
    std::copy_n(JLT + static_cast<std::ptrdiff_t>(r) * coordinates_, coordinates_, column(r));
  reduce(c);
}

void RowFactor::reduce(const ConstraintData& c) {
  scale_rows(c);
  rank_ = 0, started_ = false, metric_ = Metric::none;
  while (rank_ < std::min(rows_, length_) && take_pivot(rank_) >= 0) reflect(rank_++);
  dropped_ = 0;
  for (int place = rank_; place < rows_; ++place) {
    const std::size_t row = index(row_at(place));
    if (!negligible_[row]) dropped_ = std::max(dropped_, std::sqrt(square_[row]));
  }
  express_dependent();
}

// R12 := T = R11^-1 R12. Zero for rows of rounding errors, which would grow where their unit is much larger
// than those of other rows.
void RowFactor::express_dependent() {
  for (int place = rank_; place < rows_; ++place) {
    const std::size_t row = index(row_at(place));
    double* x = column(static_cast<int>(row));
    if (negligible_[row]) std::fill_n(x, rank_, 0.0);
    substitute_back(x);
  }
}

// x := R11^-1 x.
void RowFactor::substitute_back(double* x) {
  for (int k = rank_ - 1; k >= 0; --k) {
    x[k] /= diagonal_[index(k)];
    add_scaled(-x[k], column(row_at(k)), x, k);
  }
}

// An orthonormal basis F of root S^-1 P [1; T^T], by Gram-Schmidt, twice. The reachable part is root^-1 F.
void RowFactor::span_range(Metric metric, const double* weight) {
  if (metric == metric_) return;
  metric_ = metric;
  for (std::size_t r = 0; r < index(rows_); ++r)
    root_[r] = metric == Metric::weighted ? std::sqrt(weight[r]) : metric == Metric::scaled ? s_[r] : 1;
  for (int i = 0; i < rank_; ++i) {
    double* f = range(i);
    std::fill_n(f, rows_, 0.0);
    for (int place = 0; place < rows_; ++place) {
      if (place < rank_ && place != i) continue;
      const int r = row_at(place);
      const double x = place < rank_ ? 1 : column(r)[i];
      f[r] = x / s_[index(r)] * root_[index(r)];
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < i; ++j) add_scaled(-dot(range(j), f, rows_), range(j), f, rows_);
      const double inverse = 1 / std::sqrt(dot(f, f, rows_));
      for (int r = 0; r < rows_; ++r) f[r] *= inverse;
    }
  }
}

// x := root^p F F^T root^-p x, p = 1 for a force and -1 for an acceleration.
void RowFactor::project(bool force, double* x) {
  const auto times_root = [&](int r, double value, bool inverse) {
    const double root = root_[index(r)];
    return inverse ? value / root : value * root;
  };
  std::fill_n(x_, rows_, 0.0);
  for (int r = 0; r < rows_; ++r) x[r] = times_root(r, x[r], force);
  for (int i = 0; i < rank_; ++i) add_scaled(dot(range(i), x, rows_), range(i), x_, rows_);
  for (int r = 0; r < rows_; ++r) x[r] = times_root(r, x_[index(r)], !force);
}

void RowFactor::take_reachable(const ConstraintData& c, double* b, double* rest) {
  if (rank_ == rows_) {
    std::fill_n(rest, rows_, 0.0);
    return;
  }
  span_range(Metric::weighted, c.weight);
  std::copy_n(b, rows_, rest);
  project(false, b);
  for (int r = 0; r < rows_; ++r) rest[r] -= b[r];
}

// Solves R11^T z = S b for the independent rows.
void RowFactor::solve_lower(const double* b, double* z) const {
  for (int k = 0; k < rank_; ++k) {
    const int r = row_at(k);
    z[k] = (s_[index(r)] * b[r] - dot(column(r), z, k)) / diagonal_[index(k)];
  }
}

// lambda := S R11^-1 z for the independent rows, 0 for the others.
void RowFactor::solve_upper(const double* z, double* lambda) {
  double* x = x_;
  std::copy_n(z, rank_, x);
  substitute_back(x);
  for (int place = 0; place < rows_; ++place)
    lambda[row_at(place)] = place < rank_ ? s_[index(row_at(place))] * x[place] : 0;
}

void RowFactor::add_solution(const double* b) {
  if (!started_) std::fill_n(z_, rows_, 0.0);
  started_ = true;
  solve_lower(b, square_);
  for (int k = 0; k < rank_; ++k) z_[index(k)] += square_[index(k)];
}

void RowFactor::apply_reflection(int step, double* y) const {
  const double* v = column(row_at(step)) + step;
  const int n = length_ - step;
  add_scaled(dot(v, y + step, n) / (diagonal_[index(step)] * v[0]), v, y + step, n);
}

// y := Q y.
void RowFactor::reflect_back(double* y) const {
  for (int step = rank_ - 1; step >= 0; --step) apply_reflection(step, y);
}

// Q^T y: forces move its first numbers, those of R11, and not the others.
double RowFactor::add_nearest(double* y) {
  if (!started_) std::fill_n(z_, rows_, 0.0);
  started_ = true;
  for (int step = 0; step < rank_; ++step) apply_reflection(step, y);
  for (int k = 0; k < rank_; ++k) z_[index(k)] += y[k];
  return std::sqrt(dot(y + rank_, y + rank_, length_ - rank_));
}

// Forces act along redundant rows too: those with the least length relative to the scale of rows. So y is the
// solution with the dropped singular values at zero, and does not depend on the order of pivots.
void RowFactor::motion(double* y) {
  std::copy_n(z_, rank_, y);
  std::fill_n(y + rank_, length_ - rank_, 0.0);
  if (rank_ < rows_ && dropped_ > rank_rounding) {
    span_range(Metric::scaled, nullptr);
    double* lambda = square_;
    solve_upper(z_, lambda);
    project(true, lambda);
    for (int place = rank_; place < rows_; ++place) {
      const std::size_t row = index(row_at(place));
      if (negligible_[row]) continue;
      add_scaled(lambda[row] / s_[row], column(static_cast<int>(row)) + rank_, y + rank_, length_ - rank_);
    }
  }
  reflect_back(y);
}

// Where dropped singular values are more than rounding, another split of the forces would be another motion.
void RowFactor::multipliers(const ConstraintData& c, double* lambda) {
  solve_upper(z_, lambda);
  if (rank_ == rows_) return;
  span_range(dropped_ > rank_rounding ? Metric::scaled : Metric::weighted, c.weight);
  project(true, lambda);
}

void RowFactor::combine_dependent(double* b) const {
  std::fill_n(b, rows_, 0.0);
  for (int place = rank_; place < rows_; ++place) {
    const int row = row_at(place);
    const double share = 1 + 0.5 * std::sin(1.7 * place);  // of no meaning
    b[row] += share * s_[index(row)];
    for (int k = 0; k < rank_; ++k) b[row_at(k)] -= share * column(row)[k] * s_[index(row_at(k))];
  }
}

RowFactorData RowFactor::data(const ConstraintData& c) {
  if (rank_ < rows_) span_range(Metric::weighted, c.weight);
  return {rows_, rank_, length_, stride_, H_, s_, diagonal_, order_, F_, root_};
}

void RowFactor::pseudo_inverse(double* out) {
  const bool full = rank_ == rows_;
  if (!full) span_range(Metric::plain, nullptr);
  for (int j = 0; j < rows_; ++j) {
    double* x = out + static_cast<std::ptrdiff_t>(j) * rows_;
    std::fill_n(x, rows_, 0.0);
    x[j] = 1;
    if (!full) project(false, x);
    solve_lower(x, z_);
    solve_upper(z_, x);
    if (!full) project(true, x);
  }
  for (int j = 0; j < rows_; ++j)
    for (int i = j + 1; i < rows_; ++i) {
      double &a = out[static_cast<std::ptrdiff_t>(j) * rows_ + i],
             &b = out[static_cast<std::ptrdiff_t>(i) * rows_ + j];
      a = b = (a + b) / 2;
    }
}

}  // namespace tenon
