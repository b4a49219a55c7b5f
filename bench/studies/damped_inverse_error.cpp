// How many digits the methods for the damped inverse of the Delassus matrix keep as mu grows, on every robot
// of the benchmarks. For each mu (over the typical Delassus diagonal of the row) the worst of 20 random
// states:
//
//   identity  largest entry of (Lambda^-1 + E) X - 1, rows scaled to a unit diagonal of
//             Lambda^-1 + E
//
// with Lambda^-1 from the dense reference in long double. "Alg. 5 as printed" is mu - mu J M_mu^-1 J^T mu
// ([CABA] Eq. 44) by dense factors in double: what is left when nothing but that difference costs digits.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "reference/dense_dynamics.hpp"
#include "reference/dense_rows.hpp"
#include "reference/tree.hpp"
#include "support/problem.hpp"
#include "tenon/delassus.hpp"

namespace {

using tenon::DampedInverseMethod;
using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr int state_count = 20;

constexpr DampedInverseMethod columns[] = {DampedInverseMethod::ltl_inverse, DampedInverseMethod::pv_osimr,
                                           DampedInverseMethod::pv_osimf, DampedInverseMethod::caba_osim,
                                           DampedInverseMethod::caba_osimf};
constexpr int column_count = static_cast<int>(std::size(columns));

// J, M and J M^-1 J^T at one state, in long double.
struct Truth {
  Matrix J, M, delassus;
};

class Subject {
 public:
  explicit Subject(const bench::Robot& robot)
      : model_(bench::compile(robot)),
        set_(tenon::ConstraintSet::bind(model_, bench::specs_of(*model_, robot.contacts))),
        workspace_(model_, set_) {
    tenon::reference::DenseDynamics<Real> dynamics(tenon::reference::tree_of(*model_));
    tenon::reference::DenseRows<Real> rows(tenon::reference::tree_of(*model_), set_->specs());
    const std::vector<double> v(static_cast<std::size_t>(model_->nv), 0.0);
    for (int i = 0; i < state_count; ++i) {
      q_.emplace_back(static_cast<std::size_t>(model_->nq));
      tenon::random_configuration(*model_, static_cast<std::uint64_t>(i) + 1, q_.back().data());
      dynamics.set_state(q_.back().data(), v.data());
      rows.evaluate(dynamics, nullptr, nullptr);
      Truth truth{rows.J, {}, {}};
      truth.M.resize(model_->nv, model_->nv);
      dynamics.mass_matrix(truth.M);
      truth.delassus = truth.J * truth.M.ldlt().solve(truth.J.transpose());
      truths_.push_back(truth);
    }
  }

  int rows() const { return set_->row_count(); }
  int coordinates() const { return model_->nv; }

  // Worst of the states: every method, then Alg. 5 as printed.
  std::vector<double> errors(double relative_mu) {
    std::vector<double> mu(static_cast<std::size_t>(rows())), worst(column_count + 1, 0.0);
    const tenon::ConstraintData& c = set_->data();
    for (int r = 0; r < rows(); ++r) mu[static_cast<std::size_t>(c.user_row[r])] = relative_mu / c.scale[r];
    tenon::Damping damping;
    damping.mu_of_row = mu.data();
    const Eigen::VectorXd E = Eigen::Map<Eigen::VectorXd>(mu.data(), rows()).cwiseInverse();
    Eigen::MatrixXd X(rows(), rows());
    for (int i = 0; i < state_count; ++i) {
      const Truth& truth = truths_[static_cast<std::size_t>(i)];
      const double* q = q_[static_cast<std::size_t>(i)].data();
      for (int k = 0; k <= column_count; ++k) {
        if (k == column_count)
          X = as_printed(truth, E);
        else if (tenon::damped_delassus_inverse(workspace_, columns[k], q, damping, X.data(), rows()) !=
                 tenon::Status::ok)
          throw std::runtime_error(workspace_.message());
        double& w = worst[static_cast<std::size_t>(k)];
        w = std::max(w, identity_error(truth, E, X));
      }
    }
    return worst;
  }

 private:
  static Eigen::MatrixXd as_printed(const Truth& truth, const Eigen::VectorXd& E) {
    const Eigen::MatrixXd J = truth.J.cast<double>(), mu = E.cwiseInverse().asDiagonal();
    const Eigen::MatrixXd M_mu = truth.M.cast<double>() + J.transpose() * mu * J;
    return mu - mu * J * M_mu.ldlt().solve(J.transpose() * mu);
  }
  static double identity_error(const Truth& truth, const Eigen::VectorXd& E, const Eigen::MatrixXd& X) {
    Matrix A = truth.delassus;
    A.diagonal() += E.cast<Real>();
    const Vector size = A.diagonal().cwiseSqrt();
    const Matrix product = size.cwiseInverse().asDiagonal() * (A * X.cast<Real>()) * size.asDiagonal();
    return static_cast<double>((product - Matrix::Identity(A.rows(), A.rows())).cwiseAbs().maxCoeff());
  }

  std::shared_ptr<const tenon::Model> model_;
  std::shared_ptr<const tenon::ConstraintSet> set_;
  tenon::Workspace workspace_;
  std::vector<std::vector<double>> q_;
  std::vector<Truth> truths_;
};

// The robots of the benchmark, and Atlas with each sole held at its corners: twelve rows of rank six a link.
std::vector<bench::Robot> subjects() {
  std::vector<bench::Robot> robots = bench::all_robots();
  bench::Robot atlas = bench::robot_named("atlas");
  atlas.name += ", corners of the soles";
  atlas.contacts = bench::corners(atlas.contacts);
  robots.push_back(atlas);
  return robots;
}

}  // namespace

int main() try {
  for (const bench::Robot& robot : subjects()) {
    Subject subject(robot);
    std::printf("%s: n %d, m %d\n%10s", robot.name.c_str(), subject.coordinates(), subject.rows(), "mu");
    for (const DampedInverseMethod column : columns) std::printf(" %12s", tenon::name_of(column));
    std::printf(" %18s\n", "Alg. 5 as printed");
    for (double mu = 1e2; mu < 1e11; mu *= 100) {
      std::printf("%10.0e", mu);
      const std::vector<double> errors = subject.errors(mu);
      for (int k = 0; k < column_count; ++k) std::printf(" %12.1e", errors[static_cast<std::size_t>(k)]);
      std::printf(" %18.1e\n", errors.back());
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "damped_inverse_error: %s\n", error.what());
  return 1;
}
