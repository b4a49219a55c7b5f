#include "history/dead_centre.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "support/largest.hpp"

namespace tenon::testing::history {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Loops {
 public:
  Loops(tenon_workspace* workspace, const tenon_model* model)
      : w_(workspace),
        nq_(tenon_model_nq(model)),
        nv_(tenon_model_nv(model)),
        ny_(tenon_model_ny(model)),
        rows_(tenon_model_loop_row_count(model)) {
    std::vector<std::int32_t> independent(static_cast<std::size_t>(ny_));
    tenon_model_independent_v(model, independent.data(), independent.size());
    for (int i = 0; i < nv_; ++i)
      if (std::find(independent.begin(), independent.end(), i) == independent.end()) dependent_.push_back(i);
  }

  int dependent() const { return static_cast<int>(dependent_.size()); }
  int nv() const { return nv_; }

  // K and phi at q. False where they cannot be had.
  bool rows(const VectorXd& q, MatrixXd& K, VectorXd& phi) const {
    K.resize(rows_, nv_), phi.resize(rows_);
    return tenon_loop_jacobian(w_, q.data(), size(nq_), nullptr, 0, K.data(), size(rows_ * nv_), rows_,
                               nullptr, 0, phi.data(), size(rows_)) == TENON_OK;
  }

  // By Newton steps of all coordinates.
  bool close(VectorXd& q) const {
    MatrixXd K;
    VectorXd phi;
    for (int i = 0; i < 20; ++i) {
      if (!rows(q, K, phi)) return false;
      if (phi.norm() < 1e-13) return true;
      if (!move(q, -pseudo_inverse(K) * phi)) return false;
    }
    return phi.norm() < 1e-10;
  }
  bool move(VectorXd& q, const VectorXd& step) const {
    VectorXd next(nq_);
    if (tenon_integrate(w_, q.data(), size(nq_), step.data(), size(nv_), 1, next.data(), size(nq_)) !=
        TENON_OK)
      return false;
    q = next;
    return true;
  }

  // The part of v that keeps the loops closed.
  VectorXd along(const VectorXd& q, const VectorXd& v) const {
    MatrixXd K;
    VectorXd phi;
    if (!rows(q, K, phi)) return VectorXd::Zero(nv_);
    return v - pseudo_inverse(K) * (K * v);
  }

  // 0 at a dead centre.
  double leverage(const VectorXd& q) const {
    MatrixXd K;
    VectorXd phi;
    if (!rows(q, K, phi)) return 1;
    MatrixXd part(rows_, dependent());
    for (int j = 0; j < dependent(); ++j) part.col(j) = K.col(dependent_[static_cast<std::size_t>(j)]);
    const VectorXd values = part.jacobiSvd().singularValues();
    return values(dependent() - 1) / values(0);
  }

 private:
  static std::size_t size(int count) { return static_cast<std::size_t>(count); }
  static MatrixXd pseudo_inverse(const MatrixXd& K) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
    factor.setThreshold(1e-9);
    return factor.compute(K).pseudoInverse();
  }

  tenon_workspace* w_;
  int nq_, nv_, ny_, rows_;
  std::vector<int> dependent_;
};

}  // namespace

bool find_dead_centre(tenon_workspace* workspace, const tenon_model* model, Random& random,
                      std::vector<double>& q, std::vector<double>& v) {
  const Loops loops(workspace, model);
  if (loops.dependent() == 0 || tenon_model_loop_row_count(model) < loops.dependent() || loops.nv() > 60)
    return false;
  VectorXd at = Eigen::Map<const VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  VectorXd way = VectorXd::NullaryExpr(loops.nv(), [&] { return random.uniform(-1, 1); });
  if (!loops.close(at)) return false;
  const auto stepped = [&](const VectorXd& from, double length, VectorXd& to) {
    to = from;
    return loops.move(to, length * way) && loops.close(to);
  };
  double before = 2, last = loops.leverage(at);
  VectorXd previous = at, next;
  for (int i = 0; i < 150; ++i) {
    way = loops.along(at, way);
    if (way.norm() < 1e-6) return false;
    way *= 0.1 / largest(way);
    if (!stepped(at, 1, next)) return false;
    const double here = loops.leverage(next);
    if (last < before && last < here && i > 0) {
      // Between `previous` and `next`: a section search for the least leverage.
      double low = -1.2, high = 1.2;
      VectorXd a, b;
      for (int k = 0; k < 90; ++k) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (!stepped(at, left, a) || !stepped(at, right, b)) return false;
        (loops.leverage(a) < loops.leverage(b) ? high : low) =
            loops.leverage(a) < loops.leverage(b) ? right : left;
      }
      if (stepped(at, 0.5 * (low + high), a) && loops.leverage(a) < 1e-9) {
        VectorXd::Map(q.data(), a.size()) = a;
        const VectorXd speed =
            loops.along(a, VectorXd::NullaryExpr(loops.nv(), [&] { return random.uniform(-1, 1); }));
        v.assign(speed.data(), speed.data() + speed.size());
        return true;
      }
    }
    before = last, last = here, previous = at, at = next;
  }
  return false;
}

}  // namespace tenon::testing::history
