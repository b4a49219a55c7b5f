// The dense solve. With M = L L^T and y = L^T (qdd - a_free), Gauss' principle asks for the shortest y with J
// L^-T y = b, b = rhs - J a_free; a compliance adds one unknown z = sqrt(R) lambda to its row. So with
//
//   G = S [J L^-T, sqrt(R)] = Q Sigma V^T,   A = J M^-1 J^T + R = S^-1 Q Sigma^2 Q^T S^-1
//
// [y; z] = V Sigma^+ Q^T S b and lambda = S Q (Sigma^+)^2 Q^T S b: the pseudo-inverse of A without forming A,
// whose condition is the square of G's. The singular values come from one-sided Jacobi rotations, which find
// small ones to high relative accuracy (J. Demmel, K. Veselic, Jacobi's method is more accurate than QR,
// 1992).
//
// Rank: data/rank.hpp. Rows that are given and not of a constraint set have no typical length; a thousandth
// of their length without cancellation is used.
//
// Contradiction. The part of b outside the range of A is removed so that the remainder r has the least sum w
// r^2: with N = S Q_2 a basis of the null space of A, r = W^-1 N (N^T W^-1 N)^-1 N^T b. The same projector
// removes from lambda what does not act on the robot, which leaves the least sum lambda^2 / w; where dropped
// singular values are more than rounding, lambda is the least in the scaled rows instead.
#include "reference/kkt_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "data/rank.hpp"
#include "reference/dense_dynamics.hpp"
#include "reference/dense_rows.hpp"
#include "support/largest.hpp"

namespace tenon::reference {
namespace {

constexpr double held_still = 1e-12;  // entries of G below this share of their column's largest are rounding
constexpr double cancellation_tolerance =
    1e-3;  // length of a given row of J L^-T over its bound without cancellation

// Rotates pairs of columns of H until all are orthogonal; Q collects the rotations, H_out = H_in Q.
template <class T>
void orthogonalize_columns(MatX<T>& H, MatX<T>& Q) {
  using std::abs;
  using std::sqrt;
  const T eps = std::numeric_limits<T>::epsilon();
  const auto rotate = [](MatX<T>& A, Eigen::Index i, Eigen::Index j, T c, T s) {
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      const T x = A(k, i), y = A(k, j);
      A(k, i) = c * x - s * y;
      A(k, j) = s * x + c * y;
    }
  };
  Q.setIdentity();
  const T floor = 4 * eps * H.norm();  // shorter columns are zero
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool done = true;
    for (Eigen::Index i = 0; i < H.cols(); ++i) {
      for (Eigen::Index j = i + 1; j < H.cols(); ++j) {
        const T aa = H.col(i).squaredNorm(), bb = H.col(j).squaredNorm(), ab = H.col(i).dot(H.col(j));
        if (abs(ab) <= 4 * eps * std::max(sqrt(aa), floor) * std::max(sqrt(bb), floor)) continue;
        done = false;
        const T cot2 = (bb - aa) / (2 * ab);
        const T t = (cot2 >= 0 ? 1 : -1) / (abs(cot2) + sqrt(1 + cot2 * cot2));
        const T c = 1 / sqrt(1 + t * t);
        rotate(H, i, j, c, t * c);
        rotate(Q, i, j, c, t * c);
      }
    }
    if (done) return;
  }
}

// x := L^T x, L lower triangular.
template <class T>
void multiply_transposed(const MatX<T>& L, VecX<T>& x) {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    T sum(0);
    for (Eigen::Index i = j; i < x.size(); ++i) sum += L(i, j) * x(i);
    x(j) = sum;
  }
}

}  // namespace

template <class T>
struct BasicKktSolver<T>::Impl {
  Impl(Tree tree, const std::vector<ConstraintSpec>& constraints, const KktShape& shape)
      : dynamics(std::move(tree)), rows(dynamics.tree(), constraints) {
    nv = dynamics.tree().nv;
    reduced = shape.ny >= 0;
    n = reduced ? shape.ny : nv;
    given = shape.given_rows;
    m = rows.count() + given;
    weight.setOnes(m);
    compliance.setZero(m);
    weight.head(rows.count()) = rows.weight();
    compliance.head(rows.count()) = rows.compliance();
    unknowns = n + static_cast<int>((compliance.array() > T(0)).count());
    L.setZero(n, n);
    if (reduced) {
      M.setZero(nv, nv);
      for (MatX<T>* x : {&G, &G_size, &MG}) x->setZero(nv, n);
    }
    if (!plain()) {
      for (MatX<T>* x : {&J, &J_size}) x->setZero(m, n);
      rhs.setZero(m);
    }
    for (VecX<T>* x : {&c, &force, &g}) x->setZero(nv);
    for (VecX<T>* x : {&a_free, &qdd, &diagonal}) x->setZero(n);
    for (VecX<T>* x : {&b, &s, &sigma, &lambda, &residual, &scratch, &cancellation}) x->setZero(m);
    H.setZero(unknowns, m);
    y.setZero(unknowns);
    for (MatX<T>* x : {&Q, &Z}) x->setZero(m, m);
  }

  // Whether rows are used as DenseRows computes them; else J, J_size and rhs hold the transformed rows.
  bool plain() const { return !reduced && given == 0; }
  const MatX<T>& jacobian() const { return plain() ? rows.J : J; }
  const MatX<T>& entry_size() const { return plain() ? rows.size : J_size; }
  const VecX<T>& right_side() const { return plain() ? rows.rhs : rhs; }
  void load_loops(const KktInputs& in);
  bool factor_mass_matrix();
  bool solve_free(const KktInputs& in);
  void take_rows(const KktInputs& in);
  void scale_rows(const double* typical);
  void find_rank();
  void find_null_space();
  void remove_null_part(VecX<T>& x, bool of_force);
  void solve_rows();
  void measure_unreachable();
  bool contradicts(const SolveOptions& options, const double* typical);
  void write_report(SolveReport& report);

  DenseDynamics<T> dynamics;
  DenseRows<T> rows;
  int nv = 0, n = 0, given = 0, m = 0, unknowns = 0, rank = 0;
  bool reduced = false;
  T kept = 1;  // smallest kept over largest singular value
  KktMargins margins;
  MatX<T> M, G, G_size, MG, J, J_size, L, H, Q, Z;
  VecX<T> weight, compliance, rhs, force, g, c, a_free, qdd, diagonal, b, s, sigma, lambda, residual, scratch,
      y, cancellation;
};

template <class T>
void BasicKktSolver<T>::Impl::load_loops(const KktInputs& in) {
  if (!reduced) return;
  for (int k = 0; k < nv; ++k) {
    g(k) = in.g ? static_cast<T>(in.g[k]) : T(0);
    for (int j = 0; j < n; ++j) G(k, j) = static_cast<T>(in.G[k + std::ptrdiff_t{j} * nv]);
  }
  // Without this, rounding errors would look like small motions of joints that loops hold still.
  for (int j = 0; j < n; ++j) {
    const T least = static_cast<T>(held_still) * testing::largest(G.col(j));
    for (int k = 0; k < nv; ++k)
      if (std::abs(G(k, j)) < least) G(k, j) = T(0);
  }
}

template <class T>
bool BasicKktSolver<T>::Impl::factor_mass_matrix() {
  if (reduced) {
    dynamics.mass_matrix(M);
    MG.noalias() = M.lazyProduct(G);
    L.noalias() = G.transpose().lazyProduct(MG);
  } else {
    dynamics.mass_matrix(L);
  }
  return cholesky<T>(L);
}

template <class T>
bool BasicKktSolver<T>::Impl::solve_free(const KktInputs& in) {
  dynamics.set_state(in.q, in.v);
  load_loops(in);
  if (!factor_mass_matrix()) return false;
  dynamics.bias_force(in.gravity, in.wrenches, c);
  for (int k = 0; k < nv; ++k) force(k) = static_cast<T>(in.tau[k]) - c(k);
  if (reduced) {
    force.noalias() -= M.lazyProduct(g);
    a_free.noalias() = G.transpose().lazyProduct(force);
  } else {
    a_free = force;
  }
  solve_lower<T>(L, a_free);
  solve_lower_transposed<T>(L, a_free);
  return true;
}

// Rows of the constraints and given rows, in the coordinates that are solved for.
template <class T>
void BasicKktSolver<T>::Impl::take_rows(const KktInputs& in) {
  rows.evaluate(dynamics, in.desired, in.anchors);
  if (plain()) return;
  const int own = rows.count();
  if (reduced) {
    J.topRows(own).noalias() = rows.J.lazyProduct(G);
    G_size = G.cwiseAbs();
    J_size.topRows(own).noalias() = rows.size.lazyProduct(G_size);
    rhs.head(own) = rows.rhs;
    rhs.head(own).noalias() -= rows.J.lazyProduct(g);
  } else {
    J.topRows(own) = rows.J;
    J_size.topRows(own) = rows.size;
    rhs.head(own) = rows.rhs;
  }
  for (int r = 0; r < given; ++r) {
    rhs(own + r) = static_cast<T>(in.given_rhs[r]);
    for (int k = 0; k < n; ++k) {
      const T x = static_cast<T>(in.given_J[r + std::ptrdiff_t{k} * given]);
      J(own + r, k) = x;
      J_size(own + r, k) = x < T(0) ? -x : x;
    }
  }
}

// Fills H: one column for each row of the constraints.
template <class T>
void BasicKktSolver<T>::Impl::scale_rows(const double* typical) {
  using std::sqrt;
  margins = {};
  if (n > 0) margins.free_acceleration = static_cast<double>(testing::largest(a_free));
  for (int k = 0; k < n; ++k) {  // diagonal of M^-1: squared length of column k of L^-1
    qdd.setZero();
    qdd(k) = T(1);
    solve_lower<T>(L, qdd);
    diagonal(k) = qdd.squaredNorm();
    const T entry = L.row(k).head(k + 1).squaredNorm();  // M_kk
    margins.mass_condition = std::max(margins.mass_condition, static_cast<double>(entry * diagonal(k)));
    margins.mobility = std::max(margins.mobility, static_cast<double>(sqrt(diagonal(k))));
  }
  H.setZero();
  int extra = n;
  for (int r = 0; r < m; ++r) {
    H.col(r).head(n) = jacobian().row(r).transpose();
    solve_lower<T>(L, H.col(r).head(n));
    T bound(0);
    for (int k = 0; k < n; ++k) bound += entry_size()(r, k) * entry_size()(r, k) * diagonal(k);
    if (compliance(r) > T(0)) H(extra++, r) = sqrt(compliance(r));
    const T usual = typical && r < rows.count() && typical[r] > 0
                        ? static_cast<T>(std::sqrt(typical[r]))
                        : static_cast<T>(cancellation_tolerance) * sqrt(bound);
    const T length = std::max(H.col(r).norm(), usual);
    s(r) = length > T(0) ? T(1) / length : T(1);
    margins.longest_row = std::max(margins.longest_row, static_cast<double>(length));
    margins.shortest_row = std::min(margins.shortest_row, static_cast<double>(1 / s(r)));
    cancellation(r) = sqrt(bound) * s(r);
    margins.cancellation = std::max(margins.cancellation, static_cast<double>(cancellation(r)));
    H.col(r) *= s(r);
  }
}

template <class T>
void BasicKktSolver<T>::Impl::find_rank() {
  orthogonalize_columns(H, Q);
  T largest(0), smallest = std::numeric_limits<T>::max();
  for (int j = 0; j < m; ++j) sigma(j) = H.col(j).norm(), largest = std::max(largest, sigma(j));
  // Where all rows hardly move the robot, no scaled row has unit length; 1 takes the place of the largest
  // value.
  const T cut = static_cast<T>(rank_tolerance) * std::max(largest, T(1));
  rank = 0;
  for (int j = 0; j < m; ++j) {
    if (sigma(j) <= cut) {
      margins.dropped = std::max(margins.dropped, static_cast<double>(sigma(j) / std::max(largest, T(1))));
      sigma(j) = T(0);
    } else {
      ++rank;
      smallest = std::min(smallest, sigma(j));
    }
  }
  kept = rank > 0 ? smallest / largest : T(1);
  margins.kept = rank > 0 ? static_cast<double>(smallest / std::max(largest, T(1))) : 1;
}

// First m - rank columns of Z: an orthonormal basis of W^-1/2 null(A), by Gram-Schmidt, twice for full
// accuracy.
template <class T>
void BasicKktSolver<T>::Impl::find_null_space() {
  int count = 0;
  for (int j = 0; j < m; ++j) {
    if (sigma(j) > T(0)) continue;
    Z.col(count) = (Q.col(j).array() * s.array() / weight.array().sqrt()).matrix();
    Z.col(count).normalize();
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < count; ++i) Z.col(count) -= Z.col(i).dot(Z.col(count)) * Z.col(i);
      Z.col(count).normalize();
    }
    ++count;
  }
}

// x := W^p Z Z^T W^-p x, p = 1/2 for a force and -1/2 for an acceleration.
template <class T>
void BasicKktSolver<T>::Impl::remove_null_part(VecX<T>& x, bool of_force) {
  const auto root = weight.array().sqrt();
  if (of_force)
    x.array() /= root;
  else
    x.array() *= root;
  scratch.setZero();
  for (int i = 0; i < m - rank; ++i) scratch += Z.col(i).dot(x) * Z.col(i);
  x -= scratch;
  if (of_force)
    x.array() *= root;
  else
    x.array() /= root;
}

template <class T>
void BasicKktSolver<T>::Impl::solve_rows() {
  b = right_side();
  b.noalias() -= jacobian().lazyProduct(a_free);
  residual = b;
  remove_null_part(b, false);
  residual -= b;
  y.setZero();
  lambda.setZero();
  for (int j = 0; j < m; ++j) {
    if (sigma(j) == T(0)) continue;
    const T x = (Q.col(j).array() * s.array() * b.array()).sum() / (sigma(j) * sigma(j));
    y += x * H.col(j);
    lambda.array() += x * Q.col(j).array() * s.array();
  }
  // Where dropped singular values are more than rounding, another split of the forces would be another motion.
  if (margins.dropped <= rank_rounding) remove_null_part(lambda, true);
  margins.solution = static_cast<double>(y.norm());
  qdd = y.head(n);
  solve_lower_transposed<T>(L, qdd);
  qdd += a_free;
}

// KktMargins::unreachable. B = W^1/2 S^-1 Q Sigma V^T of the nonzero singular values, V orthonormal.
template <class T>
void BasicKktSolver<T>::Impl::measure_unreachable() {
  if (rank == 0 || rank == m) return;
  MatX<T> B(m, rank);
  for (int j = 0, k = 0; j < m; ++j) {
    if (sigma(j) == T(0)) continue;
    B.col(k++) = (Q.col(j).array() * sigma(j) * weight.array().sqrt() / s.array()).matrix();
  }
  MatX<T> factor = B.transpose().lazyProduct(B);
  if (!cholesky<T>(factor)) {
    margins.unreachable = margins.unreachable_cancelling = HUGE_VAL;
    return;
  }
  T trace(0);
  for (int k = 0; k < rank; ++k) {
    VecX<T> x = VecX<T>::Unit(rank, k);
    solve_lower<T>(factor, x);
    trace += x.squaredNorm();
  }
  const auto seen = (weight.array() * residual.array().abs() / s.array()).eval();
  margins.unreachable = static_cast<double>(trace * seen.sum());
  margins.unreachable_cancelling = static_cast<double>(trace * (seen * cancellation.array()).sum());
}

// Whether the part of b that no force can reach exceeds the tolerance and its own rounding error. The null space
// is known to epsilon over the smallest kept singular value, but the part of b along that one's direction is as
// small as it, times the motion that the forces make.
template <class T>
bool BasicKktSolver<T>::Impl::contradicts(const SolveOptions& options, const double* typical) {
  const T eps = std::numeric_limits<T>::epsilon();
  T size(0);
  for (int r = 0; r < m; ++r) {
    const T free = (jacobian().row(r).array() * a_free.transpose().array()).abs().sum();
    size = testing::larger(size, testing::larger(free, std::abs(right_side()(r))));
  }
  const T relative =
      std::max(static_cast<T>(options.relative_tolerance), static_cast<T>(contradiction_epsilons) * eps);
  const T limit = static_cast<T>(options.absolute_tolerance) + relative * size;
  // The numbers of the model are doubles whatever T is, so a row that nothing moves has the length of their
  // rounding errors, and their share of the free motion L^T a_free and of that by forces.
  diagonal = a_free;
  multiply_transposed(L, diagonal);
  const T motion = std::hypot(diagonal.norm(), static_cast<T>(margins.solution));
  const T rounding = static_cast<T>(contradiction_rounding) * motion;
  T worst(0);
  for (int r = 0; r < m; ++r) {
    T seen(0);
    if (r < rows.count()) {
      if (typical) seen = rounding * static_cast<T>(std::sqrt(typical[r]));
      // Axes and places are doubles too, so a fast joint on a held axis moves the row by their rounding errors.
      seen +=
          static_cast<T>(contradiction_rounding) * dynamics.velocity_products(rows.size.row(r).transpose());
    }
    worst = testing::larger(worst, std::abs(residual(r)) / (limit + seen));
  }
  if (worst > T(0)) margins.contradiction = static_cast<double>(worst);
  return worst > T(1);
}

template <class T>
void BasicKktSolver<T>::Impl::write_report(SolveReport& report) {
  report = {};
  report.iterations = 1;
  report.rank = rank;
  if (m == 0) return;
  // Row residual of the answer itself, then A W times it ([CABA] Eq. 15): zero at the least sum of squares.
  residual = right_side();
  residual.noalias() -= jacobian().lazyProduct(qdd);
  residual.array() -= compliance.array() * lambda.array();
  report.primal_residual = static_cast<double>(testing::largest(residual));
  residual.array() *= weight.array();
  scratch = (compliance.array() * residual.array()).matrix();
  diagonal.noalias() = jacobian().transpose().lazyProduct(residual);
  solve_lower<T>(L, diagonal);
  solve_lower_transposed<T>(L, diagonal);
  scratch.noalias() += jacobian().lazyProduct(diagonal);
  report.dual_residual = static_cast<double>(testing::largest(scratch));
}

template <class T>
BasicKktSolver<T>::BasicKktSolver(Tree tree, const std::vector<ConstraintSpec>& constraints, KktShape shape)
    : impl_(std::make_unique<Impl>(std::move(tree), constraints, shape)) {}

template <class T>
BasicKktSolver<T>::BasicKktSolver(std::shared_ptr<const Model> model,
                                  std::shared_ptr<const ConstraintSet> constraints)
    : BasicKktSolver(tree_of(*model), constraints ? constraints->specs() : std::vector<ConstraintSpec>(),
                     {model->loops.clusters.empty() ? -1 : model->ny, 0}) {}

template <class T>
BasicKktSolver<T>::~BasicKktSolver() = default;

template <class T>
Status BasicKktSolver<T>::solve(const KktInputs& in, const SolveOptions& options, double* qdd, double* lambda,
                                SolveReport& report) {
  Impl& p = *impl_;
  if (!p.solve_free(in)) return Status::not_positive_definite;
  p.take_rows(in);
  p.scale_rows(in.scale);
  p.find_rank();
  p.find_null_space();
  p.solve_rows();
  if (std::is_same_v<T, long double>) p.measure_unreachable();  // for tests; it allocates
  const bool infeasible = p.contradicts(options, in.scale);
  p.write_report(report);
  if (p.reduced) {
    p.force = p.g;
    p.force.noalias() += p.G.lazyProduct(p.qdd);
    for (int k = 0; k < p.nv; ++k) qdd[k] = static_cast<double>(p.force(k));
  } else {
    for (int k = 0; k < p.n; ++k) qdd[k] = static_cast<double>(p.qdd(k));
  }
  for (int r = 0; lambda && r < p.m; ++r) lambda[r] = static_cast<double>(p.lambda(r));
  return infeasible ? Status::infeasible : Status::ok;
}

template <class T>
double BasicKktSolver<T>::min_kept_over_max() const {
  return static_cast<double>(impl_->kept * impl_->kept);
}

template <class T>
KktMargins BasicKktSolver<T>::margins() const {
  return impl_->margins;
}

template class BasicKktSolver<double>;
template class BasicKktSolver<long double>;

}  // namespace tenon::reference
