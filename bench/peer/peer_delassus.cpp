// Welds and points are the peer's rigid constraints of six and three rows.
#include "peer/peer_delassus.hpp"

#include <pinocchio/algorithm/delassus.hpp>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;
using RigidModel = pin::RigidConstraintModelTpl<double, 0>;
using RigidData = pin::RigidConstraintDataTpl<double, 0>;

}  // namespace

const char* peer_delassus_method_name(PeerDelassusMethod method) {
  switch (method) {
    case PeerDelassusMethod::efpa:
      return "computeDelassusMatrix";
    case PeerDelassusMethod::pv:
      return "computePvDelassusMatrix";
    case PeerDelassusMethod::damped_efpa:
      return "computeDampedDelassusMatrixInverse_EFPA";
    default:
      return "computeDampedDelassusMatrixInverse_PV";
  }
}

struct PeerDelassus::Impl {
  const Peer::Impl& peer;
  pin::Data data;
  std::vector<RigidModel> models;
  std::vector<RigidData> datas;
  Eigen::MatrixXd matrix;
  std::vector<Eigen::Index> row_of_tenon;  // the peer's row of each of Tenon's

  explicit Impl(const Peer::Impl& peer_) : peer(peer_), data(peer_.model) {
    Eigen::Index row = 0;
    for (const PeerContact& contact : peer.contacts) {
      models.emplace_back(contact.rows == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, peer.model, contact.joint,
                          contact.placement, pin::LOCAL);
      datas.emplace_back(models.back());
      // A weld of the peer has its linear rows first.
      for (int k = 0; k < contact.rows; ++k)
        row_of_tenon.push_back(row + (contact.rows == 6 ? (k + 3) % 6 : k));
      row += contact.rows;
    }
    pin::initPvDelassus(peer.model, data, models);
    matrix = Eigen::MatrixXd::Zero(row, row);
  }
};

PeerDelassus::PeerDelassus(const Peer& peer) : impl_(std::make_unique<Impl>(*peer.impl_)) {}
PeerDelassus::~PeerDelassus() = default;

// The peer fills the upper triangle and leaves the other to its caller; Tenon hands out the whole matrix.
void PeerDelassus::run(PeerDelassusMethod method, int state, double mu) {
  Impl& p = *impl_;
  const PeerState& s = p.peer.states[static_cast<std::size_t>(state)];
  switch (method) {
    case PeerDelassusMethod::efpa:
      pin::computeDelassusMatrix(p.peer.model, p.data, s.q, p.models, p.datas, p.matrix);
      break;
    case PeerDelassusMethod::pv:
      pin::computePvDelassusMatrix(p.peer.model, p.data, s.q, p.models, p.datas, p.matrix, 0.0);
      break;
    default:
      pin::computeDampedDelassusMatrixInverse(p.peer.model, p.data, s.q, p.models, p.datas, p.matrix, mu,
                                              false, method == PeerDelassusMethod::damped_pv);
  }
  p.matrix.triangularView<Eigen::StrictlyLower>() =
      p.matrix.transpose().triangularView<Eigen::StrictlyLower>();
}

void PeerDelassus::result(double* out) const {
  const std::vector<Eigen::Index>& row = impl_->row_of_tenon;
  for (std::size_t j = 0; j < row.size(); ++j)
    for (std::size_t i = 0; i < row.size(); ++i) out[j * row.size() + i] = impl_->matrix(row[i], row[j]);
}

}  // namespace bench
