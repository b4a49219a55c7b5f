// The peer's derivatives: computeRNEADerivatives, computeABADerivatives, computeJointTorqueRegressor, and
// constraintDynamics with computeConstraintDynamicsDerivatives, which needs the solution first; of impacts likewise. The
// mass matrix and its inverse come as upper triangles; they are filled here, for Tenon hands out whole matrices.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/impulse-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;
using RigidModel = pin::RigidConstraintModelTpl<double, 0>;
using RigidData = pin::RigidConstraintDataTpl<double, 0>;

template <typename Matrix>
void fill_lower_triangle(Matrix& M) {
  M.template triangularView<Eigen::StrictlyLower>() =
      M.transpose().template triangularView<Eigen::StrictlyLower>();
}

struct DerivativeScratch : ConstrainedScratch {
  using ConstrainedScratch::ConstrainedScratch;
  // By q, by v, and by a or tau where there are three.
  virtual int matrices() const { return 3; }
  virtual Eigen::MatrixXd matrix(int k) const = 0;
};

struct InverseScratch final : DerivativeScratch {
  using DerivativeScratch::DerivativeScratch;
  void solve(const pin::Model& model, PeerMethod, const PeerState& state) override {
    pin::computeRNEADerivatives(model, data, state.q, state.v, state.a);
    fill_lower_triangle(data.M);
  }
  Eigen::MatrixXd matrix(int k) const override {
    if (k == 2) return data.M;
    return k == 0 ? data.dtau_dq : data.dtau_dv;
  }
};

struct ForwardScratch final : DerivativeScratch {
  using DerivativeScratch::DerivativeScratch;
  void solve(const pin::Model& model, PeerMethod, const PeerState& state) override {
    pin::computeABADerivatives(model, data, state.q, state.v, state.tau);
    fill_lower_triangle(data.Minv);
  }
  Eigen::MatrixXd matrix(int k) const override {
    return k == 0 ? data.ddq_dq : k == 1 ? data.ddq_dv : data.Minv;
  }
};

struct ConstrainedDerivativeScratch : DerivativeScratch {
  std::vector<RigidModel> models;
  std::vector<RigidData> datas;

  ConstrainedDerivativeScratch(const pin::Model& model, const std::vector<PeerContact>& contacts)
      : DerivativeScratch(model) {
    for (const PeerContact& contact : contacts) {
      models.emplace_back(contact.rows == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, model, contact.joint,
                          contact.placement, pin::LOCAL);
      datas.emplace_back(models.back());
    }
    pin::initConstraintDynamics(model, data, models, datas);
  }
  void solve(const pin::Model& model, PeerMethod, const PeerState& state) override {
    pin::ProximalSettings proximal(settings.accuracy, settings.mu, settings.iterations);
    pin::constraintDynamics(model, data, state.q, state.v, state.tau, models, datas, proximal);
    pin::computeConstraintDynamicsDerivatives(model, data, models, datas, proximal);
  }
  Eigen::MatrixXd matrix(int k) const override {
    return k == 0 ? data.ddq_dq : k == 1 ? data.ddq_dv : data.ddq_dtau;
  }
};

struct ImpactDerivativeScratch final : ConstrainedDerivativeScratch {
  using ConstrainedDerivativeScratch::ConstrainedDerivativeScratch;
  void solve(const pin::Model& model, PeerMethod, const PeerState& state) override {
    pin::ProximalSettings proximal(settings.accuracy, settings.mu, settings.iterations);
    pin::impulseDynamics(model, data, state.q, state.a, models, datas, 0.0, proximal);
    pin::computeImpulseDynamicsDerivatives(model, data, models, datas, 0.0, proximal);
  }
  int matrices() const override { return 2; }
  // The peer's by v are of the jump.
  Eigen::MatrixXd matrix(int k) const override {
    if (k == 0) return data.ddq_dq;
    return data.ddq_dv + Eigen::MatrixXd::Identity(data.ddq_dv.rows(), data.ddq_dv.cols());
  }
};

struct RegressorScratch final : ConstrainedScratch {
  Eigen::VectorXd parameters;

  explicit RegressorScratch(const pin::Model& model)
      : ConstrainedScratch(model), parameters(10 * (model.njoints - 1)) {
    for (int i = 1; i < model.njoints; ++i)
      parameters.segment<10>(10 * (i - 1)) =
          model.inertias[static_cast<std::size_t>(i)].toDynamicParameters();
  }
  void solve(const pin::Model& model, PeerMethod, const PeerState& state) override {
    pin::computeJointTorqueRegressor(model, data, state.q, state.v, state.a);
  }
  Eigen::VectorXd result() const override { return data.jointTorqueRegressor * parameters; }
};

}  // namespace

std::unique_ptr<PeerScratch> make_derivative_scratch(const PinocchioPeer& peer, PeerMethod method,
                                                     const PeerSettings& settings) {
  std::unique_ptr<PeerScratch> scratch;
  if (method == PeerMethod::rnea_derivatives) {
    scratch = std::make_unique<InverseScratch>(peer.model);
  } else if (method == PeerMethod::aba_derivatives) {
    scratch = std::make_unique<ForwardScratch>(peer.model);
  } else if (method == PeerMethod::rnea_regressor) {
    scratch = std::make_unique<RegressorScratch>(peer.model);
  } else if (method == PeerMethod::impact_derivatives) {
    scratch = std::make_unique<ImpactDerivativeScratch>(peer.model, peer.contacts);
  } else {
    scratch = std::make_unique<ConstrainedDerivativeScratch>(peer.model, peer.contacts);
  }
  scratch->settings = settings;
  return scratch;
}

void PinocchioPeer::derivatives(PeerMethod method, double* out) const {
  const auto& memory = static_cast<const DerivativeScratch&>(*scratch[static_cast<std::size_t>(method)]);
  for (int k = 0; k < memory.matrices(); ++k) {
    const Eigen::MatrixXd from = memory.matrix(k);
    for (const int column : v_of_tenon)
      for (const int row : v_of_tenon) *out++ = from(row, column);
  }
}

}  // namespace bench
