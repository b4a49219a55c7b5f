// The peer's own way to compute many states: its pools of OpenMP threads.
#include <pinocchio/algorithm/parallel/aba.hpp>
#include <pinocchio/algorithm/parallel/rnea.hpp>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

struct Pool final : PeerPool {
  std::size_t threads;
  pinocchio::ModelPool models;
  Eigen::MatrixXd q, v, tau, a;

  Pool(const PinocchioPeer& peer, int threads_)
      : threads(static_cast<std::size_t>(threads_)), models(peer.model, threads) {
    const auto columns = [&](Eigen::VectorXd PeerState::*field) {
      Eigen::MatrixXd matrix((peer.states[0].*field).size(), static_cast<Eigen::Index>(peer.states.size()));
      for (Eigen::Index i = 0; i < matrix.cols(); ++i)
        matrix.col(i) = peer.states[static_cast<std::size_t>(i)].*field;
      return matrix;
    };
    q = columns(&PeerState::q), v = columns(&PeerState::v);
    tau = columns(&PeerState::tau), a = columns(&PeerState::a);
    out = Eigen::MatrixXd::Zero(v.rows(), v.cols());
  }
  void run(PeerPoolMethod method) override {
    if (method == PeerPoolMethod::aba) {
      pinocchio::abaInParallel(threads, models, q, v, tau, out);
    } else {
      pinocchio::rneaInParallel(threads, models, q, v, a, out);
    }
  }
};

}  // namespace

void PinocchioPeer::prepare_pool(int threads) {
  pool = std::make_unique<Pool>(*this, threads);
}

void PinocchioPeer::run_pool(PeerPoolMethod method) {
  pool->run(method);
}

void PinocchioPeer::pool_result(int state, double* out) const {
  for (std::size_t i = 0; i < v_of_tenon.size(); ++i) out[i] = pool->out(v_of_tenon[i], state);
}

}  // namespace bench
