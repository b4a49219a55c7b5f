#include "peer_delassus_matrix.hpp"

#include <pinocchio/algorithm/delassus.hpp>

#include "peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;
using RigidModel = pin::RigidConstraintModelTpl<double, 0>;
using RigidData = pin::RigidConstraintDataTpl<double, 0>;

}  // namespace

struct PeerDelassusMatrix::Impl {
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

PeerDelassusMatrix::PeerDelassusMatrix(const Peer& peer) : impl_(std::make_unique<Impl>(*peer.impl_)) {}
PeerDelassusMatrix::~PeerDelassusMatrix() = default;

// The peer fills the upper triangle and leaves the other to its caller; Tenon hands out the whole matrix.
void PeerDelassusMatrix::run(int state) {
  Impl& p = *impl_;
  const PeerState& s = p.peer.states[static_cast<std::size_t>(state)];
  pin::computeDelassusMatrix(p.peer.model, p.data, s.q, p.models, p.datas, p.matrix);
  p.matrix.triangularView<Eigen::StrictlyLower>() =
      p.matrix.transpose().triangularView<Eigen::StrictlyLower>();
}

void PeerDelassusMatrix::result(double* out) const {
  const std::vector<Eigen::Index>& row = impl_->row_of_tenon;
  for (std::size_t j = 0; j < row.size(); ++j)
    for (std::size_t i = 0; i < row.size(); ++i) out[j * row.size() + i] = impl_->matrix(row[i], row[j]);
}

}  // namespace bench
