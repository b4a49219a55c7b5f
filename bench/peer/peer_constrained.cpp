// The peer's constrained dynamics: constrainedABA, pv, lcaba, constraintDynamics.
//
// constrainedABA and pv are templates over one constraint type for all constraints. A set of points only, or
// of welds only, uses the peer's own PointAnchor and FrameAnchor; a set of both uses MixedAnchor below.
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/pv.hpp>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;
using RigidModel = pin::RigidConstraintModelTpl<double, 0>;
using RigidData = pin::RigidConstraintDataTpl<double, 0>;

// Points and welds in one vector: exactly the members the two algorithms ask for. Size 3 makes them turn the
// linear rows, which come first in either kind, into the classical acceleration.
struct MixedAnchorData {
  Eigen::Vector3d constraint_acceleration_error = Eigen::Vector3d::Zero();
};
struct MixedAnchor {
  using BaumgarteCorrectorParameters = pin::BaumgarteCorrectorParametersTpl<double>;
  using SE3 = pin::SE3;
  using ConstraintData = MixedAnchorData;
  static constexpr int Size = 3;
  pin::JointIndex joint1_id;
  SE3 joint1_placement;
  int rows;
  BaumgarteCorrectorParameters baumgarte;
  int residualSize() const { return rows; }
  const BaumgarteCorrectorParameters& baumgarte_corrector_parameters() const { return baumgarte; }
};

template <typename Anchor>
Anchor make_anchor(const pin::Model& model, const PeerContact& contact) {
  return Anchor(model, contact.joint, contact.placement);
}
template <>
MixedAnchor make_anchor<MixedAnchor>(const pin::Model&, const PeerContact& contact) {
  return {contact.joint, contact.placement, contact.rows, {}};
}
template <typename Anchor>
typename Anchor::ConstraintData make_data(const Anchor& anchor) {
  return anchor.createData();
}
MixedAnchorData make_data(const MixedAnchor&) {
  return {};
}

template <typename Anchor>
struct AnchorScratch final : ConstrainedScratch {
  std::vector<Anchor> models;
  std::vector<typename Anchor::ConstraintData> datas;

  AnchorScratch(const pin::Model& model, const std::vector<PeerContact>& contacts)
      : ConstrainedScratch(model) {
    for (const PeerContact& contact : contacts) {
      models.push_back(make_anchor<Anchor>(model, contact));
      datas.push_back(make_data(models.back()));
    }
    pin::initPvSolver(model, data, models);
  }
  void solve(const pin::Model& model, PeerMethod method, const PeerState& state) override {
    pin::ProximalSettings proximal(settings.accuracy, settings.mu, settings.iterations);
    if (method == PeerMethod::constrained_aba) {
      pin::constrainedABA(model, data, state.q, state.v, state.tau, models, datas, proximal);
    } else {
      pin::pv(model, data, state.q, state.v, state.tau, models, datas, proximal);
    }
  }
};

struct RigidScratch final : ConstrainedScratch {
  std::vector<RigidModel> models;
  std::vector<RigidData> datas;

  RigidScratch(const pin::Model& model, const std::vector<PeerContact>& contacts, PeerMethod method)
      : ConstrainedScratch(model) {
    for (const PeerContact& contact : contacts) {
      models.emplace_back(contact.rows == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, model, contact.joint,
                          contact.placement, pin::LOCAL);
      datas.emplace_back(models.back());
    }
    if (method == PeerMethod::lcaba) {
      pin::computeJointMinimalOrdering(model, data, models);
    } else {
      pin::initConstraintDynamics(model, data, models, datas);
    }
  }
  void solve(const pin::Model& model, PeerMethod method, const PeerState& state) override {
    pin::ProximalSettings proximal(settings.accuracy, settings.mu, settings.iterations);
    if (method == PeerMethod::lcaba) {
      pin::lcaba(model, data, state.q, state.v, state.tau, models, datas, proximal);
    } else {
      pin::constraintDynamics(model, data, state.q, state.v, state.tau, models, datas, proximal);
    }
  }
};

bool all_have(const std::vector<PeerContact>& contacts, int rows) {
  for (const PeerContact& contact : contacts) {
    if (contact.rows != rows) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<PeerScratch> make_constrained_scratch(const PinocchioPeer& peer, PeerMethod method,
                                                      const PeerSettings& settings) {
  std::unique_ptr<PeerScratch> scratch;
  if (method == PeerMethod::lcaba || method == PeerMethod::prox_ltl) {
    scratch = std::make_unique<RigidScratch>(peer.model, peer.contacts, method);
  } else if (all_have(peer.contacts, 3)) {
    scratch = std::make_unique<AnchorScratch<pin::PointAnchorConstraintModel>>(peer.model, peer.contacts);
  } else if (all_have(peer.contacts, 6)) {
    scratch = std::make_unique<AnchorScratch<pin::FrameAnchorConstraintModel>>(peer.model, peer.contacts);
  } else {
    scratch = std::make_unique<AnchorScratch<MixedAnchor>>(peer.model, peer.contacts);
  }
  scratch->settings = settings;
  return scratch;
}

void run_constrained(const PinocchioPeer& peer, PeerMethod method, PeerScratch& scratch,
                     const PeerState& state) {
  static_cast<ConstrainedScratch&>(scratch).solve(peer.model, method, state);
}

}  // namespace bench
