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
// and cancel in y.
//
// O(n m r), r the rank: the solver of method dense, which solves wherever another method's iteration stalls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "data/workspace_data.hpp"
#include "kernels/derivatives/row_derivative_data.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

class RowFactor : public Memory {
 public:
  // coordinates: the size of M. room: room_size numbers of the caller, which hold the matrices from factor()
  // to the last use of the factor.
  RowFactor(int rows, int coordinates, double* room);
  static std::size_t room_size(int rows, int coordinates);  // enough if all rows have compliance

  // JLT: rows of J L^-T in the storage of J^T (kernels/tree/joint_space.hpp).
  void factor(const ModelData& m, const ConstraintData& c, const double* JLT);
  // JLT: rigid rows as columns of coordinates() numbers, one after the other.
  void factor(const ConstraintData& c, const double* JLT);
  int rank() const { return rank_; }
  int coordinates() const { return coordinates_; }
  int length() const { return length_; }  // coordinates and rows with compliance

  // b := the part of b that forces can reach; rest := the other part.
  void take_reachable(const ConstraintData& c, double* b, double* rest);
  // Adds the solution of A lambda = b, with b reachable; the first call after factor starts from zero.
  void add_solution(const double* b);
  // Adds the forces whose motion comes nearest to y (coordinates() numbers) to the solution. Returns the
  // length of the remainder of y, which is overwritten.
  double add_nearest(double* y);
  // The motion of the solution: L^T qdd (coordinates() numbers), then sqrt(R) lambda of the rows with
  // compliance.
  void motion(double* y);
  // The multipliers of the solution.
  void multipliers(const ConstraintData& c, double* lambda);
  // b := a combination of all vectors with b^T J = 0, of rows that depend on others; some number of each.
  void combine_dependent(double* b) const;
  // The factor for kernels of derivatives; projections in the metric of weights.
  RowFactorData data(const ConstraintData& c);
  // out (rows x rows, column-major) := the pseudo-inverse of A.
  void pseudo_inverse(double* out);

 private:
  double* column(int r) { return H_ + static_cast<std::ptrdiff_t>(r) * stride_; }
  const double* column(int r) const { return H_ + static_cast<std::ptrdiff_t>(r) * stride_; }
  std::int32_t row_at(int place) const { return order_[index(place)]; }
  double* range(int i) { return F_ + static_cast<std::ptrdiff_t>(i) * rows_; }
  void measure(const ConstraintData& c);
  void reduce(const ConstraintData& c);
  void scale_rows(const ConstraintData& c);
  int take_pivot(int step);
  void reflect(int step);
  void express_dependent();
  void substitute_back(double* x);
  enum class Metric { none, plain, weighted, scaled };
  void span_range(Metric metric, const double* weight);
  void project(bool force, double* x);
  void solve_lower(const double* b, double* z) const;
  void solve_upper(const double* z, double* lambda);
  void apply_reflection(int step, double* y) const;
  void reflect_back(double* y) const;

  int rows_, coordinates_, length_, stride_;
  int rank_ = 0;
  bool started_ = false;
  double dropped_ = 0;  // length of the longest scaled row counted as redundant, in the remainder
  Metric metric_ = Metric::none;
  double *H_, *F_;
  double *s_, *square_, *reference_, *diagonal_, *x_, *z_, *root_;
  std::int32_t* order_;  // the row at each place
  char* negligible_;     // 1: the row holds rounding errors only
};

}  // namespace tenon
