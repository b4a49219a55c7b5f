#include "reference/decompositions.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace tenon::reference {

Eigensystem eigensystem(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

double scaled_condition(const Eigen::MatrixXd& H) {
  if (H.size() == 0) return 1;
  const Eigen::VectorXd s = H.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd e = eigenvalues(s.asDiagonal() * H * s.asDiagonal());
  return e(e.size() - 1) / std::max(e(0), 1e-300);
}

template <class T>
MatX<T> solved(const MatX<T>& A, const MatX<T>& B) {
  return A.ldlt().solve(B);
}
template MatX<double> solved(const MatX<double>&, const MatX<double>&);
template MatX<long double> solved(const MatX<long double>&, const MatX<long double>&);

}  // namespace tenon::reference
