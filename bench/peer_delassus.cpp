// The peer's damped inverse of the Delassus matrix: computeDampedDelassusMatrixInverse, by PV-OSIMr and by
// EFPA on augmented inertias. Welds and points are its rigid constraints of six and three rows.
#include <pinocchio/algorithm/delassus.hpp>

#include "peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;

struct DelassusScratch final : ConstrainedScratch {
  using Model = pin::RigidConstraintModelTpl<double, 0>;
  std::vector<Model> models;
  std::vector<pin::RigidConstraintDataTpl<double, 0>> datas;
  Eigen::MatrixXd inverse;

  explicit DelassusScratch(const Peer::Impl& peer) : ConstrainedScratch(peer.model) {
    Eigen::Index rows = 0;
    for (const PeerContact& contact : peer.contacts) {
      models.emplace_back(contact.rows == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, peer.model, contact.joint,
                          contact.placement, pin::LOCAL);
      datas.emplace_back(models.back());
      rows += contact.rows;
    }
    inverse.setZero(rows, rows);
    pin::initPvDelassus(peer.model, data, models);
  }
  void solve(const pin::Model& model, PeerMethod method, const PeerState& state) override {
    pin::computeDampedDelassusMatrixInverse(model, data, state.q, models, datas, inverse, settings.mu, false,
                                            method == PeerMethod::damped_pv);
  }
};

}  // namespace

std::unique_ptr<PeerScratch> make_delassus_scratch(const Peer::Impl& peer) {
  return std::make_unique<DelassusScratch>(peer);
}

}  // namespace bench
