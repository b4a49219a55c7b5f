// What the translation units of the peer share. Included by nothing else: these headers cost a minute.
#pragma once

#include <array>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>
#include <string>
#include <vector>

#include "peer/peer.hpp"

namespace bench {

// Memory of one method: the constraint solvers keep different sizes in the same fields of Data.
struct PeerScratch {
  explicit PeerScratch(const pinocchio::Model& model) : data(model) {}
  pinocchio::Data data;
  PeerSettings settings;
  virtual ~PeerScratch() = default;
  virtual Eigen::VectorXd result() const { return data.ddq; }
};

struct PeerContact {
  pinocchio::JointIndex joint;
  pinocchio::SE3 placement;
  int rows;
};

// Models, data and states of a pool (peer_pool.cpp).
struct PeerPool {
  virtual ~PeerPool() = default;
  virtual void run(PeerPoolMethod method) = 0;
  Eigen::MatrixXd out;
};

struct PeerState {
  Eigen::VectorXd q, v, tau, a;
};

struct PinocchioPeer final : Peer {
  PinocchioPeer(const std::string& urdf, bool floating_base, const std::vector<JointCoordinates>& joints,
                const std::vector<ContactSpec>& contact_specs);

  void add_state(const double* q, const double* v, const double* tau, const double* a) override;
  void prepare(PeerMethod method, const PeerSettings& settings) override;
  void run(PeerMethod method, int state) override;
  void result(PeerMethod method, double* out) const override;
  void mass_matrix(PeerMethod method, double* out) const override;
  void derivatives(PeerMethod method, double* out) const override;  // peer_derivatives.cpp
  std::unique_ptr<PeerDelassus> make_delassus() const override;     // peer_delassus.cpp
  void prepare_pool(int threads) override;                          // peer_pool.cpp, as the next two
  void run_pool(PeerPoolMethod method) override;
  void pool_result(int state, double* out) const override;
  int nv() const override { return model.nv; }

  pinocchio::Model model;
  std::vector<PeerContact> contacts;
  std::vector<PeerState> states;
  std::vector<int> v_of_tenon;  // index in the peer's v of each of Tenon's velocity coordinates
  struct Coordinates {
    pinocchio::JointIndex joint;
    JointCoordinates tenon;
  };
  std::vector<Coordinates> coordinates;
  std::array<std::unique_ptr<PeerScratch>, peer_method_count> scratch;  // by method
  std::unique_ptr<PeerPool> pool;
};

// Memory of a method with constraints or derivatives, and the method.
struct ConstrainedScratch : PeerScratch {
  using PeerScratch::PeerScratch;
  virtual void solve(const pinocchio::Model& model, PeerMethod method, const PeerState& state) = 0;
};

// peer_constrained.cpp
std::unique_ptr<PeerScratch> make_constrained_scratch(const PinocchioPeer& peer, PeerMethod method,
                                                      const PeerSettings& settings);
void run_constrained(const PinocchioPeer& peer, PeerMethod method, PeerScratch& scratch,
                     const PeerState& state);

// peer_derivatives.cpp
std::unique_ptr<PeerScratch> make_derivative_scratch(const PinocchioPeer& peer, PeerMethod method,
                                                     const PeerSettings& settings);

}  // namespace bench
