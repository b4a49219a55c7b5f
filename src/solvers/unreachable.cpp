#include "solvers/unreachable.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon {
namespace {

// Eigenvalues below this are zero: of rows scaled to unit diagonal, and the same as the dense reference
// takes.
constexpr double null_eigenvalue = 1e-12;
// A row that hardly moves the robot next to what is typical of it is not blown up to unit diagonal: two rows
// of Cassie's loops stand still but for the eleventh digit of its coordinates, and the forces that hold them
// would be as large as that digit is small.
constexpr double hardly_moves = 1e-6;
constexpr int most_sweeps = 40;

}  // namespace

UnreachablePart::UnreachablePart(int rows) : m_(static_cast<std::size_t>(rows)) {
  A_.assign(m_ * m_, 0.0);
  Q_.assign(m_ * m_, 0.0);
  Z_.assign(m_ * m_, 0.0);
  rho_.assign(m_, 0.0);
  scale_.assign(m_, 0.0);
}

void UnreachablePart::scale_rows(const ConstraintData& c) {
  for (std::size_t r = 0; r < m_; ++r) {
    const double here = A_[r * m_ + r], diagonal = here > hardly_moves * c.scale[r] ? here : c.scale[r];
    scale_[r] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
  }
  for (std::size_t i = 0; i < m_; ++i)
    for (std::size_t j = 0; j < m_; ++j) A_[i * m_ + j] *= scale_[i] * scale_[j];
}

// A := G^T A G, Q := Q G with the rotation G of axes i, j that clears A_ij.
void UnreachablePart::rotate(std::size_t i, std::size_t j) {
  const double cot2 = (A_[j * m_ + j] - A_[i * m_ + i]) / (2 * A_[i * m_ + j]);
  const double t = (cot2 >= 0 ? 1 : -1) / (std::abs(cot2) + std::sqrt(1 + cot2 * cot2));
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  const auto turn = [c, s](double& x, double& y) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  };
  for (std::size_t k = 0; k < m_; ++k) turn(A_[k * m_ + i], A_[k * m_ + j]);
  for (std::size_t k = 0; k < m_; ++k) turn(A_[i * m_ + k], A_[j * m_ + k]);
  for (std::size_t k = 0; k < m_; ++k) turn(Q_[k * m_ + i], Q_[k * m_ + j]);
}

void UnreachablePart::diagonalize() {
  constexpr double epsilon = 2.3e-16;
  for (std::size_t i = 0; i < m_ * m_; ++i) Q_[i] = i % (m_ + 1) == 0 ? 1 : 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool done = true;
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = i + 1; j < m_; ++j) {
        const double size = std::max(std::abs(A_[i * m_ + i] * A_[j * m_ + j]), 1e-28);
        if (A_[i * m_ + j] * A_[i * m_ + j] <= epsilon * epsilon * size) continue;
        done = false;
        rotate(i, j);
      }
    }
    if (done) return;
  }
}

// W^-1/2 times column j of Q, made orthonormal to the first `count` columns of Z (Gram and Schmidt, twice).
// weight: null for ones.
void UnreachablePart::add_null_vector(const double* weight, std::size_t j, std::size_t count) {
  double* z = Z_.data() + count * m_;
  for (std::size_t r = 0; r < m_; ++r)
    z[r] = Q_[r * m_ + j] * scale_[r] / (weight ? std::sqrt(weight[r]) : 1);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < count; ++i) {
      const double* other = Z_.data() + i * m_;
      const double share = std::inner_product(z, z + m_, other, 0.0);
      for (std::size_t r = 0; r < m_; ++r) z[r] -= share * other[r];
    }
    const double length = std::sqrt(std::inner_product(z, z + m_, z, 0.0));
    for (std::size_t r = 0; r < m_; ++r) z[r] /= length;
  }
}

// After diagonalize. Returns how many vectors it has.
std::size_t UnreachablePart::find_null_space(const double* weight) {
  double largest = 1;
  for (std::size_t j = 0; j < m_; ++j) largest = std::max(largest, A_[j * m_ + j]);
  std::size_t count = 0;
  for (std::size_t j = 0; j < m_; ++j)
    if (A_[j * m_ + j] <= null_eigenvalue * largest) {
      A_[j * m_ + j] = 0;
      add_null_vector(weight, j, count++);
    }
  return count;
}

const double* UnreachablePart::solve(const ConstraintData& c, const double* b) {
  scale_rows(c);
  diagonalize();
  const std::size_t count = find_null_space(c.weight);
  std::fill(rho_.begin(), rho_.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double* z = Z_.data() + i * m_;
    double share = 0;
    for (std::size_t r = 0; r < m_; ++r) share += z[r] * std::sqrt(c.weight[r]) * b[r];
    for (std::size_t r = 0; r < m_; ++r) rho_[r] += share * z[r] / std::sqrt(c.weight[r]);
  }
  return rho_.data();
}

// x := (1 - Z Z^T) x for numbers `step` apart.
void UnreachablePart::remove_null_part(std::size_t count, double* x, std::size_t step) const {
  for (std::size_t i = 0; i < count; ++i) {
    const double* z = Z_.data() + i * m_;
    double share = 0;
    for (std::size_t r = 0; r < m_; ++r) share += z[r] * x[r * step];
    for (std::size_t r = 0; r < m_; ++r) x[r * step] -= share * z[r];
  }
}

// S Q Sigma^+ Q^T S inverts A on its range; with the null part taken out on both sides it is the
// pseudo-inverse.
int UnreachablePart::pseudo_inverse(const ConstraintData& c, double* out) {
  scale_rows(c);
  diagonalize();
  const std::size_t count = find_null_space(nullptr);
  std::fill(out, out + m_ * m_, 0.0);
  for (std::size_t k = 0; k < m_; ++k) {
    if (A_[k * m_ + k] == 0) continue;
    for (std::size_t j = 0; j < m_; ++j) {
      const double x = Q_[j * m_ + k] * scale_[j] / A_[k * m_ + k];
      for (std::size_t i = 0; i < m_; ++i) out[j * m_ + i] += x * Q_[i * m_ + k] * scale_[i];
    }
  }
  for (std::size_t j = 0; j < m_; ++j) remove_null_part(count, out + j * m_, 1);
  for (std::size_t i = 0; i < m_; ++i) remove_null_part(count, out + i, m_);
  for (std::size_t j = 0; j < m_; ++j)
    for (std::size_t i = j + 1; i < m_; ++i)
      out[j * m_ + i] = out[i * m_ + j] = (out[j * m_ + i] + out[i * m_ + j]) / 2;
  return static_cast<int>(m_ - count);
}

}  // namespace tenon
