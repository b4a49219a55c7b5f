// Welds and points are the peer's rigid constraints of six and three rows.
#include "peer/peer_delassus.hpp"

#include <pinocchio/algorithm/delassus.hpp>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;
using RigidModel = pin::RigidConstraintModelTpl<double, 0>;
using RigidData = pin::RigidConstraintDataTpl<double, 0>;

class PinocchioDelassus final : public PeerDelassus {
 public:
  explicit PinocchioDelassus(const PinocchioPeer& peer_) : peer(peer_), data(peer_.model) {
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
  void run(PeerDelassusMethod method, int state, double mu) override;
  void result(double* out) const override;

 private:
  const PinocchioPeer& peer;
  pin::Data data;
  std::vector<RigidModel> models;
  std::vector<RigidData> datas;
  Eigen::MatrixXd matrix;
  std::vector<Eigen::Index> row_of_tenon;  // the peer's row of each of Tenon's
};

// The peer fills the upper triangle and leaves the other to its caller; Tenon hands out the whole matrix.
void PinocchioDelassus::run(PeerDelassusMethod method, int state, double mu) {
  const PeerState& s = peer.states[static_cast<std::size_t>(state)];
  switch (method) {
    case PeerDelassusMethod::efpa:
      pin::computeDelassusMatrix(peer.model, data, s.q, models, datas, matrix);
      break;
    case PeerDelassusMethod::pv:
      pin::computePvDelassusMatrix(peer.model, data, s.q, models, datas, matrix, 0.0);
      break;
    default:
      pin::computeDampedDelassusMatrixInverse(peer.model, data, s.q, models, datas, matrix, mu, false,
                                              method == PeerDelassusMethod::damped_pv);
  }
  matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose().triangularView<Eigen::StrictlyLower>();
}

void PinocchioDelassus::result(double* out) const {
  const std::vector<Eigen::Index>& row = row_of_tenon;
  for (std::size_t j = 0; j < row.size(); ++j)
    for (std::size_t i = 0; i < row.size(); ++i) out[j * row.size() + i] = matrix(row[i], row[j]);
}

}  // namespace

std::unique_ptr<PeerDelassus> PinocchioPeer::make_delassus() const {
  return std::make_unique<PinocchioDelassus>(*this);
}

}  // namespace bench
