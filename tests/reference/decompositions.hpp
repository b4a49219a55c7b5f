// Decompositions of symmetric matrices, by Eigen. The compiler needs seconds for each, so they are compiled once, and not in
// every test that asks for one.
#pragma once

#include "reference/dense_dynamics.hpp"

namespace tenon::reference {

// Ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A);

struct Eigensystem {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns
};
Eigensystem eigensystem(const Eigen::MatrixXd& A);

// How much a solve with H may amplify rounding: its condition, scaled to unit diagonal.
double scaled_condition(const Eigen::MatrixXd& H);

// A^-1 B, by L D L^T; double and long double.
template <class T>
MatX<T> solved(const MatX<T>& A, const MatX<T>& B);

}  // namespace tenon::reference
