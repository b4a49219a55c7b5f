// Constraint rows factored as they are, without the square that the Delassus matrix A = J M^-1 J^T + R is:
//
//   H = [J L^-T, sqrt(R)]^T S,   H P = Q [R11 R12],   A = S^-1 H^T H S^-1,   M = L L^T
//
// one column a row, by Householder reflections with column pivots (Businger and Golub, Linear least squares
// solutions by Householder transformations, 1965). S scales the rows and decides the rank as
// constraint/rank.hpp says. What the columns of R12 add to R11 are rows that depend on others.
//
// Rows that depend. With T = R11^-1 R12, the columns of F = W^1/2 S^-1 P [1; T^T] span what accelerations of
// the weighted rows forces can reach. The projector on it takes off a right-hand side what cannot be reached,
// so that sum w r^2 is least, and off multipliers what does not act, so that sum lambda^2 / w is least.
//
// O(n m r), r the rank: the solver of method dense, and of every other method where its iteration stalls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

class RowFactor {
 public:
  // coordinates: of M. soft: how many rows have compliance. room: of that size, the caller's; it holds the
  // matrices from factor on to the last use of what was factored.
  RowFactor(int rows, int coordinates, int soft, double* room);
  static std::size_t room_size(int rows, int coordinates, int soft);
  std::size_t bytes() const;  // without the room

  // JLT: rows of J L^-T in the storage of J^T (kernels/joint_space.hpp).
  void factor(const ModelData& m, const ConstraintData& c, const double* JLT);
  int rank() const { return rank_; }
  // Smallest over largest pivot that counts; 1 without rows.
  double kept() const;

  // b := what forces can reach of it. rest: what they cannot; b as it was is the sum.
  void take_reachable(const ConstraintData& c, double* b, double* rest);
  // lambda := the multipliers of A lambda = b, b reachable. lambda may be b.
  void solve(const ConstraintData& c, const double* b, double* lambda);
  // out (rows x rows, column-major) := the pseudo-inverse of A.
  void pseudo_inverse(double* out);

 private:
  double* column(int r) { return H_ + static_cast<std::ptrdiff_t>(r) * stride_; }
  const double* column(int r) const { return H_ + static_cast<std::ptrdiff_t>(r) * stride_; }
  double* range(int i) { return F_ + static_cast<std::ptrdiff_t>(i) * rows_; }
  void fill(const ModelData& m, const ConstraintData& c, const double* JLT);
  void scale_rows(const ConstraintData& c);
  int take_pivot(int step);
  void reflect(int step);
  void express_dependent();
  void span_range(const double* weight);
  void project(const double* weight, bool force, double* x);
  void solve_basic(const double* b, double* lambda);

  int rows_, coordinates_, length_, stride_;
  int rank_ = 0;
  double *H_, *F_;
  std::vector<double> s_, square_, reference_, diagonal_, x_;
  std::vector<std::int32_t> order_;  // row that stands at each place
  std::vector<char> still_;          // 1: the row is rounding
};

}  // namespace tenon
