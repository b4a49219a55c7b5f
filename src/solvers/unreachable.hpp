// What no force can reach of b in A lambda = b, A = J M^-1 J^T + R of rows that depend on each other: for
// methods that have A, the end of the search for a least-squares answer.
//
// Among all b' = b - rho in the range of A take the one of least sum weight rho^2: with N a basis of the null
// space, rho = W^-1 N (N^T W^-1 N)^-1 N^T b. Rows are scaled to unit diagonal first; eigenvalues by Jacobi
// rotations, which keep the null space orthogonal to epsilon over the gap. O(m^3), taken only where rows were
// found to contradict.
#pragma once

#include <cstddef>
#include <vector>

#include "constraint/constraint_data.hpp"

namespace tenon {

class UnreachablePart {
 public:
  explicit UnreachablePart(int rows);
  std::size_t bytes() const { return (A_.size() * 3 + rho_.size() * 2) * sizeof(double); }

  // Filled by the caller, both triangles, rows x rows; overwritten by solve.
  double* A() { return A_.data(); }
  // rho; valid until the next call.
  const double* solve(const ConstraintData& c, const double* b);
  // out (rows x rows, both triangles) := the pseudo-inverse of A. Returns the rank.
  int pseudo_inverse(const ConstraintData& c, double* out);

 private:
  std::size_t find_null_space(const double* weight);
  void remove_null_part(std::size_t count, double* column, std::size_t step) const;
  void scale_rows(const ConstraintData& c);
  void diagonalize();
  void rotate(std::size_t i, std::size_t j);
  void add_null_vector(const double* weight, std::size_t j, std::size_t count);

  std::size_t m_;
  std::vector<double> A_, Q_;  // Q: eigenvectors
  std::vector<double> Z_;      // column-major: the null space
  std::vector<double> rho_, scale_;
};

}  // namespace tenon
