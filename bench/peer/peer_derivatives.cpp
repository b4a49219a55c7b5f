// The peer's derivatives: computeRNEADerivatives, computeABADerivatives, and constraintDynamics with
// computeConstraintDynamicsDerivatives, which needs the solution first. The mass matrix and its inverse come as upper
// triangles; they are filled here, for Tenon hands out whole matrices.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
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
  // By q, by v, and by a or tau.
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

struct ConstrainedDerivativeScratch final : DerivativeScratch {
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

}  // namespace

std::unique_ptr<PeerScratch> make_derivative_scratch(const PinocchioPeer& peer, PeerMethod method,
                                                     const PeerSettings& settings) {
  std::unique_ptr<PeerScratch> scratch;
  if (method == PeerMethod::rnea_derivatives) {
    scratch = std::make_unique<InverseScratch>(peer.model);
  } else if (method == PeerMethod::aba_derivatives) {
    scratch = std::make_unique<ForwardScratch>(peer.model);
  } else {
    scratch = std::make_unique<ConstrainedDerivativeScratch>(peer.model, peer.contacts);
  }
  scratch->settings = settings;
  return scratch;
}

void PinocchioPeer::derivatives(PeerMethod method, double* out) const {
  const auto& memory = static_cast<const DerivativeScratch&>(*scratch[static_cast<std::size_t>(method)]);
  for (int k = 0; k < 3; ++k) {
    const Eigen::MatrixXd from = memory.matrix(k);
    for (const int column : v_of_tenon)
      for (const int row : v_of_tenon) *out++ = from(row, column);
  }
}

}  // namespace bench
